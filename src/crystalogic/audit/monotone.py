"""Is the answer monotone in a column, or does it make no difference? Two rows that differ in it alone would show it."""

from collections.abc import Callable, Sequence
from typing import Any

import z3

from crystalogic.audit.aspects import GRADE, Aspect, Of, aspect_of, column_asked, scope_for
from crystalogic.audit.finding import Finding
from crystalogic.audit.scope import Scope
from crystalogic.audit.search import SECONDS, Holds, Search, UnknownRow, ask_in_time, for_all
from crystalogic.deadline import Deadline
from crystalogic.errors import DomainError
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula, Variable
from crystalogic.model import Explanation, Model
from crystalogic.verify import questions
from crystalogic.verify.questions import Answer, Verdict


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
        if isinstance(domain, Scope):
            message = "a formula is asked about over a `Domain` of truth values, not over a scope of columns."
            raise DomainError(message)
        return questions.monotone(model, column, domain, decreasing=decreasing, seconds=seconds)
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

    return _ask_of_two_rows(claim, aspect, column, scope, deadline, against, holds)


def ignores(
    model: Model,
    column: str | Variable,
    domain: Scope | None = None,
    *,
    of: Of | None = None,
    label: object = None,
    seconds: float = SECONDS,
) -> Finding:
    """Whether a column makes no difference, present or missing.

    Parameters:
        model: the model that is asked.
        column: the column.
        domain: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        of: "decision" for the class, "degree" for the degrees, "risk" for how likely the class is; the class unless
            given, and always the degree where a model has no classes.
        label: the class that is asked about; None for all.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    column = column_asked(model, column)
    is_about_all = model.classes is not None and label is None and (of in (None, "decision") or len(model.formulas) > 1)
    labels = list(model.classes or ()) if is_about_all else [label]
    aspects = [aspect_of(model, of, each) for each in labels]
    what = f"the degrees of {model.target}" if of == "degree" else model.target
    claim = f"{column} makes no difference to {what if is_about_all else aspects[0]}"

    def against(search: Search, one: UnknownRow, other: UnknownRow) -> list[Any]:
        # some class is decided for on one row and not on the other: that suffices, whichever it is
        return [z3.Or([aspect.term(search, one) > aspect.term(search, other) for aspect in aspects])]

    def holds(first: Explanation, second: Explanation) -> bool:
        return any(aspect.value(first) > aspect.value(second) for aspect in aspects)

    scope = scope_for(model, domain)
    return _ask_of_two_rows(claim, aspects[0], column, scope, deadline, against, holds)


def _ask_of_two_rows(
    claim: str,
    aspect: Aspect,
    column: str,
    scope: Scope,
    deadline: Deadline,
    against: Callable[[Search, UnknownRow, UnknownRow], Sequence[Any]],
    holds: Holds,
) -> Finding:
    """The answer to a claim about all pairs of rows that differ in one column alone, given what contradicts it."""
    if column not in aspect.model.columns:
        return Finding(claim, scope, Verdict.PROVED, f"the rule does not read {column}")

    def ask(search: Search) -> Finding:
        one = search.row()
        other = search.row(like=one, apart=[column])
        runs = [(aspect.model, one), (aspect.model, other)]
        return for_all(claim, search, runs, against(search, one, other), holds, with_risk=aspect.of == "risk")

    return ask_in_time(claim, scope, deadline, ask)
