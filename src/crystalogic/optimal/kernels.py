"""The inner loops of the exact search: all completions of a few chosen facts, the stem, by three later ones.

The rows are sorted by the cell of the stem that they lie in and packed into words, 64 rows in each, of one cell and one
worth. `worth` is what a row adds to d = no − yes, the signed weight of a cell: a rule that says yes in some cells costs
the weight of all yes rows plus the sum of d over them. From the sums over pairs of facts in each cell follow, by
subtraction, the sums over all cells of four or five facts; only the words in which c and d hold are counted.

U(S), the least cost of any function of the facts S, is at most the cost of each rule of any shape over S. Replacing a
fact moves the rows on which the two differ, and each row that moves lowers U by its weight at most. So where
`low[c, d]` is at most U(stem, c, d, e) for all e > d, then `low[c, d] − differ[c, c']` is at most U(stem, c', d, e), and
`low[c, d] − differ[d, d']` at most U(stem, c, d', e) for all e > d' > d: facts are taken in ascending order, so each of
these e was looked at with d, too. Rows whose bound lies above the limit are skipped.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic

from crystalogic.compiled import nb

CHECKLIST, POINTS, FORMULA = 0, 1, 2
FAR = 1 << 60
BEST, HAS_RULE, CODE, N_LISTED, N_LEAVES, N_SETS, FACTS = 0, 1, 2, 3, 4, 5, 6  # places of `Found.state`
YES, NO, NEEDED = 1, 2, 4  # flags of a fact: it may hold, it may be false, it must be used


class Rows(NamedTuple):
    """Truth values (rows × facts, the last one always true) and for each row its worth and its side."""

    truth: Any
    worth: Any
    side: Any  # 0 for all rows, or the class where yes and no are counted apart
    differ: Any  # facts × facts: by how much U can change when one replaces the other
    flags: Any


class Goal(NamedTuple):
    """What is looked for: rules of `size` facts. Functions are listed so that each adds one cell to its parent."""

    size: int
    shape: int
    base: int  # the cost of a rule that always says no
    within: int  # how far above the best rules are counted
    slack: int  # how far rounding can lift U above the cost of a rule
    parent: Any
    cell: Any
    is_whole: Any  # whether the function depends on all of its facts
    logs: Any  # t ln t in whole units, empty unless it is log loss that counts
    n_needed: int


class Found(NamedTuple):
    """The best cost and its first rule, how many rules there are at each cost above it, and a list of rules."""

    state: Any
    counts: Any
    listed: Any


class Stem(NamedTuple):
    """Chosen facts, the later ones, the words of all rows, and the sums of worth over pairs of facts in each cell."""

    chosen: Any
    rest: Any
    words: Any  # words × facts
    worth: Any
    group: Any
    pairs: Any  # cells × facts × facts


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typing: Any, word: Any) -> Any:
    """The number of bits that are set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return word(word), generate


@nb.njit(cache=True, nogil=True)
def pack_stem(rows: Rows, n_sides: int, chosen: Any, rest: Any, words: Any, worth: Any, group: Any) -> int:
    """Sorts the rows by cell and worth into words; gives the number of words."""
    n_words, n_facts = 0, len(rest)
    for cell in range(n_sides << len(chosen)):
        bit, last = 64, 0
        for row in range(len(rows.worth)):
            own = 0
            for fact in chosen:
                own = 2 * own + rows.truth[row, fact]
            if own * n_sides + rows.side[row] != cell:
                continue
            if bit == 64 or rows.worth[row] != last:
                bit, last = 0, rows.worth[row]
                worth[n_words], group[n_words] = last, cell
                words[n_words, :n_facts] = 0
                n_words += 1
            for e in range(n_facts):
                words[n_words - 1, e] |= nb.uint64(rows.truth[row, rest[e]]) << nb.uint64(bit)
            bit += 1
    return n_words


@nb.njit(cache=True, nogil=True)
def add_word(sums: Any, words: Any, mask: Any, worth: int, first: int) -> None:
    """Adds the worth of the rows of one word where the mask and each fact hold."""
    for e in range(first, len(words)):
        sums[e] += worth * nb.int32(popcount(words[e] & mask))


@nb.njit(cache=True, nogil=True)
def sum_pairs(words: Any, worth: Any, group: Any, pairs: Any) -> None:
    """The sums over all pairs of facts in each cell."""
    pairs[:] = 0
    for w in range(len(words)):
        for d in range(words.shape[1]):
            if words[w, d]:
                add_word(pairs[group[w], d], words[w], words[w, d], worth[w], 0)


@nb.njit(cache=True, nogil=True)
def add_bounds(low: Any, both: Any, pairs: Any, c: int, d: int) -> None:
    """Adds min(0, d) of the eight cells that c, d and each e make of one cell of the stem."""
    always = len(pairs) - 1
    of_c, of_d, of_all = pairs[c], pairs[d], pairs[always]
    cd, in_c, in_d = of_c[d], of_c[always], of_d[always]
    neither = of_all[always] - in_c - in_d + cd
    for e in range(d + 1, always):
        cde, ce = both[e], of_c[e]
        only_c, only_d = ce - cde, of_d[e] - cde
        only_e = of_all[e] - ce - only_d
        low[e] += (
            min(cde, 0)
            + min(cd - cde, 0)
            + min(only_c, 0)
            + min(in_c - cd - only_c, 0)
            + min(only_d, 0)
            + min(in_d - cd - only_d, 0)
            + min(only_e, 0)
            + min(neither - only_e, 0)
        )


@nb.njit(cache=True, nogil=True)
def fill_cells(cells: Any, pairs: Any, c: int, d: int, e: int, both: Any) -> None:
    """The sums of all cells of stem, c, d and e; cell numbers are read in this order, the fact e as the last bit."""
    always, n_sides = len(both[0]) - 1, cells.shape[0]
    for g in range(len(both)):
        p, to, cell = pairs[g], cells[g % n_sides], g // n_sides * (4 if c == always else 8)
        cde, cd, ce, de = both[g, e], p[c, d], p[c, e], p[d, e]
        in_c, in_d, in_e, total = p[c, always], p[d, always], p[e, always], p[always, always]
        if c != always:
            to[cell] = total - in_c - in_d - in_e + cd + ce + de - cde
            to[cell + 1], to[cell + 2], to[cell + 3] = in_e - ce - de + cde, in_d - cd - de + cde, de - cde
            cell += 4
        to[cell], to[cell + 1], to[cell + 2], to[cell + 3] = in_c - cd - ce + cde, ce - cde, cd - cde, cde


@nb.njit(cache=True, nogil=True)
def entropy(logs: Any, yes: int, no: int) -> int:
    """The log loss of the best probability for these rows, in whole units."""
    return logs[yes + no] - logs[yes] - logs[no]


@nb.njit(cache=True, nogil=True)
def least_cost(goal: Goal, cells: Any) -> int:
    """U: the least cost of any function of these cells."""
    cost = goal.base
    for cell in range(cells.shape[1]):
        if len(goal.logs):
            cost += entropy(goal.logs, cells[0, cell], cells[1, cell])
        else:
            cost += min(cells[0, cell], 0)
    return cost


@nb.njit(cache=True, nogil=True)
def lower_best(found: Found, cost: int) -> None:
    """A new best cost: counts move up, and the rule is still to be found."""
    by = found.state[BEST] - cost
    for place in range(len(found.counts) - 1, -1, -1):
        found.counts[place] = found.counts[place - by] if place >= by else 0
    found.state[BEST], found.state[HAS_RULE] = cost, 0


@nb.njit(cache=True, nogil=True)
def record(goal: Goal, found: Found, facts: Any, code: int, cost: int) -> None:
    """Counts a rule, lists it where there is room, and keeps it if it is the first of the best."""
    if cost < found.state[BEST]:
        lower_best(found, cost)
    if cost > found.state[BEST] + goal.within:
        return
    if len(found.counts):
        found.counts[cost - found.state[BEST]] += 1
    if cost == found.state[BEST] and not found.state[HAS_RULE]:
        found.state[HAS_RULE], found.state[CODE] = 1, code
        found.state[FACTS : FACTS + goal.size] = facts[: goal.size]
    if found.state[N_LISTED] < len(found.listed):
        row = found.listed[found.state[N_LISTED]]
        row[0], row[1], row[2 : 2 + goal.size] = cost, code, facts[: goal.size]
    found.state[N_LISTED] += 1


@nb.njit(cache=True, nogil=True)
def find_signs(goal: Goal, rows: Rows, found: Found, cells: Any, facts: Any) -> Any:
    """Which signs each fact can have in a rule within the limit: a function that only rises with it, or only falls.

    A pair of cells that differ in this fact alone costs at least min(0, d₁, d₀ + d₁) if the function rises.
    """
    signs = rows.flags[facts[: goal.size]] & 3
    if len(goal.logs):
        return signs
    for place in range(goal.size):
        bit = 1 << (goal.size - 1 - place)
        rising, falling = goal.base, goal.base
        for cell in range(1 << goal.size):
            if cell & bit:
                below, above = cells[0, cell ^ bit], cells[0, cell]
                rising += min(0, above, below + above)
                falling += min(0, below, below + above)
        limit = found.state[BEST] + goal.within
        signs[place] &= (YES if rising <= limit else 0) | (NO if falling <= limit else 0)
    return signs


@nb.njit(cache=True, nogil=True)
def sum_by_score(cells: Any, size: int, scores: Any) -> None:
    """scores[s, t]: the sum over the cells that agree with the signs s in t facts, one fact after the other."""
    scores[:] = 0
    scores[:, 0] = cells
    for b in range(size):
        bit = 1 << b
        for s in range(1 << size):
            if not s & bit:
                for t in range(b + 1, -1, -1):
                    off, on = scores[s, t], scores[s | bit, t]
                    scores[s, t] = (scores[s, t - 1] if t else 0) + on
                    scores[s | bit, t] = (scores[s | bit, t - 1] if t else 0) + off


@nb.njit(cache=True, nogil=True)
def best_map(logs: Any, yes: Any, no: Any) -> int:
    """The log loss of the best probabilities that do not fall with the score: neighbours that do are pooled."""
    y, n = yes.copy(), no.copy()
    top = 0
    for t in range(1, len(yes)):
        top += 1
        y[top], n[top] = yes[t], no[t]
        while top and y[top - 1] * n[top] >= y[top] * n[top - 1]:
            y[top - 1] += y[top]
            n[top - 1] += n[top]
            top -= 1
    cost = 0
    for t in range(top + 1):
        cost += entropy(logs, y[t], n[t])
    return cost


@nb.njit(cache=True, nogil=True)
def try_checklists(goal: Goal, found: Found, cells: Any, facts: Any, signs: Any, scores: Any) -> None:
    """At least k of the facts, for all signs and all k; for log loss, the score itself."""
    size = goal.size
    for side in range(len(cells)):
        sum_by_score(cells[side], size, scores[side])
    for s in range(1 << size):
        if not are_permitted(s, signs):
            continue
        if len(goal.logs):
            cost = best_map(goal.logs, scores[0, s, : size + 1], scores[1, s, : size + 1])
            record(goal, found, facts, s, cost)
            continue
        cost = goal.base
        for k in range(size, 0, -1):
            cost += scores[0, s, k]
            if cost <= found.state[BEST] + goal.within:
                record(goal, found, facts, s * (size + 1) + k, cost)


@nb.njit(cache=True, nogil=True)
def are_permitted(s: int, signs: Any) -> bool:
    """Whether each fact may have the sign that it has in s."""
    for place in range(len(signs)):
        if not signs[place] & (YES if s >> (len(signs) - 1 - place) & 1 else NO):
            return False
    return True


@nb.njit(cache=True, nogil=True)
def try_points(goal: Goal, found: Found, cells: Any, facts: Any, signs: Any, costs: Any) -> None:
    """All threshold functions for all signs: each costs what its parent costs and one cell more."""
    for s in range(1 << goal.size):
        if not are_permitted(s, signs):
            continue
        swap = s ^ ((1 << goal.size) - 1)
        costs[0] = goal.base
        for f in range(1, len(goal.parent)):
            costs[f] = costs[goal.parent[f]] + cells[0, goal.cell[f] ^ swap]
            if costs[f] <= found.state[BEST] + goal.within and goal.is_whole[f]:
                record(goal, found, facts, s * len(goal.parent) + f, costs[f])


@nb.njit(cache=True, nogil=True)
def try_formula(goal: Goal, found: Found, cells: Any, facts: Any) -> None:
    """The best function of these facts, if without any of them it would cost more."""
    cost = least_cost(goal, cells)
    for place in range(goal.size):
        bit = 1 << place
        without = goal.base
        for cell in range(cells.shape[1]):
            if cell & bit:
                without += min(0, cells[0, cell] + cells[0, cell ^ bit])
        if without <= cost:
            return
    record(goal, found, facts, 0, cost)


@nb.njit(cache=True, nogil=True)
def try_facts(goal: Goal, rows: Rows, found: Found, cells: Any, facts: Any, scores: Any, costs: Any) -> None:
    """All rules of the shape over these facts."""
    found.state[N_LEAVES] += 1
    n_needed = 0
    for fact in facts[: goal.size]:
        n_needed += rows.flags[fact] & NEEDED
    if n_needed != NEEDED * goal.n_needed:
        return
    if goal.shape == FORMULA:
        try_formula(goal, found, cells, facts)
        return
    signs = find_signs(goal, rows, found, cells, facts)
    if signs.min() > 0 and goal.shape == CHECKLIST:
        try_checklists(goal, found, cells, facts, signs, scores)
    elif signs.min() > 0:
        try_points(goal, found, cells, facts, signs, costs)


@nb.njit(cache=True, nogil=True)
def spread(low: Any, rows: Rows, rest: Any, c: int, limit: int) -> None:
    """What is known with c bounds what can be had with the facts after it."""
    n_facts = len(rest) - 1
    highest = low[c, c + 1 : n_facts - 1].max()
    for other in range(c + 1, n_facts - 2):
        differ = rows.differ[rest[c], rest[other]]
        if highest - differ > limit:
            for d in range(other + 1, n_facts):
                low[other, d] = max(low[other, d], low[c, d] - differ)


@nb.njit(cache=True, nogil=True)
def search_stem(rows: Rows, goal: Goal, stem: Stem, found: Found, shared: Any, low: Any, first: int, last: int) -> int:
    """All sets of the stem and three later facts, the first of them from `first` to `last`; the least bound of all.

    `low` holds what is known from before, and then what is known of each pair c, d. `shared` holds the best cost of all
    threads, and whether to stop: then the answer is -1. With c = `always` there are two later facts only.
    """
    always, n_groups, n_chosen = len(stem.rest) - 1, len(stem.pairs), len(stem.chosen)
    both = np.zeros((n_groups, always + 1), np.int32)
    bounds = np.zeros(always + 1, np.int32)
    n_sides = 2 if len(goal.logs) else 1
    cells = np.zeros((n_sides, 1 << goal.size), np.int64)
    scores = np.zeros((n_sides, 1 << goal.size, goal.size + 2), np.int64)
    costs = np.zeros(len(goal.parent) + 1, np.int64)
    facts = np.zeros(n_chosen + 3, np.int64)
    facts[:n_chosen] = stem.chosen
    least = FAR
    for c in range(first, last):
        is_pair = c == always
        facts[n_chosen] = stem.rest[c]
        for d in range(0 if is_pair else c + 1, always - 1):
            if shared[1]:
                return -1
            if shared[0] < found.state[BEST]:
                lower_best(found, shared[0])
            limit = found.state[BEST] + goal.within + goal.slack
            if low[c, d] <= limit:
                found.state[N_SETS] += always - 1 - d
                both[:] = 0
                for w in range(len(stem.words)):
                    mask = stem.words[w, c] & stem.words[w, d]
                    if mask:
                        add_word(both[stem.group[w]], stem.words[w], mask, stem.worth[w], d + 1)
                bounds[:] = goal.base
                if n_sides == 1:
                    for g in range(n_groups):
                        add_bounds(bounds, both[g], stem.pairs[g], c, d)
                own = FAR if n_sides == 2 else nb.int64(bounds[d + 1 : always].min())
                for e in range(d + 1, always if n_sides == 2 or own <= limit else 0):
                    if n_sides == 2 or bounds[e] <= limit:
                        fill_cells(cells, stem.pairs, c, d, e, both)
                        bound = least_cost(goal, cells)
                        own = min(own, bound)
                        if bound <= limit:
                            facts[goal.size - 2], facts[goal.size - 1] = stem.rest[d], stem.rest[e]
                            try_facts(goal, rows, found, cells, facts, scores, costs)
                            limit = found.state[BEST] + goal.within + goal.slack
                            shared[0] = min(shared[0], found.state[BEST])
                low[c, d] = own
                for other in range(d + 1, always - 1):
                    low[c, other] = max(low[c, other], own - rows.differ[stem.rest[d], stem.rest[other]])
            least = min(least, low[c, d])
        if not is_pair:
            spread(low, rows, stem.rest, c, found.state[BEST] + goal.within + goal.slack)
    return least
