"""Exports against the library: random rows with missing values, boundary values and unseen categories in every target.

Run with `make bench-exports`, or `PYTHONPATH=tests python benchmarks/exports.py [model ...]`. It counts the rows with
another decision, and those of which another score, risk or need to ask is told, where the model has a risk. It gives
the largest difference of degrees, and the seconds, loading the rows into the engine included. Exit code 1 if a
decision differs, or what is told beside it, or a degree by over 1e-12.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

import export_engines as engines
from crystalogic.model import Model
from export_cases import LAYERED, MODELS, RISKS, Rows, Verdicts, loose_rows, said, typed_rows

N_ROWS = 100_000
SHOWN = ("heart", "facts_only", "three_classes", "degree", "deep", *(make.__name__ for make in RISKS))
LIMIT = 1e-12

Run = Callable[[Model, Rows], Verdicts]


def runs(server: Callable[[str, str], str] | None) -> Iterator[tuple[str, bool, Run]]:
    """The targets that can be run here: name, whether it takes rows without types, and how."""
    yield "Python", True, engines.run_python
    if engines.NODE:
        yield "JavaScript (node)", True, engines.run_javascript
    if engines.GCC:
        yield "C (gcc)", False, engines.run_c
    yield "ONNX (onnxruntime)", False, engines.run_onnx
    yield "SQL (SQLite)", False, in_sql("sqlite", engines.sqlite_asker)
    yield "SQL (DuckDB)", False, in_sql("duckdb", engines.duckdb_asker)
    yield "standard SQL (SQLite)", False, in_sql("standard", engines.sqlite_asker)
    yield "standard SQL (DuckDB)", False, in_sql("standard", engines.duckdb_asker)
    if server:
        yield "SQL (PostgreSQL)", False, in_sql("postgresql", partial(engines.postgresql_asker, server))


def in_sql(dialect: str, asker: Callable[[Rows], engines.Ask]) -> Run:
    return lambda model, rows: engines.asked(model, rows, dialect, asker(rows), by_expression=False)


def differences(found: Verdicts, expected: Verdicts, has_classes: bool) -> tuple[int, float]:
    """How many decisions differ, and the largest difference of degrees, infinite if one has none where another has."""
    pairs = zip(found.decisions, expected.decisions, strict=True)
    if has_classes:
        wrong = sum(one != other for one, other in pairs)
    else:
        wrong = sum((one is None) != (other is None) for one, other in pairs)
    if (np.isnan(found.degrees) != np.isnan(expected.degrees)).any():
        return wrong, np.inf
    return wrong, float(np.nanmax(np.abs(found.degrees - expected.degrees), initial=0))


def main(names: Sequence[str]) -> int:
    failed = False
    n_told = n_other = 0  # rows of which more is told than the class, and those of which it differs
    typed, loose = typed_rows(N_ROWS), loose_rows(N_ROWS)
    print(f"{N_ROWS:,} rows; undecided: rows that the library refuses\n")
    print(
        "model           target                  rows   undecided  other decisions  other risks  largest difference"
        "  seconds"
    )
    with engines.postgresql() as server:
        for name in names:
            model = MODELS[name]()
            expected = {False: said(model, typed), True: said(model, loose)}
            for target, takes_loose, run in runs(server):
                for is_loose in (False, True) if takes_loose else (False,):
                    if name in LAYERED and target.startswith("standard"):
                        continue  # engines may write a named step out wherever it is used
                    start = time.perf_counter()
                    found = run(model, loose if is_loose else typed)
                    seconds = time.perf_counter() - start
                    wrong, largest = differences(found, expected[is_loose], model.classes is not None)
                    other = sum(one != two for one, two in zip(found.told, expected[is_loose].told, strict=True))
                    failed |= wrong > 0 or other > 0 or largest > LIMIT
                    n_told += N_ROWS * model.has_risk
                    n_other += other + wrong * model.has_risk
                    undecided = sum(decision is None for decision in expected[is_loose].decisions)
                    kind = "loose" if is_loose else "typed"
                    line = f"{name:14}  {target:22}  {kind}  {undecided:>9,}  {wrong:>15,}  {other:>11,}"
                    print(f"{line}  {largest:>18.1e}  {seconds:>7.2f}", flush=True)
    print(f"\nclass, score, risk and whether to ask: {n_told:,} rows compared, {n_other:,} differ")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or SHOWN))
