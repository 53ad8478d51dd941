"""What a cell means, written once more from docs/cells.md: in fractions, and with no code of the package."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

WORDS = frozenset(("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "none"))
_WRITES_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eE][+-]?[0-9]+)?")
MOST_DIGITS = 30


@dataclass(frozen=True)
class Text:
    """A cell that is a text, or a truth value, which is the text that Python shows."""

    text: str


Meaning = Text | Fraction | None  # None is missing, a Fraction is a number; two cells are the same if these are equal


class NoNumber(Exception):
    """A number is needed, and the cell is none, or an infinite one."""


def meaning(cell: Any, words: frozenset[str] = WORDS) -> Meaning:
    """What the cell is; two cells are the same exactly if their meanings are equal and not None."""
    found = _present(cell)
    return None if found is not None and found in {_present(word) for word in words} else found


def is_missing(cell: Any, words: frozenset[str] = WORDS) -> bool:
    """Whether the cell stands for no value."""
    return meaning(cell, words) is None


def double(cell: Any) -> float:
    """The number that cuts and degrees compare, '007' as 7; NoNumber if there is no finite one."""
    if isinstance(cell, Fraction):
        return float(cell)
    if isinstance(cell, str):
        parts = _parts(cell.strip())
        if parts is None:
            raise NoNumber(cell)
        found = float(cell.strip())
    else:
        meant = _present(cell)
        if not isinstance(meant, Fraction):
            raise NoNumber(cell)
        found = _nearest(meant)
    if not math.isfinite(found):
        raise NoNumber(cell)
    return found


def _present(cell: Any) -> Meaning:
    """The meaning where no word stands for missing."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, Fraction):
        return cell
    if isinstance(cell, str):
        return _of_text(cell.strip())
    if type(cell).__name__ in ("bool", "bool_"):
        return Text(str(bool(cell)))
    if isinstance(cell, int) or type(cell).__name__.startswith(("int", "uint")):
        return Fraction(int(cell))
    if type(cell).__name__ == "Decimal":
        return Fraction(cell) if cell == cell.to_integral_value() else Fraction(float(cell))
    if cell != cell:
        return None
    number = float(cell)
    return Text(str(number)) if math.isinf(number) else Fraction(number)


def _of_text(text: str) -> Meaning:
    parts = _parts(text)
    if not text or parts is None:
        return Text(text) if text else None
    _, digits, decimals, exponent = parts
    if len(digits) > 1 and digits[0] == "0":  # a needless zero in front: a code
        return Text(text)
    if decimals is None and not exponent and len(digits) <= MOST_DIGITS:
        return Fraction(int(text))
    number = float(text)
    return Text(text) if math.isinf(number) else Fraction(number)


def _parts(text: str) -> tuple[str, str, str | None, str] | None:
    """Sign, digits, decimals and exponent of a text that writes a number."""
    found = _WRITES_NUMBER.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        return None
    return found[1], found[2], found[3], found[4] or ""


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
