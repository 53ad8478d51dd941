"""Screen wide tables: a search works on a few hundred features, those that go best with the target.

Only the rows given are looked at, so that a fold of a cross-validation screens for itself.
"""

from collections.abc import Sequence

from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import Knowledge
from crystalogic.crystal import Crystal
from crystalogic.features import AT_ONCE
from crystalogic.search.table import Rows, SearchTable

WORKING = 512  # features that a search works on


def working_rows(table: SearchTable, knowledge: Knowledge, starts: Sequence[Crystal] = ()) -> Rows:
    """The rows with the features worth searching: all of them, unless the table is wide."""
    if len(table.features) <= WORKING:
        return table.rows()
    kept = {*knowledge.required, *(name for crystal in starts for name in crystal.inputs)}
    strength = np.where(knowledge.permitted(table.names) > 0, correlations(table), 0.0)
    strength[[name in kept for name in table.names]] = np.inf
    strongest = np.argsort(-strength, kind="stable")[:WORKING]
    return table.rows(np.sort(strongest[strength[strongest] > 0]))


def correlations(table: SearchTable) -> Array:
    """How far each feature goes with the target, or against it; 0 where it does not vary."""
    features, weight = table.features, table.weight.astype(np.float64) / table.weight.sum(dtype=np.float64)
    goal = weight * (table.target / np.float32(table.one))
    sums = np.empty((3, len(features)))  # the means of x, x² and x y
    for first in range(0, len(features), AT_ONCE):
        part = np.arange(first, min(first + AT_ONCE, len(features)))
        values = features.dense(part).astype(np.float64)
        sums[:, part] = values @ weight, (values * values) @ weight, values @ goal
    mean, square, product = sums
    variance = square - mean**2
    covariance = np.abs(product - mean * goal.sum())
    return np.where(variance > 1e-9, covariance / np.sqrt(np.maximum(variance, 1e-9)), 0.0).round(9)
