"""What a model says of a row, from the JSON of its file: in fractions, and with no code of the package."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from oracle.cells import WORDS, NoNumber, double, is_missing, meaning
from oracle.formulas import Formula, read

HALF = Fraction(1, 2)
MEASURED = ("cut", "degree", "ladder")  # what numbers are compared by
Row = Mapping[str, Any]


class Refused(Exception):
    """The rule gives no decision: a value is missing that never was, or is no number where one is needed."""


@dataclass(frozen=True)
class Column:
    """A column of a model file."""

    name: str
    kind: str
    literals: tuple[Mapping[str, Any], ...]
    known: tuple[str, ...]
    has_missing: bool
    words: frozenset[str]  # which stand for missing here; a known level never does
    range: tuple[float, float] | None  # the least and the greatest number of training, if the file tells

    @property
    def refuses_missing(self) -> bool:
        """Whether a row in which it is missing gets no decision."""
        return not self.has_missing and self.kind != "category"


@dataclass(frozen=True)
class Rule:
    """A model as it stands in its file."""

    target: str
    classes: tuple[Any, ...] | None
    order: tuple[int, ...]
    columns: Mapping[str, Column]
    formulas: tuple[Formula, ...]
    literals: Mapping[str, Mapping[str, Any]]  # by the names that formulas use

    @property
    def names(self) -> tuple[str, ...]:
        """The truth values that are read."""
        return tuple(dict.fromkeys(name for formula in self.formulas for name in formula.names))

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys(self.literals[name]["column"] for name in self.names))

    @property
    def is_graded(self) -> bool:
        """Whether it reads degrees, so that rounding is possible."""
        return any(self.literals[name]["kind"] == "degree" for name in self.names)

    @property
    def tolerant(self) -> "Rule":
        """The same rule where every value may be missing."""
        columns = {name: replace(column, has_missing=True) for name, column in self.columns.items()}
        return replace(self, columns=columns)

    def needs_number(self, column: str) -> bool:
        """Whether it compares the column with numbers."""
        read_here = (self.literals[name] for name in self.names)
        return any(each["column"] == column and each["kind"] in MEASURED for each in read_here)

    def degrees(self, row: Row) -> tuple[Fraction, ...]:
        """The degree of every formula, or Refused."""
        truths = {name: self.truth(self.literals[name], row) for name in self.names}
        return tuple(formula.degree(truths) for formula in self.formulas)

    def truth(self, literal: Mapping[str, Any], row: Row) -> Fraction:
        """What a literal says of the row, or Refused."""
        column, cell = self.columns[literal["column"]], row[literal["column"]]
        missing = is_missing(cell, column.words)
        if missing and column.refuses_missing:
            raise Refused(column.name, cell)
        if literal["kind"] == "missing":
            return Fraction(missing)
        if missing:
            return Fraction(0)
        if literal["kind"] in MEASURED:
            try:
                number = cell if isinstance(cell, Fraction) else Fraction(double(cell))
            except NoNumber:
                raise Refused(column.name, cell) from None
            return _measured(literal, number)
        here = meaning(cell, frozenset())
        return Fraction(any(meaning(level, frozenset()) == here for level in _accepted(literal)))

    def place(self, degrees: Sequence[Fraction]) -> int:
        """Which of the classes: of two the second from 1/2 on, of more the one with the largest degree."""
        if len(self.formulas) == 1:
            return int(degrees[0] >= HALF)
        best = max(degrees)
        return next(index for index in self.order if degrees[index] == best)

    def decision(self, row: Row) -> Any:
        """The class, or the degree where there are none."""
        degrees = self.degrees(row)
        return degrees[0] if self.classes is None else self.classes[self.place(degrees)]

    def margin(self, degrees: Sequence[Fraction]) -> Fraction:
        """How far the decision is from another one."""
        if len(self.formulas) == 1:
            return abs(degrees[0] - HALF)
        best, second, *_ = sorted(degrees, reverse=True)
        return best - second


def _measured(literal: Mapping[str, Any], number: Fraction) -> Fraction:
    if literal["kind"] == "cut":
        return Fraction(number >= Fraction(float(literal["at"])))
    if literal["kind"] == "ladder":
        return Fraction(sum(number >= Fraction(float(at)) for at in literal["steps"]), len(literal["steps"]))
    low, high = Fraction(float(literal["low"])), Fraction(float(literal["high"]))
    return min(Fraction(1), max(Fraction(0), (number - low) / (high - low)))


def _accepted(literal: Mapping[str, Any]) -> Sequence[str]:
    """The levels of which the cell must have one."""
    match literal["kind"]:
        case "is":
            return [literal["value"]]
        case "one of":
            return list(literal["values"])
        case _:
            return list(literal["order"][list(literal["order"]).index(literal["level"]) :])


def rule_of(text: str) -> Rule:
    """The rule in the text of a model file."""
    body = json.loads(text)
    columns = {each["name"]: _column(each) for each in body["encoding"]["columns"]}
    named = {name: each for column in columns.values() for each in column.literals for name in _names(each)}
    classes = None if body["classes"] is None else tuple(body["classes"])
    formulas = tuple(map(read, body["formulas"]))
    return Rule(body["target"], classes, tuple(body["order"]), columns, formulas, named)


def load(path: Path) -> Rule:
    """The rule in a model file."""
    return rule_of(path.read_text(encoding="utf-8"))


def _column(body: Mapping[str, Any]) -> Column:
    known = tuple(body["known"])
    given = body.get("missing_words")
    words = WORDS if given is None else frozenset(given)
    levels = {meaning(level, frozenset()) for level in known}
    kept = frozenset(word for word in words if meaning(word, frozenset()) not in levels)
    literals = tuple(body["literals"])
    ends = [(float(each["low"]), float(each["high"])) for each in literals if each["kind"] == "degree"]
    if not ends and body.get("low") is not None:
        ends = [(float(body["low"]), float(body["high"]))]
    has_missing = bool(body["has_missing"])
    return Column(body["name"], body["kind"], literals, known, has_missing, kept, ends[0] if ends else None)


def _names(literal: Mapping[str, Any]) -> list[str]:
    column = literal["column"]
    match literal["kind"]:
        case "degree":
            return [column]
        case "cut":
            at = float(literal["at"])
            whole = [str(int(at))] if at.is_integer() else []
            return [f"{column} ≥ {text}" for text in (repr(at), *whole)]
        case "ladder":
            ways = [[repr(float(at)), *([str(int(at))] if float(at).is_integer() else [])] for at in literal["steps"]]
            return [f"{column} ≥ {'|'.join(texts)}" for texts in product(*ways)]
        case "is":
            return [f"{column}={literal['value']}"]
        case "one of":
            return [f"{column}={'|'.join(literal['values'])}"]
        case "reaches":
            return [f"{column} ≥ {literal['level']}"]
        case "missing":
            return [f"{column} is missing"]
    raise ValueError(literal)
