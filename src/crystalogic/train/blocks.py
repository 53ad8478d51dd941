"""The rows of a task as an ordered sequence of blocks, whoever holds them.

Training asks two things of its rows: a sum over all of them, and a few of them. A sum is taken in one fixed order, part
by part in a block and then block by block, so the same blocks give the same bits wherever each of them is computed
(with one BLAS thread, since a sum that is split over threads is another sum). Buffers are those of one part.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.network import with_ones

Array = NDArray[Any]
Sums = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Block:
    """Truth values (rows × inputs), targets (rows × outputs), weights, and the number of its first row in the task."""

    rows: Array
    target: Array
    weight: Array
    start: int = 0
    _columns: dict[Any, Sums] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rows, self.target, self.weight, self.start)

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return len(self.rows)

    def columns(self, dtype: Any) -> tuple[Array, Array, Array]:
        """Inputs, targets and weights as the engine reads them; kept, so ask the parts of a large block instead."""
        if dtype not in self._columns:
            columns = with_ones(self.rows, dtype), self.target.T.astype(dtype), self.weight.astype(dtype)
            self._columns[dtype] = columns
        inputs, target, weight = self._columns[dtype]
        return inputs, target, weight

    def at(self, places: Array | slice) -> "Block":
        """The rows at these places of the block."""
        return Block(self.rows[places], self.target[places], self.weight[places])

    def parts(self, n_rows: int) -> Iterator["Block"]:
        """The block in parts of so many rows, the last with the rest."""
        if self.n_rows <= n_rows:
            yield self
            return
        for start in range(0, self.n_rows, n_rows):
            yield self.at(slice(start, start + n_rows))


class Blocks(ABC):
    """All rows of a task, no block empty, the weights summing to 1. Who holds them says how each is computed on."""

    n_rows: int
    n_inputs: int
    n_outputs: int

    @abstractmethod
    def each(self, function: Callable[..., Any], *arguments: Any) -> Iterable[Any]:
        """function(block, *arguments) of every block, in the order of the blocks.

        The function is pure and of a module, so that it may travel to where the block is.
        """

    def total(self, function: Callable[..., Sums], *arguments: Any, part_rows: int) -> Sums:
        """Σ function(part, *arguments) over the parts of all blocks; the results are arrays that add."""
        return add_up(self.each(block_total, function, part_rows, *arguments))

    def take(self, numbers: Array) -> Block:
        """The rows with these numbers, in this order, in one block; meant for few."""
        order = np.argsort(numbers, kind="stable")
        return join_blocks(self.each(_rows_numbered, numbers[order])).at(np.argsort(order))

    def gather(self) -> Block:
        """All rows in one block; meant for few."""
        return join_blocks(self.each(_itself))


class LocalBlocks(Blocks):
    """Blocks in the memory of this process."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        starts = np.cumsum([0, *(block.n_rows for block in blocks)])
        self._blocks = [replace(block, start=int(start)) for block, start in zip(blocks, starts, strict=False)]
        self.n_rows, self.n_inputs, self.n_outputs = int(starts[-1]), blocks[0].rows.shape[1], blocks[0].target.shape[1]

    def each(self, function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """One block after the other."""
        return (function(block, *arguments) for block in self._blocks)


def block_total(block: Block, function: Callable[..., Sums], part_rows: int, *arguments: Any) -> Sums:
    """Σ function(part, *arguments) over the parts of one block, in their order."""
    return add_up(function(part, *arguments) for part in block.parts(part_rows))


def add_up(results: Iterable[Sums]) -> Sums:
    """The sums of tuples of arrays, one after the other, in new arrays: a result may be a buffer, or read-only.

    >>> add_up([(np.array([1, 2]),), (np.array([3, 4]),)])
    (array([4, 6]),)
    """
    iterator = iter(results)
    sums = tuple(np.array(first) for first in next(iterator))
    for result in iterator:
        for total, more in zip(sums, result, strict=True):
            np.add(total, more, out=total)
    return sums


def join_blocks(blocks: Iterable[Block]) -> Block:
    """The rows of several blocks in one."""
    parts = list(blocks)
    if len(parts) == 1:
        return parts[0]
    return Block(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.target for part in parts]),
        np.concatenate([part.weight for part in parts]),
    )


def _rows_numbered(block: Block, numbers: Array) -> Block:
    """Those of the ascending row numbers that lie in the block."""
    first, last = np.searchsorted(numbers, (block.start, block.start + block.n_rows))
    return block.at(numbers[first:last] - block.start)


def _itself(block: Block) -> Block:
    return block
