"""Neurons in what a rule leaves over: which facts, counted together, tell most of the residuals.

A neuron counts facts and says yes from one count on, or between two. For a set of facts, the residuals summed by count
show the best place at once; and the sums for every set with one fact more or less are one matrix product away. Many
sets climb side by side, each forbidden for a while to undo what it just did.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.learner.grow import PRIOR, Slopes

Array = NDArray[Any]
LARGEST = 7  # facts that one neuron counts
N_BINS = LARGEST + 2
STEPS, PAUSE = 16, 3
CLIMBING_PRICE = 1.0


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


def _spans() -> tuple[Array, Array]:
    spans = [(low, high) for low in range(N_BINS) for high in range(low, N_BINS) if low or high < N_BINS - 1]
    low, high = np.array(spans).T
    return low, high


LOW, HIGH = _spans()


def find_neurons(
    truths: Array, slopes: Slopes, starts: list[list[int]], price: float, largest: int = LARGEST
) -> list[Found]:
    """The best sets that were met from each start, the most worth first; facts are places, or ~place where false."""
    both = np.concatenate([truths, 1 - truths], axis=1)
    residual, bend = slopes.residual.astype(both.dtype), slopes.bend.astype(both.dtype)
    n_facts = truths.shape[1]
    chosen = np.zeros((len(starts), 2 * n_facts), bool)
    for place, start in enumerate(starts):
        chosen[place, [fact if fact >= 0 else n_facts + ~fact for fact in start]] = True
    rising, bending = both * residual[:, None], both * bend[:, None]
    each, pause = np.arange(len(starts)), np.zeros(chosen.shape, np.int64)
    best, kept, spans = np.full(len(starts), -np.inf), chosen.copy(), np.zeros(len(starts), np.int64)
    for step in range(STEPS):
        size = chosen.sum(axis=1)
        counts = np.rint(chosen.astype(both.dtype) @ both.T).astype(np.int64)
        is_count = (counts[:, None, :] == np.arange(N_BINS)[None, :, None]).reshape(-1, len(both)).astype(both.dtype)
        shape = len(starts), N_BINS, 2 * n_facts
        up, down = (is_count @ rising).reshape(shape), (is_count @ bending).reshape(shape)
        total, bent = (is_count @ residual).reshape(shape[:2]), (is_count @ bend).reshape(shape[:2])
        mass = float(bend.sum())
        gain, span = _best_span(total, bent, mass)
        worth = gain - price * _literals(size, span)
        better = worth > best + 1e-9
        best[better], kept[better], spans[better] = worth[better], chosen[better], span[better]
        moves = np.where(
            chosen,
            *(
                _worth_of(
                    total[:, :, None] - up + _shift(up, by),
                    bent[:, :, None] - down + _shift(down, by),
                    mass,
                    size + by,
                    CLIMBING_PRICE,
                )
                for by in (-1, 1)
            ),
        )
        opposite = np.concatenate([chosen[:, n_facts:], chosen[:, :n_facts]], axis=1)
        moves[
            opposite | (pause > step) | (~chosen & (size >= largest)[:, None]) | (chosen & (size == 1)[:, None])
        ] = -np.inf
        move = moves.argmax(axis=1)
        can = np.isfinite(moves[each, move])
        chosen[each[can], move[can]] ^= True
        pause[each[can], move[can]] = step + 1 + PAUSE
    found: dict[tuple[tuple[int, ...], int, int], Found] = {}
    for place in np.argsort(-best, kind="stable"):
        facts = tuple(sorted(int(f) if f < n_facts else ~(int(f) - n_facts) for f in np.flatnonzero(kept[place])))
        low, high = int(LOW[spans[place]]), int(min(HIGH[spans[place]], len(facts)))
        found.setdefault((facts, low, high), Found(facts, low, high, float(best[place])))
    return list(found.values())


def _literals(size: Array, span: Array) -> Array:
    """How many literals it takes: twice as many where both ends matter."""
    size = np.asarray(size)
    return size * np.where((LOW[span] > 0) & (HIGH[span] < size), 2, 1)


def _best_span(total: Array, bent: Array, mass: float) -> tuple[Array, Array]:
    """The largest gain of a range of counts, the last axis, and which range it is."""
    zero = np.zeros((*total.shape[:-1], 1))
    totals, bends = (np.concatenate([zero, np.cumsum(each, axis=-1)], axis=-1) for each in (total, bent))
    residual, bend = totals[..., HIGH + 1] - totals[..., LOW], bends[..., HIGH + 1] - bends[..., LOW]
    gains = residual**2 / (np.maximum(bend * (1 - bend / mass), 0) + PRIOR)
    span = gains.argmax(axis=-1)
    return np.take_along_axis(gains, span[..., None], -1)[..., 0], span


def _worth_of(total: Array, bent: Array, mass: float, size: Array, price: float) -> Array:
    gain, _ = _best_span(np.moveaxis(total, 1, 2), np.moveaxis(bent, 1, 2), mass)
    return np.asarray(gain - price * size[:, None])


def _shift(sums: Array, by: int) -> Array:
    """What each count gets from the rows that count one more, or one less, than before."""
    moved = np.zeros_like(sums)
    if by > 0:
        moved[:, 1:] = sums[:, :-1]
    else:
        moved[:, :-1] = sums[:, 1:]
    return moved
