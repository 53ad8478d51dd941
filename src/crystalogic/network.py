"""Float networks of clamp neurons: their shape, and forward pass, gradient and Jacobian of many restarts at once.

A network reads truth values in [0,1]ᵈ and passes them through stages. A number is a plain layer of that width,
`"residual"` is a block at the width before it:

    plain     h ← ψ(W h + c)                        (Eq. 6)
    residual  h ← ψ(F(h) + h + b), F = ψ(W h + c)   (Eq. 5, with F clamped as Definition 3 types it)

The output is one more plain layer. The first stage is the projection. Every restart is one row of parameters.

All restarts lie in one array, rows of the table last: the first layer is ONE matrix product
(restarts·width × inputs) @ (inputs × rows), the others one small product a restart. A bias is the weight on an input
that is always 1, so it needs no pass of its own. Buffers are made once.

ψ is linear with slope 0 or 1, so gradient and Jacobian are products of weights and 0/1 masks: with δₗ the
derivative of an output by the sums of layer l, ∂output/∂Wₗ = δₗ ⊗ hₗ₋₁ and δₗ₋₁ = ψ′ · Wₗᵀδₗ.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, Literal

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError, refuse_first

MOST_BYTES = 2**27  # of the buffers for one part of a table
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
    """Widths and residual blocks of a network."""

    n_inputs: int
    hidden: Sequence[Stage]
    n_outputs: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        message = f"a network begins with a projection of some width, got the hidden stages {self.hidden}."
        refuse_first(TrainingDataError, {message: not self.hidden or self.hidden[0] == "residual"})
        for width in (self.n_inputs, self.n_outputs, *(stage for stage in self.hidden if stage != "residual")):
            message = f"a width is a whole number from 1, or 'residual' for a block; got {width!r}."
            refuse_first(TrainingDataError, {message: not isinstance(width, int) or width < 1})

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


def with_ones(rows: Array, dtype: Any = np.float32) -> Array:
    """The table as the engine reads it: inputs × rows, and a last input that is always 1."""
    columns = np.ones((rows.shape[1] + 1, rows.shape[0]), dtype)
    columns[:-1] = rows.T
    return columns


class Engine:
    """Buffers for `n_restarts` networks of one shape on `n_rows` rows, and the passes that use them."""

    def __init__(self, shape: Shape, n_restarts: int, n_rows: int, dtype: Any = np.float32, leak: float = 0.0) -> None:
        self.shape, self.n_restarts, self.n_rows, self.leak = shape, n_restarts, n_rows, leak
        sizes = [(n_restarts, layer.n_outputs, n_rows) for layer in shape.layers]
        inner = [size if layer.is_residual else (0, 0, 0) for size, layer in zip(sizes, shape.layers, strict=True)]
        buffers = ([np.zeros(size, dtype) for size in each] for each in (sizes, inner, sizes))
        self._totals, self._inner_totals, self._back = buffers
        self._values = [np.ones((n_restarts, layer.n_outputs + 1, n_rows), dtype) for layer in shape.layers]
        self.gradients: Array = np.zeros((n_restarts, shape.n_parameters), dtype)

    def forward(self, parameters: Array, inputs: Array) -> Array:
        """The outputs (restarts × outputs × rows) for `inputs` as `with_ones` makes them; valid until the next call."""
        self._parameters, self._inputs = parameters, inputs
        for index, layer in enumerate(self.shape.layers):
            total, before = self._totals[index], self._values[index - 1]
            if index == 0:
                weights = self._of_layer(parameters, layer).reshape(-1, layer.n_inputs + 1)
                np.matmul(weights, inputs, out=total.reshape(-1, self.n_rows))
            elif layer.is_residual:
                np.matmul(self._of_layer(self._parameters, layer), before, out=self._inner_totals[index])
                np.clip(self._inner_totals[index], 0, 1, out=total)
                total += before[:, :-1]
                total += parameters[:, layer.merge : layer.stop, None]
            else:
                np.matmul(self._of_layer(self._parameters, layer), before, out=total)
            np.clip(total, 0, 1, out=self._values[index][:, :-1])
        return self._values[-1][:, :-1]

    def _of_layer(self, rows: Array, layer: Layer) -> Array:
        return rows[:, layer.start : layer.merge].reshape(self.n_restarts, layer.n_outputs, layer.n_inputs + 1)

    def _through(self, total: Array, gradient: Array) -> None:
        """gradient ← gradient · ψ′(total), with ψ′ = 1 on all of [0,1].

        The ends belong to the slope: integer weights on Boolean rows put every sum on an integer, and a gradient that
        is zero there would never move. A saturated neuron passes `leak` times the gradient whose descent leads back
        into [0,1]: 0 is the true derivative, 1 the one-sided straight-through estimate.
        """
        np.copyto(gradient, self.leak * np.minimum(gradient, 0), where=total < 0)
        np.copyto(gradient, self.leak * np.maximum(gradient, 0), where=total > 1)

    def _deltas(self, seed: Array) -> Iterator[tuple[int, Layer, Array, Array | None]]:
        """Index, layer and δ of every layer, and for a residual block the δ of its merge neurons; last layer first."""
        back = self._back[-1]
        np.copyto(back, seed)
        for index in range(len(self.shape.layers) - 1, -1, -1):
            layer = self.shape.layers[index]
            self._through(self._totals[index], back)
            merge = back if layer.is_residual else None
            if merge is not None:
                back = merge.copy()
                self._through(self._inner_totals[index], back)
            yield index, layer, back, merge
            if index:
                below = self._back[index - 1]
                weights = self._of_layer(self._parameters, layer)[:, :, :-1].transpose(0, 2, 1)
                # BLAS is slow at products with an inner size of one
                (np.multiply if layer.n_outputs == 1 else np.matmul)(weights, back, out=below)
                if merge is not None:
                    below += merge
                back = below

    def gradient(self, seed: Array) -> Array:
        """Σ over rows and outputs of seed · ∂output/∂parameters (restarts × parameters), after `forward`."""
        for index, layer, delta, merge in self._deltas(seed):
            out = self._of_layer(self.gradients, layer)
            if index == 0:
                np.copyto(out, (delta.reshape(-1, self.n_rows) @ self._inputs.T).reshape(out.shape))
            else:
                np.matmul(delta, self._values[index - 1].transpose(0, 2, 1), out=out)
            if merge is not None:
                self.gradients[:, layer.merge : layer.stop] = merge.sum(axis=2)
        return self.gradients

    def jacobian(self, output: int = 0, sign: Array | None = None) -> Array:
        """∂output/∂parameters (restarts × parameters × rows), after `forward`.

        With a leak, which side of a saturated ψ leads back depends on the sign of the error (restarts × rows): the row
        is then the gradient of |error|, turned back by that sign.
        """
        result = np.empty((self.n_restarts, self.shape.n_parameters, self.n_rows), self.gradients.dtype)
        seed = np.zeros((self.n_restarts, self.shape.n_outputs, self.n_rows), self.gradients.dtype)
        seed[:, output] = 1 if sign is None else sign
        for index, layer, delta, merge in self._deltas(seed):
            if sign is not None:  # before the outer product, where it is a smaller array
                delta = delta * sign[:, None]
                merge = None if merge is None else merge * sign[:, None]
            before = self._inputs if index == 0 else self._values[index - 1]
            block = result[:, layer.start : layer.merge].reshape(*delta.shape[:2], layer.n_inputs + 1, self.n_rows)
            np.multiply(delta[:, :, None], before[None, None] if index == 0 else before[:, None], out=block)
            if merge is not None:
                result[:, layer.merge : layer.stop] = merge
        return result


class Engines:
    """An engine for each number of rows that the parts of a table have, with its buffers kept for the next part."""

    def __init__(self, shape: Shape, n_restarts: int, dtype: Any = np.float32, leak: float = 0.0) -> None:
        self.shape, self.n_restarts, self.dtype, self.leak = shape, n_restarts, dtype, leak
        # a batch, a whole part and the rest of the rows
        self.of: Callable[[int], Engine] = lru_cache(3)(partial(Engine, shape, n_restarts, dtype=dtype, leak=leak))

    def n_bytes(self, n_rows: int) -> int:
        """The memory of one engine, of the table as it reads it and of the errors of all restarts."""
        shape, itemsize = self.shape, int(np.dtype(self.dtype).itemsize)
        buffers = sum((4 if layer.is_residual else 3) * layer.n_outputs + 1 for layer in shape.layers)
        row = self.n_restarts * (buffers + 3 * shape.n_outputs) + shape.n_inputs + 1 + shape.n_outputs
        return itemsize * (n_rows * row + 2 * self.n_restarts * shape.n_parameters)

    def part_rows(self, most: int, more_bytes: int = 0) -> int:
        """How many rows a part has: `most`, or as many as `MOST_BYTES` hold with `more_bytes` for each row."""
        return max(1, min(most, MOST_BYTES // (self.n_bytes(1) - self.n_bytes(0) + more_bytes)))
