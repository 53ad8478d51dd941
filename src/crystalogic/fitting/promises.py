"""What was declared, as promises that are proved of a model before anyone gets it.

Whatever is declared is kept by every move of a search; here nothing is taken on trust. A promise is first shown by the
form of the formula, which is a proof for all rows. A direction of the chosen rule is then put to it as a question, too,
the one that `ask monotone` asks: form and question share no code. What neither shows is not offered.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from crystalogic.crystal import Crystal
from crystalogic.errors import DomainError, PromiseError
from crystalogic.logic.formula import Formula
from crystalogic.logic.signs import signs
from crystalogic.model import Model
from crystalogic.verify.questions import Verdict

if TYPE_CHECKING:
    from crystalogic.search import Candidate, Front

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
    """A truth value stands in every formula, also where it changes nothing."""

    name: str

    def __str__(self) -> str:
        return f"{self.name!r} is used"


@dataclass(frozen=True)
class AtMost:
    """A formula has no more literals, or its network no more neurons."""

    most: int
    what: Literal["literals", "neurons"]

    def __str__(self) -> str:
        return f"at most {self.most} {self.what}"


Promise = Direction | Unused | Used | AtMost


def _goes_one_way(promise: Direction, formula: Formula, _: Crystal) -> bool:
    """Each truth value rises or falls with its column, and occurs only with the sign that turns this the right way."""
    found = signs(formula)
    return all(found.get(name, frozenset()) <= {sign} for name, sign in promise.allowed.items())


def _is_absent(promise: Unused, formula: Formula, crystal: Crystal) -> bool:
    return promise.literals.isdisjoint(formula.variables) and promise.literals.isdisjoint(crystal.narrowed().inputs)


def _is_present(promise: Used, formula: Formula, _: Crystal) -> bool:
    return promise.name in formula.variables


def _is_small(promise: AtMost, formula: Formula, crystal: Crystal) -> bool:
    return (formula.size if promise.what == "literals" else len(crystal.live)) <= promise.most


PROOFS: dict[type, Callable[[Any, Formula, Crystal], bool]] = {
    Direction: _goes_one_way,
    Unused: _is_absent,
    Used: _is_present,
    AtMost: _is_small,
}


def is_kept(promise: Promise, formula: Formula, crystal: Crystal) -> bool:
    """Whether the form of a formula and its network, which has one output, shows that the promise is kept."""
    return PROOFS[type(promise)](promise, formula, crystal)


def kept(front: "Front", read: Callable[["Candidate"], Formula], promises: Sequence[Promise]) -> "Front":
    """The front with the candidates that keep every promise; where the chosen one does not, the next shorter is.

    `read` gives the formula of a candidate. A PromiseError if none is left.
    """
    broken = {
        index: promise
        for index, each in enumerate(front.candidates)
        for promise in promises
        if not is_kept(promise, read(each), each.crystal)
    }
    if not broken:
        return front
    left = [index for index in range(len(front.candidates)) if index not in broken]
    if not left:
        message = f"no formula was found of which this is proved: {next(iter(broken.values()))}. Declare less."
        raise PromiseError(message)
    chosen = max((index for index in left if index <= front.chosen_index), default=left[0])
    reason = front.reason if chosen == front.chosen_index else "the longest of which all that was declared is proved"
    return replace(
        front,
        candidates=tuple(front.candidates[index] for index in left),
        chosen_index=left.index(chosen),
        reason=reason,
    )


def refuse_broken(model: Model, promises: Iterable[Promise]) -> None:
    """A PromiseError if the form of a finished rule does not show what was promised, or a question refutes it."""
    parts = [replace(model.crystal, outputs=(output,)) for output in model.crystal.outputs]
    for promise in promises:
        is_shown = all(is_kept(promise, *each) for each in zip(model.formulas, parts, strict=True))
        if not is_shown or (isinstance(promise, Direction) and _answer(model, promise) is Verdict.REFUTED):
            message = f"{model} breaks what was declared: {promise}. It is not written; please report this."
            raise PromiseError(message)


def _answer(model: Model, promise: Direction) -> Verdict:
    """What `ask monotone` finds; undecided for a column whose values have no order for it, such as false and true."""
    from crystalogic.audit.monotone import monotone

    is_falling = promise.sign < 0
    try:
        if any(column.name == promise.name for column in model.encoding.columns):
            return monotone(model, promise.name, of="degree", decreasing=is_falling, seconds=SECONDS).verdict
        return monotone(model.formulas[0], promise.name, decreasing=is_falling, seconds=SECONDS).verdict
    except DomainError:
        return Verdict.UNDECIDED
