"""Scoring inside DuckDB beside the least that reading costs: the sum of every column that the rule reads.

Run with `make bench-scoring`, or with `--rows` and `--folder` for other sizes and places. Rows are drawn from the
values of Heart Disease, the sex as a text and `oldpeak` as another number in every row; they are generated once in the
folder. Sums and scores are timed in turn in one process on the files as they are, after a round that is not counted;
the best of three is shown, on the clock and of the processors, which others on the machine disturb less. The
counterpart of a text column is the sum of the lengths, for its bytes must be touched too. Exit code 1 if a rule of
facts costs the processors more than three times the sums by the exported SQL with types.
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from crystalogic import LukasiewiczClassifier, datasets
from crystalogic.encoding import fit_encoding
from crystalogic.export import to_sql
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import Model, load

LIMIT = 3.0
ROWS_A_FILE = 10_000_000
BYTES_A_ROW = 30  # of all columns, and of the predictions that are written beside them
NINE = (
    "at least 4 of ({cp=4}, ¬{ca=0}, ¬{thal=3}, {age ≥ 56}, {oldpeak ≥ 1.39}, {exang=1}, ¬{slope=1}, {trestbps ≥ 138}, "
    "¬{thalach ≥ 153}, "
)
RULES = {
    "ten literals": NINE + "{chol ≥ 241})",
    "ten literals, one of a text": NINE + "{sex=male})",
    "three degrees and a text": "at least 2 of (age, oldpeak, ¬thalach, {sex=male})",
}


def heart() -> pd.DataFrame:
    frame = datasets.load("heart").frame()
    return frame.assign(sex=frame["sex"].map({0: "female", 1: "male"}))


def models(frame: pd.DataFrame, folder: Path) -> dict[str, Model]:
    """The default rule of Heart Disease, and longer ones."""
    labels = pd.Series(datasets.load("heart").labels, name="disease")
    LukasiewiczClassifier().fit(frame, labels).save(folder / "default.json")
    found = {"default of Heart": load(folder / "default.json")}
    encoding = fit_encoding(frame)
    for name, text in RULES.items():
        found[name] = model_of([parse(text)], encoding, "disease", (0, 1))
    return found


def generate(frame: pd.DataFrame, folder: Path, n_rows: int) -> None:
    """Files of rows whose columns are drawn from the values of the frame, missing ones included."""
    columns = []
    for name in frame.columns:
        values = frame[name].astype(object).where(frame[name].notna(), None).tolist()
        whole = all(value is None or (not isinstance(value, str) and float(value).is_integer()) for value in values)
        kind = "VARCHAR" if isinstance(values[0], str) else "BIGINT" if whole and None not in values else "DOUBLE"
        listed = ", ".join("NULL" if value is None else repr(value) for value in values)
        drawn = f"list_extract([{listed}]::{kind}[], 1 + floor(random() * {len(values)})::BIGINT)"
        columns.append(f'{"6.2 * random()" if name == "oldpeak" else drawn} AS "{name}"')
    for index, start in enumerate(range(0, n_rows, ROWS_A_FILE)):
        n = min(ROWS_A_FILE, n_rows - start)
        file = folder / f"part-{index:04}.parquet"
        duckdb.execute(f"COPY (SELECT {', '.join(columns)} FROM range({n})) TO '{file}' (FORMAT parquet)")


def types_of(connection: Any) -> dict[str, str]:
    """The types of the columns, in the words of the export."""
    words = {"BIGINT": "integer", "DOUBLE": "number", "VARCHAR": "text"}
    return {name: words[kind] for name, kind, *_ in connection.execute("DESCRIBE patients").fetchall()}


Cost = tuple[float, float]  # seconds on the clock, seconds of all processors


def cost(connection: Any, query: str) -> Cost:
    clock, processors = time.perf_counter(), time.process_time()
    connection.execute(query).fetchall()
    return time.perf_counter() - clock, time.process_time() - processors


def best_in_turn(connection: Any, queries: dict[str, str], n_times: int = 3) -> dict[str, Cost]:
    """The least costs of each query, taken in turn after one round that is not counted."""
    rounds = [{name: cost(connection, query) for name, query in queries.items()} for _ in range(n_times + 1)]
    found = {name: list(zip(*(each[name] for each in rounds[1:]), strict=True)) for name in queries}
    return {name: (min(clock), min(processors)) for name, (clock, processors) in found.items()}


def predicted(model: Model, table: Path, folder: Path) -> tuple[float, float]:
    """Seconds and gigabytes of memory of `predict --engine duckdb` as a program, writing Parquet."""
    model.save(folder / "model.json")
    output = folder / "predictions.parquet"
    words = ["predict", str(folder / "model.json"), str(table), "--engine", "duckdb", "-o", str(output)]
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "crystalogic", *words], check=True)
    seconds = time.perf_counter() - start
    (n_rows,) = duckdb.execute(f"SELECT count(*) FROM '{output}'").fetchone() or (0,)
    (n_expected,) = duckdb.execute(f"SELECT count(*) FROM '{table}/*.parquet'").fetchone() or (0,)
    assert n_rows == n_expected
    output.unlink()
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6


def measured(connection: Any, name: str, model: Model, table: Path, folder: Path, n_rows: int) -> float:
    """Prints the line of a model; gives how many times the sums the scores cost the processors."""
    kinds = types_of(connection)
    read = [f'strlen("{name}")' if kinds[name] == "text" else f'"{name}"' for name in model.columns]
    sums = ", ".join(f"sum({each})" for each in read)
    queries = {
        "sums": f"SELECT {sums} FROM patients",
        "typed": to_sql(model, table="patients", keep=[], dialect="duckdb", types=kinds),
        "untyped": to_sql(model, table="patients", keep=[], dialect="duckdb"),
    }
    for key in ("typed", "untyped"):
        queries[key] = f'SELECT sum("predicted disease"), count("predicted disease") FROM (\n{queries[key]})'
    answers = {key: connection.execute(query).fetchone() for key, query in queries.items()}
    assert answers["typed"] == answers["untyped"], answers
    assert answers["typed"][1] == n_rows
    untyped = cost(connection, queries.pop("untyped"))
    (sum_clock, sum_cpu), (clock, cpu) = best_in_turn(connection, queries).values()
    seconds, memory = predicted(model, table, folder)
    print(
        f"{name:28} {model.formulas[0].size:>8} {len(model.columns):>7} {sum_clock:>8.2f} {sum_cpu:>6.2f} "
        f"{clock:>8.2f} {cpu:>6.2f} {clock / sum_clock:>8.2f} {cpu / sum_cpu:>6.2f} {untyped[1]:>8.2f} "
        f"{seconds:>8.1f} {n_rows / seconds / 1e6:>8.1f} {memory:>6.2f}",
        flush=True,
    )
    return cpu / sum_cpu


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--folder", type=Path, help="where the table is kept, or made if it is not there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder and given.folder.parent) as made:
        folder = Path(made)
        table = given.folder or folder / "patients"
        frame = heart()
        rules = models(frame, folder)
        if not table.is_dir():
            needed, free = given.rows * BYTES_A_ROW, shutil.disk_usage(folder).free
            if free < 1.2 * needed:
                print(
                    f"{given.rows:,} rows need about {needed / 1e9:.1f} GB of disk; {folder} has {free / 1e9:.1f} GB."
                )
                return 1
            table.mkdir()
            start = time.perf_counter()
            generate(frame, table, given.rows)
            print(f"generated in {time.perf_counter() - start:.0f} s")
        connection = duckdb.connect()
        connection.execute(f"CREATE VIEW patients AS SELECT * FROM read_parquet('{table}/*.parquet')")
        (n_rows,) = connection.execute("SELECT count(*) FROM patients").fetchone() or (0,)
        size = sum(file.stat().st_size for file in table.iterdir()) / 1e9
        print(f"{n_rows:,} rows, {size:.1f} GB in Parquet; DuckDB {duckdb.__version__}")
        print(" " * 45 + "      sums    SQL with types      ratio   without types  predict --engine duckdb")
        print(f"{'rule':28} literals columns" + "    clock    CPU" * 3 + "      CPU  seconds   rows/s     GB")
        ratios = []
        for name, rule in rules.items():
            ratio = measured(connection, name, rule, table, folder, n_rows)
            ratios += [ratio] if all(rule.encoding.literals[each].is_boolean for each in rule.names) else []
    print(f"largest ratio of a rule of facts: {max(ratios):.2f} (limit {LIMIT:g}); rows/s in millions")
    return int(max(ratios) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
