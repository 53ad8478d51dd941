"""Training and crystallization: three strategies, one loop."""

from crystalogic.train.block import Block
from crystalogic.train.crystallize import representation_error, smooth, ternary
from crystalogic.train.levenberg_marquardt import LevenbergMarquardt
from crystalogic.train.loop import RESTARTS, RestartReport, TrainingRun, train
from crystalogic.train.presets import STRATEGIES, strategy_named
from crystalogic.train.proximal import Proximal
from crystalogic.train.straight_through import StraightThrough
from crystalogic.train.strategy import Strategy
from crystalogic.train.task import Task, make_task

__all__ = [
    "RESTARTS",
    "STRATEGIES",
    "Block",
    "LevenbergMarquardt",
    "Proximal",
    "RestartReport",
    "StraightThrough",
    "Strategy",
    "Task",
    "TrainingRun",
    "make_task",
    "representation_error",
    "smooth",
    "strategy_named",
    "ternary",
    "train",
]
