"""Counted shares and estimates, each with an interval."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import comb, exp, inf, lgamma, log, log1p
from statistics import NormalDist
from typing import Any

from crystalogic.errors import RiskError, refuse

LEVEL = 0.9  # how often an interval holds the share that it is for, at least
MOST_TERMS = 100_000  # of a fraction that converges in a few, or as many as the square root of the rows


def binomial_interval(yes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The shares under which so many of n rows, or more, or fewer, would not be a surprise (Clopper and Pearson, 1934).

    Whatever the share is, for independent rows the interval holds it at least this often.

    >>> [round(end, 3) for end in binomial_interval(77, 100)]
    [0.69, 0.837]
    >>> binomial_interval(0, 0)
    (0.0, 1.0)
    """
    if not 0 <= yes <= n or not 0 < level < 1:
        refuse(RiskError, f"expected a count from 0 to {n} and a level between 0 and 1, got {yes} and {level}.")
    tail = (1 - level) / 2
    low, rest = (_find_share(each, n, tail) if each else 0.0 for each in (yes, n - yes))
    return low, 1 - rest


def _find_share(yes: int, n: int, tail: float) -> float:
    """The share for which so many rows, or more, have the probability `tail`, by halving."""
    low, high = 0.0, 1.0
    while high - low > 1e-14 * high:
        share = (low + high) / 2
        low, high = (share, high) if _probability(yes, n, share) < tail else (low, share)
    return high


def _probability(yes: int, n: int, share: float) -> float:
    """How probable so many of n rows, or more, are: the incomplete beta function, without the slow import of scipy."""
    a, b = yes, n - yes + 1
    scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(share) + b * log1p(-share))
    is_turned = share > (a + 1) / (a + b + 2)  # beyond the bulk the fraction converges from the other side
    a, b, x = (b, a, 1 - share) if is_turned else (a, b, share)
    c, d, fraction = 1.0, 0.0, 1.0
    for m in range(1, MOST_TERMS):
        k = m // 2
        term = (-(a + k) * (a + b + k) if m % 2 else k * (b - k)) * x / ((a + m - 1) * (a + m))
        d, c = 1 / (1 + term * d), 1 + term / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    inside = scale / a / fraction
    return 1 - inside if is_turned else inside


@dataclass(frozen=True)
class Share:
    """So many of n rows."""

    yes: int
    n: int

    def __add__(self, other: "Share") -> "Share":
        return Share(self.yes + other.yes, self.n + other.n)

    @property
    def value(self) -> float | None:
        """The share; None of no rows."""
        return self.yes / self.n if self.n else None

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """The shares that so many rows speak for."""
        return binomial_interval(self.yes, self.n, level)


def total(shares: Iterable[Share]) -> Share:
    return sum(shares, Share(0, 0))


@dataclass(frozen=True)
class Estimate:
    """A figure with its standard error, None where the rows do not tell it: with few rows, or none that differ."""

    value: float
    error: float | None
    least: float = -inf  # that the figure can be
    most: float = inf

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """The value and as many standard errors to each side as the normal distribution asks for."""
        if self.error is None:
            return None
        off = NormalDist().inv_cdf((1 + level) / 2) * self.error
        return max(self.least, self.value - off), min(self.most, self.value + off)


def difference_interval(one: Share, other: Share, level: float = LEVEL) -> tuple[float, float]:
    """By how much the first share is greater, an interval made of those of both (Newcombe, 1998; Zou, Donner, 2008)."""
    p, q = one.value or 0.0, other.value or 0.0
    (low, high), (least, most) = one.interval(level), other.interval(level)
    return p - q - ((p - low) ** 2 + (most - q) ** 2) ** 0.5, p - q + ((high - p) ** 2 + (q - least) ** 2) ** 0.5


@dataclass(frozen=True)
class Rates:
    """What judging rows to be of the second of two classes does: `counts` are the four kinds of rows behind it."""

    selected: Share  # of all rows, those judged to be of the class
    false_alarms: Share  # of the rows of the other class
    missed: Share  # of the rows of the class, those not judged so
    precision: Share  # of the rows judged so, those that are

    @staticmethod
    def of(spared: int, alarmed: int, overlooked: int, found: int) -> "Rates":
        """The rates of rows of the other class, not judged and judged so, and rows of the class, likewise."""
        judged = Share(found, alarmed + found)
        everyone = Share(judged.n, spared + overlooked + judged.n)
        return Rates(everyone, Share(alarmed, spared + alarmed), Share(overlooked, overlooked + found), judged)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        alarmed, overlooked = self.false_alarms.yes, self.missed.yes
        return self.false_alarms.n - alarmed, alarmed, overlooked, self.missed.n - overlooked


RATES = tuple(each.name for each in fields(Rates))
KINDS = {"selection": "selected", "misses": "missed", "false-alarms": "false_alarms"}  # of gaps that can be limited
FEWEST = 30  # rows that a rate of a group is judged by, and a gap between groups


def rows_of_rate(is_class: Any, kind: str) -> Any:
    """Which rows one of these rates is about, given which are of the class."""
    return {"selection": is_class | True, "misses": is_class, "false-alarms": ~is_class}[kind]


@dataclass(frozen=True)
class Gap:
    """How far apart the groups with the greatest and the least rate are, of those with enough rows to judge it by. The
    interval is so wide that those of all pairs of groups hold at once (Bonferroni): the pair was sought out."""

    rate: str
    most: str | None  # the group; None for missing values
    least: str | None
    difference: float
    low: float
    high: float


def find_gap(rate: str, groups: Iterable[tuple[str | None, Rates]], level: float = LEVEL) -> Gap | None:
    """The largest gap of a rate; None without two groups that have enough rows."""
    shares = [(getattr(rates, rate), value) for value, rates in groups]
    ranked = sorted((pair for pair in shares if pair[0].n >= FEWEST), key=lambda pair: pair[0].value)
    if len(ranked) < 2:
        return None
    (low, least), (high, most) = ranked[0], ranked[-1]
    ends = difference_interval(high, low, 1 - (1 - level) / comb(len(ranked), 2))
    return Gap(rate, most, least, high.value - low.value, *ends)
