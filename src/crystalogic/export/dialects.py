"""Dialects of SQL: how each engine reads a number from a column of any type, and the few words that differ.

Standard SQL cannot ask whether a text is a number, so there a column of numbers must be of a number type. SQLite gives
any column any value; a number is what equals its own cast.
"""

import tomllib
from dataclasses import dataclass
from importlib import resources

from crystalogic.errors import ExportError

LARGEST = "1.7976931348623157e308"  # the largest finite number


@dataclass(frozen=True)
class SqlDialect:
    """The words of one engine, as expressions of a column {x} and of its {text} without spaces around it."""

    name: str
    number: str  # NULL for what is no finite number
    equals: str  # whether the column, read as {number}, is the number {value}, and no code such as 007
    is_finite: str = f"ABS({{x}}) <= {LARGEST}"  # of a column of doubles
    is_nan: str = ""  # of a column of doubles; nothing where there is no NaN
    digits: str = "LTRIM({text}, '+')"  # a whole number in plain digits
    is_whole: str = ""  # whether these {digits} are nothing else; nothing where that cannot be asked
    among: str = "{x} IN ({texts})"  # whether the text {x} is one of the {texts}
    is_truth: str = "{text} = '{word}'"  # whether the column is a Boolean, true or false by {word}
    is_digit: str = ""  # whether a column of truth values has them as the {digit} 1 or 0; nothing where Booleans exist
    is_no_text: str = ""  # whether the column is of truth values or doubles, whose texts are the engine's
    text: str = "CAST({x} AS VARCHAR)"
    double_type: str = "DOUBLE PRECISION"
    once: str = ""  # what stops the engine from computing a named step again wherever it is used; DuckDB does not
    identifier_quote: str = '"'
    backslash_escapes: bool = False
    exact_decimals: bool = True  # whether a decimal number of 17 digits is read exactly
    tells_case: bool = False  # whether "x" and "X" are two columns
    name_bytes: int | None = None  # to which a longer name is cut
    has_wide_integers: bool = True  # whether a whole number of 30 digits is read exactly


_FILE = resources.files("crystalogic.export").joinpath("dialects.toml").read_text(encoding="utf-8")
DIALECTS = {name: SqlDialect(name, **words) for name, words in tomllib.loads(_FILE).items()}


def dialect_named(name: str) -> SqlDialect:
    """The dialect, or an ExportError that lists them."""
    if name not in DIALECTS:
        message = f"there is no SQL dialect {name!r}; there are {', '.join(DIALECTS)}."
        raise ExportError(message)
    return DIALECTS[name]


def exact_number(number: float, dialect: SqlDialect) -> str:
    """A number that the engine reads as exactly this double."""
    number = float(number)
    if number.is_integer() and abs(number) < 2**31:
        return str(int(number))
    text = repr(number)
    text = text if "e" in text else f"{text}e0"  # without an exponent it would be a decimal, not a double
    digits = text.partition("e")[0].replace(".", "").lstrip("-0")
    if dialect.exact_decimals or (len(digits) <= 15 and 1e-15 < abs(number) < 1e15):
        return text
    top, bottom = number.as_integer_ratio()
    return f"(CAST({top} AS REAL) / {bottom})" if max(abs(top), bottom) < 2**63 else text
