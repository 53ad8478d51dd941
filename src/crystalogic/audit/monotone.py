"""Is the answer monotone in a column? Two rows that differ in that column alone must not contradict it."""

from typing import Any

import z3

from crystalogic.audit.aspects import GRADE, Of, ask_of_two_rows, aspect_of, column_asked, formula_domain, scope_for
from crystalogic.audit.scope import Scope
from crystalogic.audit.search import SECONDS, Search, UnknownRow
from crystalogic.deadline import Deadline
from crystalogic.errors import DomainError
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula, Variable
from crystalogic.model import Explanation, Model
from crystalogic.verify import questions
from crystalogic.verify.questions import Answer


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
    """Whether more of a column never means less of the answer.

    Both values are present: what happens when one is missing is another question (`with_missing`).

    Parameters:
        model: a model, or a formula, which is asked about one of its inputs.
        column: a column whose values have an order, or the input.
        domain: a `Scope` for a model, a `Domain` for a formula; None for all rows that can occur.
        decreasing: whether it is asked that more of the column never means more of the answer.
        of: "decision" for the class, "degree" for the degree, "risk" for how likely the class is; the class unless
            given, and always the degree where there are no classes.
        label: the class that is the answer; the second of two unless given. Of ordered classes the answer is which of
            them it is, unless one is given.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    if isinstance(model, Formula):
        return questions.monotone(model, column, formula_domain(domain), decreasing=decreasing, seconds=seconds)
    deadline = Deadline.after(seconds)
    column = column_asked(model, column)
    aspect, scope = aspect_of(model, of, label), scope_for(model, domain)
    claim = f"as {column} rises, {aspect} never {'rises' if decreasing else 'falls'}"
    if aspect.of == "decision" and aspect.index != GRADE:
        claim = f"as {column} rises, {aspect} is never {'gained' if decreasing else 'lost'}"
    if column in scope.columns and not scope.field(column).is_ordered:
        message = f"{column!r} has no order ({scope.field(column)}); ask whether it is ignored instead."
        raise DomainError(message)

    def against(search: Search, low: UnknownRow, high: UnknownRow) -> list[Any]:
        before, after = low.cells[column], high.cells[column]
        at_low, at_high = (aspect.term(search, row) for row in (low, high))
        return [
            z3.Not(before.is_missing),
            z3.Not(after.is_missing),
            before.place < after.place,
            at_high > at_low if decreasing else at_high < at_low,
        ]

    def holds(first: Explanation, second: Explanation) -> bool:
        field = scope.field(column)
        x, y = field.read(first.row[column]), field.read(second.row[column])
        if x is None or y is None or not field.position(x) < field.position(y):
            return False
        a, b = aspect.value(first), aspect.value(second)
        return b > a if decreasing else b < a

    return ask_of_two_rows(claim, aspect, column, scope, deadline, against, holds)
