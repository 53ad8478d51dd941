"""In which order the classes of a list are tried: what is told apart clearly and with few facts comes first.

The log loss that a list leaves over is the sum of what its rules leave over, so a rule for a class among those that are
left is looked at once, whatever came before it, and orders are compared by adding up. What remains at the end needs no
rule.
"""

from dataclasses import dataclass, field

from crystalogic.arrays import np
from crystalogic.learner.grow import grow_facts
from crystalogic.learner.lists import narrow
from crystalogic.learner.task import Task, spread_evenly

LOOK = 5  # literals of a first look
PRICE = 3.0  # of a literal, on the scale of a likelihood ratio
COMMON = 0.9  # of the rows of the commonest class: a class with so many can be the last, too
ALL_ORDERS = 4  # classes up to which every order is compared
N_ORDERS = 3  # of which so many are judged
MOST_ROWS = 6000  # that are looked at


@dataclass(frozen=True, eq=False)
class _Looks:
    """What rules for a class cost among those left, so far as it was asked: twice the loss, and the literals."""

    task: Task
    known: dict[tuple[int, frozenset[int]], tuple[float, float]] = field(default_factory=dict)

    def cost(self, one: int, left: frozenset[int]) -> float:
        """What the best short rule costs."""
        return self._look(one, left)[0]

    def share(self, one: int, left: frozenset[int]) -> float:
        """The same as a share of what no rule at all would cost."""
        cost, blind = self._look(one, left)
        return cost / max(blind, 1e-9)

    def _look(self, one: int, left: frozenset[int]) -> tuple[float, float]:
        key = one if len(left) > 2 else min(left), left  # of two classes, each is told apart by telling the other
        if key not in self.known:
            task = narrow(self.task, (key[0], *sorted(left - {key[0]})), 0)
            task = task.take(np.flatnonzero(task.weight > 0))
            path = grow_facts(task, LOOK)
            costs = [2 * each.loss(task) + PRICE * each.size for each in path]
            self.known[key] = min(costs), costs[0]
        return self.known[key]


def order_classes(task: Task) -> list[tuple[int, ...]]:
    """The columns of the goal in the order of their rules; the last, one of the commonest, has none.

    Of few classes there are several orders, the most promising first.
    """
    task = task.take(spread_evenly(task.n_rows, MOST_ROWS))
    looks = _Looks(task)
    mass = task.weight @ task.goal
    everyone = frozenset(range(len(mass)))
    lasts = [one for one in everyone if mass[one] >= COMMON * mass.max()]
    if len(everyone) <= ALL_ORDERS:
        ranked = sorted(
            (cost + looks.cost(first, everyone), last, (first, *rest))
            for last in lasts
            for first in everyone - {last}
            for cost, rest in (_least(looks, everyone - {first}, last),)
        )
        return [order for _, _, order in ranked[:N_ORDERS]]
    order: list[int] = []
    left = everyone
    while len(left) > 2:
        free = left - set(lasts) if len(left & set(lasts)) == 1 else left
        order.append(min(sorted(free), key=lambda one: looks.share(one, left)))
        left -= {order[-1]}
    last = min(left & set(lasts))
    return [_improve(looks, (*order, *(left - {last}), last))]


def _least(looks: _Looks, left: frozenset[int], last: int) -> tuple[float, tuple[int, ...]]:
    """The order of the classes left that costs least with one of them last, and its cost."""
    if len(left) == 2:
        return looks.cost(min(left), left), (*(left - {last}), last)
    found = []
    for one in sorted(left - {last}):
        cost, rest = _least(looks, left - {one}, last)
        found.append((cost + looks.cost(one, left), (one, *rest)))
    return min(found, key=lambda each: each[0])


def _improve(looks: _Looks, order: tuple[int, ...]) -> tuple[int, ...]:
    """The order with neighbours exchanged, from the first on, where that costs less; the last stays."""
    for place in range(len(order) - 2):
        one, other = order[place : place + 2]
        left = frozenset(order[place:])
        as_is = looks.cost(one, left) + looks.cost(other, left - {one})
        turned = looks.cost(other, left) + looks.cost(one, left - {other})
        if turned < as_is - 1e-6:
            order = (*order[:place], other, one, *order[place + 2 :])
    return order
