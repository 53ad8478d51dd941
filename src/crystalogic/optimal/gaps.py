"""The least errors of rules whose rates differ little between groups, and the whole front of errors against the gap.

The search is that of the best rule, where a rule counts only if its gap is small enough. All rules that make fewer
errors are gone through on the way, so the least gap for each number of errors up to there is known as well.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.features import Features, pack, unpack
from crystalogic.intervals import KINDS, rows_of_rate
from crystalogic.optimal import kernels as k
from crystalogic.optimal.rule import ERRORS, Counted, Needs, Question, Rule
from crystalogic.optimal.search import Engine, run_sizes, trim, watch
from crystalogic.progress import Callback, Clock, Stop

MOST_ROWS = 1 << 16
MOST_DENOMINATOR = 10**9
STAGES = (Fraction(1, 10), Fraction(1, 50), Fraction(1, 200))  # gaps to reach first: smaller ones take longer


@dataclass(frozen=True)
class Point:
    """A rule of the front: no rule that makes as few errors has a smaller gap. The rates are one for each group."""

    errors: int
    gap: Fraction
    rates: tuple[Fraction, ...]
    rule: Rule


@dataclass(frozen=True)
class Front:
    """Rules from the fewest errors on, each with a smaller gap, to the first whose gap is at most `at_most`.

    No rule with more than `most_errors` errors is among them. A rule that was not looked at makes at least `bound`
    errors, which is more than any point has, unless the search ended early.
    """

    question: Question
    at_most: Fraction
    most_errors: int
    points: tuple[Point, ...]
    bound: int
    stop: Stop

    @property
    def within(self) -> Point | None:
        """The rule of fewest errors whose gap is at most the limit, of those that were found."""
        return next((point for point in self.points if point.gap <= self.at_most), None)

    @property
    def is_whole(self) -> bool:
        """Whether all rules were looked at, or need not be."""
        return self.bound > (self.most_errors if self.within is None else self.within.errors)

    def is_proved(self, point: Point) -> bool:
        """Whether no rule with as few errors has a smaller gap."""
        return point.errors < self.bound


def places_of_rate(labels: Array, kind: str) -> Array:
    """The rows that a rate is about; the gap of misses is that of the rows of the class that are found."""
    refuse_first(TrainingDataError, {f"the gap is one of {', '.join(KINDS)}, got {kind!r}.": kind not in KINDS})
    return np.flatnonzero(rows_of_rate(np.asarray(labels).astype(bool), kind))


def find_front(
    counted: Counted,
    features: Features,
    labels: Any,
    groups: Any,
    size: int,
    shape: str = "checklist",
    *,
    kind: str = "selection",
    at_most: Fraction | int = 0,
    most_errors: int | None = None,
    needs: Needs | None = None,
    seconds: float | None = None,
    callback: Callback | None = None,
    n_threads: int | None = None,
) -> Front:
    """The least gap between groups for each number of errors, over all rules of at most `size` facts; see `solve`.

    `features` are the facts of the same rows, row by row, `labels` tells which are a yes, and `groups` in which group
    each of them is; groups without a row that the rate is about do not count. The front ends with a gap of at most
    `at_most`, and rules that make more than `most_errors` errors do not count.
    """
    limit, n_rows, own = Fraction(at_most), len(labels), places_of_rate(labels, kind)
    question = Question(size, shape, ERRORS, 0, needs or Needs())
    problems = {
        f"a gap is a number from 0 to 1 of at most 9 decimals, got {limit}.": not 0 <= limit <= 1
        or limit.denominator > MOST_DENOMINATOR,
        f"gaps are proved for at most {MOST_ROWS:,} rows, got {n_rows:,}.": n_rows > MOST_ROWS,
    }
    refuse_first(TrainingDataError, problems)
    codes = np.unique(np.asarray(groups)[own], return_inverse=True)[1]
    engine, clock = Engine(counted, question, _pack(counted, features, own, codes)), Clock(seconds, callback)
    more, most_errors = engine.unavoidable, n_rows if most_errors is None else most_errors
    engine.n_stairs = max(0, min(engine.n_stairs, most_errors - more + 1))
    bound, steps = 0, list[list[int]]()
    with clock.part(), watch(clock, engine):
        for enough in [*(each for each in STAGES if each > limit), limit]:
            engine.groups.enough[:] = enough.numerator, enough.denominator
            engine.shared[0] = engine.n_stairs
            parts, known = run_sizes(engine, 0, clock, n_threads)
            last = k.FAR if clock.stop else int(engine.shared[0])  # rules that cost more were not all gone through
            steps += [row for part in parts for row in trim(part).stair.tolist() if row[k.COST] <= last]
            bound = max(bound, known if clock.stop else min(last + 1, engine.n_stairs))
            if clock.stop:
                break
    points: list[Point] = []
    for cost, numerator, denominator, code, *facts in sorted(steps, key=lambda row: (row[k.COST], Fraction(*row[1:3]))):
        gap = Fraction(numerator, denominator)
        if not points or points[-1].gap > max(gap, limit):
            rule, score = engine.read(facts, code), np.zeros(len(own), np.int64)
            for fact, worth in zip(rule.facts, rule.points, strict=True):
                score += worth * (features.column(max(fact, ~fact))[own] == (fact >= 0))
            is_meant = (score >= rule.threshold) != (kind == "misses")
            rates = map(Fraction, np.bincount(codes, is_meant).astype(int).tolist(), np.bincount(codes).tolist())
            points.append(Point(cost + more, gap, tuple(rates), rule))
    return Front(question, limit, most_errors, tuple(points), bound + more, clock.stop or Stop.DONE)


def _pack(counted: Counted, features: Features, own: Array, codes: Array) -> k.Groups:
    """Some of the rows as bits, each group beginning with a new word."""
    places = features.place[np.array([twins[0] for twins in counted.twins], np.int64)]
    truth = unpack(features.bits[places], features.n_rows)[:, own]
    parts, sizes = [np.flatnonzero(codes == code) for code in np.unique(codes)], np.bincount(codes)
    planes = np.hstack([pack(truth[:, part]) for part in parts])
    filled = np.hstack([pack(np.ones((1, n), bool))[0] for n in sizes])
    group = np.repeat(np.arange(len(sizes)), -(-sizes // 64))
    return k.Groups(planes, filled, group, sizes, np.array([0, 1], np.int64))
