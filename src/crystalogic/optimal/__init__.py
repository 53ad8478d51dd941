"""Rules that are proved best on the rows they were learned from, and all that are nearly as good."""

from crystalogic.optimal.counted import ERRORS, LOG_LOSS, Counted, Needs, Objective, count_rows
from crystalogic.optimal.rule import AllRules, Optimum, Rule
from crystalogic.optimal.search import find_all, solve

__all__ = [
    "ERRORS",
    "LOG_LOSS",
    "AllRules",
    "Counted",
    "Needs",
    "Objective",
    "Optimum",
    "Rule",
    "count_rows",
    "find_all",
    "solve",
]
