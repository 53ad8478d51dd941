"""All evaluators against each other: python tests/fuzz/evaluators.py 200 [seed].

Random formulas and encodings, random rows: fractions, arrays, the crystal exactly, and the exports as Python, SQL
(SQLite, DuckDB), C, JavaScript and ONNX. Decisions and refusals must be the same; degrees of the exports and the arrays
the same floats; the exact ones within the bound of rounding.
"""

import math
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import export_engines as engines
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing, OneOf, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.errors import CertificateError
from crystalogic.fitting import model_of
from crystalogic.logic.formula import (
    AtLeast,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    StrongAnd,
    StrongOr,
    Variable,
)
from crystalogic.model import Model
from export_cases import NUMBERS, Verdicts, said

N_ROWS = 40
TEXTS = ("a", "b", "4", "4.0", "-1", "True", "é", "x y", "0.5", "1e5", "N/A ", "o'clock", '"', "\\", "%", "_")


def random_model(draw: Random) -> Model:
    """A rule of any connectives over columns of all kinds; one class, two or three, or a degree."""
    encoding = Encoding(tuple(_column(name, draw) for name in (*draw.sample(NUMBERS, 3), "sex", "batch", "size")))
    names = list(encoding.names)
    n_formulas = draw.choice([1, 1, 1, 3])
    classes: Any = draw.choice([("no", "yes"), (0, 1), (False, True), None]) if n_formulas == 1 else ("x", "y", "z")
    while True:
        with suppress(CertificateError):  # the checker cannot show every formula of weak connectives
            return model_of([random_formula(names, draw) for _ in range(n_formulas)], encoding, "target", classes)


def _column(name: str, draw: Random) -> Column:
    may_miss = draw.random() < 0.5
    missing: tuple[Any, ...] = (Missing(name),) if may_miss else ()
    if name in NUMBERS:
        low = draw.choice([0.0, -1 / 3, draw.uniform(-100, 100)])
        high = low + draw.choice([1.0, 2 / 3, draw.uniform(0.1, 200)])
        cut = Cut(name, draw.choice([low, (low + high) / 2, draw.uniform(low, high)]))
        return Column(name, "number", (Degree(name, low, high), cut, *missing), (), may_miss)
    values = sorted(draw.sample([text for text in TEXTS if text.strip() not in ("N/A", "4.0")], 3))
    if name == "size":
        return Column(
            name, "ordinal", (*(Reaches(name, v, tuple(values)) for v in values[1:]), *missing), tuple(values), may_miss
        )
    said = (*(Is(name, value) for value in values), OneOf(name, tuple(draw.sample(values, 2))))
    return Column(name, "category", (*said, *missing), tuple(values), may_miss)


def random_formula(names: list[str], draw: Random, depth: int = 3) -> Formula:
    """Any connectives up to three levels deep."""
    if depth == 0 or draw.random() < 0.15:
        literal = Variable(draw.choice(names))
        return Not(literal) if draw.random() < 0.4 else literal
    parts = [random_formula(names, draw, depth - 1) for _ in range(draw.randint(2, 4))]
    kind = draw.choice([StrongAnd, StrongOr, Minimum, Maximum, Implies, Iff, AtLeast, AtLeast, Not])
    if kind is AtLeast:
        return AtLeast(draw.randint(1, len(parts)), *parts, draw.choice(parts))
    return kind(*parts[:1]) if kind is Not else kind(*parts[:2]) if kind in (Implies, Iff) else kind(*parts)


def random_rows(model: Model, draw: Random) -> dict[str, list[Any]]:
    """Values at the edges of the columns, between, beyond and beside them, and missing ones."""
    rows: dict[str, list[Any]] = {}
    for column in model.encoding.columns:
        if column.name in NUMBERS:
            edges = [
                v
                for each in column.literals
                for v in (getattr(each, "low", None), getattr(each, "high", None), getattr(each, "at", None))
                if v is not None
            ]
            near = [
                near
                for edge in edges
                for near in (edge, math.nextafter(edge, -math.inf), math.nextafter(edge, math.inf))
            ]
            usual = [*near, sum(edges[:2]) / 2, 0.0, -0.0]
            rows[column.name] = [
                math.nan
                if draw.random() < 0.05
                else draw.choice(usual)
                if draw.random() < 0.5
                else draw.uniform(min(edges), max(edges))
                for _ in range(N_ROWS)
            ]
        else:
            known = [*column.known, *TEXTS]
            rows[column.name] = [None if draw.random() < 0.05 else draw.choice(known) for _ in range(N_ROWS)]
    return rows


def disagreements(model: Model, rows: dict[str, list[Any]]) -> list[str]:
    """What any two evaluators say differently of these rows."""
    expected = said(model, rows)
    found: list[str] = []
    for name, verdicts in _exports(model, rows):
        for place in range(N_ROWS):
            if not _same(verdicts.decisions[place], expected.decisions[place]):
                found.append(f"{name}: row {place}: {verdicts.decisions[place]!r}, not {expected.decisions[place]!r}")
        if not np.array_equal(verdicts.degrees, expected.degrees, equal_nan=True):
            off = np.nanmax(np.abs(verdicts.degrees - expected.degrees), initial=0)
            found.append(f"{name}: degrees differ by {off}")
    for place in range(N_ROWS):
        if expected.decisions[place] is not None or (
            model.classes is None and not math.isnan(expected.degrees[place, 0])
        ):
            found += _exactly(model, {name: values[place] for name, values in rows.items()}, expected, place)
    return found


def _exactly(model: Model, row: dict[str, Any], expected: Verdicts, place: int) -> list[str]:
    explained = model.explain(row)
    truths = model.truth_row(row)
    run = model.crystal.run({name: truths.get(name, Fraction(0)) for name in model.crystal.inputs})
    found = []
    if run != explained.degrees or tuple(f.evaluate(truths) for f in model.formulas) != explained.degrees:
        found.append(f"row {place}: the crystal and the formulas differ exactly")
    for exact, computed in zip(explained.degrees, expected.degrees[place], strict=True):
        if abs(Fraction(float(computed)) - exact) > model.rounding:
            found.append(f"row {place}: {computed} is further from {exact} than rounding explains")
    said_here = explained.decision if explained.rounded is None else explained.rounded
    if model.predict({name: [value] for name, value in row.items()})[0] != explained.decision and model.classes:
        found.append(f"row {place}: predicted otherwise than explained ({explained.decision})")
    if model.classes is not None and said_here != expected.decisions[place]:
        found.append(f"row {place}: explained as {said_here}, predicted {expected.decisions[place]}")
    return found


def _exports(model: Model, rows: dict[str, list[Any]]) -> Any:
    yield "python", engines.run_python(model, rows)
    yield "onnx", engines.run_onnx(model, rows)
    if engines.GCC:
        yield "c", engines.run_c(model, rows)
    if engines.NODE:
        yield "javascript", engines.run_javascript(model, rows)
    for dialect, asker in (("sqlite", engines.sqlite_asker), ("duckdb", engines.duckdb_asker)):
        yield dialect, engines.asked(model, rows, dialect, asker(rows), by_expression=False)


def _same(found: Any, expected: Any) -> bool:
    return bool(found == expected) or (found is None and expected is None)


def campaign(n_models: int, seed: int) -> tuple[int, list[str]]:
    """How many rows were judged by all, and what differed."""
    found = []
    for index in range(n_models):
        draw = Random(seed * 1_000_003 + index)
        model = random_model(draw)
        for problem in disagreements(model, random_rows(model, draw)):
            found.append(f"model {index}: {problem}: {model.formulas[0]}")
    return n_models * N_ROWS, found


if __name__ == "__main__":
    n_rows, problems = campaign(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.stdout.write("\n".join([*problems[:20], f"{n_rows:,} rows by all evaluators, {len(problems)} differences\n"]))
    sys.exit(bool(problems))
