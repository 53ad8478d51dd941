"""Counted shares and estimates, with intervals."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from crystalogic.intervals import LEVEL, binomial_interval

Interval = tuple[float, float]


@dataclass(frozen=True)
class Share:
    """So many of so many rows."""

    yes: int
    n: int

    @property
    def value(self) -> float | None:
        """The share; None of no rows."""
        return self.yes / self.n if self.n else None

    def interval(self, level: float = LEVEL) -> Interval | None:
        """The exact binomial interval (Clopper and Pearson, 1934); None of no rows."""
        return binomial_interval(self.yes, self.n, level) if self.n else None


@dataclass(frozen=True)
class Estimate:
    """A figure with its standard error, None where the rows do not tell it: with few rows, or none that differ."""

    value: float
    error: float | None
    least: float = -inf  # that the figure can be
    most: float = inf

    def interval(self, level: float = LEVEL) -> Interval | None:
        """The value and as many standard errors to each side as the normal distribution asks for."""
        from scipy.special import ndtri

        if self.error is None:
            return None
        off = float(ndtri((1 + level) / 2)) * self.error
        return max(self.least, self.value - off), min(self.most, self.value + off)


def total(shares: Iterable[Share]) -> Share:
    """All of them together."""
    known = list(shares)
    return Share(sum(each.yes for each in known), sum(each.n for each in known))
