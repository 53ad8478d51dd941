"""Limits on what a rule does to people, and on what it costs to ask; and whether decisions about rows keep them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from numbers import Real
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.intervals import KINDS, rows_of_rate


@dataclass(frozen=True)
class Limits:
    """What a rule must keep, besides what it may read.

    >>> Limits(gap_by="sex", gap="misses", at_most=0.05).at_most
    0.05

    Parameters:
        gap_by: the column whose values are the groups. It is kept out of the rule, unless its kind is given.
        gap: the rate that may differ between them: "selection", "misses" or "false-alarms".
        at_most: how far apart the rates of any two groups may be, such as 0.05 for 5 points. Groups of fewer than 30
            rows that the rate is about are too few to judge.
        sensitivity: the least share of the class that is found.
        prices: what columns cost. With a budget, the columns that a rule reads cost no more than that together. Without
            one, a column is read only if it pays: of 100 rows held out, so many more are decided rightly with it.
        budget: what the columns of a rule may cost together.
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
        shares = {"at_most": self.at_most, "sensitivity": self.sensitivity}
        wrong = next((name for name, share in shares.items() if not (share is None or _is_from(share, 0, 1))), "")
        costs = [*self.prices.values(), *(() if self.budget is None else (self.budget,))]
        problems = {
            f"the limit {wrong!r} is a share from 0 to 1, got {shares.get(wrong)!r}.": bool(wrong),
            f"the gap is one of {', '.join(KINDS)}, got {self.gap!r}.": self.gap not in KINDS,
            "a limit on a gap needs its column (gap_by) and how large it may be (at_most).": (self.gap_by is None)
            != (self.at_most is None),
            f"prices and budgets are numbers from 0 on, got {costs!r}.": not all(_is_from(cost, 0) for cost in costs),
            "a budget needs the prices of columns.": self.budget is not None and not self.prices,
        }
        refuse_first(TrainingDataError, problems)

    @property
    def are_of_rates(self) -> bool:
        """Whether they limit what a rule does, and not only what it reads."""
        return self.at_most is not None or self.sensitivity is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that they name."""
        named = (self.gap_by, *self.prices, *self.only_with, *self.only_with.values())
        return tuple(dict.fromkeys(name for name in named if name is not None))


def _is_from(given: Any, least: float, most: float = inf) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool) and least <= float(given) <= most


@dataclass(frozen=True, eq=False)
class Bounds:
    """Limits on rates for the rows of a table: the group of each, and whether it is of the class that is meant."""

    limits: Limits
    groups: Array
    is_class: Array
    are_judged: Array  # of each group whether it has enough rows

    def take(self, rows: Array) -> "Bounds":
        """These rows alone."""
        return replace(self, groups=self.groups[rows], is_class=self.is_class[rows])

    @property
    def is_rated(self) -> Array:
        """The rows that the rate is about, in groups that are judged."""
        return np.asarray(rows_of_rate(self.is_class, self.limits.gap) & self.are_judged[self.groups])

    def rates(self, told: Array) -> Array:
        """The rate of each group (groups × columns) where rows are told the class (rows × columns); NaN of no rows."""
        own = self.is_rated
        is_in = (self.groups[own] == np.arange(len(self.are_judged))[:, None]).astype(np.float64)
        n = is_in.sum(axis=1)[:, None]
        is_meant = told[own] != (self.limits.gap == "misses")
        return np.asarray(np.where(n > 0, is_in @ is_meant / np.maximum(n, 1), np.nan))

    def keep(self, told: Array) -> Array:
        """Which columns (rows × columns) keep the limits.

        A sensitivity is promised of a fresh row, which is one more and may be missed (`operating.promises_share`).
        """
        kept, limits = np.ones(told.shape[1], bool), self.limits
        if limits.at_most is not None:
            kept &= measure_gap(self.rates(told)) <= limits.at_most + 1e-12
        if limits.sensitivity is not None:
            n, missed = int(self.is_class.sum()), (~told[self.is_class]).sum(axis=0)
            kept &= (missed == 0) | (missed + 1 <= (1 - limits.sensitivity) * (n + 1) + 1e-9)
        return kept

    def count(self, told: Array) -> tuple[tuple[int, ...], ...]:
        """For each group the rows of the other class, not told and told the class, and those of the class, likewise."""
        places = 4 * self.groups + 2 * self.is_class + told
        counts = np.bincount(places, minlength=4 * len(self.are_judged)).reshape(-1, 4)
        return tuple(map(tuple, counts.tolist()))


def measure_gap(rates: Array) -> Array:
    """How far apart the rates of groups are, in each column; 0 where there are not two."""
    known = ~np.isnan(rates)
    most, least = (np.where(known, rates, end) for end in (-np.inf, np.inf))
    return np.asarray(np.maximum(most.max(axis=0) - least.min(axis=0), 0.0))
