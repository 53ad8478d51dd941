"""Learners that nobody reads as rules: linear and additive models, forests and boosting."""

from typing import Any

import numpy as np

from research.bench.peers.base import (
    Fitted,
    Peer,
    all_columns,
    columns_of,
    count_splits,
    on_numbers,
    split_places,
    spread,
    vary,
)
from research.bench.tables import Half, Halves


def _logistic(data: Halves, seed: int, **settings: Any) -> Fitted:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=5000, **settings).fit(data.train.numbers, data.train.labels)
    return _of_weights(model, data)


def _of_weights(model: Any, data: Halves) -> Fitted:
    weights = np.atleast_2d(model.coef_)
    return on_numbers(model, int((weights != 0).sum()), columns_of(data.numbers, np.flatnonzero(weights.any(axis=0))))


def _lasso(data: Halves, seed: int, C: float = 1.0, size: int | None = None) -> Fitted:
    """With a size, the least penalty of a path that leaves no more weights than that."""
    from sklearn.linear_model import LogisticRegression

    best = None
    for strength in [C] if size is None else np.logspace(-3.5, 2, 23):
        solver = "liblinear" if data.n_classes == 2 else "saga"
        model = LogisticRegression(penalty="l1", solver=solver, C=strength, max_iter=500, random_state=seed)
        found = _of_weights(model.fit(data.train.numbers, data.train.labels), data)
        if size is not None and best is not None and found.literals > size:
            break
        best = found
    assert best is not None
    return best


def _ebm(data: Halves, seed: int, **settings: Any) -> Fitted:
    from interpret.glassbox import ExplainableBoostingClassifier

    model = ExplainableBoostingClassifier(random_state=seed, n_jobs=1, **settings)
    model.fit(data.train.frame, data.train.labels)
    return Fitted(
        lambda half: np.asarray(model.predict(half.frame)).astype(int),
        len(model.term_names_),
        lambda half: spread(model.predict_proba(half.frame)),
        all_columns(data),
    )


def _forest(data: Halves, seed: int, **settings: Any) -> Fitted:
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(random_state=seed, n_jobs=1, **settings).fit(data.train.numbers, data.train.labels)
    places = set().union(*(split_places(tree.tree_) for tree in model.estimators_))
    splits = sum(count_splits(tree.tree_) for tree in model.estimators_)
    return on_numbers(model, splits, columns_of(data.numbers, places))


def _boosting(data: Halves, seed: int, **settings: Any) -> Fitted:
    """On the raw columns: it takes missing values and categories as they are."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    levels = {name: _levels(data.train.frame[name]) for name in data.train.frame.columns}

    def shape(half: Half) -> Any:
        import pandas as pd

        columns = {
            name: half.frame[name]
            if known is None
            else pd.Categorical(half.frame[name].astype(object), categories=known)
            for name, known in levels.items()
        }
        return pd.DataFrame(columns)

    model = HistGradientBoostingClassifier(random_state=seed, categorical_features="from_dtype", **settings)
    model.fit(shape(data.train), data.train.labels)
    splits = sum(int((~tree.nodes["is_leaf"].astype(bool)).sum()) for step in model._predictors for tree in step)
    return Fitted(
        lambda half: np.asarray(model.predict(shape(half))).astype(int),
        splits,
        lambda half: spread(model.predict_proba(shape(half))),
        all_columns(data),
    )


def _levels(column: Any) -> list[str] | None:
    """The values of a column of texts, the 250 most frequent at most; None for numbers."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):
        return None
    return sorted(str(value) for value in column.value_counts().index[:250])


BY_CONSTRAINT = "by constraint: the library can demand it of columns, and proves nothing"
BY_SIGN = "yes: by the sign of a weight, for columns of numbers"
RIDGE = Peer(
    "Logistic, ℓ₂", "sklearn", "other", _logistic, "C = 1, numbers scaled to [0,1]", vary(C=[0.01, 0.1, 10, 100, 1000]),
    monotone=BY_SIGN,
)  # fmt: skip
LASSO = Peer(
    "Logistic, ℓ₁", "sklearn", "other", _lasso, "C = 1, numbers scaled to [0,1]", vary(C=[0.03, 0.1, 0.3, 3, 10]),
    sized=lambda size: {"size": size}, monotone=BY_SIGN,
)  # fmt: skip
EBM = Peer(
    "EBM",
    "interpret",
    "other",
    _ebm,
    "`ExplainableBoostingClassifier()` on the raw columns, one thread",
    ({}, {"interactions": 0}, {"max_leaves": 3}, {"learning_rate": 0.04}, {"smoothing_rounds": 500}, {"max_bins": 64}),
    monotone=BY_CONSTRAINT,
)
FOREST = Peer(
    "Random forest", "sklearn", "other", _forest, "100 trees",
    ({}, *({"n_estimators": 300, "min_samples_leaf": rows} for rows in (1, 3, 10)), {"max_features": 0.3},
     {"max_features": 0.6}), monotone=BY_CONSTRAINT,
)  # fmt: skip
BOOSTING = Peer(
    "Boosting",
    "sklearn",
    "other",
    _boosting,
    "`HistGradientBoostingClassifier()` on the raw columns, categories as such",
    vary(learning_rate=[0.03, 0.3], max_leaf_nodes=[7], min_samples_leaf=[50], l2_regularization=[1.0]),
    monotone=BY_CONSTRAINT,
)
