"""Where the search for neurons begins: the facts that they may be made of, and the sets of them to start from.

A fact that says much of all rows is worth a try. But where somebody decided by cases, a fact may say much of some rows
and nothing of all of them together. So the rows are split by facts, greedily, as a tree grows. The facts that split
them come before all others, and what leads to a part of the rows is a set of facts to start from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crystalogic.arrays import Array, np
from crystalogic.learner.grow import PRIOR, Slopes
from crystalogic.learner.rule import Item
from crystalogic.learner.task import Task, coarsen

LARGEST = 9  # facts that one neuron counts
MOST_FACTS = 48  # that neurons are made of
DEPTH = 4  # facts that lead to a part of the rows
FEWEST_STARTS, MOST_STARTS = 12, 24
WORK = 60_000  # rows × facts × starts


@dataclass(frozen=True)
class _Part:
    """The facts that lead to some of the rows, ~fact where it is false, which rows these are, and what they gain."""

    path: tuple[int, ...]
    holds: Array
    gain: float


def begin_search(
    task: Task, slopes: Slopes, ranked: Array, items: Sequence[Item], price: float, random: np.random.Generator
) -> tuple[Array, list[list[int]]]:
    """The facts to look at, and sets of them to begin with, as their places among these, or ~place where false.

    Facts without a sign of their own are taken, the most promising of those `ranked` first; those of the items too,
    which have had their say.
    """
    free = ranked[task.signs[ranked] == 0]
    parts = sorted(_split_rows(task, slopes, free, price), key=lambda each: -each.gain)
    told = list(dict.fromkeys(max(fact, ~fact) for part in parts for fact in part.path))
    free = np.concatenate([np.array(told, free.dtype), free[~np.isin(free, told)]])
    used = {place for item in items for place in item.places}
    late = [fact for fact in free[MOST_FACTS:].tolist() if fact in used]
    facts = np.concatenate([free[: max(MOST_FACTS - len(late), 0)], np.array(late, free.dtype)])
    n_starts = min(max(WORK // (task.n_rows * max(len(facts), 1)), FEWEST_STARTS), MOST_STARTS)
    starts = [[place] for place in range(min(n_starts // 3, len(facts)))]
    where = {fact: place for place, fact in enumerate(facts.tolist())}
    where |= {~fact: ~place for fact, place in where.items()}
    paths = [part.path for part in parts if len(part.path) > 1 and where.keys() >= set(part.path)]
    starts += [[where[fact] for fact in path] for path in paths[: n_starts // 3]]
    while len(starts) < n_starts:
        some = random.permutation(len(facts))[: random.integers(2, LARGEST)]
        starts.append([int(place) if random.random() < 0.7 else ~int(place) for place in some])
    return facts, starts


def _split_rows(task: Task, slopes: Slopes, free: Array, price: float) -> Iterator[_Part]:
    """Parts of the rows, and parts of these, as long as the fact that splits them best is worth its price."""
    is_barred = ~np.isin(np.arange(task.n_facts), free)
    last = [_Part((), np.ones(task.n_rows, bool), 0.0)]
    for _ in range(DEPTH if len(free) else 0):
        masks = np.column_stack([part.holds for part in last])
        residuals, bends = (masks * each[:, None] for each in (slopes.residual, slopes.bend))
        held = np.stack(np.split(task.sum_facts(np.column_stack([residuals, bends])), 2))
        whole = np.stack([residuals.sum(axis=0), bends.sum(axis=0)])[..., None]
        sides = _gains(held), _gains(whole - held)
        gains = coarsen(sum(sides) - _gains(whole))
        gains[:, is_barred] = 0
        best, parts = gains.argmax(axis=1).tolist(), last
        last = []
        for place, (part, fact) in enumerate(zip(parts, best, strict=True)):
            if gains[place, fact] > price:
                holds = task.truths[:, fact] > 0.5
                for each, way, gain in zip((fact, ~fact), (holds, ~holds), sides, strict=True):
                    last.append(_Part((*part.path, each), part.holds & way, float(coarsen(gain[place, fact]))))
        yield from last
        if not last:
            return


def _gains(sums: Array) -> Array:
    """What rows gain by themselves that have these sums of residuals and of bends."""
    residual, bend = sums
    return np.asarray(residual**2 / (bend + PRIOR))
