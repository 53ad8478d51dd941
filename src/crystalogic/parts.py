"""A table in parts: whatever looks at all of its rows is a function of one part, and the results are put together.

The functions are pure and can be pickled, so that a cluster can call them where a part is. Every result is a value
that adds up, and says the same however the table was cut: rows are known by their number in the whole table.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

from crystalogic.arrays import Array, np, pd
from crystalogic.encoding.encoding import ReadOnce, column_names, n_rows
from crystalogic.encoding.values import SparseColumns
from crystalogic.errors import TrainingDataError, refuse, refuse_first
from crystalogic.files import TableFile

T = TypeVar("T")
AT_ONCE = 1 << 16  # rows of a part
MOST_CELLS = 1 << 23  # of a part, for wide tables


@dataclass(frozen=True)
class Part:
    """Some rows of a table with their targets and weights (None: all 1); `first_row` is the number of the first."""

    rows: Any
    target: Array
    weight: Array | None
    first_row: int

    def __len__(self) -> int:
        return len(self.target)

    def classes(self, *, degrees: bool = False) -> tuple[Array, Array]:
        """The classes in order, None for truth degrees, and each row's index; an error where nothing can be learned."""
        self.refuse_weights()
        if degrees:
            target = np.asarray(self.target, dtype=np.float64)
            self._refuse("target", target, (target >= 0) & (target <= 1), "a truth degree between 0 and 1")
            return np.array([None]), np.zeros(len(self), np.int64)
        if (is_missing := np.asarray(pd.isna(self.target))).any():
            row = self.first_row + is_missing.argmax()
            refuse(TrainingDataError, f"row {row}: the target is missing. Drop the row.")
        try:
            return np.unique(self.target, return_inverse=True)
        except TypeError:
            refuse_mixture(self.target.tolist())
            raise

    def refuse_weights(self) -> None:
        """A TrainingDataError for a weight that is no number, infinite or negative."""
        if self.weight is not None:
            are_right = (self.weight >= 0) & (self.weight < np.inf)
            self._refuse("weight", self.weight, are_right, "a finite number that is not negative")

    def _refuse(self, what: str, numbers: Array, are_right: Array, expected: str) -> None:
        if len(wrong := np.flatnonzero(~are_right)):
            message = f"row {self.first_row + wrong[0]}: the {what} is {numbers[wrong[0]]:g}, expected {expected}."
            raise TrainingDataError(message)

    def read_once(self) -> "Part":
        """The same rows, whose cells are converted once however often they are read, unless that takes much memory."""
        is_large = isinstance(self.rows, SparseColumns) or len(self) * len(column_names(self.rows)) > MOST_CELLS
        return self if is_large else replace(self, rows=ReadOnce(self.rows))

    def take(self, places: Array) -> "Part":
        """Some of these rows, by their places."""
        weight = None if self.weight is None else self.weight[places]
        return Part(take_rows(self.rows, places), self.target[places], weight, 0)


class Parts(ABC):
    """A table in parts."""

    @abstractmethod
    def gather(self, most: int) -> Part | None:
        """All rows as one part; None if they are more than `most`, or if there are none."""

    @abstractmethod
    def each(self, function: Callable[[Part], T], columns: Sequence[str] | None = None) -> Iterable[T]:
        """The results of the function, in the order of the parts; it reads only these columns, if given."""

    def fold(
        self, function: Callable[[Part], T | None], join: Callable[[T, T], T], columns: Sequence[str] | None = None
    ) -> T | None:
        """All results joined in the order of the parts, so that only a few are kept; None if there is no part."""
        return fold(join, self.each(function, columns))


@dataclass(frozen=True)
class MemoryParts(Parts):
    """A table in memory: a frame, a mapping of columns or sparse columns."""

    rows: Any
    target: Array
    weight: Array | None = None
    n_threads: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", np.asarray(self.target))

    def gather(self, most: int) -> Part | None:
        return Part(self.rows, self.target, self.weight, 0) if 0 < len(self.target) <= most else None

    def __iter__(self) -> Iterator[Part]:
        wide = 1 if isinstance(self.rows, SparseColumns) else max(1, len(column_names(self.rows)))
        size = max(1024, min(AT_ONCE, MOST_CELLS // wide))
        for first in range(0, len(self.target), size):
            last = min(first + size, len(self.target))
            weight = None if self.weight is None else self.weight[first:last]
            yield Part(take_rows(self.rows, np.arange(first, last)), self.target[first:last], weight, first)

    def each(self, function: Callable[[Part], T], columns: Sequence[str] | None = None) -> list[T]:
        from joblib import Parallel, delayed

        return list(Parallel(n_jobs=self.n_threads, require="sharedmem")(delayed(function)(part) for part in self))


@dataclass(frozen=True)
class FileParts(Parts):
    """A table in files, larger than memory perhaps; `labels` reads the target column of a part."""

    source: TableFile
    target: str
    labels: Callable[[Any, int], Array]  # of a column, and the number of its first row

    def gather(self, most: int) -> Part | None:
        rows = self.source.gather(most)
        return None if rows is None else self._part(rows, 0)

    def each(self, function: Callable[[Part], T], columns: Sequence[str] | None = None) -> Iterator[T]:
        return self.each_of(self.source, 0, function, columns)

    def each_of(
        self, file: TableFile, first_row: int, function: Callable[[Part], T], columns: Sequence[str] | None
    ) -> Iterator[T]:
        """The results for the parts of one of the files, which begins with this row; one part in memory at a time."""
        for rows in file.parts(AT_ONCE, None if columns is None else [*columns, self.target]):
            yield function(self._part(rows, first_row))
            first_row += len(rows)

    def _part(self, rows: Any, first_row: int) -> Part:
        others = [name for name in rows if name != self.target]
        cells = {name: rows[name] for name in others} if isinstance(rows, dict) else rows[others]
        return Part(cells, self.labels(rows[self.target], first_row), None, first_row)


def fold(join: Callable[[T, T], T], results: Iterable[T | None]) -> T | None:
    """Results joined in their order, None left out; None if there is none."""
    known = (each for each in results if each is not None)
    first = next(known, None)
    return None if first is None else reduce(join, known, first)


def take_rows(rows: Any, indices: Array) -> Any:
    """Some rows of a frame, of a mapping of columns or of sparse columns."""
    rows = rows.rows if isinstance(rows, ReadOnce) else rows
    if isinstance(rows, SparseColumns):
        return rows.take(indices)
    if hasattr(rows, "iloc"):
        return rows.iloc[indices]
    if hasattr(rows, "columns"):
        return rows[indices]
    is_range = len(indices) > 0 and indices[-1] - indices[0] == len(indices) - 1 and (indices[1:] > indices[:-1]).all()
    where = slice(indices[0], indices[-1] + 1) if is_range else indices
    return {name: rows[name][where] for name in rows}


def join_rows(parts: Sequence[Any]) -> Any:
    """Rows of the same kind, one after the other."""
    kept = [part for part in parts if n_rows(part)] or list(parts[:1])
    if isinstance(kept[0], SparseColumns):
        return SparseColumns.stack(kept)
    if isinstance(kept[0], Mapping):
        return {name: np.concatenate([np.asarray(part[name]) for part in kept]) for name in kept[0]}
    if hasattr(kept[0], "iloc"):
        return pd.concat(kept, ignore_index=True)
    import polars as pl

    return pl.concat(kept)


def refuse_mixture(labels: Iterable[Any]) -> None:
    """A TrainingDataError for texts among numbers, which have no order."""
    one_of_each = {isinstance(label, str): label for label in labels}
    text, other = one_of_each.get(True), one_of_each.get(False)
    message = f"the target has texts such as {text!r} and others such as {other!r}. Write all classes as texts."
    refuse_first(TrainingDataError, {message: len(one_of_each) > 1})


def join_parts(parts: Sequence[Part]) -> Part:
    """All rows of these parts as one."""
    weights = [part.weight for part in parts if part.weight is not None]
    target = np.concatenate([part.target for part in parts])
    return Part(join_rows([part.rows for part in parts]), target, np.concatenate(weights) if weights else None, 0)
