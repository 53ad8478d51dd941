"""Training rows as the kernels read them: checked, scaled to integers where possible, merged, packed into words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crystalogic.errors import TrainingDataError

Array = NDArray[Any]
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
        """How many rows there are."""
        return int(self.target.shape[0])

    @property
    def n_counted(self) -> int:
        """How many rows of the table they stand for."""
        return int(self.count.sum())

    @cached_property
    def boolean(self) -> Array:
        """The indices of the features that are 0 or 1 in every row."""
        edge = (self.features == 0) | (self.features == self.one)
        return np.flatnonzero(edge.all(axis=1)).astype(np.int64)

    @cached_property
    def is_boolean_target(self) -> bool:
        """Whether the target is 0 or 1 in every row."""
        return bool(((self.target == 0) | (self.target == self.one)).all())

    @property
    def is_unweighted(self) -> bool:
        """Whether all rows weigh the same."""
        return bool((self.weight == 1).all())

    @cached_property
    def baseline(self) -> float:
        """The weight that the best constant gets wrong: what there is to gain."""
        if self.cut:
            positive = float(self.weight[self.target >= self.cut].sum())
            return min(positive, float(self.weight.sum()) - positive)
        goals = np.unique(self.target)
        return float(min((self.weight * np.abs(self.target - goal)).sum() for goal in goals[:200])) / self.one

    def take(self, indices: Array) -> "Rows":
        """The same table with only these rows."""
        features = np.ascontiguousarray(self.features[:, indices])
        fields = self.target[indices], self.weight[indices], self.count[indices]
        return Rows(self.names, features, *fields, self.one, self.cut)

    def share(self, count: Array) -> "Rows":
        """The same table with only so many of what each row stands for."""
        kept = np.flatnonzero(count)
        part = self.take(kept)
        if np.array_equal(part.count, count[kept]):
            return part
        return replace(part, weight=part.weight * (count[kept] / part.count).astype(np.float32), count=count[kept])

    def truth_values(self) -> Array:
        """The features as rows × features in [0,1], as a crystal runs them."""
        return np.ascontiguousarray(self.features.T) / np.float32(self.one)

    def words(self) -> tuple[Array, Array, Array, Array]:
        """Literals (x, ¬x of each Boolean feature), target, valid rows as bits, and the weights (empty if all 1)."""
        values = self.features[self.boolean] >= self.one
        literals = np.empty((2 * len(values), self.n_rows), bool)
        literals[0::2], literals[1::2] = values, ~values
        valid = np.ones((1, self.n_rows), bool)
        weight = np.empty(0) if self.is_unweighted else self.weight.astype(np.float64)
        return _packed(literals), _packed(self.target[None] >= self.one / 2)[0], _packed(valid)[0], weight


def _packed(values: Array) -> Array:
    n_words = max(1, -(-values.shape[1] // 64))
    padded = np.zeros((len(values), 64 * n_words), bool)
    padded[:, : values.shape[1]] = values
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def make_rows(
    X: ArrayLike, target: ArrayLike, names: Sequence[str] | None, sample_weight: ArrayLike | None, *, is_class: bool
) -> Rows:
    """The rows, or a TrainingDataError that says which value cannot be used."""
    features = np.asarray(X, dtype=np.float64)
    if features.ndim != 2 or 0 in features.shape:
        message = f"expected a table of rows × features with at least one of each, got the shape {features.shape}."
        raise TrainingDataError(message)
    names = tuple(names) if names is not None else tuple(f"x{i + 1}" for i in range(features.shape[1]))
    if len(names) != features.shape[1] or len(set(names)) != len(names):
        message = f"{features.shape[1]} features need as many different names, got {len(names)}: {', '.join(names)}."
        raise TrainingDataError(message)
    bad = np.argwhere(~((features >= 0) & (features <= 1)))
    if len(bad):
        row, column = bad[0]
        message = (
            f"row {row}: {names[column]!r} is {features[row, column]!r}, expected a truth value between 0 and 1. "
            "Encode the columns first."
        )
        raise TrainingDataError(message)
    goal = np.asarray(target, dtype=np.float64)
    if goal.shape != (len(features),) or not ((goal >= 0) & (goal <= 1)).all():
        message = f"expected one target in [0,1] for each of the {len(features)} rows, got the shape {goal.shape}."
        raise TrainingDataError(message)
    weight = checked_weight(sample_weight, len(goal))
    one = _scale(features, goal)
    scaled = np.ascontiguousarray(features.T * one).astype(np.float32)
    if one > 1:
        scaled = np.rint(scaled)
    return Rows(
        names,
        scaled,
        (np.rint(goal * one) if one > 1 else goal).astype(np.float32),
        (weight * (len(weight) / weight.sum())).astype(np.float32),
        np.ones(len(weight), np.int64),
        float(one),
        one / 2 if is_class else 0.0,
    )


def _scale(features: Array, goal: Array) -> int:
    """The least n with every value in Sₙ, or 1 where there is none: then values stay as they are."""
    values = np.unique(np.concatenate([np.unique(features), np.unique(goal)]))
    if len(values) > LARGEST_SCALE + 1:
        return 1
    for n in range(1, LARGEST_SCALE + 1):
        if np.abs(values * n - np.rint(values * n)).max() < 1e-6:
            return n
    return 1


def checked_weight(weight: ArrayLike | None, n_rows: int) -> Array:
    """The weight of each row, 1 if none is given, or a TrainingDataError."""
    checked = np.ones(n_rows) if weight is None else np.asarray(weight, dtype=np.float64)
    is_usable = checked.shape == (n_rows,) and np.isfinite(checked).all() and (checked >= 0).all() and checked.any()
    if not is_usable:
        message = "sample weights are one finite number ≥ 0 for each row, and not all 0."
        raise TrainingDataError(message)
    return checked


def merged(rows: Rows, labels: Array, weight: Array, count: Array) -> tuple[Rows, Array]:
    """The rows with those merged that are equal and equally labelled, and the labels, ordered by content alone.

    So repeating a row and counting it twice are the same, and so are all orders of a table. Where merging saves less
    than half and the weights are the counts, the rows stand one by one instead: kernels are fastest without weights.
    """
    order = _content_order(rows.features, labels)
    features, ordered = rows.features[:, order], labels[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (features[:, 1:] != features[:, :-1]).any(axis=0) | (ordered[1:] != ordered[:-1])
    first = np.flatnonzero(is_new)
    total = np.add.reduceat(count[order], first)
    summed = np.add.reduceat(weight[order], first)
    summed *= total.sum() / summed.sum()
    if np.allclose(summed, total) and total.sum() < 2 * len(total):
        first = np.repeat(first, total)
        summed = total = np.ones(len(first), np.int64)
    features, target = np.ascontiguousarray(features[:, first]), rows.target[order][first]
    one = replace(rows, features=features, target=target, weight=summed.astype(np.float32), count=total)
    return one, ordered[first]


def _content_order(features: Array, labels: Array) -> Array:
    """An order in which equal rows stand together, whatever order they came in: by a hash, or by all their values."""
    values = np.vstack([features, labels[None].astype(np.float32)]) + np.float32(0)  # -0 becomes 0
    mixed = np.full(len(labels), 0x9E3779B97F4A7C15, np.uint64)
    for column in values:
        mixed = (mixed ^ column.view(np.uint32)) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
    order = np.argsort(mixed, kind="stable")
    same = np.flatnonzero(mixed[order][1:] == mixed[order][:-1])
    if (values[:, order[same]] == values[:, order[same + 1]]).all():
        return order
    return np.lexsort(values)  # two different rows have one hash
