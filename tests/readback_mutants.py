"""Exports with one thing changed, the engines that run them, and rows to tell whether they are still the same."""

import json
import math
import re
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from crystalogic.export import to, to_sql
from crystalogic.model import Model
from crystalogic.readback import Readback, read_back
from export_cases import loose_rows, typed_rows
from export_engines import ROW, as_texts, quoted

Table = Sequence[dict[str, Any]]  # rows; in each column all are of one type, or missing
Said = list[Any]  # of each row a text of all that is told
NODE = shutil.which("node")
TOKEN = re.compile(r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|\d+\.?\d*(?:e[+-]?\d+)?|\w+|&&|[<>=!]=|<>|\S""")
STARTS = {
    "python": r"^def decide(_risk)?\(row\):\n.*\n    (?!found)",
    "javascript": r"return function",
    "c": r"^\{\n    (?:static|double|const)",
}
SIGNS = (">=", ">", "<", "<=", "=", "<>")
SWAPS = {
    "AND": "OR", "OR": "AND", "+": "-", "-": "+", "TRUE": "FALSE", "FALSE": "TRUE", "True": "False", "true": "false",
    "least": "greatest", "greatest": "least", "at_least_0": "at_most_1", "at_most_1": "at_least_0", "unread": "missing",
    "MIN": "MAX", "&&": "||",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    kind: str
    text: str


def mutate(text: str, language: str, draw: Random) -> Mutant:
    """The text with one of its tokens changed, after all that every export defines alike."""
    found = re.search(STARTS.get(language, r"^(WITH|CASE)"), text, re.MULTILINE)
    start = 0 if found is None else found.start()
    tokens = [each for each in TOKEN.finditer(text, start)]
    while True:
        place = draw.randrange(len(tokens))
        changed = _change(tokens, place, text, language, draw)
        if changed is not None and changed[1] != tokens[place][0]:
            kind, new = changed
            return Mutant(kind, text[: tokens[place].start()] + new + text[tokens[place].end() :])


def _change(tokens: Any, place: int, text: str, language: str, draw: Random) -> tuple[str, str] | None:
    token, before = tokens[place][0], tokens[place - 1][0] if place else ""
    is_sql = language not in STARTS
    if token[0].isdigit() and before not in "[:" and not (is_sql and before.upper() in ("AS", ".")):
        return "number", _number(token, draw)
    if token in SIGNS or token == "==":
        is_set = not is_sql and token == "="
        signs = SIGNS if is_sql else (">=", ">", "<", "<=", "==")
        return (
            None
            if is_set or text[tokens[place].end() : tokens[place].end() + 1] == ">"
            else ("comparison", draw.choice(signs))
        )
    if token == "NULL" and before == "IS":
        return "null rule", "NOT NULL"
    if token == "NULL" and before == "THEN":
        return "null rule", "0"
    if token == "NOT" and before != "IS":
        return "operator", ""
    if token in SWAPS and not (token in "+-" and before in ("(", ",", "=", "[", "THEN", "ELSE", ">=", "BETWEEN")):
        return "operator", SWAPS[token]
    if token[0] == '"' and is_sql and before in ("(", "WHEN", "[", "CAST"):
        names = sorted({each for each in re.findall(r'(?:CAST\(\[?|\[)("\w+")', text)})
        return ("column", draw.choice(names)) if token in names else None
    if (
        token[0] in "'\""
        and (is_sql == (token[0] == "'") or language == "python")
        and before not in (":", ".", "{", "row")
        and text[tokens[place].end()] != ":"
    ):
        return ("pattern" if set(token) & set("[^") and is_sql else "text"), _text(token, draw)
    return None


def _number(token: str, draw: Random) -> str:
    if token.isdigit():
        return str(max(0, int(token) + draw.choice((1, -1, 2, 10))))
    number = float(token)
    new = draw.choice(
        (math.nextafter(number, math.inf), math.nextafter(number, -math.inf), number + 1, number * 2, 0.25)
    )
    return repr(abs(new)) + ("e0" if token.endswith("e0") and "e" not in repr(abs(new)) else "")


def _text(token: str, draw: Random) -> str:
    quote, inner = token[0], token[1:-1]
    return (
        quote
        + draw.choice((inner + "x", inner.swapcase(), inner[1:] if inner[:1] not in "\\'" else inner, "new", ""))
        + quote
    )


def text_of(model: Model, language: str, *, as_query: bool) -> str:
    if language in STARTS:
        return str(to(model, language))
    return to_sql(model, dialect=language, **({"table": ["the rows"], "keep": [ROW]} if as_query else {}))


def grid(language: str, model: Model) -> list[Table]:
    """Rows at all cuts and beside them, with all that may be missing; for engines with types, tables of one type."""
    typed = typed_rows(250, 1)
    more = [as_texts(typed)] if language == "duckdb" else [loose_rows(250, 2)]
    whole = {
        name: [int(v) if isinstance(v, float) and abs(v) < 1e9 else None for v in vs] for name, vs in typed.items()
    }
    whole = {name: typed[name] if any(isinstance(v, str) for v in typed[name]) else vs for name, vs in whole.items()}
    return [to_table(rows, model.columns) for rows in (typed, *more, *([whole] if language != "duckdb" else []))]


def to_table(rows: dict[str, list[Any]], columns: Sequence[str]) -> Table:
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*(rows[name] for name in columns), strict=True)]


def say(answer: dict[str, Any]) -> str:
    """What is told of a row; 1, 1.0 and Decimal(1) are one number."""

    def plain(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [plain(each) for each in value]
        is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
        return repr(float(value) + 0.0) if is_number else repr(value)

    return str({key: plain(value) for key, value in answer.items()})


def run_python(texts: Sequence[str], table: Table) -> list[Said]:
    return [list(_python(text, table)) for text in texts]


def _python(text: str, table: Table) -> Iterator[Any]:
    scope: dict[str, Any] = {}
    try:
        exec(compile(text, "rule.py", "exec"), scope)
    except SyntaxError:
        yield from ["error"] * len(table)
        return
    decide = scope.get("decide_risk") or scope["decide"]
    for row in table:
        try:
            yield say(decide(row))
        except Exception:
            yield "error"


SCRIPT = """
const [texts, rows] = JSON.parse(require("fs").readFileSync(0, "utf8"), (key, value) =>
  value === null || typeof value !== "object" ? value : "number" in value ? Number(value.number)
    : "whole" in value ? BigInt(value.whole) : value);
const told = texts.map((text) => {
  let decide = () => "error";
  const last = "; return typeof decide_risk === 'function' ? decide_risk : decide;";
  try { decide = new Function(text + last)(); } catch (e) {}
  return rows.map((row) => { try { return decide(row); } catch (e) { return "error"; } });
});
process.stdout.write(JSON.stringify(told, (key, value) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value === undefined ? "undefined" : value));
"""


def run_javascript(texts: Sequence[str], table: Table) -> list[Said]:
    def sent(value: Any) -> Any:
        if type(value) is int and abs(value) > 2**53:
            return {"whole": str(value)}
        strange = isinstance(value, float) and not math.isfinite(value)
        return {"number": {"nan": "NaN", "inf": "Infinity"}.get(str(value), "-Infinity")} if strange else value

    rows = [{name: sent(value) for name, value in row.items()} for row in table]
    done = subprocess.run(
        [str(NODE), "-e", SCRIPT], input=json.dumps([texts, rows]), capture_output=True, text=True, check=True
    )
    return [[each if each == "error" else say(each) for each in said] for said in json.loads(done.stdout)]


def run_sqlite(texts: Sequence[str], table: Table) -> list[Said]:
    with_names = sqlite3.connect(":memory:")
    names = ", ".join(quoted(name) for name in (ROW, *table[0]))
    with_names.execute(f'CREATE TABLE "the rows" ({names})')
    cells = [(index, *row.values()) for index, row in enumerate(table)]
    with_names.executemany(f'INSERT INTO "the rows" VALUES ({", ".join("?" * len(cells[0]))})', cells)
    return [_ask(with_names.execute, text, len(table), sqlite3.Error) for text in texts]


def run_duckdb(texts: Sequence[str], table: Table) -> list[Said]:
    import duckdb
    import numpy as np
    import pandas as pd

    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}
    first = {name: next((type(row[name]) for row in table if row[name] is not None), str) for name in table[0]}
    connection = duckdb.connect(config={"threads": 1})
    names = ", ".join(f"{quoted(name)} {kinds[kind]}" for name, kind in {ROW: int, **first}.items())
    connection.execute(f'CREATE TABLE "the rows" ({names})')
    frame = pd.DataFrame({name: np.array([row[name] for row in table], object) for name in table[0]})
    for name, kind in first.items():  # NaN is a number here, and no NULL
        if kind is float:
            frame[name] = np.array([math.nan if each is None else each for each in frame[name]], float)
    frame.insert(0, ROW, range(len(frame)))
    connection.register("frame", frame)
    connection.execute('INSERT INTO "the rows" SELECT * FROM frame')
    for name, kind in first.items():
        nulls = [str(index) for index, row in enumerate(table) if kind is float and row[name] is None]
        if nulls:
            connection.execute(
                f'UPDATE "the rows" SET {quoted(name)} = NULL WHERE {quoted(ROW)} IN ({", ".join(nulls)})'
            )
        nans = [
            str(index) for index, row in enumerate(table) if isinstance(row[name], float) and row[name] != row[name]
        ]
        if nans:
            connection.execute(
                f"UPDATE \"the rows\" SET {quoted(name)} = 'NaN'::DOUBLE WHERE {quoted(ROW)} IN ({', '.join(nans)})"
            )
    return [_ask(connection.execute, text, len(table), duckdb.Error) for text in texts]


def _ask(execute: Callable[[str], Any], text: str, n_rows: int, error: Any) -> Said:
    try:
        if text.startswith("--"):
            rows = execute(text).fetchall()
        else:
            rows = execute(f'SELECT {text}, "{ROW}" FROM "the rows"').fetchall()
    except error:
        return ["error"] * n_rows
    return [say(dict(enumerate(row[:-1]))) for row in sorted(rows, key=lambda row: row[-1])]


ENGINES: dict[str, Callable[[Sequence[str], Table], list[Said]]] = {
    "sqlite": run_sqlite,
    "duckdb": run_duckdb,
    "python": run_python,
    **({"javascript": run_javascript} if NODE else {}),
}


def judge(model: Model, language: str, *, as_query: bool, n: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many mutants of an export were proved, refuted and not read, by whether an engine tells a difference."""
    draw, run, text = Random(seed), ENGINES[language], text_of(model, language, as_query=as_query)
    mutants = [mutate(text, language, draw) for _ in range(n)]
    texts = [each.text for each in mutants]
    differs = [False] * n
    fails = [False] * n
    for table in grid(language, model):
        right, *said = run([text, *texts], table)
        differs = [was or found != right for was, found in zip(differs, said, strict=True)]
        fails = [was or set(found) == {"error"} for was, found in zip(fails, said, strict=True)]
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    read = [read_back(each, model, language) for each in texts]
    shown = [dict(each.difference.row) for each in read if each.difference is not None]
    right, *said = run([text, *texts], shown) if shown and language != "duckdb" else ([], *[[]] * n)
    place = 0
    for mutant, is_other, is_broken, found, own in zip(mutants, differs, fails, read, said, strict=True):
        verdict = name_of(found)
        if found.difference is not None:
            if language == "duckdb":  # whose columns have types
                (before,), (after,) = run([text, mutant.text], [dict(found.difference.row)])
            else:
                before, after = right[place], own[place]
            place += 1
            if before == after:
                wrong.append(
                    f"{language} {mutant.kind}: the row shows nothing: {found.difference}\n{_place(text, mutant.text)}"
                )
                verdict = "refuted wrongly"
        changed = "does not run" if is_broken else "changed" if is_other else "same on the grid"
        counts[f"{changed}, {verdict}"] += 1
        if is_other and not is_broken and verdict == "proved":
            wrong.append(f"{language} {mutant.kind}: accepted\n{_place(text, mutant.text)}")
        if is_other and not is_broken and verdict == "not read":
            wrong.append(f"{language} {mutant.kind}: no row, {found.problem}\n{_place(text, mutant.text)}")
    return counts, wrong


def name_of(found: Readback) -> str:
    return "proved" if found else "refuted with a row" if found.difference is not None else "not read"


def _place(text: str, mutant: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(text, mutant, strict=False)) if a != b), len(text))
    return f"    {text[max(0, at - 60) : at + 40]!r}\n    {mutant[max(0, at - 60) : at + 40]!r}"
