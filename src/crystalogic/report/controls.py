"""The calculator's controls: a slider or a choice for each column that the rule reads."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from crystalogic.cells import level_of, number_of, number_text
from crystalogic.encoding.encoding import Column
from crystalogic.export.program import Input, program
from crystalogic.model import Model

MOST_STEPS = 1000  # of a slider
FINEST = 1000  # so much finer than a step of the slider may the numbers be that the page tries
MOST_TRIED = 24  # values of one column that the page tries together with those of another


@dataclass(frozen=True)
class Control:
    """How a person sets one column: a slider from `low` to `high` in steps, or a choice among `values`.

    `tried` are values at which the rule may change, for the search in the page. Numbers are decimal texts.
    """

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
    tried: tuple[str, ...] = ()

    def content(self) -> dict[str, Any]:
        """What the script of the page needs to know."""
        span = float(self.high) - float(self.low) if self.is_slider else 0.0
        return {
            "column": self.column,
            "isSlider": self.is_slider,
            "mayBeMissing": self.may_be_missing,
            "unit": self.unit,
            "span": span if self.is_slider else 1.0,
            "places": self.places,
            "tried": self.tried or self.values,
        }


def controls(model: Model, units: Mapping[str, str], rows: Sequence[Mapping[str, Any]] = ()) -> tuple[Control, ...]:
    """The controls of a model, which can be set to any of these rows and are set to the first."""
    columns = model.encoding.by_name
    made = []
    for each in program(model).inputs:
        control = _control(columns[each.column], each, units.get(each.column, ""))
        made.append(_with_cells(control, [cell(row[each.column], columns[each.column]) for row in rows]))
    return tuple(made)


def _with_cells(control: Control, cells: Sequence[str | None]) -> Control:
    if not cells:
        return control
    new = (
        () if control.is_slider else tuple(dict.fromkeys(c for c in cells if c is not None and c not in control.values))
    )
    return replace(control, start=cells[0], values=control.values + new, unseen=new)


def cell(value: Any, column: Column) -> str | None:
    """A value as a control has it; None if it is missing."""
    return level_of(value, column.words)


def _control(column: Column, each: Input, unit: str) -> Control:
    if column.known or not each.needs_number:
        known = [value for value in column.known if not (each.needs_number and math.isnan(number_of(value)))]
        return Control(
            column.name,
            unit,
            False,
            each.may_be_missing,
            known[0] if known else None,
            tuple(known),
            _places(column.kind, known),
        )
    low, high, marks = _range(column)
    step = _step(low, high, [low, high, *marks])
    first, last = math.floor(low / step) * step, math.ceil(high / step) * step
    tried = {first, last}
    near = min(step, max(_digit(marks), step / FINEST)) if step > 1 else step  # a coarse slider would miss the cuts
    for mark in marks:
        above = math.ceil(mark / near) * near
        tried |= {above, above - near} if above > first else {above}
    width = max(step, math.ceil((last - first) / (MOST_TRIED - len(tried)) / step) * step) if last > first else step
    grid = {first + width * i for i in range(math.floor((last - first) / width) + 1)}
    middle = first + round((last - first) / 2 / step) * step
    return Control(
        column.name,
        unit,
        True,
        each.may_be_missing,
        decimal_text(middle),
        low=decimal_text(first),
        high=decimal_text(last),
        step=decimal_text(step),
        tried=tuple(decimal_text(value) for value in sorted(tried | grid)),
    )


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


def _step(low: Fraction, high: Fraction, marks: list[Fraction]) -> Fraction:
    """A power of ten as fine as the numbers are written, but no more than `MOST_STEPS` in the range."""
    coarsest = Fraction(10) ** math.ceil(math.log10(high - low) - math.log10(MOST_STEPS))
    step = Fraction(1)
    while step > coarsest and any(mark % step for mark in marks):
        step /= 10
    return max(step, coarsest)


def _digit(numbers: list[Fraction]) -> Fraction:
    """The value of the last decimal that these numbers have, at most 1."""
    last = Fraction(1)
    while any(number % last for number in numbers):
        last /= 10
    return last


def decimal_text(number: Fraction) -> str:
    """A decimal number in full.

    >>> decimal_text(Fraction("62.50")), decimal_text(Fraction(-3)), decimal_text(Fraction(1, 1000))
    ('62.5', '-3', '0.001')
    """
    digits = 0
    while (number * 10**digits).denominator != 1 and digits < 400:
        digits += 1
    scaled = abs(int(number * 10**digits))
    text = str(scaled).rjust(digits + 1, "0")
    whole, part = (text[:-digits], text[-digits:]) if digits else (text, "")
    return f"{'-' * (number < 0)}{whole}{'.' * bool(part)}{part}"
