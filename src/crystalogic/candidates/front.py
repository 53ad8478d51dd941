"""The front: the best formula of each size, and the choice among them."""

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


@dataclass(frozen=True)
class Judgement:
    """What formulas lost on `n` rows they had not seen: the sums of their losses, and of the products of two losses.

    So judgements of parts of a table add up to the judgement of the whole.
    """

    n: float
    sums: Array
    products: Array

    @staticmethod
    def of(losses: Array, count: Array | None = None) -> "Judgement":
        """The losses (rows × formulas), where each row stands for `count` rows."""
        losses = np.asarray(losses, dtype=np.float64)
        weighted = losses if count is None else losses * count[:, None]
        return Judgement(
            float(len(losses) if count is None else count.sum()), weighted.sum(axis=0), weighted.T @ losses
        )

    def __add__(self, other: "Judgement") -> "Judgement":
        return Judgement(self.n + other.n, self.sums + other.sums, self.products + other.products)

    @property
    def mean(self) -> Array:
        """The mean loss of each formula."""
        return np.asarray(self.sums / self.n)

    @property
    def error(self) -> Array:
        """The standard error of each mean."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.products) / self.n - self.mean**2, 0) / self.n))

    def worse(self, one: int, other: int) -> tuple[float, float]:
        """By how much the first loses more than the second on the same rows, and the standard error of that."""
        mean = float(self.mean[one] - self.mean[other])
        square = self.products[one, one] - 2 * self.products[one, other] + self.products[other, other]
        return mean, float(np.sqrt(max(square / self.n - mean**2, 0.0) / self.n))

    def only(self, formulas: slice | Array) -> "Judgement":
        """The same of some of the formulas."""
        return Judgement(self.n, self.sums[formulas], self.products[formulas][:, formulas])


def choose(judged: Judgement, standard_errors: float = 1.0, constant: float = np.inf) -> int:
    """The index that the one-standard-error rule picks: the shortest formula that is not clearly worse than the best.

    The formulas are judged in ascending order of their sizes. "Clearly" is judged on the same rows: the mean difference
    to the best must exceed its own standard error (times `standard_errors`). The difference varies less than the losses
    themselves, so a clause that mends three rows and breaks none is seen. A size that a shorter one, or the best
    constant (its mean loss is `constant`), matches or beats is no candidate.

    >>> choose(Judgement.of(np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]])))
    1
    """
    best = int(np.argmin(judged.mean))
    for size in range(best):
        if judged.mean[size] >= min([constant, *judged.mean[:size]]):
            continue
        worse, error = judged.worse(size, best)
        if worse <= standard_errors * error + 1e-12:
            return size
    return best
