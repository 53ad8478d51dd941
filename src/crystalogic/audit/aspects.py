"""Aspects of a model that questions are about: its decision, or the degree of one of its formulas."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import z3

from crystalogic.audit.scope import Scope, refuse_no_model, scope_of
from crystalogic.audit.search import class_terms
from crystalogic.audit.statements import label_of, labels_text
from crystalogic.errors import DomainError
from crystalogic.logic.domain import Domain
from crystalogic.model import Explanation, Model

Of = Literal["decision", "degree"]
GRADE = -1  # in place of a class: which of the ordered classes is decided for


@dataclass(frozen=True)
class Aspect:
    """The degree of one formula, whether a class is decided for (as 1 or 0), or the grade; larger is more of it."""

    model: Model
    of: Of
    index: int  # of the class or, for degrees, of the formula; or GRADE

    def term(self, degrees: Sequence[Any]) -> Any:
        """The aspect as a number, on the degrees of the model."""
        if self.of == "degree":
            return degrees[self.index]
        is_class = class_terms(self.model, degrees)
        if self.index == GRADE:
            ranks = enumerate(self.model.order[::-1])
            return z3.Sum([z3.If(is_class[place], z3.RealVal(rank), z3.RealVal(0)) for rank, place in ranks])
        return z3.If(is_class[self.index], z3.RealVal(1), z3.RealVal(0))

    def value(self, found: Explanation) -> Fraction:
        """The same of a row that was run."""
        if self.of == "degree":
            return found.degrees[self.index]
        classes = self.model.classes or ()
        if self.index == GRADE:
            return Fraction(self.model.order[::-1].index(classes.index(found.decision)))
        return Fraction(found.decision == classes[self.index])

    def __str__(self) -> str:
        model = self.model
        if model.classes is None:
            return f"the degree of {model.target}"
        if self.index == GRADE:
            return model.target
        label = model.classes[1 if len(model.formulas) == 1 and self.of == "degree" else self.index]
        return f"the degree of {model.target} = {label}" if self.of == "degree" else f"{model.target} = {label}"


def aspect_of(model: Model, of: Of | None, label: object = None) -> Aspect:
    """What is asked about: by default the decision for the second of two classes, or the degree without classes."""
    if of not in (None, "decision", "degree"):
        message = f"a question is about the 'decision' or the 'degree', got {of!r}."
        raise DomainError(message)
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
    if of == "degree" and len(model.formulas) == 1:
        if index == 0:
            message = f"the formula is for {model.target} = {model.classes[1]}; ask about the degree of that class."
            raise DomainError(message)
        return Aspect(model, "degree", 0)
    return Aspect(model, of or "decision", index)


def scope_for(model: Model, scope: Scope | None, columns: Sequence[str] = ()) -> Scope:
    """The columns that the model reads, and these, as declared or as in training."""
    return (scope or scope_of(model)).only(dict.fromkeys([*model.columns, *columns]))


def refuse_unknown(model: Model, column: str) -> None:
    """A DomainError for a column that the model has never seen."""
    known = [each.name for each in model.encoding.columns]
    if column not in known:
        is_target = column == model.target
        problem = f"{column!r} is what the model predicts" if is_target else f"the model has no column {column!r}"
        message = f"{problem}; it knows {', '.join(known)}."
        raise DomainError(message)


def model_scope(domain: Scope | Domain | None) -> Scope | None:
    """The scope of a question about a model; a DomainError for a domain of truth values."""
    if isinstance(domain, Domain):
        message = "a model is asked about over a scope of its columns (`scope_of`), not over a domain of truth values."
        raise DomainError(message)
    return domain


def refuse_neither(model: object) -> None:
    """A DomainError for what is neither a model nor a formula."""
    if isinstance(model, str):
        message = f"expected a model or a formula, got the text {model!r}. load(path) gives one, parse(text) the other."
        raise DomainError(message)
    refuse_no_model(model)


def formula_domain(domain: Scope | Domain | None) -> Domain | None:
    """The domain of a question about a formula; a DomainError for a scope of columns."""
    if isinstance(domain, Scope):
        message = "a formula is asked about over a `Domain` of truth values, not over a scope of columns."
        raise DomainError(message)
    return domain
