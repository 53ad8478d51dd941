"""Certificates of optimality, confirmed by going through all sets of facts again; no code is shared with the search.

Facts are put into ranges, which are halved, thousands at once. For one fact of each of some ranges, the cell of a row
is known if all facts of each range agree on it; the weights of these rows are counted cell by cell. If the best
function at all of these cells costs more than is claimed, no such set of facts holds a rule that matters. Of the single
facts that are left every rule is tried. All numbers are whole and below 2⁵³, so floating-point sums are exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.deadline import Deadline, TimeUp
from crystalogic.document import unseal
from crystalogic.errors import CertificateError, DocumentError, TooLargeError, refuse
from crystalogic.untrusted import each, flag, perhaps, shorten, table, text, whole

KIND, VERSION = "optimum", 1
MOST = {"facts": 5_000, "rows": 1_000_000, "cells": 50_000_000, "size": 8, "counts": 1_000_001, "weight": 1 << 30}
AT_ONCE = 1 << 22  # cells of rows and of sets
YES, NO, NEEDED = 1, 2, 4  # flags of a fact: it may hold, it may be false, it must be used
MOST_POINTS = (0, 1, 1, 2, 3, 5)  # of one fact, for every threshold function of so many


@dataclass(frozen=True)
class Claim:
    """The rows with what saying no or yes costs, the scope, and what is claimed of it."""

    truth: Array
    yes: Array  # what a no costs on each row
    no: Array
    flags: tuple[int, ...]
    size: int
    shape: str
    cost: int
    bound: int
    counts: tuple[int, ...] | None

    @property
    def usable(self) -> list[int]:
        """The facts that a rule may use."""
        return [fact for fact, flags in enumerate(self.flags) if flags & (YES | NO)]

    @property
    def needed(self) -> set[int]:
        """The facts that it must use."""
        return {fact for fact, flags in enumerate(self.flags) if flags & NEEDED}


def refuse_if(is_wrong: bool, message: str) -> None:
    """A CertificateError with this message, if something is wrong."""
    if is_wrong:
        refuse(CertificateError, message)


def read_claim(document: str) -> Claim:
    """The claim of a document whose rule has the shape, keeps the scope, and costs what is said."""
    body = unseal(document, KIND, VERSION)
    try:
        claim, rule, n_sets = _read(body)
    except (KeyError, ValueError, OverflowError) as error:
        refuse(DocumentError, f"not an {KIND}: {type(error).__name__} {shorten(str(error))}.")
    counted = sum(comb(len(claim.usable), size) for size in range(claim.size + 1))
    refuse_if(n_sets != counted, "the number of sets of facts is wrong.")
    refuse_if(claim.bound > claim.cost, "the bound lies above the cost of the rule.")
    refuse_if(claim.counts is not None and claim.bound < claim.cost, "rules are counted and the bound is not reached.")
    found = _cost_of(claim, rule)
    refuse_if(found != claim.cost, f"the rule costs {found:,}, not {claim.cost:,}.")
    return claim


def _read(body: dict[str, Any]) -> tuple[Claim, dict[str, Any], int]:
    names, flags = each(text, body["facts"], "the facts"), each(whole, body["flags"], "the flags")
    yes, no = each(whole, body["yes"], "the weights"), each(whole, body["no"], "the weights")
    size, shape = whole(body["size"], "size"), text(body["shape"], "shape")
    counts = perhaps(lambda value, what: each(whole, value, what), body["counts"], "the counts")
    columns = each(text, body["columns"], "the columns")
    costs = whole(body["missed"], "costs"), whole(body["false_alarm"], "costs")
    n_rows, n_facts = len(yes), len(names)
    found = {"facts": n_facts, "rows": n_rows, "cells": n_rows * n_facts, "size": size, "counts": len(counts or ())}
    found |= {"weight": max(costs) * (sum(yes) + sum(no))}
    for what, number in found.items():
        if number > MOST[what]:
            refuse(TooLargeError, f"this {KIND} has {number:,} {what}, more than the {MOST[what]:,} that are checked.")
    is_odd = (
        len(body) != 15
        or not n_rows == len(no) > 0
        or not n_facts == len(flags) == len(columns) == len(set(names))
        or min(0, size, *yes, *no, *flags) < 0
        or min(costs) < 1
        or max(0, 0, *flags) > (YES | NO | NEEDED)
        or shape not in ("checklist", "points")
        or (shape == "points" and size > 5)
        or flag(body["is_log_loss"], "log")
        or counts == ()
        or any(not 0 < len(column) <= n_rows // 4 + 1 or set(column) - set("0123456789abcdef") for column in columns)
    )
    if is_odd:
        refuse(DocumentError, f"not an {KIND}: its parts do not fit together.")
    bits = [int(column, 16).to_bytes(n_rows // 8 + 1, "little") for column in columns]
    packed = np.frombuffer(b"".join(bits), np.uint8).reshape(n_facts, n_rows // 8 + 1)
    truth = np.unpackbits(packed, axis=1, bitorder="little")[:, :n_rows].T
    cost, bound = whole(body["cost"], "the cost"), whole(body["bound"], "the bound")
    weights = np.array(yes, np.float64) * costs[0], np.array(no, np.float64) * costs[1]
    claim = Claim(truth, *weights, flags, size, shape, cost, bound, counts)
    return claim, table(body["rule"], "the rule"), whole(body["n_sets"], "the number of sets")


def _cost_of(claim: Claim, rule: dict[str, Any]) -> int:
    """What the rule costs, row by row."""
    facts, points = each(whole, rule.get("facts"), "the facts"), each(whole, rule.get("points"), "the points")
    cells, places = each(whole, rule.get("table"), "the table"), [max(fact, ~fact) for fact in facts]
    threshold, size = whole(rule.get("threshold"), "the threshold"), len(facts)
    refuse_if(len(rule) != 4 or size > claim.size or len(set(places)) < size, "the rule has too many parts.")
    for fact, place in zip(facts, places, strict=True):
        is_known = place < len(claim.flags) and claim.flags[place] & (YES if fact >= 0 else NO)
        refuse_if(not is_known, f"the rule uses fact {place}, which it may not.")
    refuse_if(not claim.needed <= set(places), "the rule does not use what it must.")
    refuse_if(len(points) != size or min(1, *points, 1) < 1 or max(0, *points, 0) > 99 or bool(cells), "wrong points.")
    refuse_if(claim.shape == "checklist" and max(1, *points, 1) > 1, "a checklist has no points.")
    refuse_if(abs(threshold) > 999, "the rule has no threshold.")
    held = [claim.truth[:, f] if f >= 0 else 1 - claim.truth[:, ~f] for f in facts]
    score = sum((p * h for p, h in zip(points, held, strict=True)), np.zeros(len(claim.truth)))
    return int(np.where(score >= threshold, claim.no, claim.yes).sum())


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
    """What of a certificate (`optimal.certify`) was confirmed in time; a CertificateError if anything is false."""
    deadline, claim = Deadline.after(seconds), read_claim(document)
    n_counts = len(claim.counts or (0,))
    counts, limit = np.zeros(n_counts, np.int64), claim.bound - 1 if claim.counts is None else claim.cost + n_counts - 1
    try:
        for costs in _all_costs(claim, limit, deadline):
            least = costs.min(initial=claim.bound)
            refuse_if(least < claim.bound, f"there is a rule that costs {least:,.0f}.")
            near = costs[(costs >= claim.cost) & (costs < claim.cost + n_counts)] - claim.cost
            counts += np.bincount(near.astype(np.int64), minlength=n_counts)
    except TimeUp:
        return Confirmed(claim.cost, None, None)
    is_other = claim.counts not in (None, tuple(counts.tolist()))
    refuse_if(is_other, "there are other numbers of rules than those claimed.")
    return Confirmed(claim.cost, claim.bound, claim.counts)


@dataclass(frozen=True)
class Ranges:
    """Whether all facts of a range hold (1) or fail (0) on each row, 256 if some do; the whole range comes first."""

    low: Array  # the first fact of each range
    truth: Array  # ranges × rows
    halves: Array  # ranges × 2; 0 for single facts
    doubt: Array  # the weight of rows with 256; less than any for single facts

    @staticmethod
    def of(claim: Claim) -> "Ranges":
        """All halves of halves of the facts that a rule may use."""
        ends, halves = [(0, len(claim.usable))], list[tuple[int, int]]()
        for low, high in ends:  # which grow
            halves.append((len(ends), len(ends) + 1) if high - low > 1 else (0, 0))
            ends += [(low, (low + high) // 2), ((low + high) // 2, high)] if high - low > 1 else []
        first, last = np.array(ends).T
        held = np.cumsum(np.pad(claim.truth[:, claim.usable].T, ((1, 0), (0, 0))), axis=0, dtype=np.int32)
        held = held[last] - held[first]
        truth = np.where(held == (last - first)[:, None], 1, np.where(held > 0, 256, 0)).astype(np.uint16)
        doubt = np.where(last - first > 1, (truth > 1) @ (claim.yes + claim.no), -1)
        return Ranges(np.array(claim.usable)[first], truth, np.array(halves), doubt)

    def halve(self, sets: Array) -> Array:
        """What becomes of each set when its range of most doubt is halved, for all ways to share out its facts."""
        own = np.take_along_axis(sets, self.doubt[sets].argmax(axis=1)[:, None], 1)
        is_own, (left, right) = sets == own, self.halves[own].T.reshape(2, -1, 1)
        rank, n_own = is_own.cumsum(axis=1), is_own.sum(axis=1)
        ways = [np.where(is_own, np.where(rank <= n, left, right), sets)[n <= n_own] for n in range(sets.shape[1] + 1)]
        return np.concatenate(ways)


def _all_costs(claim: Claim, limit: int, deadline: Deadline) -> Iterator[Array]:
    """The costs of all rules, except of sets of facts that have none within the limit."""
    needed = list(claim.needed)
    if not needed:
        yield np.array([claim.yes.sum(), claim.no.sum()])
    if not claim.usable:
        return
    ranges = Ranges.of(claim)
    for size in range(1, claim.size + 1):
        stack = [np.zeros((1, size), int)]
        n_at_once = max(1, AT_ONCE // (len(claim.yes) + (4 << size)))
        while stack:
            deadline.check()
            sets, rest = np.split(stack.pop(), [n_at_once])
            yes, no = _sum_cells(claim, ranges.truth, sets)
            near, facts = np.minimum(yes, no).sum(axis=0) <= limit, ranges.low[sets]
            is_single = (ranges.doubt[sets] < 0).all(axis=1)
            stack += [each for each in (rest, ranges.halve(sets[near & ~is_single])) if len(each)]
            own = near & is_single & (np.diff(facts) > 0).all(axis=1)  # else a fact stands there twice
            own &= np.isin(facts, needed).sum(axis=1) == len(needed)
            if own.any():
                yield from _costs_of_sets(claim, limit, facts[own], yes[:, own], no[:, own])


def _sum_cells(claim: Claim, truth: Array, sets: Array) -> list[Array]:
    """The weight of yes and of no in each cell of each set (cells × sets), the first as the highest bit of a number."""
    n_sets, n_cells, found = len(sets), 1 << sets.shape[1], []
    cells = np.zeros((n_sets, len(claim.yes)), np.uint16)
    for place in sets.T:
        cells = np.minimum(2 * cells, 512) + truth[place]
    where = np.minimum(cells, n_cells) + np.arange(n_sets)[:, None] * (n_cells + 1)
    for weight in (claim.yes, claim.no):
        own = where[:, weight > 0]
        counted = np.bincount(own.ravel(), np.tile(weight[weight > 0], n_sets), n_sets * (n_cells + 1))
        found.append(counted.reshape(n_sets, -1)[:, :n_cells].T)
    return found


def _costs_of_sets(claim: Claim, limit: int, sets: Array, yes: Array, no: Array) -> Iterator[Array]:
    """The costs of all rules over sets of facts that can have one within the limit."""
    n_cells, size = len(yes), sets.shape[1]
    near, flags = np.minimum(yes, no).sum(axis=0) <= limit, np.array(claim.flags, int)[sets]
    for signs in product((YES, NO), repeat=size):
        own = near & (flags & np.array(signs, int) > 0).all(axis=1)
        order = [cell ^ sum((sign == NO) << (size - 1 - i) for i, sign in enumerate(signs)) for cell in range(n_cells)]
        if own.any():
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
