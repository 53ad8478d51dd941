"""Training and crystallization: three strategies, one loop."""

from crystalogic.train.levenberg_marquardt import LevenbergMarquardt
from crystalogic.train.loop import STRATEGIES, RestartReport, TrainingRun, strategy_named, train
from crystalogic.train.proximal import Proximal
from crystalogic.train.straight_through import StraightThrough
from crystalogic.train.strategy import Strategy

__all__ = [
    "STRATEGIES",
    "LevenbergMarquardt",
    "Proximal",
    "RestartReport",
    "StraightThrough",
    "Strategy",
    "TrainingRun",
    "strategy_named",
    "train",
]
