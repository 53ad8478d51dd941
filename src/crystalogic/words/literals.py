"""Literals, columns and cells in words, and what symbols mean."""

import tomllib
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any

from crystalogic.cells import MISSING_WORDS, level_of, number_text
from crystalogic.counts import count
from crystalogic.encoding import Degree, Is, Literal, Missing, OneOf
from crystalogic.encoding.encoding import Column
from crystalogic.logic.formula import AtLeast, Formula
from crystalogic.logic.names import closest, one_line
from crystalogic.logic.walk import subformulas
from crystalogic.model import Model
from crystalogic.words.tables import package_file

MOST_NOTES = 20
MOST_VALUES = 8  # of a column that are listed
LONGEST_VALUE = 60  # characters of a value that are shown


def literal_words(literal: Literal, *, negated: bool = False, gaps: Collection[str] = ()) -> str:
    """What a literal says; its negation is true of a missing value too, which is said of columns that have gaps.

    >>> from crystalogic.encoding import Cut, Is
    >>> literal_words(Cut("age", 55.0)), literal_words(Is("cp", "4"), negated=True)
    ('age is at least 55', 'cp is not 4')
    >>> literal_words(Is("ca", "0"), negated=True, gaps={"ca"})
    'ca is not 0 (or missing)'
    """
    if isinstance(literal, OneOf):
        return group_words(literal.parts, negated=negated, gaps=gaps)
    column, has_gaps = one_line(literal.column), negated and literal.column in gaps and not isinstance(literal, Missing)
    if isinstance(literal, Degree):
        direction, low, high = "low" if negated else "high", number_text(literal.low), number_text(literal.high)
        return f"{column} is {direction} (from {low} to {high}{', or missing' * has_gaps})"
    sign, value = literal.statement
    says = {"≥": ("at least ", "below "), "=": ("", "not "), "missing": ("missing", "not missing")}[sign]
    return f"{column} is {says[negated]}{_short(value)}{' (or missing)' * has_gaps}"


def group_words(literals: Sequence[Is], *, negated: bool = False, gaps: Collection[str] = ()) -> str:
    """That a column has one of these values, or none of them."""
    column, values = literals[0].column, ", ".join(_short(each.value) for each in literals)
    missing = " (or missing)" * (negated and column in gaps)
    return f"{one_line(column)} is {'none' if negated else 'one'} of {values}{missing}"


def column_words(column: Column) -> str:
    """How a column was read: its kind and what it ranges over.

    >>> column_words(Column("age", "number", (Degree("age", 29.0, 77.0),), has_missing=True))
    'number from 29 to 77, some missing'
    >>> column_words(Column("cp", "code", known=("1", "2", "3", "4")))
    'code: 1, 2, 3, 4'
    """
    if column.kind == "left out":
        return one_line(column.note)
    between = "" if column.range is None else " from {} to {}".format(*map(number_text, column.range))
    listed = ", ".join(map(_short, column.known[:MOST_VALUES])) + (", …" if len(column.known) > MOST_VALUES else "")
    return f"{column.kind}{between}{': ' * bool(listed)}{listed}{', some missing' * column.has_missing}"


def newly_missing_words(name: str, n_rows: int) -> str:
    """That values are missing which were in no training row, and what that means."""
    where = count(n_rows, "row")
    return f"{one_line(name)} is missing in {where} and was in no training row; every fact about it is false there."


def value_words(value: Any, words: frozenset[str] = MISSING_WORDS) -> str:
    """A cell as a person would say it."""
    level = level_of(value, words)
    return "missing" if level is None else _short(level)


def _short(text: str) -> str:
    """On one line, and cut off where it is long."""
    line = one_line(text)
    return line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 1] + "…"


def legend(formulas: tuple[Formula, ...]) -> list[tuple[str, str]]:
    """The connectives that the formulas use, each with its meaning."""
    nodes = subformulas(*formulas)
    kinds = {type(node).__name__ for node in nodes}
    kinds |= {"points" for node in nodes if isinstance(node, AtLeast) and node.has_points}
    return [(symbol, meaning) for kind, (symbol, meaning, *_) in connectives().items() if kind in kinds]


@cache
def connectives() -> dict[str, list[str]]:
    """The symbol of each connective, its meaning and, for a weak one, how a line says it (meanings.toml)."""
    return tomllib.loads(package_file("words", "meanings.toml"))


class Unseen:
    """Says once of each new value that no training row had it, and of each column whose numbers leave their range."""

    def __init__(self, rule: Model) -> None:
        self._rule = rule
        self._said: set[tuple[str, str | None]] = set()
        self._beyond: set[str] = set()

    def find(self, part: Any) -> Iterator[str]:
        """Sentences about the values of these rows."""
        for column, values in self._rule.encoding.unseen(part, self._rule.columns).items():
            for value in values:
                if (column, value) not in self._said and len(self._said) < MOST_NOTES:
                    self._said.add((column, value))
                    yield _unseen_words(column, value, self._rule.encoding.by_name[column].known)
        read = [name for name in self._rule.columns if name in part and name not in self._beyond]
        for name, (number, low, high) in self._rule.encoding.beyond(part, read).items():
            self._beyond.add(name)
            yield f"{name} = {number} lies outside {low} to {high}, the range of training."


def _unseen_words(column: str, value: str | None, known: Sequence[str]) -> str:
    listed = ", ".join(known[:MOST_VALUES]) + ", …" * (len(known) > MOST_VALUES)
    is_what = "is missing, which it" if value is None else f"= {value}"
    meant = None if value is None else closest(value, known)
    hint = f" Did you mean {meant}?" if meant else ""
    return f"{column} {is_what} was in no training row; it equals none of the known values ({listed}).{hint}"
