"""Neurons in what a rule leaves over: which facts, counted together, tell most of the residuals.

A neuron counts facts and says yes from one count on, or between two. For a set of facts, the residuals summed by count
show the best place at once; and the sums for every set with one fact more or less are one matrix product away. Many
sets climb side by side, each forbidden for a while to undo what it just did.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from crystalogic.arrays import Array, np
from crystalogic.learner.grow import PRIOR, Slopes, merge_rows
from crystalogic.learner.task import spread_evenly

LARGEST = 7  # facts that one neuron counts
STEPS, PAUSE = 16, 3
CLIMBING_PRICE = 1.0
MOST_ROWS = 4096  # that all sets climb on; where there are more, the best go on for a few steps on all rows
N_FINALISTS, LAST_STEPS = 3, 10


@dataclass(frozen=True)
class Found:
    """A set of facts that holds between two counts, and what it gains less the price of its literals."""

    facts: tuple[int, ...]
    low: int
    high: int
    worth: float


@lru_cache
def _spans(n_counts: int) -> tuple[Array, Array]:
    """The ranges of counts, from one on to another; not the one that has all."""
    low, high = np.triu_indices(n_counts)
    is_part = (low > 0) | (high < n_counts - 1)
    return low[is_part], high[is_part]


def find_neurons(
    truths: Array, slopes: Slopes, starts: list[list[int]], price: float, *, only_all: bool = False
) -> list[Found]:
    """The best sets that were met from each start, the most worth first; facts are places, or ~place where false.

    With `only_all` they are conjunctions: all of their facts hold, or not.
    """
    if 2 ** truths.shape[1] < len(truths):
        truths, *merged = merge_rows(truths, slopes.residual, slopes.bend)
        slopes = Slopes(*merged)
    n_steps = min(STEPS, 2 * truths.shape[1])
    if len(truths) > MOST_ROWS:
        some, scale = spread_evenly(len(truths), MOST_ROWS), len(truths) / MOST_ROWS
        fewer = Slopes(scale * slopes.residual[some], scale * slopes.bend[some])
        best_first = find_neurons(truths[some], fewer, starts, price, only_all=only_all)
        starts = [list(each.facts) for each in best_first[:N_FINALISTS]]
        n_steps = min(n_steps, LAST_STEPS)
    n_facts, looks = truths.shape[1], _Looks(truths, slopes, only_all)
    chosen = np.zeros((len(starts), 2 * n_facts), bool)  # facts, and their negations
    for place, start in enumerate(starts):
        chosen[place, [fact if fact >= 0 else n_facts + ~fact for fact in start]] = True
    each, pause = np.arange(len(starts)), np.zeros(chosen.shape, np.int64)
    best, kept, ends = np.full(len(starts), -np.inf), chosen.copy(), np.zeros((len(starts), 2), np.int64)
    for step in range(n_steps):
        size = chosen.sum(axis=1)
        gain, low, high, moves = looks.of(chosen)
        worth = gain - price * size * np.where((low > 0) & (high < size), 2, 1)  # two neurons where both ends matter
        better = worth > best + 1e-9
        best[better], kept[better] = worth[better], chosen[better]
        ends[better] = np.column_stack([low, high])[better]
        moves = moves - CLIMBING_PRICE * (size[:, None] + np.where(chosen, -1, 1))
        opposite = np.concatenate([chosen[:, n_facts:], chosen[:, :n_facts]], axis=1)
        is_last = np.where(chosen, (size == 1)[:, None], (size >= LARGEST)[:, None])
        moves[opposite | (pause > step) | is_last] = -np.inf
        move = moves.argmax(axis=1)
        can = np.isfinite(moves[each, move])
        chosen[each[can], move[can]] ^= True
        pause[each[can], move[can]] = step + 1 + PAUSE
    found: dict[tuple[tuple[int, ...], int, int], Found] = {}
    for place in np.argsort(-best, kind="stable"):
        facts = tuple(sorted(int(f) if f < n_facts else ~(int(f) - n_facts) for f in np.flatnonzero(kept[place])))
        first, last = int(ends[place, 0]), int(min(ends[place, 1], len(facts)))
        found.setdefault((facts, first, last), Found(facts, first, last, float(best[place])))
    return list(found.values())


class _Looks:
    """What sets of facts gain, in which counts, and what with a literal more or less; each is looked at once."""

    def __init__(self, truths: Array, slopes: Slopes, only_all: bool) -> None:
        self.truths, self.only_all, self.known = truths, only_all, dict[bytes, tuple[Array, ...]]()
        both = [each.astype(truths.dtype)[:, None] for each in (slopes.residual, slopes.bend)]
        self.sides = np.concatenate([side for each in both for side in (truths * each, each)], axis=1)
        self.mass = float(both[1].sum())

    def of(self, chosen: Array) -> Iterator[Array]:
        """The same for each of the sets."""
        keys = [each.tobytes() for each in chosen]
        fresh = {key: place for place, key in enumerate(keys) if key not in self.known}
        if fresh:
            found = (self._look_at_all if self.only_all else self._look_at_spans)(chosen[list(fresh.values())])
            self.known |= dict(zip(fresh, zip(*found, strict=True), strict=True))
        return map(np.array, zip(*(self.known[key] for key in keys), strict=True))

    def _add_up(self, chosen: Array, first: Array) -> list[tuple[Array, Array]]:
        """Residuals of the rows of each count from a first one on, and of those with each literal; then the bends."""
        n_counts = chosen.sum(axis=1) + 1 - first
        sets = np.repeat(np.arange(len(chosen)), n_counts)
        place = np.arange(len(sets)) - np.repeat(np.cumsum(n_counts) - n_counts, n_counts)
        is_count = _count(chosen, self.truths)[sets] == (place + first[sets]).astype(np.int8)[:, None]
        table = np.zeros((len(chosen), n_counts.max() + 1, self.sides.shape[1]), self.sides.dtype)
        table[sets, place] = is_count.astype(table.dtype) @ self.sides
        pairs = ((each[..., -1], each[..., :-1]) for each in np.split(table, 2, axis=-1))
        return [(all_, np.concatenate([held, all_[..., None] - held], axis=-1)) for all_, held in pairs]

    def _look_at_all(self, chosen: Array) -> tuple[Array, ...]:
        size = chosen.sum(axis=1)
        sums = self._add_up(chosen, size - 1)
        gain = _gains((a[:, 1] for a, _ in sums), self.mass)
        moved = (np.where(chosen, a[:, :1] - b[:, 0] + b[:, 1], b[:, 1]) for a, b in sums)
        return gain, size, size, _gains(moved, self.mass)

    def _look_at_spans(self, chosen: Array) -> tuple[Array, ...]:
        sums = self._add_up(chosen, np.zeros(len(chosen), np.int64))
        gain, low, high = _best_span((a for a, _ in sums), self.mass)
        moves = _best_span((a[:, :, None] - b + _shift(b, 1) for a, b in sums), self.mass)[0]
        sets, literals = np.nonzero(chosen)
        fewer = (a[sets] - b[sets, :, literals] + _shift(b[sets, :, literals], -1) for a, b in sums)
        moves[sets, literals] = _best_span(fewer, self.mass)[0]
        return gain, low, high, moves


def _count(chosen: Array, truths: Array) -> Array:
    """For each set and each row how many of the facts, or of the negations, hold."""
    n_facts = truths.shape[1]
    is_fact, is_not = chosen[:, :n_facts], chosen[:, n_facts:]
    held = (is_fact.astype(truths.dtype) - is_not.astype(truths.dtype)) @ truths.T
    return np.asarray(np.rint(held).astype(np.int8) + is_not.sum(axis=1, dtype=np.int8)[:, None])


def _best_span(sums: Iterable[Array], mass: float) -> tuple[Array, Array, Array]:
    """The largest gain of a range of counts, the second axis of residuals and bends, its first count and its last."""
    totals = [np.concatenate([np.zeros_like(each[:, :1]), np.cumsum(each, axis=1)], axis=1) for each in sums]
    low, high = _spans(totals[0].shape[1] - 1)
    gains = _gains((each[:, high + 1] - each[:, low] for each in totals), mass)
    span = gains.argmax(axis=1)
    return gains.max(axis=1), low[span], high[span]


def _gains(sums: Iterable[Array], mass: float) -> Array:
    residual, bend = sums
    gains = residual**2 / (np.maximum(bend * (1 - bend / mass), 0) + PRIOR)
    gains[bend > (1 - 1e-5) * mass] = 0  # all rows alike
    return np.asarray(gains)


def _shift(sums: Array, by: int) -> Array:
    """What each count gets from the rows that count one more, or one less, than before."""
    moved = np.roll(sums, by, axis=1)
    moved[:, min(by - 1, by)] = 0
    return moved
