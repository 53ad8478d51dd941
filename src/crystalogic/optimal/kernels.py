"""The inner loops of the exact search: all completions of a few chosen facts, the stem, by three later ones.

The rows are sorted by the cell of the stem that they lie in and packed into words, 64 rows in each, of one cell and one
worth. `worth` is what a row adds to d = no − yes, the signed weight of a cell: a rule that says yes in some cells costs
the weight of all yes rows plus the sum of d over them. From the sums over pairs of facts in each cell follow, by
subtraction, the sums over all cells of the whole set; only the words in which c and d hold are counted for each e.

U(S), the least cost of any function of the facts S, is at most the cost of each rule of any shape over S: only sets
whose U is within the limit are tried.

Where gaps between groups count, bit planes hold the rows that a rate is about, 64 in a word, all of one group. A rule
says yes to the cells of a function and of its parents, so its rate in a group is a sum over cells, which are counted
once for each set of facts. Rates are compared by cross-multiplication: with at most 2¹⁶ rows, all products stay below
2⁶³.

Loops stand where numpy has a word: what it generates for slices takes seconds to compile.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic

from crystalogic.compiled import nb

FAR, ZERO = 1 << 60, np.int32(0)
BEST, HAS_RULE, CODE, N_LISTED, N_SETS, FACTS = 0, 1, 2, 3, 4, 5  # places of `Found.state`
COST, NUMERATOR, DENOMINATOR, STEP_CODE, STEP_FACTS = 0, 1, 2, 3, 4  # places of a step of `Found.stair`
NO_GAP_YET = 2  # no gap is larger than 1
YES, NO, NEEDED = 1, 2, 4  # flags of a fact: it may hold, it may be false, it must be used


class Rows(NamedTuple):
    """Truth values (rows × facts, the last one always true), and what the rows are worth."""

    truth: Any
    worth: Any
    flags: Any


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


class Goal(NamedTuple):
    """Which rules of `size` facts: functions, each of which is true in one cell more than its parent."""

    size: int
    base: int  # what a rule costs that always says no
    within: int  # how far above the best rules are counted
    n_needed: int
    parent: Any
    cell: Any
    is_whole: Any  # whether the function has this shape and depends on all of its facts
    groups: Groups  # empty unless gaps count: then a rule is good if its gap is small enough


class Found(NamedTuple):
    """The best cost and its first rule, how many rules there are at each cost above it, and a list of rules."""

    state: Any
    counts: Any
    listed: Any
    stair: Any  # where gaps count, the rule of the least gap for each cost, if none that costs less has it


class Stem(NamedTuple):
    """Chosen facts and later ones, the words of all rows (words × later facts), and sums over pairs of later facts."""

    chosen: Any
    rest: Any
    words: Any
    worth: Any
    group: Any
    pairs: Any


@nb.njit(cache=True, nogil=True)
def pack_stem(rows: Rows, chosen: Any, rest: Any, words: Any, worth: Any, group: Any) -> int:
    """Sorts the rows by cell and worth into words; gives the number of words."""
    n_words = 0
    for cell in range(1 << len(chosen)):
        bit, last = 64, 0
        for row in range(len(rows.worth)):
            own = 0
            for fact in chosen:
                own = 2 * own + rows.truth[row, fact]
            if own == cell:
                if bit == 64 or rows.worth[row] != last:
                    bit, last = 0, rows.worth[row]
                    worth[n_words], group[n_words] = last, cell
                    n_words += 1
                for e in range(len(rest)):
                    words[n_words - 1, e] |= nb.uint64(rows.truth[row, rest[e]]) << nb.uint64(bit)
                bit += 1
    return n_words


@nb.njit(cache=True, nogil=True)
def add_word(sums: Any, words: Any, w: int, mask: Any, worth: int, first: int) -> None:
    """Adds the worth of the rows of one word where the mask and each fact hold."""
    for e in range(nb.uint64(first), nb.uint64(words.shape[1])):
        sums[e] += worth * nb.int32(popcount(words[w, e] & mask))


@nb.njit(cache=True, nogil=True)
def sum_pairs(words: Any, worth: Any, group: Any, pairs: Any) -> None:
    """The sums over all pairs of facts in each cell, and over `always` and each fact."""
    for w in range(len(words)):
        for d in range(words.shape[1]):
            add_word(pairs[group[w], d], words, w, words[w, d], worth[w], d + 1 if d < words.shape[1] - 1 else 0)


@nb.njit(cache=True, nogil=True)
def below(value: int) -> Any:
    """The value, if it is below 0: 32 bits of it, so that eight fit in a register."""
    short = nb.int32(value)
    return short if short < ZERO else ZERO


@nb.njit(cache=True, nogil=True)
def add_bounds(low: Any, both: Any, pairs: Any, c: int, d: int, first: int) -> None:
    """Adds min(0, d) of the eight cells that c, d and each e make of one cell of the stem."""
    always = len(pairs) - 1
    of_c, of_d, of_all = pairs[c], pairs[d], pairs[always]
    cd, in_c, in_d = of_c[d], of_c[always], of_d[always]
    neither = of_all[always] - in_c - in_d + cd
    for e in range(nb.uint64(first), nb.uint64(always)):
        cde, ce = both[e], of_c[e]
        c_e, d_e = ce - cde, of_d[e] - cde
        only = of_all[e] - ce - d_e
        in_cd = below(cde) + below(cd - cde)
        in_one = below(c_e) + below(in_c - cd - c_e) + below(d_e) + below(in_d - cd - d_e)
        low[e] += in_cd + in_one + below(only) + below(neither - only)


@nb.njit(cache=True, nogil=True)
def fill_cells(cells: Any, pairs: Any, both: Any, c: int, d: int, e: int) -> None:
    """The sums of all cells of stem, c, d and e; cell numbers are read in this order, the fact e as the last bit."""
    always = len(pairs[0]) - 1
    for g in range(len(pairs)):
        p, cde = pairs[g], both[g, e]
        cd, ce, de, in_c, in_d, in_e = p[c, d], p[c, e], p[d, e], p[c, always], p[d, always], p[e, always]
        cell = (g + 1) * len(cells) // len(pairs)  # the first of the next group
        cells[cell - 1], cells[cell - 2] = cde, cd - cde
        if d != always:
            cells[cell - 3], cells[cell - 4] = ce - cde, in_c - cd - ce + cde
        if c != always:
            cells[cell - 5], cells[cell - 6], cells[cell - 7] = de - cde, in_d - cd - de + cde, in_e - ce - de + cde
            cells[cell - 8] = p[always, always] - in_c - in_d - in_e + cd + ce + de - cde


@nb.njit(cache=True, nogil=True)
def lower_best(found: Found, cost: int) -> None:
    """A new best cost: counts move up, and the rule is still to be found."""
    by = found.state[BEST] - cost
    for place in range(len(found.counts) - 1, -1, -1):
        found.counts[place] = found.counts[place - by] if place >= by else 0
    found.state[BEST], found.state[HAS_RULE] = cost, 0


@nb.njit(cache=True, nogil=True)
def record(goal: Goal, found: Found, facts: Any, code: int, cost: int) -> None:
    """Counts a rule, lists it where there is room, and keeps it if its facts are the first of the best."""
    state = found.state
    if cost < state[BEST]:
        lower_best(found, cost)
    above = cost - state[BEST]
    if above > goal.within:
        return
    if above < len(found.counts):
        found.counts[above] += 1
    is_first, is_listed = above == 0 and not state[HAS_RULE], state[N_LISTED] < len(found.listed)
    if above == 0 and state[HAS_RULE]:
        place = 0
        while place < goal.size and facts[place] == state[FACTS + place]:
            place += 1
        is_first = place < goal.size and facts[place] < state[FACTS + place]
    if is_first:
        state[HAS_RULE], state[CODE] = 1, code
    if is_listed:
        found.listed[state[N_LISTED], 0], found.listed[state[N_LISTED], 1] = cost, code
    for place in range(goal.size):
        if is_first:
            state[FACTS + place] = facts[place]
        if is_listed:
            found.listed[state[N_LISTED], 2 + place] = facts[place]
    state[N_LISTED] += 1


@nb.njit(cache=True, nogil=True)
def find_signs(goal: Goal, rows: Rows, found: Found, cells: Any, facts: Any) -> tuple[int, int]:
    """Which facts can hold and which can be false in a rule within the limit that rises with them, or falls, as bits.

    A pair of cells that differ in one fact alone costs at least min(0, d₁, d₀ + d₁) if the function rises with it.
    """
    limit, can_hold, can_fail = found.state[BEST] + goal.within, 0, 0
    for place in range(goal.size):
        bit, rising, falling = 1 << (goal.size - 1 - place), goal.base, goal.base
        for cell in range(1 << goal.size):
            if cell & bit:
                below, above = cells[cell ^ bit], cells[cell]
                rising += min(0, above, below + above)
                falling += min(0, below, below + above)
        can_hold |= bit if rising <= limit and rows.flags[facts[place]] & YES else 0
        can_fail |= bit if falling <= limit and rows.flags[facts[place]] & NO else 0
    return can_hold, can_fail


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
            own[STEP_CODE] = code
            for place in range(size):
                own[STEP_FACTS + place] = facts[place]


@nb.njit(cache=True, nogil=True)
def is_even(goal: Goal, found: Found, facts: Any, code: int, cost: int, tally: Any) -> bool:
    """Whether the gap of a rule is small enough; kept in any case, if no other has so small a gap for as few errors."""
    groups, n_functions = goal.groups, len(goal.parent)
    if not len(groups.sizes):
        return True
    if cost >= len(found.stair):
        return False
    if tally[0, 0] < 0:
        count_cells(groups, facts, goal.size, tally)
    swap = code // n_functions ^ ((1 << goal.size) - 1)
    gap = measure_gap(groups, tally, goal.parent, goal.cell, code % n_functions, swap)
    climb(found.stair, cost, gap, code, facts, goal.size)
    return bool(gap[0] * groups.enough[1] <= groups.enough[0] * gap[1])


@nb.njit(cache=True, nogil=True)
def try_facts(goal: Goal, rows: Rows, found: Found, cells: Any, facts: Any, costs: Any, tally: Any) -> None:
    """All rules over these facts: all functions for all signs."""
    n_needed, n_functions = 0, len(goal.parent)
    if len(tally):
        tally[0, 0] = -1  # not counted yet
    for place in range(goal.size):
        n_needed += rows.flags[facts[place]] & NEEDED
    if n_needed != NEEDED * goal.n_needed:
        return
    can_hold, can_fail = find_signs(goal, rows, found, cells, facts)
    for s in range(1 << goal.size):
        swap = s ^ ((1 << goal.size) - 1)
        if s & ~can_hold or swap & ~can_fail:
            continue
        for f in range(n_functions):
            costs[f] = costs[goal.parent[f]] + cells[goal.cell[f] ^ swap] if f else goal.base
            if costs[f] <= found.state[BEST] + goal.within and goal.is_whole[f]:
                code = s * n_functions + f
                if is_even(goal, found, facts, code, costs[f], tally):
                    record(goal, found, facts, code, costs[f])


@nb.njit(cache=True, nogil=True)
def bound_pair(goal: Goal, stem: Stem, both: Any, bounds: Any, c: int, d: int, first: int) -> int:
    """Sums over c, d and each e in each cell, and U for each e; gives the least of these."""
    least, begin, end = FAR, nb.uint64(first), nb.uint64(len(stem.rest) - 1)
    for e in range(begin, end):
        bounds[e] = goal.base
        for g in range(len(both)):
            both[g, e] = 0
    for w in range(len(stem.words)):
        mask = stem.words[w, c] & stem.words[w, d]
        if mask:
            add_word(both[stem.group[w]], stem.words, w, mask, stem.worth[w], first)
    for g in range(len(both)):
        add_bounds(bounds, both[g], stem.pairs[g], c, d, first)
    for e in range(begin, end):
        least = min(least, bounds[e])
    return least


@nb.njit(cache=True, nogil=True)
def search_stem(rows: Rows, goal: Goal, stem: Stem, found: Found, shared: Any, start: int, stop: int) -> bool:
    """All sets of the stem and three later facts, the first of them from `start` to `stop`; whether all were counted.

    `shared` holds the best cost of all threads, and whether to stop. Sets with fewer later facts have `always` for the
    others.
    """
    always, n_chosen = len(stem.rest) - 1, len(stem.chosen)
    both, bounds = np.zeros((len(stem.pairs), always + 1), np.int32), np.zeros(always + 1, np.int32)
    cells, costs = np.zeros(1 << goal.size, np.int64), np.zeros(len(goal.parent), np.int64)
    tally = np.zeros((len(goal.groups.sizes), 1 << goal.size), np.int64)
    facts = np.zeros(n_chosen + 3, np.int64)
    for place in range(n_chosen):
        facts[place] = stem.chosen[place]
    is_single = goal.size - n_chosen == 1
    for c in range(start, stop):
        for d in range(always if is_single else 0 if c == always else c + 1, always + 1 if is_single else always - 1):
            if shared[1]:
                return False
            if shared[0] < found.state[BEST]:
                lower_best(found, shared[0])
            limit, first = found.state[BEST] + goal.within, 0 if is_single else d + 1
            found.state[N_SETS] += always - first
            least = bound_pair(goal, stem, both, bounds, c, d, first)
            for e in range(first, always if least <= limit else first):
                if bounds[e] <= limit:
                    fill_cells(cells, stem.pairs, both, c, d, e)
                    facts[n_chosen] = stem.rest[c]
                    if not is_single:
                        facts[goal.size - 2] = stem.rest[d]
                    facts[goal.size - 1] = stem.rest[e]
                    try_facts(goal, rows, found, cells, facts, costs, tally)
                    limit = found.state[BEST] + goal.within
                    shared[0] = min(shared[0], found.state[BEST])
    return True
