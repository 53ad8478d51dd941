"""What a report asks of every model, and of the rows that it shows."""

import re
from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction

from crystalogic.audit.counterfactual import counterfactual, sufficient_reason
from crystalogic.audit.monotone import ignores, monotone
from crystalogic.audit.scope import scope_of
from crystalogic.model import Explanation, Model
from crystalogic.verify.questions import Answer, Verdict

MOST_COLUMNS = 12  # that are asked about
LONG_FRACTION = re.compile(r"-?\b\d+/[1-9]\d{4,}\b")


def round_fractions(text: str) -> str:
    """The text with fractions that are too long to be read as decimals, marked as rounded.

    >>> round_fractions("change x from 1/3 to 3050513207599405553/3539829307113209856")
    'change x from 1/3 to ~0.861768'
    """
    return LONG_FRACTION.sub(lambda found: f"~{float(Fraction(found[0])):.6g}", text)


def model_proofs(model: Model, seconds: float) -> list[Answer]:
    """What is asked of every model: in which direction each column works, and whether it matters at all."""
    scope = scope_of(model).only(model.columns)
    columns = model.columns[:MOST_COLUMNS]
    ordered = [column for column in columns if scope.field(column).is_ordered and len(model.formulas) == 1]
    directions = [_direction(model, column, seconds) for column in ordered]
    return [*directions, *(_difference(model, column, seconds) for column in columns)]


def _direction(model: Model, column: str, seconds: float) -> Answer:
    """That the answer rises with a column, or that it falls where that is what can be proved."""
    rising = monotone(model, column, seconds=seconds)
    if rising.verdict is not Verdict.PROVED:
        falling = monotone(model, column, decreasing=True, seconds=seconds)
        return falling if falling.verdict is Verdict.PROVED else rising
    return rising


def _difference(model: Model, column: str, seconds: float) -> Answer:
    """That a column makes no difference, or that it does: the rows that refute the one prove the other."""
    found = ignores(model, column, seconds=seconds)
    if found.verdict is not Verdict.REFUTED:
        return found
    claim = f"{column} makes a difference to {model.target}"
    return replace(
        found, verdict=Verdict.PROVED, claim=claim, reason="two rows differ in it alone and get different answers"
    )


def row_proofs(found: Explanation, whole: Collection[str], seconds: float) -> list[Answer]:
    """What is asked of a row: which facts alone decide it, and the least change for another class.

    Columns in `whole` are taken to hold whole numbers, so that no answer is a fraction that nobody could measure.
    """
    model = found.model
    if model.classes is None or not model.columns or not seconds:
        return []
    scope = scope_of(model, whole=whole)
    return [ask(model, found.row, scope=scope, seconds=seconds) for ask in (sufficient_reason, counterfactual)]
