"""The front: the best formula of each size, and the one that was chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from crystalogic.arrays import Array, np
from crystalogic.crystal import Crystal
from crystalogic.logic.formula import Formula


@dataclass(frozen=True)
class Odds:
    """The log odds that a formula is right to say yes: slope · (points beyond its threshold) + intercept.

    A row has as many points as parts of the top connective hold; one that just reaches the threshold is 0 beyond it.
    Where `least` or `most` points beyond it are given, fewer and more count as those. `seen` are rows held out: points
    beyond the threshold, how many rows were told what these tell, and for how many of them yes was right.
    """

    slope: float
    intercept: float
    least: int | None = None
    most: int | None = None
    seen: tuple[tuple[int, int, int], ...] = ()

    def at(self, beyond: int) -> float:
        """The log odds with so many points beyond the threshold."""
        beyond = beyond if self.least is None else max(beyond, self.least)
        return self.slope * (beyond if self.most is None else min(beyond, self.most)) + self.intercept

    def negate(self) -> "Odds":
        """The odds of the negated formula, which a row reaches that is 1 below the threshold, or more."""
        least, most = (None if end is None else -1 - end for end in (self.most, self.least))
        seen = tuple((-1 - beyond, n, n - yes) for beyond, n, yes in self.seen[::-1])
        return Odds(self.slope, self.slope - self.intercept, least, most, seen)


@dataclass(frozen=True)
class Candidate:
    """A formula of the front: its size, its score on the training rows, and cross-validated with its standard error.

    The score is the accuracy for classes and 1 - mean |error| for truth degrees. `cross_validated` is the score of the
    best formula of at most this size, learned anew without the rows it is judged on; None without cross-validation.
    `odds` is None where they were not learned.
    """

    crystal: Crystal
    n_literals: int
    n_neurons: int
    training: float
    cross_validated: float | None
    standard_error: float | None
    odds: Odds | None = None

    @cached_property
    def formula(self) -> Formula:
        """The formula of the crystal, exact."""
        from crystalogic.symbolic.extract import extract

        return extract(self.crystal).formula


@dataclass(frozen=True)
class Front:
    """Candidates from the shortest to the longest, each better on the training rows than all before it."""

    candidates: tuple[Candidate, ...]
    chosen_index: int
    reason: str
    teacher: Mapping[str, float] | None = None  # what softened the labels that they were learned from

    @property
    def chosen(self) -> Candidate:
        """The candidate that the rule picked."""
        return self.candidates[self.chosen_index]

    def over(self, names: tuple[str, ...]) -> "Front":
        """The same front with all these names as inputs of its crystals."""
        candidates = [replace(each, crystal=each.crystal.over(names)) for each in self.candidates]
        return replace(self, candidates=tuple(candidates))


def mean_and_error(values: Array, count: Array) -> tuple[Array, Array]:
    """The mean of each column and its standard error, where each row stands for `count` rows."""
    total = count.sum()
    mean = count @ values / total
    return mean, np.sqrt(count @ (values - mean) ** 2) / total
