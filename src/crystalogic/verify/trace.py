"""Traces: the evaluation of a formula on one row, step by step and exactly, as a person would do it by hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from crystalogic.logic.formula import Constant, Formula, Variable, subformulas

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class TraceStep:
    """A part of the formula and its degree."""

    formula: Formula
    degree: Fraction


@dataclass(frozen=True)
class Trace:
    """The degrees of a formula and all its parts on one row, inputs first, the whole last."""

    formula: Formula
    steps: tuple[TraceStep, ...]

    @property
    def degree(self) -> Fraction:
        """The degree of the whole formula."""
        return self.steps[-1].degree

    def __str__(self) -> str:
        lines = [(str(step.formula), decimal(step.degree)) for step in self.steps]
        width = max(len(text) for text, _ in lines)
        return "\n".join(f"{text.ljust(width)}  {degree}" for text, degree in lines)

    def content(self) -> list[dict[str, Any]]:
        """The trace as plain JSON data, degrees as exact fractions."""
        return [{"part": str(step.formula), "degree": str(step.degree)} for step in self.steps]


def trace(formula: Formula, row: Mapping[str, Fraction]) -> Trace:
    """The degrees of all parts, in the order in which they are computed.

    >>> from crystalogic.logic.parse import parse
    >>> print(trace(parse("¬(a ⊗ b)"), {"a": Fraction(3, 4), "b": Fraction(1, 2)}))
    a         0.75
    b         0.50
    a ⊗ b     0.25
    ¬(a ⊗ b)  0.75
    """
    nodes = [node for node in subformulas(formula) if not isinstance(node, Constant) or node is formula]
    inputs = [node for node in nodes if isinstance(node, Variable)]
    others = [node for node in nodes if not isinstance(node, Variable)]
    return Trace(formula, tuple(TraceStep(node, node.evaluate(row)) for node in (*inputs, *others)))


def decimal(degree: Fraction) -> str:
    """Two decimals, with a ~ when they are not exact: a reader must not take a rounded number for the degree.

    There are more where two would hide on which side of 1/2 it lies.

    >>> decimal(Fraction(1, 4)), decimal(Fraction(1, 3)), decimal(Fraction(497, 1000)), decimal(Fraction(499, 1001))
    ('0.25', '~0.33', '0.497', '~0.499')
    """
    for digits in range(2, 10):
        text = f"{float(degree):.{digits}f}"
        if (Fraction(text) >= HALF) == (degree >= HALF):
            break
    return text if Fraction(text) == degree else f"~{text}"
