"""Operating points: from which score on the class is decided for, and of which scores a person is asked.

A score ranks rows, and where to cut is for those who bear the costs. What a threshold costs is told by counted rows:
by a labelled table, or by the rows that were held out when the rule was learned. The threshold is part of the formula,
so a model with another one is certified anew. Its risk stays: what is likely does not depend on what is decided.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import isfinite
from numbers import Real
from typing import Any

from crystalogic.errors import RiskError
from crystalogic.intervals import Share
from crystalogic.logic.formula import AtLeast
from crystalogic.logic.score import Score, score_of
from crystalogic.model import Model
from crystalogic.model.band import find_band
from crystalogic.model.risk import OUT_OF

HELD_OUT = "held out"  # when the rule was learned
LEAST_ABSTAIN = Fraction(1, OUT_OF)


@dataclass(frozen=True)
class Cost:
    """What a row of the class that is not found costs, and a row of the other class that is told to be of it."""

    missed: Fraction
    false_alarm: Fraction

    @property
    def even(self) -> Fraction:
        """The risk at which both decisions cost the same."""
        return self.false_alarm / (self.missed + self.false_alarm)

    def __str__(self) -> str:
        return f"missed={_text(self.missed)}, false-alarm={_text(self.false_alarm)}"


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
    def of(
        *, cost: Any = None, sensitivity: Any = None, specificity: Any = None, risk: Any = None, abstain: Any = None
    ) -> "Aim":
        """The aim with these numbers; `cost` is a mapping with "missed" and "false-alarm"."""
        wished = {"sensitivity": sensitivity, "specificity": specificity, "risk": risk, "abstain": abstain}
        shares = {name: _share(name, given) for name, given in wished.items() if given is not None}
        return Aim(cost=None if cost is None else _cost(cost), **shares)

    @property
    def texts(self) -> dict[str, str]:
        """What is wished, by its name."""
        return {
            each.name: str(wish) if isinstance(wish, Cost) else _text(wish)
            for each in fields(self)
            if (wish := getattr(self, each.name)) is not None
        }


AIMS = frozenset(each.name for each in fields(Aim))


@dataclass(frozen=True)
class Outcome:
    """What a threshold means for counted rows: how many of the class it finds, and how many others it leaves alone."""

    threshold: int
    found: Share  # sensitivity
    left: Share  # specificity

    @property
    def missed(self) -> int:
        """The rows of the class that are not found."""
        return self.found.n - self.found.yes

    @property
    def false_alarms(self) -> int:
        """The rows of the other class that are told to be of the class."""
        return self.left.n - self.left.yes

    def cost(self, cost: Cost) -> Fraction:
        """What it costs."""
        return cost.missed * self.missed + cost.false_alarm * self.false_alarms


@dataclass(frozen=True)
class Operated:
    """A model at a new operating point, and what changes for the counted rows."""

    model: Model
    aim: Aim
    source: str  # of the counted rows
    before: Outcome
    after: Outcome
    asked: Share | None  # the rows of which a person is asked


def set_point(model: Model, aim: Aim, counted: Sequence[Share] | None = None, source: str = HELD_OUT) -> Operated:
    """The model with the threshold, and the band, that reach the aim; a RiskError if none does.

    Parameters:
        model: of two classes, with a risk.
        aim: what is to be reached.
        counted: for each score from 0 on the rows that have it, and those of them that are of the class
            (`count_scores`); None for the rows that were held out.
        source: which rows these are, after "rows".
    """
    if model.risk is None:
        message = "an operating point needs two classes and a risk, which the strategy 'likelihood' learns."
        raise RiskError(message)
    score = score_of(model.formulas[0])
    if len(score.possible) < 2:
        message = "this rule decides all rows alike: its score has no threshold to be set."
        raise RiskError(message)
    rows = model.risk.seen if counted is None else tuple(counted)
    if not rows and (counted is not None or aim.risk is None):
        message = "this model knows of no rows held out (they were weighed, or never held out): give a labelled table."
        raise RiskError(message)
    threshold = _choose(model, score, rows, aim, is_counted=counted is not None)
    operated = model if threshold == score.threshold else _with_threshold(model, score, threshold)
    band = model.band if aim.abstain is None else find_band(rows, threshold, aim.abstain)
    n = sum(each.n for each in rows)
    facts = {**aim.texts, "rows": str(n), "source": source}
    operated = replace(operated.with_facts(operated=facts), band=band if aim.abstain is not None else None)
    asked = None if operated.band is None else sum(rows[operated.band.low : operated.band.high], Share(0, 0)).n
    return Operated(
        operated,
        aim,
        source,
        outcome_at(rows, score.threshold),
        outcome_at(rows, threshold),
        None if asked is None else Share(asked, n),
    )


def count_scores(model: Model, scores: Any, is_class: Any) -> tuple[Share, ...]:
    """The rows of each score from 0 on, given the score of each row and whether it is of the class."""
    import numpy as np

    most = score_of(model.formulas[0]).most
    whole = np.asarray(scores).astype(np.intp)
    n, yes = (np.bincount(whole, each, most + 1).astype(int).tolist() for each in (None, np.asarray(is_class, float)))
    return tuple(map(Share, yes, n))


def outcome_at(counted: Sequence[Share], threshold: int) -> Outcome:
    """What a threshold means for these rows."""
    below, above = (sum(part, Share(0, 0)) for part in (counted[:threshold], counted[threshold:]))
    no_below, no_above = below.n - below.yes, above.n - above.yes
    return Outcome(threshold, Share(above.yes, above.yes + below.yes), Share(no_below, no_below + no_above))


def promises_share(counted: Share, wished: Fraction) -> bool:
    """Whether these rows promise that a fresh one is right this often, on average over exchangeable rows, or all are.

    The next row is one more, and may be the wrong one.
    """
    wrong = counted.n - counted.yes
    return wrong == 0 or wrong + 1 <= (1 - wished) * (counted.n + 1)


def _choose(model: Model, score: Score, rows: Sequence[Share], aim: Aim, *, is_counted: bool) -> int:
    """The threshold that reaches an aim, among scores that can occur."""
    shares = model.risk.shares if model.risk is not None else ()
    scores = score.possible[1:]
    at = {each: outcome_at(rows, each) for each in scores} if rows else {}
    if aim.cost is not None:
        wished, even = aim.cost, OUT_OF * aim.cost.even
        if is_counted:
            return min(scores, key=lambda each: (at[each].cost(wished), abs(shares[each] - even)))
        return next((each for each in scores if shares[each] >= even), scores[-1])
    if aim.risk is not None:
        reached = [each for each in scores if shares[each] >= OUT_OF * aim.risk]
        return _first(reached, "risk", aim.risk, max(shares) / OUT_OF)
    if aim.sensitivity is not None:
        reached = [each for each in reversed(scores) if promises_share(at[each].found, aim.sensitivity)]
        return _first(reached, "sensitivity", aim.sensitivity, at[scores[0]].found.value)
    if aim.specificity is not None:
        reached = [each for each in scores if promises_share(at[each].left, aim.specificity)]
        return _first(reached, "specificity", aim.specificity, at[scores[-1]].left.value)
    return score.threshold


def _first(reached: Sequence[int], what: str, wished: Fraction, best: float | None) -> int:
    if not reached:
        message = f"no threshold of this score reaches a {what} of {_text(wished)}; the best is {best or 0:.4g}."
        raise RiskError(message)
    return reached[0]


def _with_threshold(model: Model, score: Score, threshold: int) -> Model:
    """The model that decides for its class from another score on, certified, with the same risk."""
    parts = [part for part, worth in score.points.items() for _ in range(worth)]
    other = model.with_formulas([AtLeast(threshold, *parts)])
    operated = replace(other, risk=model.risk).with_facts(held_out=None)
    if not operated.has_fitting_risk or score_of(operated.formulas[0]).points != score.points:
        message = f"no formula with the threshold {threshold} counts the points as this one does."
        raise RiskError(message)
    return operated


def _share(name: str, given: Any) -> Fraction:
    least, most = (LEAST_ABSTAIN, Fraction(1, 2)) if name == "abstain" else (Fraction(0), Fraction(1))
    wished = _number(given)
    if wished is None or not least <= wished <= most:
        message = f"{name} is a share from {_text(least)} to {_text(most)}, got {given!r}."
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


def _text(number: Fraction) -> str:
    return f"{float(number):g}"
