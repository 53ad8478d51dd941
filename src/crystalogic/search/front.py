"""The front: the best formula of each size, and the choice among them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.search.states import over

if TYPE_CHECKING:
    from crystalogic.logic.formula import Formula


@dataclass(frozen=True)
class Candidate:
    """A formula of the front: its size, its score on the training rows, and cross-validated with its standard error.

    The score is the accuracy for classes and 1 - mean |error| for truth degrees. `cross_validated` is the score of the
    best formula of at most this size, learned anew without the rows it is judged on; None without cross-validation.
    """

    crystal: Crystal
    n_literals: int
    n_neurons: int
    training: float
    cross_validated: float | None
    standard_error: float | None

    @cached_property
    def formula(self) -> "Formula":
        """The formula of the crystal, exact."""
        from crystalogic.symbolic.extract import extract

        return extract(self.crystal).formula


@dataclass(frozen=True)
class Front:
    """Candidates from the shortest to the longest, each better on the training rows than all before it."""

    candidates: tuple[Candidate, ...]
    chosen_index: int
    reason: str

    @property
    def chosen(self) -> Candidate:
        """The candidate that the rule picked."""
        return self.candidates[self.chosen_index]

    def over(self, names: tuple[str, ...]) -> "Front":
        """The same front with all these names as inputs of its crystals."""
        candidates = [replace(each, crystal=over(each.crystal, names)) for each in self.candidates]
        return replace(self, candidates=tuple(candidates))

    def at_most(self, n_literals: int) -> Candidate:
        """The best candidate with at most this many literals; the shortest where none is that short."""
        short = [candidate for candidate in self.candidates if candidate.n_literals <= n_literals]
        return short[-1] if short else self.candidates[0]

    def __str__(self) -> str:
        lines = ["  literals  neurons  training  cross-validated  formula"]
        for index, each in enumerate(self.candidates):
            mark = "▶" if index == self.chosen_index else " "
            judged = "–" if each.cross_validated is None else f"{each.cross_validated:.3f} ± {each.standard_error:.3f}"
            lines.append(
                f"{mark} {each.n_literals:>8}  {each.n_neurons:>7}  {each.training:>8.3f}  {judged:>15}  {each.formula}"
            )
        return "\n".join(lines)


def mean_and_error(values: NDArray[Any], count: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The mean of each column and its standard error, where each row stands for `count` rows."""
    total = count.sum()
    mean = count @ values / total
    return mean, np.sqrt(count @ (values - mean) ** 2) / total


def choose(
    losses: NDArray[Any],
    standard_errors: float = 1.0,
    constant: float = np.inf,
    count: NDArray[Any] | None = None,
) -> int:
    """The index that the one-standard-error rule picks: the shortest formula that is not clearly worse than the best.

    `losses` holds, for each row and each size in ascending order, what the held-out row lost. "Clearly" is judged on
    the same rows: the mean difference to the best must exceed its own standard error (times `standard_errors`). The
    difference varies less than the losses themselves, so a clause that mends three rows and breaks none is seen.
    A size that a shorter one, or the best constant (its mean loss is `constant`), matches or beats is no candidate.
    `count` says how many rows each row stands for.

    >>> choose(np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]))
    1
    """
    count = np.ones(len(losses)) if count is None else count
    mean, _ = mean_and_error(losses, count)
    best = int(np.argmin(mean))
    for size in range(best):
        if mean[size] >= min([constant, *mean[:size]]):
            continue
        worse, error = mean_and_error(losses[:, size] - losses[:, best], count)
        if worse <= standard_errors * error + 1e-12:
            return size
    return best
