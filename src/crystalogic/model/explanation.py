"""Why one row gets its class."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crystalogic.arrays import np
from crystalogic.counts import plural
from crystalogic.decision import class_of, classes_of, margin_of
from crystalogic.logic.formula import Variable
from crystalogic.logic.names import one_line
from crystalogic.logic.score import score_of
from crystalogic.model.rows import Label
from crystalogic.verify.trace import Trace, decimal

if TYPE_CHECKING:
    from crystalogic.model.model import Model


@dataclass(frozen=True)
class Explanation:
    """Why one row gets its class: the traces of all formulas, the decision and how far it is from changing.

    Attributes:
        model: the model that was asked.
        row: the row.
        traces: every step of every formula, exactly.
    """

    model: "Model"
    row: Mapping[str, Any]
    traces: tuple[Trace, ...]

    def __str__(self) -> str:
        is_what = "" if self.model.classes is None else f" is {one_line(self.decision)}"
        degrees = ", ".join(map(decimal, self.degrees))
        sentence = f"{one_line(self.model.target)}{is_what}: {plural(len(self.degrees), 'degree')} {degrees}"
        return "\n\n".join([*map(str, self.traces), sentence])

    @property
    def degrees(self) -> tuple[Fraction, ...]:
        return tuple(each.degree for each in self.traces)

    @property
    def score(self) -> Fraction:
        """How many points the formula of two classes counts."""
        return _score_of(self.traces[0])

    @property
    def likelihoods(self) -> tuple[float, ...]:
        """How likely each class is; nothing for a model without a risk."""
        scores = np.array([[float(_score_of(each)) for each in self.traces]])
        return tuple(self.model.likelihoods(scores)[0].tolist()) if self.model.has_risk else ()

    @property
    def probability(self) -> Fraction | None:
        """How likely the second class is; None for a model without a risk."""
        return None if self.model.risk is None else self.model.risk.of(self.score)

    @property
    def decision(self) -> Label | Fraction:
        """The class, or the degree where there are no classes."""
        model = self.model
        return self.degrees[0] if model.classes is None else model.classes[class_of(self.degrees, model.order)]

    @cached_property
    def rounded(self) -> Label | None:
        """The class that exports give instead, because rounding takes them across; mostly None.

        They compute with floats, all in the same order, so all say the same. It can only differ from what is exact
        where the margin is smaller than the rounding.
        """
        if self.model.classes is None or self.margin > 2 * self.model.rounding:
            return None
        cells = {name: [self.row[name]] for name in self.model.columns}
        degrees = self.model.degrees(cells, unknown="false")  # a row that was refused has no explanation
        found = self.model.classes[int(classes_of(degrees, self.model.order)[0])]
        return None if found == self.decision else found

    @property
    def margin(self) -> Fraction:
        """How far the degree is from the threshold, or the largest degree from the second."""
        return Fraction(margin_of(self.degrees))


def _score_of(trace: Trace) -> Fraction:
    values = {step.formula.name: step.degree for step in trace.steps if isinstance(step.formula, Variable)}
    return Fraction(score_of(trace.formula).of(values))
