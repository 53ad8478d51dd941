"""Screen wide tables: a search works on a few hundred features, those that go best with the target.

A feature may matter only beside others. So a first, short search on the strongest features gives formulas, and the
second half of the screen are the features that tell right from wrong among the rows where such a formula holds, or
among those where it does not: conditions to add, and alternatives. Only the rows given are looked at, so that a fold
of a cross-validation screens for itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.search.clock import Clock
from crystalogic.search.engine import SHORT, fill
from crystalogic.search.knowledge import Knowledge
from crystalogic.search.rows import Rows
from crystalogic.search.strategy import Annealing
from crystalogic.search.table import AT_ONCE, Table

Array = NDArray[Any]
WORKING = 512  # features that a search works on
FIRST = WORKING // 2  # of them, those that are strong alone
MOST_FORMULAS = 8  # of the first search, beside which features are screened


def working_rows(
    table: Table, settings: Annealing, knowledge: Knowledge, seed: int, clock: Clock, starts: Sequence[Crystal] = ()
) -> Rows:
    """The rows with the features worth searching: all of them, unless the table is wide."""
    if len(table.features) <= WORKING:
        return table.rows()
    place = {name: index for index, name in enumerate(table.names)}
    may = knowledge.permitted(table.names) > 0
    kept = [place[name] for crystal in starts for name in crystal.inputs] + [place[name] for name in knowledge.required]
    chosen = dict.fromkeys([*kept, *_strongest(table, table.weight, may, FIRST)])
    rows = table.rows(np.sort(np.array(list(chosen))))
    pool = fill(rows, replace(settings, effort=settings.effort / 2), knowledge.within(rows.names), SHORT, seed, clock)
    found = [crystal for _, _, crystal in pool.front()[:MOST_FORMULAS]]
    each = (WORKING - len(chosen)) // max(1, 2 * len(found))
    for crystal in found:
        holds = crystal.run_rows(rows.truth_values())[:, 0] >= 0.5
        for side in (holds, ~holds):
            may[list(chosen)] = False
            chosen |= dict.fromkeys(_strongest(table, table.weight * side, may, each))
    return table.rows(np.sort(np.array(list(chosen))))


def _strongest(table: Table, weight: Array, may: Array, n: int) -> list[int]:
    """The features that go best with the target, with these weights of the rows."""
    strength = np.where(may, correlations(table, weight), -1.0)
    best = np.argsort(-strength, kind="stable")[:n]
    return [int(index) for index in best if strength[index] > 0]


def correlations(table: Table, weight: Array) -> Array:
    """The size of the correlation of each feature with the target, 0 for a feature that does not vary."""
    total = float(weight.sum())
    result = np.zeros(len(table.features))
    if total <= 0:
        return result
    share = (weight / total).astype(np.float32)
    goal = table.target / np.float32(table.one)
    goal = goal - share @ goal
    by_row = np.stack([share, share * goal], axis=1)
    for first in range(0, len(result), AT_ONCE):
        part = np.arange(first, min(first + AT_ONCE, len(result)))
        values = table.features.dense(part)
        mean, covariance = (values @ by_row).T.astype(np.float64)
        variance = (values * values) @ share - mean**2
        result[part] = np.abs(covariance) / np.sqrt(np.maximum(variance, 1e-12))
    return np.round(result, 9) * (result > 1e-6)
