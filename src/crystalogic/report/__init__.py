"""The report: a model as one page of HTML that needs nothing else, with a calculator, measures, traces and proofs."""

from crystalogic.report.evidence import Table
from crystalogic.report.page import report_page
from crystalogic.report.proofs import Proof

__all__ = ["Proof", "Table", "report_page"]
