"""Dialects of SQL: how each engine reads a number from a column of any type, and the few words that differ.

Standard SQL cannot ask whether a text is a number, so there a column of numbers must be of a number type. SQLite gives
any column any value; a number is what equals its own cast.
"""

from dataclasses import dataclass

from crystalogic.errors import ExportError

LARGEST = "1.7976931348623157e308"  # the largest finite number


@dataclass(frozen=True)
class Dialect:
    """The words of one engine; `number` is an expression of a column {x}, NULL for what is no finite number."""

    name: str
    number: str
    equals: str = "{number} = {value}"  # whether the column {x}, read as {number}, is a number
    among: str = "{x} IN ({texts})"  # whether the text {x} is one of the {texts}
    is_nan: str = ""  # whether the number {x} is NaN; nothing where there is no NaN
    is_truth: str = "{text} = '{word}'"  # whether the column {x}, as a {text}, is a Boolean, true or false by {word}
    is_digit: str = ""  # whether a column of truth values has them as the {digit} 1 or 0; nothing where Booleans exist
    text_type: str = "VARCHAR"
    double_type: str = "DOUBLE PRECISION"
    strip_zeros: str = "RTRIM({x}, '0')"
    once: str = ""  # what stops the engine from computing a named step again wherever it is used; DuckDB does not
    identifier_quote: str = '"'
    backslash_escapes: bool = False
    exact_decimals: bool = True  # whether a decimal number of 17 digits is read exactly
    tells_case: bool = False  # whether "x" and "X" are two columns
    name_bytes: int | None = None  # to which a longer name is cut


_EQUALS_ITS_CAST = (
    f"CASE WHEN {{x}} = CAST({{x}} AS DOUBLE PRECISION) "
    f"AND CAST({{x}} AS DOUBLE PRECISION) BETWEEN -{LARGEST} AND {LARGEST} "
    "THEN CAST({x} AS DOUBLE PRECISION) END"
)
_EQUALS = "{x} = CAST({value} AS DOUBLE PRECISION)"
_FINITE_CAST = f"CASE WHEN ABS(TRY_CAST({{x}} AS DOUBLE)) <= {LARGEST} THEN TRY_CAST({{x}} AS DOUBLE) END"
_NO_UNDERSCORE = "NOT CONTAINS(CAST({x} AS VARCHAR), '_')"  # DuckDB reads 1_000 as a number, nobody else does
_LOOKS_DECIMAL = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"

DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("standard", _EQUALS_ITS_CAST, _EQUALS, is_digit="{text} = '{digit}'", tells_case=True),
        Dialect(
            "sqlite",
            _EQUALS_ITS_CAST,
            _EQUALS,
            is_truth="",  # there are no Booleans, a text 'true' is a text
            is_digit="typeof({x}) = 'integer' AND {x} = {digit}",
            once="MATERIALIZED ",
            exact_decimals=False,
        ),
        Dialect(
            "duckdb",
            _FINITE_CAST.replace(" THEN", f" AND {_NO_UNDERSCORE} THEN"),
            f"TRY_CAST({{x}} AS DOUBLE) = {{value}} AND {_NO_UNDERSCORE}",
            among="COALESCE(array_position([{texts}], {x}), 0) > 0",  # IN becomes a join, slow and without order
            is_nan="isnan({x})",
            is_truth="typeof({x}) = 'BOOLEAN' AND {text} = '{word}'",
            double_type="DOUBLE",
        ),
        Dialect(
            "postgresql",
            f"CASE WHEN CAST({{x}} AS TEXT) ~ '{_LOOKS_DECIMAL}' "
            "THEN CAST(CAST({x} AS TEXT) AS DOUBLE PRECISION) END",
            is_nan="{x} = 'NaN'",
            is_truth="CAST(pg_typeof({x}) AS TEXT) = 'boolean' AND {text} = '{word}'",
            text_type="TEXT",
            once="MATERIALIZED ",
            tells_case=True,
            name_bytes=63,
        ),
        Dialect(
            "spark",
            _FINITE_CAST,
            "TRY_CAST({x} AS DOUBLE) = {value}",
            is_nan="isnan({x})",
            is_truth="typeof({x}) = 'boolean' AND {text} = '{word}'",
            text_type="STRING",
            double_type="DOUBLE",
            strip_zeros="TRIM(TRAILING '0' FROM {x})",
            identifier_quote="`",
            backslash_escapes=True,
        ),
    )
}


def dialect_named(name: str) -> Dialect:
    """The dialect, or an ExportError that lists them."""
    if name not in DIALECTS:
        message = f"there is no SQL dialect {name!r}; there are {', '.join(DIALECTS)}."
        raise ExportError(message)
    return DIALECTS[name]


def exact_number(number: float, dialect: Dialect) -> str:
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
