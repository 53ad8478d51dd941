"""Is the answer monotone in a column? Two rows that differ in that column alone must not contradict it."""

from typing import overload

import z3

from crystalogic.audit.aspects import (
    Of,
    aspect_of,
    formula_domain,
    model_scope,
    refuse_neither,
    refuse_unknown,
    scope_for,
)
from crystalogic.audit.finding import Finding
from crystalogic.audit.scope import Scope
from crystalogic.audit.search import SECONDS, Search, asked, for_all
from crystalogic.errors import DomainError
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula, Variable
from crystalogic.model import Explanation, Model
from crystalogic.verify import questions
from crystalogic.verify.questions import Answer, Verdict


@overload
def monotone(
    model: Model,
    column: str,
    domain: Scope | None = None,
    *,
    decreasing: bool = False,
    of: Of | None = None,
    label: object = None,
    seconds: float = SECONDS,
) -> Finding: ...


@overload
def monotone(
    model: Formula,
    column: str | Variable,
    domain: Domain | None = None,
    *,
    decreasing: bool = False,
    seconds: float = SECONDS,
) -> Answer: ...


def monotone(
    model: Model | Formula,
    column: str | Variable,
    domain: Scope | Domain | None = None,
    *,
    decreasing: bool = False,
    of: Of | None = None,
    label: object = None,
    seconds: float = SECONDS,
) -> Answer:
    """Whether more of a column never means less of the answer (or, `decreasing`, never more of it).

    For a model it is asked of the decision, or of the degree (`of="degree"`), for the class `label`, which is the
    second of two. Both values are present: what happens when one is missing is another question. For a formula it is
    asked of the degree.
    """
    if isinstance(model, Formula):
        return questions.monotone(model, column, formula_domain(domain), decreasing=decreasing, seconds=seconds)
    refuse_neither(model)
    column = column.name if isinstance(column, Variable) else column
    aspect = aspect_of(model, of, label)
    refuse_unknown(model, column)
    claim = f"as {column} rises, {aspect} never {'rises' if decreasing else 'falls'}"
    if aspect.of == "decision":
        claim = f"as {column} rises, {aspect} is never {'gained' if decreasing else 'lost'}"
    scope = scope_for(model, model_scope(domain))
    if column not in model.columns:
        return Finding(claim, scope, Verdict.PROVED, f"the rule does not read {column}")
    if not scope.field(column).is_ordered:
        message = f"{column!r} has no order ({scope.field(column)}); ask whether it is ignored instead."
        raise DomainError(message)

    def ask(search: Search) -> Finding:
        low = search.row()
        high = search.row(like=low, apart=[column])
        before, after = low.cells[column], high.cells[column]
        at_low, at_high = (aspect.term(search.degrees(model, row)) for row in (low, high))
        conditions = [
            z3.Not(before.is_missing),
            z3.Not(after.is_missing),
            before.place < after.place,
            at_high > at_low if decreasing else at_high < at_low,
        ]
        field = search.scope.field(column)

        def holds(first: Explanation, second: Explanation) -> bool:
            x, y = field.read(first.row[column]), field.read(second.row[column])
            if x is None or y is None or not field.position(x) < field.position(y):
                return False
            a, b = aspect.value(first), aspect.value(second)
            return b > a if decreasing else b < a

        return for_all(claim, search, [(model, low), (model, high)], conditions, holds)

    return asked(claim, scope, seconds, ask)
