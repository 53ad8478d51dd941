"""The rows that each step of training sees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.network import with_ones
from crystalogic.train.task import Task

Array = NDArray[Any]


class Batches:
    """The rows of each step: all of them, or a new random batch, with weights that sum to 1."""

    def __init__(self, task: Task, batch_rows: int, generator: np.random.Generator, dtype: Any = np.float32) -> None:
        self.inputs = with_ones(task.rows, dtype)
        self.target, self.weight = task.target.T.astype(dtype), task.weight.astype(dtype)
        self.is_partial = task.n_rows > batch_rows
        self.n_rows = min(task.n_rows, batch_rows)
        self._generator = generator

    def next(self) -> tuple[Array, Array, Array]:
        """Inputs, targets and weights of one step."""
        if not self.is_partial:
            return self.inputs, self.target, self.weight
        rows = self._generator.choice(self.inputs.shape[1], self.n_rows, replace=False)
        weight = self.weight[rows]
        return np.ascontiguousarray(self.inputs[:, rows]), self.target[:, rows], weight / weight.sum()
