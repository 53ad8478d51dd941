"""Recover the formula behind a truth table: take it apart, or grow a network until it is exact.

A table is taken apart exactly, shortest formulas first, completely for few literals. If t = A ⊕ B, then A ≤ t in every
row, and B is known: t - A where t < 1, at least 1 - A where t = 1. If t = A ⊗ B, then A ≥ t, and dually. So every
formula of up to three literals that fits below (or above) the table leaves an interval for the rest, which is taken
apart in the same way. Few formulas fit in every row, which keeps the search small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array
from crystalogic.candidates import NOTHING
from crystalogic.compiled import nb
from crystalogic.crystal import Crystal, Neuron
from crystalogic.features import Features
from crystalogic.logic.formula import Formula, Variable
from crystalogic.progress import Callback, Clock, Stop
from crystalogic.search.engine import Pool, Rows, anneal, make_rows, make_simplest, unit
from crystalogic.symbolic.extract import encode, extract

SAMPLE = 1000  # rows that are taken apart
EXACT = 1e-6  # an error that is none
OR, AND = 0, 1
LARGEST = 40_000  # tables that a library grows to


@dataclass(frozen=True)
class Recovery:
    """What `recover` found.

    Attributes:
        formula: the formula.
        crystal: the same as a network.
        is_exact: whether it agrees with every row given.
        largest_error: the largest difference to a row.
        stop: why the search ended.
        seconds: how long it took.
        obstacle: why no formula at all is exact on these rows, where that can be seen from them.
    """

    formula: Formula
    crystal: Crystal
    is_exact: bool
    largest_error: float
    stop: Stop
    seconds: float
    obstacle: str | None = None

    def __str__(self) -> str:
        return "\n".join(filter(None, [str(self.formula), self.stop.value, self.obstacle]))


def recover(
    X: ArrayLike,
    y: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    seed: int = 0,
    time_budget: float | None = None,
    max_literals: int = 24,
    restarts: int = 60,
    callback: Callback | None = None,
) -> Recovery:
    """A formula with this truth table, over any Sₙ or [0,1]; `is_exact` says whether every row agrees.

    Tables over Sₙ are first taken apart, which finds the shortest formula of up to six literals; then networks of
    growing size are annealed. Without a time budget the seed alone decides the result.

    >>> from itertools import product
    >>> rows = [[a / 2, b / 2, c / 2] for a, b, c in product(range(3), repeat=3)]
    >>> found = recover(rows, [max(0, a + min(1, 1 - b + c) - 1) for a, b, c in rows], names=["a", "b", "c"])
    >>> print(found)
    a ⊗ (¬b ⊕ c)
    The formula is exact on every row.

    Parameters:
        X: rows × inputs, truth values in [0,1].
        y: the degree of each row.
        names: of the inputs; x0, x1, … unless given.
        seed: the same number gives the same formula.
        time_budget: seconds to search at most; the best formula so far is kept.
        max_literals: no formula longer than this.
        restarts: how many networks are tried at most.
        callback: called with the progress; the search ends if it returns True.
    """
    rows = make_rows(Features.of_rows(X, names), y, is_class=False)
    clock = Clock(time_budget, callback)
    clock.total = restarts + 1
    best: Crystal | None = None
    try:
        with clock.part():
            best = _grow(rows, seed, max_literals, restarts, clock)
    except KeyboardInterrupt:
        clock.stop = Stop.INTERRUPTED
    if best is None:
        best = Crystal(rows.names, [Neuron([], [], int(rows.target.mean() > rows.one / 2))], [len(rows.names)])
    largest = float(_errors(rows, best).max())
    is_exact = largest < EXACT
    obstacle = None if is_exact else _obstacle(np.asarray(X, float), np.asarray(y, float))
    stop = Stop.EXACT if is_exact else clock.stop or Stop.NOT_EXACT
    return Recovery(extract(best).formula, best, is_exact, largest, stop, clock.seconds, obstacle)


def _obstacle(X: Array, y: Array) -> str | None:
    """Why no formula has this table: it gives one degree for one row, and 0 or 1 where all inputs are 0 or 1."""
    first: dict[tuple[float, ...], int] = {}
    for index, inputs in enumerate(map(tuple, X.tolist())):
        earlier = first.setdefault(inputs, index)
        if y[earlier] != y[index]:
            return f"No formula is exact: rows {earlier} and {index} have the same inputs and different degrees."
        if y[index] not in (0, 1) and all(value in (0, 1) for value in inputs):
            return f"No formula is exact: in row {index} all inputs are 0 or 1, and the degree is {y[index]:g}."
    return None


def _errors(rows: Rows, crystal: Crystal) -> Array:
    return np.abs(crystal.run_rows(rows.features.T.astype(np.float64) / rows.one)[:, 0] - rows.target / rows.one)


def _grow(rows: Rows, seed: int, max_literals: int, restarts: int, clock: Clock) -> Crystal | None:
    """Some of the rows taken apart; if no formula is exact on all of them, networks of three to twelve neurons grow."""
    if rows.one > 1 or bool((rows.features == np.rint(rows.features)).all()):
        sample = rows.take(np.random.default_rng(seed).permutation(rows.n_rows)[:SAMPLE])
        formula = decompose(sample.features, sample.target, int(rows.one), rows.names, min(6, max_literals))
        found = None if formula is None else encode(formula).over(rows.names)
        if found is not None and _errors(rows, found).max() < EXACT:
            return found
    clock.tick("taken apart")
    pool = Pool(rows, Annealing(max_literals=max_literals), NOTHING)
    for turn in range(restarts):
        if clock.is_over():
            break
        spare, moves = min(11, 5 + turn // 4), 60_000 if turn % 4 else 200_000
        anneal(pool, make_simplest(rows, NOTHING, turn), spare, moves, 0.1 * unit(rows), seed * 1013 + turn)
        clock.tick("restart")
        front = pool.front()
        if front and front[-1][1] < 0.05 and _errors(rows, front[-1][2]).max() < EXACT:
            break
    return pool.front()[-1][2] if pool.front() else None


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


class Library:
    """All formulas of up to three literals that differ on the rows, the shortest of each, and what is made of them.

    Rows are features × rows, integers times `one`. `ends[s]` counts the formulas of up to s literals; a size that would
    grow too large is left out. Intervals are taken apart until a budget of looks at the library is used up.
    """

    def __init__(self, features: Array, one: int, names: tuple[str, ...], budget: int) -> None:
        self.names, self.one, self.budget = names, one, budget
        self.recipes: list[tuple[int, int, int]] = []  # (connective, left, right), or (literal, -1, -1)
        kept: dict[bytes, Array] = {}

        def offer(table: Array, recipe: tuple[int, int, int]) -> None:
            if kept.setdefault(table.tobytes(), table) is table:
                self.recipes.append(recipe)

        for literal in range(2 * len(features)):
            row = features[literal >> 1]
            offer(one - row if literal & 1 else row, (literal, -1, -1))
        self.ends = [0, len(kept)]
        for shorter in (1, 2):
            if 2 * (self.ends[shorter] - self.ends[shorter - 1]) * self.ends[1] > LARGEST:
                break
            tables = list(kept.values())
            for left in range(self.ends[shorter - 1], self.ends[shorter]):
                for right in range(self.ends[1]):
                    total = tables[left] + tables[right]
                    offer(np.minimum(total, one), (OR, left, right))
                    offer(np.maximum(total - one, 0), (AND, left, right))
            self.ends.append(len(kept))
        self.values = np.array(list(kept.values()))

    def formula(self, index: int) -> Formula:
        """The formula with this number."""
        kind, left, right = self.recipes[index]
        if right < 0:
            return ~Variable(self.names[kind >> 1]) if kind & 1 else Variable(self.names[kind >> 1])
        return _join(kind, self.formula(left), self.formula(right))

    def solve(self, low: Array, high: Array, size: int) -> Formula | None:
        """A formula of exactly this many literals (or the library's shorter equal) between low and high."""
        ends, most = self.ends, len(self.ends) - 1
        if size <= most:
            index = self._next(ends[size - 1], ends[size], low, high)
            return self.formula(index) if index >= 0 else None
        for part in range(1, min(most, size // 2) + 1):
            for kind in (OR, AND):
                bounds = (np.zeros_like(low), high) if kind == OR else (low, np.full_like(high, self.one))
                index = ends[part - 1] - 1
                while self.budget > 0:
                    index = self._next(index + 1, ends[part], *bounds)
                    if index < 0:
                        break
                    rest = self._rest(kind, self.values[index], low, high)
                    other = None if rest is None else self.solve(*rest, size - part)
                    if other is not None:
                        return _join(kind, self.formula(index), other)
        return None

    def _next(self, start: int, stop: int, low: Array, high: Array) -> int:
        self.budget -= 1
        return int(next_within(self.values[:stop], start, low, high))

    def _rest(self, kind: int, part: Array, low: Array, high: Array) -> tuple[Array, Array] | None:
        """What the other side must lie between; None where the part changes nothing."""
        one = self.one
        if kind == OR:
            rest = np.maximum(low - part, 0), np.where(high >= one, one, high - part)
        else:
            rest = np.where(low <= 0, 0, low + one - part), np.minimum(high + one - part, one)
        return None if (rest[0] == low).all() and (rest[1] == high).all() else rest


def _join(kind: int, left: Formula, right: Formula) -> Formula:
    """left ⊕ right, or left ⊗ right."""
    return left | right if kind == OR else left & right


def decompose(
    features: Array, target: Array, one: int, names: tuple[str, ...], max_literals: int = 6, budget: int = 150_000
) -> Formula | None:
    """The shortest formula in ⊗, ⊕ and literals with this truth table (→ is ¬a ⊕ b), or None within the budget."""
    library, goal = Library(features.astype(np.int16), one, names, budget), target.astype(np.int16)
    for size in range(1, max_literals + 1):
        found = library.solve(goal, goal, size)
        if found is not None or library.budget <= 0:
            return found
    return None
