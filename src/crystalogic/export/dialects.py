"""Dialects of SQL: how each engine reads a number from a column of any type, and the few words that differ.

Standard SQL cannot ask whether a text is a number, so there a column of numbers must be of a number type. SQLite gives
any column any value; a number is what equals its own cast.
"""

from dataclasses import dataclass

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


_EQUALS_ITS_CAST = (
    f"CASE WHEN {{x}} = CAST({{x}} AS %s) "
    f"AND CAST({{x}} AS DOUBLE PRECISION) BETWEEN -{LARGEST} AND {LARGEST} "
    "THEN CAST({x} AS DOUBLE PRECISION) END"
)
_EQUALS = "{x} = CAST({value} AS DOUBLE PRECISION)"
_PG_TYPE = "pg_typeof({x})::TEXT"

DIALECTS = {
    dialect.name: dialect
    for dialect in (
        SqlDialect(
            "standard",
            _EQUALS_ITS_CAST % "DOUBLE PRECISION",
            _EQUALS,
            is_digit="{text} = '{digit}'",
            tells_case=True,
            has_wide_integers=False,
        ),
        SqlDialect(
            "sqlite",
            _EQUALS_ITS_CAST % "NUMERIC",  # a whole number beyond 2^53 is not equal to its nearest double
            f"{_EQUALS} AND LTRIM({{x}}, ' +-') NOT GLOB '0[0-9]*'",
            digits="SUBSTR({text}, 1 + ({text} GLOB '+[0-9]*'))",
            is_whole="{digits} NOT GLOB '*[^0-9-]*'",
            is_truth="",  # there are no Booleans, a text 'true' is a text
            is_digit="typeof({x}) = 'integer' AND {x} = {digit}",
            once="MATERIALIZED ",
            exact_decimals=False,
            has_wide_integers=False,
        ),
        SqlDialect(
            "duckdb",
            # 1_000, +-5 and TRUE are numbers nowhere else
            r"CASE WHEN isfinite(TRY_CAST({x} AS DOUBLE)) AND NOT regexp_matches(CAST({x} AS VARCHAR), '[_tf]|\+-') "
            "THEN TRY_CAST({x} AS DOUBLE) END",
            "TRY_CAST({x} AS DOUBLE) = {value} "
            r"AND NOT regexp_matches(CAST({x} AS VARCHAR), '[_tf]|\+-|^[\s+-]*0[0-9]')",
            # NaN is left out of the statistics of Parquet files, by which DuckDB decides comparisons and isnan, and
            # knows the texts of a column that has one number; it does not do so of isfinite and of lists
            is_finite="isfinite({x})",
            is_nan="NOT (isfinite({x}) OR isinf({x}))",
            text="CAST([{x}][1] AS VARCHAR)",
            digits=r"CASE WHEN typeof({x}) LIKE 'DECIMAL%' THEN regexp_replace({text}, '\.0*$', '') "
            r"ELSE regexp_replace({text}, '^\+([0-9])', '\1') END",
            is_whole="regexp_full_match({digits}, '-?[0-9]+')",
            among="COALESCE(array_position([{texts}], {x}), 0) > 0",  # IN becomes a join, slow and without order
            is_truth="typeof({x}) = 'BOOLEAN' AND {text} = '{word}'",
            is_no_text="typeof({x}) IN ('BOOLEAN', 'DOUBLE', 'FLOAT')",
            double_type="DOUBLE",
        ),
        SqlDialect(
            "postgresql",
            # a double that is too large or too small would end the query, as a NUMERIC it does not
            "CASE WHEN {x}::TEXT ~* "
            r"'^(?!.{{255}})\s*[+-]?(?=\.?[0-9])[0-9]*\.?[0-9]*(e[+-]?[0-9]{{1,4}})?\s*$' THEN "
            "CASE WHEN ABS({x}::TEXT::NUMERIC) < 2.4703282292062328e-324 THEN 0 "
            "WHEN ABS({x}::TEXT::NUMERIC) < 1.797693134862315808e308 THEN {x}::TEXT::FLOAT8 END END",
            r"{number} = {value} AND {x}::TEXT !~ '^[\s+-]*0[0-9]'",
            is_nan="{x} = 'NaN'",
            digits=rf"CASE {_PG_TYPE} WHEN 'numeric' THEN regexp_replace({{text}}, '\.0*$', '') "
            r"ELSE regexp_replace({text}, '^\+([0-9])', '\1') END",
            is_whole="{digits} ~ '^-?[0-9]+$'",
            is_truth=f"{_PG_TYPE} = 'boolean' AND {{text}} = '{{word}}'",
            is_no_text=f"{_PG_TYPE} IN ('boolean', 'double precision', 'real', 'numeric')",
            text="{x}::TEXT",
            once="MATERIALIZED ",
            tells_case=True,
            name_bytes=63,
        ),
        SqlDialect(
            "spark",
            f"CASE WHEN ABS(TRY_CAST({{x}} AS DOUBLE)) <= {LARGEST} "
            "AND NOT CAST({x} AS STRING) RLIKE '[a-df-zA-DF-Z]' THEN TRY_CAST({x} AS DOUBLE) END",
            "TRY_CAST({x} AS DOUBLE) = {value} AND NOT CAST({x} AS STRING) RLIKE '[a-df-zA-DF-Z]|^[ +-]*0[0-9]'",
            is_nan="isnan({x})",
            digits="REGEXP_REPLACE({text}, '^[+]([0-9])', '$1')",
            is_whole="{digits} RLIKE '^-?[0-9]+$'",
            is_truth="typeof({x}) = 'boolean' AND {text} = '{word}'",
            is_no_text="typeof({x}) IN ('boolean', 'double', 'float')",
            text="CAST({x} AS STRING)",
            double_type="DOUBLE",
            identifier_quote="`",
            backslash_escapes=True,
        ),
    )
}


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
