"""Aspects of a model that questions are about: its decision, the degree of one of its formulas, or its risk."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, get_args

import z3

from crystalogic.audit.scope import Scope, refuse_no_model, scope_of
from crystalogic.audit.search import Search, UnknownRow, class_terms
from crystalogic.audit.statements import label_of, labels_text, of_risk
from crystalogic.errors import DomainError
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Variable
from crystalogic.model import Explanation, Model

Of = Literal["decision", "degree", "risk"]
GRADE = -1  # in place of a class: which of the ordered classes is decided for


@dataclass(frozen=True)
class Aspect:
    """The degree of one formula, whether a class is decided for (as 1 or 0), the grade, or the risk; larger is more."""

    model: Model
    of: Of
    index: int  # of the class or, for degrees, of the formula; or GRADE

    def term(self, search: Search, row: UnknownRow) -> Any:
        """The aspect of a row as a number."""
        if self.of == "risk":
            score, shares = search.score(self.model, row), of_risk(self.model).shares
            steps = [(at, after - before) for at, (before, after) in enumerate(pairwise(shares), 1) if after > before]
            return z3.Sum([z3.RealVal(0), *(z3.If(score >= at, z3.RealVal(step), z3.RealVal(0)) for at, step in steps)])
        degrees = search.degrees(self.model, row)
        if self.of == "degree":
            return degrees[self.index]
        is_class = class_terms(self.model, degrees)
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
        message = f"a question is about the 'decision', the 'degree' or the 'risk', got {of!r}."
        raise DomainError(message)
    if of == "risk":
        of_risk(model)
    if model.classes is None:
        if of == "decision" or label is not None:
            message = f"the model gives degrees of {model.target!r}, no classes; ask about its degree."
            raise DomainError(message)
        return Aspect(model, "degree", 0)
    if label is None and len(model.classes) > 2:
        if model.is_ordered and of != "degree":
            return Aspect(model, "decision", GRADE)
        message = f"the model has {len(model.classes)} classes; say which is meant: {labels_text(model)}."
        raise DomainError(message)
    index = 1 if label is None else model.classes.index(label_of(model, label))
    if of in ("degree", "risk") and len(model.formulas) == 1:
        if index == 0:
            message = f"the formula is for {model.target} = {model.classes[1]}; ask about the {of} of that class."
            raise DomainError(message)
        return Aspect(model, of, 0)
    return Aspect(model, of or "decision", index)


def scope_for(model: Model, scope: Scope | Domain | None, columns: Sequence[str] = ()) -> Scope:
    """The columns that the model reads, and these, as declared or as in training; a DomainError for a `Domain`."""
    if isinstance(scope, Domain):
        message = "a model is asked about over a scope of its columns (`scope_of`), not over a domain of truth values."
        raise DomainError(message)
    return (scope or scope_of(model)).only(dict.fromkeys([*model.columns, *columns]))


def column_asked(model: Model, column: str | Variable) -> str:
    """The name of a column that is asked about; a DomainError for what is no model, or does not know it."""
    if isinstance(model, str):
        message = f"expected a model or a formula, got the text {model!r}. load(path) gives one, parse(text) the other."
        raise DomainError(message)
    refuse_no_model(model)
    name = column.name if isinstance(column, Variable) else column
    refuse_unknown(model, name)
    return name


def refuse_unknown(model: Model, column: str) -> None:
    """A DomainError for a column that the model has never seen."""
    known = [each.name for each in model.encoding.columns]
    if column not in known:
        is_target = column == model.target
        problem = f"{column!r} is what the model predicts" if is_target else f"the model has no column {column!r}"
        message = f"{problem}; it knows {', '.join(known)}."
        raise DomainError(message)
