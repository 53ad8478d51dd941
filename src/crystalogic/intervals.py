"""Counted shares and estimates, each with an interval."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from crystalogic.errors import RiskError

LEVEL = 0.9  # how often an interval holds the share that it is for, at least


def binomial_interval(yes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The shares under which so many of n rows, or more, or fewer, would not be a surprise (Clopper and Pearson, 1934).

    Whatever the share is, for independent rows the interval holds it at least this often.

    >>> [round(end, 3) for end in binomial_interval(77, 100)]
    [0.69, 0.837]
    >>> binomial_interval(0, 0)
    (0.0, 1.0)
    """
    from scipy.special import betaincinv

    if not 0 <= yes <= n or not 0 < level < 1:
        message = f"expected a count from 0 to {n} and a level between 0 and 1, got {yes} and {level}."
        raise RiskError(message)
    tail = (1 - level) / 2
    low = float(betaincinv(yes, n - yes + 1, tail)) if yes else 0.0
    high = float(betaincinv(yes + 1, n - yes, 1 - tail)) if yes < n else 1.0
    return low, high


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
    """All of them together."""
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
        from scipy.special import ndtri

        if self.error is None:
            return None
        off = float(ndtri((1 + level) / 2)) * self.error
        return max(self.least, self.value - off), min(self.most, self.value + off)
