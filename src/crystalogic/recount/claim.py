"""What a certificate of optimality says, read within limits, with its rule evaluated row by row."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import pairwise, product
from math import comb
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.document import unseal
from crystalogic.errors import CertificateError, DocumentError, TooLargeError
from crystalogic.untrusted import each, flag, perhaps, shorten, table, text, whole

KIND, VERSION = "optimum", 1
MOST = {"facts": 5_000, "rows": 1_000_000, "cells": 50_000_000, "size": 8, "counts": 1_000_001, "weight": 1 << 30}
MOST |= {"sums": 1 << 25}  # over the cells of all pairs of facts, which are made at once
MOST_LOGS = 1 << 16
YES, NO, NEEDED = 1, 2, 4  # flags of a fact: it may hold, it may be false, it must be used
SHAPES = ("checklist", "points", "formula")


@dataclass(frozen=True)
class Claim:
    """The rows with what saying no or yes costs, the scope, and what is claimed of it; `logs` only for log loss."""

    truth: Array
    yes: Array  # what a no costs on each row; for log loss the weight of yes
    no: Array
    flags: tuple[int, ...]
    size: int
    shape: str
    cost: int
    bound: int
    counts: tuple[int, ...] | None
    logs: Array | None

    @property
    def usable(self) -> list[int]:
        """The facts that a rule may use."""
        return [fact for fact, flags in enumerate(self.flags) if flags & (YES | NO)]

    @property
    def needed(self) -> set[int]:
        """The facts that it must use."""
        return {fact for fact, flags in enumerate(self.flags) if flags & NEEDED}


def refuse(is_wrong: bool, message: str) -> None:
    """A CertificateError with this message, if something is wrong."""
    if is_wrong:
        raise CertificateError(message)


def read_claim(document: str) -> Claim:
    """The claim of a document whose rule has the shape, keeps the scope, and costs what is said."""
    body = unseal(document, KIND, VERSION)
    try:
        claim, rule, n_sets = _read(body)
    except (KeyError, ValueError, OverflowError) as error:
        message = f"not an {KIND}: {type(error).__name__} {shorten(str(error))}."
        raise DocumentError(message) from None
    n = len(claim.usable)
    refuse(n_sets != sum(comb(n, size) for size in range(claim.size + 1)), "the number of sets of facts is wrong.")
    refuse(claim.bound > claim.cost, "the bound lies above the cost of the rule.")
    refuse(claim.counts is not None and claim.bound < claim.cost, "rules are counted and the bound is not reached.")
    found = _cost_of(claim, rule)
    refuse(found != claim.cost, f"the rule costs {found:,}, not {claim.cost:,}.")
    return claim


def _read(body: dict[str, Any]) -> tuple[Claim, dict[str, Any], int]:
    names, flags = each(text, body["facts"], "the facts"), each(whole, body["flags"], "the flags")
    yes, no = each(whole, body["yes"], "the weights"), each(whole, body["no"], "the weights")
    size, shape, is_log = whole(body["size"], "size"), text(body["shape"], "shape"), flag(body["is_log_loss"], "log")
    counts = perhaps(lambda value, what: each(whole, value, what), body["counts"], "the counts")
    columns = each(text, body["columns"], "the columns")
    costs = whole(body["missed"], "costs"), whole(body["false_alarm"], "costs")
    n_rows, n_facts = len(yes), len(names)
    found = {"facts": n_facts, "rows": n_rows, "cells": n_rows * n_facts, "size": size, "counts": len(counts or ())}
    found |= {"weight": max(costs) * (sum(yes) + sum(no)), "sums": n_facts**2 << min(size, 9) >> 1}
    for what, number in found.items():
        if number > MOST[what]:
            message = f"this {KIND} has {number:,} {what}, more than the {MOST[what]:,} that are checked."
            raise TooLargeError(message)
    is_odd = (
        len(body) != 15
        or not n_rows == len(no) > 0
        or not n_facts == len(flags) == len(columns) == len(set(names))
        or min(0, size, *yes, *no, *flags) < 0
        or min(costs) < 1
        or max(0, 0, *flags) > (YES | NO | NEEDED)
        or shape not in SHAPES
        or (shape == "points" and size > 5)
        or (shape == "formula" and set(flags) - {0, YES | NO} != set())
        or (is_log and (shape != "checklist" or max(costs) > 1 or sum(yes) + sum(no) > MOST_LOGS))
        or (counts is not None and (not counts or (is_log and len(counts) > 1)))
        or any(not 0 < len(column) <= n_rows // 4 + 1 or set(column) - set("0123456789abcdef") for column in columns)
    )
    if is_odd:
        message = f"not an {KIND}: its parts do not fit together."
        raise DocumentError(message)
    bits = [int(column, 16).to_bytes(n_rows // 8 + 1, "little") for column in columns]
    packed = np.frombuffer(b"".join(bits), np.uint8).reshape(n_facts, n_rows // 8 + 1)
    truth = np.unpackbits(packed, axis=1, bitorder="little")[:, :n_rows].T.astype(np.float64)
    logs = _logs(sum(yes) + sum(no)) if is_log else None
    cost, bound = whole(body["cost"], "the cost"), whole(body["bound"], "the bound")
    weights = np.array(yes, np.float64) * costs[0], np.array(no, np.float64) * costs[1]
    claim = Claim(truth, *weights, flags, size, shape, cost, bound, counts, logs)
    return claim, table(body["rule"], "the rule"), whole(body["n_sets"], "the number of sets")


def _logs(total: int) -> Array:
    """t ln t for whole t, rounded to whole billionths."""
    with localcontext() as context:
        context.prec = 40
        return np.array([0] + [int((t * Decimal(t).ln()).scaleb(9).to_integral_value()) for t in range(1, total + 1)])


def _cost_of(claim: Claim, rule: dict[str, Any]) -> int:
    """What the rule costs, row by row."""
    facts, points = each(whole, rule.get("facts"), "the facts"), each(whole, rule.get("points"), "the points")
    cells, places = each(whole, rule.get("table"), "the table"), [max(fact, ~fact) for fact in facts]
    threshold, size = perhaps(whole, rule.get("threshold"), "the threshold"), len(facts)
    refuse(len(rule) != 4 or size > claim.size or len(set(places)) < size, "the rule has too many parts.")
    for fact, place in zip(facts, places, strict=True):
        is_known = place < len(claim.flags) and claim.flags[place] & (YES if fact >= 0 else NO)
        refuse(not is_known, f"the rule uses fact {place}, which it may not.")
    refuse(not claim.needed <= set(places), "the rule does not use what it must.")
    held = [claim.truth[:, f] if f >= 0 else 1 - claim.truth[:, ~f] for f in facts]
    if claim.shape == "formula" and size:
        refuse(len(cells) != 1 << size or set(cells) - {0, 1} != set() or bool(points), "the rule has no truth table.")
        number = sum((h * (1 << (size - 1 - i)) for i, h in enumerate(held)), np.zeros(len(claim.truth)))
        said = np.array(cells)[number.astype(int)]
    else:
        refuse(len(points) != size or min(1, *points, 1) < 1 or max(0, *points, 0) > 99 or bool(cells), "wrong points.")
        refuse(claim.shape == "checklist" and max(1, *points, 1) > 1, "a checklist has no points.")
        score = sum((p * h for p, h in zip(points, held, strict=True)), np.zeros(len(claim.truth)))
        if claim.logs is not None:
            refuse(threshold is not None, "where log loss counts there is no threshold.")
            sides = [np.bincount(score.astype(int), weight, size + 1) for weight in (claim.yes, claim.no)]
            return int(loss_of_scores(claim.logs, *(side[:, None] for side in sides))[0])
        refuse(threshold is None or abs(threshold) > 999, "the rule has no threshold.")
        said = score >= (threshold or 0)
    return int(np.where(said, claim.no, claim.yes).sum())


def loss_of_scores(logs: Array, yes: Array, no: Array) -> Array:
    """The least log loss of all ways to cut the scores (scores × sets) into blocks whose shares of yes rise."""
    best = np.full(yes.shape[1], np.inf)
    for cuts in product((False, True), repeat=len(yes) - 1):
        ends = [0, *(place for place, cut in enumerate(cuts, 1) if cut), len(yes)]
        blocks = [(yes[a:b].sum(axis=0).astype(int), no[a:b].sum(axis=0).astype(int)) for a, b in pairwise(ends)]
        rises = np.all([y * m < z * n for (y, n), (z, m) in pairwise(blocks)] or [[True]], axis=0)
        loss = sum(logs[y + n] - logs[y] - logs[n] for y, n in blocks)
        best = np.where(rises, np.minimum(best, loss), best)
    return best
