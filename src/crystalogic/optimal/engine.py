"""One question as the kernels want it: rows split by the bits of their weights, stems, and bounds that are carried on."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import log

from crystalogic.arrays import Array, np
from crystalogic.errors import TooLargeError, TrainingDataError
from crystalogic.optimal import kernels as k
from crystalogic.optimal.counted import DECIMALS, MOST_WEIGHT, Counted, Needs, Objective
from crystalogic.optimal.functions import threshold_functions
from crystalogic.optimal.rule import SHAPES, Rule

MOST_LOGS = 1 << 22
CHUNK = 4  # first facts of a job for sets of three


class Engine:
    """The rows, and for the size that is being searched what is known of each first fact."""

    def __init__(self, counted: Counted, shape: str, objective: Objective, within: int, needs: Needs) -> None:
        self.counted, self.shape, self.within, self.is_log = counted, shape, within, objective.is_log_loss
        self.flags = _flags(counted, needs)
        self.n_needed = len(needs.used)
        self.usable = np.flatnonzero(self.flags & 3)
        self.logs, self.unavoidable, self.base = np.zeros(0, np.int64), 0, 0
        self.rows = self._log_rows() if self.is_log else self._cost_rows(objective)
        total = int(np.abs(self.rows.worth).sum())
        self.shared = np.array([int(self.logs[-1]) + 1 if self.is_log else total + 1, 0])  # best cost, whether to stop

    def _cost_rows(self, objective: Objective) -> k.Rows:
        """Rows with their net cost; what equal rows of both classes cost in any case is set aside."""
        missed, alarm = self.counted.yes * objective.missed, self.counted.no * objective.false_alarm
        self.unavoidable, worth = int(np.minimum(missed, alarm).sum()), alarm - missed
        self.base = int(-worth[worth < 0].sum())
        if np.abs(worth).sum() >= MOST_WEIGHT:
            message = f"weights times costs add up to more than {MOST_WEIGHT:,}. Divide them by a common number."
            raise TooLargeError(message)
        return self._split(np.flatnonzero(worth), worth[worth != 0], np.zeros((worth != 0).sum(), np.int64), 1)

    def _log_rows(self) -> k.Rows:
        """Rows of each class apart, and a table of t ln t. A row that moves changes the entropy by ln(t) + 1 at most."""
        weight = np.concatenate([self.counted.yes, self.counted.no])
        total = int(weight.sum())
        if total > MOST_LOGS:
            message = f"log loss is proved for weights of {MOST_LOGS:,} at most in all, got {total:,}."
            raise TooLargeError(message)
        self.logs = np.array([0, 0] + [round(t * log(t) * 10**DECIMALS) for t in range(2, total + 1)], np.int64)
        side = np.repeat([0, 1], len(self.counted.yes))
        rows = np.tile(np.arange(len(self.counted.yes)), 2)[weight > 0]
        return self._split(rows, weight[weight > 0], side[weight > 0], int(self.logs[-1] - self.logs[-2]) + 2)

    def _split(self, rows: Array, worth: Array, side: Array, unit: int) -> k.Rows:
        """Each row once for each bit of its weight, sorted by worth."""
        truth, weight = self.counted.truth[rows], np.abs(worth)
        both = (truth * weight[:, None].astype(np.float64)).T @ truth  # exact: whole numbers below 2⁵³
        alone = np.diag(both)
        differ = alone[:, None] + alone - 2 * both
        differ = np.minimum(differ, weight.sum() - differ)  # the negation of a fact does as well
        bits = [np.flatnonzero(weight >> b & 1) for b in range(int(weight.max(initial=1)).bit_length())]
        place = np.concatenate(bits)
        split = np.concatenate([np.sign(worth[own]) << b for b, own in enumerate(bits)]).astype(np.int32)
        order = np.argsort(split, kind="stable")
        truth = np.hstack([truth[place[order]], np.ones((len(place), 1), np.uint8)])
        return k.Rows(truth, split[order], side[place[order]], differ.astype(np.int64) * unit, self.flags)

    def jobs(self, size: int) -> list[range]:
        """The parts of a search over sets of this size: places of their first facts among the usable ones."""
        n = len(self.usable) - size + 1
        step = n if size < 3 else CHUNK if size == 3 else 1
        return [range(i, min(i + step, n)) for i in range(0, n, step)]

    def begin(self, size: int, room: int) -> None:
        """Turns to sets of this size, with room for so many rules in the list of each job."""
        functions = threshold_functions(size if self.shape == "points" and size else 1)
        slack = 2 * ((1 << size) + size + 1) if self.is_log else 0  # each term is rounded by half a unit
        self.goal = k.Goal(
            size,
            SHAPES.index(self.shape),
            self.base,
            self.within,
            slack,
            functions.parent,
            functions.cell,
            functions.is_whole,
            self.logs,
            self.n_needed,
        )
        self.room, self.known = room, dict[tuple[int, ...], tuple[int, Array]]()
        self.least = np.full(max(0, len(self.usable) - size + 1), -1)
        self.stem = self._stem((), self.usable) if size in (2, 3) else None

    def try_constants(self) -> k.Found:
        """Always no, and always yes: rules without facts."""
        found, none = self._found(self.room), np.zeros(0, np.int64)
        if self.n_needed:
            return found
        if self.is_log:
            sides = [int(self.rows.worth[self.rows.side == side].sum()) for side in (0, 1)]
            k.record(self.goal, found, none, 0, k.entropy(self.logs, *sides))
        else:
            costs = [self.base, self.base + int(self.rows.worth.sum())]
            for code in [int(costs[1] < costs[0])] if self.shape == "formula" else (0, 1):
                k.record(self.goal, found, none, code, costs[code])
        self.shared[0] = min(self.shared[0], found.state[k.BEST])
        return self._trim(found)

    @property
    def limit(self) -> int:
        """The highest bound of a set that may hold a rule that counts."""
        return int(self.shared[0]) + self.within + self.goal.slack

    def reach(self, first: int) -> int:
        """The least cost of any set with this first fact, from sets with an earlier one, which differs in few rows."""
        done = np.flatnonzero(self.least[:first] >= 0)
        differ = self.rows.differ[self.usable[done], self.usable[first]]
        return int((self.least[done] - differ).max(initial=0))

    def bound(self) -> int:
        """What is proved of all sets of this size."""
        open_ = [self.reach(first) - self.goal.slack for first in np.flatnonzero(self.least < 0)]
        return max(0, min([*open_, int(self.shared[0])]))

    def search(self, job: range) -> k.Found:
        """All sets whose first fact is one of these."""
        found = self._found(self.room)
        if job and all(self.reach(first) > self.limit for first in job):
            self.least[job] = [self.reach(first) for first in job]
        elif self.goal.size == 1:
            self._search_single(found)
        else:
            for firsts, least in self._search_stems(job, found):
                self.least[firsts] = least
        return self._trim(found)

    @staticmethod
    def _trim(found: k.Found) -> k.Found:
        return k.Found(found.state, found.counts, found.listed[: found.state[k.N_LISTED]].copy())

    def _search_single(self, found: k.Found) -> None:
        n_sides = 2 if self.is_log else 1
        scores, costs = np.zeros((n_sides, 2, 3), np.int64), np.zeros(len(self.goal.parent) + 1, np.int64)
        for place, fact in enumerate(self.usable):
            is_true, cells = self.rows.truth[:, fact] > 0, np.zeros((n_sides, 2), np.int64)
            for side in range(n_sides):
                own = np.where(self.rows.side == side, self.rows.worth, 0)
                cells[side] = own[~is_true].sum(), own[is_true].sum()
            k.try_facts(self.goal, self.rows, found, cells, np.array([fact]), scores, costs)
            self.least[place] = k.least_cost(self.goal, cells)

    def _search_stems(self, job: range, found: k.Found) -> Iterator[tuple[slice, int]]:
        """For first facts what is known of its sets, unless the search was stopped."""
        size = self.goal.size
        n = len(self.usable)
        if size <= 3:
            low = self.known.setdefault((), (-1, _unknown(n)))[1]
            low[n] = 0  # the row of `always`
            for first in job if size == 3 else [n]:
                least = k.search_stem(self.rows, self.goal, self.stem, found, self.shared, low, first, first + 1)
                if least >= 0:
                    yield slice(first, first + 1) if size == 3 else slice(None), least
            return
        for first in job:
            least = k.FAR
            for more in combinations(self.usable[first + 1 : n - 3].tolist(), size - 4):
                chosen = (int(self.usable[first]), *more)
                least = min(least, self.complete(chosen, found))
                if least < 0:
                    return
            yield slice(first, first + 1), least

    def complete(self, chosen: tuple[int, ...], found: k.Found) -> int:
        """All sets of these facts and three later ones; the least bound, or -1 if the search was stopped."""
        rest = self.usable[np.searchsorted(self.usable, chosen[-1] + 1) :]
        low = _unknown(len(rest))
        last, before = self.known.get(chosen[:-1], (k.FAR, low))
        if last < chosen[-1]:
            cut = len(before) - len(low)
            low = np.maximum(before[cut:, cut:] - self.rows.differ[last, chosen[-1]], low)
        if low.min() > self.limit:
            return int(low.min())
        least = k.search_stem(
            self.rows, self.goal, self._stem(chosen, rest), found, self.shared, low, 0, max(0, len(rest) - 2)
        )
        self.known[chosen[:-1]] = chosen[-1], low
        return int(least)

    def improve(self, facts: Sequence[int]) -> k.Found | None:
        """A good rule to begin with: any two facts of a set are exchanged for the best others, while that helps."""
        best, size = None, self.goal.size
        while size >= 2:
            found = self._found(0)
            for kept in combinations(facts, size - 2):
                rest = self.usable[~np.isin(self.usable, kept)]
                low = np.zeros((len(rest) + 1, len(rest)), np.int64)
                stem = self._stem(kept, rest)
                k.search_stem(self.rows, self.goal, stem, found, self.shared, low, len(rest), len(rest) + 1)
            if not found.state[k.HAS_RULE] or (best and best.state[k.BEST] <= found.state[k.BEST]):
                break
            best, facts = found, found.state[k.FACTS :].tolist()
        return best

    def read(self, facts: Sequence[int], code: int) -> Rule:
        """The rule that a kernel found over these facts."""
        size = len(facts)
        if not size:
            return Rule((), threshold=None if self.is_log else 1 - code)
        places = [self.counted.twins[fact][0] for fact in facts]
        if self.shape == "formula":
            rule = Rule(tuple(sorted(places)))
            net = np.bincount(rule.score(self._given()), self.rows.worth, 1 << size)
            return Rule(rule.facts, table=tuple((net < 0).astype(int).tolist()))
        n_codes = 1 if self.is_log else len(threshold_functions(size).parent) if self.shape == "points" else size + 1
        signs, code = divmod(code, n_codes)
        literals = [p if signs >> (size - 1 - i) & 1 else ~p for i, p in enumerate(places)]
        points, threshold = [1] * size, None if self.is_log else code
        if self.shape == "points":
            functions = threshold_functions(size)
            points, threshold = functions.points[code].tolist(), int(functions.threshold[code])
        pairs = sorted(zip(literals, points, strict=True), key=lambda pair: max(pair[0], ~pair[0]))
        return Rule(tuple(p for p, _ in pairs), tuple(p for _, p in pairs), threshold)

    def _given(self) -> Array:
        """The rows with all given facts that stand for their twins, at their places."""
        truths = np.zeros((len(self.rows.truth), len(self.counted.names)), np.int64)
        truths[:, [own[0] for own in self.counted.twins]] = self.rows.truth[:, :-1]
        return truths

    def _found(self, room: int) -> k.Found:
        """Nothing yet; for log loss only rules that are equally good are counted, others are listed."""
        state = np.zeros(k.FACTS + self.goal.size, np.int64)
        state[k.BEST] = self.shared[0]
        n_counts = 1 if self.is_log else self.within + 1
        return k.Found(state, np.zeros(n_counts, np.int64), np.zeros((room, 2 + self.goal.size), np.int64))

    def _stem(self, chosen: Sequence[int], rest: Array) -> k.Stem:
        """The rows sorted by the cells of the chosen facts, and all sums over pairs of the others."""
        rest = np.append(rest, self.rows.truth.shape[1] - 1)
        n_groups = (2 if self.is_log else 1) << len(chosen)
        n_words = len(self.rows.worth) // 64 + n_groups * (1 + len(np.unique(self.rows.worth)))
        words, own = np.empty((n_words, len(rest)), np.uint64), np.array(chosen, np.int64)
        worth, group = np.empty(n_words, np.int32), np.empty(n_words, np.int64)
        n = k.pack_stem(self.rows, 1 + self.is_log, own, rest, words, worth, group)
        pairs = np.zeros((n_groups, len(rest), len(rest)), np.int32)
        k.sum_pairs(words[:n], worth[:n], group[:n], pairs)
        return k.Stem(own, rest, words[:n], worth[:n], group[:n], pairs)


def _unknown(n: int) -> Array:
    """No bounds yet for pairs c < d with a later fact; far away where there is no such pair."""
    low = np.full((n + 1, n), k.FAR)
    low[np.triu_indices(n - 1, 1)] = 0
    return low


def _flags(counted: Counted, needs: Needs) -> Array:
    """Which signs each fact may have, in any of its twins, and whether it must be used."""
    twinned = {counted.names[max(p, ~p)]: own for own in counted.twins for p in own}
    unknown = [name for name in (*needs.used, *needs.unused, *needs.signs) if name not in counted.names]
    lost = [name for name in needs.used if name not in twinned] or (
        list(needs.used) if len({twinned[name] for name in needs.used}) < len(needs.used) else []
    )
    if unknown or lost:
        why = "there is no such fact" if unknown else "it is the same on all rows, or needed together with a twin"
        message = f"the fact {(unknown or lost)[0]!r} cannot be asked for: {why}."
        raise TrainingDataError(message)
    flags = np.zeros(len(counted.twins), np.int64)
    for place, own in enumerate(counted.twins):
        for twin in own:
            flags[place] |= k.YES * needs.permit(counted, twin) | k.NO * needs.permit(counted, ~twin)
            flags[place] |= k.NEEDED * (counted.names[max(twin, ~twin)] in needs.used)
    return flags
