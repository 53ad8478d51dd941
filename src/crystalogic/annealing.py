"""The settings of the lattice search."""

from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any

from crystalogic.errors import TrainingDataError, refuse_first

MOST = 15  # neurons of a formula that people read
_LIMITS: dict[str, tuple[type, float, float]] = {
    "max_literals": (Integral, 1, inf),
    "max_neurons": (Integral, 1, MOST),
    "folds": (Integral, 2, inf),
    "repeats": (Integral, 0, inf),
    "standard_errors": (Real, 0, inf),
    "effort": (Real, 1e-9, inf),
    "n_threads": (Integral, 1, inf),
}


@dataclass(frozen=True)
class Annealing:
    """Simulated annealing on the integer lattice. Everything else follows from the data.

    >>> Annealing(max_literals=5).max_literals
    5

    Parameters:
        max_literals: a limit that no formula of the front exceeds.
        max_neurons: the same for neurons.
        folds: of the cross-validation inside the training rows.
        repeats: how often it is done, each time with other folds; 0 for no cross-validation.
        standard_errors: how far below the best cross-validated score the choice may be, for a shorter formula.
        effort: scales the number of restarts.
        n_threads: how many parts run at once; the result does not depend on it.
    """

    max_literals: int = 30
    max_neurons: int = 12
    folds: int = 10
    repeats: int = 1
    standard_errors: float = 1.0
    effort: float = 1.0
    n_threads: int = 1

    def __post_init__(self) -> None:
        for name, (kind, least, most) in _LIMITS.items():
            value: Any = getattr(self, name)
            is_right = isinstance(value, kind) and not isinstance(value, bool)
            limits = f"from {least:g} on" if most == inf else f"from {least:g} to {most:g}"
            wanted = f"a {'whole ' if kind is Integral else ''}number {limits}"
            message = f"the {name!r} parameter of Annealing must be {wanted}. Got {value!r} instead."
            refuse_first(TrainingDataError, {message: not (is_right and least <= value <= most)})
