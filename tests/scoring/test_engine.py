"""DuckDB scores Parquet as the library does: the same bytes, or the same refusal."""

import csv
import json
import resource
import signal
import subprocess
import sys
import time
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crystalogic.cli.app import run
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing, fit_encoding
from crystalogic.encoding.encoding import Column
from crystalogic.errors import CrystalogicError
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.scoring import Layout, score
from export_cases import MODELS, hostile, hostile_rows, said, typed_rows

PROGRAM = [sys.executable, "-m", "crystalogic"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def predict(folder, capsys):
    """What `predict` prints with an engine: the code, the output and the errors."""

    def call(table, *options):
        code = run(["predict", "m.json", str(table), *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def accepted(model, rows):
    """The rows that the library decides about."""
    kept = [index for index, decision in enumerate(said(model, rows).decisions) if decision is not None]
    return {name: [values[index] for index in kept] for name, values in rows.items()}


def in_files(folder, frame, n_files=3):
    """The frame in several files, in the order in which people count, and a file in a folder inside that one."""
    (folder / "table" / "older").mkdir(parents=True)
    frame.to_parquet(folder / "table" / "older" / "0.parquet")
    for index, part in enumerate(np.array_split(np.arange(len(frame)), n_files)):
        ending = "pq" if index == 0 else "parquet"
        frame.iloc[part].to_parquet(folder / "table" / f"part-{8 + index}.{ending}", row_group_size=97)


@pytest.mark.parametrize("name", MODELS)
def test_both_engines_write_the_same(folder, predict, name):
    model = MODELS[name]()
    frame = pd.DataFrame(accepted(model, typed_rows(1500, seed=len(name))))
    model.save("m.json")
    frame.to_parquet("rows.parquet")
    in_files(folder, frame)
    for options in ((), ("--json",)):
        code, expected, notes = predict("rows.parquet", *options)
        assert code == 0
        for table in ("rows.parquet", "table", "table/part-*"):
            found = predict(table, "--engine", "duckdb", *options)
            assert (found[0], found[2]) == (0, notes)
            if options:
                assert json.loads(found[1]) == json.loads(expected)
            else:
                assert found[1] == expected


def test_hostile_names_do_no_harm(folder, predict):
    model, rows = hostile(), hostile_rows(500)
    model.save("m.json")
    pd.DataFrame(rows).to_parquet("r'o*w[s].parquet")
    _, expected, notes = predict("r'o*w[s].parquet")
    code, found, also = predict("r'o*w[s].parquet", "--engine", "duckdb")
    assert (code, also) == (0, notes)
    assert list(csv.reader(found.splitlines())) == list(csv.reader(expected.splitlines()))


def test_every_type_of_column_is_read_as_the_library_reads_it(folder, predict):
    """Whole numbers with gaps, single precision, decimals, truth values, numbers as texts, texts with white space."""
    columns = (
        Column("whole", "number", (Degree("whole", 0.0, 7.0), Cut("whole", 3.0), Missing("whole")), (), True),
        Column(
            "single",
            "number",
            (Degree("single", 0.1, 0.7), Cut("single", 0.3), Is("single", "0.7"), Is("single", "-1")),
        ),
        Column("decimal", "number", (Degree("decimal", 0.0, 0.7), Cut("decimal", 0.1), Is("decimal", "0.3"))),
        Column("truth", "category", (Is("truth", "True"), Is("truth", "false")), ("True", "false")),
        Column("digits", "number", (Degree("digits", 0.0, 50.0), Cut("digits", 7.0), Is("digits", "4")), ("4",)),
        Column("code", "code", (Is("code", "4"), Missing("code")), ("4", "5"), True),
        Column("word", "category", (Is("word", "a b"), Missing("word")), ("a b",), True),
    )
    encoding = Encoding(columns)
    formulas = [
        parse("(whole ↔ single) ⊗ ¬{single=0.7} ⊕ {single=-1} ⊕ {digits=4} ⊗ {code=4}"),
        parse("decimal ∨ {truth=True} ⊗ ¬{truth=false}"),
    ]
    formulas += [parse("at least 2 of (digits, {whole is missing}, {word=a b}, ¬{word is missing}, {decimal=0.3})")]
    model_of(formulas, encoding, "kind", ("a", "b", "c")).save("m.json")
    n, draw = 400, np.random.default_rng(0)

    def drawn(values):
        return [values[index] for index in draw.integers(0, len(values), n)]

    tenths = [Decimal(index) / 10 for index in range(9)]
    table = {
        "whole": pa.array(drawn([None, -(2**62), 0, 2, 3, 4, 2**62]), pa.int64()),
        "single": pa.array(drawn([0.1, 0.3, 0.30000001, 0.7, -1.0]), pa.float32()),
        "decimal": pa.array(drawn([*tenths, Decimal("0.299999999999999999"), Decimal("-9.1")]), pa.decimal128(38, 20)),
        "truth": pa.array(drawn([True, False, None])),
        "digits": pa.array(drawn(["4", "4.0", " 4", "4e0", "04", "\t7", "6.999", ".5", "+5.", "-1E2"])),
        "code": pa.array(drawn(["4", "04", "4.00", "4e0", " 4\n", "NA", None, "+-4", "x"])),
        "word": pa.array(drawn(["a b", "\u3000a b\x1f", "a\tb", "?", "\t", None, "none", "A b"])),
    }  # fmt: skip
    pq.write_table(pa.table(table), "rows.parquet")
    expected = predict("rows.parquet")
    assert expected[0] == 0
    assert len({line.split(",")[1] for line in expected[1].splitlines()[1:]}) == 3
    assert predict("rows.parquet", "--engine", "duckdb") == expected


cells = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    st.from_regex(r"[+-]{0,2}[0-9]{0,3}[._]?[0-9]{0,2}([eE][+-]?[0-9]{0,3})?", fullmatch=True),
    st.sampled_from(["4", "4.0", "04", " 4 ", "\u00a04", "inf", "nan", "-nan", "NA", "1_0", "\u0664", "0x4", "5f"]),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cell=cells, kind=st.sampled_from(["number", "open", "code", "category"]))
def test_any_text_is_read_as_the_library_reads_it_or_refused(tmp_path, cell, kind):
    """DuckDB may refuse what Python reads as a number, such as '1_0'; it never decides otherwise."""
    number = (Degree("x", 0.0, 50.0), Cut("x", 4.0), Is("x", "4"))
    literals = {"number": number, "open": (*number, Missing("x")), "code": (Is("x", "4"), Missing("x"))}
    column = Column("x", kind, literals.get(kind, (Is("x", "4"), Missing("x"))), ("4",), kind in ("open", "code"))
    if kind == "open":
        column = Column("x", "number", column.literals, ("4",), True)
    formulas = [parse(f"{{{literal.name}}}") for literal in column.literals]
    formulas = formulas if len(formulas) > 2 else [*formulas, parse("1")]
    model = model_of(formulas, Encoding((column,)), "y", tuple(range(len(formulas))))
    pq.write_table(pa.table({"x": pa.array([cell], pa.string())}), tmp_path / "x.parquet")
    layout = Layout("parquet", ("row", "y", *map(str, model.classes)))
    try:
        score(model, str(tmp_path / "x.parquet"), tmp_path / "out.parquet", layout)
    except CrystalogicError as error:
        if "--engine python" not in str(error):
            with pytest.raises(type(error)):
                model.degrees({"x": [cell]})
        return
    found = pq.read_table(tmp_path / "out.parquet").to_pylist()[0]
    assert list(found.values())[2:] == model.degrees({"x": [cell]})[0].tolist()


def test_parquet_holds_classes_as_what_they_are(folder):
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", [1.5, 2]).save("numbers.json")
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", [False, True]).save("truths.json")
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "row", ["=no", "y,s"]).save("texts.json")
    model_of([parse("¬x")], fit_encoding({"x": range(6)}, n_cuts=1), "y", None).save("degrees.json")
    pd.DataFrame({"x": [5, 0, 2]}).to_parquet("x.parquet")
    found = {}
    for name in ("numbers", "truths", "texts", "degrees"):
        assert run(["predict", f"{name}.json", "x.parquet", "--engine", "duckdb", "-o", f"{name}.parquet"]) == 0
        table = pq.read_table(f"{name}.parquet")
        found[name] = [table.column(index).to_pylist() for index in range(table.num_columns)]
    assert found == {
        "numbers": [[0, 1, 2], [2.0, 1.5, 1.5], [1.0, 0.0, 0.0]],
        "truths": [[0, 1, 2], [True, False, False], [1.0, 0.0, 0.0]],
        "texts": [[0, 1, 2], ["y,s", "=no", "=no"], [1.0, 0.0, 0.0]],
        "degrees": [[0, 1, 2], [0.0, 1.0, 0.6]],
    }


def test_a_table_without_rows_has_predictions_without_rows(predict):
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save("m.json")
    pd.DataFrame({"x": pd.Series([], dtype="int64")}).to_parquet("x.parquet")
    assert predict("x.parquet", "--engine", "duckdb") == (0, "row,y,degree of yes\n", "")
    assert json.loads(predict("x.parquet", "--engine", "duckdb", "--json")[1]) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0, None, 4.0], "EncodingError: row 2: 'x' is missing, but no training row lacked it."),
        ([1.0, float("inf")], "EncodingError: row 1: 'x' is inf, expected a number."),
        (["1", " 2 ", "+-2"], "EncodingError: row 2: 'x' is '+-2', expected a number."),
        (["1", "1_0"], "EncodingError: row 1: 'x' is '1_0', expected a number."),
        ([True, False], "TableError: 'x' is of the type BOOLEAN, which DuckDB and the library may compare differently"),
        ([pd.Timestamp("2026-01-01")], "TableError: 'x' is of the type TIMESTAMP"),
        ([[1, 2]], "TableError: 'x' is of the type "),
    ],
    ids=["missing", "infinite", "no number", "underscore", "truth", "time", "list"],
)
def test_a_refused_row_leaves_the_old_file_and_no_other(folder, predict, values, message):
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save("m.json")
    (folder / "out.csv").write_text("old")
    pd.DataFrame({"x": values}).to_parquet("x.parquet")
    code, out, err = predict("x.parquet", "--engine", "duckdb", "-o", "out.csv")
    assert (code, out) == (1, "")
    assert err.startswith(message)
    assert (folder / "out.csv").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["m.json", "out.csv", "x.parquet"]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"z": [1.0]}, "TableError: t/b.parquet: the rule needs the column 'x'; the table has z.\n"),
        ({"x": ["1"]}, "TableError: t/b.parquet: 'x' is VARCHAR, in t/a.parquet it is BIGINT. Write all files"),
        ({"x": [1], "X": [2]}, "TableError: t/b.parquet: DuckDB cannot tell the columns 'x' and 'X' apart."),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_the_others_is_named(folder, predict, second, message):
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save("m.json")
    (folder / "t").mkdir()
    pd.DataFrame({"x": [1, 5]}).to_parquet("t/a.parquet")
    pd.DataFrame(second).to_parquet("t/b.parquet")
    code, out, err = predict("t", "--engine", "duckdb")
    assert (code, out) == (1, "")
    assert err.startswith(message)


def test_whole_numbers_in_one_file_and_decimals_in_another_are_not_rounded(folder, predict):
    """DuckDB would read the second file by the type of the first, 2.9 as 3; the rule asks for 3 or more."""
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save("m.json")
    (folder / "t").mkdir()
    pd.DataFrame({"x": [1, 5]}).to_parquet("t/a.parquet")
    pd.DataFrame({"other": ["?", "?"], "x": [2.9, 3.0]}).to_parquet("t/b.parquet")
    lines = "0,no,0.0\n1,yes,1.0\n2,no,0.0\n3,yes,1.0\n"
    assert predict("t", "--engine", "duckdb") == (0, f"row,y,degree of yes\n{lines}", "")


@pytest.mark.parametrize(
    ("table", "options", "code", "message"),
    [
        ("rows.csv", (), 1, "TableError: rows.csv: this is not a Parquet file, and DuckDB would read other tables by"),
        ("nowhere", (), 1, "TableError: nowhere: there is no such file.\n"),
        ("empty", (), 1, "TableError: empty: this is a folder without tables. Give a folder with Parquet or CSV"),
        ("broken.parquet", (), 1, "TableError: broken.parquet: DuckDB cannot read it ("),
        ("x.parquet", ("-o", "out.parquet", "--json"), 2, "Parquet is written with --engine duckdb and without --json"),
        ("x.parquet", ("-o", "no/where.csv"), 1, "DocumentError: no/where.csv: there is no folder"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_one_message(folder, predict, table, options, code, message):
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save("m.json")
    (folder / "rows.csv").write_text("x\n1\n")
    (folder / "empty").mkdir()
    (folder / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    pd.DataFrame({"x": [1, 5]}).to_parquet("x.parquet")
    before = sorted(path.name for path in folder.iterdir())
    found, out, err = predict(table, "--engine", "duckdb", *options)
    assert (found, out) == (code, "")
    assert message in " ".join(err.replace("│", " ").split()) + "\n"
    assert sorted(path.name for path in folder.iterdir()) == before


def test_without_duckdb_the_message_says_how_to_get_it(predict, monkeypatch):
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save("m.json")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert predict("x.parquet", "--engine", "duckdb") == (
        1,
        "",
        "TableError: x.parquet: scoring in DuckDB needs it; install it with: pip install 'crystalogic[duckdb]'\n",
    )


@pytest.fixture
def many(folder):
    """Rows enough to be stopped among them."""
    model_of([parse("{x ≥ 3}")], fit_encoding({"x": range(6)}, n_cuts=1), "y", ["no", "yes"]).save("m.json")
    pq.write_table(pa.table({"x": np.arange(20_000_000) % 6}), "rows.parquet")
    (folder / "out.csv").write_text("old")
    return folder


@pytest.mark.parametrize(("number", "code", "said"), [(signal.SIGINT, 130, "stopped.\n"), (signal.SIGTERM, 143, "")])
def test_a_stopped_prediction_leaves_the_old_file_and_no_other(many, number, code, said):
    arguments = [*PROGRAM, "predict", "m.json", "rows.parquet", "--engine", "duckdb", "-o", "out.csv"]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list(many.glob(".out.csv.*/*")) and child.poll() is None:  # until the new file is being written
        time.sleep(0.01)
    child.send_signal(number)
    _, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (code, said)
    assert (many / "out.csv").read_text() == "old"
    assert sorted(path.name for path in many.iterdir()) == ["m.json", "out.csv", "rows.parquet"]


def test_a_file_that_cannot_grow_leaves_the_old_one(many):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    arguments = [*PROGRAM, "predict", "m.json", "rows.parquet", "--engine", "duckdb", "-o", "out.csv"]
    done = subprocess.run(arguments, capture_output=True, text=True, preexec_fn=limited)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("DocumentError: out.csv: cannot be written (")
    assert (many / "out.csv").read_text() == "old"
    assert sorted(path.name for path in many.iterdir()) == ["m.json", "out.csv", "rows.parquet"]
