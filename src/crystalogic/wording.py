"""Rules in words: a formula as a checklist, with the person's own column names, values and units."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from crystalogic.cells import MISSING_WORDS, level_of, shown_number
from crystalogic.encoding import Cut, Degree, Is, Literal, Missing, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.logic.formula import AtLeast, Constant, Formula, Not, StrongAnd, StrongOr, Variable, is_longer
from crystalogic.logic.names import one_line

MOST_VALUES = 8  # of a column that are listed
LONGEST_VALUE = 60  # characters of a value that are shown
MOST_LEVELS = 12  # a formula nested deeper is shown as a formula
MOST_LISTED = 10_000  # lines; a longer formula is shown as a formula


def literal_words(literal: Literal, *, negated: bool = False, gaps: Collection[str] = ()) -> str:
    """What a literal says; its negation is true of a missing value too, which is said of columns that have gaps.

    >>> literal_words(Cut("age", 55.0)), literal_words(Is("cp", "4"), negated=True)
    ('age is at least 55', 'cp is not 4')
    >>> literal_words(Is("ca", "0"), negated=True, gaps={"ca"})
    'ca is not 0 (or missing)'
    """
    words = _plain_words(literal, negated)
    if not negated or literal.column not in gaps or isinstance(literal, Missing):
        return words
    return f"{words[:-1]}, or missing)" if isinstance(literal, Degree) else f"{words} (or missing)"


def _plain_words(literal: Literal, negated: bool) -> str:
    column = one_line(literal.column)
    match literal:
        case Degree():
            direction, low, high = "low" if negated else "high", shown_number(literal.low), shown_number(literal.high)
            return f"{column} is {direction} (from {low} to {high})"
        case Cut():
            return f"{column} is {'below' if negated else 'at least'} {shown_number(literal.at)}"
        case Is():
            return f"{column} is {'not ' * negated}{_short(literal.value)}"
        case Reaches():
            return f"{column} is {'below' if negated else 'at least'} {_short(literal.level)}"
        case Missing():
            return f"{column} is {'not ' * negated}missing"
    raise TypeError(literal)


def column_words(column: Column) -> str:
    """How a column was read: its kind and what it ranges over.

    >>> column_words(Column("age", "number", (Degree("age", 29.0, 77.0),), has_missing=True))
    'number from 29 to 77, some missing'
    >>> column_words(Column("cp", "code", known=("1", "2", "3", "4")))
    'code: 1, 2, 3, 4'
    """
    if column.kind == "left out":
        return one_line(column.note)
    between = "" if column.range is None else " from {} to {}".format(*map(shown_number, column.range))
    listed = ", ".join(map(_short, column.known[:MOST_VALUES])) + (", …" if len(column.known) > MOST_VALUES else "")
    values = f": {listed}" if listed else ""
    return f"{column.kind}{between}{values}{', some missing' * column.has_missing}"


def value_words(value: Any, words: frozenset[str] = MISSING_WORDS) -> str:
    """A cell as a person would say it.

    >>> value_words("1480.0"), value_words("red"), value_words("?")
    ('1480', 'red', 'missing')
    """
    level = level_of(value, words)
    return "missing" if level is None else _short(level)


def _short(text: str) -> str:
    """On one line, and cut off where it is long."""
    line = one_line(text)
    return line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 1] + "…"


def checklist(formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str] = ()) -> str:
    """The formula as indented lines, one for each thing to check; `gaps` are the columns with missing values.

    >>> from crystalogic.logic.parse import parse
    >>> literals = {"cp=4": Is("cp", "4"), "age ≥ 55": Cut("age", 55)}
    >>> print(checklist(parse("at least 2 of ({cp=4}, ¬{age ≥ 55})"), literals))
    at least 2 of these 2:
      - cp is 4
      - age is below 55
    >>> print(checklist(parse("{cp=4} ⊗ {cp=4} ⊗ {age ≥ 55}"), literals))
    all of these 3:
      - cp is 4, counted twice
      - age is at least 55
    """
    if is_longer(formula, MOST_LISTED):  # its tree may be larger than all memory
        return str(formula)
    return "\n".join(_lines(formula, literals, gaps, 0))


def _lines(formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str], level: int) -> list[str]:
    indent = "  " * level
    bullet = f"{indent}- " if level else ""
    negated = isinstance(formula, Not)
    inner = formula.parts[0] if isinstance(formula, Not) else formula
    if isinstance(inner, Variable):
        literal = literals.get(inner.name)
        if literal is None:
            return [f"{bullet}{'not ' * negated}{one_line(inner.name)}"]
        return [f"{bullet}{literal_words(literal, negated=negated, gaps=gaps)}"]
    if isinstance(inner, Constant):
        return [f"{bullet}{'always' if inner.value != negated else 'never'}"]
    heading = heading_words(inner)
    if heading is None or level > MOST_LEVELS:
        return [f"{bullet}{formula}"]
    lines = [f"{bullet}{'not: ' * negated}{heading}:"]
    for part, times in Counter(inner.parts).items():
        first, *rest = _lines(part, literals, gaps, level + 1)
        counted = counted_words(times)
        lines += [f"{first[:-1]}{counted}:" if rest else f"{first}{counted}", *rest]
    return lines


def counted_words(times: int) -> str:
    """What is said of a part that stands in a list so many times."""
    return {1: "", 2: ", counted twice"}.get(times, f", counted {times} times")


def heading_words(formula: Formula) -> str | None:
    """What a strong connective asks of its parts; None for what is no list to check."""
    m = len(formula.parts)
    match formula:
        case StrongAnd():
            return "both of these" if m == 2 else f"all of these {m}"
        case StrongOr():
            return f"at least one of these {m}"
        case AtLeast():
            return f"at least {formula.k} of these {m}"
    return None
