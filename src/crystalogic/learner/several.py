"""Several classes: a list of rules, its length and shape chosen on held-out rows, then finished rule by rule.

What is told apart clearly and with few facts comes first. The log loss that a list leaves over is the sum of what its
rules leave over, so a rule for a class among those that are left is looked at once, whatever came before it, and orders
are compared by adding up. What remains at the end needs no rule. Literals are allotted to the rules: the next ones go
where they lower the loss of the whole list most. Of rules with neurons the other way round: what brings least goes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import permutations

from crystalogic.arrays import np
from crystalogic.candidates import Front
from crystalogic.learner import choose as kinds
from crystalogic.learner import lists
from crystalogic.learner.choose import HARMLESS, Judged, Sort
from crystalogic.learner.finish import CLEAN_CARE, NOISY_CARE, finish
from crystalogic.learner.formula import ROWS_FOR_NEURONS, grow_formula, shorten
from crystalogic.learner.grow import grow_facts
from crystalogic.learner.lists import RuleList, grow_steps, narrow, to_whole
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import CLEAN, MOST_LITERALS, Kind, Shape, sizes_up_to
from crystalogic.learner.study import Goals, Study
from crystalogic.learner.task import Task, coarsen, spread_evenly

Order = tuple[int, ...]
Lists = dict[Kind, RuleList]
Judgement = dict[Kind, Judged]
AT_LEAST, A_CLASS = {Shape.CHECKLIST: 24, Shape.POINTS: 24, Shape.FORMULA: 60}, 8  # literals, and for each class
TOLERANCE = 0.0  # standard errors that a shorter list may be worse: a literal has more classes to tell apart
HOPEFUL = 0.2  # of rows held out may be wrong, for cuts at better places to make that few
APART = 1.15  # a list of the front has so many times the literals of the one before it


def learn_list(study: Study, grades: tuple[int, ...] | None = None) -> tuple[tuple[Front, ...], tuple[int, ...]]:
    """The front of each class, and the order in which classes are tried.

    What has one place in all fronts is one list, and its scores are those of the whole list. With `grades`, the classes
    from the least to the greatest, all rules share one score.
    """
    _, soft, goals = study.teach()
    orders = order_classes(soft) if grades is None else [tuple(study.ranked.index(each) for each in grades[::-1])]
    study.clock.total = len(orders) * study.n_folds + 1
    settings, weight, grow = study.settings, study.judged.weight, partial(_lists, study, grades is not None)
    plain, hard = Shape(settings.shape or Shape.POINTS), study.harden(study.learned)
    order, judged = _race(study, goals, orders, partial(grow, plain))
    grown = grow(plain, order, soft)
    if judged and settings.shape is None and grades is None:
        found = _judge_neurons(study, partial(grow, Shape.FORMULA, order), judged)
        judged |= found
        grown |= grow(Shape.FORMULA, order, hard) if found else {}
    choose = partial(kinds.choose, judged, weight, is_frugal=settings.is_frugal, tolerance=TOLERANCE)
    is_clean = bool(judged) and judged[choose()].error(weight) <= CLEAN
    chosen = choose(by_hits=is_clean) if judged else min(grown, key=lambda kind: kinds.price_of(grown[kind], soft))
    study.clock.tick("all rows")
    picked, seen = _finish(grown[chosen], study, hard if chosen.shape is not plain else soft, chosen, is_clean)
    if judged and not is_clean and judged[chosen].error(weight) <= HOPEFUL and _wrong(picked, seen) > CLEAN:
        certain, known = _finish(grown[chosen], study, hard, chosen, is_clean=True)  # if only cuts are at wrong places
        if _wrong(certain, known) <= CLEAN:
            picked, seen = certain, known
    fronts = kinds.make_fronts(seen, soft, _thin_out(grown, picked.size), (chosen, picked), judged)
    order = tuple(study.ranked[column] for column in picked.order)
    return tuple(fronts[order.index(code)] for code in range(len(order))), order


def _race(study: Study, goals: Goals, orders: Sequence[Order], grow: Callable[..., Lists]) -> tuple[Order, Judgement]:
    """The order whose lists cost least on rows held out, and what was judged of it.

    The first is judged on all of them, another as long as it is ahead of those before it.
    """
    weight, judged, best, losses = study.judged.weight, Judgement(), orders[0], None
    for order in orders:
        found = kinds.judge_in_turn(study, goals, partial(grow, order), losses)
        least = kinds.find_best(found, weight)[1].losses if found else None
        if least is not None and (losses is None or coarsen(weight @ least) < coarsen(weight @ losses)):
            best, judged, losses = order, found, least
    return best, judged


def _judge_neurons(study: Study, grow: Callable[[Task], Lists], judged: Judgement) -> Judgement:
    """Lists whose rules may have neurons, learned from labels, as long as they cost less.

    They must decide clearly more rows rightly, for they are harder to read.
    """
    weight = study.judged.weight
    hits = max((each.hits for each in judged.values()), key=lambda each: float(weight @ each))
    found = kinds.judge_in_turn(study, study.harden, grow, kinds.find_best(judged, weight)[1].losses)
    is_better = any(kinds.is_clear(1.0 * each.hits - hits - HARMLESS, weight) for each in found.values())
    return found if is_better else {}


def _lists(study: Study, is_graded: bool, shape: Shape, order: Order, task: Task) -> Lists:
    """The list of every kind; a kind of some size has at most so many literals."""
    most = study.settings.max_literals or max(AT_LEAST[shape], A_CLASS * (len(order) - 1))
    if shape is Shape.FORMULA:
        formulas = lists.grow_graded_formulas if is_graded else grow_formulas
        return {Kind(shape, size): each for size, each in formulas(task, order, most).items()}
    grown = (lists.grow_grades if is_graded else grow_lists)(task, order, shape, most)
    best, found = grown[min(grown)], Lists()
    for size in range(min(grown), most + 1):
        best = found[Kind(shape, size)] = grown.get(size, best)
    return found


def _wrong(found: RuleList, study: Study) -> float:
    """The share of all rows that are told the wrong class."""
    return float(study.task.weight @ (found.decide(study.task.truths) != study.task.labels) / study.task.weight.sum())


def _finish(found: RuleList, study: Study, soft: Task, kind: Kind, is_clean: bool) -> tuple[RuleList, Study]:
    """The list with every rule finished on its own question, and the study with the facts that it may have."""
    care = CLEAN_CARE if is_clean else NOISY_CARE
    if not any(rule.items for rule in found.rules):
        return found, study
    if found.is_graded:
        score = replace(max(found.rules, key=lambda rule: rule.size), cut=None)
        score, study = finish(score, study, lists.to_ridits(soft, found.order).goal, kind, care)
        return lists.set_thresholds(score, replace(soft, truths=study.task.truths[study.learned]), found.order), study
    rules = []
    for place, rule in enumerate(found.rules):
        asked, weight = narrow(soft, found.order, place), study.task.weight.copy()
        weight[study.learned] = asked.weight
        rule, seen = finish(rule, replace(study, task=replace(study.task, weight=weight)), asked.goal, kind, care)
        study = replace(seen, task=replace(seen.task, weight=study.task.weight))
        rules.append(rule)
    task = replace(soft, truths=study.task.truths[study.learned])
    return lists.settle_thresholds(replace(found, rules=tuple(rules)), task), study


def _thin_out(grown: Lists, needed: int) -> dict[int, Sort]:
    """Of each size the first list, and of sizes those clearly longer than the one before, and the one needed."""
    best: dict[int, Sort] = {}
    for kind, found in grown.items():
        best.setdefault(found.size, (kind, found))
    kept: list[int] = []
    for size in sorted({*best, needed}):
        if size == needed or not kept or size >= APART * kept[-1]:
            kept.append(size)
    return {size: best[size] for size in kept if size in best}


SPARE = 1.5  # times its share of the literals a rule may grow, before what brings least goes
LARGEST = 12  # literals of one rule without neurons
LEAST_GAIN = 0.5  # of log likelihood: a literal that brings less is not worth reading


class _Path:
    """Rules for one question from the shortest on, what each leaves over, and at which of them the list is."""

    def __init__(self, asked: Task, shape: Shape, most: int) -> None:
        self.asked, self.place, self.steps = asked, 0, grow_steps(asked, shape, most)
        self.sizes = [each.size for each in self.steps]
        self.losses = [each.loss(asked) for each in self.steps]

    def make(self) -> Rule:
        """The rule at its place."""
        return to_whole(self.steps[self.place], self.asked)

    def options(self, room: int) -> list[tuple[float, int]]:
        """What each further literal brings up to a place, and which, less than 0 so that the nearer one is greater."""
        more = [size - self.sizes[self.place] for size in self.sizes]
        gains = [self.losses[self.place] - loss for loss in self.losses]
        places = range(self.place + 1, len(more))
        return [(float(coarsen(gains[place] / more[place])), -place) for place in places if 0 < more[place] <= room]


def _ask(task: Task, order: Sequence[int], place: int) -> Task:
    """The question of one rule, on the rows that count."""
    asked = narrow(task, order, place)
    return asked.take(np.flatnonzero(asked.weight > 0))


def grow_lists(task: Task, order: Order, shape: Shape, most: int) -> dict[int, RuleList]:
    """Lists from the shortest on, each with the literals more that lower the loss of the whole list most."""
    paths = [_Path(_ask(task, order, place), shape, min(most, LARGEST)) for place in range(len(order) - 1)]
    rules = [path.make() for path in paths]
    scores = [rule.score(task.truths) for rule in rules]
    found: dict[int, RuleList] = {}
    while True:
        size = sum(path.sizes[path.place] for path in paths)
        found[size] = lists.settle_thresholds(RuleList(order, tuple(rules)), task, scores)
        best = [(max(options), -index) for index, path in enumerate(paths) if (options := path.options(most - size))]
        (gain, further), index = max(best, key=lambda each: (each[0][0], each[1]), default=((0.0, 0), 0))
        if gain <= LEAST_GAIN:
            return found
        paths[-index].place = -further
        rules[-index] = paths[-index].make()
        scores[-index] = rules[-index].score(task.truths)


def grow_formulas(task: Task, order: Order, most: int) -> dict[int, RuleList]:
    """Lists of rules that may have neurons among their items, of each size from the longest on."""
    asked = [_ask(task, order, place) for place in range(len(order) - 1)]
    some = [each.take(spread_evenly(each.n_rows, ROWS_FOR_NEURONS)) for each in asked]
    room = min(most, MOST_LITERALS, int(SPARE * most / len(asked)) + 1)
    found = {}
    for size, grown in shorten([grow_formula(each, room) for each in some], some, sizes_up_to(most)):
        rules = tuple(to_whole(each.over(own), own) for each, own in zip(grown, asked, strict=True))
        found[size] = lists.settle_thresholds(RuleList(order, rules), task)
    return found


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
        asked = _ask(task, (one, *sorted(left - {one})), 0)
        costs = [2 * each.loss(asked) + PRICE * each.size for each in grow_facts(asked, LOOK)]
        return min(costs), costs[0]

    def cost(order: tuple[int, ...]) -> float:
        costs = (look(order[place], frozenset(order[place:]))[0] for place in reversed(range(len(order) - 1)))
        return float(coarsen(sum(costs)))

    def share(one: int) -> float:
        found, blind = look(one, left)
        return float(coarsen(found / max(blind, 1e-9)))

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
