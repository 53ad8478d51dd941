"""A whole table of truth values, however wide: Boolean features as bits, the others as floats; equal rows merged.

Kernels read `Rows`, a working set of features with a float for every value. A table makes them for the features asked;
of a wide one these are a few hundred, those that go best with the target. Only the rows given are looked at, so that a
fold of a cross-validation screens for itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import Knowledge
from crystalogic.candidates.weights import checked_weight
from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError
from crystalogic.features import AT_ONCE, Features

WORKING = 512  # features that a search works on
LARGEST_SCALE = 60  # Sₙ up to this n is recognised and computed in integers


@dataclass(frozen=True)
class RowTargets:
    """What the rows of a table are to become: targets times `one`; `cut` > 0 for a class target.

    A row stands for `count` rows of the table, which together have its weight; the weights add up to the counts.
    """

    target: Array
    weight: Array
    count: Array
    one: float
    cut: float

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.target.shape[0])

    @property
    def n_counted(self) -> int:
        """How many rows of the table they stand for."""
        return int(self.count.sum())

    @cached_property
    def baseline(self) -> float:
        """The weight that the best constant gets wrong: what there is to gain."""
        if self.cut:
            positive = float(self.weight[self.target >= self.cut].sum())
            return min(positive, float(self.weight.sum()) - positive)
        goals = np.unique(self.target)
        return float(min((self.weight * np.abs(self.target - goal)).sum() for goal in goals[:200])) / self.one

    def goal(self, indices: Array) -> "RowTargets":
        """The goal of only these rows."""
        return RowTargets(self.target[indices], self.weight[indices], self.count[indices], self.one, self.cut)


@dataclass(frozen=True)
class Rows(RowTargets):
    """Features (features × rows, times `one`) with the goal of each row."""

    names: tuple[str, ...]
    features: Array

    def take(self, indices: Array) -> "Rows":
        """The same table with only these rows."""
        features = np.ascontiguousarray(self.features[:, indices])
        return Rows(**vars(self.goal(indices)), names=self.names, features=features)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def degrees(self, crystal: Crystal) -> Array:
        """The outputs (rows × outputs) of a crystal that reads some of these features."""
        used = crystal.narrow()
        columns = [self._place[name] for name in used.inputs]
        return used.run_rows((self.features[columns] / np.float32(self.one)).T)


@dataclass(frozen=True)
class SearchTable(RowTargets):
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
        goal = RowTargets(self.target, self.weight, self.count, self.one, self.cut)
        return Rows(**vars(goal), names=names, features=self.features.dense(chosen, self.one))

    def take(self, indices: Array) -> "SearchTable":
        """The same table with only these rows."""
        return SearchTable(**vars(self.goal(indices)), features=self.features.take(indices))

    def share(self, count: Array) -> "SearchTable":
        """The same table with only so many of what each row stands for."""
        kept = np.flatnonzero(count)
        part = self.take(kept)
        if np.array_equal(part.count, count[kept]):
            return part
        return replace(part, weight=part.weight * (count[kept] / part.count).astype(np.float32), count=count[kept])


def make_table(
    features: Features, target: ArrayLike, sample_weight: ArrayLike | None, *, is_class: bool
) -> SearchTable:
    """The table with its checked target and weights, every row standing for itself."""
    goal = np.asarray(target, dtype=np.float64)
    if goal.shape != (features.n_rows,) or not ((goal >= 0) & (goal <= 1)).all():
        message = f"expected one target in [0,1] for each of the {features.n_rows} rows, got the shape {goal.shape}."
        raise TrainingDataError(message)
    weight = checked_weight(sample_weight, len(goal))
    one = _scale([*features.graded, goal])
    return SearchTable(
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


def merged(table: SearchTable, weight: Array, count: Array) -> SearchTable:
    """The rows with those merged that are equal and have the same target, ordered by content alone.

    So repeating a row and counting it twice are the same, and so are all orders of a table. Where merging saves less
    than half and the weights are the counts, the rows stand one by one instead: kernels are fastest without weights.
    """
    labels = table.target >= table.cut if table.cut else table.target
    order, is_new = content_order(table.features, labels, table.one)
    first = np.flatnonzero(is_new)
    total = np.add.reduceat(count[order], first)
    summed = np.add.reduceat(weight[order], first)
    summed *= total.sum() / summed.sum()
    if np.allclose(summed, total) and total.sum() < 2 * len(total):
        first = np.repeat(first, total)
        summed = total = np.ones(len(first), np.int64)
    return replace(table.take(order[first]), weight=summed.astype(np.float32), count=total)


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


def working_rows(table: SearchTable, knowledge: Knowledge, starts: Sequence[Crystal] = ()) -> Rows:
    """The rows with the features worth searching: all of them, unless the table is wide."""
    if len(table.features) <= WORKING:
        return table.rows()
    kept = {*knowledge.required, *(name for crystal in starts for name in crystal.inputs)}
    strength = np.where(knowledge.permitted(table.names) > 0, correlations(table), 0.0)
    strength[[name in kept for name in table.names]] = np.inf
    strongest = np.argsort(-strength, kind="stable")[:WORKING]
    return table.rows(np.sort(strongest[strength[strongest] > 0]))


def correlations(table: SearchTable) -> Array:
    """How far each feature goes with the target, or against it; 0 where it does not vary."""
    features, weight = table.features, table.weight.astype(np.float64) / table.weight.sum(dtype=np.float64)
    goal = weight * (table.target / np.float32(table.one))
    sums = np.empty((3, len(features)))  # the means of x, x² and x y
    for first in range(0, len(features), AT_ONCE):
        part = np.arange(first, min(first + AT_ONCE, len(features)))
        values = features.dense(part).astype(np.float64)
        sums[:, part] = values @ weight, (values * values) @ weight, values @ goal
    mean, square, product = sums
    variance = square - mean**2
    covariance = np.abs(product - mean * goal.sum())
    return np.where(variance > 1e-9, covariance / np.sqrt(np.maximum(variance, 1e-9)), 0.0).round(9)
