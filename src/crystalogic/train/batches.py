"""The rows that each step of training sees."""

from typing import Any

import numpy as np

from crystalogic.train.blocks import Block, Blocks, LocalBlocks

AHEAD_BYTES = 2**22  # of rows fetched at once for the steps to come: a fetch may be a journey


def n_batches_ahead(n_inputs: int, batch_rows: int) -> int:
    """How many batches are fetched at once."""
    return max(1, AHEAD_BYTES // (8 * n_inputs * batch_rows))


def fetch_bytes(n_rows: int, n_inputs: int, batch_rows: int) -> int:
    """The memory of a fetch, whose rows are chosen, joined and put into order."""
    if n_rows <= batch_rows:
        return 0
    return 3 * n_batches_ahead(n_inputs, batch_rows) * batch_rows * 8 * (n_inputs + 3)


class Batches:
    """The rows of each step: all of them, or a new random batch, with weights that sum to 1.

    A batch is drawn by row numbers of the whole task, so it does not depend on where the rows are.
    """

    def __init__(
        self, blocks: Blocks, batch_rows: int, generator: np.random.Generator, dtype: Any = np.float32
    ) -> None:
        self._blocks, self._generator, self._dtype = blocks, generator, dtype
        self.is_partial = blocks.n_rows > batch_rows
        self._batch_rows = batch_rows
        self._ahead: list[Block] = []

    def next(self) -> Blocks:
        """The rows of one step."""
        if not self.is_partial:
            return self._blocks
        self._ahead = self._ahead or self._fetch()
        batch = self._ahead.pop(0)
        weight = batch.weight.astype(self._dtype)
        return LocalBlocks([Block(batch.rows, batch.target, weight / weight.sum())])

    def _fetch(self) -> list[Block]:
        n_rows, n_batches = self._blocks.n_rows, n_batches_ahead(self._blocks.n_inputs, self._batch_rows)
        draws = [self._generator.choice(n_rows, self._batch_rows, replace=False) for _ in range(n_batches)]
        return list(self._blocks.take(np.concatenate(draws)).parts(self._batch_rows))
