"""Rules that are proved best on the rows they were learned from, and all that are nearly as good."""

from crystalogic.optimal.rule import ERRORS, Counted, Needs, Objective, Optimum, Question, Rule, count_rows
from crystalogic.optimal.search import certify, compile_kernels, solve

__all__ = ["ERRORS", "Counted", "Needs", "Objective", "Optimum", "Question", "Rule", "certify", "compile_kernels"]
__all__ += ["count_rows", "solve"]
