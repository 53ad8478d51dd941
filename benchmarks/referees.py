"""PMML, DMN and spreadsheets run by engines of others, against the library.

Run with `make bench-referees`, or `PYTHONPATH=tests python benchmarks/referees.py [ROWS] [pmml|dmn|xlsx …]`. Models:
two classes, points with the steps of a ladder, a risk with a band, several classes, missing values of all kinds, odd
names and texts, grades. 100,000 rows each (10,000 in the spreadsheet), many exactly at a cut or one double beside it.
Exit code 1 if a class, a score, a probability or a need to ask differs.
"""

import math
import sys
import time
from random import Random
from typing import Any

import export_referees as referees
from crystalogic.cells import levels_of
from crystalogic.encoding import Cut, Encoding, Is, Missing
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.formula import AtLeast, Variable
from crystalogic.logic.parse import parse
from crystalogic.model import Model
from export_cases import EDGES, ENCODING, MODELS, Rows, hostile, hostile_rows, said, typed_rows, with_risk

STEPS = (40.0, 47.3, 54.6, 61.9)
N_ROWS = {"pmml": 100_000, "dmn": 100_000, "xlsx": 10_000}


def two_classes() -> Model:
    """A checklist that tells the class alone."""
    formula = parse("at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3}, {age ≥ 55}, {ratio ≥ 0.3333333333333333}, {sex=male})")
    return model_of([formula], ENCODING, "disease", ("no", "yes"))


def ladder() -> Model:
    """Points for each step of a number that is reached, and for a code."""
    columns = (Column("age", "number", tuple(Cut("age", step) for step in STEPS)), *ENCODING.columns[4:5])
    facts = [*map(Variable, Encoding(columns).names[:4])]
    formula = AtLeast(4, *facts, *facts[:2], *[Variable("cp=4")] * 3)
    return with_risk(model_of([formula], Encoding(columns), "disease", (0, 1)), seed=11)


def gaps() -> Model:
    """Words of its own for what is missing, a number among them, and columns that had no gap in training."""
    words = levels_of(["-9", "unknown", "007"])
    columns = (
        Column("age", "number", (Cut("age", 55.0), Missing("age")), (), True, missing_words=words),
        Column("batch", "category", (Is("batch", "4"), Missing("batch")), ("4", "b"), True, missing_words=words),
        Column("chol", "number", (Cut("chol", 130.5),), ()),
        Column("ca", "code", (Is("ca", "0"), Missing("ca")), ("0", "1"), True),
    )
    formula = "at least 3 of (2·{age ≥ 55}, {age is missing}, {batch=4}, {batch is missing}, {chol ≥ 130.5}, ¬{ca=0})"
    return with_risk(model_of([parse(formula)], Encoding(columns), "disease", (False, True)), (2, 4), seed=12)


def cases(count: int) -> dict[str, tuple[Model, Rows]]:
    """The seven models, each with rows of its own."""
    rows, draw = typed_rows(count, seed=100), Random(101)
    ages = [each for step in STEPS for each in (step, math.nextafter(step, 0), math.nextafter(step, 99))]
    at_steps = {**rows, "age": [draw.choice(ages) if draw.random() < 0.7 else age for age in rows["age"]]}
    with_words: dict[str, list[Any]] = {**rows}
    with_words["age"] = [-9.0 if draw.random() < 0.1 else age for age in rows["age"]]
    words = ["unknown", " unknown", "007", "-9", "-9.0", "x"]
    with_words["batch"] = [draw.choice(words) if draw.random() < 0.2 else text for text in rows["batch"]]
    return {
        "two classes": (two_classes(), rows),
        "ladder": (ladder(), at_steps),
        "risk and band": (MODELS["checklist"](), rows),
        "several classes": (MODELS["chained"](), rows),
        "missing values": (gaps(), with_words),
        "odd texts": (hostile(), hostile_rows(count, seed=102)),
        "grades": (MODELS["graded"](), rows),
    }


RUNS = {"pmml": referees.run_pmml, "dmn": referees.run_dmn, "xlsx": referees.run_xlsx}
AT_MOST = {"xlsx": 1e-12}  # LibreOffice writes 15 digits of a probability that is computed


def tame(rows: Rows, *, is_whole: bool) -> Rows:
    """Rows without NaN, infinite and tiny numbers, which a format does not know; whole but for edges, to save time."""
    edges = {-9.0, *(number for numbers in EDGES.values() for number in numbers)}
    edges |= {near for step in STEPS for near in (step, math.nextafter(step, 0), math.nextafter(step, 99))}

    def one(cell: Any) -> Any:
        if isinstance(cell, str):
            return cell[:6] if is_whole and cell.startswith("new 0.") else cell
        if not isinstance(cell, float) or cell in edges:
            return cell
        if not math.isfinite(cell) or abs(cell) < 1e-300:
            return None
        return float(round(cell)) if is_whole else cell

    return {name: list(map(one, cells)) for name, cells in rows.items()}


def main(asked: list[str]) -> int:
    failed = 0
    for name in [each for each in asked if not each.isdigit()] or RUNS:
        count = next((int(each) for each in asked if each.isdigit()), N_ROWS[name])
        print(f"{name}: {count:,} rows of each model\n")
        print("model             undecided  other classes  other score, risk, ask  seconds")
        for title, (model, rows) in cases(count).items():
            needed = {column: rows[column] for column in model.columns}
            needed = needed if name == "pmml" else tame(needed, is_whole=name == "dmn")
            expected, start = said(model, needed), time.perf_counter()
            found = RUNS[name](model, needed)
            seconds = time.perf_counter() - start
            classes, told = referees.n_different(found, expected, AT_MOST.get(name, 0.0))
            failed += classes + told
            undecided = sum(each is None for each in expected.decisions)
            print(f"{title:16}  {undecided:>9,}  {classes:>13,}  {told:>22,}  {seconds:>7.1f}", flush=True)
        print()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
