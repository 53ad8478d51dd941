"""Neurons in what a rule leaves over: which facts, counted together, tell most of the residuals.

A neuron counts facts and says yes from one count on, or between two. For a set of facts, the residuals summed by count
show the best place at once; and the sums for every set with one fact more or less are one matrix product away. Many
sets climb side by side, each forbidden for a while to undo what it just did.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.learner.grow import PRIOR, Slopes

Array = NDArray[Any]
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

    @property
    def is_interval(self) -> bool:
        """Whether it has an upper end too, and so needs two neurons."""
        return 0 < self.low and self.high < len(self.facts)


@lru_cache
def _spans(n_counts: int) -> tuple[Array, Array]:
    """The ranges of counts, from one on to another; not the one that has all."""
    spans = [(low, high) for low in range(n_counts) for high in range(low, n_counts) if low or high < n_counts - 1]
    low, high = np.array(spans).T
    return low, high


def find_neurons(
    truths: Array, slopes: Slopes, starts: list[list[int]], price: float, *, only_all: bool = False
) -> list[Found]:
    """The best sets that were met from each start, the most worth first; facts are places, or ~place where false.

    With `only_all` they are conjunctions: all of their facts hold, or not.
    """
    if 2 ** truths.shape[1] < len(truths):
        truths, slopes = _merge(truths, slopes)
    n_steps = min(STEPS, 2 * truths.shape[1])
    if len(truths) > MOST_ROWS:
        some = np.linspace(0, len(truths) - 1, MOST_ROWS).astype(np.int64)
        scale = len(truths) / MOST_ROWS
        fewer = Slopes(scale * slopes.residual[some], scale * slopes.bend[some])
        starts = [
            list(each.facts)
            for each in find_neurons(truths[some], fewer, starts, price, only_all=only_all)[:N_FINALISTS]
        ]
        n_steps = min(n_steps, LAST_STEPS)
    n_facts, sums = truths.shape[1], _Sums(truths, slopes, only_all)
    chosen = np.zeros((len(starts), 2 * n_facts), bool)  # facts, and their negations
    for place, start in enumerate(starts):
        chosen[place, [fact if fact >= 0 else n_facts + ~fact for fact in start]] = True
    each, pause = np.arange(len(starts)), np.zeros(chosen.shape, np.int64)
    best, kept, ends = np.full(len(starts), -np.inf), chosen.copy(), np.zeros((len(starts), 2), np.int64)
    for step in range(n_steps):
        size = chosen.sum(axis=1)
        gain, low, high, moves = (_look_at_all if only_all else _look_at_spans)(sums, chosen)
        worth = gain - price * size * np.where((low > 0) & (high < size), 2, 1)  # two neurons where both ends matter
        better = worth > best + 1e-9
        best[better], kept[better] = worth[better], chosen[better]
        ends[better] = np.column_stack([low, high])[better]
        moves -= CLIMBING_PRICE * (size[:, None] + np.where(chosen, -1, 1))
        opposite = np.concatenate([chosen[:, n_facts:], chosen[:, :n_facts]], axis=1)
        moves[
            opposite | (pause > step) | (~chosen & (size >= LARGEST)[:, None]) | (chosen & (size == 1)[:, None])
        ] = -np.inf
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


class _Sums:
    """What the rows of each count add up to, for sets of facts; each set is looked at once."""

    def __init__(self, truths: Array, slopes: Slopes, only_all: bool) -> None:
        self.truths, self.only_all, self.known = truths, only_all, dict[bytes, Array]()
        both = [each.astype(truths.dtype)[:, None] for each in (slopes.residual, slopes.bend)]
        self.sides = np.concatenate([side for each in both for side in (truths * each, each)], axis=1)
        self.mass = float(both[1].sum())

    def of(self, chosen: Array) -> tuple[Array, Array, Array, Array]:
        """For each set and each count the residuals and bends of the rows (sets × counts), and of those with a literal.

        With `only_all` there are two counts: all but one, and all.
        """
        keys = [each.tobytes() for each in chosen]
        fresh = {key: place for place, key in enumerate(keys) if key not in self.known}
        if fresh:
            self._look(chosen[list(fresh.values())], list(fresh))
        found = [self.known[key] for key in keys]
        table = np.zeros((len(keys), max(map(len, found)) + 1, self.sides.shape[1]), self.sides.dtype)
        for place, each in enumerate(found):
            table[place, : len(each)] = each
        up, down = np.split(table, 2, axis=-1)
        return up[..., -1], down[..., -1], _with_negations(up), _with_negations(down)

    def _look(self, chosen: Array, keys: list[bytes]) -> None:
        sizes = chosen.sum(axis=1).tolist()
        counts = [np.arange(size - 1 if self.only_all else 0, size + 1) for size in sizes]
        which = np.repeat(np.arange(len(keys)), [len(each) for each in counts])
        is_count = _count(chosen, self.truths)[which] == np.concatenate(counts).astype(np.int8)[:, None]
        found = is_count.astype(self.sides.dtype) @ self.sides
        parts = np.split(found, np.cumsum([len(each) for each in counts])[:-1])
        self.known |= dict(zip(keys, parts, strict=True))


def _with_negations(sides: Array) -> Array:
    """The sums of the rows with each fact, and of those without; the last of the sides has all rows."""
    return np.concatenate([sides[..., :-1], sides[..., -1:] - sides[..., :-1]], axis=-1)


def _look_at_all(sums: _Sums, chosen: Array) -> tuple[Array, Array, Array, Array]:
    """What it gains that all facts of each set hold, that count twice, and the gain with each literal changed."""
    total, bent, up, down = sums.of(chosen)
    size = chosen.sum(axis=1)
    residual, bend = (np.where(chosen, a[:, :1] - b[:, 0] + b[:, 1], b[:, 1]) for a, b in ((total, up), (bent, down)))
    return _gains(total[:, 1], bent[:, 1], sums.mass), size, size, _gains(residual, bend, sums.mass)


def _look_at_spans(sums: _Sums, chosen: Array) -> tuple[Array, Array, Array, Array]:
    """What the best range of counts of each set gains, its ends, and the gain with each literal changed."""
    total, bent, up, down = sums.of(chosen)
    gain, low, high = _best_span(total, bent, sums.mass)
    pairs = ((total, up), (bent, down))
    residual, bend = (a[:, :, None] - b + _shift(b, 1) for a, b in pairs)
    moves = _best_span(residual, bend, sums.mass)[0]
    sets, literals = np.nonzero(chosen)
    residual, bend = (a[sets] - b[sets, :, literals] + _shift(b[sets, :, literals], -1) for a, b in pairs)
    moves[sets, literals] = _best_span(residual, bend, sums.mass)[0]
    return gain, low, high, moves


def _count(chosen: Array, truths: Array) -> Array:
    """For each set and each row how many of the facts, or of the negations, hold."""
    n_facts = truths.shape[1]
    is_fact, is_not = chosen[:, :n_facts], chosen[:, n_facts:]
    held = (is_fact.astype(truths.dtype) - is_not.astype(truths.dtype)) @ truths.T
    return np.asarray(np.rint(held).astype(np.int8) + is_not.sum(axis=1, dtype=np.int8)[:, None])


def _merge(truths: Array, slopes: Slopes) -> tuple[Array, Slopes]:
    """Rows with the same facts as one; of few facts there are few different rows."""
    n_facts = truths.shape[1]
    codes = (truths @ (2 ** np.arange(n_facts)).astype(truths.dtype)).astype(np.int64)
    residual, bend = (np.bincount(codes, each, 2**n_facts) for each in (slopes.residual, slopes.bend))
    different = np.arange(2**n_facts)[:, None] >> np.arange(n_facts) & 1
    return different.astype(truths.dtype), Slopes(residual, bend)


def _best_span(total: Array, bent: Array, mass: float) -> tuple[Array, Array, Array]:
    """The largest gain of a range of counts, the second axis, and the range: its first count and its last."""
    zero = np.zeros_like(total[:, :1])
    totals, bends = (np.concatenate([zero, np.cumsum(each, axis=1)], axis=1) for each in (total, bent))
    low, high = _spans(total.shape[1])
    gains = _gains(totals[:, high + 1] - totals[:, low], bends[:, high + 1] - bends[:, low], mass)
    span = gains.argmax(axis=1)
    return gains.max(axis=1), low[span], high[span]


def _gains(residual: Array, bend: Array, mass: float) -> Array:
    gains = residual**2 / (np.maximum(bend * (1 - bend / mass), 0) + PRIOR)
    gains[bend > (1 - 1e-5) * mass] = 0  # all rows alike
    return np.asarray(gains)


def _shift(sums: Array, by: int) -> Array:
    """What each count gets from the rows that count one more, or one less, than before."""
    moved = np.zeros_like(sums)
    if by > 0:
        moved[:, 1:] = sums[:, :-1]
    else:
        moved[:, :-1] = sums[:, 1:]
    return moved
