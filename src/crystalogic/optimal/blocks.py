"""Bounds for many sets of facts at once: neighbouring facts that differ on few rows are taken together, as a block.

A row on which all facts of a block agree lies on the same side of whichever of them a rule uses. So for one fact of
each of several blocks, the cell of every row is known on which each block agrees. The least cost of any function of the
cells, counted on these rows alone, is at most the cost of every such rule. Blocks are halved, that of most doubt first,
until the bound reaches a target; single facts that do not reach it are tried. Cuts of a number make good blocks; where
facts have nothing in common, counting all sets is quicker.
"""

from typing import Any, NamedTuple

import numpy as np

from crystalogic.compiled import nb
from crystalogic.optimal import kernels as k

N_JOBS = 64  # at least, where there are so many sets


class Blocks(NamedTuple):
    """Bit planes (blocks × words) of the rows on which all facts hold, or fail; the single facts are the first."""

    usable: Any  # the facts
    holds: Any
    fails: Any
    worth: Any  # of a row, for each word
    halves: Any  # blocks × 2
    size: Any
    doubt: Any  # the weight of rows on which the facts disagree; -1 for single facts


def make_blocks(rows: k.Rows, usable: Any) -> Blocks:
    """Two neighbours become one, those of least doubt first. What is held by one may be failed by the other."""
    n, n_words = len(usable), len(rows.worth) // 64 + 1 + len(np.unique(rows.worth))
    words, worth = np.zeros((n_words, n + 1), np.uint64), np.zeros(n_words, np.int32)
    rest = np.append(usable, rows.truth.shape[1] - 1)
    n_words = k.pack_stem(rows, np.zeros(0, np.int64), rest, words, worth, np.zeros(n_words, np.int64))
    words, worth = words[:n_words].T.copy(), worth[:n_words]
    sides, weight = np.zeros((2, 2 * n - 1, n_words), np.uint64), np.abs(worth)
    sides[:, :n] = words[:n], ~words[:n] & words[n]
    halves, size, doubt = np.full((2 * n - 1, 2), -1), np.ones(2 * n - 1, np.int64), np.full(2 * n - 1, -1)
    order, total = list(range(n)), int(np.abs(rows.worth).sum())

    def join(a: int, b: int) -> tuple[int, Any]:
        same, other = sides[:, a] & sides[:, b], sides[:, a] & sides[::-1, b]
        agree = [int((np.bitwise_count(each[0] | each[1]) * weight).sum()) for each in (same, other)]
        return total - max(agree), same if agree[0] >= agree[1] else other

    near = [join(a, a + 1)[0] for a in range(n - 1)]
    for block in range(n, 2 * n - 1):
        i = int(np.argmin(near))
        a, b = order[i], order[i + 1]
        doubt[block], sides[:, block] = join(a, b)
        halves[block], size[block] = (a, b), size[a] + size[b]
        order[i : i + 2], near[i : i + 1] = [block], []
        for place in {max(i - 1, 0), min(i, len(near) - 1)} if near else ():
            near[place] = join(order[place], order[place + 1])[0]
    return Blocks(usable, sides[0], sides[1], worth, halves, size, doubt)


def make_roots(blocks: Blocks, size: int) -> Any:
    """Parts of a search over sets of this size, which threads can share."""
    roots, room = np.full((1, size), len(blocks.size) - 1), np.zeros((size + 1, size), np.int64)
    while len(roots) < N_JOBS and roots.max() >= len(blocks.usable):
        halved = [room[: halve(blocks, root, room, 0)].copy() for root in roots]
        roots = np.concatenate([more if len(more) else root[None] for root, more in zip(roots, halved, strict=True)])
    return roots


@nb.njit(cache=True, nogil=True)
def halve(blocks: Blocks, chosen: Any, stack: Any, top: int) -> int:
    """Puts on the stack what becomes of the blocks when that of most doubt is halved; of single facts nothing does."""
    own, n_own = chosen[0], 0
    for block in chosen:
        own = block if blocks.doubt[block] > blocks.doubt[own] else own
    for block in chosen:
        n_own += block == own
    left, right = blocks.halves[own]
    for n_left in range(n_own + 1 if left >= 0 else 0):
        if n_left <= blocks.size[left] and n_own - n_left <= blocks.size[right]:
            n_put = 0
            for place in range(len(chosen)):
                is_own = chosen[place] == own
                stack[top, place] = chosen[place] if not is_own else left if n_put < n_left else right
                n_put += is_own
            top += 1
    return top


@nb.njit(cache=True, nogil=True)
def bound_cells(blocks: Blocks, chosen: Any, cells: Any, inside: Any) -> int:
    """The sum of each cell over rows on which each block agrees, the first as the highest bit; and the bound."""
    bound = 0
    for cell in range(len(cells)):
        cells[cell] = 0
    for w in range(len(blocks.worth)):
        n, last = 2, chosen[-1]
        inside[0], inside[1] = blocks.fails[last, w], blocks.holds[last, w]
        for place in range(len(chosen) - 2, -1, -1):
            holds, fails = blocks.holds[chosen[place], w], blocks.fails[chosen[place], w]
            for cell in range(n):
                inside[n + cell] = inside[cell] & holds
                inside[cell] &= fails
            n *= 2
        worth, total = nb.int64(blocks.worth[w]), nb.int64(0)
        for cell in range(n):
            own = nb.int64(k.popcount(inside[cell]))
            cells[cell] += worth * own
            total += own
        bound -= min(0, worth) * total
    for cell in range(len(cells)):
        bound += min(0, cells[cell])
    return bound


@nb.njit(cache=True, nogil=True)
def search_blocks(
    rows: k.Rows, goal: k.Goal, blocks: Blocks, found: k.Found, shared: Any, root: Any, target: int, most: int
) -> bool:
    """All sets with one fact of each of these blocks that may hold a rule below the target; whether all were looked at.

    With those of other jobs, which `shared` counts, at most so many bounds are computed.
    """
    stack, top, state = np.zeros((goal.size * len(blocks.usable) + 2, goal.size), np.int64), 1, found.state
    cells, inside = np.zeros(1 << goal.size, np.int64), np.zeros(1 << goal.size, np.uint64)
    tally, costs = np.zeros((len(goal.groups.sizes), len(cells)), np.int64), np.zeros(len(goal.parent), np.int64)
    stack[0] = root
    while top:
        if shared[1] or shared[2] + state[k.N_SETS] > most:
            return False
        if shared[0] < state[k.BEST]:
            k.lower_best(found, shared[0])
        top, chosen = top - 1, stack[top - 1].copy()
        state[k.N_SETS] += 1
        if bound_cells(blocks, chosen, cells, inside) < min(target, state[k.BEST] + goal.within + 1):
            before, top = top, halve(blocks, chosen, stack, top)
            if top == before:
                k.try_facts(goal, rows, found, cells, blocks.usable[chosen], costs, tally)
                shared[0] = min(shared[0], state[k.BEST])
    return True
