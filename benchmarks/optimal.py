"""What is proved best on the six data sets: for each size the cost, the gap, the number of best rules, and seconds.

Run with `make bench-optimal`, or `python benchmarks/optimal.py heart monks-2 --seconds 10 --shape points --cuts 5`.
Facts are those of a default fit, up to 40 cuts of each number, unless there are to be fewer cuts. Each size has the
time for itself; kernels are compiled before. The last line of a table says which share of the sizes was proved.
"""

import argparse
import time

import numpy as np

from crystalogic import datasets
from crystalogic.fitting.learning import Problem
from crystalogic.optimal import Counted, count_rows, solve
from crystalogic.request import Request

SIZES = range(1, 6)
HEAD = f"{'facts':>6}{'cost':>7}{'bound':>7}{'best rules':>12}{'sets':>16}{'computed':>10}{'s':>8}{'CPU s':>8}"


def count_table(name: str, n_cuts: int | None) -> Counted:
    """The rows of a data set over the facts of a default fit."""
    table = datasets.load(name)
    labels, frame = np.asarray(table.labels), table.frame()
    classes = np.unique(labels)
    encoding = Problem.of("class", classes, Request(n_cuts=n_cuts)).encode(frame, None)
    return count_rows(encoding.features(frame), labels == classes[-1])


def show(counted: Counted, size: int, shape: str, seconds: float) -> bool:
    """One line; whether it was proved."""
    begin, cpu = time.perf_counter(), time.process_time()
    found = solve(counted, size, shape, seconds=seconds, n_threads=2)
    share = f"{found.n_scanned / found.n_sets:.1%}"
    used = f"{time.perf_counter() - begin:8.1f}{time.process_time() - cpu:8.1f}"
    n_best = f"{found.counts[0]:,}" if found.is_whole else "?"
    print(f"{size:>6}{found.cost:>7}{found.bound:>7}{n_best:>12}{found.n_sets:>16,}{share:>10}{used}", flush=True)
    return found.is_proved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=datasets.NAMES)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--shape", default="checklist")
    parser.add_argument("--cuts", type=int)
    asked = parser.parse_args()
    for name in asked.names:
        counted = count_table(name, asked.cuts)
        solve(counted, 2, asked.shape)  # compiles
        n_rows, n_facts = counted.truth.shape
        print(f"\n{name}: {n_rows} different rows, {n_facts} different facts, {asked.shape}\n{HEAD}")
        n_proved = sum(show(counted, size, asked.shape, asked.seconds) for size in SIZES)
        print(f"{n_proved / len(SIZES):.0%} proved")


if __name__ == "__main__":
    main()
