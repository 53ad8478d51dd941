"""What was proved, as plain data for the page: what a report asks of every model, and of the rows that it shows."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from crystalogic.audit.counterfactual import counterfactual
from crystalogic.audit.finding import Finding
from crystalogic.audit.ignores import ignores
from crystalogic.audit.monotone import monotone
from crystalogic.audit.reason import sufficient_reason
from crystalogic.audit.scope import scope_of
from crystalogic.model import Model
from crystalogic.verify.questions import Answer, Verdict

MOST_COLUMNS = 12  # that are asked about
LONG_FRACTION = re.compile(r"-?\b\d+/[1-9]\d{4,}\b")


@dataclass(frozen=True)
class Proof:
    """A claim and what became of it; `details` are further lines, such as the rows that show it."""

    verdict: str  # "proved", "refuted" or "undecided"
    claim: str
    scope: str
    reason: str
    details: Sequence[str] = ()


def proof_of(answer: Answer) -> Proof:
    """An answer for the page.

    >>> from crystalogic.logic.parse import parse
    >>> from crystalogic.verify.questions import entails
    >>> found = proof_of(entails(parse("a ⊗ b"), parse("a")))
    >>> found.verdict, found.claim, found.scope
    ('proved', 'a ⊗ b ≤ a', 'all of [0,1]ⁿ')
    """
    lines = answer.details if isinstance(answer, Finding) else ()
    return Proof(
        answer.verdict.value,
        answer.claim,
        str(answer.scope),
        round_fractions(answer.reason),
        tuple(map(round_fractions, lines)),
    )


def round_fractions(text: str) -> str:
    """The text with fractions that are too long to be read as decimals, marked as rounded.

    >>> round_fractions("change x from 1/3 to 3050513207599405553/3539829307113209856")
    'change x from 1/3 to ~0.861768'
    """
    return LONG_FRACTION.sub(lambda found: f"~{float(Fraction(found[0])):.6g}", text)


def model_proofs(model: Model, seconds: float) -> list[Proof]:
    """What is asked of every model: in which direction each column works, and whether it matters at all."""
    scope = scope_of(model).only(model.columns)
    columns = model.columns[:MOST_COLUMNS]
    ordered = [column for column in columns if scope.field(column).is_ordered and len(model.formulas) == 1]
    directions = [_direction(model, column, seconds) for column in ordered]
    return [*directions, *(_difference(model, column, seconds) for column in columns)]


def _direction(model: Model, column: str, seconds: float) -> Proof:
    """That the answer rises with a column, or that it falls where that is what can be proved."""
    rising = monotone(model, column, seconds=seconds)
    if rising.verdict is not Verdict.PROVED:
        falling = monotone(model, column, decreasing=True, seconds=seconds)
        return proof_of(falling if falling.verdict is Verdict.PROVED else rising)
    return proof_of(rising)


def _difference(model: Model, column: str, seconds: float) -> Proof:
    """That a column makes no difference, or that it does: the rows that refute the one prove the other."""
    found = proof_of(ignores(model, column, seconds=seconds))
    if found.verdict != Verdict.REFUTED.value:
        return found
    claim, reason = (
        f"{column} makes a difference to {model.target}",
        "two rows differ in it alone and get different answers",
    )
    return replace(found, verdict=Verdict.PROVED.value, claim=claim, reason=reason)


def row_proofs(model: Model, row: Mapping[str, Any], whole: Collection[str], seconds: float) -> list[Proof]:
    """What is asked of a row: which facts alone decide it, and the least change for another class.

    Columns in `whole` are taken to hold whole numbers, so that no answer is a fraction that nobody could measure.
    """
    if model.classes is None or not model.columns:
        return []
    scope = scope_of(model, whole=whole)
    return [proof_of(ask(model, row, scope=scope, seconds=seconds)) for ask in (sufficient_reason, counterfactual)]
