"""A whole table of truth values, however wide: Boolean features as bits, the others as floats; equal rows merged.

Kernels read `Rows`, a working set of features with a float for every value. A table makes them for the features asked.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crystalogic.errors import TrainingDataError
from crystalogic.search.rows import Goal, Rows, checked_weight, packed, unpacked

Array = NDArray[Any]
LARGEST_SCALE = 60  # Sₙ up to this n is recognised and computed in integers
AT_ONCE = 256  # features unpacked together


@dataclass(frozen=True)
class Features:
    """Columns of truth values with their names: `place` is a column's index among the bits, or ~index in `graded`."""

    names: tuple[str, ...]
    n_rows: int
    place: Array
    bits: Array
    graded: Array

    @staticmethod
    def of(columns: Iterable[ArrayLike], names: Sequence[str], n_rows: int) -> "Features":
        """Columns packed one after the other, or a TrainingDataError that says which value is no truth value."""
        place: list[int] = []
        bits: list[Array] = []
        graded: list[Array] = []
        for name, given in zip(names, columns, strict=True):
            column = np.asarray(given)
            if column.dtype != bool:
                column = _checked(column, name)
                if ((column != 0) & (column != 1)).any():
                    place.append(~len(graded))
                    graded.append(column.astype(np.float32))
                    continue
            place.append(len(bits))
            bits.append(packed(column[None] != 0)[0])
        return Features(
            tuple(names),
            n_rows,
            np.array(place, np.int64),
            np.array(bits, np.uint64).reshape(len(bits), max(1, -(-n_rows // 64))),
            np.array(graded, np.float32).reshape(len(graded), n_rows),
        )

    @staticmethod
    def of_rows(X: ArrayLike, names: Sequence[str] | None) -> "Features":
        """An array of rows × features, packed."""
        table = np.asarray(X)
        if table.ndim != 2 or 0 in table.shape:
            message = f"expected a table of rows × features with at least one of each, got the shape {table.shape}."
            raise TrainingDataError(message)
        names = tuple(names) if names is not None else tuple(f"x{i + 1}" for i in range(table.shape[1]))
        if len(names) != table.shape[1] or len(set(names)) != len(names):
            message = f"{table.shape[1]} features need as many different names, got {len(names)}: {', '.join(names)}."
            raise TrainingDataError(message)
        return Features.of(table.T, names, len(table))

    @staticmethod
    def joined(parts: "Sequence[Features]") -> "Features":
        """The rows of several tables with the same columns, one after the other."""
        names, n_rows = parts[0].names, sum(part.n_rows for part in parts)
        columns = (np.concatenate([part.dense([index])[0] for part in parts]) for index in range(len(names)))
        return Features.of(columns, names, n_rows)

    def __len__(self) -> int:
        return len(self.place)

    def dense(self, indices: Sequence[int] | Array, one: float = 1.0) -> Array:
        """These columns (features × rows) as floats, times `one`; truth values of Sₙ as integers."""
        place = self.place[indices]
        result = np.empty((len(place), self.n_rows), np.float32)
        is_bits = place >= 0
        result[is_bits] = unpacked(self.bits[place[is_bits]], self.n_rows)
        result[~is_bits] = self.graded[~place[~is_bits]]
        if one > 1:
            result = np.rint(result * np.float32(one))
        return result

    def only(self, names: Sequence[str]) -> "Features":
        """The columns with these names alone."""
        known = {name: index for index, name in enumerate(self.names)}
        place, names = self.place[[known[name] for name in names]], tuple(names)
        is_bits = place >= 0
        moved = np.where(is_bits, np.cumsum(is_bits) - 1, ~(np.cumsum(~is_bits) - 1))
        return Features(names, self.n_rows, moved, self.bits[place[is_bits]], self.graded[~place[~is_bits]])

    def row_blocks(self, n_values: int = 1 << 22) -> Iterator[Array]:
        """The table as blocks of rows × features, each of so many values."""
        size = max(64, n_values // max(1, len(self)))
        for first in range(0, self.n_rows, size):
            part = self.take(np.arange(first, min(first + size, self.n_rows)))
            yield part.dense(np.arange(len(self))).T

    def take(self, rows: Array) -> "Features":
        """The same columns with only these rows."""
        bits = np.empty((len(self.bits), max(1, -(-len(rows) // 64))), np.uint64)
        for first in range(0, len(bits), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            bits[part] = packed(unpacked(self.bits[part], self.n_rows)[:, rows])
        return replace(self, n_rows=len(rows), bits=bits, graded=self.graded[:, rows])


@dataclass(frozen=True)
class Table(Goal):
    """All features with the goal of each row."""

    features: Features

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.features.names

    def rows(self, indices: Array | None = None) -> Rows:
        """The working set of these features, or of all."""
        chosen = np.arange(len(self.features)) if indices is None else indices
        names = self.names if indices is None else tuple(self.names[index] for index in indices)
        goal = Goal(self.target, self.weight, self.count, self.one, self.cut)
        return Rows(**vars(goal), names=names, features=self.features.dense(chosen, self.one))

    def take(self, indices: Array) -> "Table":
        """The same table with only these rows."""
        return Table(**vars(self.goal(indices)), features=self.features.take(indices))

    def share(self, count: Array) -> "Table":
        """The same table with only so many of what each row stands for."""
        kept = np.flatnonzero(count)
        part = self.take(kept)
        if np.array_equal(part.count, count[kept]):
            return part
        return replace(part, weight=part.weight * (count[kept] / part.count).astype(np.float32), count=count[kept])


def make_table(features: Features, target: ArrayLike, sample_weight: ArrayLike | None, *, is_class: bool) -> Table:
    """The table with its checked target and weights, every row standing for itself."""
    goal = np.asarray(target, dtype=np.float64)
    if goal.shape != (features.n_rows,) or not ((goal >= 0) & (goal <= 1)).all():
        message = f"expected one target in [0,1] for each of the {features.n_rows} rows, got the shape {goal.shape}."
        raise TrainingDataError(message)
    weight = checked_weight(sample_weight, len(goal))
    one = _scale([*features.graded, goal])
    return Table(
        (np.rint(goal * one) if one > 1 else goal).astype(np.float32),
        (weight * (len(weight) / weight.sum())).astype(np.float32),
        np.ones(len(weight), np.int64),
        float(one),
        one / 2 if is_class else 0.0,
        features,
    )


def make_rows(
    X: ArrayLike, target: ArrayLike, names: Sequence[str] | None, sample_weight: ArrayLike | None, *, is_class: bool
) -> Rows:
    """The rows of a small table, or a TrainingDataError that says which value cannot be used."""
    return make_table(Features.of_rows(X, names), target, sample_weight, is_class=is_class).rows()


def _checked(column: Array, name: str) -> Array:
    """The column as floats, all of them truth values."""
    values = column.astype(np.float64, copy=False)
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(wrong):
        message = (
            f"row {wrong[0]}: {name!r} is {values[wrong[0]].item()!r}, expected a truth value between 0 and 1. "
            "Encode the columns first."
        )
        raise TrainingDataError(message)
    return values


def _scale(columns: Iterable[Array]) -> int:
    """The least n with every value in Sₙ, or 1 where there is none: then values stay as they are."""
    values = np.array([0, 1], np.float32)
    for column in columns:
        values = np.union1d(values, column.astype(np.float32))
        if len(values) > LARGEST_SCALE + 1:
            return 1
    for n in range(1, LARGEST_SCALE + 1):
        if np.abs(values * n - np.rint(values * n)).max() < 1e-6:
            return n
    return 1


def merged(table: Table, labels: Array, weight: Array, count: Array) -> tuple[Table, Array]:
    """The rows with those merged that are equal and equally labelled, and the labels, ordered by content alone.

    So repeating a row and counting it twice are the same, and so are all orders of a table. Where merging saves less
    than half and the weights are the counts, the rows stand one by one instead: kernels are fastest without weights.
    """
    order, is_new = content_order(table.features, labels, table.one)
    first = np.flatnonzero(is_new)
    total = np.add.reduceat(count[order], first)
    summed = np.add.reduceat(weight[order], first)
    summed *= total.sum() / summed.sum()
    if np.allclose(summed, total) and total.sum() < 2 * len(total):
        first = np.repeat(first, total)
        summed = total = np.ones(len(first), np.int64)
    kept = order[first]
    return replace(table.take(kept), weight=summed.astype(np.float32), count=total), labels[kept]


def content_order(features: Features, labels: Array, one: float = 1.0) -> tuple[Array, Array]:
    """An order in which equal rows stand together, whatever order they came in, and which rows begin new ones.

    They are ordered by a hash, and where two different rows have the same, by all their values.
    """
    mixed = np.full(len(labels), 0x9E3779B97F4A7C15, np.uint64)
    for column in _values(features, labels, one):
        mixed = (mixed ^ column.view(np.uint32)) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
    order = np.argsort(mixed, kind="stable")
    is_new = np.ones(len(order), bool)
    is_new[1:] = mixed[order[1:]] != mixed[order[:-1]]
    same = np.flatnonzero(~is_new)
    here, before = order[same], order[same - 1]
    if all((column[here] == column[before]).all() for column in _values(features, labels, one)):
        return order, is_new
    values = np.array(list(_values(features, labels, one)))
    order = np.lexsort(values)
    is_new[1:] = (values[:, order[1:]] != values[:, order[:-1]]).any(axis=0)
    return order, is_new


def _values(features: Features, labels: Array, one: float) -> Iterable[Array]:
    """Every column as floats, the labels last; -0 is 0."""
    for first in range(0, len(features), AT_ONCE):
        yield from features.dense(np.arange(first, min(first + AT_ONCE, len(features))), one) + np.float32(0)
    yield labels.astype(np.float32) + np.float32(0)
