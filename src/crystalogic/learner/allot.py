"""Literals allotted to the rules of a list: the next ones go where they lower the loss of the whole list most."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from crystalogic.arrays import Array, np
from crystalogic.learner.checklist import grow_checklists
from crystalogic.learner.choose import to_rule
from crystalogic.learner.formula import grow_formula
from crystalogic.learner.grow import Grown, grow_facts
from crystalogic.learner.lists import RuleList, narrow, scores_of, settle_thresholds
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import MOST_POINTS, Shape
from crystalogic.learner.task import Task, log_loss

LARGEST = 12  # literals of one rule
LEAST_GAIN = 0.5  # of log likelihood: a literal that brings less is not worth reading


@dataclass(frozen=True)
class _Step:
    """A rule of some size: what it leaves over, and how it is made."""

    size: int
    loss: float
    make: Callable[[], Rule]


@dataclass(eq=False)
class _Ladder:
    """Rules for one question from the shortest on; each is made once, when it is wanted."""

    steps: Sequence[_Step]
    made: dict[int, tuple[Rule, Array]] = field(default_factory=dict)

    def rule(self, place: int, task: Task) -> tuple[Rule, Array]:
        """The rule at a place, and the scores of the rows of the whole list's task."""
        if place not in self.made:
            rule = self.steps[place].make()
            self.made[place] = rule, scores_of(rule, task)
        return self.made[place]

    def next(self, place: int, room: int) -> tuple[float, int] | None:
        """What each further literal brings at best, and up to which place; None where there is no room."""
        here = self.steps[place]
        options = [
            ((here.loss - step.loss) / (step.size - here.size), further)
            for further, step in enumerate(self.steps)
            if further > place and 0 < step.size - here.size <= room
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
    if shape is Shape.POINTS:
        return _Ladder([_Step(each.size, _loss(each, task), _maker(each, task)) for each in path])
    groups = [item for item in path[-1].items if item.is_group]
    steps = [_Step(path[0].size, _loss(path[0], task), _maker(path[0], task))]
    for size, rule in sorted(grow_checklists(task, path[-1].size, groups, 1).items()):
        if rule.items:
            made = rule.with_map(task)
            steps.append(_Step(size, float(task.weight @ made.losses(task)), partial(_given, made)))
    return _Ladder(steps)


def _given(rule: Rule) -> Rule:
    return rule


def _loss(grown: Grown, task: Task) -> float:
    return float(task.weight @ log_loss(grown.holds @ grown.weights, task.goal))


def _maker(grown: Grown, task: Task) -> Callable[[], Rule]:
    return partial(to_rule, grown, task, MOST_POINTS)


def grow_formulas(task: Task, order: Sequence[int], most: int, price: float) -> RuleList:
    """A list of rules that may have neurons among their items, each with room for what the others leave."""
    rules: list[Rule] = []
    for place in range(len(order) - 1):
        asked = narrow(task, order, place)
        asked = asked.take(np.flatnonzero(asked.weight > 0))
        room = min(most - sum(rule.size for rule in rules), LARGEST)
        rules.append(to_rule(grow_formula(asked, room, price), asked, MOST_POINTS))
    return settle_thresholds(RuleList(tuple(order), tuple(rules)), task)
