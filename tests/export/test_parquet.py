"""One table, one answer: whoever wrote the Parquet file, from `predict` and from SQL over it, and as CSV too."""

import csv
import math
import random
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crystalogic.cells import MISSING_WORDS, levels_of
from crystalogic.cli.app import run
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing
from crystalogic.encoding.encoding import Column
from crystalogic.export import to_sql
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.words.literals import MOST_NOTES
from depth import deep
from export_engines import empty_duckdb

LARGE = 2**53
OWN_WORDS = levels_of(["-9", "none", "x"])
NAN = math.nan
TEXTS = [
    "4", "4.0", "+4", "4e0", " 4 ", "04", "4.5", "4.50", "-0.0", "0", "red", "Red", "red ", "True", "true", "NA", "?",
    "none", "x", "-9", "-9.0", "", "1e400", "1_0", "+-4", "nan", "inf", str(LARGE), str(LARGE + 1), f"{LARGE + 1}.0",
]  # fmt: skip
NUMBER_TEXTS = [
    "4", "4.0", "+4", "4e0", " 4 ", "04", "4.5", "-9", "-9.0", "none", "", "1e-400", "7", "-0.0", ".5", "5.",
]  # fmt: skip
WHOLE = [0, 1, 4, 5, 7, 100]
FLOATS = [0.0, -0.0, 0.1, 4.0, 4.5, 7.0, -1.5, 1e300, 5e-324, -9.0, float(LARGE), NAN, NAN]
TYPES = {  # what a column is of, what it may hold, and what a rule may ask of it
    "int8": (pa.int8(), [*WHOLE, -9], "integer"),
    "uint8": (pa.uint8(), [*WHOLE, 255], "integer"),
    "int16": (pa.int16(), [*WHOLE, -9], "integer"),
    "int32": (pa.int32(), [*WHOLE, -9, -(2**31)], "integer"),
    "uint32": (pa.uint32(), [*WHOLE, 2**32 - 1], "integer"),
    "int64": (pa.int64(), [*WHOLE, -9, LARGE, LARGE + 1, -LARGE - 1, 2**63 - 1], "integer"),
    "uint64": (pa.uint64(), [*WHOLE, LARGE, LARGE + 1, 2**64 - 1], "integer"),
    "float32": (pa.float32(), [0.0, -0.0, 0.1, 4.0, 4.5, 7.0, -9.0, NAN, NAN], "number"),
    "float64": (pa.float64(), FLOATS, "number"),
    "constant": (pa.float64(), [4.0, 4.0, NAN], "number"),
    "decimal": (pa.decimal128(12, 3), [Decimal(text) for text in ("4", "4.5", "0", "-9", "0.1", "7.125")], None),
    "wide": (pa.decimal128(30, 2), [Decimal(text) for text in ("4", "-9", f"{LARGE}.00", f"{LARGE + 1}.00")], None),
    "bool": (pa.bool_(), [True, False], None),
    "string": (pa.string(), TEXTS, "text"),
    "digits": (pa.string(), NUMBER_TEXTS, "text"),
    "large": (pa.large_string(), TEXTS, "text"),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), TEXTS, "text"),
}
MEASURED = [name for name in TYPES if name not in ("bool", "string", "large", "dictionary")]
LEVELS = [
    "4",
    "0",
    "4.5",
    "0.1",
    "04",
    "red",
    "True",
    "true",
    "7",
    "nan",
    "x",
    *map(str, (LARGE, LARGE + 1, 2**63 - 1)),
]


def drawn_column(draw, name):
    """How a rule may read a column of this type: a number, a code or a category, with words of its own or the usual."""
    words = draw.choice([MISSING_WORDS, OWN_WORDS])
    kind = draw.choice(["number", "code"]) if name in MEASURED else "category"
    if name in MEASURED and draw.random() < 0.3:
        kind = "category"
    levels = tuple(draw.sample(LEVELS, 4))
    literals = [*(Is(name, level) for level in levels), Missing(name)]
    if kind == "number":
        literals = [Degree(name, 0.0, 7.0), Cut(name, draw.choice([-20.0, 0.0, 4.0])), Cut(name, 4.5), *literals[-3:]]
    return Column(name, kind, tuple(literals), levels if kind != "number" else (), True, missing_words=words)


def drawn_case(seed):
    """A model with a formula for each of a few literals, and a table whose rows it decides."""
    draw = random.Random(seed)
    names = draw.sample(list(TYPES), 4)
    columns = [drawn_column(draw, name) for name in names]
    literals = [literal for column in columns for literal in draw.sample(column.literals, 1)]
    formulas = [parse("{" + literal.name + "}") for literal in literals]
    formulas.append(parse("at least 2 of (" + ", ".join("{" + each.name + "}" for each in literals) + ")"))
    model = model_of(formulas, Encoding(tuple(columns)), "y", tuple(f"class {i}" for i in range(len(formulas))))
    n_rows = draw.choice([1, 3, 40])
    cells = {}
    for name in names:
        _, values, _ = TYPES[name]
        n_different = draw.choice([1, 2, len(values)])
        pool = [*draw.sample(values, min(n_different, len(values))), *([None] if draw.random() < 0.7 else [])]
        cells[name] = [draw.choice(pool) for _ in range(n_rows)]
    return draw, model, cells


def arrow(cells):
    return pa.table({name: pa.array(values, TYPES[name][0]) for name, values in cells.items()})


def write_by_duckdb(table, path):
    with empty_duckdb() as connection:
        connection.register("t", table).execute(f"COPY t TO '{path}' (FORMAT parquet)")
        connection.unregister("t")


WRITERS = {
    "pyarrow": lambda table, path: pq.write_table(table, path),
    "pyarrow without statistics": lambda table, path: pq.write_table(table, path, write_statistics=False),
    "pyarrow in small groups": lambda table, path: pq.write_table(table, path, row_group_size=3),
    "pandas": lambda table, path: table.to_pandas(types_mapper=pd.ArrowDtype).to_parquet(path),
    "polars": lambda table, path: pl.from_arrow(table).write_parquet(path),
    "polars with all statistics": lambda table, path: pl.from_arrow(table).write_parquet(path, statistics="full"),
    "polars without statistics": lambda table, path: pl.from_arrow(table).write_parquet(path, statistics=False),
    "duckdb": lambda table, path: write_by_duckdb(table, path),
}


@pytest.fixture
def predict(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = run(["predict", "m.json", *arguments])
        captured = capsys.readouterr()
        notes = sorted(captured.err.splitlines())  # in the order in which parts of a table show them
        return code, captured.out, notes if len(notes) < MOST_NOTES else MOST_NOTES

    return call


def in_view(model, path, types):
    """What the exported SQL says over a view, as `predict` says it; asked for one decision, it finds as many rows."""
    with empty_duckdb() as connection:
        connection.execute(f"CREATE VIEW incoming AS SELECT * FROM read_parquet('{path}')")
        connection.execute(to_sql(model, table="incoming", keep=[], dialect="duckdb", types=types, view="scored"))
        rows = connection.execute("SELECT * FROM scored").fetchall()
        asked = connection.execute('SELECT count(*) FROM scored WHERE "predicted y" = ?', [rows[0][0]]).fetchone()
    assert asked == (sum(row[0] == rows[0][0] for row in rows),)
    return [[str(i), row[0], *(repr(float(degree)) for degree in row[1:])] for i, row in enumerate(rows)]


@pytest.mark.parametrize("seed", range(deep(40)))
def test_every_writer_and_every_reader_gives_the_same(predict, seed):
    draw, model, cells = drawn_case(seed)
    model.save("m.json")
    table = arrow(cells)
    pq.write_table(table, "first.parquet")
    expected = predict("first.parquet")
    assert expected[0] == 0, expected[2]
    rows = list(csv.reader(expected[1].splitlines()))[1:]
    for name in draw.sample(list(WRITERS), 2):
        WRITERS[name](table, "t.parquet")
        assert predict("t.parquet") == expected, name
        types = {column: TYPES[column][2] for column in model.columns if TYPES[column][2]}
        for stated in ({}, types):
            assert in_view(model, "t.parquet", stated) == rows, (name, stated)
    if not {"float32", "wide"} & set(cells):  # single precision and wide decimals have other digits as texts
        written = pd.DataFrame({name: ["" if each is None or each != each else str(each) for each in cells[name]]
                                for name in cells}, dtype=object)  # fmt: skip
        written.insert(0, "id", range(len(written)))
        written.to_csv("t.csv", index=False, quoting=csv.QUOTE_ALL)
        assert predict("t.csv")[:2] == expected[:2]


NUMBER = Column("x", "number", (Cut("x", 5.0), Missing("x")), (), True)
GAPLESS = Column("x", "number", (Degree("x", 1.0, 7.0), Cut("x", 5.0)))


@pytest.mark.parametrize("others", [[1.0, 7.0], [7.0, 7.0], [7.0, None]], ids=["two numbers", "one number", "gap"])
@pytest.mark.parametrize("writer", WRITERS)
def test_nan_in_parquet_is_missing_whoever_wrote_it(predict, writer, others):
    """The statistics that polars and pyarrow write leave NaN out; DuckDB took them for bounds, and NaN for high."""
    model = model_of([parse("{x ≥ 5}")], Encoding((NUMBER,)), "y", ("no", "yes"))
    model.save("m.json")
    WRITERS[writer](pa.table({"x": pa.array([*others, NAN], pa.float64())}), "t.parquet")
    expected = predict("t.parquet")
    rows = list(csv.reader(expected[1].splitlines()))[1:]
    assert [row[1] for row in rows] == ["no" if (each or 0) < 5 else "yes" for each in others] + ["no"]
    for types in ({}, {"x": "number"}):
        assert in_view(model, "t.parquet", types) == rows


@pytest.mark.parametrize("literal", ["x", "{x ≥ 5}"])
@pytest.mark.parametrize("others", [[1.0, 7.0], [7.0, 7.0]], ids=["two numbers", "one number"])
@pytest.mark.parametrize("writer", WRITERS)
def test_nan_in_parquet_is_refused_where_training_had_none(predict, writer, others, literal):
    """DuckDB gave such a row the positive class, and the degree nan."""
    model = model_of([parse(literal)], Encoding((GAPLESS,)), "y", ("no", "yes"))
    model.save("m.json")
    WRITERS[writer](pa.table({"x": pa.array([*others, NAN], pa.float64())}), "t.parquet")
    code, _, notes = predict("t.parquet")
    assert (code, notes[0][:42]) == (1, "EncodingError: row 2: 'x' is missing, but ")
    for types in ({}, {"x": "number"}):
        with empty_duckdb() as connection:
            connection.execute("CREATE VIEW incoming AS SELECT * FROM read_parquet('t.parquet')")
            query = to_sql(model, table="incoming", keep=[], dialect="duckdb", types=types)
            decisions = [row[0] for row in connection.execute(query).fetchall()]
            found = connection.execute(f'SELECT count(*) FROM ({query}) WHERE "predicted y" IS NULL').fetchone()
        assert decisions == [*("no" if each < 4 else "yes" for each in others), None]
        assert found == (1,)


IDS = (123456789012345671, 123456789012345678, 123456789012345699)


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.string(), pa.decimal128(20, 0), pa.decimal128(38, 2)])
def test_whole_numbers_beyond_doubles_are_told_apart(predict, kind):
    """Of 34 rows of the shop 123456789012345678, SQL with the type integer found none."""
    column = Column("shop", "code", (Is("shop", str(IDS[1])),), tuple(map(str, IDS)), True)
    model = model_of([parse(f"{{shop={IDS[1]}}}")], Encoding((column,)), "y", ("no", "yes"))
    model.save("m.json")
    shops = [*IDS, IDS[1], None, IDS[1] + 1]
    text = [None if each is None else str(each) for each in shops]
    pq.write_table(pa.table({"shop": pa.array(text).cast(kind)}), "t.parquet")
    expected = predict("t.parquet")
    rows = list(csv.reader(expected[1].splitlines()))[1:]
    assert [row[1] for row in rows] == ["no", "yes", "no", "yes", "no", "no"]
    types = {"int64": "integer", "uint64": "integer", "string": "text"}.get(str(kind))
    for stated in ({}, *([{"shop": types}] if types else [])):
        assert in_view(model, "t.parquet", stated) == rows


def test_no_degree_is_a_negative_zero(predict):
    """The degree of -0.0 on a scale from 0 was written -0.0 by one engine and 0.0 by the other."""
    encoding = Encoding((Column("x", "number", (Degree("x", 0.0, 2.0),)),))
    model_of([parse("x")], encoding, "y", None).save("m.json")
    pq.write_table(pa.table({"x": pa.array([-0.0, 0.0, 1.0])}), "t.parquet")
    expected = (0, "row,y\n0,0.0\n1,0.0\n2,0.5\n", [])
    assert predict("t.parquet") == expected
