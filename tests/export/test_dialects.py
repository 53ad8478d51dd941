"""Dialects of databases that are not run here: sqlglot parses them, and translates them for DuckDB, which runs them."""

import re

import pytest

import export_engines as engines
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import ExportError
from crystalogic.export import to_sql
from crystalogic.export.quoting import DIALECTS
from crystalogic.fitting import model_of
from crystalogic.logic.formula import Variable
from export_cases import COLUMNS, MODELS, NUMBERS, hostile, hostile_rows, said, typed_rows

sqlglot = pytest.importorskip("sqlglot")
PARSERS = {"sqlserver": "tsql", "postgresql": "postgres", "standard": ""}
NOT_RUN = ("sqlserver", "oracle", "snowflake", "bigquery")
SHOWN = ("heart", "facts_only", "listed", "three_classes", "checklist", "points", "chained", "graded")
DOUBLES = {column.name: "number" if column.name in NUMBERS else "text" for column in COLUMNS}

# What sqlglot leaves as it is: where DuckDB has other words for it.
REPLACED = {
    "sqlserver": (
        (r"CONVERT\(NVARCHAR\(4000\), (\[[^]]*\]), 3\)", r"CAST(\1 AS NVARCHAR(4000))"),
        (r" COLLATE Latin1_General_100_BIN2", ""),
        (r"AS BIT\)", "AS BOOLEAN)"),
        (r"NOT LIKE N'%\[\^0-9.eE\+-\]%'", "SIMILAR TO '[0-9.eE+-]*'"),
        (r"NOT LIKE N'%\[\^0-9-\]%'", "SIMILAR TO '[0-9-]*'"),
        (r"LIKE N'%\[0-9\]%'", "SIMILAR TO '.*[0-9].*'"),
        (r"LIKE N'\+\[0-9\]%'", "SIMILAR TO '[+][0-9].*'"),
        (r"LIKE N'((?:\[\+-\])?)0\[0-9\]%'", r"SIMILAR TO '\g<1>0[0-9].*'"),
    ),
    "oracle": (
        (r'CAST\(("[^"]*") AS BINARY_DOUBLE DEFAULT NULL ON CONVERSION ERROR\)', r"TRY_CAST(\1 AS BINARY_DOUBLE)"),
        (r'("[^"]*") IS NAN', r"ISNAN(\1)"),
        (r"COALESCE\((TRIM\([^,]*\)), ", r"COALESCE(NULLIF(\1, ''), "),  # the empty text is NULL
        (r"BINARY_DOUBLE_INFINITY", "CAST('inf' AS BINARY_DOUBLE)"),
    ),
    "snowflake": (
        (r'AS_DOUBLE\(TO_VARIANT\(("[^"]*")\)\)', r"CASE WHEN TYPEOF(\1) = 'DOUBLE' THEN TRY_CAST(\1 AS DOUBLE) END"),
        (r'TYPEOF\(TO_VARIANT\(("[^"]*")\)\)', r"TYPEOF(\1)"),
    ),
    "bigquery": (),
}


def translated(query, dialect):
    for pattern, replacement in REPLACED[dialect]:
        query = re.sub(pattern, replacement, query)
    tree = sqlglot.parse_one(query, read=PARSERS.get(dialect, dialect))
    return tree.sql(dialect="duckdb")


def plain(value):
    """SQL Server and Oracle have 1 and 0 for truth values."""
    return int(value) if isinstance(value, bool) else value


def compared(model, rows, dialect, ask, types):
    found = engines.asked(model, rows, dialect, lambda q: ask(translated(q, dialect)), by_expression=False, types=types)
    expected = said(model, rows)
    assert list(map(plain, found.decisions)) == list(map(plain, expected.decisions))
    assert [tuple(map(plain, each)) for each in found.told] == [tuple(map(plain, each)) for each in expected.told]


@pytest.mark.parametrize("dialect", NOT_RUN)
def test_translated_queries_decide_as_the_library(dialect):
    rows = typed_rows(200, seed=100)
    if dialect == "sqlserver":  # which has no NaN
        rows = {name: [None if value != value else value for value in values] for name, values in rows.items()}
    ask = engines.duckdb_asker(rows)
    for types in (DOUBLES, None):
        for name in SHOWN:
            compared(MODELS[name](), rows, dialect, ask, types)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("types", [DOUBLES, None], ids=["stated", "any"])
def test_every_dialect_is_one_query(dialect, types):
    for name in MODELS:
        text = to_sql(MODELS[name](), table="main.x", dialect=dialect, types=types)
        (tree,) = sqlglot.parse(text, read=PARSERS.get(dialect, dialect))
        assert isinstance(tree, sqlglot.exp.Select)
        assert [table.name for table in tree.find_all(sqlglot.exp.Table) if table.db] == ["x"]


@pytest.mark.parametrize("dialect", [each for each in NOT_RUN if each != "oracle"])
def test_hostile_names_stay_names(dialect):
    model, rows = hostile(), hostile_rows(200)
    (tree,) = sqlglot.parse(to_sql(model, table="x", dialect=dialect), read=PARSERS.get(dialect, dialect))
    asked = {column.name for column in tree.find_all(sqlglot.exp.Column)}
    assert set(model.columns) <= asked or dialect == "bigquery"  # sqlglot does not read what it escapes in names
    texts = {literal.this for literal in tree.find_all(sqlglot.exp.National, sqlglot.exp.Literal)}
    values = {literal.value for literal in model.encoding.literals.values()}
    assert len(values & texts) >= len(values) - 3 * (dialect == "bigquery")
    if dialect == "snowflake":
        compared(model, rows, dialect, engines.duckdb_asker(rows), None)


def test_case_and_trailing_spaces_are_no_matter_of_collation():
    """SQL Server takes 'Male' for 'male' in the collation that most databases have."""
    query = to_sql(MODELS["one_fact"](), table="x", dialect="sqlserver", types={"sex": "text"})
    assert "TRIM([sex]) COLLATE Latin1_General_100_BIN2 = N'male'" in query


def test_oracle_has_no_empty_text():
    query = to_sql(MODELS["checklist"](), table="x", dialect="oracle", types={"grade": "text"})
    assert "''" not in query
    assert "COALESCE(TRIM(\"grade\"), ' ') IN (' ', '#N/A'" in query


@pytest.mark.parametrize("dialect", ["sqlserver", "oracle"])
def test_there_are_no_truth_values(dialect):
    for name in MODELS:
        for types in (DOUBLES, None):
            text = to_sql(MODELS[name](), table="x", dialect=dialect, types=types)
            assert not re.search(r"\b(TRUE|FALSE)\b", re.sub(r"'[^']*'|--[^\n]*", "", text))


def named(name):
    encoding = Encoding((Column(name, "category", (Is(name, "a"),), ("a", "b")),))
    return model_of([Variable(encoding.names[0])], encoding, "y", (0, 1))


@pytest.mark.parametrize(("dialect", "longest"), [("sqlserver", 128), ("oracle", 128), ("snowflake", 255)])
def test_names_that_are_too_long_are_refused(dialect, longest):
    to_sql(named("x" * longest), table="x", dialect=dialect)
    with pytest.raises(ExportError, match=f"at most {longest} characters"):
        to_sql(named("x" * (longest + 1)), table="x", dialect=dialect)


def test_oracle_has_no_quotes_in_names():
    with pytest.raises(ExportError, match="Rename it and train again"):
        to_sql(named('5" screen'), table="x", dialect="oracle")


def test_line_ends_are_escaped_where_texts_cannot_hold_them():
    query = to_sql(named("a\nb`c\\"), table="x", dialect="bigquery")
    assert "`a\\U0000000ab\\`c\\\\`" in query
