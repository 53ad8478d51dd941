"""What a cell of a table means, and when two cells are the same: the one home of both, told to users in docs/cells.md.

Every cell that is not missing has a level, a canonical text, and two cells are the same exactly if their levels are.
A number has the level that its digits tell, however it was written; any other text is its own level.
"""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

MISSING_WORDS = frozenset({"?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "none"})
NO_WORDS: frozenset[str] = frozenset()  # where words are values: nothing but an empty cell is missing
MOST_DIGITS = 30  # a whole number with more is the nearest double
LARGEST_EXACT = 2**53  # up to here, every whole number is a double
# What databases and JavaScript read as a number too; Python's float also takes 1_000 and the digits of all scripts.
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(rf"[+-]?\d{{1,{MOST_DIGITS}}}", re.ASCII)
_CODE = re.compile(r"[+-]?0\d", re.ASCII)  # a needless zero in front


def is_missing(cell: Any, words: frozenset[str] = MISSING_WORDS) -> bool:
    """Whether the cell stands for no value: it is empty, or its level is one of the words."""
    if words is MISSING_WORDS and isinstance(cell, str):  # quicker, as none of them is a number
        text = cell.strip()
        return not text or text in words
    if words is MISSING_WORDS and type(cell) in (int, float, Decimal):
        return bool(cell != cell)
    return level_of(cell, words) is None


def level_of(cell: Any, words: frozenset[str] = MISSING_WORDS) -> str | None:
    """The canonical text by which cells are equal; None where the cell is missing.

    >>> [level_of(cell) for cell in ("4.0", "+4", 4.0, "007", True, " red ", "NA", None)]
    ['4', '4', '4', '007', 'True', 'red', None, None]
    """
    level = _level(cell)
    return None if level in words else level


def number_of(cell: Any) -> float:
    """The cell as a double, '007' as 7; NaN if it is no number, which truth values, dates and words are."""
    if isinstance(cell, str):
        text = cell.strip()
        return float(text) + 0.0 if _NUMBER.fullmatch(text) else math.nan  # -0.0 is 0.0
    return _double(cell) if _is_number(cell) else math.nan


def level_number(level: str) -> int | float | None:
    """The exact number that a level stands for, an int if it is whole; None if it stands for a text."""
    if not _NUMBER.fullmatch(level) or _CODE.match(level):
        return None
    return int(level) if _WHOLE.fullmatch(level) else _exact(float(level))


def number_text(number: float) -> str:
    """The canonical text of a number: all digits of a whole one, otherwise the fewest that tell the double.

    >>> number_text(4.0), number_text(0.1), number_text(-0.0), number_text(2**53 + 1), number_text(1e300)
    ('4', '0.1', '0', '9007199254740993', '1e+300')
    """
    exact = _exact(number)
    return str(exact) if isinstance(exact, int) and abs(exact) < 10**MOST_DIGITS else repr(_double(number))


def levels_of(words: Iterable[Any]) -> frozenset[str]:
    """Words for missing as users write them, as levels: -9 stands for -9.0 too."""
    return frozenset(level for level in map(_level, words) if level is not None)


def _level(cell: Any) -> str | None:
    """The level if no word were one for missing; None for nothing."""
    if isinstance(cell, str):
        text = cell.strip()
        number = level_number(text)
        is_text = number is None or math.isinf(number)  # 1e400 is no number that anything could be compared with
        return (text if is_text else number_text(number or 0)) or None
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or cell != cell:
        return None
    return number_text(cell) if _is_number(cell) else str(cell).strip() or None


def _is_number(cell: Any) -> bool:
    """Whether a cell that is no text is a number; numpy counts its lengths of time among the whole ones."""
    if getattr(getattr(cell, "dtype", None), "kind", "") in ("m", "M", "b"):
        return False
    return isinstance(cell, (Real, Decimal)) and not isinstance(cell, bool)


def _exact(number: Any) -> int | float:
    """A whole number as it is, any other as the nearest double."""
    double = _double(number)
    return whole if math.isfinite(double) and (whole := int(number)) == number else double


def _double(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # a whole number with more than 308 digits
        return math.inf if number > 0 else -math.inf
