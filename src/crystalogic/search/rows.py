"""Training rows as the kernels read them: a working set of features, every value a float."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError
from crystalogic.logic.rounding import cap, sum_bound

Array = NDArray[Any]
MOST_COUNTED = 2**53
SINGLE = Fraction(1, 2**24)  # the unit roundoff of single precision, in which the search works


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


def rounding_of(crystal: Crystal, unit: Fraction = SINGLE) -> Array:
    """By how much each output can be off, run in this precision on truth values that are rounded to it too."""
    off = [4 * unit] * len(crystal.inputs)
    for index, neuron in enumerate(crystal.neurons):
        links = [(weight, off[source]) for source, weight in neuron.links] if index in crystal.live else []
        off.append(cap(sum_bound(neuron.bias, links, unit)))
    return np.array([float(off[output]) for output in crystal.outputs])


def are_counts(weight: Array) -> bool:
    """Whether weights say how many rows each row stands for: whole numbers, not beyond what floats count."""
    return bool((weight == np.rint(weight)).all() and weight.max() < MOST_COUNTED / len(weight))


def settled_weight(weight: ArrayLike | None, n_rows: int) -> Array:
    """The checked weight of each row: counts of rows as they are, others with the mean 1.

    Weights that are no counts say only how rows compare, and so do weights that are all alike.

    >>> [settled_weight(given, 2).tolist() for given in ([1, 2], [0.25, 0.75], [7, 7])]
    [[1.0, 2.0], [0.5, 1.5], [1.0, 1.0]]
    """
    checked = checked_weight(weight, n_rows)
    heavy = checked[checked > 0]
    if are_counts(checked) and heavy.min() < heavy.max():
        return checked
    scaled = checked / heavy.max()  # whose sum is finite and not 0
    return np.asarray(scaled * (len(heavy) / scaled.sum()))


def checked_weight(weight: ArrayLike | None, n_rows: int) -> Array:
    """The weight of each row, 1 if none is given, or a TrainingDataError."""
    checked = np.ones(n_rows) if weight is None else np.asarray(weight, dtype=np.float64)
    is_usable = checked.shape == (n_rows,) and np.isfinite(checked).all() and (checked >= 0).all() and checked.any()
    if not is_usable:
        message = "sample weights are one finite number ≥ 0 for each row, and not all 0."
        raise TrainingDataError(message)
    return checked
