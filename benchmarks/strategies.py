"""The three strategies on the six benchmarks and the two truth tables, side by side.

    python -m benchmarks.strategies --preset paper     ten trials each, as the paper ran them
    python -m benchmarks.strategies --preset ours      ten splits (or seeds), the restart chosen on training rows
    python -m benchmarks.strategies --tables           f₁ and f₂
    python -m benchmarks.strategies --ablation         our defaults with one field changed at a time

Accuracies are on test rows unless a column says otherwise. `tight` counts |prediction - target| < 0.1. `peak` is the
float network when crystallization pressure began, `before` and `after` the network around the final rounding.
"""

import argparse
import time
from itertools import product

import numpy as np
from numpy.typing import NDArray

from crystalogic.datasets import NAMES
from crystalogic.train import (
    STRATEGIES,
    LevenbergMarquardt,
    Proximal,
    RestartReport,
    StraightThrough,
    Strategy,
    strategy_named,
    train,
)
from research.paper.measure import Trial, trials, was_crystallized
from research.paper.presets import paper_strategy
from research.paper.tables import ENRICHED, encode_split, paper_table
from research.paper.trials import truth_table_rows
from research.splits import split

REMEASURED = {  # the paper's own method, measured again: LM-Res, STE, Proximal
    "monks-1": (0.653, 0.570, 0.547),
    "monks-2": (0.542, 0.645, 0.671),
    "monks-3": (0.639, 0.646, 0.472),
    "heart": (0.518, 0.648, 0.600),
    "breast-cancer": (0.632, 0.596, 0.632),
    ENRICHED: (0.660, 0.665, 0.660),
}


def row(name: str, strategy: str, found: list[Trial], seconds: float, note: str = "") -> str:
    """One line of the table."""
    column = {
        part: np.array([getattr(trial, part) for trial in found]) for part in ("peak", "before", "after", "tight")
    }
    reports = [trial.report for trial in found]
    lost = np.mean([report.accuracy_before - report.accuracy_after for report in reports])
    return (
        f"{name:18} {strategy:20} {column['after'].mean():.3f} ± {column['after'].std():.3f}"
        f"  {column['tight'].mean():.3f}"
        f"  {column['peak'].mean():.3f}  {column['before'].mean():.3f}  {lost:+.3f}"
        f"  {sum(map(was_crystallized, reports)):2}/{len(reports)}"
        f"  {np.mean([r.is_constant for r in reports]):.2f}  {np.mean([r.n_literals for r in reports]):6.1f}"
        f"  {seconds:6.2f} {note}"
    )


HEAD = "data               strategy             test accuracy  tight  peak   before lost    Δ<1e-3 const literals s/run"


def paper(names: list[str], strategies: list[str], seeds: int) -> None:
    """Ten trials each in one run; the split (where there is one) is that of seed 0, and of more seeds if asked."""
    print(HEAD, "re-measured")
    for name in names:
        for strategy in strategies:
            found: list[Trial] = []
            begin = time.perf_counter()
            for seed in range(seeds):
                train_rows, test = paper_table(name, seed)
                fields = paper_strategy(strategy, name)
                run = train(None, train_rows.rows, train_rows.target, fields, restarts=10, seed=seed)
                found += trials(run, test, list(range(10)))
            seconds = (time.perf_counter() - begin) / len(found)
            target = REMEASURED[name][list(STRATEGIES).index(strategy)] if name in REMEASURED else float("nan")
            print(row(name, strategy, found, seconds, f"{target:.3f}"), flush=True)


def ours(names: list[str], strategies: list[str], first: int, seeds: int, restarts: int) -> None:
    """Ten splits or seeds; the restart is chosen on the training rows alone."""
    print(HEAD, "constant among all restarts")
    for name in names:
        for strategy in strategies:
            found: list[Trial] = []
            constant: list[bool] = []
            begin = time.perf_counter()
            for seed in range(first, first + seeds):
                train_rows, test = encode_split(split(name, seed), n_cuts=3)
                run = train(None, train_rows.rows, train_rows.target, strategy, restarts=restarts, seed=seed)
                found += trials(run, test, [run.runs.index(run.best)])
                constant += [report.is_constant for report in run.runs]
            seconds = (time.perf_counter() - begin) / seeds
            print(row(name, strategy, found, seconds, f"{np.mean(constant):.2f}"), flush=True)


VARIATIONS: dict[str, list[Strategy]] = {
    "straight_through": [
        StraightThrough(),
        StraightThrough(leak=0.0),
        StraightThrough(leak=1.0),
        StraightThrough(literal_cost=0.0),
        StraightThrough(hidden=(8, 4)),
        StraightThrough(hidden=(8, "residual")),
    ],
    "proximal": [Proximal(), Proximal(refit=None), Proximal(attraction_cost=0.0), Proximal(leak=0.0)],
    "levenberg_marquardt": [
        LevenbergMarquardt(),
        LevenbergMarquardt(refit=None),
        LevenbergMarquardt(leak=0.0),
        LevenbergMarquardt(hidden=(6, "residual")),
    ],
}


def ablation(names: list[str], strategies: list[str], seeds: int, restarts: int) -> None:
    """The chosen crystal on test rows, and the mean restart on training rows, with one field changed at a time."""
    print("data           test   literals  mean restart before/after rounding  constant  strategy")
    for name, strategy in product(names, strategies):
        default = VARIATIONS[strategy][0]
        for varied in VARIATIONS[strategy]:
            found: list[Trial] = []
            reports: list[RestartReport] = []
            for seed in range(seeds):
                train_rows, test = encode_split(split(name, seed), n_cuts=3)
                run = train(None, train_rows.rows, train_rows.target, varied, restarts=restarts, seed=seed)
                found += trials(run, test, [run.runs.index(run.best)])
                reports += run.runs
            changed = [f"{k}={v!r}" for k, v in vars(varied).items() if v != getattr(default, k)]
            before, after, constant = (
                np.mean([getattr(report, part) for report in reports])
                for part in ("accuracy_before", "accuracy_after", "is_constant")
            )
            test_accuracy = np.mean([trial.after for trial in found])
            literals = np.mean([trial.report.n_literals for trial in found])
            print(
                f"{name:14} {test_accuracy:.3f} {literals:8.1f}  {before:12.3f} / {after:.3f}  {constant:20.2f}"
                f"      {strategy} {' '.join(changed)}",
                flush=True,
            )


def tables(strategies: list[str], restarts: int, seeds: int) -> None:
    """How often the truth tables are learnt exactly, by trial (one run with all its restarts) and by restart."""
    print("table   rows strategy             exact trials  exact restarts  s/trial")
    for n, index, strategy in product((1, 2, 4), (1, 2), strategies):
        table = truth_table_rows(f"f{index}", n)
        rows, target = table.rows, table.target
        fields: Strategy = strategy_named(strategy)
        runs = [train(None, rows, target, fields, restarts=restarts, seed=seed) for seed in range(seeds)]
        exact = [[exactly(report, rows, target) for report in run.runs] for run in runs]
        chosen = sum(exactly(run.best, rows, target) for run in runs)
        share, seconds = np.mean(exact), np.mean([run.seconds for run in runs])
        print(
            f"f{index} S_{n} {len(rows):6} {strategy:20} {chosen:6}/{seeds} {share:12.0%} {seconds:14.2f}", flush=True
        )


def exactly(report: RestartReport, rows: NDArray[np.float64], target: NDArray[np.float64]) -> bool:
    """Whether the crystal gives every entry of the table; quarters and halves are exact in binary."""
    return bool((report.crystal.run_rows(rows)[:, 0] == target).all())


def main() -> None:
    """Reads the options and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=["ours", "paper"], default="ours")
    parser.add_argument("--tables", action="store_true", help="only the truth tables f₁ and f₂")
    parser.add_argument("--ablation", action="store_true", help="our defaults with one field changed at a time")
    parser.add_argument("--data", nargs="*", help="some of the data sets")
    parser.add_argument("--strategies", nargs="*", default=list(STRATEGIES))
    parser.add_argument("--seeds", type=int, help="splits or seeds; 10 for ours, 1 split of 10 trials for the paper")
    parser.add_argument("--first", type=int, default=0, help="the first seed of ours; 10 gives splits nobody tuned on")
    parser.add_argument("--restarts", type=int, default=32)
    options = parser.parse_args()
    if options.tables:
        tables(options.strategies, options.restarts, options.seeds or 10)
    elif options.ablation:
        ablation(options.data or list(NAMES[:3]), options.strategies, options.seeds or 5, options.restarts)
    elif options.preset == "paper":
        names = [ENRICHED if name == "mushroom" else name for name in NAMES]
        paper(options.data or names, options.strategies, options.seeds or 1)
    else:
        ours(options.data or list(NAMES), options.strategies, options.first, options.seeds or 10, options.restarts)


if __name__ == "__main__":
    main()
