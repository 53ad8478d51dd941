"""The computations behind the verdicts. Importing this package makes all of them known to `CHECKS`."""

from research.paper.checks import accuracy, data, formulas, logic, tables, times, training
from research.paper.verdict import CHECKS

__all__ = ["CHECKS", "accuracy", "data", "formulas", "logic", "tables", "times", "training"]
