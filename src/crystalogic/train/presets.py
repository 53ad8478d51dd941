"""Strategies by name: our defaults, and the paper's settings with what its grid search chose for each data set."""

from dataclasses import replace
from typing import Any, Literal

from crystalogic.errors import TrainingDataError
from crystalogic.train.levenberg_marquardt import LevenbergMarquardt
from crystalogic.train.proximal import Proximal
from crystalogic.train.straight_through import StraightThrough
from crystalogic.train.strategy import Strategy

Preset = Literal["ours", "paper"]

STRATEGIES: dict[str, type[Strategy]] = {
    "levenberg_marquardt": LevenbergMarquardt,
    "straight_through": StraightThrough,
    "proximal": Proximal,
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


def strategy_named(name: str, preset: Preset = "ours", dataset: str | None = None) -> Strategy:
    """The strategy of this name with the fields of a preset.

    The paper tuned its strategies for each data set; `dataset` names one of its six (`mushroom` for both variants).
    Without it the paper's fields for MONK-1 are given. Ours are the same for every table.

    >>> strategy_named("proximal", "paper", "heart").soft_threshold
    0.0003
    """
    if name not in STRATEGIES:
        message = f"no training strategy {name!r}; there are {', '.join(STRATEGIES)}."
        raise TrainingDataError(message)
    if preset == "ours":
        return STRATEGIES[name]()  # type: ignore[call-arg]
    if preset != "paper":
        message = f"the preset is 'ours' or 'paper', got {preset!r}."
        raise TrainingDataError(message)
    chosen = _CHOSEN[name].get((dataset or "monks-1").removesuffix("-enriched"))
    if chosen is None:
        message = f"the paper has no settings for {dataset!r}; it has some for {', '.join(_CHOSEN[name])}."
        raise TrainingDataError(message)
    return replace(STRATEGIES[name].paper(), **chosen)
