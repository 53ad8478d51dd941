"""Training rows as the kernels read them: a working set of features, every value a float."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal

Array = NDArray[Any]


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
