"""The calculator: a slider or a choice for each column that the rule reads, and the risk that its script tells."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any

from crystalogic.cells import level_of, number_of, number_text
from crystalogic.encoding.encoding import Column
from crystalogic.export.program import Input, program
from crystalogic.intervals import LEVEL
from crystalogic.logic.formula import Formula
from crystalogic.logic.score import score_of
from crystalogic.model import Model
from crystalogic.model.ladders import score_text
from crystalogic.model.risk import OUT_OF
from crystalogic.words.risks import percent_text, risk_lines

MOST_STEPS = 1000  # of a slider
FINEST = 1000  # so much finer than a step of the slider may the numbers be that the page tries
MOST_TRIED = 24  # values of one column that the page tries together with those of another


@dataclass(frozen=True)
class Control:
    """How a person sets one column: a slider from `low` to `high` in steps, decimal texts, or a choice of `values`."""

    column: str
    unit: str
    is_slider: bool
    may_be_missing: bool
    start: str | None
    values: tuple[str, ...] = ()
    places: tuple[float, ...] = ()  # of values that have an order, from 0 to 1
    unseen: tuple[str, ...] = ()  # those of the values that no training row had
    low: str = ""
    high: str = ""
    step: str = ""
    tried: tuple[str, ...] = ()  # at which the rule may change, for the search in the page

    def content(self) -> dict[str, Any]:
        """What the script of the page needs to know."""
        span = float(self.high) - float(self.low) if self.is_slider else 1.0
        asked = {"column": self.column, "isSlider": self.is_slider, "mayBeMissing": self.may_be_missing}
        return {**asked, "unit": self.unit, "span": span, "places": self.places, "tried": self.tried or self.values}


def controls(model: Model, units: Mapping[str, str], rows: Sequence[Mapping[str, Any]] = ()) -> tuple[Control, ...]:
    """The controls of a model, which can be set to any of these rows and are set to the first."""
    made = []
    for each in program(model).inputs:
        control = _control(model.encoding.by_name[each.column], each, units.get(each.column, ""))
        if rows:
            cells = [level_of(row[each.column], each.words) for row in rows]
            new = dict.fromkeys(cell for cell in cells if cell is not None and cell not in control.values)
            unseen = () if control.is_slider else tuple(new)
            control = replace(control, start=cells[0], values=control.values + unseen, unseen=unseen)
        made.append(control)
    return tuple(made)


def _control(column: Column, each: Input, unit: str) -> Control:
    control = Control(column.name, unit, False, each.may_be_missing, None)
    if column.known or not each.needs_number:
        known = tuple(value for value in column.known if not (each.needs_number and math.isnan(number_of(value))))
        return replace(control, start=known[0] if known else None, values=known, places=_places(column.kind, known))
    low, high, marks = _range(column)
    # as fine as the numbers are written, but no more than MOST_STEPS in the range
    step = max(_digit([low, high, *marks]), Fraction(10) ** math.ceil(math.log10(high - low) - math.log10(MOST_STEPS)))
    first, last = math.floor(low / step) * step, math.ceil(high / step) * step
    tried = {first, last}
    near = min(step, max(_digit(marks), step / FINEST)) if step > 1 else step  # a coarse slider would miss the cuts
    for mark in marks:
        above = math.ceil(mark / near) * near
        tried |= {above, above - near} if above > first else {above}
    width = max(step, math.ceil((last - first) / (MOST_TRIED - len(tried)) / step) * step) if last > first else step
    grid = {first + width * i for i in range(math.floor((last - first) / width) + 1)}
    texts = map(decimal_text, (first + round((last - first) / 2 / step) * step, first, last, step))
    numbers: dict[str, Any] = dict(zip(("start", "low", "high", "step"), texts, strict=True))
    return replace(control, is_slider=True, **numbers, tried=tuple(map(decimal_text, sorted(tried | grid))))


def _places(kind: str, values: Sequence[str]) -> tuple[float, ...]:
    """Where codes lie as numbers and ordinals by their order; nowhere, for what has no order."""
    numbers = [number_of(value) for value in values] if kind == "code" else list(map(float, range(len(values))))
    if kind not in ("code", "ordinal") or not all(map(math.isfinite, numbers)) or len(set(numbers)) < 2:
        return ()
    return tuple((number - min(numbers)) / (max(numbers) - min(numbers)) for number in numbers)


def _range(column: Column) -> tuple[Fraction, Fraction, list[Fraction]]:
    """The least and the greatest number worth a place on the slider, and the cuts between."""
    cuts = [_exact(at) for each in column.literals for at in each.cuts]
    if column.range is not None:
        return _exact(column.range[0]), _exact(column.range[1]), cuts
    around = max(cuts) - min(cuts) or abs(cuts[0]) or Fraction(1)
    return min(cuts) - around / 2, max(cuts) + around / 2, cuts


def _exact(number: float) -> Fraction:
    """The decimal number that a person reads."""
    return Fraction(number_text(number))


def _digit(numbers: list[Fraction]) -> Fraction:
    """The value of the last decimal that these numbers have, at most 1."""
    digits = (Fraction(1, 10**place) for place in count())
    return next(digit for digit in digits if not any(number % digit for number in numbers))


def decimal_text(number: Fraction) -> str:
    """A decimal number in full.

    >>> decimal_text(Fraction("62.50")), decimal_text(Fraction(-3)), decimal_text(Fraction(1, 1000))
    ('62.5', '-3', '0.001')
    """
    with localcontext(prec=800):
        text = f"{Decimal(number.numerator) / number.denominator:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def risk_bar(model: Model) -> dict[str, Any] | None:
    """Marks on the bar, in percent: where the class is decided for, where a person is asked; None without a risk."""
    if model.risk is None:
        return None
    score, shares, band = score_of(model.formulas[0]), model.risk.shares, model.band
    asked = [shares[each] * 100 / OUT_OF for each in score.possible if band and band.low <= each < band.high]
    bar = {"threshold": None, "asked": (asked[0], asked[-1]) if asked else None}
    if score.threshold > score.most:
        return bar
    at = min(each for each in score.possible if each >= score.threshold)
    words = score_text(model.formulas[0], model.encoding.literals, at)
    return {**bar, "threshold": shares[at] * 100 / OUT_OF, "words": words, "percent": percent_text(shares[at])}


def risk_content(model: Model, part_of: Callable[[Formula], tuple[str, bool]]) -> dict[str, Any] | None:
    """Plain data for the script: of two classes points and shares, and the lines of the risk table."""
    if not model.has_risk:
        return None
    content: dict[str, Any] = {"outOf": OUT_OF, "level": f"{100 * LEVEL:g} %"}
    if model.risk is not None:
        score, risk = score_of(model.formulas[0]), model.risk
        points = [[*part_of(part), worth] for part, worth in score.points.items()]
        told = partial(score_text, model.formulas[0], model.encoding.literals)
        content["rules"] = [{"points": points, "shares": risk.shares}]
        content["scores"] = list(map(told, range(score.most + 1)))
        lines = [(line, risk.interval(line.low, line.high) if risk.seen else None) for line in risk_lines(model)]
        content["lines"] = [{**vars(line), "ends": ends} for line, ends in lines]
    return content
