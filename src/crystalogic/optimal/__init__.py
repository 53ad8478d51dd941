"""Rules that are proved best on the rows they were learned from, and all that are nearly as good."""

from crystalogic.optimal.certificate import certify
from crystalogic.optimal.counted import Counted, count_rows
from crystalogic.optimal.rule import ERRORS, Needs, Objective, Optimum, Question, Rule
from crystalogic.optimal.search import compile_kernels, solve

__all__ = [
    "ERRORS",
    "Counted",
    "Needs",
    "Objective",
    "Optimum",
    "Question",
    "Rule",
    "certify",
    "compile_kernels",
    "count_rows",
    "solve",
]
