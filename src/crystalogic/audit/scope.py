"""Scopes: the rows that can occur, column by column in the user's own units. Every answer names its scope."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from crystalogic.cells import MISSING_WORDS, NO_WORDS, is_missing, level_number, level_of, number_of, number_text
from crystalogic.encoding.encoding import Column
from crystalogic.errors import DomainError, refuse
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Variable
from crystalogic.logic.names import fresh_name
from crystalogic.model import Model

ANOTHER = "another value"  # stands for all values that no training row had
Value = str | int | float | Fraction | None  # None is a missing value; a Fraction is a number that no float is
Row = Mapping[str, Value]
Names = Collection[str]
Range = tuple[float | str | Fraction | None, float | str | Fraction | None]


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
        is_within = (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
        return is_within and number not in self.never and (not self.is_whole or number.denominator == 1)

    def include(self, value: Value) -> "Numbers":
        """The field with this value in it as well."""
        if value is None:
            return replace(self, may_miss=True)
        number = Fraction(value)
        low = None if self.low is None else min(self.low, number)
        high = None if self.high is None else max(self.high, number)
        return replace(self, low=low, high=high, is_whole=self.is_whole and number.denominator == 1)

    def position(self, value: Value) -> Fraction:
        """Where the value lies, in the unit in which distances are counted: from one bound to the other, or 1."""
        span = 1 if self.low is None or self.high is None or self.low == self.high else self.high - self.low
        return Fraction(value or 0) / span

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
        kind, low, high = "whole number" if self.is_whole else "number", plain(self.low), plain(self.high)
        return {"column": self.column, "kind": kind, "low": low, "high": high, "may_miss": self.may_miss}


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
        if (level := level_of(raw, self.words)) is None:
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
        return f"{self.column} in {{{', '.join(map(value_text, self.values))}}}{' or missing' * self.may_miss}"

    def content(self) -> dict[str, Any]:
        kind, values = "ordered choice" if self.is_ordered else "choice", [plain(value) for value in self.values]
        return {"column": self.column, "kind": kind, "values": values, "may_miss": self.may_miss}


Field = Numbers | Choices


def _bound_text(bound: Fraction) -> str:
    """A bound for people, with a ~ where it is rounded."""
    return value_text(bound) if Fraction(float(bound)) == bound else f"~{float(bound):.6g}"


def only_value(column: str, value: Value) -> Choices:
    """The field of a column that has this value and no other."""
    return Choices(column, (), may_miss=True) if value is None else Choices(column, (value,))


def value_text(value: Value) -> str:
    """A value for people."""
    shown_as = plain(value)
    return "missing" if shown_as is None else shown_as if isinstance(shown_as, str) else number_text(shown_as)


def plain(value: Value) -> str | int | float | None:
    """A value as plain JSON data, which models read as the same value; a fraction that no float is, as text."""
    if not isinstance(value, Fraction):
        return value
    return int(value) if value.denominator == 1 else float(value) if Fraction(float(value)) == value else str(value)


@dataclass(frozen=True)
class Scope:
    """The values that each column can have; columns vary freely of one another."""

    fields: tuple[Field, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.column for field in self.fields)

    def field(self, column: str) -> Field:
        """What is known of one column; a DomainError for a column that it does not have."""
        for field in self.fields:
            if field.column == column:
                return field
        message = f"there is no column {column!r} that can be asked about; there are {', '.join(self.columns)}."
        raise DomainError(message)

    def only(self, columns: Iterable[str]) -> "Scope":
        return Scope(tuple(self.field(column) for column in columns))

    def include(self, row: Row) -> "Scope":
        """The scope with the values of this row in it as well."""
        return Scope(tuple(f.include(row[f.column]) if f.column in row else f for f in self.fields))

    def narrow(self, values: Row, frozen: Names, increasing: Names, decreasing: Names) -> "Scope":
        """The rows that these values may change to; what is known does not become missing."""

        def allow(field: Field) -> Field:
            column, value = field.column, values[field.column]
            if column in frozen or value is None:
                return only_value(column, value) if column in frozen else field
            if isinstance(field, Numbers):
                low = Fraction(value) if column in increasing else field.low
                high = Fraction(value) if column in decreasing else field.high
                return replace(field, may_miss=False, low=low, high=high)
            place = field.values.index(value)
            first, last = place if column in increasing else 0, place + 1 if column in decreasing else None
            return replace(field, may_miss=False, values=field.values[first:last])

        return Scope(tuple(map(allow, self.fields)))

    def read(self, row: Mapping[str, Any]) -> dict[str, Value]:
        """A row of a table as values of the fields; columns that the scope does not have are left out."""
        return {field.column: field.read(row[field.column]) for field in self.fields if field.column in row}

    def find_difference(self, values: Row, row: Mapping[str, Any]) -> frozenset[str]:
        """The columns in which a row of a table differs from the values."""
        return frozenset(column for column, value in self.read(row).items() if value != values[column])

    def __str__(self) -> str:
        return "; ".join(map(str, self.fields)) or "the only row"

    def content(self) -> list[dict[str, Any]]:
        return [field.content() for field in self.fields]


def scope_of(
    model: Model | Sequence[Model],
    *,
    ranges: Mapping[str, Range] | None = None,
    whole: Names = (),
    missing: Names | None = None,
    another: Names = (),
) -> Scope:
    """The rows that can occur: what the training rows of one or several models had, or what you declare instead.

    Codes, categories and ordinals have the values of training.

    Parameters:
        model: a model, or several.
        ranges: bounds of numbers, (0, 120) or (0, None); by default the least and the greatest of training.
        whole: columns that hold whole numbers only.
        missing: the only columns in which values may be missing; None for those that had missing values in training.
            Never in one where a model would refuse the row.
        another: columns that may also have a value that no training row had.
    """
    models: list[Any] = list(model) if isinstance(model, (list, tuple)) else [model]
    refuse_no_model(*models)
    named: dict[str, list[Column]] = {}
    for column in (column for each in models for column in each.encoding.columns if column.kind != "left out"):
        named.setdefault(column.name, []).append(column)
    declared = dict(ranges or {})
    for column_name in (*declared, *whole, *(missing or ()), *another):
        if column_name not in named:
            refuse(DomainError, f"there is no column {column_name!r} to declare; there are {', '.join(named)}.")
    never_missing = {column for each in models for column in each.columns if column in each.encoding.never_missing}
    for column_name in never_missing.intersection(missing or ()):
        refuse(DomainError, f"{column_name!r} cannot be declared missing: the model refuses rows in which it is.")
    fields = [_field(name, columns, declared.get(name), name in whole) for name, columns in named.items()]
    fields = [_with_words(field, models) for field in fields]
    fields = [_with_another(field) if field.column in another else field for field in fields]
    may_miss = {field.column for field in fields if field.may_miss} if missing is None else set(missing)
    return Scope(tuple(replace(field, may_miss=field.column in may_miss - never_missing) for field in fields))


def refuse_no_model(*models: object) -> None:
    for each in models:
        if not isinstance(each, Model):
            what = repr(each) if isinstance(each, (str, bytes)) else f"a {type(each).__name__}"
            problem = f"expected a model, got {what}."
            refuse(DomainError, f"{problem} load(path) reads a file; a fitted estimator has its own in `model_`.")


def scope_for(model: Model, scope: Scope | Domain | None, columns: Sequence[str] = ()) -> Scope:
    """The columns that the model reads, and these, as declared or as in training; a DomainError for a `Domain`."""
    if isinstance(scope, Domain):
        message = "a model is asked about over a scope of its columns (`scope_of`), not over a domain of truth values."
        raise DomainError(message)
    refuse_no_model(model)
    return (scope or scope_of(model)).only(dict.fromkeys([*model.columns, *columns]))


def column_asked(model: Model, column: str | Variable) -> str:
    """The name of a column that is asked about; a DomainError for what is no model, or does not know it."""
    if isinstance(model, str):
        message = f"expected a model or a formula, got the text {model!r}. load(path) gives one, parse(text) the other."
        raise DomainError(message)
    refuse_no_model(model)
    name = column.name if isinstance(column, Variable) else column
    refuse_unknown(model, name)
    return name


def refuse_unknown(model: Model, column: str) -> None:
    if column not in (known := [each.name for each in model.encoding.columns]):
        is_target = column == model.target
        problem = f"{column!r} is what the model predicts" if is_target else f"the model has no column {column!r}"
        refuse(DomainError, f"{problem}; it knows {', '.join(known)}.")


def _with_words(field: Field, models: Sequence[Model]) -> Field:
    """The field with the words that mean missing to all of the models; a DomainError for a text that one refuses."""
    columns = [model.encoding.by_name[field.column] for model in models if field.column in model.encoding.by_name]
    words = frozenset.intersection(*(column.words for column in columns))
    if isinstance(field, Choices):
        _refuse_texts(field, models)
        return replace(field, words=words)
    refusing = [model.encoding for model in models if field.column in model.encoding.never_missing]
    missing = words.union(*(encoding.by_name[field.column].words for encoding in refusing))
    numbers = [number for number in map(level_number, missing) if number is not None]
    return replace(field, words=words, never=tuple(sorted(map(Fraction, numbers))))


def _refuse_texts(field: Choices, models: Sequence[Model]) -> None:
    """A DomainError for texts in a column that one of the models compares with numbers."""
    texts = [value for value in field.values if isinstance(value, str) and math.isnan(number_of(value))]
    for literal in (model.encoding.literals[name] for model in models if texts for name in model.names):
        if literal.column == field.column and literal.needs_number:
            problem = f"{field.column!r} is a number in one model ({literal.name}) and has texts such as {texts[0]!r}"
            problem += " in another, so there is no scope of rows that both judge."
            refuse(DomainError, f"{problem} Fit them with the same --kind of the column.")


def _field(name: str, columns: Sequence[Column], bounds: Range | None, is_whole: bool) -> Field:
    kinds, may_miss = {column.kind for column in columns}, any(column.has_missing for column in columns)
    known = list(dict.fromkeys(text for column in columns for text in column.known))
    numbers = {text: number for text in known if (number := level_number(text)) is not None}
    are_numbers = len(numbers) == len(known) and kinds <= {"number", "code", "category"}
    if "number" in kinds or bounds is not None or is_whole:
        if not are_numbers or kinds == {"category"}:
            what = "a category or an order" if len(kinds) == 1 else f"{' and '.join(sorted(kinds))} in different models"
            refuse(DomainError, f"{name!r} is {what}; a range and whole numbers are for columns of numbers.")
        low, high = _training_range(columns, list(numbers.values())) if bounds is None else _bounds(name, bounds)
        are_whole = kinds == {"code"} and all(isinstance(number, int) for number in numbers.values())
        return Numbers(name, low, high, is_whole or are_whole, may_miss)
    if "ordinal" in kinds:
        return Choices(name, tuple(known), len({column.known for column in columns}) == 1, may_miss)
    if "code" in kinds and are_numbers:
        return Choices(name, tuple(sorted(set(numbers.values()))), True, may_miss)
    return Choices(name, tuple(known), False, may_miss)


def _training_range(columns: Sequence[Column], known: Sequence[float]) -> tuple[Fraction | None, Fraction | None]:
    """From the least to the greatest number of training; unbounded where an encoding does not have them."""
    if None in (ranges := [column.range for column in columns if column.kind == "number"]):
        return None, None
    found = [*known, *(bound for each in ranges if each is not None for bound in each)]
    return Fraction(min(found)), Fraction(max(found))


def _bounds(name: str, given: Range) -> tuple[Fraction | None, Fraction | None]:
    try:
        low, high = (None if bound is None else Fraction(float(bound)) for bound in given)
    except (ValueError, TypeError, OverflowError):
        low, high = Fraction(1), Fraction(0)
    if low is not None and high is not None and low > high:
        refuse(DomainError, f"the range of {name!r} needs a lowest and a highest number, got {given!r}.")
    return low, high


def _with_another(field: Field) -> Field:
    if isinstance(field, Numbers) or field.are_codes:
        refuse(DomainError, f"{field.column!r} holds numbers; declare a range instead of another value.")
    return replace(field, values=(*field.values, fresh_name(ANOTHER, set(map(str, field.values)))), is_ordered=False)
