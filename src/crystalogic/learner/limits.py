"""Limits on what a rule does to people, and on what it costs to ask; and whether decisions about rows keep them."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from numbers import Real

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.intervals import KINDS, rows_of_rate


@dataclass(frozen=True)
class Limits:
    """What a rule of two classes must keep, besides its form.

    >>> Limits(gap_by="sex", gap="misses", at_most=0.05).at_most
    0.05

    Parameters:
        gap_by: the column whose values are the groups. It is kept out of the rule, unless its kind is given.
        gap: the rate that may differ between them: "selection", "misses" or "false-alarms".
        at_most: how far apart the rates of any two groups may be, such as 0.05 for 5 points. Groups of fewer than 30
            rows that the rate is about are too few to judge.
        sensitivity: the least share of the class that is found.
        prices: what columns cost. Without a budget they have to pay: of 100 rows held out, as many more must be decided
            rightly as the columns of the rule cost together.
        budget: what the columns of a rule may cost together, whether they pay or not.
        only_with: columns that are read only by a rule that reads another column as well, {"thal": "cp"}.
    """

    gap_by: str | None = None
    gap: str = "selection"
    at_most: float | None = None
    sensitivity: float | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    budget: float | None = None
    only_with: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = {"at_most": self.at_most, "sensitivity": self.sensitivity, "budget": self.budget, **self.prices}
        most = {"at_most": 1, "sensitivity": 1}
        fits = {name: isinstance(each, Real) and 0 <= each <= most.get(name, inf) for name, each in given.items()}
        wrong = next((name for name, each in given.items() if each is not None and not fits[name]), "")
        problems = {
            f"the limit {wrong!r} is a share from 0 to 1, or a price from 0 on; got {given.get(wrong)!r}.": bool(wrong),
            f"the gap is one of {', '.join(KINDS)}, got {self.gap!r}.": self.gap not in KINDS,
            "a limit on a gap needs its column (gap_by) and how large it may be (at_most).": (self.gap_by is None)
            != (self.at_most is None),
            "a budget needs the prices of columns.": self.budget is not None and not self.prices,
        }
        refuse_first(TrainingDataError, problems)

    def cost(self, columns: Set[str]) -> Fraction:
        """What these columns cost together."""
        return sum((Fraction(str(self.prices[each])) for each in columns & self.prices.keys()), Fraction(0))

    def permits(self, columns: Set[str]) -> bool:
        """Whether a rule may read these columns together."""
        in_pairs = all(other in columns for each, other in self.only_with.items() if each in columns)
        return in_pairs and (self.budget is None or self.cost(columns) <= Fraction(str(self.budget)))


@dataclass(frozen=True, eq=False)
class Bounds:
    """Limits on rates for rows: the group of each, whether it is of the class that is meant, which groups are judged.

    What rules say is the opposite of that class where `is_turned`.
    """

    limits: Limits
    groups: Array
    is_class: Array
    are_judged: Array
    is_turned: bool = False

    def take(self, rows: Array) -> "Bounds":
        """These rows alone."""
        return replace(self, groups=self.groups[rows], is_class=self.is_class[rows])

    @property
    def is_rated(self) -> Array:
        """The rows that the rate is about, in groups that are judged."""
        return np.asarray(rows_of_rate(self.is_class, self.limits.gap) & self.are_judged[self.groups])

    def rates(self, said: Array) -> Array:
        """The rate of each group (groups × columns) by what rules say (rows × columns); NaN of no rows."""
        own, is_miss = self.is_rated, self.limits.gap == "misses"
        is_in = (self.groups[own] == np.arange(len(self.are_judged))[:, None]).astype(np.float64)
        n = is_in.sum(axis=1)[:, None]
        return np.where(n > 0, is_in @ (said[own] != (self.is_turned != is_miss)) / np.maximum(n, 1), np.nan)

    def gaps(self, said: Array) -> Array:
        """How far apart the rates of groups are, in each column."""
        rates = self.rates(said)[self.are_judged]
        return np.asarray(np.fmax.reduce(rates) - np.fmin.reduce(rates))

    def keep(self, said: Array) -> Array:
        """Which columns (rows × columns) keep the limits.

        A sensitivity is promised of a fresh row, which is one more and may be missed (`operating.promises_share`).
        """
        kept, least = np.ones(said.shape[1], bool), self.limits.sensitivity
        if self.limits.at_most is not None:
            kept &= ~(self.gaps(said) > self.limits.at_most + 1e-12)
        if least is not None:
            n, missed = int(self.is_class.sum()), (said[self.is_class] == self.is_turned).sum(axis=0)
            kept &= (missed == 0) | (missed + 1 <= (1 - least) * (n + 1) + 1e-9)
        return kept

    def count(self, said: Array) -> tuple[tuple[int, ...], ...]:
        """For each group the rows of the other class, not told and told the class, and those of the class, likewise."""
        places = 4 * self.groups + 2 * self.is_class + (said != self.is_turned)
        return tuple(map(tuple, np.bincount(places, minlength=4 * len(self.are_judged)).reshape(-1, 4).tolist()))
