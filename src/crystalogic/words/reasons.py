"""Reasons: the facts that brought a row most of its points. They are what the score counted, and not causes."""

from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import np
from crystalogic.errors import RiskError
from crystalogic.logic.score import score_of
from crystalogic.model import Model, Unknown
from crystalogic.model.rows import evaluate_rows
from crystalogic.words.checklists import counted_lines


@dataclass(frozen=True)
class Reason:
    """A fact of a row that has points; `print` shows it as "ca is not 0 (+2)".

    Attributes:
        words: the fact, as the rule says it.
        part: the part of the formula that it is, as text.
        points: how many points it adds.
    """

    words: str
    part: str
    points: int

    def __str__(self) -> str:
        return f"{self.words} (+{self.points})"


def reasons(model: Model, rows: Any, most: int = 3, *, unknown: Unknown = "refuse") -> list[tuple[Reason, ...]]:
    """For every row the facts that add most points to its score, the most points first.

    Facts with the same points come in the order of the rule; a row that no fact adds to has none. Points speak for the
    class that the formula speaks for. A reason is what the score counted, not a cause.

    Parameters:
        model: a rule that counts facts for one of two classes; a RiskError for others.
        rows: a frame or a mapping from columns to their values.
        most: how many reasons a row has at most.
        unknown: what to do with a value that is missing and was in no training row, as in `Model.degrees`; a row that
            is skipped has no reasons.
    """
    refuse_no_facts(model)
    places = {part: place for place, part in enumerate(score_of(model.formulas[0]).points)}
    holds = evaluate_rows([part.evaluate for part in places], model.encoding, model.names, rows, 0, unknown)
    lines = counted_lines(model.formulas[0], model.encoding.literals, model.encoding.gaps)
    ranked = sorted(lines, key=lambda line: -(line.points or 0))
    told = [(places[line.formula], Reason(line.words, str(line.formula), line.points or 0)) for line in ranked]
    different, which = np.unique(np.nan_to_num(holds) > 0, axis=0, return_inverse=True)
    found = [tuple(reason for place, reason in told if row[place])[: max(most, 0)] for row in different.tolist()]
    return [found[place] for place in which.reshape(-1).tolist()]


def refuse_no_facts(model: Model) -> None:
    """A RiskError unless a model counts facts for one of two classes, so that points are whole and have reasons."""
    if model.classes is None or len(model.formulas) > 1 or model.rounding:
        message = "reasons are told of a rule that counts facts for one of two classes; `explain` shows any rule."
        raise RiskError(message)
