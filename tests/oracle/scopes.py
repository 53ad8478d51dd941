"""Rows of a scope as answers state it, and of the values that a model file knows: with no code of the package."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from oracle.cells import Text, meaning
from oracle.rules import Rule

Field = Mapping[str, Any]
Row = dict[str, Any]
MOST_VALUES = 14


def number_of(value: Any) -> Fraction:
    """A number as JSON has it: a fraction that no double is, as a text."""
    return Fraction(value)


def is_number_field(field: Field) -> bool:
    """Whether the field holds numbers between bounds."""
    return "low" in field


def values_of(field: Field, rules: Sequence[Rule], draw: Random) -> list[Any]:
    """Values of a field in ascending order where it has one: its bounds, the cuts and levels of rules, those beside."""
    if not is_number_field(field):
        return list(field["values"])
    low = None if field["low"] is None else number_of(field["low"])
    high = None if field["high"] is None else number_of(field["high"])
    edges = [each for each in (low, high) if each is not None] + [Fraction(0)]
    for rule in rules:
        column = rule.columns.get(field["column"])
        for literal in column.literals if column else ():
            edges += [Fraction(float(literal[key])) for key in ("at", "low", "high") if key in literal]
        levels = [meaning(level, frozenset()) for level in (column.known if column else ())]
        edges += [level for level in levels if isinstance(level, Fraction)]
    found = set(edges)
    for edge in edges:
        found |= {edge - 1, edge + 1, *(Fraction(math.nextafter(float(edge), to)) for to in (-math.inf, math.inf))}
    spread = sorted(found)
    found |= {(one + other) / 2 for one, other in pairwise(spread)}
    if low is not None and high is not None:
        found |= {low + (high - low) * Fraction(draw.randint(0, 97), 97) for _ in range(4)}
    inside = [
        each
        for each in found
        if (low is None or each >= low)
        and (high is None or each <= high)
        and (field["kind"] != "whole number" or each.denominator == 1)
    ]
    return sorted(draw.sample(inside, min(len(inside), MOST_VALUES)))


def known_values(rule: Rule, column: str, draw: Random) -> list[Any]:
    """Values that the training rows of a model had in a column, in ascending order where they have one."""
    found = rule.columns[column]
    if found.known:
        return list(found.known)
    if found.range is None:
        return []
    low, high = found.range
    cuts = [float(each["at"]) for each in found.literals if each["kind"] == "cut"]
    near = [n for at in cuts for n in (at, math.nextafter(at, -math.inf)) if low <= n <= high]
    return sorted({low, high, *near, draw.uniform(low, high)})


def draw_row(choices: Mapping[str, Sequence[Any]], draw: Random) -> Row:
    """One value of each column."""
    return {column: draw.choice(values) for column, values in choices.items()}


def contains(field: Field, value: Any) -> bool:
    """Whether a field has this value."""
    if value is None:
        return bool(field["may_miss"])
    if is_number_field(field):
        number = number_of(value)
        above = field["low"] is None or number >= number_of(field["low"])
        below = field["high"] is None or number <= number_of(field["high"])
        return above and below and (field["kind"] != "whole number" or number.denominator == 1)
    return meaning(value, frozenset()) in [meaning(each, frozenset()) for each in field["values"]]


def cell_of(field: Field, value: Any) -> Any:
    """A value of an answer as a cell: numbers exactly."""
    return number_of(value) if value is not None and is_number_field(field) else value


def holds(statement: tuple[str, str, str], row: Row, orders: Mapping[str, Sequence[str]]) -> bool:
    """Whether `column sign value` is true of a row: of a missing value, only that it is not this one."""
    column, sign, text = statement
    value = meaning(row[column], frozenset()) if row[column] is not None else None
    wanted = meaning(text, frozenset())
    if value is None:
        return sign == "≠"
    if sign in "=≠":
        return (value == wanted) == (sign == "=")
    if isinstance(value, Text) or column in orders:
        order = [meaning(level, frozenset()) for level in orders[column]]
        value, wanted = Fraction(order.index(value)), Fraction(order.index(wanted))
    assert isinstance(value, Fraction)
    assert isinstance(wanted, Fraction)
    return value >= wanted if sign == "≥" else value < wanted
