"""Traces: the evaluation of a formula on one row, step by step and exactly, as a person would do it by hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from crystalogic.logic.evaluate import every_degree
from crystalogic.logic.formula import Constant, Formula, Variable, is_literal
from crystalogic.logic.names import fresh_prefix
from crystalogic.logic.render import LONG_TREE
from crystalogic.logic.walk import is_longer

HALF = Fraction(1, 2)
MOST_ALIGNED = 200  # characters


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
        return self.steps[-1].degree

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, widest: int | None = None) -> list[str]:
        """The steps with their degrees aligned, except behind very long texts: `texts` says what `widest` does."""
        texts = self.texts(widest)
        width = min(MOST_ALIGNED, max(map(len, texts)))
        return [f"{text.ljust(width)}  {decimal(each.degree)}" for text, each in zip(texts, self.steps, strict=True)]

    def content(self) -> list[dict[str, Any]]:
        """The trace as plain JSON data, degrees as exact fractions."""
        return [{"part": text, "degree": str(step.degree)} for text, step in zip(self.texts(), self.steps, strict=True)]

    def texts(self, widest: int | None = None) -> list[str]:
        """The part of each step as text; in a long formula, or one wider than this, steps have names for later ones."""
        if not is_longer(self.formula, LONG_TREE) and (widest is None or len(str(self.formula)) <= widest):
            return [str(step.formula) for step in self.steps]
        prefix = fresh_prefix("step", self.formula.variables)
        names: dict[Formula, Formula] = {}
        texts = []
        for step in self.steps:
            short = step.formula.with_parts(names.get(part, part) for part in step.formula.parts)
            if is_literal(step.formula) or step.formula is self.formula:
                texts.append(str(short))
                continue
            names[step.formula] = Variable(f"{prefix}{len(names) + 1}")
            texts.append(f"{names[step.formula]} = {short}")
        return texts


def trace(formula: Formula, row: Mapping[str, Fraction]) -> Trace:
    """The degrees of all parts, in the order in which they are computed.

    >>> from crystalogic.logic.parse import parse
    >>> print(trace(parse("¬(a ⊗ b)"), {"a": Fraction(3, 4), "b": Fraction(1, 2)}))
    a         0.75
    b         0.50
    a ⊗ b     0.25
    ¬(a ⊗ b)  0.75
    """
    degrees = every_degree(formula, row)
    shown = [node for node in degrees if node is formula or not isinstance(node, Constant)]
    shown.sort(key=lambda node: not isinstance(node, Variable))  # inputs first
    return Trace(formula, tuple(TraceStep(node, degrees[node]) for node in shown))


def decimal(degree: Fraction, mark: Fraction | None = HALF) -> str:
    """Two decimals, with a ~ when they are not exact: a reader must not take a rounded number for the degree. There are
    more where two would hide on which side of the mark it lies, if there is one."""
    for digits in range(2, 10):
        text = f"{float(degree):.{digits}f}"
        if mark is None or (Fraction(text) >= mark) == (degree >= mark):
            break
    return text if Fraction(text) == degree else f"~{text}"
