"""The peers, each in a few lines: how it is fitted, how it predicts, and how many conditions its model prints.

Settings are each library's own defaults unless a line says otherwise. `literals` counts the conditions in the printed
model: for a tree its splits, for a list or a set of rules the conditions of all rules, for a scorecard its features
with points, for a linear model its non-zero weights, for an additive model its terms, for a forest or boosting all
splits of all trees.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.bench.tables import Half, Halves

Array = NDArray[Any]


@dataclass(frozen=True)
class Fitted:
    """A fitted model: its predictions for rows, the number of conditions it prints, and how likely class 1 is.

    Of more than two classes it says how likely each is.
    """

    predict: Callable[[Half], Array]
    literals: int
    risk: Callable[[Half], Array] | None = None


@dataclass(frozen=True)
class Peer:
    """A learner of the comparison; `is_rule` says whether its model is read as rules or points by a person."""

    name: str
    package: str
    is_rule: bool
    fit: Callable[[Halves, int], Fitted]
    note: str
    two_classes: bool = False


def on_numbers(model: Any, literals: int) -> Fitted:
    """A model of scikit-learn's kind that was fitted on numbers."""

    def risk(half: Half) -> Array:
        told = np.asarray(model.predict_proba(half.numbers))
        return told[:, 1] if told.shape[1] == 2 else told

    return Fitted(lambda half: np.asarray(model.predict(half.numbers)).astype(int), literals, risk)


def _crystalogic(data: Halves, seed: int) -> Fitted:
    from crystalogic.estimator import LukasiewiczClassifier

    model = LukasiewiczClassifier(random_state=seed).fit(data.train.frame, data.train.labels)
    return Fitted(lambda half: model.predict(half.frame), sum(formula.size for formula in model.formulas_))


def _cart(data: Halves, seed: int) -> Fitted:
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    grid = {
        "max_depth": [1, 2, 3, 4, 5, 6, 8, 12, None],
        "min_samples_leaf": [1, 3, 10],
        "ccp_alpha": [0.0, 0.005, 0.02],
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    search = GridSearchCV(DecisionTreeClassifier(random_state=seed), grid, cv=folds)
    tree = search.fit(data.train.numbers, data.train.labels).best_estimator_
    return on_numbers(tree, _splits(tree.tree_))


def _splits(tree: Any) -> int:
    return int((tree.children_left >= 0).sum())


def _logistic(data: Halves, seed: int) -> Fitted:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=2000).fit(data.train.numbers, data.train.labels)
    return on_numbers(model, int((model.coef_ != 0).sum()))


def _forest(data: Halves, seed: int) -> Fitted:
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(random_state=seed, n_jobs=1).fit(data.train.numbers, data.train.labels)
    return on_numbers(model, sum(_splits(tree.tree_) for tree in model.estimators_))


def _boosting(data: Halves, seed: int) -> Fitted:
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(random_state=seed).fit(data.train.numbers, data.train.labels)
    splits = sum(int((~tree.nodes["is_leaf"].astype(bool)).sum()) for step in model._predictors for tree in step)
    return on_numbers(model, splits)


def _ebm(data: Halves, seed: int) -> Fitted:
    from interpret.glassbox import ExplainableBoostingClassifier

    model = ExplainableBoostingClassifier(random_state=seed, n_jobs=1, interactions=0, outer_bags=4)
    model.fit(data.train.numbers, data.train.labels)
    return on_numbers(model, len(model.term_names_))


def _ripper(data: Halves, seed: int) -> Fitted:
    import wittgenstein

    model = wittgenstein.RIPPER(random_state=seed)
    model.fit(_filled(data.train.frame), data.train.labels, pos_class=1)
    return Fitted(
        lambda half: np.asarray(model.predict(_filled(half.frame))).astype(int), int(model.ruleset_.count_conds())
    )


def _filled(frame: Any) -> Any:
    """RIPPER compares values as they stand: a missing one becomes a value of its own."""
    return frame.astype(object).where(frame.notna(), "missing") if frame.isna().any().any() else frame


def _figs(data: Halves, seed: int) -> Fitted:
    from imodels import FIGSClassifier

    model = FIGSClassifier(random_state=seed).fit(data.train.numbers, data.train.labels)
    return on_numbers(model, int(model.complexity_))


def _boosted_rules(data: Halves, seed: int) -> Fitted:
    from imodels import BoostedRulesClassifier

    model = BoostedRulesClassifier(random_state=seed).fit(data.train.numbers, data.train.labels)
    splits = sum(_splits(tree.tree_) for tree in model.estimators_)
    return on_numbers(model, splits)


def _greedy_list(data: Halves, seed: int) -> Fitted:
    from imodels import GreedyRuleListClassifier

    model = GreedyRuleListClassifier().fit(data.train.numbers, data.train.labels)
    return on_numbers(model, int(model.complexity_))


def _gosdt(data: Halves, seed: int) -> Fitted:
    """GOSDT wants Boolean columns; of three ways to make them the one with its own least training objective counts."""
    penalty = max(0.01, 1.5 / len(data.train.labels))
    found = [_optimal_tree(shape, data, penalty) for shape in _boolean_shapes(data, seed)]
    return min(found, key=lambda pair: pair[0])[1]


def _boolean_shapes(data: Halves, seed: int) -> list[Callable[[Half], Any]]:
    import pandas as pd
    from gosdt import ThresholdGuessBinarizer

    shapes: list[Callable[[Half], Any]] = []
    for depth in (1, 2):
        binarizer = ThresholdGuessBinarizer(n_estimators=40, max_depth=depth, random_state=seed)
        binarizer.set_output(transform="pandas")
        binarizer.fit(data.train.numbers, data.train.labels)
        shapes.append(lambda half, made=binarizer: made.transform(half.numbers))  # type: ignore[misc]
    if data.train.booleans.shape[1] <= 20:  # more would end at the time limit
        shapes.append(lambda half: pd.DataFrame(half.booleans.astype(bool)).rename(columns=str))
    return shapes


def _optimal_tree(shape: Callable[[Half], Any], data: Halves, penalty: float) -> tuple[float, Fitted]:
    from gosdt import GOSDTClassifier

    model = GOSDTClassifier(regularization=penalty, depth_budget=5, time_limit=3, verbose=False)
    rows = shape(data.train)
    model.fit(rows, data.train.labels)
    splits = str(model.trees_[0]).count("left child")
    errors = float((np.asarray(model.predict(rows)) != data.train.labels).mean())
    return errors + penalty * (splits + 1), Fitted(lambda half: np.asarray(model.predict(shape(half))), splits)


def _fasterrisk(data: Halves, seed: int) -> Fitted:
    from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

    optimizer = RiskScoreOptimizer(X=data.train.booleans, y=2 * data.train.labels - 1, k=5)
    optimizer.optimize()
    multiplier, intercept, points = optimizer.get_models(model_index=0)
    card = RiskScoreClassifier(multiplier, intercept, points)
    return Fitted(
        lambda half: (np.asarray(card.predict(half.booleans)).ravel() > 0).astype(int), int((points != 0).sum())
    )


OURS = "Crystalogic"
PEERS = {
    peer.name: peer
    for peer in (
        Peer(OURS, "crystalogic", True, _crystalogic, "`LukasiewiczClassifier()` on the raw columns"),
        Peer("CART", "sklearn", True, _cart, "depth, leaf size and pruning by five-fold cross-validation"),
        Peer("Optimal tree", "gosdt", True, _gosdt, "GOSDT, depth at most 5, penalty 0.01 a leaf, 3 s"),
        Peer("RIPPER", "wittgenstein", True, _ripper, "on the raw columns", two_classes=True),
        Peer("FIGS", "imodels", True, _figs, "at most 12 splits, the default", two_classes=True),
        Peer("Boosted rules", "imodels", True, _boosted_rules, "AdaBoost of stumps", two_classes=True),
        Peer("Greedy rule list", "imodels", True, _greedy_list, "depth 5, the default", two_classes=True),
        Peer(
            "Scorecard", "fasterrisk", True, _fasterrisk, "FasterRisk, 5 features, points in -5 to 5", two_classes=True
        ),
        Peer("Logistic regression", "sklearn", False, _logistic, "ℓ₂, C = 1"),
        Peer("EBM", "interpret", False, _ebm, "without pair terms and with 4 bags, for time"),
        Peer("Random forest", "sklearn", False, _forest, "100 trees"),
        Peer("Boosting", "sklearn", False, _boosting, "histogram gradient boosting"),
    )
}
