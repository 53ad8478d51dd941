"""All threshold functions that rise with each of a few facts, with the least whole points that give them."""

from dataclasses import dataclass
from functools import cache

from crystalogic.arrays import Array, np
from crystalogic.errors import TooLargeError

MOST_POINTS = (0, 1, 1, 2, 3, 5)  # needed for one of so many facts (Muroga, Threshold Logic and Its Applications, 1971)


@dataclass(frozen=True)
class Functions:
    """Threshold functions of `size` facts: each is true where its parent is and in one cell more; the first is never true.

    The first fact is the highest bit of a cell's number. A parent exists: with points that make all scores different,
    a threshold above the lowest score that is accepted takes away a single cell.
    """

    points: Array
    threshold: Array
    parent: Array
    cell: Array
    is_whole: Array


@cache
def threshold_functions(size: int) -> Functions:
    """Every threshold function with points of at least 0, once: points of least sum, then the least in order."""
    if size >= len(MOST_POINTS):
        message = f"points are proved for at most {len(MOST_POINTS) - 1} facts, got {size}. Ask for fewer, or a checklist."
        raise TooLargeError(message)
    points = np.indices((MOST_POINTS[size] + 1,) * size).reshape(size, -1).T
    points = points[np.lexsort((*points.T[::-1], points.sum(axis=1)))]
    cells = np.arange(1 << size)
    bits = cells[:, None] >> np.arange(size)[::-1] & 1
    scores = points @ bits.T
    known: dict[int, tuple[int, int]] = {}
    for threshold in range(1 + int(scores.max()), -1, -1):
        for place, mask in enumerate(((scores >= threshold) << cells).sum(axis=1).tolist()):
            if mask not in known or known[mask][0] > place:
                known[mask] = place, threshold
    masks = sorted(known, key=lambda mask: (mask.bit_count(), mask))
    place_of = {mask: place for place, mask in enumerate(masks)}
    steps = [next((p, c) for c in cells.tolist() if (p := place_of.get(m ^ 1 << c, -1)) >= 0 and m >> c & 1) for m in masks[1:]]
    used = np.array([known[mask] for mask in masks])
    truth = np.array(masks)[:, None] >> cells & 1
    whole = [(truth[:, cells & 1 << b > 0] != truth[:, cells & 1 << b == 0]).any(axis=1) for b in range(size)]
    parent, cell = np.array([(0, 0), *steps]).T
    return Functions(points[used[:, 0]], used[:, 1], parent.copy(), cell.copy(), np.logical_and.reduce([truth[:, 0] >= 0, *whole]))
