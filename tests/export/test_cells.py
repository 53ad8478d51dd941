"""Every export says of a cell what docs/cells.md says: its level, its number, whether it is missing."""

import math
import sqlite3
import weakref
from contextlib import ExitStack
from decimal import Decimal
from functools import cache

import numpy as np
import pytest

import export_engines as engines
from crystalogic.cells import MISSING_WORDS, level_of, levels_of, number_of
from crystalogic.encoding import Cut, Encoding, Is, Missing
from crystalogic.encoding.encoding import Column
from crystalogic.export import to_python, to_sql
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse

LARGE = 2**53
LEVELS = (
    "1", "0", "-4.5", "0.1", "1e-05", "7", "007", "red", "a b", "True", "true", "inf", "1e400", "4000123412341234",
    str(LARGE), str(LARGE + 1), str(-LARGE - 1), "10000000000000000", "123456789012345678901234567890", "1e+31",
    "nan", "1_0",
)  # fmt: skip
TEXTS = (
    *LEVELS, "+1", "1.0", "1e0", "1.", " 1 ", "10e-1", "01", "1 0", "+-1", "-0", "-0.0", "0.0", "00", "0e5", "0x1",
    ".1", "+.1e0", "0.10", "-04.5", "-4.50", "0.00001", "1E-5", "7.0", "+007", "07", "red ", "Red", "a  b", "false",
    "False", "1e-400", "1e999", "5e-324", "4000123412341234.0", "4.000123412341234e15", f"+{LARGE + 1}",
    f"{LARGE + 1}.0", f"{LARGE}.0", f"0{LARGE}", f"++{LARGE + 1}", f"+-{LARGE + 1}", "1e16", "1e31", "1" + "0" * 31,
    "1d", "1f", "", "  ", "?", "NA", "N/A", "NULL", "none", "NaN", "-9", "-9.0", "-09", "-9e0", "٣", "1e", ".", "e5",
    "-", "1,5", None,
)  # fmt: skip
NUMBERS = (
    1.0, 0.0, -0.0, -4.5, 0.1, 1e-05, 7.0, math.nan, float(LARGE), float(LARGE + 2), 4000123412341234.0, 1e16, 1e31,
    -9.0, 5e-324, 1e300,
)  # fmt: skip
WHOLE = (1, 0, -4, 7, LARGE - 1, LARGE, LARGE + 1, -LARGE - 1, 10**16, 2**62, -9, 4000123412341234, None)
OWN_WORDS = levels_of(["-9", "x", "007", "None", str(LARGE)])

needs_node = pytest.mark.skipif(engines.NODE is None, reason="no JavaScript engine: node is not installed")
needs_gcc = pytest.mark.skipif(engines.GCC is None, reason="no C compiler: gcc is not installed")
both_words = pytest.mark.parametrize("words", [MISSING_WORDS, OWN_WORDS], ids=["usual words", "own words"])


@cache
def facts(words, kind="category"):
    """A model with a formula for each level, and one for what is missing."""
    levels = LEVELS if words == MISSING_WORDS else tuple(each for each in LEVELS if each not in words)
    literals = (*(Is("x", level) for level in levels), Missing("x"))
    encoding = Encoding((Column("x", kind, literals, levels, True, missing_words=words),))
    formulas = [parse("{" + literal.name.replace("\\", "\\\\") + "}") for literal in literals]
    return model_of(formulas, encoding, "y", tuple(range(len(formulas))))


def expected_facts(cells, words):
    (column,) = facts(words).encoding.columns
    levels = [level_of(cell, column.words) for cell in cells]
    known = [literal.value for literal in column.literals[:-1]]
    return np.array([[*(level == each for each in known), level is None] for level in levels], float)


def assert_facts(found, cells, words):
    expected = expected_facts(cells, words)
    names = [literal.name for literal in facts(words).encoding.columns[0].literals]
    apart = [(cells[row], names[place]) for row, place in np.argwhere(found.degrees != expected)]
    assert apart == []


@both_words
def test_python_tells_levels_apart(words):
    for cells in (TEXTS, NUMBERS, WHOLE, (True, False, np.float32(0.1), Decimal("0.1"), Decimal(LARGE + 1), math.inf)):
        assert_facts(engines.run_python(facts(words), {"x": cells}), cells, words)


@needs_node
@both_words
def test_javascript_tells_levels_apart(words):
    for cells in (TEXTS, NUMBERS, WHOLE, (True, False, math.inf)):
        assert_facts(engines.run_javascript(facts(words), {"x": cells}), cells, words)


@needs_gcc
@both_words
def test_c_tells_levels_apart(words):
    assert_facts(engines.run_c(facts(words), {"x": TEXTS}), TEXTS, words)
    assert_facts(engines.run_c(facts(words, "code"), {"x": NUMBERS}), NUMBERS, words)


@both_words
def test_onnx_tells_levels_apart(words):
    """A text with more than two digits in its exponent is a number only if it is written as the rule shows it."""
    texts = [text for text in TEXTS if text != "1e-400"]
    assert_facts(engines.run_onnx(facts(words), {"x": texts}), texts, words)
    assert_facts(engines.run_onnx(facts(words, "code"), {"x": NUMBERS}), NUMBERS, words)


def in_sql(words, cells, dialect, ask, types=None, kind="category"):
    model, rows = facts(words, kind), {"x": cells}
    found = engines.asked(model, rows, dialect, ask, by_expression=False, types=types and {"x": types})
    assert_facts(found, cells, words)


@both_words
@pytest.mark.parametrize("kind", ["category", "code"])
def test_sqlite_tells_levels_apart(words, kind):
    for types in (None, "text"):
        in_sql(words, TEXTS, "sqlite", engines.sqlite_asker({"x": TEXTS}), types, kind)
    for types in (None, "number"):
        cells = tuple(None if cell != cell else cell for cell in NUMBERS)  # there is no NaN
        in_sql(words, cells, "sqlite", loose_sqlite(cells), types, kind)
    for types in (None, "integer"):
        in_sql(words, WHOLE, "sqlite", loose_sqlite(WHOLE), types, kind)


def loose_sqlite(cells):
    """SQLite with a column that keeps what it is given."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE TABLE "the rows" ("{engines.ROW}" INTEGER, x)')
    connection.executemany('INSERT INTO "the rows" VALUES (?, ?)', enumerate(cells))

    def ask(query):
        return connection.execute(query).fetchall()

    weakref.finalize(ask, connection.close)
    return ask


@both_words
@pytest.mark.parametrize("kind", ["category", "code"])
def test_duckdb_tells_levels_apart(words, kind):
    for types in (None, "text"):
        in_sql(words, TEXTS, "duckdb", duckdb_column(TEXTS, "VARCHAR"), types, kind)
    for types in (None, "number"):
        in_sql(words, NUMBERS, "duckdb", duckdb_column(NUMBERS, "DOUBLE"), types, kind)
    for types in (None, "integer"):
        for width in ("BIGINT", "HUGEINT"):
            in_sql(words, WHOLE, "duckdb", duckdb_column(WHOLE, width), types, kind)
    truths, singles = (True, False, None), (0.1, 1.0, -9.0, math.nan)
    in_sql(words, truths, "duckdb", duckdb_column(truths, "BOOLEAN"), None, kind)
    in_sql(words, tuple(map(np.float32, singles)), "duckdb", duckdb_column(singles, "FLOAT"), None, kind)
    decimals = tuple(None if cell is None else Decimal(cell) for cell in WHOLE)
    in_sql(words, decimals, "duckdb", duckdb_column(decimals, "DECIMAL(30, 2)"), None, kind)


def duckdb_column(cells, kind):
    opened = ExitStack()
    connection = opened.enter_context(engines.empty_duckdb())
    connection.execute(f'CREATE TABLE "the rows" ("{engines.ROW}" INTEGER, x {kind})')
    connection.executemany('INSERT INTO "the rows" VALUES (?, ?)', list(enumerate(cells)))

    def ask(query):
        return connection.execute(query).fetchall()

    weakref.finalize(ask, opened.close)
    return ask


@pytest.fixture(scope="module")
def postgresql():
    with engines.postgresql() as run:
        if run is None:
            pytest.skip("no PostgreSQL server can be started here: postgres, initdb or psql is missing")
        yield run


@both_words
@pytest.mark.parametrize("kind", ["category", "code"])
def test_postgresql_tells_levels_apart(postgresql, words, kind):
    for types in (None, "text"):
        in_sql(words, TEXTS, "postgresql", postgresql_column(postgresql, TEXTS, "TEXT"), types, kind)
    for types in (None, "number"):
        ask = postgresql_column(postgresql, NUMBERS, "DOUBLE PRECISION")
        in_sql(words, NUMBERS, "postgresql", ask, types, kind)
    for types in (None, "integer"):
        for width in ("BIGINT", "NUMERIC(30, 0)"):
            in_sql(words, WHOLE, "postgresql", postgresql_column(postgresql, WHOLE, width), types, kind)
    decimals = tuple(None if cell is None else Decimal(cell) for cell in WHOLE)
    in_sql(words, decimals, "postgresql", postgresql_column(postgresql, decimals, "NUMERIC(30, 2)"), None, kind)
    truths = (True, False, None)
    in_sql(words, truths, "postgresql", postgresql_column(postgresql, truths, "BOOLEAN"), None, kind)


def postgresql_column(run, cells, kind):
    ask = engines.postgresql_asker(run, {"x": cells}, "TEXT")
    run(f'ALTER TABLE "the rows" ALTER COLUMN x TYPE {kind} USING x::{kind}', "")
    return ask


def test_standard_sql_tells_texts_and_numbers_of_a_number_type_apart():
    """It cannot ask a text whether it is a number: those of a text column are compared in a few plain spellings."""
    plain = [text for text in TEXTS if text in (None, "") or text[:1].isalpha()]
    plain += ["1", "1.0", "1.", "+1", " 1 ", "01", "-4.5", "-4.50", "7", "007", str(LARGE), str(LARGE + 1)]
    for ask in (engines.sqlite_asker({"x": plain}), duckdb_column(plain, "VARCHAR")):
        in_sql(MISSING_WORDS, plain, "standard", ask, "text")
    small = tuple(number for number in NUMBERS if abs(number) < LARGE)
    in_sql(MISSING_WORDS, small, "standard", duckdb_column(small, "DOUBLE"), None, "code")
    in_sql(MISSING_WORDS, WHOLE, "standard", duckdb_column(WHOLE, "BIGINT"), None, "code")


@cache
def cut(words, has_missing):
    column = Column("x", "number", (Cut("x", -20.0), Missing("x")), (), has_missing, missing_words=words)
    return model_of([parse("{x ≥ -20}")], Encoding((column,)), "y", ("no", "yes"))


def expected_cut(cells, words, has_missing):
    decided = []
    for cell in cells:
        number, is_missing = number_of(cell), level_of(cell, words) is None
        if (is_missing and not has_missing) or (not is_missing and not math.isfinite(number)):
            decided.append(None)
        else:
            decided.append("yes" if not is_missing and number >= -20 else "no")
    return decided


every_number_reader = pytest.mark.parametrize("has_missing", [False, True], ids=["complete", "with gaps"])


@both_words
@every_number_reader
def test_a_number_that_stands_for_missing_is_no_number_in_any_export(words, has_missing):
    """-9 for missing was a number in exports: a rule over {x ≥ -20} called it high."""
    model = cut(words, has_missing)

    def check(found, cells):
        apart = zip(cells, found.decisions, expected_cut(cells, words, has_missing), strict=True)
        assert [each for each in apart if each[1] != each[2]] == []

    runs = [engines.run_python, *([engines.run_javascript] if engines.NODE else [])]
    for cells in (TEXTS, NUMBERS, WHOLE):
        for run in runs:
            check(run(model, {"x": cells}), cells)
    numbers = (*NUMBERS, math.inf, -math.inf)
    for run in [engines.run_onnx, *([engines.run_c] if engines.GCC else [])]:
        check(run(model, {"x": numbers}), numbers)

    def asked(dialect, ask, cells, types):
        types = types and {"x": types}
        check(engines.asked(model, {"x": cells}, dialect, ask, by_expression=False, types=types), cells)
        check(engines.asked(model, {"x": cells}, dialect, ask, by_expression=True, types=types), cells)

    for types in (None, "text"):
        asked("duckdb", duckdb_column(TEXTS, "VARCHAR"), TEXTS, types)
        asked("sqlite", engines.sqlite_asker({"x": TEXTS}), TEXTS, types)
    for types in (None, "number"):
        asked("duckdb", duckdb_column(numbers, "DOUBLE"), numbers, types)
    for types in (None, "integer"):
        asked("duckdb", duckdb_column(WHOLE, "BIGINT"), WHOLE, types)
        asked("sqlite", loose_sqlite(WHOLE), WHOLE, types)


@both_words
@every_number_reader
def test_postgresql_ends_no_query_for_a_number_that_no_double_holds(postgresql, words, has_missing):
    """A text such as 1e400 or 1e-400 ended the whole query with an error; now it is no number, and 0."""
    texts = (*TEXTS, "9" * 254, "9" * 5000, "1e-9999", "1e9999", "1e99999", "2e-324", "3e-324", "1.8e308", "-1e400")
    model = cut(words, has_missing)
    ask = postgresql_column(postgresql, texts, "TEXT")
    for types in (None, {"x": "text"}):
        found = engines.asked(model, {"x": texts}, "postgresql", ask, by_expression=False, types=types)
        apart = zip(texts, found.decisions, expected_cut(texts, words, has_missing), strict=True)
        assert [each for each in apart if each[1] != each[2]] == []


def test_plain_rules_stay_short():
    assert "BigInt" not in to_python(facts(MISSING_WORDS))
    column = Column("x", "code", (Is("x", "4"),), ("4", "5"), True)
    model = model_of([parse("{x=4}")], Encoding((column,)), "y", ("no", "yes"))
    assert to_sql(model, dialect="duckdb", types={"x": "integer"}) == (
        "CASE WHEN CASE WHEN \"x\" = 4 THEN 1 ELSE 0 END = 1 THEN 'yes' ELSE 'no' END\n"
    )
