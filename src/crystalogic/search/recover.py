"""Recover the formula behind a truth table: take it apart, or grow a network until it is exact."""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import NOTHING
from crystalogic.crystal import Crystal, Neuron
from crystalogic.logic.formula import Formula
from crystalogic.progress import Callback, Clock, Stop
from crystalogic.search.decompose import decompose
from crystalogic.search.engine import anneal_lanes, first_state, unit
from crystalogic.search.pool import Pool
from crystalogic.search.table import Rows, make_rows

SAMPLE = 1000  # rows searched at first; rows that the result gets wrong are added


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
        lines = [str(self.formula), self.stop.value, self.obstacle]
        return "\n".join(line for line in lines if line is not None)


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
    from crystalogic.symbolic.extract import extract

    rows = make_rows(X, y, names, None, is_class=False)
    clock = Clock(time_budget, callback)
    clock.total = restarts + 1
    used = np.random.default_rng(seed).permutation(rows.n_rows)[:SAMPLE]
    best: Crystal | None = None
    try:
        with clock.part():
            best = _grow(rows, used, seed, max_literals, restarts, clock)
    except KeyboardInterrupt:
        clock.stop = Stop.INTERRUPTED
    if best is None:
        best = Crystal(rows.names, [Neuron([], [], int(rows.target.mean() > rows.one / 2))], [len(rows.names)])
    largest = float(_errors(rows, best).max())
    is_exact = largest < 1e-6
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
    exact = rows.features.T.astype(np.float64) / rows.one
    return np.abs(crystal.run_rows(exact)[:, 0] - rows.target / rows.one)


def _grow(rows: Rows, used: Array, seed: int, max_literals: int, restarts: int, clock: Clock) -> Crystal | None:
    from crystalogic.symbolic.extract import encode

    best, least = None, np.inf
    is_lattice = rows.one > 1 or bool((rows.features == np.rint(rows.features)).all())
    for _ in range(5):  # a formula exact on the sample, and wrong elsewhere, puts those rows into the sample
        sample = rows.take(used)
        one, most = int(rows.one), min(6, max_literals)
        formula = decompose(sample.features, sample.target, one, rows.names, most) if is_lattice else None
        clock.tick("taken apart")
        if formula is not None:
            found: Crystal | None = encode(formula).over(rows.names)
        else:
            found = _annealed(sample, seed, max_literals, restarts, clock)
        if found is None:
            return best
        errors = _errors(rows, found)
        if errors.sum() < least:
            best, least = found, float(errors.sum())
        missed = np.flatnonzero(errors > 1e-6)
        if not len(missed) or clock.is_over() or not len(np.setdiff1d(missed, used)):
            return best
        used = np.union1d(used, missed[:SAMPLE])
    return best


def _annealed(rows: Rows, seed: int, max_literals: int, restarts: int, clock: Clock) -> Crystal | None:
    """Restart after restart, the network growing from three neurons to twelve, until one is exact on the rows."""
    settings = Annealing(max_literals=max_literals)
    pool = Pool(rows, settings, NOTHING)
    for turn in range(restarts):
        if clock.is_over():
            break
        state = first_state(rows, NOTHING, min(12, 6 + turn // 4), turn)
        moves = 60_000 if turn % 4 else 200_000
        anneal_lanes(pool, state, settings, NOTHING, moves, 0.1 * unit(rows), seed * 1013 + turn)
        clock.tick("restart")
        if pool.front() and pool.front()[-1][1] < 0.05 and _errors(rows, pool.front()[-1][2]).max() < 1e-6:
            break
    return pool.front()[-1][2] if pool.front() else None
