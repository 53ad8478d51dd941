"""Literals allotted to the rules of a list: the next ones go where they lower the loss of the whole list most."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from crystalogic.arrays import Array, np
from crystalogic.learner.checklist import grow_checklists
from crystalogic.learner.formula import grow_formula
from crystalogic.learner.grow import Grown, grow_facts
from crystalogic.learner.lists import RuleList, narrow, settle_thresholds
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import MOST_POINTS, Shape
from crystalogic.learner.task import Task
from crystalogic.learner.whole import to_rule

LARGEST = 12  # literals of one rule
LEAST_GAIN = 0.5  # of log likelihood: a literal that brings less is not worth reading


@dataclass(eq=False)
class _Ladder:
    """Rules for one question from the shortest on, and what each leaves over; each is made once, when it is wanted."""

    asked: Task
    steps: Sequence[Grown | Rule]
    losses: Sequence[float]
    made: dict[int, tuple[Rule, Array]] = field(default_factory=dict)

    def rule(self, place: int, task: Task) -> tuple[Rule, Array]:
        """The rule at a place, and the scores of the rows of the whole list's task."""
        if place not in self.made:
            step = self.steps[place]
            rule = step if isinstance(step, Rule) else to_rule(step, self.asked, MOST_POINTS)
            self.made[place] = rule, rule.score(task.truths)
        return self.made[place]

    def next(self, place: int, room: int) -> tuple[float, int] | None:
        """What each further literal brings at best, and up to which place; None where there is no room."""
        more = [step.size - self.steps[place].size for step in self.steps]
        options = [
            ((self.losses[place] - loss) / more[further], further)
            for further, loss in enumerate(self.losses)
            if further > place and 0 < more[further] <= room
        ]
        return max(options, key=lambda option: (option[0], -option[1]), default=None)


def grow_lists(
    task: Task, order: Sequence[int], shapes: Sequence[Shape], most: int
) -> dict[Shape, dict[int, RuleList]]:
    """For each shape lists of each size up to so many literals, as far as more are worth it."""
    asked = [narrow(task, order, place) for place in range(len(order) - 1)]
    asked = [each.take(np.flatnonzero(each.weight > 0)) for each in asked]
    paths = [grow_facts(each, min(most, LARGEST)) for each in asked]
    pairs = list(zip(paths, asked, strict=True))
    return {shape: _allot([_ladder(shape, *pair) for pair in pairs], task, tuple(order), most) for shape in shapes}


def _allot(ladders: Sequence[_Ladder], task: Task, order: tuple[int, ...], most: int) -> dict[int, RuleList]:
    """Lists from the shortest on, each with the literals more that lower the loss of the whole list most."""
    places = [0] * len(ladders)
    found: dict[int, RuleList] = {}
    while True:
        made = [ladder.rule(place, task) for ladder, place in zip(ladders, places, strict=True)]
        size = sum(ladder.steps[place].size for ladder, place in zip(ladders, places, strict=True))
        rules, scores = zip(*made, strict=True)
        found[size] = settle_thresholds(RuleList(order, rules), task, scores)
        nexts = [ladder.next(place, most - size) for ladder, place in zip(ladders, places, strict=True)]
        options = [(each[0], -index, each[1]) for index, each in enumerate(nexts) if each and each[0] > LEAST_GAIN]
        if not options:
            return found
        _, index, further = max(options)
        places[-index] = further


def _ladder(shape: Shape, path: Sequence[Grown], task: Task) -> _Ladder:
    steps: list[Grown | Rule] = [*path]
    if shape is not Shape.POINTS:
        lists = sorted(grow_checklists(task, path[-1].size, path[-1].items).items())
        steps = [path[0], *(rule.with_map(task) for _, rule in lists if rule.items)]
    return _Ladder(task, steps, [each.loss(task) for each in steps])


def grow_formulas(task: Task, order: Sequence[int], most: int, price: float) -> RuleList:
    """A list of rules that may have neurons among their items, each with room for what the others leave."""
    rules: list[Rule] = []
    for place in range(len(order) - 1):
        asked = narrow(task, order, place)
        asked = asked.take(np.flatnonzero(asked.weight > 0))
        room = min(most - sum(rule.size for rule in rules), LARGEST)
        rules.append(to_rule(grow_formula(asked, room, price), asked, MOST_POINTS))
    return settle_thresholds(RuleList(tuple(order), tuple(rules)), task)
