"""Counting on bit planes: the rows of each group that a rule says yes to, and the least gap for each number of errors.

The planes hold the rows that a rate is about, 64 in a word, all of one group. A rule says yes to the cells of a
function and of its parents, so its rate in a group is a sum over cells, which are counted once for each set of facts.
Rates are compared by cross-multiplication: with at most 2¹⁶ rows, all products stay below 2⁶³.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic

from crystalogic.compiled import nb

COST, NUMERATOR, DENOMINATOR, CODE, FACTS = 0, 1, 2, 3, 4  # places of a stair
NO_GAP_YET = 2  # no gap is larger than 1


class Groups(NamedTuple):
    """The rows that a rate is about, as bits (facts × words), and the gap that is small enough."""

    planes: Any
    filled: Any  # for each word, the bits that are rows
    group: Any  # for each word
    sizes: Any  # how many rows each group has; empty if gaps do not count
    enough: Any  # numerator and denominator


_NONE = np.zeros(0, np.int64)
NO_GROUPS = Groups(np.zeros((0, 0), np.uint64), np.zeros(0, np.uint64), _NONE, _NONE, _NONE)


def _popcount(typing: Any, word: Any) -> Any:
    """The number of bits that are set."""
    return word(word), lambda context, builder, signature, args: builder.ctpop(args[0])


popcount: Any = intrinsic(_popcount)


@nb.njit(cache=True, nogil=True)
def count_cells(groups: Groups, facts: Any, size: int, tally: Any) -> None:
    """The rows of each group in each cell of these facts, the first fact as the highest bit of a cell's number."""
    inside = np.empty(1 << size, np.uint64)
    for g in range(len(tally)):
        for cell in range(1 << size):
            tally[g, cell] = 0
    for w in range(len(groups.filled)):
        inside[0] = groups.filled[w]
        for place in range(size):
            plane = groups.planes[facts[place], w]
            for cell in range((1 << place) - 1, -1, -1):
                inside[2 * cell + 1], inside[2 * cell] = inside[cell] & plane, inside[cell] & ~plane
        own = tally[groups.group[w]]
        for cell in range(1 << size):
            own[cell] += nb.int64(popcount(inside[cell]))


@nb.njit(cache=True, nogil=True)
def measure_gap(groups: Groups, tally: Any, parent: Any, cells: Any, function: int, swap: int) -> tuple[int, int]:
    """The largest rate less the smallest, as a fraction; rates are the shares of rows that the function is true of."""
    high, of_high, low, of_low = 0, 1, 1, 1
    for g in range(len(tally)):
        held, f, n = 0, function, groups.sizes[g]
        while f:
            held += tally[g, cells[f] ^ swap]
            f = parent[f]
        if held * of_high >= high * n:
            high, of_high = held, n
        if held * of_low <= low * n:
            low, of_low = held, n
    return high * of_low - low * of_high, of_high * of_low


@nb.njit(cache=True, nogil=True)
def climb(stair: Any, cost: int, gap: Any, code: int, facts: Any, size: int) -> None:
    """Keeps a rule if its gap is smaller than that of all with as few errors; then it counts for more errors, too."""
    numerator, denominator = gap
    for step in range(cost, len(stair)):
        own = stair[step]
        if numerator * own[DENOMINATOR] >= own[NUMERATOR] * denominator:
            return
        own[NUMERATOR], own[DENOMINATOR] = numerator, denominator
        if step == cost:
            own[CODE] = code
            for place in range(size):
                own[FACTS + place] = facts[place]
