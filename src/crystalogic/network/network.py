"""One float network: a shape and its numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.errors import TrainingDataError
from crystalogic.network.engine import Engine, with_ones
from crystalogic.network.shape import Shape

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Network:
    """A shape with one row of parameters, as they lie in `Shape.layers`: each neuron's weights, then its bias.

    >>> both = Network(Shape(2, (1,)), np.array([1.0, 1.0, -1.0, 1.0, 0.0]))
    >>> both.run_rows(np.array([[1.0, 0.75], [0.5, 0.25]])).tolist()
    [[0.75], [0.0]]
    """

    shape: Shape
    parameters: Array

    def __post_init__(self) -> None:
        numbers = np.array(self.parameters, dtype=np.float64)
        if numbers.shape != (self.shape.n_parameters,) or not np.isfinite(numbers).all():
            message = (
                f"a network of this shape has {self.shape.n_parameters} finite numbers, "
                f"got an array of the shape {numbers.shape}."
            )
            raise TrainingDataError(message)
        numbers.setflags(write=False)
        object.__setattr__(self, "parameters", numbers)

    def run_rows(self, rows: Array) -> Array:
        """The outputs (rows × outputs) for truth values (rows × inputs)."""
        engine = Engine(self.shape, 1, len(rows), np.float64)
        outputs = engine.forward(self.parameters[None], with_ones(np.asarray(rows), np.float64))
        return np.array(outputs[0].T)
