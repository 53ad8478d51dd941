"""Operating points: from which score on the class is decided for, and of which scores a person is asked.

A score ranks rows, and where to cut is for those who bear the costs. What a threshold costs is told by counted rows:
by a labelled table, or by the rows that were held out when the rule was learned. The threshold is part of the formula,
so a model with another one is certified anew. Its risk stays: what is likely does not depend on what is decided. Of
several classes a person is asked where the class that is told is not likely enough, by a labelled table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from math import isfinite
from numbers import Real
from typing import Any

from crystalogic.errors import RiskError, refuse
from crystalogic.evaluation.evaluation import plain_content
from crystalogic.evaluation.judging import Judged, judge_rows
from crystalogic.evaluation.scores import Threshold, count_scores, judge_threshold
from crystalogic.intervals import LEVEL, Share, total
from crystalogic.logic.formula import AtLeast
from crystalogic.logic.score import Score, score_of
from crystalogic.model import Model, Unknown
from crystalogic.model.file import has_fitting_risk
from crystalogic.model.ladders import score_text
from crystalogic.model.risk import OUT_OF, Risk, find_band, find_least
from crystalogic.words.tables import fill_template


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
        return self.missed * judged.missed + self.false_alarm * judged.false_alarms

    def __str__(self) -> str:
        return f"missed={decimal_text(self.missed)}, false-alarm={decimal_text(self.false_alarm)}"


@dataclass(frozen=True)
class Aim:
    """What an operating point is to reach: one of the first four, or none of them; and perhaps a band."""

    cost: Cost | None = None  # the threshold that costs least
    sensitivity: Fraction | None = None  # the greatest threshold that promises to find this share of the class
    specificity: Fraction | None = None  # the least that promises to leave this share of the other class alone
    risk: Fraction | None = None  # decide for the class from this risk on
    abstain: Fraction | None = None  # ask a person, so that no more than this share of a class is told the other one

    def __post_init__(self) -> None:
        if len(wished := [each.name for each in fields(self)[:4] if getattr(self, each.name) is not None]) > 1:
            refuse(RiskError, f"a threshold is set for one thing: {' or '.join(wished)}.")
        if not wished and self.abstain is None:
            refuse(RiskError, "say what the threshold is set for: cost, sensitivity, specificity, risk or abstain.")

    @staticmethod
    def of(*, cost: Any = None, **shares: Any) -> "Aim":
        """The aim with these numbers; `cost` is a mapping with "missed" and "false-alarm"."""
        wished = {name: _share(name, given) for name, given in shares.items() if given is not None}
        return Aim(cost=None if cost is None else _cost(cost), **wished)

    @property
    def texts(self) -> dict[str, str]:
        wished = {name: wish for name, wish in vars(self).items() if wish is not None}
        return {name: str(wish) if isinstance(wish, Cost) else decimal_text(wish) for name, wish in wished.items()}


AIMS = frozenset(each.name for each in fields(Aim))


def _share(name: str, given: Any) -> Fraction:
    least, most = (Fraction(1, OUT_OF), Fraction(1, 2)) if name == "abstain" else (Fraction(0), Fraction(1))
    wished = _number(given)
    if wished is None or not least <= wished <= most:
        refuse(RiskError, f"{name} is a share from {decimal_text(least)} to {decimal_text(most)}, got {given!r}.")
    return wished


def _cost(given: Any) -> Cost:
    costs = given if isinstance(given, Mapping) and set(given) == {"missed", "false-alarm"} else {}
    missed, false_alarm = (_number(costs.get(name)) for name in ("missed", "false-alarm"))
    if missed is None or false_alarm is None or min(missed, false_alarm) <= 0:
        refuse(RiskError, f'a cost has positive numbers for "missed" and "false-alarm", got {given!r}.')
    return Cost(missed, false_alarm)


def _number(given: Any) -> Fraction | None:
    """The number as it is written; None for what is none."""
    return Fraction(str(given)) if isinstance(given, Real) and not isinstance(given, bool) and isfinite(given) else None


def decimal_text(number: Fraction) -> str:
    return f"{float(number):g}"


HELD_OUT = "held out"  # when the rule was learned


@dataclass(frozen=True)
class Operated:
    """A model at a new operating point, and what changes for the counted rows."""

    model: Model
    aim: Aim
    source: str  # of the counted rows
    n_rows: int
    before: Threshold | tuple[Share, ...]  # of several classes, the rows of each that are told another one
    after: Threshold | tuple[Share, ...]
    asked: Share | None  # the rows of which a person is asked

    def __str__(self) -> str:
        """The thresholds before and after, side by side; without rows, the thresholds alone."""
        values: dict[str, Any] = {"classes": self.model.classes or "01", "points": (self.before, self.after)}
        score = partial(score_text, self.model.formulas[0], self.model.encoding.literals)
        values |= {"found": self, "score": score, "level": 100 * LEVEL}
        return fill_template("words", "operated.txt", **values, decimal=decimal_text)

    def content(self) -> dict[str, Any]:
        figures = {name: plain_content(getattr(self, name), LEVEL) for name in ("before", "after", "asked")}
        return {"aim": self.aim.texts, "source": self.source, "n_rows": self.n_rows, **figures}


def operate(
    model: Model,
    rows: Any = None,
    labels: Any = None,
    *,
    cost: Mapping[str, float] | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    risk: float | None = None,
    abstain: float | None = None,
    source: str = "of a table",
    unknown: Unknown = "refuse",
) -> Operated:
    """A model at another operating point, certified anew, and what that changes; a RiskError if none reaches the wish.

    Parameters:
        model: of two classes, with a risk; of more, `abstain` alone can be said, and rows must be given.
        rows: a labelled table that tells what thresholds cost, best one that the model was not learned from: a frame, a
            mapping, or several of them. None for the rows that were held out when the rule was learned.
        labels: the class of each row; None if the rows have it, in the column of the target.
        cost: what errors cost, {"missed": 5, "false-alarm": 1}: the threshold that costs least.
        sensitivity: the greatest threshold that promises to find this share of the class.
        specificity: the least threshold that promises to leave this share of the other class alone.
        risk: decide for the class from this probability on.
        abstain: ask a person, so that no more than this share of a class is told another one.
        source: which rows these are, after "rows", to be remembered.
        unknown: what to do with a value that is missing and was in no training row, as `Model.degrees` has it.
    """
    aim = Aim.of(cost=cost, sensitivity=sensitivity, specificity=specificity, risk=risk, abstain=abstain)
    if rows is None:
        return set_point(model, aim)
    if not model.chain:
        _refuse_no_score(model)
    return set_point(model, aim, count_rows(model, rows, labels, unknown), source)


Counted = Sequence[Share] | Judged


def count_rows(model: Model, rows: Any, labels: Any = None, unknown: Unknown = "refuse") -> Counted:
    """For each score from 0 on the rows that have it, and those of them that are of the class; of several, the rows."""
    judged = judge_rows([model], rows, labels, (), unknown).judged[0]
    if len(judged.classes) > 2:
        return judged
    lines = () if judged.scores is None else count_scores(judged.labels == 1, judged.scores, judged.shares)
    known = {line.score: line.observed for line in lines}
    return tuple(known.get(score, Share(0, 0)) for score in range(score_of(model.formulas[0]).most + 1))


def set_point(model: Model, aim: Aim, counted: Counted | None = None, source: str = HELD_OUT) -> Operated:
    """The model with the threshold and the band that reach the aim on counted rows, or on those that were held out."""
    if model.chain:
        return _ask_beyond(model, aim, counted, source)
    risk, score = _refuse_no_score(model), score_of(model.formulas[0])
    rows = risk.seen if counted is None or isinstance(counted, Judged) else tuple(counted)
    if not rows and not (aim.abstain is None and aim.sensitivity is None and aim.specificity is None):
        message = "this model knows of no rows held out (they were weighed, or never held out): give a labelled table."
        raise RiskError(message)
    threshold = _choose(risk.shares, score, rows, aim, is_counted=counted is not None)
    operated = model if threshold == score.threshold else _with_threshold(model, threshold)
    band = None if aim.abstain is None else find_band(rows, threshold, aim.abstain)
    n_rows = total(rows).n
    earlier = model.record.operated if aim.texts.keys() == {"abstain"} else {}
    operated = operated.with_facts(operated={**earlier, **aim.texts, "rows": str(n_rows), "source": source})
    told = [Share(0, 0) if band and band.low <= place < band.high else each for place, each in enumerate(rows)]
    before, after = threshold_at(rows, score.threshold), threshold_at(told, threshold)
    asked = None if band is None else Share(total(rows[band.low : band.high]).n, n_rows)
    return Operated(replace(operated, band=band), aim, source, n_rows, before, after, asked)


def _ask_beyond(model: Model, aim: Aim, counted: Counted | None, source: str) -> Operated:
    """A model of several classes that asks a person where the class told is not likely enough."""
    if aim.abstain is None or aim.texts.keys() != {"abstain"}:
        refuse(RiskError, "a threshold is set for two classes; of more, a person can be asked: abstain=0.1.")
    if not isinstance(counted, Judged) or counted.likely is None:
        refuse(RiskError, "of several classes, rows tell when to ask a person: give a labelled table of new rows.")
    likely, labels, n_rows = counted.likely, counted.labels, len(counted.labels)
    band = find_least(likely, counted.decided, labels, aim.abstain)
    asks, is_wrong = band.asks(likely.max(axis=1)), counted.decided != labels
    before, after = (
        tuple(Share(int(wrong[labels == place].sum()), n) for place, n in enumerate(band.rows))
        for wrong in (is_wrong, is_wrong & ~asks)
    )
    operated = model.with_facts(operated={**aim.texts, "rows": str(n_rows), "source": source})
    return Operated(replace(operated, band=band), aim, source, n_rows, before, after, Share(int(asks.sum()), n_rows))


def threshold_at(counted: Sequence[Share], score: int) -> Threshold:
    """What a threshold means for rows that are counted by their scores."""
    return judge_threshold(score, total(counted[:score]), total(counted[score:]))


def promises_share(counted: Share, wished: Fraction) -> bool:
    """Whether these rows promise that a fresh one is right so often, on average over exchangeable rows, or all are."""
    wrong = counted.n - counted.yes
    return wrong == 0 or wrong + 1 <= (1 - wished) * (counted.n + 1)  # the next row may be the wrong one


def _choose(shares: Sequence[int], score: Score, rows: Sequence[Share], aim: Aim, *, is_counted: bool) -> int:
    """The threshold that reaches an aim, among scores that can occur."""
    scores = score.possible[1:]
    at = {each: threshold_at(rows, each) for each in scores} if rows else {}
    if aim.cost is not None:
        wished, even = aim.cost, OUT_OF * aim.cost.even
        if is_counted:
            return min(scores, key=lambda each: (wished.of(at[each]), abs(shares[each] - even)))
        return next((each for each in scores if shares[each] >= even), scores[-1])
    if aim.risk is not None:
        reached, best = [each for each in scores if shares[each] >= OUT_OF * aim.risk], max(shares) / OUT_OF
    elif aim.sensitivity is not None:
        reached = [each for each in reversed(scores) if promises_share(at[each].sensitivity, aim.sensitivity)]
        best = at[scores[0]].sensitivity.value or 0
    elif aim.specificity is not None:
        reached = [each for each in scores if promises_share(at[each].specificity, aim.specificity)]
        best = at[scores[-1]].specificity.value or 0
    else:
        return score.threshold
    if not reached:
        what, share = next(iter(aim.texts.items()))
        refuse(RiskError, f"no threshold of this score reaches a {what} of {share}; the best is {best:.4g}.")
    return reached[0]


def _refuse_no_score(model: Model) -> Risk:
    """The risk of a model; a RiskError for one without a score that has a threshold."""
    if model.risk is None:
        refuse(RiskError, "an operating point needs classes with a risk, which the strategy 'likelihood' learns.")
    if len(score_of(model.formulas[0]).possible) < 2:
        refuse(RiskError, "this rule decides all rows alike: its score has no threshold to be set.")
    return model.risk


def _with_threshold(model: Model, threshold: int) -> Model:
    """The model that decides for its class from another score on, certified, with the same risk."""
    score = score_of(model.written[0])
    parts = [part for part, worth in score.points.items() for _ in range(worth)]
    other = model.with_formulas([AtLeast(threshold, *parts)])
    operated = replace(other, risk=model.risk).with_facts(held_out=None, limits=None, chosen_by=None)
    if not has_fitting_risk(operated) or score_of(operated.written[0]).points != score.points:
        refuse(RiskError, f"no formula with the threshold {threshold} counts the points as this one does.")
    return operated
