"""Facts that a person names: an encoding gains the truth values that it does not have, such as a cut of one's own."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from crystalogic.cells import NO_WORDS, level_of, number_of
from crystalogic.counts import list_names
from crystalogic.encoding.encoding import Column, Encoding
from crystalogic.encoding.literals import BETWEEN_VALUES, Cut, Degree, Is, Ladder, Literal, Missing, OneOf, Reaches
from crystalogic.errors import EncodingError, refuse
from crystalogic.logic.formula import Formula, Variable, substitute
from crystalogic.logic.names import closest

SIGNS = {">=": "≥", "<=": "≤", "!=": "≠", "==": "=", **{each: each for each in "≥≤><=≠"}}
SIGN = "|".join(map(re.escape, sorted(SIGNS, key=len, reverse=True)))
_AFTER_COLUMN = re.compile(rf"\s*(?:(?P<sign>{SIGN})\s*(?P<value>.+?)|(?P<missing>is\s+missing))\s*", re.DOTALL)


def split_statement(text: str, columns: Iterable[str]) -> tuple[str, str, str] | None:
    """(column, sign, value) of a statement about one of the columns; the longest name that fits is meant."""
    for column in sorted(columns, key=len, reverse=True):
        for written in (text, text.lstrip()):  # a name may begin with a space
            match = _AFTER_COLUMN.fullmatch(written[len(column) :]) if written.startswith(column) else None
            if match is not None:
                return column, "missing" if match["missing"] else SIGNS[match["sign"]], match["value"] or ""
    return None


def subject_of(text: str) -> str | None:
    """What a statement speaks of, be it a column or not; None for a text that compares nothing."""
    match = re.match(rf"\s*(.+?)(?:\s*(?:{SIGN})|\s+is\s+missing)", text, re.DOTALL)
    return None if match is None else match[1]


def include_facts(encoding: Encoding, names: Iterable[str]) -> tuple[Encoding, dict[str, str]]:
    """The encoding with all truth values of these names, and what it calls each of them: `age>=12` is `age ≥ 12`. Names
    that speak of no column stay as they are; an EncodingError says why something cannot be said of a column."""
    said: dict[str, str] = {}
    for name in names:
        literal = encoding.literals.get(name) or read_fact(encoding, name)
        said[name] = name if literal is None else literal.name
        for each in () if literal is None else (literal, *(literal.rungs if isinstance(literal, Ladder) else ())):
            if each.name not in encoding.literals:
                columns = (_insert(one, each) if one.name == each.column else one for one in encoding.columns)
                encoding = Encoding(tuple(columns))
    return encoding, said


def express(formulas: Sequence[Formula], encoding: Encoding) -> tuple[tuple[Formula, ...], Encoding]:
    """A person's formulas over an encoding that has all their truth values; an EncodingError where it cannot."""
    encoding, names = include_facts(encoding, (name for formula in formulas for name in formula.variables))
    for name in names.values():
        if name not in encoding.literals:
            raise EncodingError(describe_unknown(encoding, name))
    called: dict[Formula, Formula] = {Variable(name): Variable(names[name]) for name in names}
    return tuple(substitute(formula, called) for formula in formulas), encoding


def describe_unknown(encoding: Encoding, name: str) -> str:
    """What is wrong with a name that is neither a truth value nor a statement about a column, and what was meant."""
    columns = list(dict.fromkeys(literal.column for literal in encoding.literals.values()))
    if name in columns:
        values = [literal.name for literal in encoding.by_name[name].literals]
        return f"which truth value of {name!r} is meant? It has {list_names(values)}."
    close = closest(subject_of(name) or name, columns) or closest(name, encoding.literals)
    meant = f" (did you mean {close!r}?)" if close else ""
    return f"{name!r} is no column that is used and no truth value{meant}; the columns are {list_names(columns)}."


def read_fact(encoding: Encoding, name: str) -> Literal | None:
    """The literal that a person means by this name; None where it speaks of no column."""
    if (whole := encoding.by_name.get(name.strip())) is not None:
        return Degree(whole.name, *whole.range) if whole.range and whole.range[0] < whole.range[1] else None
    if (split := split_statement(name, encoding.by_name)) is None:
        return None
    column, sign, text = encoding.by_name[split[0]], *split[1:]
    literal = _read_statement(column, sign, text)
    if isinstance(literal, str):
        refuse(EncodingError, f"{name!r} cannot be said of {column.name!r}: {literal}.")
    return literal


def _read_statement(column: Column, sign: str, text: str) -> Literal | str:
    """What a statement says of a column, or why it cannot be said."""
    name, number, level = column.name, number_of(text), level_of(text, NO_WORDS)
    known = {level_of(each, NO_WORDS): each for each in column.known}
    if column.kind == "left out":
        return f"the column is {column.note}"
    if sign == "missing":
        return Missing(name) if column.has_missing else "no row lacks it"
    if sign not in "≥=":
        way = {"<": f"¬{{{name} ≥ {text}}}", "≠": f"¬{{{name}={text}}}"}.get(sign, "≥ with the next number")
        return f"facts are written with ≥ or =; write {way}"
    if sign == "=" and BETWEEN_VALUES in text and level not in known:
        parts = [_read_statement(column, sign, each.strip()) for each in text.split(BETWEEN_VALUES)]
        wrong = next((each for each in parts if isinstance(each, str)), None)
        return wrong or OneOf(name, tuple(each.value for each in parts if isinstance(each, Is)))
    if column.kind == "number" or (column.kind == "code" and sign == "≥"):
        if sign == "≥" and BETWEEN_VALUES in text:
            ladder = Ladder(name, tuple(number_of(each) + 0.0 for each in text.split(BETWEEN_VALUES)))
            is_known = ladder.goes_up and all(map(math.isfinite, ladder.steps))
            return ladder if is_known else f"a ladder has {ladder.ways_up}"
        if not math.isfinite(number):
            return "it holds numbers; compare it with one"
        return Cut(name, number + 0.0) if sign == "≥" else Is(name, level or text)
    if (value := known.get(level)) is None:
        close = closest(text, column.known)
        return f"its values are {list_names(column.known)}" + (f" (did you mean {close!r}?)" if close else "")
    if column.kind == "ordinal" and value == column.known[0]:
        return "it is its least value; write ¬ before the next one"
    if (column.kind == "ordinal") != (sign == "≥"):
        return "its values have an order; use ≥" if sign == "=" else "its values have no order; use ="
    return Is(name, value) if sign == "=" else Reaches(name, value, column.known)


def _insert(column: Column, literal: Literal) -> Column:
    """The column with one more literal: the degree first, cuts in order, `… is missing` last."""
    literals = list(column.literals)
    place = 0 if isinstance(literal, Degree) else len(literals)
    for other in reversed(literals[:place]):
        is_lower = isinstance(literal, Cut) and isinstance(other, Cut) and literal.at <= other.at
        if not is_lower and not isinstance(other, Missing):
            break
        place -= 1
    literals.insert(place, literal)
    return replace(column, literals=tuple(literals))
