"""Aims: what an operating point is to reach."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from math import isfinite
from numbers import Real
from typing import Any

from crystalogic.errors import RiskError
from crystalogic.evaluation.scores import Threshold

LEAST_ABSTAIN = Fraction(1, 10_000)


@dataclass(frozen=True)
class Cost:
    """What a row of the class that is not found costs, and a row of the other class that is told to be of it."""

    missed: Fraction
    false_alarm: Fraction

    @property
    def even(self) -> Fraction:
        """The risk at which both decisions cost the same."""
        return self.false_alarm / (self.missed + self.false_alarm)

    def of(self, judged: Threshold) -> Fraction:
        """What a threshold costs."""
        return self.missed * judged.missed + self.false_alarm * judged.false_alarms

    def __str__(self) -> str:
        return f"missed={decimal_text(self.missed)}, false-alarm={decimal_text(self.false_alarm)}"


@dataclass(frozen=True)
class Aim:
    """What an operating point is to reach: one of the first four, or none of them; and perhaps a band.

    Attributes:
        cost: the threshold that costs least.
        sensitivity: the greatest threshold that promises to find this share of the class.
        specificity: the least threshold that promises to leave this share of the other class alone.
        risk: decide for the class from this risk on.
        abstain: ask a person, so that of each class no more than this share is told the other one.
    """

    cost: Cost | None = None
    sensitivity: Fraction | None = None
    specificity: Fraction | None = None
    risk: Fraction | None = None
    abstain: Fraction | None = None

    def __post_init__(self) -> None:
        wished = [each.name for each in fields(self)[:4] if getattr(self, each.name) is not None]
        if len(wished) > 1:
            message = f"a threshold is set for one thing: {' or '.join(wished)}."
            raise RiskError(message)
        if not wished and self.abstain is None:
            message = "say what the threshold is set for: cost, sensitivity, specificity, risk or abstain."
            raise RiskError(message)

    @staticmethod
    def of(*, cost: Any = None, **shares: Any) -> "Aim":
        """The aim with these numbers; `cost` is a mapping with "missed" and "false-alarm"."""
        wished = {name: _share(name, given) for name, given in shares.items() if given is not None}
        return Aim(cost=None if cost is None else _cost(cost), **wished)

    @property
    def texts(self) -> dict[str, str]:
        """What is wished, by its name."""
        return {
            each.name: str(wish) if isinstance(wish, Cost) else decimal_text(wish)
            for each in fields(self)
            if (wish := getattr(self, each.name)) is not None
        }


AIMS = frozenset(each.name for each in fields(Aim))


def _share(name: str, given: Any) -> Fraction:
    least, most = (LEAST_ABSTAIN, Fraction(1, 2)) if name == "abstain" else (Fraction(0), Fraction(1))
    wished = _number(given)
    if wished is None or not least <= wished <= most:
        message = f"{name} is a share from {decimal_text(least)} to {decimal_text(most)}, got {given!r}."
        raise RiskError(message)
    return wished


def _cost(given: Any) -> Cost:
    costs = given if isinstance(given, Mapping) and set(given) == {"missed", "false-alarm"} else {}
    missed, false_alarm = (_number(costs.get(name)) for name in ("missed", "false-alarm"))
    if missed is None or false_alarm is None or min(missed, false_alarm) <= 0:
        message = f'a cost has positive numbers for "missed" and "false-alarm", got {given!r}.'
        raise RiskError(message)
    return Cost(missed, false_alarm)


def _number(given: Any) -> Fraction | None:
    """The number as it is written; None for what is none."""
    is_one = isinstance(given, Real) and not isinstance(given, bool) and isfinite(given)
    return Fraction(str(given)) if is_one else None


def decimal_text(number: Fraction) -> str:
    """A number as people write it."""
    return f"{float(number):g}"
