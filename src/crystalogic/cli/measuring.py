"""How good the rule is on rows it has not seen: the whole fit repeated without a fifth of them."""

from contextlib import suppress
from typing import Any

from crystalogic.cli.progress import progress_bar
from crystalogic.errors import EncodingError, TableError

Split = tuple[Any, Any]  # the training rows and the held-out rows, by their places


def splits_of(y: Any, n_splits: int, *, degrees: bool) -> list[Split]:
    """That many random splits, classes in proportion; a TableError where there are too few rows for it."""
    if not n_splits:
        return []
    import numpy as np
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    splitter = ShuffleSplit if degrees else StratifiedShuffleSplit
    try:
        return list(splitter(n_splits, test_size=0.2, random_state=0).split(np.zeros(len(y)), y))
    except ValueError as error:
        message = f"a fifth of these rows cannot be held out: {error} Leave out --splits."
        raise TableError(message) from None


def held_out(rows: Any, y: Any, target: str, request: Any, splits: list[Split]) -> dict[str, float]:
    """The mean score and its spread over the splits; of those that were done, where Ctrl-C ended it."""
    import numpy as np

    from crystalogic.fitting import fit_model

    labels = np.asarray(y)
    scores: list[float] = []
    with suppress(KeyboardInterrupt), progress_bar("measuring on held-out rows", len(splits)) as callback:
        for train, test in splits:
            model = fit_model(rows.iloc[train], labels[train], target, request)
            if model.was_interrupted:
                break
            scores.append(_score(model, rows.iloc[test], labels[test]))
            callback(None)
    if not scores:
        return {}
    return {"mean": float(np.mean(scores)), "spread": float(np.std(scores)), "splits": len(scores)}


def _score(model: Any, rows: Any, labels: Any) -> float:
    """The share of right classes, or 1 less the mean error; a row that the rule refuses to judge counts as wrong."""
    import numpy as np

    try:
        found = model.predict(rows)
    except EncodingError:
        one_by_one = [_score_of_one(model, rows.iloc[[i]], labels[[i]]) for i in range(len(labels))]
        return float(np.mean(one_by_one))
    hits = 1 - abs(found - labels) if model.classes is None else found == labels
    return float(np.mean(hits))


def _score_of_one(model: Any, row: Any, label: Any) -> float:
    try:
        model.predict(row)
    except EncodingError:
        return 0.0
    return _score(model, row, label)
