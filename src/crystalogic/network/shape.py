"""The shape of a float network and where each weight lies in its row of parameters.

A network reads truth values in [0,1]ᵈ and passes them through stages. A number is a plain layer of that width,
`"residual"` is a block at the width before it:

    plain     h ← ψ(W h + c)                        (Eq. 6)
    residual  h ← ψ(F(h) + h + b), F = ψ(W h + c)   (Eq. 5, with F clamped as Definition 3 types it)

The output is one more plain layer. The first stage is the projection. Every restart is one row of parameters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError

Stage = int | Literal["residual"]


@dataclass(frozen=True)
class Layer:
    """One stage in the parameter row: n_outputs × (n_inputs + 1) numbers from `start`, each neuron's bias last."""

    n_inputs: int
    n_outputs: int
    start: int
    is_residual: bool = False

    @property
    def merge(self) -> int:
        """Where the weights end and, in a residual block, the merge biases begin."""
        return self.start + self.n_outputs * (self.n_inputs + 1)

    @property
    def stop(self) -> int:
        return self.merge + (self.n_outputs if self.is_residual else 0)


@dataclass(frozen=True)
class Shape:
    """Widths and residual blocks of a network.

    >>> Shape(17, (4, "residual")).n_parameters
    101
    >>> Shape(17, (4, "residual"))
    Shape(n_inputs=17, hidden=(4, 'residual'), n_outputs=1)
    """

    n_inputs: int
    hidden: Sequence[Stage]
    n_outputs: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        if not self.hidden or self.hidden[0] == "residual":
            message = f"a network begins with a projection of some width, got the hidden stages {self.hidden}."
            raise TrainingDataError(message)
        for width in (self.n_inputs, self.n_outputs, *(stage for stage in self.hidden if stage != "residual")):
            if not isinstance(width, int) or width < 1:
                message = f"a width is a whole number from 1, or 'residual' for a block; got {width!r}."
                raise TrainingDataError(message)

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The stages and then the output layer, with their places in the parameter row."""
        layers: list[Layer] = []
        width, start = self.n_inputs, 0
        for stage in (*self.hidden, self.n_outputs):
            n_outputs = width if isinstance(stage, str) else stage
            layers.append(Layer(width, n_outputs, start, is_residual=isinstance(stage, str)))
            width, start = n_outputs, layers[-1].stop
        return tuple(layers)

    @property
    def n_parameters(self) -> int:
        return self.layers[-1].stop

    @cached_property
    def is_bias(self) -> Array:
        """True where a parameter is a bias, which is rounded but never clamped."""
        mask = np.zeros(self.n_parameters, dtype=bool)
        for layer in self.layers:
            mask[layer.start + layer.n_inputs : layer.merge : layer.n_inputs + 1] = True
            mask[layer.merge : layer.stop] = True
        return mask
