"""The best single literal: what is kept where the time was over before a search began."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal, Neuron
from crystalogic.search.engine import loss_of
from crystalogic.search.knowledge import FALL, RISE, Knowledge
from crystalogic.search.rows import Rows

CELLS_AT_ONCE = 1 << 22


def best_literal(rows: Rows, knowledge: Knowledge) -> tuple[float, Crystal] | None:
    """The loss of the literal that loses least, and its crystal; None if no constant is worse, or none is permitted."""
    needed = knowledge.needed(rows.names)
    columns = np.arange(len(rows.names)) if len(needed) == 0 else needed
    if len(needed) > 1:
        return None
    permitted = knowledge.permitted(rows.names)
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
    if column < 0:
        return None
    neuron = Neuron([column], [-1 if is_negated else 1], int(is_negated))
    return loss, Crystal(rows.names, [neuron], [len(rows.names)])
