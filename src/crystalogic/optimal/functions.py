"""The functions of a shape that rise with each of their facts, with the least whole points that give them."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from crystalogic.arrays import Array, np
from crystalogic.errors import TooLargeError

MOST_POINTS = (0, 1, 1, 2, 3, 5)  # of one of so many facts (Muroga, Threshold Logic and Its Applications, 1971)


@dataclass(frozen=True)
class Functions:
    """Each is true where its parent is and in one cell more; the first is never true, and only whole ones are meant.

    The first fact is the highest bit of a cell's number. A threshold function has a parent: with points that make all
    scores different, a higher threshold takes away a single cell.
    """

    points: Array
    threshold: Array
    parent: Array
    cell: Array
    is_whole: Array


@cache
def checklists(size: int) -> Functions:
    """At least k of the facts, for each k, of none the constants: the cells are added from all facts to none."""
    held = np.array([cell.bit_count() for cell in range(1 << size)])
    order = np.argsort(-held, kind="stable")
    threshold = np.append(size + 1, held[order])
    is_constant = (threshold == 0) | (threshold > size)
    is_whole = np.append(threshold[1:] < threshold[:-1], True) & (is_constant == (size == 0))
    points = np.ones((len(threshold), size), np.int64)
    return Functions(points, threshold, np.arange(-1, 1 << size), np.append(0, order), is_whole)


@cache
def threshold_functions(size: int) -> Functions:
    """Every threshold function with points of at least 0, once: points of least sum, then the least in order."""
    if size >= len(MOST_POINTS):
        message = f"points are proved for at most {len(MOST_POINTS) - 1} facts, got {size}: ask for fewer."
        raise TooLargeError(message)
    points = np.indices((MOST_POINTS[size] + 1,) * size).reshape(size, -1).T
    points = points[np.lexsort((*points.T[::-1], points.sum(axis=1)))]
    cells = np.arange(1 << size)
    scores = points @ (cells >> np.arange(size)[::-1, None] & 1)
    known: dict[int, tuple[int, int]] = {}
    for threshold in range(1 + int(scores.max()), -1, -1):
        for place, mask in enumerate(((scores >= threshold) << cells).sum(axis=1).tolist()):
            if mask not in known or known[mask][0] > place:
                known[mask] = place, threshold
    masks = sorted(known, key=lambda mask: (mask.bit_count(), mask))
    place_of = {mask: place for place, mask in enumerate(masks)}
    steps = [(place_of.get(mask & ~(1 << c), -1), c) for mask in masks for c in cells.tolist() if mask >> c & 1]
    ends = np.cumsum([mask.bit_count() for mask in masks])
    parent, cell = np.array([(0, 0)] + [max(steps[a:b]) for a, b in pairwise(ends)]).T.copy()
    used, truth = np.array([known[mask] for mask in masks]), np.array(masks)[:, None] >> cells & 1
    depends = [(truth[:, cells & 1 << b > 0] != truth[:, cells & 1 << b == 0]).any(axis=1) for b in range(size)]
    return Functions(points[used[:, 0]], used[:, 1], parent, cell, np.all(depends, axis=0))
