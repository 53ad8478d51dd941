"""Fill a front: the best crystal found for each number of literals, on one set of rows.

Boolean features run on bit planes (`bit_search`), truth degrees on float lanes (`lanes`). The price of a literal is
not one number: restarts run along a ladder of prices, from a fraction of a row to a fiftieth of all that there is to
gain, and the temperature follows the price.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.progress import Clock
from crystalogic.search import bit_search, bit_sweep, bits, lanes
from crystalogic.search.knowledge import FALL, RISE, Knowledge, keeps_to
from crystalogic.search.prune import prune
from crystalogic.search.rows import Rows, RowTargets
from crystalogic.search.states import (
    bits_to_crystal,
    crystal_to_bits,
    crystal_to_lanes,
    lanes_to_crystal,
    over,
    size_of,
)
from crystalogic.search.strategy import Annealing

Array = NDArray[Any]


@dataclass(frozen=True)
class Effort:
    """How much work one front is worth."""

    rungs: int  # of the ladder of prices
    attempts: int  # to invent a neuron
    alone: int  # moves for a new neuron
    together: int  # moves for all neurons

    def scaled(self, factor: float) -> "Effort":
        """The same, with the moves times a factor."""
        rungs = max(1, round(self.rungs * min(factor, 4)))
        return Effort(rungs, self.attempts, max(50, int(self.alone * factor)), max(200, int(self.together * factor)))

    def on_small(self, rows: Rows) -> "Effort":
        """The same with up to twice the moves where a move is cheap."""
        factor = max(1.0, min(2.0, 1200 / (rows.n_rows * len(rows.names) ** 0.5)))
        return Effort(self.rungs, self.attempts, int(self.alone * factor), int(self.together * factor))


FULL = Effort(rungs=4, attempts=4, alone=3000, together=30_000)
FOLD = Effort(rungs=2, attempts=2, alone=1000, together=6000)
SHORT = Effort(rungs=1, attempts=2, alone=1000, together=6000)  # a fold in which only short formulas are asked for


class Pool:
    """The best crystal of each size, by loss, among those that keep what was declared: the door of every engine."""

    def __init__(self, rows: Rows, settings: Annealing, knowledge: Knowledge) -> None:
        self.rows, self.settings, self.knowledge = rows, settings, knowledge
        self.loss = np.full(settings.max_literals + 1, np.inf)
        self.crystals: list[Crystal | None] = [None] * (settings.max_literals + 1)

    def offer(self, size: int, loss: float, crystal: Crystal) -> None:
        """Keep the crystal if it is permitted, and better than the one of its size."""
        is_better = size < len(self.loss) and loss < self.loss[size] - 1e-9
        if is_better and is_permitted(crystal, self.settings, self.knowledge):
            self.loss[size], self.crystals[size] = loss, crystal

    def judge(self, crystal: Crystal) -> None:
        """Offer a crystal that was found elsewhere, with what it loses here."""
        loss = float(self.rows.weight @ lost(crystal, self.rows, share_of(self.rows, self.settings)))
        self.offer(size_of(crystal), loss + bit_search.TIE * len(crystal.live), crystal)

    def front(self) -> list[tuple[int, float, Crystal]]:
        """(literals, loss, crystal), each better than every shorter one by more than what its neurons cost."""
        kept: list[tuple[int, float, Crystal]] = []
        for size, (loss, crystal) in enumerate(zip(self.loss, self.crystals, strict=True)):
            if crystal is not None and (not kept or loss < kept[-1][1] - 0.02):
                kept.append((size, float(loss), crystal))
        return kept


def fill(
    rows: Rows,
    settings: Annealing,
    knowledge: Knowledge,
    effort: Effort,
    seed: int,
    clock: Clock,
    starts: Iterable[Crystal] = (),
) -> Pool:
    """The pool of best crystals on these rows; what is there is kept when the clock says stop."""
    pool = Pool(rows, settings, knowledge)
    effort = effort.scaled(settings.effort).on_small(rows)
    if has_bits(rows, knowledge):
        _fill_bits(pool, settings, knowledge, effort, seed, clock)
    begin = list(starts)
    for crystal in begin:
        pool.judge(over(crystal, rows.names))
    if len(rows.boolean) < len(rows.names) or not rows.is_boolean_target or begin or not pool.front():
        _fill_lanes(pool, settings, knowledge, effort, seed, clock, begin)
    return pool


def has_bits(rows: Rows, knowledge: Knowledge) -> bool:
    """Whether bit planes can hold what is searched for: Boolean features, all that are required among them."""
    return rows.is_boolean_target and len(rows.boolean) > 0 and set(knowledge.needed(rows.names)) <= set(rows.boolean)


def prices(rows: Rows, rungs: int) -> list[float]:
    """The ladder: from 0.3 rows up to a fiftieth of the baseline, or one row where that is less."""
    high = max(1.0, rows.baseline / 50)
    if rungs == 1:
        return [(0.3 * high) ** 0.5]
    return [0.3 * (high / 0.3) ** (rung / (rungs - 1)) for rung in range(rungs)]


class BitTable:
    """Boolean rows packed for the bit kernels, with the permitted literals and a front of states."""

    def __init__(self, rows: Rows, settings: Annealing, knowledge: Knowledge) -> None:
        self.rows = rows
        self.words = rows.words()
        bits_of = knowledge.permitted(rows.names)[rows.boolean]
        permitted = np.empty(2 * len(bits_of), bool)
        permitted[0::2], permitted[1::2] = bits_of & RISE > 0, bits_of & FALL > 0
        place = {int(column): index for index, column in enumerate(rows.boolean)}
        required = np.array([place[i] for i in knowledge.needed(rows.names)], np.int16)
        self.bounds = bits.Bounds(np.flatnonzero(permitted).astype(np.int16), permitted, required)
        self.n, width = settings.max_neurons, bits.FIRST + bits.MOST
        states = np.zeros((settings.max_literals + 1, self.n + 1, width), np.int16)
        self.front = bits.Best(states, np.full(settings.max_literals + 1, np.inf))

    def start(self) -> Array:
        """No neuron, or one for each required feature, shared where there are more of these."""
        start = np.zeros(self.front.states.shape[1:], np.int16)
        start[self.n, bits.THRESHOLD] = 1
        for j, feature in enumerate(self.bounds.required):
            literal = _likelier(self.rows, int(self.rows.boolean[feature])) + 2 * int(feature)
            neuron = start[j % self.n]
            neuron[bits.THRESHOLD] = 1
            if not bits.put(neuron, j // self.n, literal, self.bounds):
                bits.put(neuron, j // self.n, literal ^ 1, self.bounds)
        return start

    def sweep(self, pool: Pool, clock: Clock) -> None:
        """Make the front locally best, as long as there is time, and offer it to the pool."""
        bit_sweep.sweep(self.words, self.bounds, self.front, 20, clock.is_over)
        for size in np.flatnonzero(np.isfinite(self.front.loss)):
            crystal = bits_to_crystal(self.front.states[size], self.rows.boolean, self.rows.names)
            pool.offer(int(size), float(self.front.loss[size]), crystal)


def _fill_bits(pool: Pool, settings: Annealing, knowledge: Knowledge, effort: Effort, seed: int, clock: Clock) -> None:
    table = BitTable(pool.rows, settings, knowledge)
    if not len(table.bounds.literals):
        return
    ladder, start = prices(pool.rows, effort.rungs), table.start()
    for rung, price in enumerate([*ladder, *[1.0] * effort.rungs]):
        is_clean = table.front.loss.min() < 0.05  # without an error left, all that remains is to say it shorter
        if clock.is_over() or (rung >= len(ladder) and not is_clean):
            break
        moves, heat = (effort.alone, effort.together, effort.attempts), bits.heat_of(price)
        given = (table.words, table.bounds, start, table.front, moves, heat, rung % 3, seed * 1009 + rung)
        bit_search.grow(*given, clock.is_over)
    table.sweep(pool, clock)


def _polish_bits(
    pool: Pool, settings: Annealing, knowledge: Knowledge, effort: Effort, seed: int, clock: Clock
) -> None:
    """Anneal the crystals of the pool on bit planes, where their shape allows it."""
    table = BitTable(pool.rows, settings, knowledge)
    random = np.array([2 * seed + 1], np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    found = [crystal_to_bits(each, pool.rows.boolean, table.n) for _, _, each in pool.front()]
    begun = [state for state in found if state is not None]
    for rung, price in enumerate(prices(pool.rows, effort.rungs)):
        for state in begun[rung :: max(1, len(begun) // 4)]:
            if clock.is_over():
                return
            given = (table.words, table.bounds, state.copy(), table.front, effort.together, bits.heat_of(price))
            bit_search.anneal(*given, random)
    if begun:
        table.sweep(pool, clock)


def _likelier(rows: Rows, column: int) -> int:
    """0 when the feature goes with the target, 1 when against it."""
    values = rows.features[column]
    return int(((values - values.mean()) * (rows.target - rows.target.mean()) * rows.weight).sum() < 0)


def _fill_lanes(
    pool: Pool,
    settings: Annealing,
    knowledge: Knowledge,
    effort: Effort,
    seed: int,
    clock: Clock,
    starts: list[Crystal],
) -> None:
    rows = pool.rows
    found = [crystal for _, _, crystal in pool.front()]
    begin: list[Crystal | None] = [*starts, *found[1 : 2 * effort.rungs : 2]] or [None] * effort.rungs
    ladder = prices(rows, effort.rungs) if rows.cut else [0.1 * unit(rows), 0.5 * unit(rows)]
    for rung, price in enumerate(ladder):
        for turn, crystal in enumerate(begin):
            if clock.is_over():
                return
            if crystal is None:
                state = first_state(rows, knowledge, settings.max_neurons, rung + turn)
            else:
                state = crystal_to_lanes(crystal, rows.names, max(2, settings.max_neurons - len(crystal.live)))
            anneal_lanes(pool, state, settings, knowledge, effort.together, price, seed * 1013 + 31 * rung + turn)


def fill_from(
    crystal: Crystal, rows: Rows, settings: Annealing, knowledge: Knowledge, effort: Effort, seed: int, clock: Clock
) -> Pool:
    """The pool of crystals reached by annealing from this one, pruned."""
    pool = Pool(rows, settings, knowledge)
    effort = effort.scaled(settings.effort)
    n_rounds = 3
    for turn in range(n_rounds):
        for rung, price in enumerate(prices(rows, effort.rungs) if rows.cut else [0.1 * unit(rows), 0.5 * unit(rows)]):
            if clock.is_over():
                break
            front = pool.front()
            begin = (
                crystal if turn == 0 or not front else front[min(len(front) - 1, rung * len(front) // effort.rungs)][2]
            )
            state = crystal_to_lanes(begin, rows.names, max(4, settings.max_neurons - len(begin.live)))
            anneal_lanes(
                pool, state, settings, knowledge, 2 * effort.together, price, seed * 1013 + 31 * rung + 997 * turn
            )
    if len(rows.boolean) == len(rows.names) and rows.is_boolean_target:
        _polish_bits(pool, settings, knowledge, effort, seed, clock)
    graded = share_of(rows, settings)

    def loss(each: Crystal) -> float:
        return float(rows.weight @ lost(each, rows, graded))

    def accept(each: Crystal) -> bool:
        return size_of(each) > 0 and is_permitted(each, settings, knowledge)

    for size, _, each in [*pool.front(), *([] if pool.front() else [(size_of(crystal), 0.0, crystal)])]:
        if not clock.is_over():
            shorter = prune(each, loss, accept)
            if size_of(shorter) < size:
                pool.judge(shorter)
    return pool


def is_permitted(crystal: Crystal, settings: Annealing, knowledge: Knowledge) -> bool:
    """Whether a crystal may be offered: it is small enough, goes against nothing that was declared, and its formula
    has all that is required, which what stands in a neuron without effect is not."""
    if len(crystal.live) > settings.max_neurons or not keeps_to(crystal, knowledge):
        return False
    if not knowledge.required:
        return True
    from crystalogic.symbolic.extract import extract

    return set(knowledge.required) <= set(extract(crystal).formula.variables)


def lost(crystal: Crystal, rows: Rows, graded: float = 0.0) -> Array:
    """What each row loses: the error for truth degrees; for classes 1 on the wrong side of 1/2, mixed with the error.

    `graded` is the share of the error in the mixture.
    """
    return loss_of(rows.degrees(crystal), rows, graded)[:, 0]


def loss_of(degrees: Array, rows: RowTargets, graded: float = 0.0) -> Array:
    """What each row loses with each of its degrees (rows × formulas)."""
    target = (rows.target / np.float32(rows.one))[:, None]
    size = np.abs(degrees - target).astype(np.float64)
    if not rows.cut:
        return size
    return np.asarray((1 - graded) * ((degrees >= 0.5) != (target >= 0.5)) + graded * size)


def share_of(rows: Rows, settings: Annealing) -> float:
    """The share of the graded error in the loss."""
    return float(settings.graded_for(1).graded or 0) if rows.cut else 1.0


def unit(rows: Rows) -> float:
    """The temperature for truth degrees: a fiftieth of what the best constant loses."""
    return max(rows.baseline, 1e-3) / 50


def first_state(rows: Rows, knowledge: Knowledge, n_neurons: int, turn: int) -> Array:
    """One literal, or the required ones, to start from: the feature that goes best with the target, or a next best."""
    goal = rows.target - rows.target.mean()
    centred = rows.features - rows.features.mean(axis=1, keepdims=True)
    strength = np.asarray((centred * (goal * rows.weight)).sum(axis=1))
    permitted = knowledge.permitted(rows.names)
    usable = np.flatnonzero(permitted)
    order = usable[np.argsort(-np.abs(strength[usable]), kind="stable")]
    chosen = list(knowledge.needed(rows.names)) or [order[turn % len(order)]]
    state = np.zeros((n_neurons, lanes.HEAD + 2 * max(12, len(chosen) + 4)), np.int16)
    for feature in chosen:
        sign = 1 if (strength[feature] >= 0 and permitted[feature] & RISE) or not permitted[feature] & FALL else -1
        lanes.link(state[-1], feature, sign, 1 if feature == chosen[0] else 0)
        state[-1, lanes.BIAS] += feature == chosen[0]
    state[-1, lanes.BIAS] = sum(state[-1, lanes.HEAD + 2 * t + 1] < 0 for t in range(len(chosen)))
    return state


def anneal_lanes(
    pool: Pool, state: Array, settings: Annealing, knowledge: Knowledge, moves: int, price: float, seed: int
) -> Array:
    """Anneal one state on float lanes and offer all it saw to the pool; the state it ended in."""
    rows = pool.rows
    front = bits.Best(np.zeros((len(pool.loss), *state.shape), np.int16), pool.loss.copy())
    graded = share_of(rows, settings)
    heat = bits.heat_of(price) if rows.cut else bits.Heat(unit(rows), 0.04 * unit(rows), price)
    given = lanes.Lanes(rows.features, rows.target, rows.weight, rows.one, rows.cut, 1.0 - graded, graded)
    permitted, required = knowledge.permitted(rows.names), knowledge.needed(rows.names)
    lanes.anneal(given, permitted, required, state, front, moves, heat, settings.max_neurons, seed)
    for size in np.flatnonzero(front.loss < pool.loss - 1e-9):
        crystal = lanes_to_crystal(front.states[size], rows.names)
        if size_of(crystal) == size:
            pool.offer(int(size), float(front.loss[size]), crystal)
    return state
