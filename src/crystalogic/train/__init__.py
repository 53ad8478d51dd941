"""Training and crystallization: three strategies, one loop."""

from crystalogic.train.crystallize import Crystallization, crystallize, representation_error, smooth, ternary
from crystalogic.train.levenberg_marquardt import LevenbergMarquardt
from crystalogic.train.loop import Progress, RestartReport, Stop, TrainingRun, train
from crystalogic.train.presets import STRATEGIES, strategy_named
from crystalogic.train.proximal import Proximal
from crystalogic.train.straight_through import StraightThrough
from crystalogic.train.strategy import Strategy

__all__ = [
    "STRATEGIES",
    "Crystallization",
    "LevenbergMarquardt",
    "Progress",
    "Proximal",
    "RestartReport",
    "Stop",
    "StraightThrough",
    "Strategy",
    "TrainingRun",
    "crystallize",
    "representation_error",
    "smooth",
    "strategy_named",
    "ternary",
    "train",
]
