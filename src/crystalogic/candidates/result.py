"""What a search gives back."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.candidates.front import Front
from crystalogic.candidates.knowledge import Knowledge
from crystalogic.crystal import Crystal
from crystalogic.decision import classes_of
from crystalogic.errors import CrystalError
from crystalogic.logic.formula import Formula
from crystalogic.progress import Stop


@dataclass(frozen=True)
class SearchResult:
    """The chosen crystal with one output for each front, why the search ended, and the knowledge it respected.

    `classes` is None for truth degrees. With two classes the one formula speaks for the second. `order` lists the
    classes: the first of them wins a tie between the largest degrees.
    """

    crystal: Crystal
    fronts: tuple[Front, ...]
    classes: tuple[Hashable, ...] | None
    knowledge: Knowledge
    stop: Stop
    seconds: float
    order: tuple[int, ...] = ()

    @property
    def front(self) -> Front:
        """The front of a search with one formula."""
        if len(self.fronts) != 1:
            message = f"there are {len(self.fronts)} fronts, one for each class; take one of `fronts`."
            raise CrystalError(message)
        return self.fronts[0]

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """The exact formulas of the outputs."""
        from crystalogic.symbolic.extract import extract

        return extract(self.crystal).formulas

    @property
    def formula(self) -> Formula:
        """The exact formula of a search with one output."""
        if len(self.formulas) != 1:
            message = f"there are {len(self.formulas)} formulas, one for each class; take one of `formulas`."
            raise CrystalError(message)
        return self.formulas[0]

    def predict(self, X: ArrayLike) -> Array:
        """The class of each row (`decision`), or its degree where there are no classes; a model decides exactly."""
        degrees = self.crystal.run_rows(np.asarray(X, dtype=np.float64))
        if self.classes is None:
            return np.asarray(degrees[:, 0])
        return np.asarray(np.array(self.classes)[classes_of(degrees, self.order)])
