"""The decision: which class the degrees of a row stand for. Whoever decides does it by these functions.

With two classes the one formula speaks for the second: the row has it from degree 1/2 on, 1/2 included. With more, the
largest degree decides, and of equal ones the first class of the stated order. There is no tolerance. Degrees that were
computed with floats can be off, by at most what `logic.evaluate` says: who has exact ones decides by them.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from crystalogic.arrays import Array, np

THRESHOLD = Fraction(1, 2)


def class_of(degrees: Sequence[Any], order: Sequence[int]) -> int:
    """The class of one row, as its place among the classes.

    >>> class_of([THRESHOLD], (0, 1)), class_of([Fraction(1, 3), 1, 1], (2, 0, 1))
    (1, 2)
    """
    return int(degrees[0] >= THRESHOLD) if len(degrees) == 1 else max(order, key=degrees.__getitem__)


def classes_of(degrees: Array, order: Sequence[int], *, one: int = 1) -> Array:
    """The same for every row of an array (rows × formulas), in units of 1/one."""
    if degrees.shape[1] == 1:
        return np.asarray(2 * degrees[:, 0] >= one, dtype=np.intp)
    ranked = np.array(order)
    return np.asarray(ranked[np.argmax(degrees[:, ranked], axis=1)])


def is_certain(lows: Array, highs: Array, order: Sequence[int], found: Array) -> Any:
    """Where the class found is that of all degrees between two bounds (rows × formulas)."""
    if lows.shape[1] == 1:
        half = float(THRESHOLD)
        return np.where(found == 1, lows[:, 0] >= half, highs[:, 0] < half)
    place = np.argsort(order)  # of each class in the order
    rows = np.arange(len(lows))
    least, rank = lows[rows, found][:, None], place[found][:, None]
    wins = np.where(rank < place, least >= highs, least > highs)
    wins[rows, found] = True
    return wins.all(axis=1)


def class_conditions(degrees: Sequence[Any], order: Sequence[int], threshold: Any) -> list[list[Any]]:
    """For each class the comparisons of degrees that must all hold for it to be decided for; for terms of a solver."""
    if len(degrees) == 1:
        return [[degrees[0] < threshold], [degrees[0] >= threshold]]
    place = {index: rank for rank, index in enumerate(order)}
    return [
        [
            degrees[index] > degrees[other] if place[other] < place[index] else degrees[index] >= degrees[other]
            for other in order
            if other != index
        ]
        for index in range(len(degrees))
    ]


def margin_of(degrees: Sequence[Any]) -> Any:
    """How far a row is from another decision: its degree from the threshold, or the largest from the second."""
    if len(degrees) == 1:
        return abs(degrees[0] - THRESHOLD)
    first, second, *_ = sorted(degrees, reverse=True)
    return first - second


def margins_of(degrees: Array) -> Array:
    """The same for every row of an array of floats."""
    if degrees.shape[1] == 1:
        return np.asarray(abs(degrees[:, 0] - float(THRESHOLD)))
    ranked = np.sort(degrees, axis=1)
    return np.asarray(ranked[:, -1] - ranked[:, -2])
