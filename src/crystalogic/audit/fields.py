"""Fields: the values that one column can have, in the user's own units."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from crystalogic.cells import MISSING_WORDS, NO_WORDS, is_missing, level_number, level_of, number_of, number_text
from crystalogic.errors import DomainError, refuse

Value = str | int | float | Fraction | None  # None is a missing value; a Fraction is a number that no float is


@dataclass(frozen=True)
class Numbers:
    """A column of numbers between two bounds, all of them or the whole ones; None is no bound."""

    column: str
    low: Fraction | None = None
    high: Fraction | None = None
    is_whole: bool = False
    may_miss: bool = False
    words: frozenset[str] = MISSING_WORDS  # that mean missing
    never: tuple[Fraction, ...] = ()  # numbers between the bounds that mean missing, and are no numbers therefore
    is_ordered = True

    def read(self, raw: Any) -> Value:
        """A cell of a table as a value: an exact number, or None where it is missing."""
        if is_missing(raw, self.words):
            return None
        number = raw if isinstance(raw, Fraction) else number_of(raw)
        if not math.isfinite(number):
            refuse(DomainError, f"{self.column!r} is {raw!r}, expected a number.")
        return Fraction(number)

    def contains(self, value: Value) -> bool:
        if value is None:
            return self.may_miss
        number = Fraction(value)
        is_above = self.low is None or number >= self.low
        is_below = self.high is None or number <= self.high
        return is_above and is_below and number not in self.never and (not self.is_whole or number.denominator == 1)

    def include(self, value: Value) -> "Numbers":
        """The field with this value in it as well."""
        if value is None:
            return replace(self, may_miss=True)
        number = Fraction(value)
        low = None if self.low is None else min(self.low, number)
        high = None if self.high is None else max(self.high, number)
        return replace(self, low=low, high=high, is_whole=self.is_whole and number.denominator == 1)

    @property
    def span(self) -> Fraction:
        """The unit in which distances are counted: from one bound to the other, or 1."""
        return Fraction(1) if self.low is None or self.high is None or self.low == self.high else self.high - self.low

    def position(self, value: Value) -> Fraction:
        """Where the value lies, in units of the span."""
        return Fraction(value or 0) / self.span

    def __str__(self) -> str:
        if self.low is not None and self.low == self.high:
            return f"{self.column} in {{{_bound_text(self.low)}}}{' or missing' * self.may_miss}"
        kind = "a whole number" if self.is_whole else "a number" if self.low is None or self.high is None else ""
        low = f"from {_bound_text(self.low)}" if self.low is not None else ""
        high = f"to {_bound_text(self.high)}" if self.high is not None else ""
        never = [_bound_text(number) for number in self.never if replace(self, never=()).contains(number)]
        words = " ".join(word for word in (kind, low, high, f"other than {', '.join(never)}" * bool(never)) if word)
        return f"{self.column} {'is ' * bool(kind)}{words}{' or missing' * self.may_miss}"

    def content(self) -> dict[str, Any]:
        bounds = [None if bound is None else plain(bound) for bound in (self.low, self.high)]
        kind = "whole number" if self.is_whole else "number"
        return {"column": self.column, "kind": kind, "low": bounds[0], "high": bounds[1], "may_miss": self.may_miss}


@dataclass(frozen=True)
class Choices:
    """A column with a few values, in ascending order where they have one."""

    column: str
    values: tuple[Value, ...]
    is_ordered: bool = False
    may_miss: bool = False
    words: frozenset[str] = MISSING_WORDS  # that mean missing

    @property
    def are_codes(self) -> bool:
        return not any(isinstance(value, str) for value in self.values)

    @property
    def is_whole(self) -> bool:
        return self.are_codes and all(Fraction(value or 0).denominator == 1 for value in self.values)

    @property
    def candidates(self) -> tuple[Value, ...]:
        """The values, and None where one may be missing."""
        return (*self.values, None) if self.may_miss else self.values

    def read(self, raw: Any) -> Value:
        """A cell of a table as one of the values; one that no training row had stays what it is."""
        level = level_of(raw, self.words)
        if level is None:
            return None
        known = next((value for value in self.values if level_of(value, NO_WORDS) == level), None)
        number = level_number(level)
        return known if known is not None else number if self.are_codes and isinstance(number, int) else level

    def contains(self, value: Value) -> bool:
        return value in self.candidates

    def include(self, value: Value) -> "Choices":
        """The field with this value in it as well; a value outside the order ends the order."""
        if value is None:
            return replace(self, may_miss=True)
        if value in self.values:
            return self
        if self.are_codes and not isinstance(value, str):
            return replace(self, values=tuple(sorted((*self.values, value), key=lambda code: Fraction(code or 0))))
        return replace(self, values=(*self.values, value), is_ordered=False)

    def position(self, value: Value) -> Fraction:
        """Where the value stands in the order, from 0 to 1; values without an order are all at one place."""
        if not self.is_ordered or value is None or len(self.values) < 2:
            return Fraction(0)
        return Fraction(self.values.index(value), len(self.values) - 1)

    def __str__(self) -> str:
        if not self.values:
            return f"{self.column} is missing"
        listed = ", ".join(value_text(value) for value in self.values)
        return f"{self.column} in {{{listed}}}{' or missing' * self.may_miss}"

    def content(self) -> dict[str, Any]:
        values = [plain(value) for value in self.values]
        kind = "ordered choice" if self.is_ordered else "choice"
        return {"column": self.column, "kind": kind, "values": values, "may_miss": self.may_miss}


Field = Numbers | Choices


def _bound_text(bound: Fraction) -> str:
    """A bound for people, with a ~ where it is rounded."""
    is_exact = Fraction(float(bound)) == bound
    return value_text(bound) if is_exact else f"~{float(bound):.6g}"


def only_value(column: str, value: Value) -> Choices:
    """The field of a column that has this value and no other."""
    return Choices(column, (), may_miss=True) if value is None else Choices(column, (value,))


def value_text(value: Value) -> str:
    """A value for people.

    >>> value_text(Fraction(1, 2)), value_text(Fraction(1, 3)), value_text(None), value_text(4)
    ('0.5', '1/3', 'missing', '4')
    """
    shown_as = plain(value)
    if shown_as is None:
        return "missing"
    return shown_as if isinstance(shown_as, str) else number_text(shown_as)


def plain(value: Value) -> str | int | float | None:
    """A value as plain JSON data, which models read as the same value; a fraction that no float is, as text."""
    if not isinstance(value, Fraction):
        return value
    if value.denominator == 1:
        return int(value)
    return float(value) if Fraction(float(value)) == value else str(value)


def short_decimals(numbers: Sequence[Fraction], n_digits: Iterable[int]) -> Iterator[Fraction]:
    """Numbers with so many decimals at and next to these, as floats: what is printed reads back as the same number.

    >>> [value_text(each) for each in short_decimals([Fraction(60)], [0, 1])]
    ['60', '59', '61', '60', '59.9', '60.1']
    """
    for digits in n_digits:
        unit = Fraction(1, 10**digits)
        for number in numbers:
            below = number // unit * unit
            for candidate in sorted((below - unit, below, below + unit), key=lambda each: abs(each - number)):
                yield Fraction(float(candidate))
