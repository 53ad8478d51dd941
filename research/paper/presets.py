"""The paper's strategies: the settings of its runs, with what its grid search chose for each data set."""

from dataclasses import replace
from typing import Any

import numpy as np

from crystalogic.errors import TrainingDataError
from crystalogic.train import LevenbergMarquardt, Proximal, StraightThrough, Strategy

# on MONK-1
_BASE: dict[str, Strategy] = {
    "levenberg_marquardt": LevenbergMarquardt(
        hidden=(4, "residual"),
        steps=500,
        first_damping=0.1,
        leak=0.0,
        limit=np.inf,
        refit=None,
        attraction=0.0,
        literal_cost=0.0,
        start="fan_in",
        batch_rows=512,
        smooth_accepted=True,
        finish="paper",
        tolerance=0.10,
        patience=90,
    ),
    "straight_through": StraightThrough(
        hidden=(8, 4),
        steps=5000,
        leak=0.0,
        literal_cost=0.0,
        start="uniform",
        batch_rows=10**9,
        smooth_share=0.15,
        finish="paper",
        tolerance=0.10,
        patience=250,
    ),
    "proximal": Proximal(
        hidden=(4, 4),
        steps=5000,
        rate=0.02,
        leak=0.0,
        first_phase=0.65,
        attraction="potential",
        attraction_cost=0.05,
        literal_cost=1e-4,
        soft_threshold=2e-4,
        refit=None,
        final_steps=200,
        start="fan_in",
        batch_rows=10**9,
        finish="paper",
        tolerance=0.10,
        patience_share=0.1,
    ),
}
_SLOW: dict[str, Any] = {"tolerance": 0.15, "steps": 8000}
_SLOW_LM: dict[str, Any] = {"tolerance": 0.15, "steps": 800, "first_damping": 0.001}
_CHOSEN: dict[str, dict[str, dict[str, Any]]] = {
    "levenberg_marquardt": {
        "monks-1": {},
        "monks-2": {"first_damping": 0.01},
        "monks-3": {"hidden": (8, "residual")},
        "heart": _SLOW_LM,
        "breast-cancer": {**_SLOW_LM, "hidden": (4, "residual", "residual")},
        "mushroom": {**_SLOW_LM, "steps": 600},
    },
    "straight_through": {
        "monks-1": {},
        "monks-2": {"hidden": (6, 4), "rate": 0.005},
        "monks-3": {"rate": 0.005},
        "heart": {**_SLOW, "hidden": (4, 4), "patience": 400},
        "breast-cancer": {**_SLOW, "hidden": (6, 4), "patience": 400},
        "mushroom": {"tolerance": 0.15, "rate": 0.005},
    },
    "proximal": {
        "monks-1": {},
        "monks-2": {"rate": 0.005},
        "monks-3": {"rate": 0.005},
        "heart": {**_SLOW, "rate": 0.005, "attraction_cost": 0.08, "soft_threshold": 3e-4},
        "breast-cancer": {**_SLOW, "rate": 0.005, "hidden": (8, 4)},
        "mushroom": {"tolerance": 0.15, "steps": 6000, "rate": 0.005},
    },
}


def paper_strategy(name: str, dataset: str = "monks-1") -> Strategy:
    """The strategy of this name as the paper ran it on one of its six data sets (`mushroom` for both variants).

    >>> paper_strategy("proximal", "heart").soft_threshold
    0.0003
    """
    if name not in _BASE:
        message = f"no training strategy {name!r}; there are {', '.join(_BASE)}."
        raise TrainingDataError(message)
    chosen = _CHOSEN[name].get(dataset.removesuffix("-enriched"))
    if chosen is None:
        message = f"the paper has no settings for {dataset!r}; it has some for {', '.join(_CHOSEN[name])}."
        raise TrainingDataError(message)
    return replace(_BASE[name], **chosen)
