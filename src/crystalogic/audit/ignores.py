"""Does a column make no difference? Two rows that differ in that column alone must get the same answer."""

from typing import Any

import z3

from crystalogic.audit.aspects import Of, ask_of_two_rows, aspect_of, column_asked, formula_domain, scope_for
from crystalogic.audit.scope import Scope
from crystalogic.audit.search import SECONDS, Search, UnknownRow
from crystalogic.deadline import Deadline
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula, Variable
from crystalogic.model import Explanation, Model
from crystalogic.verify import questions
from crystalogic.verify.questions import Answer


def ignores(
    model: Model | Formula,
    column: str | Variable,
    domain: Scope | Domain | None = None,
    *,
    of: Of | None = None,
    label: object = None,
    seconds: float = SECONDS,
) -> Answer:
    """Whether a column makes no difference, present or missing.

    Parameters:
        model: a model, or a formula, which is asked about one of its inputs.
        column: the column, or the input.
        domain: a `Scope` for a model, a `Domain` for a formula; None for all rows that can occur.
        of: "decision" for the class, "degree" for the degrees, "risk" for how likely the class is; the class unless
            given, and always the degree where a model has no classes.
        label: the class that is asked about; None for all.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    if isinstance(model, Formula):
        return questions.ignores(model, column, formula_domain(domain), seconds=seconds)
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
    return ask_of_two_rows(claim, aspects[0], column, scope, deadline, against, holds)
