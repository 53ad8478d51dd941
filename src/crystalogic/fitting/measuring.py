"""How good the rule is on rows it has not seen: the whole fit repeated without a fifth of them."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from crystalogic.arrays import np
from crystalogic.errors import TableError
from crystalogic.model import HeldOut, Model
from crystalogic.parts import Part
from crystalogic.progress import HELD_OUT, Callback, Progress

Split = tuple[Any, Any]  # the training rows and the held-out rows, by their places


def splits_of(y: Any, n_splits: int, *, degrees: bool) -> list[Split]:
    """That many random splits, classes in proportion; a TableError where there are too few rows for it."""
    if not n_splits:
        return []
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    splitter = ShuffleSplit if degrees else StratifiedShuffleSplit
    try:
        return list(splitter(n_splits, test_size=0.2, random_state=0).split(np.zeros(len(y)), y))
    except ValueError as error:
        message = f"a fifth of these rows cannot be held out: {error} Leave out --splits."
        raise TableError(message) from None


def held_out(
    table: Part, learn: Callable[[Part], Model], splits: list[Split], callback: Callback | None
) -> HeldOut | None:
    """The mean score and its spread over the splits; of those that were done, where Ctrl-C ended it."""
    scores: list[float] = []
    begin = time.perf_counter()
    with suppress(KeyboardInterrupt):
        for train, test in splits:
            model = learn(table.take(train))
            if model.was_interrupted:
                break
            scores.append(_score(model, table.take(test)))
            if callback and callback(Progress(len(scores), len(splits), HELD_OUT, time.perf_counter() - begin)):
                break
    return HeldOut(float(np.mean(scores)), float(np.std(scores)), len(scores)) if scores else None


def _score(model: Model, table: Part) -> float:
    """The share of right classes, or 1 less the mean error; a row that the rule refuses to judge counts as wrong."""
    found = model.predict(table.rows, unknown="skip")
    hits = np.nan_to_num(1 - abs(found - table.target)) if model.classes is None else found == table.target
    return float(np.mean(hits))
