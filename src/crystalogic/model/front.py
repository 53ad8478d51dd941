"""The front of a fit: the best formula of each size, with its scores."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from crystalogic.logic.formula import Formula
from crystalogic.logic.parse import parse
from crystalogic.logic.render import render
from crystalogic.model.risk import Risk, read_risk
from crystalogic.untrusted import LIMITS, each, number, perhaps, table, whole
from crystalogic.untrusted import text as text_of


@dataclass(frozen=True)
class FrontRow:
    """One line of the front: a formula of this size, how good it is on rows seen and held out, and its risk."""

    size: int
    n_neurons: int
    training: float
    validated: float | None
    standard_error: float | None
    formula: Formula
    risk: Risk | None = None

    def content(self) -> dict[str, Any]:
        body = {**vars(self), "formula": render(self.formula, points=False)}
        del body["risk"]  # so that rows without one are what they were
        return body if self.risk is None else {**body, "risk": self.risk.content()}


def read_fronts(value: Any, what: str) -> tuple[tuple[FrontRow, ...], ...]:
    rows = each(partial(each, table), value, what)
    for front in rows:
        LIMITS.refuse("characters", sum(len(str(row.get("formula"))) for row in front), "a front")
    return each(partial(each, _read_row), rows, what)


def _read_row(value: Any, what: str) -> FrontRow:
    row = FrontRow(**table(value, what))
    whole(row.size, what)
    whole(row.n_neurons, what)
    number(row.training, what)
    perhaps(number, row.validated, what)
    perhaps(number, row.standard_error, what)
    return replace(row, formula=parse(text_of(row.formula, what)), risk=perhaps(read_risk, row.risk, what))
