"""Lists of rules for several classes: the first rule that applies decides, and the last class needs none.

How likely a class is follows from the chain: the first is p₁, the second (1 - p₁) · p₂, and so on, which adds up to 1.
So the log loss of a list is a sum over its rules, each of which tells its own class from those that are left, on the
rows of these alone, and rules can be learned one by one. Decisions are not so: where .4 is the most that any class
has, it is enough. So the thresholds of all rules are settled together.

Ordered classes, such as grades, have one score, and a threshold for each class but the least. This is a list from the
greatest class down whose rules all add up the same points, so whatever holds for a list holds for it. The score is
learned against one number for each class, its ridit: the share of rows of lesser classes and half of its own (Bross,
How to use ridit analysis, 1958). With them a score test asks what it asks in a model of proportional odds, however far
apart the grades are. Then the thresholds are those by which the classes decided for are likeliest, all of them at once,
and each rule has its own map to a probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crystalogic.arrays import Array, np
from crystalogic.learner.checklist import grow_checklists
from crystalogic.learner.formula import ROWS_FOR_NEURONS, grow_formula, shorten
from crystalogic.learner.grow import Grown, grow_facts, to_rule
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import MOST_FACTS, MOST_POINTS, Shape, sizes_up_to
from crystalogic.learner.task import Task, spread_evenly

FAINT = 0.02  # a row that is as little likely to be left does not count
SURE = 0.01  # no row is told more certainly whether it is of a class
MOST_SWEEPS = 5
FLAT = 1e-3  # the slope of a map where more points do not mean the class, or a greater one, among those left
ALWAYS, NEVER = 0, 1  # the thresholds of rules without items, for which every row has 0 points


def narrow(task: Task, order: Sequence[int], place: int) -> Task:
    """The question of one rule: whether a row is of its class, or of one that comes later in the order.

    A row counts as much as it is likely to be of any of them. What is required of the list is required of the rule to
    which it says most, by a score test.
    """
    homes = [max(range(len(order) - 1), key=lambda each: _gain(task, order, each, fact)) for fact in task.required]
    required = tuple(fact for fact, home in zip(task.required, homes, strict=True) if home == place)
    goal, weight = _ask(task, order, place)
    return replace(task, goal=goal, weight=weight, required=required)


def _ask(task: Task, order: Sequence[int], place: int) -> tuple[Array, Array]:
    """How likely each row is of the class among those left, and how much it counts."""
    left = task.goal[:, list(order[place:])].sum(axis=1)
    goal = np.clip(task.goal[:, order[place]] / np.maximum(left, 1e-9), SURE, 1 - SURE)
    return goal, task.weight * np.where(left > FAINT, left, 0.0)


def _gain(task: Task, order: Sequence[int], place: int, fact: int) -> float:
    """What a fact gains in a rule that has no other, as far as the slope of the loss tells."""
    (goal, weight), truth = _ask(task, order, place), task.truths[:, fact].astype(np.float64)
    total = max(float(weight.sum()), 1e-9)
    mean, share = float(weight @ goal) / total, float(weight @ truth) / total
    return float(weight @ ((goal - mean) * truth)) ** 2 / max(mean * (1 - mean) * total * share * (1 - share), 1e-9)


@dataclass(frozen=True)
class RuleList:
    """Classes, as columns of a goal, in the order in which they are tried, and a rule for each but the last."""

    order: tuple[int, ...]
    rules: tuple[Rule, ...]
    is_graded: bool = False  # whether all rules have the same points, and differ by their thresholds

    @property
    def size(self) -> int:
        """How many literals all rules have; those of a score that they share count once."""
        return (max if self.is_graded else sum)(rule.size for rule in self.rules)

    def log_odds(self, truths: Array) -> Array:
        """What each rule tells of each row (rows × rules)."""
        return np.column_stack([rule.log_odds(truths) for rule in self.rules])

    def loss(self, task: Task) -> float:
        """What all rows of the task cost together: the sum over the rules that they are asked by."""
        return sum(rule.loss(narrow(task, self.order, place)) for place, rule in enumerate(self.rules))

    def decide(self, truths: Array) -> Array:
        """The class of every row: that of the first rule that applies."""
        applies = np.column_stack([*(rule.decide(truths) for rule in self.rules), np.ones(len(truths), bool)])
        return np.asarray(np.array(self.order)[applies.argmax(axis=1)])


def settle_thresholds(found: RuleList, task: Task, scores: Sequence[Array] | None = None) -> RuleList:
    """The list with the thresholds by which the classes decided for are likeliest, all of them together.

    One rule after the other, with the others as they are: what it gains by applying to a row is the goal of its class
    less that of the class which the row would have otherwise. A rule that had better never apply is left empty, unless
    it has what is required. The `scores` of the rules may be given.
    """
    order, rules = found.order, list(found.rules)
    scores = [rule.score(task.truths) for rule in rules] if scores is None else scores
    is_needed = [any(item.is_fact and item.facts[0] in task.required for item in rule.items) for rule in rules]
    goal = np.ascontiguousarray((task.weight[:, None] * task.goal).T)
    mass = goal.sum(axis=1)
    for place, rule in enumerate(rules):
        if is_needed[place] and rule.slope <= 0:
            rules[place] = flatten(rule, rule.reach[1], mass, order, place)
    applies = [each >= rule.applies_from for rule, each in zip(rules, scores, strict=True)]
    for _ in range(MOST_SWEEPS):
        before = [rule.cut for rule in rules]
        otherwise = goal[order[-1]]
        comes = np.cumsum([np.zeros(task.n_rows, bool), *applies[:-1]], axis=0) == 0  # to each rule
        for place in reversed(range(len(rules))):
            gains = np.where(comes[place], goal[order[place]] - otherwise, 0)
            rules[place] = _settle(rules[place], scores[place], gains, is_needed[place])
            applies[place] = scores[place] >= rules[place].applies_from
            otherwise = np.where(applies[place], goal[order[place]], otherwise)
        if [rule.cut for rule in rules] == before:
            break
    for place, rule in enumerate(rules):
        if rule.threshold is None and rule.items:
            rules[place] = make_constant(mass, order, place, NEVER)
    return replace(found, rules=tuple(rules))


def make_constant(mass: Array, order: Sequence[int], place: int, cut: int) -> Rule:
    """A rule that applies always or never; how likely its class is among those left follows from their masses."""
    own, left = (max(float(each), 1e-9) for each in (mass[order[place]], mass[list(order[place + 1 :])].sum()))
    return Rule((), (), 0.0, float(np.log(own / left)), cut=cut)


def flatten(score: Rule, cut: int, mass: Array, order: Sequence[int], place: int) -> Rule:
    """A score that says nothing of a class among those left: nearly the same odds for all rows."""
    middle = FLAT * sum(score.reach) / 2
    intercept = make_constant(mass, order, place, NEVER).intercept - middle
    return replace(score, slope=FLAT, intercept=intercept, least=None, most=None, cut=cut)


def _settle(rule: Rule, scores: Array, gains: Array, is_needed: bool) -> Rule:
    """The rule with the threshold from which on rows gain most; of equal ones that nearest to its own odds of 1."""
    low, high = rule.reach
    total = np.bincount(scores - low, gains, high - low + 1)[::-1].cumsum()[::-1]  # gained from each score on
    if not rule.items:
        return replace(rule, cut=ALWAYS if total[0] > 0 else NEVER)
    most = total[1:].max()
    if most <= 0 and not is_needed:
        return replace(rule, cut=high + 1)
    best = low + 1 + np.flatnonzero(total[1:] >= most - 1e-9)
    return replace(rule, cut=int(best[np.abs(best + rule.intercept / max(rule.slope, 1e-9)).argmin()]))


def to_ridits(task: Task, order: Sequence[int]) -> Task:
    """The task whose goal is the ridit of a row's class, scaled to 0 for the least and 1 for the greatest."""
    rising = list(order[::-1])
    mass = (task.weight @ task.goal)[rising]
    ridits = np.cumsum(mass) - mass / 2
    ridits = (ridits - ridits[0]) / (ridits[-1] - ridits[0])
    return replace(task, goal=np.clip(task.goal[:, rising] @ ridits, SURE, 1 - SURE))


def grow_steps(asked: Task, shape: Shape, most: int) -> list[Grown | Rule]:
    """Rules for one question, from the shortest on to so many literals."""
    path = grow_facts(asked, most)
    if shape is Shape.POINTS:
        return [*path]
    lists = grow_checklists(asked, path[-1].size, path[-1].items)
    return [path[0], *(rule.with_map(asked) for _, rule in sorted(lists.items()) if rule.items)]


def to_whole(step: Grown | Rule, asked: Task) -> Rule:
    """One of these steps as a rule with whole points."""
    return step if isinstance(step, Rule) else to_rule(step, asked, MOST_POINTS)


def grow_grades(task: Task, order: tuple[int, ...], shape: Shape, most: int) -> dict[int, RuleList]:
    """A score of each size up to so many literals, with its thresholds."""
    asked = to_ridits(task, order)
    scores = {each.size: to_whole(each, asked) for each in grow_steps(asked, shape, min(most, MOST_FACTS))}
    return {size: set_thresholds(rule, task, order) for size, rule in sorted(scores.items())}


def grow_graded_formulas(task: Task, order: tuple[int, ...], most: int) -> dict[int, RuleList]:
    """Scores that may have neurons among their items, with their thresholds, of each size from the longest on."""
    asked = to_ridits(task, order)
    some = asked.take(spread_evenly(asked.n_rows, ROWS_FOR_NEURONS))
    grown = shorten([grow_formula(some, most)], [some], sizes_up_to(most))
    return {size: set_thresholds(to_whole(each.over(asked), asked), task, order) for size, (each,) in grown}


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
