"""Confirm a certificate of optimality by going through all sets of facts again, in another way than the search.

For all facts but two of a set, the rows of each of their cells are a matrix; its product with itself counts the cells
of all pairs of later facts at once. All numbers are whole and below 2⁵³, so floating-point products are exact. A set
whose best function at all lies above what is claimed holds no rule that matters; of the others every rule is tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from crystalogic.arrays import Array, np
from crystalogic.deadline import Deadline, TimeUp
from crystalogic.recount.claim import NO, YES, Claim, loss_of_scores, read_claim, refuse

MOST_POINTS = (0, 1, 1, 2, 3, 5)  # of one fact, for every threshold function of so many


@dataclass(frozen=True)
class Confirmed:
    """What was confirmed: the cost of the rule always, the rest if there was time to go through all sets."""

    cost: int
    bound: int | None
    counts: tuple[int, ...] | None

    def __str__(self) -> str:
        if self.bound is None:
            return f"Confirmed: the rule costs {self.cost:,}. Not confirmed, for want of time: that none is better."
        if self.counts is None:
            return f"Confirmed: the rule costs {self.cost:,}, and none of the scope costs less than {self.bound:,}."
        return f"Confirmed: the rule costs {self.cost:,}, none of the scope less, and {self.counts[0]:,} as much."


def check(document: str, seconds: float = 60.0) -> Confirmed:
    """What of a certificate was confirmed within the time; a CertificateError if anything in it is false.

    Parameters:
        document: what `optimal.certify` wrote.
        seconds: the time allowed for going through all sets of facts.
    """
    deadline, claim = Deadline.after(seconds), read_claim(document)
    n_counts = len(claim.counts or (0,))
    counts = np.zeros(n_counts, np.int64)
    try:
        for costs in _all_costs(claim, claim.cost + n_counts - 1, deadline):
            least = costs.min(initial=claim.bound)
            refuse(least < claim.bound, f"there is a rule that costs {least:,.0f}.")
            near = costs[(costs >= claim.cost) & (costs < claim.cost + n_counts)] - claim.cost
            counts += np.bincount(near.astype(np.int64), minlength=n_counts)
    except TimeUp:
        return Confirmed(claim.cost, None, None)
    found = tuple(counts.tolist())
    refuse(claim.counts not in (None, found), "there are other numbers of rules than those claimed.")
    return Confirmed(claim.cost, claim.bound, claim.counts)


def _all_costs(claim: Claim, limit: int, deadline: Deadline) -> Iterator[Array]:
    """The costs of all rules, except of sets of facts that have none within the limit."""
    usable = claim.usable
    for size in range(min(claim.size, len(usable)) + 1):
        n_last = 2 if size > 1 else 0
        for first in combinations(usable, size - n_last):
            deadline.check()
            later = [fact for fact in usable if not first or fact > first[-1]]
            last = list(combinations(later, n_last))
            pairs = np.array(last, int).reshape(len(last), n_last)
            sets = np.hstack([np.tile(np.array(first, int), (len(pairs), 1)), pairs])
            is_allowed = np.isin(sets, list(claim.needed)).sum(axis=1) == len(claim.needed)
            if is_allowed.any():
                cells = [_sum_cells(claim.truth, side, first, pairs)[:, is_allowed] for side in (claim.yes, claim.no)]
                yield from _costs_of_sets(claim, limit, sets[is_allowed], *cells)


def _sum_cells(truth: Array, weight: Array, first: tuple[int, ...], pairs: Array) -> Array:
    """The weight in each cell of each set (cells × sets), the first fact as the highest bit of a cell's number."""
    cells = []
    for values in product((0, 1), repeat=len(first)):
        inside = (truth[:, first] == values).all(axis=1) & (weight > 0)
        rows, own = truth[inside], weight[inside]
        total, alone = own.sum(), own @ rows
        if not pairs.shape[1]:
            cells.append(np.full((1, len(pairs)), total))
            continue
        d, e = pairs.T
        both = ((rows * own[:, None]).T @ rows)[d, e]
        cells.append(np.array([total - alone[d] - alone[e] + both, alone[e] - both, alone[d] - both, both]))
    return np.concatenate(cells)


def _costs_of_sets(claim: Claim, limit: int, sets: Array, yes: Array, no: Array) -> Iterator[Array]:
    """The costs of all rules over sets of facts that can have one within the limit."""
    n_cells, size = len(yes), sets.shape[1]
    if claim.logs is None:
        least, slack = np.minimum(yes, no).sum(axis=0), 0
    else:
        y, n = yes.astype(int), no.astype(int)
        least = (claim.logs[y + n] - claim.logs[y] - claim.logs[n]).sum(axis=0)
        slack = 2 * (n_cells + size + 1)  # each of these terms is rounded
    if claim.shape == "formula":
        pairs = [[c for c in range(n_cells) if not c >> b & 1] for b in range(size)]
        fewer = [
            np.minimum(yes[own] + yes[[c | 1 << b for c in own]], no[own] + no[[c | 1 << b for c in own]]).sum(axis=0)
            for b, own in enumerate(pairs)
        ]
        yield least[np.all([least < other for other in fewer], axis=0)] if fewer else least
        return
    near = least <= limit + slack
    flags = np.array(claim.flags, int)[sets]
    for signs in product((YES, NO), repeat=size):
        own = near & (flags & np.array(signs, int) > 0).all(axis=1)
        order = [cell ^ sum((sign == NO) << (size - 1 - i) for i, sign in enumerate(signs)) for cell in range(n_cells)]
        if not own.any():
            continue
        if claim.logs is not None:
            held = np.array([[cell.bit_count() == t for cell in range(n_cells)] for t in range(size + 1)], float)
            yield loss_of_scores(claim.logs, held @ yes[order][:, own], held @ no[order][:, own])
        else:
            tables = rising(claim.shape, size)
            yield (tables @ no[order][:, own] + (1 - tables) @ yes[order][:, own]).ravel()


@cache
def rising(shape: str, size: int) -> Array:
    """The functions of this shape that rise with each of their facts and depend on each (functions × cells)."""
    if not size:
        return np.array([[0.0], [1.0]])
    cells = np.array(list(product((0, 1), repeat=size)))
    if shape == "checklist":
        return np.array([cells.sum(axis=1) >= least for least in range(1, size + 1)], float)
    scores = np.array(list(product(range(MOST_POINTS[size] + 1), repeat=size))) @ cells.T
    bits = 1 << np.arange(len(cells))
    found = [np.unique((scores >= least) @ bits) for least in range(int(scores.max()) + 2)]
    tables = np.unique(np.concatenate(found))[:, None] // bits % 2
    halves = [(tables[:, cells[:, f] == 0], tables[:, cells[:, f] == 1]) for f in range(size)]
    return np.asarray(tables[np.all([(low != high).any(axis=1) for low, high in halves], axis=0)], float)
