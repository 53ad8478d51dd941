"""One question as the kernels want it: rows split by the bits of their weights, jobs of blocks or of stems."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import TooLargeError, TrainingDataError
from crystalogic.optimal import blocks as b
from crystalogic.optimal import kernels as k
from crystalogic.optimal.rule import MOST_WEIGHT, Counted, Needs, Question, Rule

CHUNK = 4  # first facts of a job for sets of three


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
        if weight.sum() >= MOST_WEIGHT:
            message = f"weights times costs add up to more than {MOST_WEIGHT:,}. Divide them by a common number."
            raise TooLargeError(message)
        bits = [np.flatnonzero(weight >> bit & 1) for bit in range(31)]
        place = np.concatenate(bits)
        split = np.concatenate([np.sign(worth[own]) << bit for bit, own in enumerate(bits)]).astype(np.int32)
        order = np.argsort(split, kind="stable")
        truth = np.hstack([truth[place[order]], np.ones((len(place), 1), np.uint8)])
        return k.Rows(truth, split[order], self.flags)

    def jobs(self) -> list[Any]:
        """The parts of a search: blocks of facts, or places of first facts among the usable ones."""
        size, n = self.goal.size, len(self.usable) - self.goal.size + 1
        if self.most_bounds:
            return list(b.make_roots(self.blocks, size))
        step = n if size < 3 else CHUNK if size == 3 else 1
        return [range(i, min(i + step, n)) for i in range(0, n, step)]

    def begin(self, size: int, room: int, target: int = k.FAR, most_bounds: int = 0) -> None:
        """Turns to sets of this size, with room for so many rules in the list of each job.

        Blocks of facts are bounded up to the target, if so many bounds may be counted for it; otherwise all sets are.
        """
        self.target, self.most_bounds, self.is_whole, self.shared[2] = target, most_bounds, True, 0
        known, n_needed = self.question.functions(size), len(self.question.needs.used)
        functions = known.parent, known.cell, known.is_whole
        self.goal = k.Goal(size, self.base, self.question.within, n_needed, *functions, self.groups)
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
            known = self.rows, self.goal, self.blocks, found, self.shared
            is_done = b.search_blocks(*known, job, self.target, self.most_bounds)
            self.shared[2] += found.state[k.N_SETS]
        else:
            is_done = all(
                k.search_stem(self.rows, self.goal, stem, found, self.shared, start, stop)
                for stem, start, stop in self._stems(job)
            )
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
        functions = self.question.functions(size)
        signs, code = divmod(code, len(functions.parent))
        literals = [p if signs >> (size - 1 - i) & 1 else ~p for i, p in enumerate(places)]
        pairs = sorted(
            zip(literals, functions.points[code].tolist(), strict=True), key=lambda pair: max(pair[0], ~pair[0])
        )
        return Rule(tuple(p for p, _ in pairs), tuple(p for _, p in pairs), int(functions.threshold[code]))

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
        if name not in names:
            message = f"the fact {name!r} cannot be asked for: there is no such fact, it is constant, or it has a twin."
            raise TrainingDataError(message)
    signs = {0: k.YES | k.NO, 1: k.YES, -1: k.NO}
    flags = [0 if name in needs.unused else signs[needs.signs.get(name, 0)] for name in names]
    return np.array([flag | k.NEEDED * (name in needs.used) for flag, name in zip(flags, names, strict=True)], np.int64)
