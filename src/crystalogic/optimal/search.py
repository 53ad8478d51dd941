"""The best rule of a shape over at most so many facts, with a proof: every set of facts is looked at, or bounded.

Sets are taken size by size. Jobs are blocks of facts, or first facts of a set; each has its own best and counts, and
threads share the best cost alone, which only says how much can be skipped: any number gives the same answer.
"""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from math import comb
from typing import Any

from crystalogic.arrays import np
from crystalogic.document import seal
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.features import Features
from crystalogic.optimal import kernels as k
from crystalogic.optimal.engine import Engine, flag_facts, forget
from crystalogic.optimal.rule import ERRORS, Counted, Needs, Objective, Optimum, Question, Rule, count_rows
from crystalogic.progress import Callback, Clock, Stop, in_threads

EVERY = 0.02  # seconds between looks at the clock while kernels run
SETS_A_BOUND, FEWEST_BOUNDS = 64, 1 << 18  # sets that are counted in the time of one bound; for fewer, all sets are
SHARES = (0.15, 0.3, 0.5, 0.7, 0.8, 0.9)  # of the best cost, for which bounds of all sizes are shown one after another


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
        found = engine.improve(best.state[k.FACTS :].tolist())
        if found is not None:
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
        "missed": question.objective.missed,
        "false_alarm": question.objective.false_alarm,
        "is_log_loss": False,  # nor truth tables: the format has room for more than rules with points
        "cost": optimum.cost,
        "bound": optimum.bound,
        "counts": list(optimum.counts) if optimum.is_whole else None,
        "n_sets": optimum.n_sets,
        "rule": {"facts": facts, "points": rule.points, "threshold": rule.threshold, "table": []},
    }
    return seal(KIND, VERSION, body)
