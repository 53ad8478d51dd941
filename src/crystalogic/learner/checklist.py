"""Checklists: facts that count one each, and steps of a number, searched as what they are.

Rounding the weights of a scorecard gives a poor checklist: the strongest fact drowns in the others, and the others are
those that go well with a strong one. So checklists grow by themselves, several side by side. A count is a small whole
number, so what one literal more would do to the counts of all rows is known from sums over the rows of each count: for
all literals at once, a matrix product.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from crystalogic.arrays import Array, np
from crystalogic.learner.grow import square_steps
from crystalogic.learner.rule import Item, Maps, Rule, fit_histograms, fit_maps
from crystalogic.learner.task import Task, coarsen, logistic, round_sums

N_TRIED = 40  # literals whose loss is computed, of all those whose promise is known
MOST_SWEEPS = 3


@dataclass(frozen=True, eq=False)
class _Counted:
    """A checklist as a rule with its best map, the loss of that, and the count of each row."""

    rule: Rule
    loss: float
    counts: Array

    @staticmethod
    def of(items: tuple[Item, ...], counts: Array, maps: Maps, place: int) -> "_Counted":
        """One point an item, and one of these maps."""
        loss, slope, intercept = maps.at(place)
        return _Counted(Rule(items, (1,) * len(items), slope, intercept), loss, counts)


@dataclass(frozen=True, eq=False)
class _Choice:
    """What a checklist may have: items, and those it must have.

    `holds` (rows × columns) are facts and groups of facts; an item counts the columns at its `rungs` (items × rungs),
    of which it has one, or several where it is a ladder. What is left of these is -1.
    """

    task: Task
    items: tuple[Item, ...]
    holds: Array
    rungs: Array
    first: Array
    signs: Array
    required: tuple[Item, ...]

    @staticmethod
    def of(task: Task, groups: Sequence[Item]) -> "_Choice":
        """Every fact, these groups of facts, and every ladder."""
        ladders = tuple(Item(facts, is_ladder=True) for facts in task.ladders)
        items = (*(Item((fact,)) for fact in range(task.n_facts)), *groups, *ladders)
        holds = task.truths
        if groups:
            holds = np.column_stack([holds, *(item.hold(task.truths).astype(holds.dtype) for item in groups)])
        rungs = np.full((len(items), max(item.most for item in items)), -1)
        rungs[: holds.shape[1], 0] = np.arange(holds.shape[1])
        for place, item in enumerate(ladders, holds.shape[1]):
            rungs[place, : item.most] = item.facts
        signs = np.append(task.signs, np.zeros(len(groups), task.signs.dtype))[rungs[:, 0]]
        required = tuple(_literal(Item((fact,)), task.signs[fact] >= 0) for fact in task.required)
        return _Choice(task, items, holds, rungs, np.array([item.places[0] for item in items]), signs, required)

    def begin(self) -> _Counted:
        """The checklist of what is required."""
        times = (item.times(self.task.truths) for item in self.required)
        return self._count(self.required, sum(times, np.zeros(self.task.n_rows, np.int64)))

    def without(self, list_: _Counted, item: Item) -> _Counted:
        """The checklist without one of its items."""
        kept = tuple(each for each in list_.rule.items if each != item)
        return self._count(kept, list_.counts - item.times(self.task.truths))

    def _count(self, items: tuple[Item, ...], counts: Array) -> _Counted:
        return _Counted.of(items, counts, fit_maps(counts[None], self.task.goal, self.task.weight), 0)

    def extend(self, list_: _Counted, n_best: int) -> list[_Counted]:
        """The best checklists with one item more."""
        task = self.task
        p = logistic(max(list_.rule.slope, 0.0) * list_.counts + list_.rule.intercept)
        bend = task.weight * np.maximum(p * (1 - p), 1e-4)
        sums = round_sums(np.column_stack([task.weight * (task.goal - p), bend])).T @ self.holds
        residual, own = np.append(sums, np.zeros((2, 1)), axis=1)[:, self.rungs]  # what is left of rungs adds nothing
        gradient, mean = residual.sum(axis=1), own.sum(axis=1)
        own = np.maximum(own @ square_steps(own.shape[1]) - mean**2 / bend.sum(), 0)
        promise = gradient**2 / (own + 1)
        is_used = np.zeros(self.holds.shape[1] + 1, bool)
        is_used[list_.rule.places] = True
        for place in range(task.n_facts, self.holds.shape[1]):  # groups of facts
            is_used[place] = is_used[list(self.items[place].facts)].any()
        barred = task.bars(list_.rule.items)[self.first]
        promise[is_used[self.rungs].any(axis=1) | (self.signs * gradient < 0) | barred] = -np.inf
        tried = np.argsort(-coarsen(promise), kind="stable")[:N_TRIED]
        tried = tried[np.isfinite(promise[tried]) & (own[tried] > 0)]
        if not len(tried):
            return []
        is_plain = gradient[tried] >= 0
        maps = self._fit(list_, tried, is_plain)
        order = np.argsort(coarsen(maps.loss), kind="stable")[:n_best]
        found = []
        for place in order[maps.slope[order] > 0]:
            item = _literal(self.items[tried[place]], bool(is_plain[place]))
            counts = list_.counts + item.times(task.truths)
            found.append(_Counted.of((*list_.rule.items, item), counts, maps, place))
        return found

    def _fit(self, list_: _Counted, tried: Array, is_plain: Array) -> Maps:
        """The map of each checklist with one of these more, from what it does to the rows of each count."""
        task, kind, rungs = self.task, self.holds.dtype, self.rungs[tried]
        n_rungs, most = (rungs >= 0).sum(axis=1), rungs.shape[1]
        n_counts = int(list_.counts.max()) + 1
        is_count = (list_.counts == np.arange(n_counts)[:, None]).astype(kind)
        is_rung = rungs >= 0
        holds = self.holds[:, rungs[is_rung]]
        steps = np.arange(1, most + 1)
        turned = np.where(steps <= n_rungs[:, None], n_rungs[:, None] - steps, 0)  # of the last rung, if it is missed

        def count(amount: Array) -> Array:
            weighed = is_count * round_sums(amount)
            total = weighed.sum(axis=1, dtype=np.float64)[:, None, None]
            reached = np.zeros((n_counts, *rungs.shape))
            reached[:, is_rung] = weighed @ holds
            missed = np.where(steps <= n_rungs[:, None], total - np.take_along_axis(reached, turned[None], axis=2), 0)
            at_least = np.where(is_plain[:, None], reached, missed)  # counts × items × steps from 1 on
            ends = np.broadcast_to(total, (n_counts, len(tried), 1)), np.zeros((n_counts, len(tried), 1))
            moved = -np.diff(np.concatenate([ends[0], at_least, ends[1]], axis=2), axis=2)
            after = np.zeros((len(tried), n_counts + most))
            for step in range(most + 1):
                after[:, step : step + n_counts] += moved[:, :, step].T
            return np.maximum(after, 0)

        return fit_histograms(count(task.weight), count(task.weight * task.goal), np.arange(n_counts + most))


def grow_checklists(task: Task, most: int, known: Sequence[Item], width: int = 1) -> dict[int, Rule]:
    """The best checklist found of each size up to so many literals; the groups among the known items may be in it.

    So many of each size grow on, and the best of them is polished; where only one does, nothing is.
    """
    choice = _Choice.of(task, [item for item in known if item.is_group])
    first = choice.begin()
    layers = defaultdict(list, {first.rule.size: [first]})
    best: dict[int, Rule] = {}
    for size in range(first.rule.size, most + 1):
        lists = _different(layers[size])[:width]
        if not lists:
            continue
        if size > first.rule.size and width > 1:
            lists = _different([_exchange(choice, lists[0]), *lists])[:width]
        best[size] = lists[0].rule
        for each in lists:
            for longer in choice.extend(each, width):
                layers[longer.rule.size].append(longer)
    return best


def _exchange(choice: _Choice, list_: _Counted) -> _Counted:
    """The checklist after each item was offered the best others in its place, until none is better."""
    for _ in range(MOST_SWEEPS):
        before = list_.loss
        for item in list_.rule.items:
            others = [] if item in choice.required else choice.extend(choice.without(list_, item), 1)
            list_ = next((other for other in others if other.loss < list_.loss - 1e-6), list_)
        if list_.loss == before:
            break
    return list_


def _different(lists: Iterable[_Counted]) -> list[_Counted]:
    """The checklists without those that others repeat, the best first."""
    found: dict[frozenset[Item], _Counted] = {}
    for each in sorted(lists, key=lambda one: (coarsen(one.loss), one.rule.items)):
        found.setdefault(frozenset(each.rule.items), each)
    return list(found.values())


def _literal(item: Item, is_plain: bool) -> Item:
    """The item, or its negation: that none of its facts holds, or of a ladder how many do not."""
    if is_plain:
        return item
    facts = tuple(sorted(~fact for fact in item.facts))
    return replace(item, facts=facts, least=1 if item.is_ladder else len(facts))
