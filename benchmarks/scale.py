"""Scale: planted rules recovered from long, wide and sparse tables; time and memory against rows, columns and neurons.

    python -m benchmarks.scale million          1,000,000 × 100 beside histogram gradient boosting
    python -m benchmarks.scale rows             10⁴ to 10⁷ rows, the last out of core
    python -m benchmarks.scale columns          columns and neurons of the planted rule
    python -m benchmarks.scale wide sparse      20,000 columns; 5,000 sparse ones
    python -m benchmarks.scale mixed spike      30,000 × 14 numbers and categories; a column that is mostly 0
    python -m benchmarks.scale cluster          4 GB of Parquet, two workers of 1 GB, one of them killed

Every measurement is a process of its own, so that its peak memory is its own. Figures go to standard output and, with
--output, to a CSV file; --draw PICTURE draws the growth from one.
"""

import argparse
import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

NOISE = 0.05
PLANTED = "a3 ⊗ ¬a17 ⊗ a42 ⊕ a5 ⊗ a60 ⊗ ¬a61 ⊕ at least 3 of (a70, a71, ¬a72, a73)"


def planted(columns, n_neurons=3):
    """The labels of the planted rule: conjunctions of three literals and one 'at least 3 of 4'."""
    y = columns(70).astype(np.int8) + columns(71) + (1 - columns(72)) + columns(73) >= 3
    for index in range(n_neurons - 1):
        a, b, c = [(3, 17, 42), (5, 61, 60), (8, 9, 10), (20, 21, 22), (30, 31, 32), (50, 51, 52)][index]
        y |= (columns(a) == 1) & (columns(b) == 0) & (columns(c) == 1)
    return y


def boolean_table(n_rows, n_columns, seed, n_neurons=3):
    generator = np.random.default_rng(seed)
    X = np.empty((n_rows, n_columns), np.int8)
    y = np.empty(n_rows, bool)
    for first in range(0, n_rows, 100_000):
        part = X[first : first + 100_000]
        part[:] = generator.integers(0, 2, part.shape, np.int8)
        flipped = generator.random(len(part)) < NOISE
        y[first : first + 100_000] = planted(lambda i, part=part: part[:, i], n_neurons) ^ flipped
    return X, y


def planted_formula(n_neurons=3):
    from crystalogic import AtLeast, parse

    def a(index):
        return parse(f"{{x{index}=1}}")

    formula = AtLeast(3, a(70), a(71), ~a(72), a(73))
    for x, y, z in [(3, 17, 42), (5, 61, 60), (8, 9, 10), (20, 21, 22), (30, 31, 32), (50, 51, 52)][: n_neurons - 1]:
        formula = formula | (a(x) & ~a(y) & a(z))
    return formula


def is_recovered(model, n_neurons=3):
    """Whether formula and planted rule are proved equal on the declared domains."""
    from crystalogic import equivalent

    goal = planted_formula(n_neurons)
    if not set(goal.variables) <= set(model.encoding.names):
        return False
    names = list(dict.fromkeys([*goal.variables, *model.formulas[0].variables]))
    return bool(equivalent(model.formulas[0], goal, model.encoding.domain.restrict(names)))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


# ---- what one process measures; each prints one JSON line


def fit_million(n_rows=1_000_000, n_columns=100, seed=0, n_neurons=3):
    import crystalogic as cl

    X, y = boolean_table(n_rows, n_columns, seed, n_neurons)
    start = time.perf_counter()
    learner = cl.LukasiewiczClassifier(n_jobs=2, random_state=seed).fit(X, y)
    seconds = time.perf_counter() - start
    found = is_recovered(learner.model_, n_neurons)
    return {"seconds": seconds, "peak_mb": peak(), "input_mb": X.nbytes / 1e6, "recovered": found,
            "formula": str(learner.formula_)}  # fmt: skip


def boost_million(n_rows=1_000_000, n_columns=100, seed=0):
    from sklearn.ensemble import HistGradientBoostingClassifier

    X, y = boolean_table(n_rows, n_columns, seed)
    start = time.perf_counter()
    learner = HistGradientBoostingClassifier(random_state=seed).fit(X, y)
    return {"seconds": time.perf_counter() - start, "peak_mb": peak(), "rounds": int(learner.n_iter_)}


def fit_files(folder, target="y"):
    """Out of core, as `crystalogic fit FOLDER` does it."""

    from crystalogic.files import open_table
    from crystalogic.fitting import Request, fit

    source = open_table(folder)
    start = time.perf_counter()
    model = fit(source, target, Request()).model
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "peak_mb": peak(), "input_mb": source.n_bytes / 1e6, "n_rows": source.n_rows,
            "recovered": is_recovered(model), "formula": str(model.formulas[0])}  # fmt: skip


def fit_wide(n_rows=2000, n_columns=20_000, seed=0):
    import crystalogic as cl

    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n_rows, n_columns)).astype(np.float32)
    a, b, c, d = chosen = sorted(int(i) for i in generator.choice(n_columns, 4, replace=False))
    high = {j: X[:, j] >= np.sort(X[:, j])[n_rows // 2] for j in chosen}
    y = ((high[a] & high[b]) | (high[c] & ~high[d])) ^ (generator.random(n_rows) < NOISE)
    start = time.perf_counter()
    learner = cl.LukasiewiczClassifier(n_jobs=2, random_state=seed).fit(X, y)
    seconds = time.perf_counter() - start
    rule = (high[a] & high[b]) | (high[c] & ~high[d])
    columns = sorted(int(name[1:]) for name in learner.model_.columns)
    agree = float((learner.predict(X) == rule).mean())
    return {"seconds": seconds, "peak_mb": peak(), "input_mb": X.nbytes / 1e6, "formula": str(learner.formula_),
            "recovered": columns == chosen and learner.formula_.size == 4 and agree == 1.0, "agree": agree}  # fmt: skip


def fit_sparse(n_rows=100_000, n_columns=5000, seed=0):
    import scipy.sparse as sparse

    import crystalogic as cl

    generator = np.random.default_rng(seed)
    chosen, share = (10, 200, 3000, 4321), (0.3, 0.25, 0.2, 0.3)
    columns = [np.flatnonzero(generator.random(n_rows) < 0.01) for _ in range(n_columns)]
    for j, p in zip(chosen, share, strict=True):
        columns[j] = np.flatnonzero(generator.random(n_rows) < p)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in columns])])
    X = sparse.csc_array(
        (np.ones(starts[-1], np.float32), np.concatenate(columns), starts), shape=(n_rows, n_columns)
    ).tocsr()
    a, b, c, d = (np.isin(np.arange(n_rows), columns[j]) for j in chosen)
    y = ((a & b) | (c & ~d)) ^ (generator.random(n_rows) < NOISE)
    before = peak()
    start = time.perf_counter()
    learner = cl.LukasiewiczClassifier(n_jobs=2, random_state=seed).fit(X, y)
    seconds = time.perf_counter() - start
    goal = cl.parse("{x10=1} ⊗ {x200=1} ⊕ {x3000=1} ⊗ ¬{x4321=1}")
    is_same = set(learner.formula_.variables) == set(goal.variables) and bool(cl.equivalent(
        learner.formula_, goal, learner.encoding_.domain.restrict(goal.variables)))  # fmt: skip
    return {"seconds": seconds, "peak_mb": peak(), "before_mb": before, "stored_mb": X.nnz * 8 / 1e6,
            "dense_mb": n_rows * n_columns * 4 / 1e6, "recovered": is_same,
            "formula": str(learner.formula_)}  # fmt: skip


def fit_mixed(n_rows=30_000, seed=0):
    """Numbers, counts, categories and a heavy tail, with a noisy class that hangs on eight of fourteen columns."""
    import pandas as pd

    import crystalogic as cl

    generator = np.random.default_rng(seed)
    table = pd.DataFrame({f"number{i}": generator.normal(50, 10, n_rows).round(2) for i in range(4)})
    table["gain"] = np.where(generator.random(n_rows) < 0.92, 0, generator.lognormal(8, 1.2, n_rows).round())
    table["hours"] = generator.integers(1, 99, n_rows)
    for i, size in enumerate((3, 5, 8, 12, 16, 40)):
        values = [f"v{j}" for j in range(size)]
        table[f"kind{i}"] = generator.choice(values, n_rows, p=generator.dirichlet(np.full(size, 2.0)))
    table["count"] = generator.poisson(2, n_rows)
    table["code"] = generator.integers(10_000, 99_999, n_rows)
    odds = 2.5 * (table.gain > 5000) + (table.number0 - 50) / 10 + table.kind1.isin(["v1", "v2"]) - 1.5
    odds += 0.8 * (table.hours > 45) - (table["count"] > 3) + ((table.kind0 == "v0") & (table.number1 > 55))
    y = generator.random(n_rows) < 1 / (1 + np.exp(-odds))
    start = time.perf_counter()
    learner = cl.LukasiewiczClassifier(random_state=seed).fit(table, y)
    best = ((odds > 0) == y).mean()  # of any rule
    return {"seconds": time.perf_counter() - start, "peak_mb": peak(), "accuracy": learner.score(table, y),
            "of_the_truth": best, "formula": str(learner.formula_)}  # fmt: skip


def fit_spike(n_rows=200_000, seed=0):
    """A column that is 0 in 92 % of the rows and decides above 5,000; nobody has between 5,000 and 5,200."""
    import pandas as pd

    import crystalogic as cl

    generator = np.random.default_rng(seed)
    gain = np.where(generator.random(n_rows) < 0.92, 0, generator.lognormal(8.3, 1, n_rows).round())
    gain[(gain > 5000) & (gain < 5200)] = 5200
    table = pd.DataFrame({f"x{i}": generator.normal(size=n_rows) for i in range(5)}).assign(gain=gain)
    y = (gain > 5000) ^ (generator.random(n_rows) < 0.03)
    start = time.perf_counter()
    learner = cl.LukasiewiczClassifier(random_state=seed).fit(table, y)
    cuts = [literal.at for name in learner.formula_.variables if (literal := learner.encoding_.literals[name])]
    return {"seconds": time.perf_counter() - start, "peak_mb": peak(), "formula": str(learner.formula_),
            "recovered": len(cuts) == 1 and 5000 < cuts[0] <= 5200}  # fmt: skip


def fit_cluster(folder, kill="no"):
    """A Dask dataframe, two worker processes of 1 GB; with `kill`, one of them is killed in the middle."""
    import threading

    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    import crystalogic as cl

    with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="1GB", dashboard_address=None) as cluster:
        with Client(cluster) as client:
            table = dd.read_parquet(folder)
            killed = []

            def strike():
                time.sleep(float(kill))
                pid = client.run(os.getpid)
                killed.append(next(iter(pid.values())))
                os.kill(killed[0], signal.SIGKILL)

            if kill != "no":
                threading.Thread(target=strike, daemon=True).start()
            start = time.perf_counter()
            learner = cl.LukasiewiczClassifier().fit(table.drop(columns="y"), table["y"])
            seconds = time.perf_counter() - start
            return {"seconds": seconds, "peak_mb": peak(), "killed": len(killed), "formula": str(learner.formula_)}


# ---- the measurements


def in_process(function, *arguments):
    """The result of a function in a process of its own."""
    code = [sys.executable, __file__, "--alone", function, *map(str, arguments)]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def write_parquet(folder, n_rows, n_columns=100, rows_in_file=250_000, seed=0, *, as_floats=False):
    """The planted table in files, part by part."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    Path(folder).mkdir(parents=True, exist_ok=True)
    for number, first in enumerate(range(0, n_rows, rows_in_file)):
        size = min(rows_in_file, n_rows - first)
        generator = np.random.default_rng([seed, number])
        if as_floats:
            X = generator.standard_normal((n_columns, size))
            y = (X[2] >= 0) & (X[5] < 0) | (X[7] >= 0) & (X[11] >= 0)
            columns = {f"x{i}": X[i] for i in range(n_columns)}
        else:
            X = generator.integers(0, 2, (n_columns, size), np.int8)
            y = planted(lambda i, X=X: X[i])
            columns = {f"x{i}": X[i] for i in range(n_columns)}
        columns["y"] = np.where(y ^ (generator.random(size) < NOISE), "yes", "no")
        pq.write_table(pa.table(columns), Path(folder) / f"part-{number:05}.parquet", compression="none")


def show(title, found, output):
    kept = {key: value for key, value in found.items() if key != "formula"}
    print(f"{title:34}", "  ".join(f"{k} {v:,.1f}" if isinstance(v, float) else f"{k} {v}" for k, v in kept.items()))
    if "formula" in found:
        print(f"{'':34} {found['formula']}", flush=True)
    if output:
        is_new = not Path(output).exists()
        with open(output, "a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(["what", "seconds", "peak_mb", "recovered"])
            writer.writerow([title, f"{found['seconds']:.2f}", f"{found['peak_mb']:.0f}", found.get("recovered", "")])


def million(options):
    ours, boost = in_process("fit_million"), in_process("boost_million")
    show("million: ours", ours, options.output)
    show("million: histogram boosting", boost, options.output)
    limit = 1.5 * ours["input_mb"] + 500
    print(f"time {ours['seconds'] / boost['seconds']:.2f} × boosting (bar 0.3); "
          f"peak {ours['peak_mb']:.0f} MB (bar {limit:.0f} MB); recovered {ours['recovered']}")  # fmt: skip


def rows(options):
    for n in (10_000, 100_000, 1_000_000):
        show(f"rows {n}", in_process("fit_million", n), options.output)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        write_parquet(folder, 10_000_000)
        show("rows 10000000 (out of core)", in_process("fit_files", folder), options.output)


def columns(options):
    for d in (80, 200, 400, 800):
        show(f"columns {d}", in_process("fit_million", 200_000, d), options.output)
    for k in (2, 3, 4, 5, 6):
        show(f"neurons {k}", in_process("fit_million", 200_000, 100, 0, k), options.output)


def wide(options):
    for seed in range(options.seeds):
        show(f"wide 2000 × 20000, seed {seed}", in_process("fit_wide", 2000, 20_000, seed), options.output)


def sparse(options):
    show("sparse 100000 × 5000", in_process("fit_sparse"), options.output)


def mixed(options):
    show("mixed 30000 × 14", in_process("fit_mixed"), options.output)


def spike(options):
    show("spike 200000 × 6", in_process("fit_spike"), options.output)


def cluster(options):
    folder = Path(options.folder or tempfile.gettempdir()) / "crystalogic-4gb"
    try:
        if not folder.exists():
            write_parquet(folder, 25_000_000, 20, 400_000, as_floats=True)
        alone = in_process("fit_files", folder)
        show("4 GB of Parquet, one process", alone, options.output)
        both = in_process("fit_cluster", folder)
        show("4 GB, two workers of 1 GB", both, options.output)
        hurt = in_process("fit_cluster", folder, max(5.0, both["seconds"] / 2))
        show("4 GB, one worker killed", hurt, options.output)
        print(f"same formula: {alone['formula'] == both['formula'] == hurt['formula']}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def draw(table, picture):
    """Time and memory against rows, columns and neurons, from the CSV file."""
    from research.study.drawing import BLUE, ORANGE, drawing

    with open(table, encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    with drawing() as plt:
        figure, axes = plt.subplots(1, 3, figsize=(9, 2.8))
        for axis, what in zip(axes, ("rows", "columns", "neurons"), strict=True):
            mine = [each for each in found if each["what"].split()[0] == what]
            x = [int(each["what"].split()[1]) for each in mine]
            axis.plot(x, [float(each["seconds"]) for each in mine], marker="o", color=BLUE, label="seconds")
            axis.plot(
                x, [float(each["peak_mb"]) / 10 for each in mine], marker="s", color=ORANGE, label="peak memory, 10 MB"
            )
            axis.set_xlabel(what)
            if what == "rows":
                axis.set_xscale("log")
            axis.set_ylim(0)
        axes[0].legend()
        figure.savefig(picture, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "what", nargs="*", default=["million", "rows", "columns", "wide", "sparse", "mixed", "spike", "cluster"]
    )
    parser.add_argument("--alone", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--output", help="a CSV file for the figures")
    parser.add_argument("--folder", help="where large files are written for a while")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--draw", metavar="PICTURE", help="draw the growth from --output")
    options = parser.parse_args()
    if options.alone:
        name, *arguments = options.alone
        read = [int(each) if each.lstrip("-").isdigit() else each for each in arguments]
        print(json.dumps(globals()[name](*read)))
        return
    if options.draw:
        draw(options.output, options.draw)
        return
    for name in options.what:
        globals()[name](options)


if __name__ == "__main__":
    main()
