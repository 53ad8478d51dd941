"""The fronts of a model for people: one for each formula, or one of whole lists where these were learned together."""

from collections.abc import Sequence
from dataclasses import dataclass

from crystalogic.logic.formula import Constant, Formula
from crystalogic.logic.names import one_line
from crystalogic.model import FrontRow, Label, Model


@dataclass(frozen=True)
class ListRow:
    """A list of a joint front: its literals, its scores, and its formulas in a line."""

    size: int
    training: float
    validated: float | None
    standard_error: float | None
    formula: str


@dataclass(frozen=True)
class ShownFront:
    """A front, the row that was chosen, the class it is for, if it is for one of several, and why it was chosen."""

    rows: Sequence[FrontRow | ListRow]
    chosen: int
    label: str | None
    reason: str


def shown_fronts(model: Model) -> list[ShownFront]:
    """The fronts that have rows."""
    reasons = dict(enumerate(model.record.choice))
    if model.has_joint_front:
        rows = [_list_row(model, row) for row in zip(*model.fronts, strict=True)]
        return [ShownFront(rows, model.chosen[0], None, reasons.get(0, ""))]
    several = len(model.fronts) > 1
    return [
        ShownFront(
            front, chosen, str(model.classes[index]) if several and model.classes else None, reasons.get(index, "")
        )
        for index, (front, chosen) in enumerate(zip(model.fronts, model.chosen, strict=True))
        if front
    ]


def _list_row(model: Model, row: Sequence[FrontRow]) -> ListRow:
    one = row[0]
    pairs = rules_in_order(model, [each.formula for each in row])
    formula = "; ".join(f"{one_line(label)}: {formula}" for label, formula in pairs)
    return ListRow(
        model.count_literals([each.size for each in row]), one.training, one.validated, one.standard_error, formula
    )


def rules_in_order(model: Model, formulas: Sequence[Formula] | None = None) -> list[tuple[Label, Formula]]:
    """The classes of a list that can be decided for, each with its formula, in the order in which they are tried.

    The last of them has the formula 1.
    """
    formulas = model.formulas if formulas is None else formulas
    found: list[tuple[Label, Formula]] = []
    for place in model.order:
        if formulas[place] != Constant(0) and model.classes is not None:
            found.append((model.classes[place], formulas[place]))
        if formulas[place] == Constant(1):
            break
    return found
