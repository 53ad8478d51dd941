"""Checklists: facts that count one each, searched as what they are.

Rounding the weights of a scorecard gives a poor checklist: the strongest fact drowns in the others, and the others are
those that go well with a strong one. So checklists grow by themselves, several side by side. A count is a small whole
number, so what one literal more would do to the counts of all rows is known from sums over the rows of each count: for
all literals at once, a matrix product.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crystalogic.arrays import Array, np
from crystalogic.learner.maps import Maps, fit_histograms, fit_maps
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import Task, logistic

N_TRIED = 40  # literals whose loss is computed, of all those whose promise is known
MOST_SWEEPS = 3


@dataclass(frozen=True, eq=False)
class _Counted:
    """A checklist with the count of each row, the loss of its best map, and that map's line."""

    items: tuple[Item, ...]
    counts: Array
    loss: float
    slope: float
    intercept: float

    @property
    def size(self) -> int:
        """How many literals it has."""
        return sum(item.size for item in self.items)

    def to_rule(self) -> Rule:
        """The rule of one point an item."""
        return Rule(self.items, (1,) * len(self.items), self.slope, self.intercept)


@dataclass(frozen=True, eq=False)
class _Choice:
    """What a checklist may have: items, whether each holds for each row (rows × items), and those it must have."""

    task: Task
    items: tuple[Item, ...]
    holds: Array
    signs: Array
    required: tuple[Item, ...]

    @staticmethod
    def of(task: Task, groups: Sequence[Item]) -> "_Choice":
        """Every fact, and these groups of facts."""
        items = (*(Item((fact,)) for fact in range(task.n_facts)), *groups)
        holds = task.truths
        if groups:
            holds = np.column_stack([holds, *(item.hold(task.truths).astype(holds.dtype) for item in groups)])
        signs = np.append(task.signs, np.zeros(len(groups), task.signs.dtype))
        required = tuple(_literal(Item((fact,)), task.signs[fact] >= 0) for fact in task.required)
        return _Choice(task, items, holds, signs, required)

    def begin(self) -> _Counted:
        """The checklist of what is required alone."""
        counts = sum((item.hold(self.task.truths) for item in self.required), np.zeros(self.task.n_rows))
        return self._counted(self.required, np.rint(counts).astype(np.int64))

    def _counted(self, items: tuple[Item, ...], counts: Array) -> _Counted:
        maps = fit_maps(counts[None], self.task.goal, self.task.weight)
        return _Counted(items, counts, *maps.at(0))

    def without(self, list_: _Counted, item: Item) -> _Counted:
        """The checklist without an item."""
        kept = tuple(each for each in list_.items if each != item)
        return self._counted(kept, list_.counts - np.rint(item.hold(self.task.truths)).astype(np.int64))

    def extend(self, list_: _Counted, n_best: int) -> list[_Counted]:
        """The best checklists with one item more."""
        task, kind = self.task, self.holds.dtype
        p = logistic(max(list_.slope, 0.0) * list_.counts + list_.intercept)
        bend = task.weight * np.maximum(p * (1 - p), 1e-4)
        gradient = (task.weight * (task.goal - p)).astype(kind) @ self.holds
        own = bend.astype(kind) @ self.holds
        own = np.maximum(own * (1 - own / bend.sum()), 0)
        promise = gradient**2 / (own + 1)
        used = {place for item in list_.items for place in item.places}
        promise[list(used)] = -np.inf
        for place in range(task.n_facts, len(self.items)):  # groups of facts
            if not used.isdisjoint(self.items[place].facts):
                promise[place] = -np.inf
        promise[self.signs * gradient < 0] = -np.inf
        tried = np.argsort(-promise, kind="stable")[:N_TRIED]
        tried = tried[np.isfinite(promise[tried]) & (own[tried] > 0)]
        if not len(tried):
            return []
        is_plain = gradient[tried] >= 0
        maps = self._fit(list_, tried, is_plain)
        order = np.argsort(maps.loss, kind="stable")[:n_best]
        found = []
        for place in order[maps.slope[order] > 0]:
            item = _literal(self.items[tried[place]], bool(is_plain[place]))
            held = self.holds[:, tried[place]] > 0.5
            counts = list_.counts + (held if is_plain[place] else ~held)
            found.append(_Counted((*list_.items, item), counts, *maps.at(place)))
        return found

    def _fit(self, list_: _Counted, tried: Array, is_plain: Array) -> Maps:
        """The map of each checklist with one of these more, from what it does to the rows of each count."""
        task, kind = self.task, self.holds.dtype
        n_counts = int(list_.counts.max()) + 2
        is_count = (list_.counts == np.arange(n_counts)[:, None]).astype(kind)
        holds = self.holds[:, tried]

        def count(amount: Array) -> Array:
            weighed = is_count * amount.astype(kind)
            held, total = (weighed @ holds).astype(np.float64), weighed.sum(axis=1, dtype=np.float64)[:, None]
            moved = np.where(is_plain, held, total - held)
            after = total - moved
            after[1:] += moved[:-1]
            return np.asarray(np.maximum(after, 0).T)

        return fit_histograms(count(task.weight), count(task.weight * task.goal), np.arange(n_counts))


def grow_checklists(task: Task, most: int, groups: Sequence[Item] = (), width: int = 1) -> dict[int, Rule]:
    """The best checklist found of each size up to so many literals; `groups` of facts may be items, too.

    So many of each size grow on, and the best of them is polished; where only one does, nothing is.
    """
    choice = _Choice.of(task, groups)
    first = choice.begin()
    layers: dict[int, list[_Counted]] = {first.size: [first]}
    best: dict[int, Rule] = {}
    for size in range(first.size, most + 1):
        lists = _different(layers.get(size, ()))[:width]
        if not lists:
            continue
        if size > first.size and width > 1:
            lists = _different([_exchange(choice, lists[0]), *lists])[:width]
        best[size] = lists[0].to_rule()
        for each in lists:
            for longer in choice.extend(each, width):
                layers.setdefault(longer.size, []).append(longer)
    return best


def _exchange(choice: _Choice, list_: _Counted) -> _Counted:
    """The checklist after each item was offered the best others in its place, until none is better."""
    for _ in range(MOST_SWEEPS):
        before = list_.loss
        for item in list_.items:
            if item in choice.required:
                continue
            rest = choice.without(list_, item)
            for other in choice.extend(rest, 1):
                if other.loss < list_.loss - 1e-6:
                    list_ = other
        if list_.loss == before:
            break
    return list_


def _different(lists: Iterable[_Counted]) -> list[_Counted]:
    """The checklists without those that others repeat, the best first."""
    found: dict[frozenset[Item], _Counted] = {}
    for each in sorted(lists, key=lambda one: (one.loss, one.items)):
        found.setdefault(frozenset(each.items), each)
    return list(found.values())


def _literal(item: Item, is_plain: bool) -> Item:
    """The item, or its negation: that none of its facts holds."""
    return item if is_plain else Item(tuple(sorted(~fact for fact in item.facts)), len(item.facts), item.is_group)
