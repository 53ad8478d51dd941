"""The computations behind the verdicts; importing this package makes all of them known."""

from crystalogic.paper.checks import accuracy, data, formulas, logic, tables, times, training

__all__ = ["accuracy", "data", "formulas", "logic", "tables", "times", "training"]
