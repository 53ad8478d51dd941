"""Two facts that say together what one fact says: of three values, being 1 and being 2 are not being 3."""

from dataclasses import replace
from itertools import combinations

from crystalogic.arrays import Array, np
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import Task, spread_evenly

MARKED = 8000  # rows by whose sums facts are looked up; all rows confirm what is found
LARGEST_MARK = 1 << 30


def unite_facts(rule: Rule, task: Task) -> Rule:
    """The rule with as few facts as give every row of the task its score, but for a number that all scores share."""
    rows = spread_evenly(task.n_rows, MARKED)
    marks = np.random.default_rng(0).integers(1, LARGEST_MARK, len(rows)).astype(np.float64)
    sums = marks @ task.truths[rows]
    places = {float(each): place for place, each in reversed(list(enumerate(sums)))}
    found: Rule | None = rule
    while found is not None:
        rule, found = found, _unite_two(found, task, sums, places, float(marks.sum()))
    return rule


def _unite_two(rule: Rule, task: Task, sums: Array, places: dict[float, int], everything: float) -> Rule | None:
    """The rule with one fact for two of the same weight; None if there is none."""
    facts = {
        index: item.facts[0]
        for index, item in enumerate(rule.items)
        if item.is_fact and item.facts[0] >= 0 and item.facts[0] not in task.required
    }
    for one, other in combinations(facts, 2):
        if abs(rule.points[one]) != abs(rule.points[other]):
            continue
        ways = [1 if rule.points[each] > 0 else -1 for each in (one, other)]
        both = ways[0] * sums[facts[one]] + ways[1] * sums[facts[other]]
        for shared, way in ((0, 1), (1, -1), (0, -1), (-1, 1), (2, -1), (-2, 1), (1, 1), (-1, -1)):
            place = places.get(way * (both - shared * everything))
            if place is None or task.signs[place] == -way or place in facts.values():
                continue
            two = ways[0] * task.truths[:, facts[one]] + ways[1] * task.truths[:, facts[other]]
            if (two == shared + way * task.truths[:, place]).all():
                points = [*rule.points]
                points[one] = way * abs(points[one])
                items = [*rule.items[:one], Item((place,)), *rule.items[one + 1 :]]
                del items[other], points[other]
                return replace(rule, items=tuple(items), points=tuple(points)).with_map(task)
    return None
