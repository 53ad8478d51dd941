"""Ordered classes, such as grades: one score, and a threshold for each class but the least.

This is a list from the greatest class down whose rules all add up the same points, so whatever holds for a list holds
for it. The score is learned against one number for each class, its ridit: the share of rows of lesser classes and half
of its own (Bross, How to use ridit analysis, 1958). With them a score test asks what it asks in a model of proportional
odds, however far apart the grades are. Then the thresholds are those by which the classes decided for are likeliest,
all of them at once, and each rule has its own map to a probability.
"""

from collections.abc import Sequence
from dataclasses import replace

from crystalogic.arrays import np
from crystalogic.learner.checklist import grow_checklists
from crystalogic.learner.formula import grow_formula
from crystalogic.learner.grow import grow_facts
from crystalogic.learner.lists import ALWAYS, NEVER, SURE, RuleList, flatten, make_constant, narrow
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import MOST_FACTS, MOST_POINTS, Shape
from crystalogic.learner.task import Task
from crystalogic.learner.whole import to_rule


def to_ridits(task: Task, order: Sequence[int]) -> Task:
    """The task whose goal is the ridit of a row's class, scaled to 0 for the least and 1 for the greatest."""
    rising = list(order[::-1])
    mass = (task.weight @ task.goal)[rising]
    ridits = np.cumsum(mass) - mass / 2
    ridits = (ridits - ridits[0]) / (ridits[-1] - ridits[0])
    return replace(task, goal=np.clip(task.goal[:, rising] @ ridits, SURE, 1 - SURE))


def grow_grades(
    task: Task, order: tuple[int, ...], shapes: Sequence[Shape], most: int
) -> dict[Shape, dict[int, RuleList]]:
    """For each shape a score of each size up to so many literals, with its thresholds."""
    asked = to_ridits(task, order)
    path = grow_facts(asked, min(most, MOST_FACTS))
    found: dict[Shape, dict[int, RuleList]] = {}
    for shape in shapes:
        if shape is Shape.CHECKLIST:
            lists = grow_checklists(asked, path[-1].size, path[-1].items).items()
            scores = {path[0].size: to_rule(path[0], asked, 1), **{size: rule for size, rule in lists if rule.items}}
        else:
            scores = {each.size: to_rule(each, asked, MOST_POINTS) for each in path}
        found[shape] = {size: set_thresholds(rule, task, order) for size, rule in sorted(scores.items())}
    return found


def grow_graded_formula(task: Task, order: tuple[int, ...], most: int, price: float) -> RuleList:
    """A score that may have neurons among its items, with its thresholds."""
    asked = to_ridits(task, order)
    return set_thresholds(to_rule(grow_formula(asked, most, price), asked, MOST_POINTS), task, order)


def set_thresholds(score: Rule, task: Task, order: tuple[int, ...]) -> RuleList:
    """The list of one score with the thresholds, rising with the class, by which most is decided rightly."""
    mass = task.weight @ task.goal
    cuts = _best_cuts(score, task, order)
    low, high = score.reach
    rules, above = [], high + 1
    for place, cut in enumerate(cuts):
        if low < cut < above:
            rule = replace(score, cut=cut).with_map(narrow(task, order, place))
            rules.append(rule if rule.slope > 0 else flatten(score, cut, mass, order, place))
        else:
            rules.append(make_constant(mass, order, place, ALWAYS if cut <= low < above else NEVER))
        above = min(above, cut)
    if task.required and not any(rule.items for rule in rules):  # it stays where it tells nothing
        rules[0] = flatten(score, high, mass, order, 0)
    return RuleList(order, tuple(rules), is_graded=True)


def _best_cuts(score: Rule, task: Task, order: Sequence[int]) -> list[int]:
    """For each class but the least, from the greatest on, the least score that is given it or a greater one.

    From the lowest score on, each is given the class of the one before it or a greater one: the best way to each class
    is the best way to one that is no greater, and what the score gains.
    """
    low, high = score.reach
    scores = score.score(task.truths) - low
    gains = np.array(
        [np.bincount(scores, task.weight * task.goal[:, column], high - low + 1) for column in order[::-1]]
    ).T  # scores × classes, from the least on
    best, came = np.zeros(len(order)), []
    for gain in gains:
        reached = np.maximum.accumulate(best)
        came.append([int(np.flatnonzero(best[: place + 1] == reached[place])[-1]) for place in range(len(order))])
        best = reached + gain
    given, place = [], int(best.argmax())
    for step in reversed(came):
        given.append(place)
        place = step[place]
    classes = np.array(given[::-1])
    return [low + int((classes < grade).sum()) for grade in range(len(order) - 1, 0, -1)]
