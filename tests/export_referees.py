"""Engines of others that run PMML, DMN and spreadsheets; `make bench-referees` installs them."""

import importlib.util
import io
import json
import os
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from crystalogic.export import to
from crystalogic.export.program import program
from crystalogic.model import Model
from export_cases import Rows, Verdicts, nothing_told
from export_engines import n_rows

FEEL = os.environ.get("CRYSTALOGIC_FEEL", "")  # a folder in which npm installed feelin
JAVA = bool(shutil.which("java") and importlib.util.find_spec("jpmml_evaluator") and importlib.util.find_spec("jpype"))


def verdicts_of(model: Model, columns: dict[str, Sequence[Any]], count: int) -> Verdicts:
    """What an engine says in columns that are called as in SQL; None where there is nothing."""
    answers = {name: [None if each is None or each != each else each for each in columns[name]] for name in columns}
    decided = answers.pop(f"predicted {model.target}")
    spoken = [name for name in answers if name.startswith("degree of ")]
    told = ["score", *(name for name in answers if name.startswith("probability of ")), "ask"]
    told = [name for name in told if name in answers][: len(nothing_told(model))]
    degrees = np.array([answers[name] for name in spoken], float).T if spoken else np.full((count, 0), np.nan)
    return Verdicts(degrees, decided, list(zip(*(answers[name] for name in told), strict=True)) or [()] * count)


def n_different(found: Verdicts, expected: Verdicts, at_most: float = 0.0) -> tuple[int, int]:
    """How many rows have another class, and how many another score or need to ask, or a probability farther apart."""

    def differ(one: tuple[Any, ...], two: tuple[Any, ...]) -> bool:
        pairs = list(zip(one, two, strict=True))
        return any((x is None) != (y is None) or (x is not None and abs(x - y) > at_most) for x, y in pairs)

    classes = zip(found.decisions, expected.decisions, strict=True)
    told = zip(found.told, expected.told, strict=True)
    return sum(one != two for one, two in classes), sum(differ(one, two) for one, two in told)


def run_pmml(model: Model, rows: Rows) -> Verdicts:
    """JPMML, the reference implementation, which has classes by the types that the document gives them."""
    import pandas as pd
    from jpmml_evaluator import make_evaluator

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rule.pmml"
        file.write_text(str(to(model, "pmml")), encoding="utf-8")
        evaluator = make_evaluator(str(file)).verify()
    columns = [each.column for each in program(model).inputs]
    cells = {name: [None if cell is None or cell != cell else cell for cell in rows[name]] for name in columns}
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in cells.items()})
    found = evaluator.evaluateAll(frame)
    return verdicts_of(model, {name: found[name].tolist() for name in found.columns}, n_rows(rows))


MODEL = "{https://www.omg.org/spec/DMN/20191111/MODEL/}"
# Decisions in their order; an expression is evaluated once for the same values of what it reads.
FEEL_ROWS = """
const { evaluate, unaryTest } = require("feelin");
const { decisions, columns, count } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const known = new Set([...Object.keys(columns), ...decisions.map((each) => each.name)]);
const unquoted = (text) => text.replace(/"(?:[^"\\\\\\\\]|\\\\\\\\.)*"/g, "");
const names = (text) => [...new Set(unquoted(text).match(/[A-Za-z_]\\\\w*/g) || [])].filter((name) => known.has(name));
const memo = new Map();
function ask(engine, text, row, extra) {
  let entry = memo.get(text);
  if (!entry) memo.set(text, entry = { names: names(text), values: new Map() });
  const context = Object.fromEntries([...entry.names.map((name) => [name, row[name]]), ...extra]);
  const key = JSON.stringify(context);
  if (!entry.values.has(key)) {
    const found = engine(text, context).value;
    entry.values.set(key, found === undefined ? null : found);
  }
  return entry.values.get(key);
}
function decide(table, row) {
  const inputs = table.inputs.map((text) => ask(evaluate, text, row, []));
  const holds = (entry, place) => ask(unaryTest, entry, row, [["?", inputs[place]]]) === true;
  const hits = table.rules.filter((rule) => rule[0].every(holds));
  const outputs = hits.map((rule) => ask(evaluate, rule[1], row, []));
  if (table.policy === "COLLECT") return outputs.length ? outputs.reduce((x, y) => x + y) : null;
  if (outputs.length > 1) throw new Error("two rules of a unique table hold");
  return outputs.length ? outputs[0] : null;
}
const answers = Object.fromEntries(decisions.map((each) => [each.name, []]));
for (let i = 0; i < count; i++) {
  const row = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[i]]));
  for (const each of decisions) {
    row[each.name] = each.text === undefined ? decide(each, row) : ask(evaluate, each.text, row, []);
    answers[each.name].push(row[each.name]);
  }
}
process.stdout.write(JSON.stringify(answers));
"""


def read_dmn(text: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The inputs of a document, by the columns that they are, and its decisions."""
    tree = ElementTree.fromstring(text)
    inputs = {
        str(each.findtext(f"{MODEL}description")): str(each.get("name")) for each in tree.iter(f"{MODEL}inputData")
    }
    decisions: list[dict[str, Any]] = []
    for each in tree.iter(f"{MODEL}decision"):
        found: dict[str, Any] = {"name": each.get("name"), "words": each.findtext(f"{MODEL}description")}
        table = each.find(f"{MODEL}decisionTable")
        if table is None:
            found["text"] = each.findtext(f"{MODEL}literalExpression/{MODEL}text")
        else:
            found["policy"] = table.get("hitPolicy")
            found["inputs"] = [
                entry.text for entry in table.findall(f"{MODEL}input/{MODEL}inputExpression/{MODEL}text")
            ]
            found["rules"] = [
                (
                    [entry.findtext(f"{MODEL}text") for entry in rule.findall(f"{MODEL}inputEntry")],
                    rule.findtext(f"{MODEL}outputEntry/{MODEL}text"),
                )
                for rule in table.findall(f"{MODEL}rule")
            ]
        decisions.append(found)
    return inputs, decisions


def run_dmn(model: Model, rows: Rows) -> Verdicts:
    """feelin, the FEEL engine of bpmn.io, on Node.js; there is neither NaN nor what is infinite."""
    inputs, decisions = read_dmn(str(to(model, "dmn")))
    cells = {inputs[column]: [None if cell != cell else cell for cell in rows[column]] for column in inputs}
    sent = {"decisions": decisions, "columns": cells, "count": n_rows(rows)}
    done = subprocess.run(
        [str(shutil.which("node")), "-e", FEEL_ROWS.replace("\\\\", "\\")],
        **{"input": json.dumps(sent), "capture_output": True, "text": True, "check": True, "cwd": FEEL},
    )
    answers = json.loads(done.stdout)
    titles = {each["words"]: answers[each["name"]] for each in decisions if each["words"] != "a step of the rule"}
    named = {"score": "score", "ask": "ask", f"probability of {(model.classes or (0, 0))[1]}": "probability"}
    titles |= {title: answers[name] for title, name in named.items() if model.risk is not None and name in answers}
    return verdicts_of(model, {**titles, f"predicted {model.target}": answers["decided"]}, n_rows(rows))


SOFFICE = shutil.which("soffice")


def run_xlsx(model: Model, rows: Rows) -> Verdicts:
    """LibreOffice computes the sheet Batch with these rows; a row without any value is none, and gets no decision."""
    from openpyxl import load_workbook

    from crystalogic.export.xlsx import exact_cell, put_text

    book = load_workbook(io.BytesIO(bytes(to(model, "xlsx", rows=n_rows(rows)))))
    sheet = book["Batch"]
    for place, each in enumerate(program(model).inputs, 1):
        for row, value in enumerate(rows[each.column], 2):
            if isinstance(value, str):
                put_text(sheet.cell(row, place), value)
            else:
                sheet.cell(row, place).value = exact_cell(value) if isinstance(value, float) else value
    with tempfile.TemporaryDirectory() as folder:
        book.save(Path(folder) / "rule.xlsx")
        home = f"-env:UserInstallation=file://{folder}/home"
        command = [str(SOFFICE), home, "--headless", "--convert-to", "xlsx", "--outdir", f"{folder}/out"]
        subprocess.run([*command, f"{folder}/rule.xlsx"], check=True, capture_output=True)
        with closing(load_workbook(f"{folder}/out/rule.xlsx", read_only=True, data_only=True)) as computed:
            titles, *lines = computed["Batch"].iter_rows(values_only=True, max_row=n_rows(rows) + 1)
    told = zip(titles, *lines, strict=True)
    columns = {str(title): [None if cell == "" else cell for cell in cells] for title, *cells in told}
    return verdicts_of(model, columns, n_rows(rows))
