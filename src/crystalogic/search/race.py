"""Race candidates: crystals found on few rows, judged and improved on more, and the neighbours of a chosen one."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.progress import Clock
from crystalogic.search import bit_search, bits
from crystalogic.search.bit_sweep import around
from crystalogic.search.engine import BitTable, Pool, anneal_lanes, has_bits, is_permitted, lost, prices, share_of
from crystalogic.search.knowledge import Knowledge
from crystalogic.search.prune import one_link_less
from crystalogic.search.rows import Rows
from crystalogic.search.states import bits_to_crystal, crystal_to_bits, crystal_to_lanes, size_of
from crystalogic.search.strategy import Annealing

Array = NDArray[Any]
MOVES = 2000  # of each racer on the larger rows
MOST_RACERS = 8  # that move; all are judged
NEAR = 4.0  # standard errors within which a neighbour may still be the better one
MOST_NEIGHBOURS = 48


def race(
    crystals: Iterable[Crystal], rows: Rows, settings: Annealing, knowledge: Knowledge, seed: int, clock: Clock
) -> Pool:
    """The pool of these crystals on other rows, each improved there: annealed a little, then swept."""
    pool = Pool(rows, settings, knowledge)
    for crystal in crystals:
        pool.judge(crystal)
    moving = [crystal for _, _, crystal in pool.front()][-MOST_RACERS:]
    if clock.is_over():
        return pool
    price = prices(rows, 1)[0]
    if has_bits(rows, knowledge):
        table = BitTable(rows, settings, knowledge)
        random = np.array([2 * seed + 1], np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        for _, _, crystal in pool.front():
            state = crystal_to_bits(crystal, rows.boolean, table.n)
            if state is not None:
                moves = MOVES if crystal in moving else 0
                bit_search.anneal(table.words, table.bounds, state, table.front, moves, bits.heat_of(price), random)
        if np.isfinite(table.front.loss).any():
            table.sweep(pool, clock)
    if len(rows.boolean) < len(rows.names) or not rows.is_boolean_target:
        for turn, crystal in enumerate(moving):
            state = crystal_to_lanes(crystal, rows.names, 2)
            anneal_lanes(pool, state, settings, knowledge, MOVES, price, seed * 1013 + turn)
    return pool


def neighbours(crystal: Crystal, rows: Rows, settings: Annealing, knowledge: Knowledge) -> list[Crystal]:
    """The crystals one change away that are no longer and, judging by these rows, may be as good, the best first."""
    size, graded = size_of(crystal), share_of(rows, settings)
    limit = NEAR * float(np.sqrt((rows.weight**2) @ lost(crystal, rows, graded)))
    least = float(rows.weight @ lost(crystal, rows, graded))
    state = crystal_to_bits(crystal, rows.boolean, settings.max_neurons) if rows.is_boolean_target else None
    found: list[tuple[float, int, Crystal]] = []
    if state is not None:
        table = BitTable(rows, settings, knowledge)
        losses, states = around(table.words, table.bounds, state, size, least + limit)
        order = np.argsort(losses, kind="stable")[:MOST_NEIGHBOURS]
        found = [
            (float(losses[i]), index, bits_to_crystal(states[i], rows.boolean, rows.names))
            for index, i in enumerate(order)
        ]
    else:
        for index, each in enumerate(one_link_less(crystal)):
            loss = float(rows.weight @ lost(each, rows, graded))
            if loss <= least + limit and size_of(each):
                found.append((loss, index, each))
    found.sort(key=lambda each: each[:2])
    near = dict.fromkeys(each for _, _, each in found if each != crystal and is_permitted(each, settings, knowledge))
    return list(near)[:MOST_NEIGHBOURS]
