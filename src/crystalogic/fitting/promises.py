"""What was declared, as the search keeps it, and as promises that are proved of a model before anyone gets it.

Every move of a search keeps what was declared; here nothing is taken on trust. A promise is shown by the form of each
formula of the front, which is a proof for all rows. A direction of the chosen rule is put to it as a question, too, the
one that `ask monotone` asks: form and question share no code. What the form does not show, or z3 refutes, is an error.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from typing import Literal as OneOf

from crystalogic.candidates import Knowledge
from crystalogic.crystal import Crystal
from crystalogic.encoding import Encoding, Is, Literal
from crystalogic.encoding.encoding import Column
from crystalogic.encoding.own import describe_unknown, express, include_facts
from crystalogic.encoding.values import way_of
from crystalogic.errors import DomainError, PromiseError, TrainingDataError, refuse, refuse_first
from crystalogic.learner.limits import Limits
from crystalogic.logic.connectives import signs
from crystalogic.logic.formula import Formula
from crystalogic.model import Model
from crystalogic.model.ladders import spell_out
from crystalogic.request import Request
from crystalogic.symbolic.extract import encode
from crystalogic.verify.questions import Verdict

SECONDS = 3.0  # for the question about one direction


@dataclass(frozen=True)
class Direction:
    """As a column, or one truth value, rises, the degree never falls (sign 1), or never rises (-1).

    Then the decision is never lost, or never gained: it is whether the degree reaches 1/2.
    """

    name: str
    sign: int
    allowed: Mapping[str, int]  # for each truth value the sign with which it may occur; 0 if it goes neither way

    def __str__(self) -> str:
        return f"{self.name!r} may only {'raise' if self.sign > 0 else 'lower'} the output"

    def is_shown(self, formula: Formula, part: Crystal) -> bool:
        """Each truth value rises or falls with its column, and occurs only with the sign that turns this that way."""
        found = signs(formula)
        return all(found.get(name, frozenset()) <= {sign} for name, sign in self.allowed.items())


@dataclass(frozen=True)
class Unused:
    """A column, or one truth value, is not read: neither by the formula nor by its network."""

    name: str
    literals: frozenset[str]

    def __str__(self) -> str:
        return f"{self.name!r} is not used"

    def is_shown(self, formula: Formula, part: Crystal) -> bool:
        return self.literals.isdisjoint({*formula.variables, *part.narrow().inputs})


@dataclass(frozen=True)
class Used:
    """A truth value stands in every formula, of a list in one of its rules, also where it changes nothing."""

    name: str

    def __str__(self) -> str:
        return f"{self.name!r} is used"

    def is_shown(self, formula: Formula, part: Crystal) -> bool:
        return self.name in formula.variables


@dataclass(frozen=True)
class AtMost:
    """A formula has no more literals, or its network no more neurons."""

    most: int
    what: OneOf["literals", "neurons"]

    def __str__(self) -> str:
        return f"at most {self.most} {self.what}"

    def is_shown(self, formula: Formula, part: Crystal) -> bool:
        return (formula.size if self.what == "literals" else len(part.live)) <= self.most


@dataclass(frozen=True)
class ReadTogether:
    """The columns of a formula and its network cost, each once, at most a budget, or are read only with others."""

    limits: Limits
    columns: Mapping[str, str]  # of truth values

    def __str__(self) -> str:
        asked = self.limits
        prices = ", ".join(f"{name!r} {price:g}" for name, price in asked.prices.items())
        told = [f"{name!r} is used only with {other!r}" for name, other in asked.only_with.items()]
        told += [] if asked.budget is None else [f"columns cost at most {asked.budget:g} together ({prices})"]
        return "; ".join(told)

    def is_shown(self, formula: Formula, part: Crystal) -> bool:
        return self.limits.permits({self.columns[name] for name in (*formula.variables, *part.narrow().inputs)})


Promise = Direction | Unused | Used | AtMost | ReadTogether  # `is_shown` tells whether the form of a formula shows it


def is_kept(promise: Promise, formula: Formula, crystal: Crystal, literals: Mapping[str, Literal]) -> bool:
    """Whether a promise is kept by the form of a formula, its ladders spelled out, and its network of one output."""
    return promise.is_shown(formula if isinstance(promise, AtMost) else spell_out(formula, literals), crystal)


def refuse_broken(model: Model, promises: Iterable[Promise], others: Iterable[tuple[Formula, Crystal]] = ()) -> None:
    """A PromiseError if a promise is not proved of a rule, or of another formula of its front."""
    parts = [replace(model.crystal, outputs=(output,)) for output in model.crystal.outputs]
    shown, literals = [*zip(model.written, parts, strict=True), *others], model.encoding.literals
    for promise in promises:
        broken = [formula for formula, crystal in shown if not is_kept(promise, formula, crystal, literals)]
        if isinstance(promise, Used) and len(model.formulas) > 1:
            lists = [model.written, *([row.formula for row in rows] for rows in zip(*model.fronts, strict=True))]
            spelled = [[spell_out(formula, literals) for formula in each] for each in lists]
            broken = [each[0] for each in spelled if all(promise.name not in formula.variables for formula in each)]
        if isinstance(promise, Direction) and _answer(model, promise) is Verdict.REFUTED:
            broken.append(model.formulas[0])
        for each in broken:
            refuse(PromiseError, f"{each} breaks what was declared: {promise}. It is not written; please report this.")


def _answer(model: Model, promise: Direction) -> Verdict:
    """What `ask monotone` finds; undecided for a column whose values have no order for it, such as false and true."""
    from crystalogic.audit.monotone import monotone

    asked: dict[str, Any] = {"decreasing": promise.sign < 0, "seconds": SECONDS}
    try:
        if promise.name in model.encoding.by_name:
            return monotone(model, promise.name, of=None if model.is_ordered else "degree", **asked).verdict
        return monotone(model.formulas[0], promise.name, **asked).verdict
    except DomainError:
        return Verdict.UNDECIDED


def promises_of(encoding: Encoding, request: Request) -> tuple[Promise, ...]:
    """What the request declares of every formula."""
    limits, columns = request.limits or Limits(), {each.name: each.column for each in encoding.literals.values()}
    return (
        *(Direction(name, sign, _signs(encoding, name, sign)) for name, sign in request.monotone.items()),
        *(Unused(name, frozenset(_literals_of(encoding, name))) for name in request.forbidden),
        *(_used(encoding, name) for name in include_facts(encoding, request.required)[1].values()),
        *((ReadTogether(limits, columns),) if limits.budget is not None or limits.only_with else ()),
        AtMost(request.most_literals, "literals"),
        *(() if request.is_likelihood else (AtMost(request.settings.max_neurons, "neurons"),)),
    )


def add_own_facts(encoding: Encoding, request: Request) -> Encoding:
    """The encoding with the facts that the request names, such as cuts of one's own."""
    return include_facts(encoding, [*request.required, *(() if request.start is None else request.start.variables)])[0]


def knowledge_of(encoding: Encoding, request: Request, *, is_negated: bool = False) -> Knowledge:
    """What the request declares as the search keeps it, truth value by truth value.

    One that two directions want with different signs goes with neither, and is not used. Where the search looks for the
    negation of what the promises speak of, all directions are the other way round.
    """
    promises = promises_of(encoding, request)
    first = None if request.start is None else encode(express([request.start], encoding)[0])
    wanted: dict[str, int] = {}
    for direction in (each for each in promises if isinstance(each, Direction)):
        for name, sign in direction.allowed.items():
            wanted[name] = sign if wanted.get(name, sign) == sign else 0
    turn = -1 if is_negated else 1
    unused = [name for each in promises if isinstance(each, Unused) for name in sorted(each.literals)]
    return Knowledge(
        monotone={name: turn * sign for name, sign in wanted.items() if sign},
        forbidden=[*unused, *(name for name, sign in wanted.items() if not sign)],
        required=[each.name for each in promises if isinstance(each, Used)],
        start=first.negate() if first is not None and is_negated else first,
    )


def _literals_of(encoding: Encoding, name: str) -> list[str]:
    """All truth values of a column, by the column's name, or a single one by its own."""
    of_column = [literal.name for literal in encoding.literals.values() if literal.column == name]
    if not of_column and name not in encoding.literals:
        refuse(TrainingDataError, describe_unknown(encoding, name))
    return of_column or [name]


def _used(encoding: Encoding, name: str) -> Used:
    """A truth value by its own name; a column alone does not say which of its truth values is meant."""
    message = f"which truth value of {name!r} is required? It has {', '.join(_literals_of(encoding, name))}."
    refuse_first(TrainingDataError, {message: name not in encoding.literals})
    return Used(name)


def _signs(encoding: Encoding, name: str, sign: int) -> dict[str, int]:
    """The signs of truth values that make a rule go one way with a column, 0 for those that it must not use for that.

    Degrees, cuts and levels grow with their column, its least values (`ca=0`) go against it, its greatest with it; a
    value between them does both. That a value is missing has no place in the order, and stays free.
    """
    column = next((each for each in encoding.columns if each.name == name), None)
    signs: dict[str, int] = {}
    for each in _literals_of(encoding, name):
        literal = encoding.literals[each]
        if column is None or literal.rises:
            signs[each] = sign
        elif literal.levels:
            if len(order := _order_of(column)) > 1:
                signs[each] = sign * way_of(literal.levels, order)
            elif column.kind == "number":
                signs[each] = 0
    return signs


def _order_of(column: Column) -> tuple[str, ...]:
    """The values of a column from the least on; an error if they have no order."""
    if column.kind == "category" and tuple(map(str.lower, column.known)) != ("false", "true"):
        literal = next(each.name for each in column.literals if isinstance(each, Is))
        way_out = f"Declare its order as its kind, or give one of its truth values a direction, such as {literal!r}."
        what = f"{column.name!r} is a category without an order, so that it has no direction."
        refuse(TrainingDataError, f"{what} {way_out}")
    return column.known
