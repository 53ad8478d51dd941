"""Trees: CART and a relative of C4.5, two searches for the best small tree, and sums of trees (FIGS)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from research.bench.peers.base import (
    Fitted,
    Peer,
    Settings,
    columns_of,
    count_splits,
    on_numbers,
    split_places,
    spread,
    vary,
)
from research.bench.peers.texts import decide_by_tree_text
from research.bench.tables import Half, Halves

GOSDT_SECONDS = 20


def _tree(data: Halves, seed: int, **settings: Any) -> Fitted:
    from sklearn.tree import DecisionTreeClassifier, export_text

    model = DecisionTreeClassifier(random_state=seed, **settings).fit(data.train.numbers, data.train.labels)
    text = export_text(model, max_depth=1000)
    return on_numbers(
        model,
        count_splits(model.tree_),
        columns_of(data.numbers, split_places(model.tree_)),
        lambda half: decide_by_tree_text(text, half.numbers),
    )


def _c45(data: Halves, seed: int, **settings: Any) -> Fitted:
    """Entropy, two rows in a leaf at least, pruned by three-fold cross-validation unless a size is given."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    fixed = {"criterion": "entropy", "min_samples_leaf": 2, **settings}
    if "max_leaf_nodes" not in settings and "ccp_alpha" not in settings:
        tree = DecisionTreeClassifier(random_state=seed, **fixed)
        path = tree.cost_complexity_pruning_path(data.train.numbers, data.train.labels)
        alphas = np.unique(np.quantile(np.clip(path.ccp_alphas, 0, None), np.linspace(0, 0.98, 12)))
        folds = StratifiedKFold(3, shuffle=True, random_state=seed)
        search = GridSearchCV(tree, {"ccp_alpha": alphas}, cv=folds).fit(data.train.numbers, data.train.labels)
        fixed["ccp_alpha"] = search.best_params_["ccp_alpha"]
    return _tree(data, seed, **fixed)


def _gosdt(data: Halves, seed: int, regularization: float = 0.01, depth_budget: int = 5) -> Fitted:
    """As its documentation advises: columns guessed by boosted stumps, then the best tree of them."""
    import pandas as pd
    from gosdt import GOSDTClassifier, ThresholdGuessBinarizer

    binarizer = ThresholdGuessBinarizer(n_estimators=40, max_depth=1, random_state=seed)
    binarizer.set_output(transform="pandas")
    binarizer.fit(data.train.numbers, data.train.labels)

    def shape(half: Half) -> Any:
        return pd.DataFrame(binarizer.transform(half.numbers))

    penalty = max(regularization, 1.5 / len(data.train.labels))
    model = GOSDTClassifier(regularization=penalty, depth_budget=depth_budget, time_limit=GOSDT_SECONDS, verbose=False)
    model.fit(shape(data.train), data.train.labels)
    splits = str(model.trees_[0]).count("left child")
    return Fitted(
        lambda half: np.asarray(model.predict(shape(half))).astype(int),
        splits,
        lambda half: spread(model.predict_proba(shape(half))),
    )


def _small_tree(data: Halves, seed: int, size: int | None = None, **settings: Any) -> Fitted:
    """The tree of least errors and leaves; for a size the largest that fits, of trees with smaller penalties."""
    from imodels import FastSmallTreeClassifier

    if size is None:
        return _of_small_tree(FastSmallTreeClassifier(**settings).fit(data.train.numbers, data.train.labels), data)
    best = None
    for penalty in (0.1, 0.05, 0.02, 0.01, 0.005):
        model = FastSmallTreeClassifier(regularization=penalty, time_limit=15)
        found = _of_small_tree(model.fit(data.train.numbers, data.train.labels), data)
        if best is not None and found.literals > size:
            break
        best = found
    assert best is not None
    return best


def _of_small_tree(model: Any, data: Halves) -> Fitted:
    n_splits = str(model).count(" ?")
    return on_numbers(model, n_splits, _columns_in_text(str(model), data))


def _columns_in_text(text: str, data: Halves) -> frozenset[str]:
    """The columns of inputs that a text of imodels names X0, X1, …"""
    import re

    return columns_of(data.numbers, {int(found) for found in re.findall(r"\bX_?(\d+)\b", text)})


def _figs(data: Halves, seed: int, **settings: Any) -> Fitted:
    from imodels import FIGSClassifier

    model = FIGSClassifier(random_state=seed, **settings).fit(data.train.numbers, data.train.labels)
    return on_numbers(model, int(model.complexity_), _columns_in_text(str(model), data))


def _leaves(size: int) -> Settings:
    return {"max_leaf_nodes": size + 1}


def _rules(size: int) -> Settings:
    return {"max_rules": size}


_CUT: tuple[Settings, ...] = ({}, *({"max_leaf_nodes": leaves, "min_samples_leaf": 5} for leaves in (4, 6, 9, 13, 25)))
_BY_SIZE: Callable[[int], Settings] = lambda size: {"size": size}  # noqa: E731
CART = Peer("CART", "sklearn", "rules", _tree, "`DecisionTreeClassifier()`", _CUT, _leaves)
C45 = Peer(
    "C4.5-like",
    "sklearn",
    "rules",
    _c45,
    "a tree by entropy, two rows in a leaf at least, pruned by three-fold cross-validation",
    vary(min_samples_leaf=[5, 10], ccp_alpha=[0.002, 0.005, 0.02]),
    _leaves,
)
GOSDT = Peer(
    "GOSDT",
    "gosdt",
    "rules",
    _gosdt,
    f"thresholds guessed by 40 stumps, depth at most 5, 0.01 a leaf, {GOSDT_SECONDS} s",
    ({}, *({"regularization": penalty} for penalty in (0.05, 0.02, 0.005, 0.002)), {"depth_budget": 4}),
)
FAST_SMALL_TREE = Peer(
    "FastSmallTree",
    "imodels",
    "rules",
    _small_tree,
    "`FastSmallTreeClassifier()`",
    vary(regularization=[0.1, 0.03, 0.02, 0.01, 0.005]),
    _BY_SIZE,
)
FIGS = Peer(
    "FIGS",
    "imodels",
    "rules",
    _figs,
    "`FIGSClassifier()`, at most 12 splits",
    vary(max_rules=[5, 8, 20, 30], max_trees=[1]),
    _rules,
    two_classes=True,
)
