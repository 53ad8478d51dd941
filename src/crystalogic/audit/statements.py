"""What is asked and what is found, as people write and read it: statements, outcomes and findings.

A statement is about one column or about the target: age ≥ 18, cp ≠ 4, ca is missing. A comparison with a missing value
is false, except ≠, which is the negation of =. A finding is an answer about models, with the rows that show it.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from crystalogic.audit.scope import Choices, Field, Numbers, Row, Scope, Value, plain, value_text
from crystalogic.cells import NO_WORDS, level_of, number_of
from crystalogic.decision import THRESHOLD
from crystalogic.encoding.own import SIGN, split_statement, subject_of
from crystalogic.errors import DomainError, RiskError, refuse, refuse_first
from crystalogic.logic.names import one_line, write_name
from crystalogic.model import Explanation, Label, Model, Risk, class_level
from crystalogic.model.ladders import score_text
from crystalogic.model.risk import exact_percent
from crystalogic.truth import exact_number
from crystalogic.verify.questions import Answer
from crystalogic.verify.trace import decimal

COMPARE: dict[str, Callable[[Any, Any], Any]] = {"≥": ge, "≤": le, ">": gt, "<": lt, "=": eq, "≠": ne}
RISK = "risk"  # what statements about the risk speak of
NO_ROW = "no row of the scope contradicts it (z3)"


@dataclass(frozen=True)
class Comparison:
    """What a statement says of one column."""

    column: str
    operator: str  # one of COMPARE, or "missing"
    text: str = ""

    @property
    def number(self) -> Fraction | None:
        """The number that the column is compared with, as a table would hold it."""
        number = number_of(self.text)
        return Fraction(number) if math.isfinite(number) else None

    def holds(self, value: Value, field: Field) -> bool:
        """Whether the statement is true of this value of a field."""
        if self.operator == "missing" or value is None:
            return value is None and self.operator in ("missing", "≠")
        compare = COMPARE[self.operator]
        if self.operator in ("=", "≠") and not isinstance(value, Fraction):
            return bool(compare(level_of(value, NO_WORDS), level_of(self.text, NO_WORDS)))
        if not isinstance(value, str) and self.number is not None:
            return bool(compare(value, self.number))
        order = [str(each) for each in field.values] if isinstance(field, Choices) and field.is_ordered else []
        level = self.level(order)
        return level is not None and str(value) in order and bool(compare(order.index(str(value)), level))

    def level(self, order: Sequence[str]) -> int | None:
        """Where the value that the column is compared with stands in an order; None where it does not."""
        return next((order.index(text) for text in (self.text, level_of(self.text, NO_WORDS)) if text in order), None)

    def refuse_meaningless(self, field: Field) -> None:
        """A DomainError if this cannot be said of the column."""
        if self.operator in ("=", "≠", "missing"):
            return
        order = None if isinstance(field, Numbers) or field.are_codes else list(map(str, field.values))
        meant = self.number if order is None else self.level(order)
        if not field.is_ordered or meant is None:
            wanted = f"expected {'a number' if isinstance(field, Numbers) else 'one of'} ({field})"
            way_out = wanted if field.is_ordered else f"compare it with = or ≠ ({field})"
            if re.search(SIGN, self.text):
                way_out += "; one statement in each pair of braces, joined by & or |"
            refuse(DomainError, f"{self.column!r} {self.operator} {self.text!r} says nothing: {way_out}.")

    def __str__(self) -> str:
        return f"{self.column} {'is missing' if self.operator == 'missing' else f'{self.operator} {self.text}'}"


@dataclass(frozen=True)
class Outcome:
    """What a statement says of a model's answer: its class is (not) this one, or its degree compares so."""

    target: str
    operator: str
    value: Label | Fraction

    def holds(self, found: Explanation) -> bool:
        """Whether it is true of what the model says of a row."""
        return bool(COMPARE[self.operator](found.decision, self.value))

    @property
    def negated(self) -> "Outcome":
        return replace(self, operator={"=": "≠", "≠": "=", "≥": "<", "<": "≥", ">": "≤", "≤": ">"}[self.operator])

    def __str__(self) -> str:
        shown_here = value_text(self.value) if isinstance(self.value, Fraction) else str(self.value)
        signs = {"=": "is", "≠": "is not"} if not isinstance(self.value, Fraction) else {}
        return f"{self.target} {signs.get(self.operator, self.operator)} {shown_here}"


@dataclass(frozen=True)
class RiskOutcome(Outcome):
    """What a statement says of the risk of the class that a model speaks for (`spoken`)."""

    spoken: str

    def is_met(self, risk: Fraction) -> bool:
        return bool(COMPARE[self.operator](risk, self.value))

    def holds(self, found: Explanation) -> bool:
        return found.probability is not None and self.is_met(found.probability)

    def __str__(self) -> str:
        words = {"<": "below ", ">": "above ", "≤": "at most ", "≥": "at least ", "=": "", "≠": "not "}
        return f"the risk of {self.spoken} is {words[self.operator]}{exact_percent(Fraction(self.value))}"


def risk_outcome(model: Model, sign: str, text: str) -> RiskOutcome:
    """The statement `risk sign text`; the number is what is written, not the nearest float: 0.1 is a tenth."""
    of_risk(model)
    written = text.strip()
    number = exact_number(written.removesuffix("%").strip())
    share = None if number is None else number / 100 if written.endswith("%") else number
    if sign not in COMPARE or share is None or not 0 <= share <= 1:
        message = f"a risk is compared with a share from 0 to 1 or with percent, such as < 0.1 or < 10 %, got {text!r}."
        raise RiskError(message)
    return RiskOutcome(RISK, sign, share, one_line(model.spoken[0]))


def of_risk(model: Model) -> Risk:
    """The risk that is asked about; a RiskError if the model has none."""
    if model.risk is None:
        needed = "a model of two classes with a risk, which the strategy 'likelihood' learns"
        refuse(RiskError, f"a question about the risk needs {needed}; of this model ask about the class or the degree.")
    return model.risk


def statement_of(name: str, model: Model, scope: Scope) -> Comparison | Outcome:
    """What a name in a policy says: a statement about the target or about a column."""
    if (split := split_statement(name, [model.target])) is not None and model.target not in scope.columns:
        return outcome_of(model, split[1], split[2])
    literal = model.encoding.literals.get(name)
    if literal is not None and literal.is_boolean:
        return Comparison(literal.column, *literal.statement)
    split, risk = split_statement(name, scope.columns), split_statement(name, [RISK])
    if split is None and risk is not None:
        return risk_outcome(model, risk[1], risk[2])
    if split is None:
        column, known = subject_of(name), [*scope.columns, model.target]
        unknown = "" if column is None or column in known else f": there is no {column!r}"
        problem = f"{write_name(name)} is not a statement about a column{unknown}. Write {{COLUMN ≥ VALUE}},"
        refuse(DomainError, f"{problem} with ≥ > ≤ < = ≠ or 'is missing', about {', '.join(known)}.")
    comparison = Comparison(*split)
    comparison.refuse_meaningless(scope.field(comparison.column))
    return comparison


def outcome_of(model: Model, sign: str, text: str) -> Outcome:
    """The statement `target sign text` about a model's answer, or a DomainError that says what can be said."""
    if model.classes is None:
        number = number_of(text)
        message = f"{model.target!r} is a degree between 0 and 1; compare it with a number, such as ≥ 0.5."
        refuse_first(DomainError, {message: not math.isfinite(number)})
        return Outcome(model.target, sign, Fraction(number))
    if sign not in ("=", "≠"):
        refuse(DomainError, f"{model.target!r} is a class, one of {labels_text(model)}; compare it with = or ≠.")
    return Outcome(model.target, sign, label_of(model, text))


def read_outcome(model: Model, said: object) -> Outcome:
    """An outcome as users give it: a class, a comparison such as '≥ 0.7' of a degree, or one such as 'risk < 0.1'."""
    if isinstance(said, Outcome):
        return said
    if not (model.classes and str(said) in map(str, model.classes)):
        if (split := split_statement(f"{model.target} {said}", [model.target])) is not None:
            return outcome_of(model, split[1], split[2])
        if (split := split_statement(str(said), [RISK])) is not None:
            return risk_outcome(model, split[1], split[2])
    message = f"the model gives degrees of {model.target!r}; say which you mean with a comparison, such as '≥ 0.5'."
    refuse_first(DomainError, {message: model.classes is None})
    return Outcome(model.target, "=", label_of(model, said))


def outcome_here(found: Explanation, said: object = None) -> Outcome:
    """What the model says of a row and what is to be kept: its class, or for degrees the comparison that is given."""
    model = found.model
    if said is None and model.classes is not None:
        return Outcome(model.target, "=", found.decision)
    if said is None:
        return Outcome(model.target, "≥" if found.degrees[0] >= THRESHOLD else "<", THRESHOLD)
    outcome = read_outcome(model, said)
    if not outcome.holds(found):
        refuse(DomainError, f"{outcome} is not what the model says of this row: it says {found.decision}.")
    return outcome


def opposite(model: Model, outcome: Outcome) -> Outcome:
    """The negation; of two classes, the other one."""
    labels = model.classes or ()
    if outcome.operator == "=" and len(labels) == 2:
        return Outcome(outcome.target, "=", labels[1 - labels.index(outcome.value)])
    return outcome.negated


def label_of(model: Model, said: object) -> Label:
    """The class with this name, or else the one that is the same number: 1.0 is the class 1."""
    for name in (str, class_level):
        for label in model.classes or ():
            if name(label) == name(said):
                return label
    refuse(DomainError, f"there is no class {said!r}; the classes of {model.target!r} are {labels_text(model)}.")


def labels_text(model: Model) -> str:
    return ", ".join(map(str, model.classes or ()))


@dataclass(frozen=True)
class Finding(Answer):
    """An answer about models, with the rows that show it.

    Attributes:
        cases: rows that show it, run exactly through the models.
        facts: what else was found, by name, as plain data.
        names: what to call the cases, before their rows where these differ.
        with_risk: whether the cases are shown with their scores and risks.
    """

    cases: tuple[Explanation, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    with_risk: bool = False

    def __str__(self) -> str:
        claim, scope = one_line(self.claim), one_line(self.scope)
        return "\n".join([f"{self.verdict.value}: {claim}", f"scope: {scope}", self.reason, *self.details])

    @property
    def details(self) -> list[str]:
        rows = [case.row for case in self.cases]
        common = {k: v for k, v in rows[0].items() if all(row[k] == v for row in rows)} if len(rows) > 1 else {}
        lines = [f"at {row_text(common)}:"] if common else []
        for index, case in enumerate(self.cases):
            own = {column: value for column, value in case.row.items() if column not in common}
            named = [one_line(self.names[index])] if self.names else []
            name = " at ".join([*named, *([row_text(own)] if own else [])]) or "any row"
            lines.append(f"{'  ' * bool(common)}{name}: {_tell(case, with_risk=self.with_risk)}")
        return lines

    def content(self) -> dict[str, Any]:
        body = super().content()
        body["row"] = None if self.row is None else {name: plain(value) for name, value in self.row.items()}
        cases = []
        for case in self.cases:
            said, risk = case.decision, case.probability or Fraction(0)
            told = {"score": int(case.score), "probability": float(risk)} if self.with_risk else {}
            row = {column: plain(value) for column, value in case.row.items()}
            decision = str(said) if isinstance(said, Fraction) else said
            cases.append({"row": row, "decision": decision, "degrees": list(map(str, case.degrees)), **told})
        return {**body, "cases": cases, **self.facts}


def row_text(row: Row) -> str:
    return one_line(", ".join(f"{column} = {value_text(value)}" for column, value in row.items()))


def _tell(found: Explanation, *, with_risk: bool) -> str:
    """What the model says of a row, with its degree or with its score and its risk."""
    model, target = found.model, one_line(found.model.target)
    if with_risk:
        points = score_text(model.formulas[0], model.encoding.literals, int(found.score))
        risk = exact_percent(found.probability or Fraction(0))
        return f"{target} is {one_line(found.decision)} ({points}, risk {risk})"
    if model.classes is None:
        return f"{target} is {exact_text(found.degrees[0])}"
    which = "degree" if len(found.degrees) == 1 else "largest degree"
    return f"{target} is {one_line(found.decision)} ({which} {exact_text(max(found.degrees))})"


def exact_text(degree: Fraction) -> str:
    """Two decimals where they are exact, and a fraction or a rounded number where they are not."""
    return decimal(degree) if degree.denominator > 1000 or not decimal(degree).startswith("~") else str(degree)
