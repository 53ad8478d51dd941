"""What was proved, as plain data for the page: the claim, the verdict, the scope and how."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from crystalogic.verify.certificate import CLAIM, Certificate


class Answered(Protocol):
    """An answer of any kind that prints as verdict and claim, scope, reason, and what else there is to say."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Proof:
    """A claim and what became of it; `details` are further lines, such as the rows that show it."""

    verdict: str  # "proved", "refuted" or "undecided"
    claim: str
    scope: str
    reason: str
    details: Sequence[str] = ()


def proof_of(answer: Answered) -> Proof:
    """An answer for the page.

    >>> from crystalogic.logic.parse import parse
    >>> from crystalogic.verify.questions import entails
    >>> proof_of(entails(parse("a ⊗ b"), parse("a")))
    Proof(verdict='proved', claim='a ⊗ b ≤ a', scope='all of [0,1]ⁿ', reason='no row of the scope contradicts it (z3)', details=())
    """  # noqa: E501
    first, scope, reason, *details = str(answer).split("\n")
    verdict, _, claim = first.partition(": ")
    return Proof(verdict, claim, scope.removeprefix("scope: "), reason, tuple(details))


def certified(certificate: Certificate) -> Proof:
    """The certificate of a model for the page; it is checked by whoever calls."""
    _, scope, how = str(certificate).split("\n")
    return Proof("proved", CLAIM, scope.removeprefix("Scope: ").rstrip("."), how.removeprefix("How: ").rstrip("."))
