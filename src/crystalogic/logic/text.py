"""Formulas as text: print in Unicode, ASCII or LaTeX, and parse what was printed."""

from crystalogic.logic.parse import parse
from crystalogic.logic.render import render

__all__ = ["parse", "render"]
