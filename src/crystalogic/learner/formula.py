"""Growing a rule with neurons among its items, and polishing it: an item may be dropped, or found anew.

What is minimised is twice the loss plus a price for every literal. The price is what a literal has to bring to be worth
reading, on the scale of a likelihood ratio.

Neurons are looked for in what a rule leaves over: which facts, counted together, tell most of the residuals. A neuron
counts facts and says yes from one count on, or between two. For a set of facts, the residuals summed by count show the
best place at once; and the sums for every set with one fact more or less are one matrix product away. Many sets climb
side by side, each forbidden for a while to undo what it just did.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from crystalogic.arrays import Array, np
from crystalogic.learner import grow
from crystalogic.learner.grow import PRIOR, Grown, Slopes, allowed_gains, moments_of, slopes_at
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.settings import MOST_POINTS
from crystalogic.learner.starts import LARGEST, MOST_STARTS, begin_search
from crystalogic.learner.task import Task, coarsen, round_sums, spread_evenly

STEPS, PAUSE = 16, 3
FEW = 4  # facts, of which every set is looked at once
CLIMBING_PRICE = 1.0
NEARLY = 1 - 1e-4  # as much as the most
ROWS_FOR_NEURONS = 8000  # are enough to find them; all rows weigh them
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
    """The ranges of counts, from one on to another, those without an end first; not the one that has all."""
    low, high = np.triu_indices(n_counts)
    order = np.argsort(high < n_counts - 1, kind="stable")[1:]
    return low[order], high[order]


@lru_cache
def _sets_of(n_facts: int) -> list[list[int]]:
    """Every set of facts, each of which is to hold, or to be false, or has no say."""
    ways = product(*((None, fact, ~fact) for fact in range(n_facts)))
    return [[fact for fact in way if fact is not None] for way in ways][1:]


def find_neurons(
    truths: Array, slopes: Slopes, starts: list[list[int]], price: float, *, only_all: bool = False
) -> list[Found]:
    """The best sets that were met from the starts, the most worth first; facts are places, or ~place where false.

    With `only_all` they are conjunctions: all of their facts hold, or not.
    """
    if 2 ** truths.shape[1] < len(truths):
        truths, *merged = grow.merge_rows(truths, slopes.residual, slopes.bend)
        slopes = Slopes(*merged)
    n_steps = min(STEPS, 2 * truths.shape[1])
    if truths.shape[1] <= FEW:
        starts, n_steps = _sets_of(truths.shape[1]), 1
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
    for place in np.argsort(-best, kind="stable")[:MOST_STARTS]:
        facts = tuple(sorted(int(f) if f < n_facts else ~(int(f) - n_facts) for f in np.flatnonzero(kept[place])))
        first, last = int(ends[place, 0]), int(min(ends[place, 1], len(facts)))
        found.setdefault((facts, first, last), Found(facts, first, last, float(best[place])))
    return list(found.values())


class _Looks:
    """What sets of facts gain, in which counts, and what with a literal more or less; each is looked at once."""

    def __init__(self, truths: Array, slopes: Slopes, only_all: bool) -> None:
        self.truths, self.only_all, self.known = truths, only_all, dict[bytes, tuple[Array, ...]]()
        both = [round_sums(each[:, None]) for each in (slopes.residual, slopes.bend)]
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
        gains = _span_gains((a for a, _ in sums), self.mass)
        gain = gains.max(axis=1)
        span = (gains >= NEARLY * gain[:, None]).argmax(axis=1)  # what is told by a range is told by the others as well
        moves = _span_gains((a[:, :, None] - b + _shift(b, 1) for a, b in sums), self.mass).max(axis=1)
        sets, literals = np.nonzero(chosen)
        fewer = (a[sets] - b[sets, :, literals] + _shift(b[sets, :, literals], -1) for a, b in sums)
        moves[sets, literals] = _span_gains(fewer, self.mass).max(axis=1)
        return gain, *(each[span] for each in _spans(sums[0][0].shape[1])), moves


def _count(chosen: Array, truths: Array) -> Array:
    """For each set and each row how many of the facts, or of the negations, hold."""
    n_facts = truths.shape[1]
    is_fact, is_not = chosen[:, :n_facts], chosen[:, n_facts:]
    held = (is_fact.astype(truths.dtype) - is_not.astype(truths.dtype)) @ truths.T
    return np.asarray(np.rint(held).astype(np.int8) + is_not.sum(axis=1, dtype=np.int8)[:, None])


def _span_gains(sums: Iterable[Array], mass: float) -> Array:
    """What each range of counts gains, which are the second axis of residuals and bends."""
    totals = [np.concatenate([np.zeros_like(each[:, :1]), np.cumsum(each, axis=1)], axis=1) for each in sums]
    low, high = _spans(totals[0].shape[1] - 1)
    return _gains((each[:, high + 1] - each[:, low] for each in totals), mass)


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


PRICE = 3.0  # of a literal, on the scale of a likelihood ratio
PATIENCE, MOST_REGROWN = 4, 4  # items without a neuron; times that a formula grows again


def grow_formula(task: Task, most: int) -> Grown:
    """Items of one or several facts, added while they are worth their price, and polished.

    Alternatives of conditions are often what a person would write, and neurons that count can hide them, so both are
    tried. A row for which two alternatives hold has the points of both, though it is no surer for it: so the map may
    level off.
    """
    growths = [_Growth(task, most, only_all) for only_all in (True, False)]
    grown = [_prune(growth.grow_on(Grown.begin(task)), task) for growth in growths]
    return min(grown, key=lambda each: round(_price_of_rule(each, task), 6))  # of equal ones the conditions


def _prune(grown: Grown, task: Task) -> Grown:
    """The formula without neurons that only mend what a level map makes up for, such as rows of two alternatives."""
    least = _price_of_rule(grown, task)
    for item in sorted(grown.items, key=lambda each: -each.size):
        if item.size == 1 or item not in grown.items:
            continue
        fewer = _without(grown, item, task)
        cost = _price_of_rule(fewer, task)
        if cost < least and task.allows(fewer.items):
            grown, least = fewer, cost
    return grown


def shorten(grown: Iterable[Grown], tasks: Sequence[Task], sizes: Iterable[int]) -> Iterator[tuple[int, list[Grown]]]:
    """Formulas with at most so many literals together, the longest first: items go that bring least for a literal."""
    kept = list(grown)
    options = [_shorten(*each) for each in zip(kept, tasks, strict=True)]
    for size in sorted(sizes, reverse=True):
        while sum(each.size for each in kept) > size:
            cost, place = min((cost, place) for place, (cost, _) in enumerate(options))
            if not np.isfinite(cost):
                break
            kept[place] = options[place][1]
            options[place] = _shorten(kept[place], tasks[place])
        yield size, [*kept]


def _shorten(grown: Grown, task: Task) -> tuple[float, Grown]:
    """The formula without the item that brings least for each of its literals, and how much that is."""
    loss, options = grown.loss(task), [(np.inf, 0, grown)]
    for place, item in enumerate(grown.items):
        fewer = _without(grown, item, task)
        if not set(task.required) & set(item.places) and task.allows(fewer.items):
            options.append(((fewer.loss(task) - loss) / (grown.size - fewer.size), place, fewer))
    return min(options, key=lambda each: (coarsen(each[0]), each[1]))[::2]


def regrow_formula(grown: Grown, task: Task, most: int) -> Grown:
    """The formula after each of its neurons was left out, and others grew in its place, as long as that is worth more.

    The first neuron that grows is the one that tells most by itself; the shortest formula may do without it.
    """
    for _ in range(MOST_REGROWN):
        before = grown
        for item in before.items:
            if item.size == 1 or item not in grown.items:
                continue
            growth = _Growth(task, most, item.least == item.size, frozenset([item.places]))
            other = growth.grow_on(_without(grown, item, task))
            is_less = _price_of_rule(other, task) < _price_of_rule(grown, task) - 1e-6
            grown = other if is_less and task.allows(other.items) else grown
        if grown is before:
            break
    return grown


def _without(grown: Grown, item: Item, task: Task) -> Grown:
    """The rule without an item and those of the same facts."""
    return grown.without(tuple(place for place, other in enumerate(grown.items) if other.facts == item.facts), task)


def spell_out(rule: Rule, task: Task) -> Rule:
    """A rule of nothing but one neuron as the checklist of its facts, if that decides the same: a count tells more."""
    neurons = [item for item in rule.items if not (item.adds_up or item.is_group)]
    facts = neurons[0].facts if len(rule.items) == len(neurons) == 1 else ()
    items = tuple(Item((fact if rule.points[0] > 0 else ~fact,)) for fact in facts)
    plain = replace(rule, items=items, points=(1,) * len(items)).with_map(task)
    return plain if items and (plain.decide(task.truths) == rule.decide(task.truths)).all() else rule


def _price_of_rule(grown: Grown, task: Task) -> float:
    """Twice the loss of the rule with whole points and a map of its own, and the price of its literals."""
    return 2 * grow.to_rule(grown, task, MOST_POINTS).loss(task) + PRICE * grown.size


@dataclass(frozen=True)
class _Growth:
    """A task, how many literals a formula has at most, whether it has conjunctions only, none barred."""

    task: Task
    most: int
    only_all: bool
    barred: frozenset[tuple[int, ...]] = frozenset()

    def grow_on(self, grown: Grown) -> Grown:
        """Items beside those that are there, as long as they are worth their price."""
        task, random = self.task, np.random.default_rng(0)
        grown = polished = self.polish(grown)
        while grown.size < self.most and not self._is_plain(grown):
            better = self._add_best(grown, random)
            if better.size > self.most or _cost(better, task) >= _cost(grown, task) - 1e-6:
                break
            grown = better
            if better.items[-1].size > 1:
                grown = polished = self.polish(better)
        return grown if grown is polished else self.polish(grown)

    def _is_plain(self, grown: Grown) -> bool:
        """Whether many items were added, and no neuron among them: it is points that grow here, and not a formula."""
        sizes = [item.size for item in grown.items]
        return max(sizes, default=0) == 1 and len(sizes) >= PATIENCE + len(self.task.required)

    def _add_best(self, grown: Grown, random: np.random.Generator) -> Grown:
        """The item that is worth most beside the others, which may be a single fact."""
        task, moments, barred = self.task, moments_of(grown, self.task), self.task.bars(grown.items)
        gains = allowed_gains(moments, task.signs, barred)
        order = np.argsort(-coarsen(gains), kind="stable")
        best = float(gains[order[0]]), Item((int(order[0]),))
        if task.ladders:
            best = max(best, grow.best_ladder(moments, task, barred), key=lambda each: coarsen(each[0]))
        slopes = slopes_at(grown.holds @ grown.weights, task)
        begin = begin_search(task, slopes, order[~barred[order]], grown.items, PRICE, random)
        found = self._search(grown, *begin)
        if found is None or len(found.facts) == 1 or best[0] - PRICE >= found.worth:
            return grown.add(best[1], task)
        return _with_neuron(grown, found, task)

    def _search(self, grown: Grown, facts: Array, starts: list[list[int]]) -> Found | None:
        if not len(facts):
            return None
        slopes = slopes_at(grown.holds @ grown.weights, self.task)
        for found in find_neurons(self.task.truths[:, facts], slopes, starts, PRICE, only_all=self.only_all):
            named = tuple(sorted(int(facts[fact]) if fact >= 0 else ~int(facts[~fact]) for fact in found.facts))
            if Item(named).places not in self.barred and self.task.allows((*grown.items, Item(named))):
                return replace(found, facts=named)
        return None

    def polish(self, grown: Grown) -> Grown:
        """Items dropped or found anew, one at a time, as long as that lowers the cost."""
        task = self.task
        cost = _cost(grown, task)
        place = 0
        while place < len(grown.items):
            item = grown.items[place]
            if item.size == 1 and item.facts[0] in task.required:
                place += 1
                continue
            rest = _without(grown, item, task)
            options = [rest] if task.allows(rest.items) else []
            if item.size > 1:
                facts = np.array(item.places)
                where = {int(fact): index for index, fact in enumerate(facts)}
                start = [where[fact] if fact >= 0 else ~where[~fact] for fact in item.facts]
                found = self._search(rest, facts, [start[:i] + start[i + 1 :] for i in range(len(start))])
                if found is not None:
                    options.append(_with_neuron(rest, found, task))
            costs = [_cost(each, task) for each in options]
            if min(costs, default=cost) < cost - 1e-6:
                grown, cost, place = options[costs.index(min(costs))], min(costs), 0
            else:
                place += 1
        return grown


def _cost(grown: Grown, task: Task) -> float:
    """Twice the loss, with the prior, and the price of the literals."""
    return 2 * grown.loss(task) + float(PRIOR * (grown.weights[1:] ** 2).sum()) + PRICE * grown.size


def _with_neuron(grown: Grown, found: Found, task: Task) -> Grown:
    """The rule with what was found: one neuron, or two with the same facts."""
    if found.low > 0:
        grown = grown.add(Item(found.facts, found.low), task)
    if found.high < len(found.facts):
        grown = grown.add(Item(found.facts, found.high + 1), task)
    return grown
