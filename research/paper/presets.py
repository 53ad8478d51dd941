"""The paper's strategies: the settings of its runs, with what its grid search chose for each data set."""

from dataclasses import replace
from typing import Any

from crystalogic.errors import TrainingDataError
from crystalogic.train import Strategy
from research.paper.strategies import PaperLevenbergMarquardt, PaperProximal, PaperStraightThrough

# on MONK-1
_BASE: dict[str, Strategy] = {
    "levenberg_marquardt": PaperLevenbergMarquardt(),
    "straight_through": PaperStraightThrough(),
    "proximal": PaperProximal(),
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
