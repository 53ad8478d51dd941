"""Strategies by name, with our defaults, which are the same for every table."""

from crystalogic.errors import TrainingDataError
from crystalogic.train.levenberg_marquardt import LevenbergMarquardt
from crystalogic.train.proximal import Proximal
from crystalogic.train.straight_through import StraightThrough
from crystalogic.train.strategy import Strategy

STRATEGIES: dict[str, type[Strategy]] = {
    "levenberg_marquardt": LevenbergMarquardt,
    "straight_through": StraightThrough,
    "proximal": Proximal,
}


def strategy_named(name: str) -> Strategy:
    """The strategy of this name.

    >>> strategy_named("proximal").steps
    2000
    """
    if name not in STRATEGIES:
        message = f"no training strategy {name!r}; there are {', '.join(STRATEGIES)}."
        raise TrainingDataError(message)
    return STRATEGIES[name]()  # type: ignore[call-arg]
