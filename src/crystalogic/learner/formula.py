"""Growing a rule with neurons among its items, and polishing it: an item may be dropped, or found anew.

What is minimised is twice the loss plus a price for every literal. The price is what a literal has to bring to be worth
reading, on the scale of a likelihood ratio.
"""

from dataclasses import dataclass, replace

from crystalogic.arrays import Array, np
from crystalogic.learner.grow import PRIOR, Grown, Slopes, allowed_gains, best_ladder, moments_of, slopes_at
from crystalogic.learner.neurons import LARGEST, Found, find_neurons
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.settings import MOST_POINTS
from crystalogic.learner.task import Task
from crystalogic.learner.whole import to_rule

FEWEST_STARTS, MOST_STARTS = 12, 24
WORK = 60_000  # rows × facts × starts
N_SHUFFLES, BEYOND_CHANCE = 3, 1.25
PATIENCE = 4  # items without a neuron
MOST_FACTS = 48  # that neurons are made of: those that gain most


def grow_formula(task: Task, most: int, price: float) -> Grown:
    """Items of one or several facts, added while they are worth their price, and polished.

    Alternatives of conditions are often what a person would write, and neurons that count can hide them, so both are
    tried. A row for which two alternatives hold has the points of both, though it is no surer for it: so the map may
    level off.
    """
    growths = [_Growth(task, price, most, only_all) for only_all in (True, False)]
    grown = [_prune(growth.grow_on(Grown.begin(task)), task, price) for growth in growths]
    return min(grown, key=lambda each: round(_price_of_rule(each, task, price), 6))  # of equal ones the conditions


def _prune(grown: Grown, task: Task, price: float) -> Grown:
    """The formula without neurons that only mend what a level map makes up for, such as rows of two alternatives."""
    least = _price_of_rule(grown, task, price)
    for item in sorted(grown.items, key=lambda each: -each.size):
        if item.size == 1 or item not in grown.items:
            continue
        fewer = _without(grown, item, task)
        cost = _price_of_rule(fewer, task, price)
        if cost < least:
            grown, least = fewer, cost
    return grown


def regrow_formula(grown: Grown, task: Task, most: int, price: float) -> Grown:
    """The formula after each of its neurons was left out, and others grew in its place, where that is worth more.

    The first neuron that grows is the one that tells most by itself; the shortest formula may do without it.
    """
    for item in grown.items:
        if item.size == 1 or item not in grown.items:
            continue
        growth = _Growth(task, price, most, item.least == item.size, frozenset([item.places]))
        other = growth.grow_on(_without(grown, item, task))
        if _price_of_rule(other, task, price) < _price_of_rule(grown, task, price) - 1e-6:
            grown = other
    return grown


def _without(grown: Grown, item: Item, task: Task) -> Grown:
    """The rule without an item and those of the same facts."""
    return grown.without(tuple(place for place, other in enumerate(grown.items) if other.facts == item.facts), task)


def _price_of_rule(grown: Grown, task: Task, price: float) -> float:
    """Twice the loss of the rule with whole points and a map of its own, and the price of its literals."""
    return 2 * to_rule(grown, task, MOST_POINTS).loss(task) + price * grown.size


@dataclass(frozen=True)
class _Growth:
    """A task, the price of a literal, how many a formula has at most, whether it has conjunctions only, none barred."""

    task: Task
    price: float
    most: int
    only_all: bool
    barred: frozenset[tuple[int, ...]] = frozenset()

    def grow_on(self, grown: Grown) -> Grown:
        """Items beside those that are there, as long as they are worth their price."""
        task, price, random = self.task, self.price, np.random.default_rng(0)
        grown = polished = self.polish(grown)
        while grown.size < self.most and not self._is_plain(grown):
            better = self._add_best(grown, random)
            if better.size > self.most or _cost(better, task, price) >= _cost(grown, task, price) - 1e-6:
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
        task, moments = self.task, moments_of(grown, self.task)
        gains = allowed_gains(moments, task.signs)
        order = np.argsort(-gains, kind="stable")
        best = float(gains[order[0]]), Item((int(order[0]),))
        if task.ladders:
            best = max(best, best_ladder(moments, task), key=lambda each: each[0])
        facts = _facts_for_neurons(task, order, grown.items)
        starts = _starts(task.n_rows, len(facts), random)
        found = self._search(grown, facts, starts)
        if found is None or len(found.facts) == 1 or best[0] - self.price >= found.worth:
            return grown.add(best[1], task)
        return _with_neuron(grown, found, task)

    def _search(self, grown: Grown, facts: Array, starts: list[list[int]]) -> Found | None:
        if not len(facts):
            return None
        slopes = slopes_at(grown.holds @ grown.weights, self.task)
        for found in find_neurons(self.task.truths[:, facts], slopes, starts, self.price, only_all=self.only_all):
            named = tuple(sorted(int(facts[fact]) if fact >= 0 else ~int(facts[~fact]) for fact in found.facts))
            if Item(named).places not in self.barred:
                return replace(found, facts=named)
        return None

    def polish(self, grown: Grown) -> Grown:
        """Items dropped or found anew, one at a time, as long as that lowers the cost."""
        task, price = self.task, self.price
        cost = _cost(grown, task, price)
        place = 0
        while place < len(grown.items):
            item = grown.items[place]
            if item.size == 1 and item.facts[0] in task.required:
                place += 1
                continue
            rest = _without(grown, item, task)
            options = [rest]
            if item.size > 1:
                facts = np.array(item.places)
                where = {int(fact): index for index, fact in enumerate(facts)}
                start = [where[fact] if fact >= 0 else ~where[~fact] for fact in item.facts]
                found = self._search(rest, facts, [start[:i] + start[i + 1 :] for i in range(len(start))])
                if found is not None:
                    options.append(_with_neuron(rest, found, task))
            costs = [_cost(each, task, price) for each in options]
            if min(costs) < cost - 1e-6:
                grown, cost, place = options[costs.index(min(costs))], min(costs), 0
            else:
                place += 1
        return grown


def _cost(grown: Grown, task: Task, price: float) -> float:
    """Twice the loss, with the prior, and the price of the literals."""
    return 2 * grown.loss(task) + float(PRIOR * (grown.weights[1:] ** 2).sum()) + price * grown.size


def hides_neuron(rule: Rule, task: Task, price: float) -> bool:
    """Whether a neuron tells clearly more of what a rule leaves over than neurons tell of the same in another order."""
    slopes = slopes_at(rule.log_odds(task.truths), task)
    gradient, own = task.sum_facts(np.column_stack([slopes.residual, slopes.bend]))
    gains = gradient**2 / (own + PRIOR)
    truths = task.truths[:, _facts_for_neurons(task, np.argsort(-gains, kind="stable"), rule.items)]
    if not truths.shape[1]:
        return False
    starts = _starts(task.n_rows, truths.shape[1], np.random.default_rng(0))
    random = np.random.default_rng(0)

    def find_worth(order: Array) -> float:
        return find_neurons(truths, Slopes(slopes.residual[order], slopes.bend[order]), starts, price)[0].worth

    worth = find_worth(np.arange(task.n_rows))
    return worth > 0 and all(
        worth > BEYOND_CHANCE * find_worth(random.permutation(task.n_rows)) for _ in range(N_SHUFFLES)
    )


def _starts(n_rows: int, n_facts: int, random: np.random.Generator) -> list[list[int]]:
    """Sets of facts to begin with: the most promising alone, and some at random."""
    n_starts = min(max(WORK // (n_rows * max(n_facts, 1)), FEWEST_STARTS), MOST_STARTS)
    starts = [[place] for place in range(min(n_starts // 3, n_facts))]
    while len(starts) < n_starts:
        some = random.permutation(n_facts)[: random.integers(2, LARGEST)]
        starts.append([int(place) if random.random() < 0.7 else ~int(place) for place in some])
    return starts


def _facts_for_neurons(task: Task, order: Array, items: tuple[Item, ...]) -> Array:
    """Facts without a sign of their own, the most promising first; those of the items too, which have had their say."""
    free = order[task.signs[order] == 0]
    used = {place for item in items for place in item.places}
    late = [fact for fact in free[MOST_FACTS:].tolist() if fact in used]
    return np.concatenate([free[: max(MOST_FACTS - len(late), 0)], np.array(late, free.dtype)])


def _with_neuron(grown: Grown, found: Found, task: Task) -> Grown:
    """The rule with what was found: one neuron, or two with the same facts."""
    if found.low > 0:
        grown = grown.add(Item(found.facts, found.low), task)
    if found.high < len(found.facts):
        grown = grown.add(Item(found.facts, found.high + 1), task)
    return grown
