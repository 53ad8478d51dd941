"""Every export says of every row what the library says: the same decision, the same degrees to 1e-12.

Score, probability, whether to ask a person, and the probabilities of a list are the same to the last digit.
"""

from functools import cache
from random import Random

import numpy as np
import pytest

import export_engines as engines
from crystalogic import AtLeast, Variable, datasets
from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from export_cases import ENCODING, LAYERED, MODELS, NUMBERS, RISKS, hostile, hostile_rows, loose_rows, said, typed_rows

N_ROWS = 2000
needs_node = pytest.mark.skipif(engines.NODE is None, reason="no JavaScript engine: node is not installed")
needs_gcc = pytest.mark.skipif(engines.GCC is None, reason="no C compiler: gcc is not installed")
FACTS = [make.__name__ for make in RISKS]
every_model = pytest.mark.parametrize("name", MODELS)


@cache
def typed(name):
    rows = typed_rows(N_ROWS, seed=len(name))
    return MODELS[name](), rows, said(MODELS[name](), rows)


@cache
def loose(name):
    rows = loose_rows(N_ROWS, seed=len(name))
    return MODELS[name](), rows, said(MODELS[name](), rows)


def assert_agree(found, expected):
    assert_same_decisions(found, expected)
    np.testing.assert_array_equal(np.isnan(found.degrees), np.isnan(expected.degrees))
    assert np.nanmax(np.abs(found.degrees - expected.degrees), initial=0) <= 1e-12
    assert found.told == expected.told


def differ(found, expected):
    if isinstance(expected, float) and found is not None:
        return abs(found - expected) > 1e-12
    return found != expected


def assert_same_decisions(found, expected):
    assert [i for i, pair in enumerate(zip(found.decisions, expected.decisions, strict=True)) if differ(*pair)] == []


@every_model
def test_rows_have_all_kinds_of_verdicts(name):
    _, _, expected = typed(name)
    decided = {decision for decision in expected.decisions if decision is not None}
    is_constant = name in ("constant", "constant_risk", "cancelled")
    assert len(decided) > 1 or is_constant
    assert None in expected.decisions or name in ("constant", "constant_risk", "one_fact")
    between = (expected.degrees > 0) & (expected.degrees < 1)
    assert between.sum() > 100 or name in ("constant", "facts_only", "listed", *FACTS)
    if name in FACTS:
        assert len({told[:2] for told in expected.told if told[0] is not None}) > 1 or is_constant


@every_model
def test_python_agrees(name):
    for model, rows, expected in (typed(name), loose(name)):
        assert_agree(engines.run_python(model, rows), expected)


@needs_node
@every_model
def test_javascript_agrees(name):
    for model, rows, expected in (typed(name), loose(name)):
        assert_agree(engines.run_javascript(model, rows), expected)


@needs_gcc
@every_model
def test_c_agrees(name):
    model, rows, expected = typed(name)
    assert_agree(engines.run_c(model, rows), expected)


@every_model
def test_onnx_agrees(name):
    model, rows, expected = typed(name)
    assert_agree(engines.run_onnx(model, rows), expected)


def in_sql(model, rows, expected, dialect, ask, types=None):
    assert_agree(engines.asked(model, rows, dialect, ask, by_expression=False, types=types), expected)
    if model.target not in ("deep", "share") and len(model.formulas) < 10:  # too long as one expression
        found = engines.asked(model, rows, dialect, ask, by_expression=True, types=types)
        assert_same_decisions(found, expected)


@every_model
def test_sqlite_agrees(name):
    model, rows, expected = typed(name)
    for number in ("REAL", "TEXT", "BLOB"):
        in_sql(model, rows, expected, "sqlite", engines.sqlite_asker(rows, number))


@every_model
def test_duckdb_agrees(name):
    model, rows, expected = typed(name)
    for number in ("DOUBLE", "VARCHAR"):
        in_sql(model, rows, expected, "duckdb", engines.duckdb_asker(rows, number))


COLUMNS = [column.name for column in ENCODING.columns]
DOUBLES = {column: "number" if column in NUMBERS else "text" for column in COLUMNS}
TEXTS = dict.fromkeys(COLUMNS, "text")


@every_model
def test_stated_types_change_no_decision(name):
    """NaN is greater than all numbers in DuckDB, and there is none in SQLite; infinite numbers are in both."""
    model, rows, expected = typed(name)
    for dialect, ask in (("duckdb", engines.duckdb_asker(rows)), ("sqlite", engines.sqlite_asker(rows))):
        in_sql(model, rows, expected, dialect, ask, DOUBLES)


@every_model
def test_numbers_in_a_text_column_are_compared_as_the_library_compares_texts(name):
    """A code such as '04' is not 4 where it is a text; without stated types SQL takes it for the number."""
    _, rows, _ = typed(name)
    texts = engines.as_texts(rows)
    texts = {**texts, "cp": [f"0{text}" if index % 3 else text for index, text in enumerate(texts["cp"])]}
    model = MODELS[name]()
    in_sql(model, texts, said(model, texts), "duckdb", engines.duckdb_asker(texts, "VARCHAR"), TEXTS)


@every_model
def test_whole_numbers_are_compared_as_they_are(name):
    """Whole numbers from far below the ranges to far above them, and NULL."""
    draw = Random(3)
    values = [-(10**18), -200, -1, 0, 3, 4, 29, 53, 54, 55, 77, 131, 10**18, None]
    rows = {
        **typed(name)[1],
        **{column: [draw.choice(values) for _ in range(N_ROWS)] for column in NUMBERS},
    }
    model = MODELS[name]()
    types = {column: "integer" if column in NUMBERS else "text" for column in COLUMNS}
    for dialect, ask in (
        ("duckdb", engines.duckdb_asker(rows, "BIGINT")),
        ("sqlite", engines.sqlite_asker(rows, "INTEGER")),
    ):
        in_sql(model, rows, said(model, rows), dialect, ask, types)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in LAYERED])
def test_standard_sql_agrees_on_two_engines(name):
    model, rows, expected = typed(name)
    for ask in (engines.sqlite_asker(rows), engines.duckdb_asker(rows)):
        in_sql(model, rows, expected, "standard", ask)


@pytest.fixture(scope="module")
def postgresql():
    with engines.postgresql() as run:
        if run is None:
            pytest.skip("no PostgreSQL server can be started here: postgres, initdb or psql is missing")
        yield run


def test_postgresql_agrees(postgresql):
    for name in MODELS:
        model, rows, expected = typed(name)
        ask = engines.postgresql_asker(postgresql, rows)
        in_sql(model, rows, expected, "postgresql", ask)
        in_sql(model, rows, expected, "postgresql", ask, DOUBLES)
        if name not in (*LAYERED, "graded"):
            in_sql(model, rows, expected, "standard", ask)
    model, rows, expected = typed("heart")
    in_sql(model, rows, expected, "postgresql", engines.postgresql_asker(postgresql, rows, "TEXT"))


@pytest.mark.parametrize("run", [engines.run_python, engines.run_onnx])
def test_hostile_names_do_no_harm(run):
    model, rows = hostile(), hostile_rows(500)
    assert_agree(run(model, rows), said(model, rows))


@needs_node
def test_hostile_names_do_no_harm_in_javascript():
    model, rows = hostile(), hostile_rows(500)
    assert_agree(engines.run_javascript(model, rows), said(model, rows))


@needs_gcc
def test_hostile_names_do_no_harm_in_c():
    model, rows = hostile(), hostile_rows(500)
    assert_agree(engines.run_c(model, rows), said(model, rows))


def test_hostile_names_do_no_harm_in_sql():
    model, rows = hostile(), hostile_rows(500)
    expected = said(model, rows)
    for dialect, ask in (("sqlite", engines.sqlite_asker(rows)), ("duckdb", engines.duckdb_asker(rows))):
        in_sql(model, rows, expected, dialect, ask)
        in_sql(model, rows, expected, "standard", ask)


def test_hostile_names_do_no_harm_in_postgresql(postgresql):
    model, rows = hostile(), hostile_rows(500)
    in_sql(model, rows, said(model, rows), "postgresql", engines.postgresql_asker(postgresql, rows))


@pytest.mark.parametrize("name", datasets.NAMES)
def test_real_rows_agree(name):
    """A rule over the dozen facts of each data set that say most, on its own rows."""
    frame = datasets.load(name).frame()
    encoding = fit_encoding(frame)
    balance = np.abs(encoding.transform(frame).mean(axis=0) - 0.5)
    facts = [Variable(encoding.names[index]) for index in np.argsort(balance)[:12]]
    formula = AtLeast(3, *facts[:6]) & (~facts[0] | AtLeast(2, *facts[4:]))
    model = model_of([formula], encoding, "class", ("no", "yes"))
    rows = {column: frame[column].head(1000).tolist() for column in model.columns}
    expected = said(model, rows)
    assert len(set(expected.decisions)) == 2
    assert_agree(engines.run_python(model, rows), expected)
    texts = {column: [None if value != value else str(value) for value in rows[column]] for column in rows}
    in_sql(model, rows, expected, "duckdb", engines.duckdb_asker(texts, "VARCHAR"))
    in_sql(model, rows, expected, "sqlite", engines.sqlite_asker(texts, "TEXT"))


@pytest.mark.parametrize("text", ["1_0", "٣", "1e1_0", "4 ", "+4", "4.", "0x10", "１"])
def test_a_text_is_a_number_everywhere_or_nowhere(text):
    """DuckDB and Python read 1_0 as 10, JavaScript and SQLite did not: now it is a number nowhere."""
    names = ("age", "cp")
    encoding = fit_encoding({"age": [1, 2, 3.5, 4, 5, 6, 7], "cp": [4, 10, 4, 10, 4, 10, 3]}, numbers="cuts", n_cuts=1)
    model = model_of([Variable("age ≥ 4") & ~Variable("cp=3")], encoding, "y", (0, 1))
    rows = {name: [text, "5", "3"] for name in names}
    expected = said(model, rows)
    assert_agree(engines.run_python(model, rows), expected)
    if engines.NODE:
        assert_agree(engines.run_javascript(model, rows), expected)
    assert_agree(engines.asked(model, rows, "sqlite", engines.sqlite_asker(rows), by_expression=False), expected)
    assert_agree(
        engines.asked(model, rows, "duckdb", engines.duckdb_asker(rows, "VARCHAR"), by_expression=False), expected
    )
