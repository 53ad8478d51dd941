"""Recover a formula by taking its truth table apart: exact, shortest first, complete for few literals.

If t = A ⊕ B, then A ≤ t in every row, and B is known: t - A where t < 1, at least 1 - A where t = 1. If t = A ⊗ B,
then A ≥ t, and dually. So every formula of up to three literals that fits below (or above) the table leaves an interval
for the rest, which is taken apart in the same way. Few formulas fit in every row, which keeps the search small.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crystalogic.arrays import Array
from crystalogic.compiled import nb
from crystalogic.logic.formula import Formula

OR, AND = 0, 1


@nb.njit(cache=True, nogil=True)
def next_within(values: Any, start: int, low: Any, high: Any) -> int:
    """The first table from `start` on with low ≤ table ≤ high in every row, or -1."""
    for index in range(start, values.shape[0]):
        fits = True
        for row in range(values.shape[1]):
            if values[index, row] < low[row] or values[index, row] > high[row]:
                fits = False
                break
        if fits:
            return index
    return -1


@dataclass(frozen=True)
class Library:
    """All formulas of up to three literals that differ on the rows, the shortest of each.

    `ends[s]` counts those of up to s literals.
    """

    names: tuple[str, ...]
    values: Array
    recipes: tuple[tuple[int, int, int], ...]  # (connective, left, right), or (literal, -1, -1)
    ends: tuple[int, ...]

    def formula(self, index: int) -> Formula:
        """The formula with this number."""
        from crystalogic.logic.formula import Variable

        kind, left, right = self.recipes[index]
        if right < 0:
            return ~Variable(self.names[kind >> 1]) if kind & 1 else Variable(self.names[kind >> 1])
        return joined(kind, self.formula(left), self.formula(right))


def joined(kind: int, left: Formula, right: Formula) -> Formula:
    """left ⊕ right, or left ⊗ right."""
    return left | right if kind == OR else left & right


def library(features: Array, one: int, names: tuple[str, ...], largest: int = 40_000) -> Library:
    """The library on these rows (features × rows, integers times `one`), cut off where it would grow too large."""
    kept: list[Array] = []
    recipes: list[tuple[int, int, int]] = []
    seen: set[bytes] = set()
    ends = [0]

    def offer(table: Array, recipe: tuple[int, int, int]) -> None:
        key = table.tobytes()
        if key not in seen:
            seen.add(key)
            kept.append(table)
            recipes.append(recipe)

    for literal in range(2 * len(features)):
        row = features[literal >> 1]
        offer(one - row if literal & 1 else row, (literal, -1, -1))
    ends.append(len(kept))
    for shorter in (1, 2):
        if 2 * (ends[shorter] - ends[shorter - 1]) * ends[1] > largest:
            break
        for left in range(ends[shorter - 1], ends[shorter]):
            for right in range(ends[1]):
                total = kept[left] + kept[right]
                offer(np.minimum(total, one), (OR, left, right))
                offer(np.maximum(total - one, 0), (AND, left, right))
        ends.append(len(kept))
    return Library(names, np.array(kept), tuple(recipes), tuple(ends))


class Decomposer:
    """Takes intervals apart with a library, until a budget of looks at it is used up."""

    def __init__(self, known: Library, one: int, budget: int) -> None:
        self.known, self.one, self.budget = known, one, budget
        self.most = len(known.ends) - 1

    def solve(self, low: Array, high: Array, size: int) -> Formula | None:
        """A formula of exactly this many literals (or the library's shorter equal) between low and high."""
        known, ends = self.known, self.known.ends
        if size <= self.most:
            index = self._next(ends[size - 1], ends[size], low, high)
            return known.formula(index) if index >= 0 else None
        for part in range(1, min(self.most, size // 2) + 1):
            for kind in (OR, AND):
                index = ends[part - 1] - 1
                while self.budget > 0:
                    bounds = (np.zeros_like(low), high) if kind == OR else (low, np.full_like(high, self.one))
                    index = self._next(index + 1, ends[part], *bounds)
                    if index < 0:
                        break
                    rest = self._rest(kind, known.values[index], low, high)
                    if rest is not None:
                        other = self.solve(*rest, size - part)
                        if other is not None:
                            return joined(kind, known.formula(index), other)
        return None

    def _next(self, start: int, stop: int, low: Array, high: Array) -> int:
        self.budget -= 1
        return int(next_within(self.known.values[:stop], start, low, high))

    def _rest(self, kind: int, part: Array, low: Array, high: Array) -> tuple[Array, Array] | None:
        """What the other side must lie between; None where the part changes nothing."""
        one = self.one
        if kind == OR:
            rest = np.maximum(low - part, 0), np.where(high >= one, one, high - part)
        else:
            rest = np.where(low <= 0, 0, low + one - part), np.minimum(high + one - part, one)
        if (rest[0] == low).all() and (rest[1] == high).all():
            return None
        return rest


def decompose(
    features: Array, target: Array, one: int, names: tuple[str, ...], max_literals: int = 6, budget: int = 150_000
) -> Formula | None:
    """The shortest formula in ⊗, ⊕ and literals that has this truth table, or None within the budget.

    Implications and negations are covered: a → b is ¬a ⊕ b, and ¬ moves to the literals.

    >>> x = np.array([[0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2] * 3])
    >>> print(decompose(x, np.minimum(2, 2 - x[0] + x[1]), 2, ("a", "b")))
    ¬a ⊕ b
    """
    known = library(features.astype(np.int16), one, names)
    goal = target.astype(np.int16)
    work = Decomposer(known, one, budget)
    for size in range(1, max_literals + 1):
        found = work.solve(goal, goal, size)
        if found is not None:
            return found
        if work.budget <= 0:
            break
    return None
