"""The best rule of a shape over at most so many facts, with a proof: every set of facts is looked at, or bounded.

Sets are taken size by size. Jobs are blocks of facts, or first facts of a set; each has its own best and counts, and
threads share the best cost alone, which only says how much can be skipped: any number gives the same answer.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.document import seal
from crystalogic.errors import TooLargeError, TrainingDataError, refuse, refuse_first
from crystalogic.features import Features
from crystalogic.optimal import blocks as b
from crystalogic.optimal import kernels as k
from crystalogic.optimal.rule import ERRORS, MOST_WEIGHT, Counted, Needs, Objective, Optimum, Question, Rule, count_rows
from crystalogic.progress import Callback, Clock, Stop, in_threads

CHUNK = 4  # first facts of a job for sets of three
EVERY = 0.02  # seconds between looks at the clock while kernels run
SETS_A_BOUND, FEWEST_BOUNDS = 64, 1 << 18  # sets that are counted in the time of one bound; for fewer, all sets are
SHARES = (0.15, 0.3, 0.5, 0.7, 0.8, 0.9)  # of the best cost, for which bounds of all sizes are shown one after another


class Engine:
    """The rows, and what is being searched: which size, and in which way."""

    def __init__(self, counted: Counted, question: Question, groups: k.Groups = k.NO_GROUPS) -> None:
        self.counted, self.question, self.groups = counted, question, groups
        self.flags = flag_facts(counted, question.needs)
        self.usable = np.flatnonzero(self.flags & 3)
        costs = question.objective
        missed, alarm = counted.yes * costs.missed, counted.no * costs.false_alarm
        worth = alarm - missed  # what equal rows of both classes cost in any case is set aside
        self.unavoidable, self.base = int(np.minimum(missed, alarm).sum()), int(-worth[worth < 0].sum())
        self.rows = self._split(worth)
        most = int(np.abs(worth).sum()) + 1
        self.shared = np.array([most, 0, 0])  # the best cost of all threads, whether to stop, and bounds so far
        self.n_stairs = most if len(groups.sizes) else 0  # costs for which the least gap is kept

    def _split(self, worth: Array) -> k.Rows:
        """Each row once for each bit of its weight, sorted by worth."""
        truth, weight = self.counted.truth, np.abs(worth)
        message = f"weights times costs add up to more than {MOST_WEIGHT:,}. Divide them by a common number."
        refuse_first(TooLargeError, {message: bool(weight.sum() >= MOST_WEIGHT)})
        bits = [np.flatnonzero(weight >> bit & 1) for bit in range(31)]
        place = np.concatenate(bits)
        split = np.concatenate([np.sign(worth[own]) << bit for bit, own in enumerate(bits)]).astype(np.int32)
        order = np.argsort(split, kind="stable")
        return k.Rows(np.hstack([truth[place[order]], np.ones((len(place), 1), np.uint8)]), split[order], self.flags)

    def jobs(self) -> list[Any]:
        """The parts of a search: blocks of facts, or places of first facts among the usable ones."""
        size, n = self.goal.size, len(self.usable) - self.goal.size + 1
        if self.most_bounds:
            return list(b.make_roots(self.blocks, size))
        step = n if size < 3 else CHUNK if size == 3 else 1
        return [range(i, min(i + step, n)) for i in range(0, n, step)]

    def begin(self, size: int, room: int, target: int = k.FAR, most_bounds: int = 0) -> None:
        """Turns to sets of this size, with room to list so many rules of a job, or to blocks, bounded to a target."""
        self.target, self.most_bounds, self.is_whole, self.shared[2] = target, most_bounds, True, 0
        known, asked = self.question.functions(size), (self.question.within, len(self.question.needs.used))
        self.goal = k.Goal(size, self.base, *asked, known.parent, known.cell, known.is_whole, self.groups)
        self.room, self.stem = room, self._stem((), self.usable) if 0 < size <= 3 and not most_bounds else None

    def try_constants(self) -> k.Found:
        """Always no, and always yes: rules without facts."""
        found, cells = self.found(self.room), np.array([self.rows.worth.sum()], np.int64)
        tally, costs = np.zeros((len(self.groups.sizes), 1), np.int64), np.zeros(2, np.int64)
        k.try_facts(self.goal, self.rows, found, cells, np.zeros(0, np.int64), costs, tally)
        self.shared[0] = min(self.shared[0], found.state[k.BEST])
        return trim(found)

    @cached_property
    def blocks(self) -> b.Blocks:
        """The facts as blocks of similar ones."""
        return b.make_blocks(self.rows, self.usable)

    def search(self, job: Any) -> k.Found:
        """All sets of a job; whether that is so for all jobs, `is_whole` tells."""
        found = self.found(self.room)
        if self.most_bounds:
            of_job = found, self.shared, job, self.target, self.most_bounds
            is_done = b.search_blocks(self.rows, self.goal, self.blocks, *of_job)
            self.shared[2] += found.state[k.N_SETS]
        else:
            known = self.rows, self.goal
            is_done = all(k.search_stem(*known, stem, found, self.shared, *ends) for stem, *ends in self._stems(job))
        if not is_done:
            self.is_whole = False
        return trim(found)

    def _stems(self, job: range) -> Iterator[tuple[k.Stem, int, int]]:
        """The stems of all sets with these first facts, and the places of the first of three later ones."""
        n = len(self.usable)
        if self.stem:  # sets of one or two have `always` as their first fact
            yield self.stem, *((job.start, job.stop) if self.goal.size > 2 else (n, n + 1))
            return
        for first in job:
            for more in combinations(range(first + 1, n - 3), self.goal.size - 4):
                places = [first, *more]
                rest = self.usable[places[-1] + 1 :]
                yield self._stem(self.usable[places].tolist(), rest), 0, len(rest) - 2

    def improve(self, facts: Sequence[int]) -> k.Found | None:
        """A good rule to begin with: any two facts of a set are exchanged for the best others, while that helps."""
        best, size = None, self.goal.size
        while size > 2:
            found = self.found(0)
            for kept in combinations(facts, size - 2):
                rest = self.usable[~np.isin(self.usable, kept)]
                n, stem = len(rest), self._stem(kept, rest)
                k.search_stem(self.rows, self.goal, stem, found, self.shared, n, n + 1)
            if not found.state[k.HAS_RULE] or (best and best.state[k.BEST] <= found.state[k.BEST]):
                break
            best, facts = found, found.state[k.FACTS :].tolist()
            forget(best)
        return best

    def read(self, facts: Sequence[int], code: int) -> Rule:
        """The rule that a kernel found over these facts."""
        size, places = len(facts), [self.counted.twins[fact][0] for fact in facts]
        if not size:
            return Rule((), (), 1 - code)
        known = self.question.functions(size)
        signs, code = divmod(code, len(known.parent))
        literals = [p if signs >> (size - 1 - i) & 1 else ~p for i, p in enumerate(places)]
        pairs = sorted(zip(literals, known.points[code].tolist(), strict=True), key=lambda pair: max(pair[0], ~pair[0]))
        return Rule(tuple(p for p, _ in pairs), tuple(p for _, p in pairs), int(known.threshold[code]))

    def found(self, room: int) -> k.Found:
        """Nothing yet."""
        state = np.zeros(k.FACTS + self.goal.size, np.int64)
        state[k.BEST] = self.shared[0]
        counts = np.zeros(self.goal.within + 1, np.int64)
        stair = np.zeros((self.n_stairs, k.STEP_FACTS + self.goal.size), np.int64)
        stair[:, k.COST], stair[:, k.NUMERATOR], stair[:, k.DENOMINATOR] = np.arange(len(stair)), k.NO_GAP_YET, 1
        return k.Found(state, counts, np.zeros((room, 2 + self.goal.size), np.int64), stair)

    def _stem(self, chosen: Sequence[int], rest: Array) -> k.Stem:
        """The rows sorted by the cells of the chosen facts, and all sums over pairs of the others."""
        rest, own = np.append(rest, self.rows.truth.shape[1] - 1), np.array(chosen, np.int64)
        n_groups = 1 << len(chosen)
        n_words = len(self.rows.worth) // 64 + n_groups * (1 + len(np.unique(self.rows.worth)))
        words, worth = np.zeros((n_words, len(rest)), np.uint64), np.zeros(n_words, np.int32)
        group, pairs = np.zeros(n_words, np.int64), np.zeros((n_groups, len(rest), len(rest)), np.int32)
        n = k.pack_stem(self.rows, own, rest, words, worth, group)
        k.sum_pairs(words[:n], worth[:n], group[:n], pairs)
        return k.Stem(own, rest, words[:n], worth[:n], group[:n], pairs)


def trim(found: k.Found) -> k.Found:
    """The same without the room that is left in the list, and without stairs that are no higher than the one before."""
    stair, n_listed = found.stair, found.state[k.N_LISTED]
    before = np.vstack([np.array([[0, k.NO_GAP_YET, 1, 0]]), stair[:-1, : k.STEP_FACTS]]) if len(stair) else stair
    is_step = stair[:, k.NUMERATOR] * before[:, k.DENOMINATOR] < before[:, k.NUMERATOR] * stair[:, k.DENOMINATOR]
    return k.Found(found.state, found.counts, found.listed[:n_listed].copy(), stair[is_step])


def forget(found: k.Found) -> k.Found:
    """The best rule alone: what was looked at is counted by a later search."""
    found.counts[:], found.state[k.N_LISTED : k.FACTS] = 0, 0
    return found._replace(listed=found.listed[:0])


def flag_facts(counted: Counted, needs: Needs) -> Array:
    """Which signs each fact may have, and whether it must be used; what is said of a twin must be said of the first."""
    names = [counted.names[own[0]] for own in counted.twins]
    for name in needs.used:
        message = f"the fact {name!r} cannot be asked for: there is no such fact, it is constant, or it has a twin."
        refuse_first(TrainingDataError, {message: name not in names})
    signs = {0: k.YES | k.NO, 1: k.YES, -1: k.NO}
    flags = [0 if name in needs.unused else signs[needs.signs.get(name, 0)] for name in names]
    return np.array([flag | k.NEEDED * (name in needs.used) for flag, name in zip(flags, names, strict=True)], np.int64)


def compile_kernels() -> None:
    """Compiles the kernels where no earlier run has, which takes a while: no part of the time that is allowed."""
    facts = np.indices((2,) * 4).reshape(4, -1)
    counted = count_rows(Features.of(facts, "abcd", 16), facts.sum(axis=0) > 2)
    engine = Engine(counted, solve(counted, 4, n_threads=1).question)
    engine.begin(4, 0, most_bounds=FEWEST_BOUNDS)
    engine.search(engine.jobs()[0])


def solve(
    counted: Counted,
    size: int,
    shape: str = "checklist",
    objective: Objective = ERRORS,
    *,
    within: int = 0,
    most: int = 0,
    seconds: float | None = None,
    callback: Callback | None = None,
    n_threads: int | None = None,
    needs: Needs | None = None,
) -> Optimum:
    """The best rule over at most `size` facts, or the best so far with a bound that is proved.

    Parameters beside those of `best.find_best`:
        within: a cost; rules that cost so much more than the best are counted, too.
        most: how many rules are listed.
        needs: what the rule must keep.
    """
    engine = Engine(counted, Question(size, shape, objective, within, needs or Needs()))
    clock = Clock(seconds, callback)
    with clock.part(), watch(clock, engine):
        parts, bound = run_sizes(engine, most, clock, n_threads)
        are_full = any(part.state[k.N_LISTED] > most for part in parts)  # perhaps with rules that were best once
        if most and are_full and not clock.is_over():
            again = run_sizes(engine, most, clock, n_threads)
            parts, bound = (parts, bound) if clock.is_over() else again
    return _gather(engine, parts, clock, bound, most)


def _rank(found: k.Found) -> tuple[Any, ...]:
    """The cost of the best rule that was found, its size, and its facts in order."""
    best = int(found.state[k.BEST]) if found.state[k.HAS_RULE] else k.FAR
    return best, len(found.state), found.state[k.FACTS :].tolist()


def run_sizes(engine: Engine, most: int, clock: Clock, n_threads: int | None) -> tuple[list[k.Found], int]:
    """All sizes, from the smallest on: what was found, and what is proved of the rest.

    Where there are many sets, blocks of facts are bounded: first for all sizes up to a rising share of the best cost,
    since time may end, then up to the best. If that takes too many bounds, all sets are counted.
    """
    sizes = range(1, min(engine.question.size, len(engine.usable)) + 1)
    n_bounds = {each: comb(len(engine.usable), each) // SETS_A_BOUND for each in sizes[2:]}
    n_bounds = {each: n for each, n in n_bounds.items() if n >= FEWEST_BOUNDS}
    engine.begin(0, most)
    parts, begun, proved = [engine.try_constants()], list[k.Found](), dict.fromkeys(sizes, 0)
    clock.done = clock.total = 0

    def search(job: Any) -> k.Found:
        done, high = engine.search(job), int(engine.shared[0])
        low = min(high, *proved.values()) + engine.unavoidable
        clock.tick(f"{engine.goal.size} facts, best {high + engine.unavoidable}, at least {low}")
        return done

    def run(each: int, room: int, target: int = k.FAR) -> list[k.Found]:
        engine.begin(each, room, target, n_bounds.get(each, 0))
        jobs = engine.jobs()
        clock.total += len(jobs)
        found = in_threads(search, jobs, n_threads or os.cpu_count() or 1, clock)
        if engine.is_whole and not any(part is None for part in found):
            proved[each] = max(proved[each], target)
        elif not clock.is_over():
            n_bounds.pop(each, None)
        if each in n_bounds:
            n_bounds[each] = max(1, n_bounds[each] - int(engine.shared[2]))
        return [part for part in found if part is not None]

    for each in sizes:
        if each == 3 and not clock.is_over():
            begun += _begin(engine, sizes[2:], min(parts, key=_rank))
        if each == min(n_bounds, default=0):  # sizes of few sets are proved by now
            for share, own in product(SHARES, [*n_bounds]):
                target = int(engine.shared[0] * share)
                if own in n_bounds and target > proved[own] and not clock.is_over():
                    begun += map(forget, run(own, 0, target))
        found = [] if clock.is_over() else run(each, most)
        if proved[each] < k.FAR and not clock.is_over():
            begun, found = begun + [forget(part) for part in found], run(each, most)
        parts += found
    return parts + begun, min(int(engine.shared[0]), *proved.values(), k.FAR)


def _begin(engine: Engine, sizes: range, best: k.Found) -> list[k.Found]:
    """Good rules of all sizes, each from that of the size before: time may end, and they say what can be skipped."""
    begun: list[k.Found] = []
    for size in sizes:
        engine.begin(size, 0)
        if (found := engine.improve(best.state[k.FACTS :].tolist())) is not None:
            best = found
            begun.append(found)
    return begun


def _gather(engine: Engine, parts: list[k.Found], clock: Clock, bound: int, most: int) -> Optimum:
    """The parts as one answer."""
    best, question, more = min(parts, key=_rank), engine.question, engine.unavoidable
    if not best.state[k.HAS_RULE]:
        refuse(TrainingDataError, "no rule of this size keeps what is needed. Ask for less, or allow more facts.")
    cost, counts, listed = int(best.state[k.BEST]), np.zeros(len(best.counts), np.int64), list[tuple[int, Rule]]()
    for part in parts:
        above = int(part.state[k.BEST]) - cost
        counts[above:] += part.counts[: max(0, len(counts) - above)]
        near = part.listed[part.listed[:, 0] <= cost + question.within]
        listed += [(row[0] + more, engine.read(row[2:], row[1])) for row in near.tolist()]
    listed.sort(key=lambda pair: (pair[0], len(pair[1].facts), [max(f, ~f) for f in pair[1].facts]))
    rule = engine.read(best.state[k.FACTS :].tolist(), int(best.state[k.CODE]))
    costs = cost + more, min(bound, cost) + more, tuple(counts.tolist())
    is_complete = not clock.stop and len(listed) <= most and all(part.state[k.N_LISTED] <= most for part in parts)
    n_sets = sum(comb(len(engine.usable), size) for size in range(question.size + 1))
    n_scanned = sum(int(part.state[k.N_SETS]) for part in parts)
    found = question, rule, *costs, tuple(listed[:most]), is_complete, n_sets
    return Optimum(*found, clock.stop or Stop.DONE, n_scanned, clock.seconds)


@contextmanager
def watch(clock: Clock, engine: Engine) -> Iterator[None]:
    """Tells the kernels when the time is over."""
    is_done = threading.Event()

    def look() -> None:
        while not is_done.wait(EVERY):
            engine.shared[1] = clock.is_over()

    with ThreadPoolExecutor(1) as watcher:
        watcher.submit(look)
        try:
            yield
        finally:
            is_done.set()


KIND, VERSION = "optimum", 1


def certify(counted: Counted, optimum: Optimum) -> str:
    """The rows, the question and the answer as a sealed document; what is not proved is not claimed."""
    question, rule = optimum.question, optimum.rule
    place_of = {own[0]: place for place, own in enumerate(counted.twins)}
    facts = [place_of[fact] if fact >= 0 else ~place_of[~fact] for fact in rule.facts]
    columns = np.packbits(counted.truth, axis=0, bitorder="little").T  # numbers with the first row as their lowest bit
    body = {
        "facts": [counted.names[own[0]] for own in counted.twins],
        "flags": flag_facts(counted, question.needs).tolist(),
        "columns": [f"{int.from_bytes(column.tobytes(), 'little'):x}" for column in columns],
        "yes": counted.yes.tolist(),
        "no": counted.no.tolist(),
        "size": question.size,
        "shape": question.shape,
        **vars(question.objective),
        "is_log_loss": False,  # nor truth tables: the format has room for more than rules with points
        "cost": optimum.cost,
        "bound": optimum.bound,
        "counts": list(optimum.counts) if optimum.is_whole else None,
        "n_sets": optimum.n_sets,
        "rule": {"facts": facts, "points": rule.points, "threshold": rule.threshold, "table": []},
    }
    return seal(KIND, VERSION, body)
