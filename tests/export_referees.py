"""Engines of others that run PMML, DMN and spreadsheets; `make bench-referees` installs them."""

import importlib.util
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crystalogic.export import to
from crystalogic.export.program import program
from crystalogic.model import Model
from export_cases import Rows, Verdicts, nothing_told
from export_engines import n_rows

JAVA = bool(shutil.which("java") and importlib.util.find_spec("jpmml_evaluator") and importlib.util.find_spec("jpype"))


def verdicts_of(model: Model, columns: dict[str, Sequence[Any]], count: int) -> Verdicts:
    """What an engine says in columns that are called as in SQL; None where there is nothing."""
    answers = {name: [None if each is None or each != each else each for each in columns[name]] for name in columns}
    decided = answers.pop(f"predicted {model.target}")
    spoken = [name for name in answers if name.startswith("degree of ")]
    told = [name for name in answers if name in ("score", "ask") or name.startswith("probability of ")]
    told = [*told[: len(nothing_told(model))]]
    degrees = np.array([answers[name] for name in spoken], float).T if spoken else np.full((count, 0), np.nan)
    return Verdicts(degrees, decided, list(zip(*(answers[name] for name in told), strict=True)) or [()] * count)


def n_different(found: Verdicts, expected: Verdicts) -> tuple[int, int]:
    """How many rows have another class, and how many another score, probability or need to ask."""
    pairs = zip(found.decisions, expected.decisions, strict=True)
    return sum(one != two for one, two in pairs), sum(
        one != two for one, two in zip(found.told, expected.told, strict=True)
    )


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
