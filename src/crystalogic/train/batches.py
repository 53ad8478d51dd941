"""The rows that each step of training sees."""

from typing import Any

import numpy as np

from crystalogic.train.block import Block


class Batches:
    """The rows of each step: all of them, or a new random batch, with weights that sum to 1."""

    def __init__(self, block: Block, batch_rows: int, generator: np.random.Generator, dtype: Any = np.float32) -> None:
        self._block, self._generator, self._dtype = block, generator, dtype
        self.is_partial = block.n_rows > batch_rows
        self._batch_rows = batch_rows

    def next(self) -> Block:
        """The rows of one step."""
        if not self.is_partial:
            return self._block
        batch = self._block.at(self._generator.choice(self._block.n_rows, self._batch_rows, replace=False))
        weight = batch.weight.astype(self._dtype)
        return Block(batch.rows, batch.target, weight / weight.sum())
