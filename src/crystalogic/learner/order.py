"""In which order the classes of a list are tried: what is told apart clearly and with few facts comes first.

The log loss that a list leaves over is the sum of what its rules leave over, so a rule for a class among those that are
left is looked at once, whatever came before it, and orders are compared by adding up. What remains at the end needs no
rule.
"""

from functools import cache
from itertools import permutations

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


def order_classes(task: Task) -> list[tuple[int, ...]]:
    """The columns of the goal in the order of their rules; the last, one of the commonest, has none.

    Of few classes there are several orders, the most promising first.
    """
    task = task.take(spread_evenly(task.n_rows, MOST_ROWS))

    @cache
    def look(one: int, left: frozenset[int]) -> tuple[float, float]:
        """What the best short rule for a class costs among those left: twice the loss, and the literals; what none."""
        if len(left) == 2 and one != min(left):  # of two classes, each is told apart by telling the other
            return look(min(left), left)
        asked = narrow(task, (one, *sorted(left - {one})), 0)
        asked = asked.take(np.flatnonzero(asked.weight > 0))
        costs = [2 * each.loss(asked) + PRICE * each.size for each in grow_facts(asked, LOOK)]
        return min(costs), costs[0]

    def cost(order: tuple[int, ...]) -> float:
        return sum(look(order[place], frozenset(order[place:]))[0] for place in reversed(range(len(order) - 1)))

    def share(one: int) -> float:
        found, blind = look(one, left)
        return found / max(blind, 1e-9)

    mass = task.weight @ task.goal
    lasts = {one for one in range(len(mass)) if mass[one] >= COMMON * mass.max()}
    if len(mass) <= ALL_ORDERS:
        best: dict[tuple[int, int], tuple[float, int, tuple[int, ...]]] = {}  # of each first class and each last
        for each in permutations(range(len(mass))):
            if each[-1] in lasts:
                ends = each[0], each[-1]
                best[ends] = min(best.get(ends, (np.inf, 0, ())), (cost(each), each[-1], each))
        return [order for _, _, order in sorted(best.values())[:N_ORDERS]]
    order: tuple[int, ...] = ()
    left = frozenset(range(len(mass)))
    while len(left) > 2:
        order += (min(sorted(left - lasts if len(left & lasts) == 1 else left), key=share),)
        left -= {order[-1]}
    last = min(left & lasts)
    order = (*order, *(left - {last}), last)
    for place in range(len(order) - 2):  # neighbours are exchanged where that costs less; the last stays
        turned = (*order[:place], order[place + 1], order[place], *order[place + 2 :])
        order = turned if cost(turned) < cost(order) - 1e-6 else order
    return [order]
