"""What was declared, as promises that are proved of a model before anyone gets it.

Every move of a search keeps what was declared; here nothing is taken on trust. A promise is shown by the form of each
formula of the front, which is a proof for all rows. A direction of the chosen rule is put to it as a question, too, the
one that `ask monotone` asks: form and question share no code. What the form does not show, or z3 refutes, is an error.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from typing import Literal as OneOf

from crystalogic.crystal import Crystal
from crystalogic.encoding import Literal
from crystalogic.errors import DomainError, PromiseError
from crystalogic.logic.connectives import signs
from crystalogic.logic.formula import Formula
from crystalogic.model import Model
from crystalogic.model.ladders import spell_out
from crystalogic.verify.questions import Verdict

NO_LITERALS: Mapping[str, Literal] = MappingProxyType({})
SECONDS = 3.0  # for the question about one direction


@dataclass(frozen=True)
class Direction:
    """As a column, or one truth value, rises, the degree never falls (sign 1), or never rises (-1).

    Then the decision is never lost, or never gained: it is whether the degree reaches 1/2. `allowed` has the sign with
    which each truth value of the column may occur; 0 for one that goes neither way with the column.
    """

    name: str
    sign: int
    allowed: Mapping[str, int]

    def __str__(self) -> str:
        return f"{self.name!r} may only {'raise' if self.sign > 0 else 'lower'} the output"


@dataclass(frozen=True)
class Unused:
    """A column, or one truth value, is not read: neither by the formula nor by its network."""

    name: str
    literals: frozenset[str]

    def __str__(self) -> str:
        return f"{self.name!r} is not used"


@dataclass(frozen=True)
class Used:
    """A truth value stands in every formula, of a list in one of its rules, also where it changes nothing."""

    name: str

    def __str__(self) -> str:
        return f"{self.name!r} is used"


@dataclass(frozen=True)
class AtMost:
    """A formula has no more literals, or its network no more neurons."""

    most: int
    what: OneOf["literals", "neurons"]

    def __str__(self) -> str:
        return f"at most {self.most} {self.what}"


Promise = Direction | Unused | Used | AtMost


def _goes_one_way(promise: Direction, formula: Formula, _: Crystal) -> bool:
    """Each truth value rises or falls with its column, and occurs only with the sign that turns this the right way."""
    found = signs(formula)
    return all(found.get(name, frozenset()) <= {sign} for name, sign in promise.allowed.items())


def _has_at_most(promise: AtMost, formula: Formula, part: Crystal) -> bool:
    """No more than promised of what is counted."""
    return (formula.size if promise.what == "literals" else len(part.live)) <= promise.most


PROOFS: dict[type, Callable[[Any, Formula, Crystal], bool]] = {
    Direction: _goes_one_way,
    Unused: lambda promise, formula, part: promise.literals.isdisjoint({*formula.variables, *part.narrow().inputs}),
    Used: lambda promise, formula, _: promise.name in formula.variables,
    AtMost: _has_at_most,
}


def is_kept(
    promise: Promise, formula: Formula, crystal: Crystal, literals: Mapping[str, Literal] = NO_LITERALS
) -> bool:
    """Whether the form of a formula and its network, which has one output, shows that the promise is kept.

    What is promised of single facts is looked up where ladders are spelled out.
    """
    form = formula if isinstance(promise, AtMost) else spell_out(formula, literals)
    return PROOFS[type(promise)](promise, form, crystal)


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
        if broken:
            message = f"{broken[0]} breaks what was declared: {promise}. It is not written; please report this."
            raise PromiseError(message)


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
