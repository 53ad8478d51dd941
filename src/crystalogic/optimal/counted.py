"""Rows over binary facts, each different row once, with the weight of yes and of no; facts that are the same, once."""

from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError
from crystalogic.features import Features, unpack

MOST_WEIGHT = 1 << 30  # of all rows together, times what an error costs


@dataclass(frozen=True)
class Counted:
    """Different rows (rows × facts), with the weight of yes and of no.

    `twins` has a member for each fact: the places of all given facts that are equal to it on every row, ~place of those
    that are its opposite, the fact itself first. A rule uses at most one of several twins, and any of them will do.
    """

    names: tuple[str, ...]  # of all given facts
    twins: tuple[tuple[int, ...], ...]
    constant: tuple[int, ...]  # places of facts that are the same on all rows
    truth: Array
    yes: Array
    no: Array

    @property
    def unavoidable(self) -> int:
        """The least weight of errors of any rule: rows that are equal in all facts and of both classes."""
        return int(np.minimum(self.yes, self.no).sum())


def count_rows(features: Features, labels: Any, weight: Any = None) -> Counted:
    """The different rows of these facts with the weight of yes and of no.

    Parameters:
        features: facts that are 0 or 1 on every row.
        labels: for each row whether it is a yes.
        weight: whole numbers of at least 0; without them each row weighs 1.
    """
    given = np.ones(features.n_rows) if weight is None else np.asarray(weight, np.float64)
    is_yes, whole = np.asarray(labels).astype(bool), given.astype(np.int64)
    if len(features.graded) or not features.n_rows or {is_yes.shape, given.shape} != {(features.n_rows,)}:
        message = f"expected facts that are 0 or 1, a label and a weight for each of {features.n_rows} rows."
        raise TrainingDataError(message)
    if (whole != given).any() or whole.min() < 0 or not 0 < given.sum() < MOST_WEIGHT:
        message = f"weights are whole numbers of at least 0 with a sum below {MOST_WEIGHT:,}."
        raise TrainingDataError(message)
    truth = unpack(features.bits[features.place], features.n_rows)[:, whole > 0]
    twins: dict[bytes, list[int]] = {}
    for place, column in enumerate(truth):
        twins.setdefault((column ^ column[0]).tobytes(), []).append(place)
    constant = tuple(twins.pop(bytes(truth.shape[1]), ()))
    first = [places[0] for places in twins.values()]
    rows, inverse = np.unique(np.packbits(truth[first], axis=0).T, axis=0, return_inverse=True)
    yes, no = (
        np.bincount(inverse.ravel(), np.where(side, whole, 0)[whole > 0], len(rows)).astype(np.int64)
        for side in (is_yes, ~is_yes)
    )
    return Counted(
        features.names,
        tuple(tuple(p if truth[p, 0] == truth[own[0], 0] else ~p for p in own) for own in twins.values()),
        constant,
        np.unpackbits(rows, axis=1, count=len(first)),
        yes,
        no,
    )
