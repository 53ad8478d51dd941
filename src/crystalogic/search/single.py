"""The best single literal, or what is required alone: what is kept where the time was over before a search began."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.candidates.knowledge import FALL, RISE
from crystalogic.crystal import Crystal, Neuron
from crystalogic.search.engine import first_state
from crystalogic.search.lanes import BIAS
from crystalogic.search.pool import Pool, loss_of
from crystalogic.search.states import lanes_to_crystal

CELLS_AT_ONCE = 1 << 22


def offer_simplest(pool: Pool) -> None:
    """Offer what takes no search: "at least k" of what is required, for every k; else the best literal, if it helps."""
    n_required = len(pool.knowledge.required)
    if not n_required:
        return _offer_literal(pool)
    state = first_state(pool.rows, pool.knowledge, 1, 0)
    for _ in range(n_required):
        pool.judge(lanes_to_crystal(state, pool.rows.names))
        state[-1, BIAS] -= 1
    return None


def _offer_literal(pool: Pool) -> None:
    """Offer the literal that loses least, unless a constant loses no more or none is permitted."""
    rows = pool.rows
    columns, permitted = np.arange(len(rows.names)), pool.knowledge.permitted(rows.names)
    best = (float(rows.baseline), -1, False)
    width = max(1, CELLS_AT_ONCE // rows.n_rows)
    for block in np.split(columns, range(width, len(columns), width)):
        values = (rows.features[block] / np.float32(rows.one)).T
        for is_negated, degrees in ((False, values), (True, 1 - values)):
            losses: NDArray[Any] = rows.weight @ loss_of(degrees, rows)
            losses[permitted[block] & (FALL if is_negated else RISE) == 0] = np.inf
            place = int(np.argmin(losses))
            best = min(best, (float(losses[place]), int(block[place]), is_negated))
    loss, column, is_negated = best
    if column >= 0:
        neuron = Neuron([column], [-1 if is_negated else 1], int(is_negated))
        pool.offer(1, loss, Crystal(rows.names, [neuron], [len(rows.names)]))
