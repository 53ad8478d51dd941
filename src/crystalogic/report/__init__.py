"""The report: a model as one page of HTML that needs nothing else, with a calculator, measures, traces and proofs."""

from crystalogic.report.evidence import Table
from crystalogic.report.page import report_page

__all__ = ["Table", "report_page"]
