"""λ-similarity: how close two functions are over Sₙ (Eq. 6 of the paper)."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crystalogic.logic.evaluate import lattice_degrees, lattice_rows
from crystalogic.logic.formula import Formula

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ROWS = 200_000
SAMPLED_ROWS = 100_000


@dataclass(frozen=True)
class Similarity:
    """λ = exp(-MAE) over `n_rows` rows of Sₙ: all of them, or a sample with a fixed seed.

    λ is 1 for equal functions and never below 1/e, since the mean absolute error of truth degrees is at most 1.
    """

    n: int
    n_rows: int
    is_exhaustive: bool
    mean_absolute_error: float

    @property
    def value(self) -> float:
        return math.exp(-self.mean_absolute_error)


def similarity(left: Formula, right: Formula, n: int = 4) -> Similarity:
    """The λ between two formulas over Sₙ: exp(-mean absolute difference), 1 where they are equal.

    >>> from crystalogic.logic.parse import parse
    >>> round(similarity(parse("a ⊗ b"), parse("a ∧ b"), 4).value, 3)
    0.905

    Parameters:
        left: a formula.
        right: another one.
        n: the n of Sₙ; where its rows are too many, a fixed sample of them is taken, and the result says so.
    """
    names = tuple(dict.fromkeys((*left.variables, *right.variables)))
    rows, is_exhaustive = lattice_sample(names, n)
    gap = abs(lattice_degrees(left, rows, n) - lattice_degrees(right, rows, n))
    n_rows = len(next(iter(rows.values()))) if rows else 1
    return Similarity(n, n_rows, is_exhaustive, float(gap.mean()) / n)


def lattice_sample(names: tuple[str, ...], n: int) -> "tuple[dict[str, NDArray[Any]], bool]":
    """All rows of Sₙ where they are few, otherwise a sample with a fixed seed; and whether they are all."""
    import numpy as np

    if (n + 1) ** len(names) <= MOST_ROWS:
        return lattice_rows(names, n), True
    random = np.random.default_rng(0)
    return {name: random.integers(0, n + 1, SAMPLED_ROWS) for name in names}, False
