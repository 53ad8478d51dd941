"""Exports run for real: each takes a model and a table, and gives decision and degrees of every row."""

import ctypes
import json
import math
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from crystalogic.export import to_c, to_javascript, to_onnx, to_python, to_sql
from crystalogic.export.program import program
from crystalogic.model import Model
from oracle.cells import NoNumber, Text, double, meaning
from oracle.draws import Drawn, Table, number_text
from oracle.files import write_parquet

NODE, GCC = shutil.which("node"), shutil.which("gcc")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-shared", "-fPIC")
# decision, degrees, and what the score tells; None of a row that cannot be handed over
Answer = tuple[Any, list[Any], tuple[Any, ...]] | None
NO_DECISION = "no decision"
NOTHING: Answer = (NO_DECISION, [], ())


def by_python(drawn: Drawn, table: Table, folder: Path, draw: Random) -> list[Answer]:
    """The exported module, run here."""
    scope: dict[str, Any] = {}
    exec(compile(to_python(drawn.model), "rule.py", "exec"), scope)
    return [_answer(scope[_function(drawn)](table.row(place))) for place in range(table.n_rows)]


def _function(drawn: Drawn) -> str:
    return "decide" if drawn.model.risk is None else "decide_risk"


def _answer(said: dict[str, Any]) -> Answer:
    decision, degrees, *told = said.values()
    if degrees is None:
        assert set(told) <= {None}, said
        return NOTHING
    return decision, degrees, tuple(told)


JAVASCRIPT = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"), (key, value) =>
  value !== null && typeof value === "object" && "strange" in value ? Number(value.strange) : value);
process.stdout.write(JSON.stringify(rows.map((row) => FUNCTION(row))));
"""


def by_javascript(drawn: Drawn, table: Table, folder: Path, draw: Random) -> list[Answer]:
    """The exported function in Node.js; whole numbers that it does not have come as texts."""

    def sent(cell: Any) -> Any:
        if isinstance(cell, float) and not math.isfinite(cell):
            return {"strange": "NaN" if cell != cell else "Infinity" if cell > 0 else "-Infinity"}
        is_large = isinstance(cell, int) and abs(cell) > 2**53
        return str(cell) if is_large else cell

    rows = [{name: sent(cell) for name, cell in table.row(place).items()} for place in range(table.n_rows)]
    script = folder / "rule.js"
    run = JAVASCRIPT.replace("FUNCTION", _function(drawn))
    script.write_text(to_javascript(drawn.model) + run, encoding="utf-8")
    done = subprocess.run([str(NODE), str(script)], input=json.dumps(rows), capture_output=True, text=True, check=True)
    return [_answer(said) for said in json.loads(done.stdout)]


def _typed(drawn: Drawn, table: Table, place: int) -> dict[str, Any] | None:
    """The row with numbers as doubles and everything else as texts; None if the types cannot hold it."""
    row: dict[str, Any] = {}
    for each in program(drawn.model).inputs:
        cell = table.cells[each.column][place]
        meant = meaning(cell, drawn.rule.columns[each.column].words)
        if each.is_number:
            if isinstance(meant, Text) and _is_compared(drawn, each.column):
                return None  # 007 is no number there, and a double cannot say so
            try:
                row[each.column] = math.nan if meant is None else double(cell)
            except NoNumber:
                return None
        else:
            row[each.column] = None if meant is None else _text(cell)
    return row


def _is_compared(drawn: Drawn, column: str) -> bool:
    """Whether the rule asks if the column is a certain value, or one that stands for missing is a number."""
    literals = (drawn.rule.literals[name] for name in drawn.rule.names)
    words = (meaning(word, frozenset()) for word in drawn.rule.columns[column].words)
    if any(word is not None and not isinstance(word, Text) for word in words):
        return True
    return any(each["column"] == column and each["kind"] in ("is", "one of", "reaches") for each in literals)


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    return str(cell) if isinstance(cell, (bool, int)) else number_text(cell) if math.isfinite(cell) else repr(cell)


def by_c(drawn: Drawn, table: Table, folder: Path, draw: Random) -> list[Answer]:
    """The exported file, compiled strictly."""
    model = drawn.model
    source, library = folder / "rule.c", folder / f"rule{draw.random()}.so"
    source.write_text(to_c(model), encoding="utf-8")
    subprocess.run([str(GCC), *STRICT, str(source), "-o", str(library), "-lm"], check=True, capture_output=True)
    loaded = ctypes.CDLL(str(library))
    inputs = program(model).inputs
    types = [(each.name, ctypes.c_double if each.is_number else ctypes.c_char_p) for each in inputs]

    class Row(ctypes.Structure):
        _fields_ = types or [("nothing", ctypes.c_char)]

    labels = (ctypes.c_char_p * len(model.classes or (model.target,))).in_dll(loaded, "crystalogic_labels")
    texts = [(label or b"").decode() for label in labels]
    assert model.classes is None or texts == [str(label) for label in model.classes], texts
    found = (ctypes.c_double * len(model.formulas))()
    kinds = {"score": ctypes.c_int, "probability": ctypes.c_double, "ask": ctypes.c_int}
    told = [kinds[name]() for name in program(model).told]
    decide = loaded.crystalogic_risk if told else loaded.crystalogic_decide

    def decided(row: dict[str, Any]) -> Answer:
        values = [row[each.column] for each in inputs]
        cells = Row(*(value.encode() if isinstance(value, str) else value for value in values))
        place = decide(ctypes.byref(cells), found, *map(ctypes.byref, told))
        if place < 0:
            return NOTHING
        decision = found[0] if model.classes is None else model.classes[place]
        return decision, list(found), tuple(each.value for each in told)

    rows = [_typed(drawn, table, place) for place in range(table.n_rows)]
    return [None if row is None else decided(row) for row in rows]


def by_onnx(drawn: Drawn, table: Table, folder: Path, draw: Random) -> list[Answer]:
    """The exported graph in ONNX Runtime."""
    import numpy as np
    import onnxruntime  # type: ignore[import-untyped]

    model = drawn.model
    session = onnxruntime.InferenceSession(to_onnx(model), providers=["CPUExecutionProvider"])
    about = json.loads(session.get_modelmeta().custom_metadata_map["crystalogic"])["columns"]
    is_number = {each.column: each.is_number for each in program(model).inputs}
    rows = [_typed(drawn, table, place) for place in range(table.n_rows)]
    kept = [row for row in rows if row is not None]
    if not kept or not about:
        return [None] * len(rows)
    sent = {
        name: np.array([row[column] for row in kept], np.float64)
        if is_number[column]
        else np.array(["" if row[column] is None else row[column] for row in kept], object)
        for name, column in about.items()
    }
    found = dict(zip([output.name for output in session.get_outputs()], session.run(None, sent), strict=True))
    degrees = np.broadcast_to(found["degrees"], (len(kept), len(model.formulas))).tolist()
    places = [0] * len(kept) if model.classes is None else np.broadcast_to(found["index"], len(kept)).tolist()
    columns = [np.broadcast_to(found[name], len(kept)).tolist() for name in program(model).told]
    told = list(zip(*columns, strict=True)) or [()] * len(kept)
    answers = iter(
        NOTHING if place < 0 or each[0] != each[0] else (model.classes[place] if model.classes else each[0], each, more)
        for place, each, more in zip(places, degrees, told, strict=True)
    )
    return [None if row is None else next(answers) for row in rows]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


KEPT = "the number of the row"


def _by_sql(
    model: Model, ask: Callable[[str], list[Any]], table: str, dialect: str, types: Any, n: int
) -> list[Answer]:
    """The answers of a query, or of an expression, which gives no degrees."""
    query = to_sql(model, table=[table], keep=[KEPT], dialect=dialect, types=types)
    found: list[Answer] = [None] * n
    for *answer, place in ask(query):
        decision, *degrees = (float(each) if isinstance(each, Decimal) else each for each in answer)
        here = [decision] if model.classes is None else degrees[: len(model.formulas)]
        told = tuple(degrees[len(model.formulas) :])
        found[place] = NOTHING if decision is None else (decision, here, told)
    return found


def by_sqlite(drawn: Drawn, table: Table, folder: Path, draw: Random) -> list[Answer]:
    """The exported query in SQLite, whose columns hold whatever was put there."""

    def kept(cell: Any) -> Any:
        is_large = isinstance(cell, int) and not -(2**63) <= cell < 2**63
        return str(cell) if isinstance(cell, bool) or is_large else cell

    names = [KEPT, *table.cells]
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f'CREATE TABLE "the rows" ({", ".join(map(_quoted, names))})')
        rows = [[place, *map(kept, table.row(place).values())] for place in range(table.n_rows)]
        connection.executemany(f'INSERT INTO "the rows" VALUES ({", ".join("?" * len(names))})', rows)
        answers = _by_sql(
            drawn.model, lambda query: connection.execute(query).fetchall(), "the rows", "sqlite", None, table.n_rows
        )
    finally:
        connection.close()
    classes = drawn.model.classes or ()
    if any(isinstance(label, bool) for label in classes):  # which SQLite does not have
        return [None if a is None else (bool(a[0]) if a[0] in (0, 1) else a[0], *a[1:]) for a in answers]
    return answers


def by_duckdb(drawn: Drawn, table: Table, folder: Path, draw: Random) -> list[Answer]:
    """The exported query in DuckDB: over a table, or over a view of a Parquet file, with and without types."""
    from export_engines import empty_duckdb

    numbered = Table({KEPT: list(range(table.n_rows)), **table.cells}, {KEPT: "int", **table.storage})
    path = folder / "incoming.parquet"
    write_parquet(numbered, path, draw)
    with empty_duckdb() as connection:
        what = draw.choice(["VIEW", "TABLE"])
        connection.execute(f"CREATE {what} incoming AS SELECT * FROM read_parquet('{path}')")
        types = _types(drawn, table) if draw.random() < 0.5 else None
        return _by_sql(
            drawn.model, lambda query: connection.execute(query).fetchall(), "incoming", "duckdb", types, table.n_rows
        )


def _types(drawn: Drawn, table: Table) -> dict[str, str]:
    """The types of the columns as `export --type` takes them."""
    named = {"int": "integer", "float": "number", "bool": "boolean"}
    found = {}
    for name in drawn.rule.reads:
        kind = table.storage[name]
        levels = [meaning(level, frozenset()) for level in drawn.rule.columns[name].known]
        if kind == "text" and levels and all(isinstance(level, Text) for level in levels):
            found[name] = "text"
        elif kind in named and not (kind == "bool" and drawn.rule.needs_number(name)):
            found[name] = named[kind]
    return found


ENGINES: dict[str, Callable[[Drawn, Table, Path, Random], list[Answer]]] = {
    "python": by_python,
    "sqlite": by_sqlite,
    "duckdb": by_duckdb,
    "onnx": by_onnx,
    **({"javascript": by_javascript} if NODE else {}),
    **({"c": by_c} if GCC else {}),
}
