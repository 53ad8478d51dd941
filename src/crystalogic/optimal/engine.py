"""One question as the kernels want it: rows split by the bits of their weights, stems, bounds that are carried on."""

from collections.abc import Sequence
from itertools import combinations

from crystalogic.arrays import Array, np
from crystalogic.errors import TooLargeError, TrainingDataError
from crystalogic.optimal import kernels as k
from crystalogic.optimal.rule import MOST_WEIGHT, Counted, Needs, Question, Rule

CHUNK = 4  # first facts of a job for sets of three


class Engine:
    """The rows, and for the size that is being searched what is known of each first fact."""

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
        self.shared = np.array([most, 0])  # the best cost of all threads, and whether to stop
        self.n_stairs = most if len(groups.sizes) else 0  # costs for which the least gap is kept

    def _split(self, worth: Array) -> k.Rows:
        """Each row once for each bit of its weight, sorted by worth."""
        truth, weight = self.counted.truth, np.abs(worth)
        if weight.sum() >= MOST_WEIGHT:
            message = f"weights times costs add up to more than {MOST_WEIGHT:,}. Divide them by a common number."
            raise TooLargeError(message)
        both = (truth * weight[:, None].astype(np.float64)).T @ truth  # exact: whole numbers below 2⁵³
        differ = np.diag(both)[:, None] + np.diag(both) - 2 * both
        differ = np.minimum(differ, weight.sum() - differ)  # the negation of a fact does as well
        bits = [np.flatnonzero(weight >> b & 1) for b in range(31)]
        place = np.concatenate(bits)
        split = np.concatenate([np.sign(worth[own]) << b for b, own in enumerate(bits)]).astype(np.int32)
        order = np.argsort(split, kind="stable")
        truth = np.hstack([truth[place[order]], np.ones((len(place), 1), np.uint8)])
        return k.Rows(truth, split[order], differ.astype(np.int64), self.flags)

    def jobs(self, size: int) -> list[range]:
        """The parts of a search over sets of this size: places of their first facts among the usable ones."""
        n = len(self.usable) - size + 1
        step = n if size < 3 else CHUNK if size == 3 else 1
        return [range(i, min(i + step, n)) for i in range(0, n, step)]

    def begin(self, size: int, room: int) -> None:
        """Turns to sets of this size, with room for so many rules in the list of each job."""
        known, n_needed = self.question.functions(size), len(self.question.needs.used)
        functions = known.parent, known.cell, known.is_whole
        self.goal = k.Goal(size, self.base, self.question.within, n_needed, *functions, self.groups)
        self.room, self.known = room, dict[tuple[int, ...], tuple[int, Array]]()
        self.least = np.full(max(0, len(self.usable) - size + 1), -1)  # the bound for each first fact
        self.reached = np.zeros(len(self.least), np.int64)  # the same, from an earlier one that differs in few rows
        self.stem = self._stem((), self.usable) if 0 < size <= 3 else None
        self.low = np.zeros((len(self.usable) + 1,) * 2, np.int64)

    def try_constants(self) -> k.Found:
        """Always no, and always yes: rules without facts."""
        found, cells = self.found(self.room), np.array([self.rows.worth.sum()], np.int64)
        tally, costs = np.zeros((len(self.groups.sizes), 1), np.int64), np.zeros(2, np.int64)
        k.try_facts(self.goal, self.rows, found, cells, np.zeros(0, np.int64), costs, tally)
        self.shared[0] = min(self.shared[0], found.state[k.BEST])
        return trim(found)

    @property
    def limit(self) -> int:
        """The highest bound of a set that may hold a rule that counts."""
        return int(self.shared[0]) + self.goal.within

    def bound(self) -> int:
        """What is proved of all sets of this size."""
        unknown = self.reached[self.least < 0]
        return max(0, min(int(unknown.min(initial=k.FAR)), int(self.shared[0])))

    def _learn(self, first: int, least: int) -> None:
        """Keeps the bound of the sets with this first fact; with a later one, it is lower by what the two differ in."""
        self.least[first] = least
        if least >= 0:
            later = slice(first + 1, len(self.least))
            near = least - self.rows.differ[self.usable[first], self.usable[later]]
            self.reached[later] = np.maximum(self.reached[later], near)

    def search(self, job: range) -> k.Found:
        """All sets whose first fact is one of these."""
        found, bounds = self.found(self.room), self.reached[job]
        if bounds.min() > self.limit:
            self.least[job] = bounds
        elif self.goal.size < 3:  # all in one job, with `always` as their first fact
            self.least[:] = self._search_first(len(self.usable), found)
        else:
            for first in job:
                self._learn(first, self._search_first(first, found))
        return trim(found)

    def _search_first(self, first: int, found: k.Found) -> int:
        """The least bound of all sets with this first fact, or -1 if the search was stopped."""
        if self.shared[1]:
            return -1
        if self.stem:
            return int(k.search_stem(self.rows, self.goal, self.stem, found, self.shared, self.low, first, first + 1))
        rest = combinations(self.usable[first + 1 : len(self.usable) - 3].tolist(), self.goal.size - 4)
        least = k.FAR
        for more in rest:
            least = min(least, self._complete((int(self.usable[first]), *more), found))
            if least < 0:
                break
        return least

    def _complete(self, chosen: tuple[int, ...], found: k.Found) -> int:
        """All sets of these facts and three later ones; the least bound, or -1 if the search was stopped."""
        rest = self.usable[np.searchsorted(self.usable, chosen[-1] + 1) :]
        n, (last, low) = len(rest), self.known.get(chosen[:-1], (k.FAR, self.low))
        if last < chosen[-1]:  # with one other fact, all bounds are lower by what the two differ in, at most
            low = low[-n - 1 :, -n - 1 :] - self.rows.differ[last, chosen[-1]]
            if low.min() > self.limit:
                return int(low.min())
        else:
            low = np.full((n + 1, n + 1), k.FAR)
            low[np.triu_indices(n - 1, 1)] = 0
        least = k.search_stem(self.rows, self.goal, self._stem(chosen, rest), found, self.shared, low, 0, n - 2)
        if least >= 0:
            self.known[chosen[:-1]] = chosen[-1], low
        return int(least)

    def improve(self, facts: Sequence[int]) -> k.Found | None:
        """A good rule to begin with: any two facts of a set are exchanged for the best others, while that helps."""
        best, size = None, self.goal.size
        while size > 2:
            found = self.found(0)
            for kept in combinations(facts, size - 2):
                rest = self.usable[~np.isin(self.usable, kept)]
                n, stem = len(rest), self._stem(kept, rest)
                low = np.zeros((n + 1, n + 1), np.int64)
                k.search_stem(self.rows, self.goal, stem, found, self.shared, low, n, n + 1)
            if not found.state[k.HAS_RULE] or (best and best.state[k.BEST] <= found.state[k.BEST]):
                break
            best, facts = found, found.state[k.FACTS :].tolist()
            best.counts[:], best.state[k.N_LISTED : k.FACTS] = 0, 0  # what was looked at is counted by the search
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
