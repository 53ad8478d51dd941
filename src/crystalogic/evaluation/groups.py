"""Rows in groups: by the values of a column, by pairs of values of two, and how far apart their rates are."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import level_number, number_text
from crystalogic.errors import TableError, refuse
from crystalogic.evaluation.judging import Figures, Judged, figures_of
from crystalogic.intervals import FEWEST, RATES, difference_interval

MOST_SHOWN = 12  # groups
MOST_GROUPS = 1000
AND = " × "  # between the values of two columns


@dataclass(frozen=True)
class Gap:
    """How far apart the groups with the greatest and the least rate are, of those with enough rows to judge it by.

    The interval is so wide that those of all pairs of groups hold at once (Bonferroni): the pair was sought out.
    """

    rate: str
    most: str | None  # the group; None for missing values
    least: str | None
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Groups:
    """The figures of the rows with each value, or in each quarter of numbers ("29 to 47"); None stands for missing.

    Numbers ascend, texts are sorted, missing comes last. Of two columns the values are pairs ("f × 29 to 47").
    """

    column: str
    are_quarters: bool
    groups: tuple[tuple[str | None, Figures], ...]
    others: Figures | None  # all but the largest together, where there are too many to print
    gaps: tuple[Gap, ...] = ()  # of each rate of two classes for which two groups have enough rows


@dataclass(frozen=True)
class Grouping:
    """Which group each row is in, by its place among their names; that of missing values is one beyond."""

    column: str
    codes: Array
    names: Sequence[str]
    are_quarters: bool = False

    def cross(self, other: "Grouping") -> "Grouping":
        """The rows by their groups in both."""
        pairs, codes = np.unique(self.codes * (len(other.names) + 1) + other.codes, return_inverse=True)
        mine, others = [*self.names, "missing"], [*other.names, "missing"]
        names = [mine[pair // len(others)] + AND + others[pair % len(others)] for pair in pairs.tolist()]
        return Grouping(self.column + AND + other.column, codes, names)


def group_rows(judged: Judged, columns: Sequence[Grouping], level: float) -> tuple[Groups, ...]:
    """The rows by each column, and by each pair of columns."""
    pairs = [one.cross(other) for one, other in combinations(columns, 2)]
    return tuple(_judge_groups(judged, each, level) for each in (*columns, *pairs))


def group_levels(name: str, levels: Any, *, are_numbers: bool) -> Grouping:
    """The rows by their levels in a column; if these are numbers and many, in quarters."""
    import pandas as pd

    codes, found = pd.factorize(np.asarray(levels, object))
    numbers = [level_number(level) for level in found]
    if are_numbers and None not in numbers and len(found) > MOST_SHOWN:
        return Grouping(name, *_cut(np.array([*numbers, np.nan], float)[codes]), are_quarters=True)
    names = sorted(found, key=lambda level: (level_number(level) is None, level_number(level) or 0, level))
    place = {each: place for place, each in enumerate(names)}
    return Grouping(name, np.array([*(place[each] for each in found), len(names)])[codes], names)


def _judge_groups(judged: Judged, by: Grouping, level: float) -> Groups:
    codes, names = by.codes, by.names
    if len(names) > MOST_GROUPS:
        problem = f"{by.column!r} has {len(names):,} different values, and there can be {MOST_GROUPS:,} groups."
        refuse(TableError, f"{problem} Choose a column with fewer values, or make one that puts them together.")
    sizes = np.bincount(codes)
    parts = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
    pairs = zip([*names, None], parts, strict=False)
    groups = tuple((each, figures_of(judged.take(part))) for each, part in pairs if len(part))
    others = None
    if len(groups) > MOST_SHOWN:
        rest = np.isin(codes, np.argsort(-sizes, kind="stable")[MOST_SHOWN - 1 :])
        others = figures_of(judged.take(np.flatnonzero(rest)))
    gaps = (_find_gap(rate, groups, level) for rate in RATES if groups[0][1].rates)
    return Groups(by.column, by.are_quarters, groups, others, tuple(filter(None, gaps)))


def _find_gap(rate: str, groups: Sequence[tuple[str | None, Figures]], level: float) -> Gap | None:
    """The largest gap of a rate; None without two groups that have enough rows."""
    shares = [(getattr(figures.rates, rate), value) for value, figures in groups]
    ranked = sorted((pair for pair in shares if pair[0].n >= FEWEST), key=lambda pair: pair[0].value)
    if len(ranked) < 2:
        return None
    (low, least), (high, most) = ranked[0], ranked[-1]
    ends = difference_interval(high, low, 1 - (1 - level) / comb(len(ranked), 2))
    return Gap(rate, most, least, high.value - low.value, *ends)


def _cut(numbers: Array) -> tuple[Array, list[str]]:
    """Which quarter each number is in, and what the quarters are called; equal numbers stay together."""
    known = np.sort(numbers[~np.isnan(numbers)])
    cuts = np.unique(known[[len(known) * quarter // 4 - 1 for quarter in (1, 2, 3)]])
    cuts = cuts[cuts < known[-1]]
    ends = np.searchsorted(known, cuts, side="right")
    ranges = zip(known[[0, *ends]], known[[*(ends - 1), -1]], strict=True)
    codes = np.where(np.isnan(numbers), len(cuts) + 1, np.searchsorted(cuts, numbers, side="left"))
    return codes, [f"{number_text(low)} to {number_text(high)}" for low, high in ranges]
