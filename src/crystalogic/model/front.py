"""The front of a fit: the best formula of each size, with its scores."""

from dataclasses import dataclass
from typing import Any

from crystalogic.untrusted import each, number, perhaps, table, whole
from crystalogic.untrusted import text as text_of


@dataclass(frozen=True)
class FrontRow:
    """One line of the front: a formula of this size, and how good it is on training rows, seen and held out."""

    size: int
    n_neurons: int
    training: float
    validated: float | None
    standard_error: float | None
    formula: str


def read_front(value: Any, what: str) -> tuple[FrontRow, ...]:
    return each(_read_row, value, what)


def _read_row(value: Any, what: str) -> FrontRow:
    row = FrontRow(**table(value, what))
    whole(row.size, what)
    whole(row.n_neurons, what)
    number(row.training, what)
    perhaps(number, row.validated, what)
    perhaps(number, row.standard_error, what)
    text_of(row.formula, what)
    return row
