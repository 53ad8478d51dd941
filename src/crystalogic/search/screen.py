"""Screen wide tables: a search works on a few hundred features, those that go best with the target.

A feature may matter only beside others. So a first, short search on the strongest features gives formulas, and the
second half of the screen are the features that tell right from wrong among the rows where such a formula holds, or
among those where it does not: conditions to add, and alternatives. Only the rows given are looked at, so that a fold
of a cross-validation screens for itself.
"""

from collections.abc import Sequence
from dataclasses import replace

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import Knowledge
from crystalogic.crystal import Crystal
from crystalogic.features import AT_ONCE
from crystalogic.progress import Clock
from crystalogic.search.engine import SHORT, fill
from crystalogic.search.table import Rows, SearchTable

WORKING = 512  # features that a search works on
FIRST = WORKING // 2  # of them, those that are strong alone
MOST_FORMULAS = 8  # of the first search, beside which features are screened


def working_rows(
    table: SearchTable,
    settings: Annealing,
    knowledge: Knowledge,
    seed: int,
    clock: Clock,
    starts: Sequence[Crystal] = (),
) -> Rows:
    """The rows with the features worth searching: all of them, unless the table is wide."""
    if len(table.features) <= WORKING:
        return table.rows()
    place = {name: index for index, name in enumerate(table.names)}
    may = knowledge.permitted(table.names) > 0
    kept = [place[name] for crystal in starts for name in crystal.inputs] + [place[name] for name in knowledge.required]
    chosen = dict.fromkeys([*kept, *_strongest(correlations(table, table.weight[None])[0], may, FIRST)])
    rows = table.rows(np.sort(np.array(list(chosen))))
    pool = fill(rows, replace(settings, effort=settings.effort / 2), knowledge.within(rows.names), SHORT, seed, clock)
    found = [crystal for _, _, crystal in pool.front()[:MOST_FORMULAS]]
    holds = [rows.degrees(crystal)[:, 0] >= 0.5 for crystal in found]
    sides = np.array([side for each in holds for side in (each, ~each)]).reshape(-1, table.n_rows)
    for strength in correlations(table, table.weight * sides):
        may[list(chosen)] = False
        chosen |= dict.fromkeys(_strongest(strength, may, (WORKING - FIRST) // len(sides)))
    return table.rows(np.sort(np.array(list(chosen))))


def _strongest(strength: Array, may: Array, n: int) -> list[int]:
    """The strongest features among those that may be used."""
    usable = np.where(may, strength, -1.0)
    best = np.argsort(-usable, kind="stable")[:n]
    return [int(index) for index in best if usable[index] > 0]


def correlations(table: SearchTable, weights: Array) -> Array:
    """How far each feature goes with the target, or against it, for each weighting of the rows; 0 where none varies."""
    features, goal = table.features, (table.target / np.float32(table.one)).astype(np.float64)
    weights = weights.astype(np.float64)
    total = np.maximum(weights.sum(axis=1), 1e-300)[:, None]
    sums = np.empty((3, len(weights), len(features)))  # Σ w x, Σ w x², Σ w x y
    for first in range(0, len(features), AT_ONCE):
        part = np.arange(first, min(first + AT_ONCE, len(features)))
        values = features.dense(part).T.astype(np.float64)
        sums[:, :, part] = weights @ values, weights @ (values * values), (weights * goal) @ values
    mean, square, product = sums / total
    covariance = product - mean * ((weights @ goal)[:, None] / total)
    variance = square - mean**2
    return np.where(variance > 1e-9, np.abs(covariance) / np.sqrt(np.maximum(variance, 1e-9)), 0.0).round(9)
