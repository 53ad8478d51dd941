"""What a search gives: the best formula of each size, the one that was chosen, and the result."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import Knowledge
from crystalogic.crystal import Crystal
from crystalogic.decision import classes_of
from crystalogic.errors import CrystalError, refuse
from crystalogic.logic.formula import Formula
from crystalogic.progress import Stop


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
        return self.candidates[self.chosen_index]

    def over(self, names: tuple[str, ...]) -> "Front":
        """The same front with all these names as inputs of its crystals."""
        candidates = [replace(each, crystal=each.crystal.over(names)) for each in self.candidates]
        return replace(self, candidates=tuple(candidates))


@dataclass(frozen=True)
class SearchResult:
    """The chosen crystal with one output for each front, why the search ended, and the knowledge it respected.

    `classes` is None for truth degrees. With two classes the one formula speaks for the second. `order` lists the
    classes: the first of them wins a tie between the largest degrees.
    """

    crystal: Crystal
    fronts: tuple[Front, ...]
    classes: tuple[Hashable, ...] | None
    knowledge: Knowledge
    stop: Stop
    seconds: float
    order: tuple[int, ...] = ()

    @property
    def front(self) -> Front:
        if len(self.fronts) != 1:
            refuse(CrystalError, f"there are {len(self.fronts)} fronts, one for each class; take one of `fronts`.")
        return self.fronts[0]

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        from crystalogic.symbolic.extract import extract

        return extract(self.crystal).formulas

    @property
    def formula(self) -> Formula:
        """The exact formula of a search with one output."""
        if len(self.formulas) != 1:
            message = f"there are {len(self.formulas)} formulas, one for each class; take one of `formulas`."
            raise CrystalError(message)
        return self.formulas[0]

    def predict(self, X: ArrayLike) -> Array:
        """The class of each row (`decision`), or its degree where there are no classes; a model decides exactly."""
        degrees = self.crystal.run_rows(np.asarray(X, dtype=np.float64))
        if self.classes is None:
            return np.asarray(degrees[:, 0])
        return np.asarray(np.array(self.classes)[classes_of(degrees, self.order)])


def mean_and_error(values: Array, count: Array) -> tuple[Array, Array]:
    """The mean of each column and its standard error, where each row stands for `count` rows."""
    total = count.sum()
    mean = count @ values / total
    return mean, np.sqrt(count @ (values - mean) ** 2) / total
