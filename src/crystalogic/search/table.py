"""The rows of a search: truth values as floats, what each row is to become, equal rows merged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.candidates.weights import checked_weight
from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError
from crystalogic.features import Features

LARGEST_SCALE = 60  # Sₙ up to this n is recognised and computed in integers


@dataclass(frozen=True)
class Rows:
    """Features (features × rows) and targets, both times `one`; `cut` > 0 for a class target.

    A row stands for `count` rows of the table, which together have its weight; the weights add up to the counts.
    """

    names: tuple[str, ...]
    features: Array
    target: Array
    weight: Array
    count: Array
    one: float
    cut: float

    @property
    def n_rows(self) -> int:
        return len(self.target)

    @cached_property
    def baseline(self) -> float:
        """The weight that the best constant gets wrong: what there is to gain."""
        if self.cut:
            positive = float(self.weight[self.target >= self.cut].sum())
            return min(positive, float(self.weight.sum()) - positive)
        goals = np.unique(self.target)
        return float(min((self.weight * np.abs(self.target - goal)).sum() for goal in goals[:200])) / self.one

    @cached_property
    def strength(self) -> Array:
        """How far each feature goes with the target, or against it."""
        goal = self.target - self.target.mean()
        centred = self.features - self.features.mean(axis=1, keepdims=True)
        return np.asarray((centred * (goal * self.weight)).sum(axis=1))

    def take(self, indices: Array) -> "Rows":
        features = np.ascontiguousarray(self.features[:, indices])
        goal = {name: getattr(self, name)[indices] for name in ("target", "weight", "count")}
        return replace(self, features=features, **goal)

    def share(self, count: Array) -> "Rows":
        """The same table with only so many of what each row stands for."""
        kept = np.flatnonzero(count)
        part = self.take(kept)
        if np.array_equal(part.count, count[kept]):
            return part
        return replace(part, weight=part.weight * (count[kept] / part.count).astype(np.float32), count=count[kept])

    def degrees(self, crystal: Crystal) -> Array:
        """The outputs (rows × outputs) of a crystal that reads some of these features."""
        used = crystal.narrow()
        place = {name: index for index, name in enumerate(self.names)}
        return used.run_rows((self.features[[place[name] for name in used.inputs]] / np.float32(self.one)).T)


def make_rows(
    X: ArrayLike | Features,
    target: ArrayLike,
    names: Sequence[str] | None,
    sample_weight: ArrayLike | None,
    *,
    is_class: bool,
) -> Rows:
    """The rows with their checked targets and weights, each standing for itself."""
    features = X if isinstance(X, Features) else Features.of_rows(X, names)
    goal = np.asarray(target, dtype=np.float64)
    if goal.shape != (features.n_rows,) or not ((goal >= 0) & (goal <= 1)).all():
        message = f"expected one target in [0,1] for each of the {features.n_rows} rows, got the shape {goal.shape}."
        raise TrainingDataError(message)
    weight = checked_weight(sample_weight, len(goal))
    one = _scale([*features.graded, goal])
    return Rows(
        features.names,
        features.dense(np.arange(len(features)), one),
        (np.rint(goal * one) if one > 1 else goal).astype(np.float32),
        (weight * (len(weight) / weight.sum())).astype(np.float32),
        np.ones(len(weight), np.int64),
        float(one),
        one / 2 if is_class else 0.0,
    )


def _scale(columns: Sequence[Array]) -> int:
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


def merge_equal(rows: Rows, weight: Array, count: Array) -> Rows:
    """The rows with those merged that are equal and have the same target, ordered by content alone.

    So repeating a row and counting it twice are the same, and so are all orders of a table. Where merging saves less
    than half and the weights are the counts, the rows stand one by one instead: kernels are fastest without weights.
    """
    values = np.ascontiguousarray(np.vstack([rows.features, rows.target]).T + np.float32(0))  # -0 is 0
    whole = values.view(f"V{values.shape[1] * values.itemsize}")[:, 0]
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    total, summed = np.bincount(place, count).astype(np.int64), np.bincount(place, weight)
    summed *= total.sum() / summed.sum()
    order = np.random.default_rng(0).permutation(len(first))  # kernels give up early, so no order says anything
    first, total, summed = first[order], total[order], summed[order]
    if np.allclose(summed, total) and total.sum() < 2 * len(total):
        first = np.repeat(first, total)
        summed = total = np.ones(len(first), np.int64)
    return replace(rows.take(first), weight=summed.astype(np.float32), count=total)
