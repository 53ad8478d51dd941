"""The tuned round: the same number of settings for every learner, chosen by the same inner folds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from research.bench.measure import spent_cpu
from research.bench.peers import Peer
from research.bench.tables import Halves, take_halves

N_FOLDS = 3
TUNING_SECONDS = 600.0  # of the processor: settings that are not reached by then are not tried; the defaults always are


def tune(peer: Peer, data: Halves, seed: int, seconds: float = TUNING_SECONDS) -> tuple[Mapping[str, Any], int]:
    """The setting of the best mean accuracy in three folds of the training rows, and how many were tried.

    The earlier one wins where two are equal, and the defaults come first.
    """
    folds = inner_folds(data, seed)
    begin = spent_cpu()
    scores: list[float] = []
    for settings in peer.settings:
        if scores and spent_cpu() - begin > seconds:
            break
        scores.append(float(np.mean([_accuracy(peer, fold, seed, settings) for fold in folds])))
    return peer.settings[int(np.argmax(scores))], len(scores)


def inner_folds(data: Halves, seed: int) -> list[Halves]:
    """Three folds of the training rows, shaped by their own training rows alone."""
    from sklearn.model_selection import StratifiedKFold

    rows = data.train
    parts = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(rows.labels, rows.labels)
    return [take_halves(rows.frame, rows.labels, train, test) for train, test in parts]


def _accuracy(peer: Peer, fold: Halves, seed: int, settings: Mapping[str, Any]) -> float:
    try:
        fitted = peer.fit(fold, seed, **settings)
        return float((np.asarray(fitted.predict(fold.test)) == fold.test.labels).mean())
    except Exception:  # a setting that a peer refuses is a bad setting
        if peer.package == "crystalogic":
            raise
        return 0.0
