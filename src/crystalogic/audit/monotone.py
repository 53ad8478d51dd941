"""Is the answer monotone in a column, or does it make no difference? Two rows that differ in it alone would show it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, get_args

import z3

from crystalogic.audit.scope import Scope, column_asked, scope_for
from crystalogic.audit.search import SECONDS, Holds, Runs, Search, UnknownRow, for_all
from crystalogic.audit.statements import Finding, label_of, labels_text, of_risk
from crystalogic.errors import DomainError, refuse
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula, Variable
from crystalogic.model import Explanation, Model
from crystalogic.verify import questions
from crystalogic.verify.questions import Answer, Verdict

Of = Literal["decision", "degree", "risk"]
Against = Callable[[Search, UnknownRow, UnknownRow], Sequence[Any]]  # what contradicts a claim about two rows
GRADE = -1  # in place of a class: which of the ordered classes is decided for


@dataclass(frozen=True)
class Aspect:
    """The degree of one formula, whether a class is decided for (as 1 or 0), the grade, or the risk; larger is more."""

    model: Model
    of: Of
    index: int  # of the class or, for degrees, of the formula; or GRADE

    def term(self, search: Search, row: UnknownRow) -> Any:
        if self.of == "risk":
            score, shares = search.score(self.model, row), of_risk(self.model).shares
            steps = [(at, after - before) for at, (before, after) in enumerate(pairwise(shares), 1) if after > before]
            return z3.Sum([z3.RealVal(0), *(z3.If(score >= at, z3.RealVal(step), z3.RealVal(0)) for at, step in steps)])
        if self.of == "degree":
            return search.degrees(self.model, row)[self.index]
        is_class = search.classes(self.model, row)
        if self.index == GRADE:
            ranks = enumerate(self.model.order[::-1])
            return z3.Sum([z3.If(is_class[place], z3.RealVal(rank), z3.RealVal(0)) for rank, place in ranks])
        return z3.If(is_class[self.index], z3.RealVal(1), z3.RealVal(0))

    def value(self, found: Explanation) -> Fraction:
        """The same of a row that was run; of the risk in its own unit, which compares alike."""
        if self.of == "risk":
            return found.probability or Fraction(0)
        if self.of == "degree":
            return found.degrees[self.index]
        classes = self.model.classes or ()
        if self.index == GRADE:
            return Fraction(self.model.order[::-1].index(classes.index(found.decision)))
        return Fraction(found.decision == classes[self.index])

    def __str__(self) -> str:
        model = self.model
        if self.of == "risk":
            return f"the risk of {model.spoken[0]}"
        if model.classes is None:
            return f"the degree of {model.target}"
        if self.index == GRADE:
            return model.target
        label = model.classes[1 if len(model.formulas) == 1 and self.of == "degree" else self.index]
        return f"the degree of {model.target} = {label}" if self.of == "degree" else f"{model.target} = {label}"


def aspect_of(model: Model, of: Of | None, label: object = None) -> Aspect:
    """What is asked about: by default the decision for the second of two classes, or the degree without classes."""
    if of not in (None, *get_args(Of)):
        refuse(DomainError, f"a question is about the 'decision', the 'degree' or the 'risk', got {of!r}.")
    if of == "risk":
        of_risk(model)
    if model.classes is None:
        if of == "decision" or label is not None:
            refuse(DomainError, f"the model gives degrees of {model.target!r}, no classes; ask about its degree.")
        return Aspect(model, "degree", 0)
    if label is None and len(model.classes) > 2:
        if model.is_ordered and of != "degree":
            return Aspect(model, "decision", GRADE)
        refuse(DomainError, f"the model has {len(model.classes)} classes; say which is meant: {labels_text(model)}.")
    index = 1 if label is None else model.classes.index(label_of(model, label))
    if of in ("degree", "risk") and len(model.formulas) == 1:
        if index == 0:
            message = f"the formula is for {model.target} = {model.classes[1]}; ask about the {of} of that class."
            raise DomainError(message)
        return Aspect(model, of, 0)
    return Aspect(model, of or "decision", index)


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
    column = column_asked(model, column)
    aspect, scope = aspect_of(model, of, label), scope_for(model, domain)
    claim = f"as {column} rises, {aspect} never {'rises' if decreasing else 'falls'}"
    if aspect.of == "decision" and aspect.index != GRADE:
        claim = f"as {column} rises, {aspect} is never {'gained' if decreasing else 'lost'}"
    if column in scope.columns and not scope.field(column).is_ordered:
        refuse(DomainError, f"{column!r} has no order ({scope.field(column)}); ask whether it is ignored instead.")

    def against(search: Search, low: UnknownRow, high: UnknownRow) -> list[Any]:
        before, after, field = low[column], high[column], scope.field(column)
        at_low, at_high = (aspect.term(search, row) for row in (low, high))
        is_higher = before.place_in(field) < after.place_in(field)
        is_against = at_high > at_low if decreasing else at_high < at_low
        return [z3.Not(before.is_missing), z3.Not(after.is_missing), is_higher, is_against]

    def holds(first: Explanation, second: Explanation) -> bool:
        field = scope.field(column)
        x, y = field.read(first.row[column]), field.read(second.row[column])
        if x is None or y is None or not field.position(x) < field.position(y):
            return False
        a, b = aspect.value(first), aspect.value(second)
        return b > a if decreasing else b < a

    return _ask_of_two_rows(claim, aspect, column, scope, seconds, against, holds)


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
    column = column_asked(model, column)
    is_about_all = model.classes is not None and label is None and (of in (None, "decision") or len(model.formulas) > 1)
    aspects = [aspect_of(model, of, each) for each in (list(model.classes or ()) if is_about_all else [label])]
    what = f"the degrees of {model.target}" if of == "degree" else model.target
    claim = f"{column} makes no difference to {what if is_about_all else aspects[0]}"

    def against(search: Search, one: UnknownRow, other: UnknownRow) -> list[Any]:
        # some class is decided for on one row and not on the other: that suffices, whichever it is
        return [z3.Or([aspect.term(search, one) > aspect.term(search, other) for aspect in aspects])]

    def holds(first: Explanation, second: Explanation) -> bool:
        return any(aspect.value(first) > aspect.value(second) for aspect in aspects)

    return _ask_of_two_rows(claim, aspects[0], column, scope_for(model, domain), seconds, against, holds)


def _ask_of_two_rows(
    claim: str, aspect: Aspect, column: str, scope: Scope, seconds: float, against: Against, holds: Holds
) -> Finding:
    """The answer to a claim about all pairs of rows that differ in one column alone, given what contradicts it."""
    if column not in aspect.model.columns:
        return Finding(claim, scope, Verdict.PROVED, f"the rule does not read {column}")

    def contradict(search: Search) -> tuple[Runs, Sequence[Any], Holds]:
        one = search.row()
        other = search.row(like=one, apart=[column])
        return [(aspect.model, one), (aspect.model, other)], against(search, one, other), holds

    return for_all(claim, scope, seconds, contradict, with_risk=aspect.of == "risk")
