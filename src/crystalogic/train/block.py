"""The rows of a task, worked through in parts, so that buffers are those of one part.

Training asks two things of its rows: a sum over all of them, and a few of them. A sum is taken part by part in one
fixed order (with one BLAS thread, since a sum that is split over threads is another sum).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.network import with_ones

Sums = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Block:
    """Truth values (rows × inputs), targets (rows × outputs) and weights, which sum to 1 where it is all of a task."""

    rows: Array
    target: Array
    weight: Array
    _columns: dict[Any, Sums] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def n_inputs(self) -> int:
        return int(self.rows.shape[1])

    @property
    def n_outputs(self) -> int:
        return int(self.target.shape[1])

    def columns(self, dtype: Any) -> tuple[Array, Array, Array]:
        """Inputs, targets and weights as the engine reads them; kept, so ask the parts of a large block instead."""
        if dtype not in self._columns:
            columns = with_ones(self.rows, dtype), self.target.T.astype(dtype), self.weight.astype(dtype)
            self._columns[dtype] = columns
        inputs, target, weight = self._columns[dtype]
        return inputs, target, weight

    def at(self, places: Array | slice) -> "Block":
        """The rows at these places of the block, in their order."""
        return Block(self.rows[places], self.target[places], self.weight[places])

    def parts(self, n_rows: int) -> Iterator["Block"]:
        """The block in parts of so many rows, the last with the rest."""
        if self.n_rows <= n_rows:
            yield self
            return
        for start in range(0, self.n_rows, n_rows):
            yield self.at(slice(start, start + n_rows))

    def total(self, function: Callable[..., Sums], *arguments: Any, part_rows: int) -> Sums:
        """Σ function(part, *arguments) over the parts; the results are arrays that add."""
        return add_up(function(part, *arguments) for part in self.parts(part_rows))


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
