"""Engines that run exports: each takes a model and rows, and gives what the export says of every row."""

import csv
import ctypes
import io
import json
import math
import os
import runpy
import shutil
import sqlite3
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from crystalogic.export import to_c, to_javascript, to_onnx, to_python, to_sql
from crystalogic.export.program import program
from crystalogic.model import Model
from export_cases import Rows, Verdicts, nothing_told

NODE, GCC = shutil.which("node"), shutil.which("gcc")
ROW = "number of the row"
NUMBERS = count()


def n_rows(rows: Rows) -> int:
    return len(next(iter(rows.values())))


def verdicts(model: Model, answers: list[dict[str, Any]], short: list[dict[str, Any]]) -> Verdicts:
    """The answers of a function, one for each row, and of the one that tells the decision and the degrees alone."""
    nothing = [math.nan] * len(model.formulas)
    degrees = [answer["degrees"] or nothing for answer in answers]
    keys = program(model).told
    assert all(list(answer) == ["decision", "degrees", *keys] for answer in answers)
    assert [{key: answer[key] for key in ("decision", "degrees")} for answer in answers] == short
    told = [tuple(answer[key] for key in keys) for answer in answers]
    if model.chain:
        told = [nothing_told(model) if each is None else (*each, *ask) for each, *ask in told]
    return Verdicts(np.array(degrees, float), [answer["decision"] for answer in answers], told)


def function_of(model: Model) -> str:
    """The function that tells most."""
    return "decide_risk" if program(model).told else "decide"


def run_python(model: Model, rows: Rows) -> Verdicts:
    with tempfile.TemporaryDirectory() as folder:  # imported: the encoding of a file is found by its first two lines
        (Path(folder) / "rule.py").write_text(to_python(model), encoding="utf-8")
        scope = runpy.run_path(str(Path(folder) / "rule.py"))
    names = list(rows)
    records = [dict(zip(names, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    return verdicts(model, *(list(map(scope[name], records)) for name in (function_of(model), "decide")))


JAVASCRIPT_ROWS = """
const columns = JSON.parse(require("fs").readFileSync(0, "utf8"), (key, value) =>
  value === null || typeof value !== "object" ? value : "number" in value ? Number(value.number)
    : "whole" in value ? BigInt(value.whole) : value);
const rows = [];
for (let i = 0; i < columns[0][1].length; i++)
  rows.push(Object.fromEntries(columns.map(([name, values]) => [name, values[i]])));
const answers = [FUNCTION, decide].map((each) => rows.map((row) => each(row)));
if ("canary" in globalThis) throw new Error("a name has become code");
process.stdout.write(JSON.stringify(answers));
"""


def run_javascript(model: Model, rows: Rows) -> Verdicts:
    def plain(value: Any) -> Any:
        if type(value) is int and abs(value) > 2**53:
            return {"whole": str(value)}
        strange = type(value) is float and not math.isfinite(value)
        return {"number": {"nan": "NaN", "inf": "Infinity"}.get(str(value), "-Infinity")} if strange else value

    sent = json.dumps([[name, [plain(value) for value in values]] for name, values in rows.items()])
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "rule.js"
        script.write_text(
            to_javascript(model) + JAVASCRIPT_ROWS.replace("FUNCTION", function_of(model)), encoding="utf-8"
        )
        done = subprocess.run([str(NODE), str(script)], input=sent, capture_output=True, text=True, check=True)
    return verdicts(model, *json.loads(done.stdout))


def run_c(model: Model, rows: Rows) -> Verdicts:
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "rule.c", Path(folder) / "rule.so"
        source.write_text(to_c(model), encoding="utf-8")
        strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2"]
        subprocess.run([str(GCC), *strict, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
        assert not hasattr(loaded, "canary"), "a name has become code"
        inputs = program(model).inputs
        types: list[tuple[str, Any]] = [
            (each.name, ctypes.c_double if each.is_number else ctypes.c_char_p) for each in inputs
        ]

        class Row(ctypes.Structure):
            _fields_ = types or [("nothing", ctypes.c_char)]

        n_labels = len(model.classes or (model.target,))
        labels = (ctypes.c_char_p * n_labels).in_dll(loaded, "crystalogic_labels")
        found = (ctypes.c_double * len(model.formulas))()
        classes = model.classes and dict(zip([(label or b"").decode() for label in labels], model.classes, strict=True))
        kinds = {"score": ctypes.c_int, "probability": ctypes.c_double, "ask": ctypes.c_int}
        kinds["probabilities"] = ctypes.c_double * len(model.formulas)
        more = [kinds[key]() for key in program(model).told]
        degrees, decisions, told = [], [], []
        columns = [rows[each.column] for each in inputs]
        for index in range(n_rows(rows)):
            values = [column[index] for column in columns]
            row = Row(*(value.encode() if isinstance(value, str) else value for value in values))
            place = loaded.crystalogic_decide(ctypes.byref(row), found)
            degrees.append(list(found))
            if more:
                again = loaded.crystalogic_risk(ctypes.byref(row), found, *map(ctypes.byref, more))
                assert (again, str(list(found))) == (place, str(degrees[-1]))
            shares, single = (more[:1], more[1:]) if model.chain else ([], more)
            told.append((*(share for each in shares for share in each), *(each.value for each in single)))
            if place < 0:
                decisions.append(None)
                told[-1] = none_for(told[-1])
            else:
                decisions.append(classes[(labels[place] or b"").decode()] if classes else found[0])
    return Verdicts(np.array(degrees), decisions, told)


def none_for(told: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is told where there is no decision, which must be -1 and NaN, or NaN of all classes and perhaps -1."""
    several = ((math.nan,) * len(told), (*(math.nan,) * (len(told) - 1), -1))
    assert str(told) in map(str, ((-1, math.nan, -1)[: len(told)], *several))
    return (None,) * len(told)


def run_onnx(model: Model, rows: Rows) -> Verdicts:
    import onnxruntime

    session = onnxruntime.InferenceSession(to_onnx(model), providers=["CPUExecutionProvider"])
    about = json.loads(session.get_modelmeta().custom_metadata_map["crystalogic"])["columns"]
    is_number = {each.column: each.is_number for each in program(model).inputs}
    sent = {
        name: np.array(rows[column], np.float64)
        if is_number[column]
        else np.array(["" if value is None else value for value in rows[column]], object)
        for name, column in about.items()
    }
    found = dict(zip([output.name for output in session.get_outputs()], session.run(None, sent), strict=True))
    degrees = np.broadcast_to(found["degrees"], (n_rows(rows), len(model.formulas)))
    if model.classes is None:
        decided = [None if math.isnan(value) else value for value in degrees[:, 0]]
        return Verdicts(degrees, decided, [()] * n_rows(rows))
    named = {str(label): label for label in model.classes} | {"": None}
    index = np.broadcast_to(found["index"], n_rows(rows))
    labels = np.broadcast_to(found["label"], n_rows(rows))
    assert [named[label] for label in labels] == [None if i < 0 else model.classes[i] for i in index]
    single = [key for key in program(model).told if key != "probabilities"]
    more = [np.broadcast_to(found[key], n_rows(rows)).tolist() for key in single]
    more = [*np.broadcast_to(found["probabilities"], degrees.shape).T.tolist(), *more] if model.chain else more
    told = list(zip(*more, strict=True)) if more else [()] * n_rows(rows)
    told = [none_for(each) if i < 0 else each for i, each in zip(index, told, strict=True)]
    return Verdicts(degrees, [named[label] for label in labels], told)


Ask = Callable[[str], list[tuple[Any, ...]]]


def asked(
    model: Model,
    rows: Rows,
    dialect: str,
    ask: Ask,
    *,
    by_expression: bool,
    types: Mapping[str, str] | None = None,
) -> Verdicts:
    """What an engine says by the query, or by the expression, which gives no degrees."""
    degrees = np.full((n_rows(rows), len(model.formulas)), math.nan)
    decisions: list[Any] = [None] * n_rows(rows)
    told: list[tuple[Any, ...]] = [nothing_told(model)] * n_rows(rows)
    if by_expression:
        answers = ask(f'SELECT {to_sql(model, dialect=dialect, types=types)}, "{ROW}" FROM "the rows"')
    else:
        answers = ask(to_sql(model, table=["the rows"], keep=[ROW], dialect=dialect, types=types))
    assert sorted(answer[-1] for answer in answers) == list(range(n_rows(rows)))
    for decision, *found, row in answers:
        decisions[row] = decision
        if model.classes is None:
            found = [decision]
        if not by_expression:
            n = len(model.formulas)
            degrees[row] = [math.nan if degree is None else degree for degree in found[:n]]
            told[row] = tuple(float(each) if isinstance(each, Decimal) else each for each in found[n:])
    return Verdicts(degrees, decisions, told)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def table_columns(rows: Rows, number: str, text: str) -> str:
    def kind(values: Sequence[Any]) -> str:
        return number if any(isinstance(value, (int, float)) for value in values) else text

    kinds = ", ".join(f"{quoted(name)} {kind(values)}" for name, values in rows.items())
    return f'"{ROW}" INTEGER, {kinds}'


def as_texts(rows: Rows) -> Rows:
    """The rows with their numbers written out, as in a table that was read from a file without types."""
    return {name: [str(value) if type(value) is float else value for value in rows[name]] for name in rows}


def sqlite_asker(rows: Rows, number: str = "REAL") -> Ask:
    """SQLite with these rows; `number` is the type of columns with numbers, which SQLite does not enforce."""
    rows = as_texts(rows) if number == "TEXT" else rows
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE TABLE "the rows" ({table_columns(rows, number, "TEXT")})')
    connection.execute("CREATE TABLE canary (x INTEGER)")
    marks = ", ".join("?" * (len(rows) + 1))
    connection.executemany(
        f'INSERT INTO "the rows" VALUES ({marks})', zip(range(n_rows(rows)), *rows.values(), strict=True)
    )

    def ask(query: str) -> list[Any]:
        return connection.execute(query).fetchall()

    weakref.finalize(ask, connection.close)
    return ask


@cache
def _duckdb() -> Any:
    import duckdb

    return duckdb.connect()


@contextmanager
def empty_duckdb() -> Iterator[Any]:
    """A connection to a database of its own in the one DuckDB of all tests: to start one takes longer than a query."""
    name = f"database {next(NUMBERS)}"
    connection = _duckdb().cursor()
    connection.execute(f"ATTACH ':memory:' AS \"{name}\"")
    connection.execute(f'USE "{name}"')
    try:
        yield connection
    finally:
        connection.execute("USE memory")
        connection.execute(f'DETACH "{name}"')
        connection.close()


def duckdb_asker(rows: Rows, number: str = "DOUBLE") -> Ask:
    """DuckDB with these rows, their numbers of this type."""
    import pandas as pd

    opened = ExitStack()
    connection = opened.enter_context(empty_duckdb())
    rows = as_texts(rows) if number == "VARCHAR" else rows
    frame = pd.DataFrame({name: np.array(values, object) for name, values in rows.items()})
    frame.insert(0, ROW, range(len(frame)))
    connection.register("frame", frame)
    connection.execute(f'CREATE TABLE "the rows" ({table_columns(rows, number, "VARCHAR")})')
    connection.execute('INSERT INTO "the rows" SELECT * FROM frame')
    connection.unregister("frame")
    connection.execute("CREATE TABLE canary (x INTEGER)")

    def ask(query: str) -> list[Any]:
        return connection.execute(query).fetchall()

    weakref.finalize(ask, opened.close)
    return ask


@contextmanager
def postgresql() -> Iterator[Callable[[str, str], str] | None]:
    """A server of its own that stops with the block: a function from a command and its input to the output."""
    folders = [Path(found).resolve().parent for found in (shutil.which("postgres"),) if found]
    folder = next((each for each in folders if (each / "initdb").exists()), None)
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if folder is None or shutil.which("psql") is None or (user and shutil.which("runuser") is None):
        yield None
        return
    home = Path(tempfile.mkdtemp(prefix="pg"))
    quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    data = str(home / "data")
    options = f"-k {home} -c listen_addresses='' -c fsync=off"
    try:
        try:
            if user:
                shutil.chown(home, "postgres")
            create = [str(folder / "initdb"), "-D", data, "-E", "UTF8", "--locale=C", "-A", "trust"]
            subprocess.run([*user, *create], **quiet)
            subprocess.run([*user, str(folder / "pg_ctl"), "-D", data, "-w", "-o", options, "start"], **quiet)
        except (LookupError, OSError, subprocess.CalledProcessError):
            yield None
            return

        def run(command: str, sent: str) -> str:
            psql = [*user, str(folder / "psql"), "-X", "-q", "-h", str(home), "-v", "ON_ERROR_STOP=1", "-c", command]
            done = subprocess.run([*psql, "postgres"], input=sent.encode(), capture_output=True, cwd="/", check=False)
            assert done.returncode == 0, done.stderr.decode()
            return done.stdout.decode()

        try:
            yield run
        finally:
            subprocess.run([*user, str(folder / "pg_ctl"), "-D", data, "-m", "immediate", "stop"], **quiet)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def postgresql_asker(run: Callable[[str, str], str], rows: Rows, number: str = "DOUBLE PRECISION") -> Ask:
    """PostgreSQL with these rows, their numbers of this type."""

    def cell(value: Any) -> str:
        return "\\N" if value is None else '"' + str(value).replace('"', '""') + '"'

    created = f'CREATE TABLE "the rows" ({table_columns(rows, number, "TEXT")})'
    run(f'DROP TABLE IF EXISTS "the rows", canary; {created}; CREATE TABLE canary (x INTEGER)', "")
    lines = (",".join(map(cell, (i, *row))) for i, row in enumerate(zip(*rows.values(), strict=True)))
    run("COPY \"the rows\" FROM STDIN WITH (FORMAT csv, NULL '\\N')", "\n".join(lines) + "\n")

    def ask(query: str) -> list[tuple[Any, ...]]:
        out = run(f"COPY ({query}) TO STDOUT WITH (FORMAT csv, NULL '\\N', FORCE_QUOTE *)", "")
        return [tuple(map(read_text, line)) for line in csv.reader(io.StringIO(out, newline=""))]

    return ask


def read_text(text: str) -> Any:
    """What a text of psql stands for: nothing, a truth value, a number or itself."""
    if text == "\\N":
        return None
    if text in ("t", "f"):
        return text == "t"
    try:
        return json.loads(text)
    except ValueError:
        return text
