"""The settings of the lattice search."""

from dataclasses import dataclass, fields
from numbers import Integral, Real

from crystalogic.errors import TrainingDataError

MOST = 15  # neurons of a formula that people read
_WHOLE = ("max_literals", "max_neurons", "folds", "repeats", "n_threads")


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
        graded: the share of the loss that is the size of the error rather than the error itself.
        n_threads: how many parts run at once; the result does not depend on it.
    """

    max_literals: int = 30
    max_neurons: int = 12
    folds: int = 10
    repeats: int = 1
    standard_errors: float = 1.0
    effort: float = 1.0
    graded: float = 0.1
    n_threads: int = 1

    def __post_init__(self) -> None:
        for each in fields(self):
            value, kind = getattr(self, each.name), Integral if each.name in _WHOLE else Real
            if isinstance(value, bool) or not isinstance(value, kind):
                wanted = "a whole number" if each.name in _WHOLE else "a number"
                message = f"the {each.name!r} parameter of Annealing must be {wanted}. Got {value!r} instead."
                raise TrainingDataError(message)
        checks = {
            "max_literals": (self.max_literals >= 1, "at least 1"),
            "max_neurons": (1 <= self.max_neurons <= MOST, f"between 1 and {MOST}"),
            "folds": (self.folds >= 2, "at least 2"),
            "repeats": (self.repeats >= 0, "at least 0"),
            "standard_errors": (self.standard_errors >= 0, "at least 0"),
            "effort": (self.effort > 0, "positive"),
            "graded": (0 <= self.graded <= 1, "between 0 and 1"),
            "n_threads": (self.n_threads >= 1, "at least 1"),
        }
        for name, (holds, wanted) in checks.items():
            if not holds:
                message = f"the {name!r} parameter of Annealing must be {wanted}. Got {getattr(self, name)!r} instead."
                raise TrainingDataError(message)
