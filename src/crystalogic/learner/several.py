"""Several classes: a list of rules, its length and shape chosen on held-out rows, then finished rule by rule."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from crystalogic.arrays import Array, np
from crystalogic.candidates.front import Front
from crystalogic.learner.allot import grow_formulas, grow_lists
from crystalogic.learner.choose import (
    PRICES,
    Found,
    Judged,
    Kind,
    choose,
    choose_by_hits,
    judge_in_turn,
    make_fronts,
    price_of,
)
from crystalogic.learner.finish import CLEAN_CARE, NOISY_CARE, Care, finish
from crystalogic.learner.grades import grow_graded_formula, grow_grades, set_thresholds, to_ridits
from crystalogic.learner.lists import RuleList, narrow, settle_thresholds
from crystalogic.learner.order import order_classes
from crystalogic.learner.settings import CLEAN, Shape
from crystalogic.learner.study import Study
from crystalogic.learner.task import Task
from crystalogic.learner.whole import exchange_facts

Lists = dict[Kind, RuleList]
AT_LEAST, A_CLASS = 24, 8  # literals of a list, and for each class but the last, where no limit is given
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
    order, judged = orders[0], judge_in_turn(study, goals, partial(grow, orders[0]))
    for other in orders[1:]:
        found = judge_in_turn(study, goals, partial(grow, other))
        if found and _least_loss(found, weight) < _least_loss(judged, weight):
            order, judged = other, found
    is_clean = bool(judged) and judged[choose(judged, weight)].error(weight) <= CLEAN
    lists = grow(order, soft)
    if judged:
        chosen = choose_by_hits(judged, weight) if is_clean else choose(judged, weight, is_frugal=settings.is_frugal)
    else:
        chosen = min(lists, key=lambda kind: (price_of(lists[kind], soft), kind))
    study.clock.tick("all rows")
    picked, seen = _finish(lists[chosen], study, soft, chosen, is_clean)
    if judged and not is_clean and judged[chosen].error(weight) <= HOPEFUL and _wrong(picked, seen) > CLEAN:
        hard = study.harden(study.learned)  # labels can be certain, and only the cuts be at the wrong places
        certain, known = _finish(lists[chosen], study, hard, chosen, is_clean=True)
        if _wrong(certain, known) <= CLEAN:
            picked, seen = certain, known
    best = _thin_out({kind: each for kind, each in lists.items() if kind.shape is chosen.shape}, picked.size)
    fronts = make_fronts(seen, soft, best, (chosen, picked), judged)
    order = tuple(study.ranked[column] for column in picked.order)
    return tuple(fronts[order.index(code)] for code in range(len(order))), order


def _lists(study: Study, is_graded: bool, order: tuple[int, ...], task: Task) -> Lists:
    """The list of every kind; a kind of some size has at most so many literals."""
    most = study.settings.max_literals or max(AT_LEAST, A_CLASS * (len(order) - 1))
    shapes = (Shape.POINTS,) if study.settings.shape is None else study.settings.shapes
    if Shape.FORMULA in shapes:
        formulas = grow_graded_formula if is_graded else grow_formulas
        return {Kind(Shape.FORMULA, price): formulas(task, order, most, price) for price in PRICES}
    found: Lists = {}
    grow = grow_grades if is_graded else grow_lists
    for shape, grown in grow(task, order, shapes, most).items():
        best = grown[min(grown)]
        for size in range(min(grown), most + 1):
            best = grown.get(size, best)
            found[Kind(shape, size)] = best
    return found


def _least_loss(judged: Mapping[Kind, Judged], weight: Array) -> float:
    """What the best kind costs on rows held out."""
    return min((float(weight @ each.losses) for each in judged.values()), default=np.inf)


def _wrong(found: RuleList, study: Study) -> float:
    """The share of all rows that are told the wrong class."""
    wrong = found.decide(study.task.truths) != study.task.labels
    return float(study.task.weight @ wrong / study.task.weight.sum())


def _finish(found: RuleList, study: Study, soft: Task, kind: Kind, is_clean: bool) -> tuple[RuleList, Study]:
    """The list with every rule finished on its own question, and the study with the facts that it may have."""
    care = CLEAN_CARE if is_clean else NOISY_CARE
    if found.is_graded:
        return _finish_score(found, study, soft, kind, care)
    rules = []
    for place, rule in enumerate(found.rules):
        if rule.items:
            asked = narrow(soft, found.order, place)
            weight = study.task.weight.copy()
            weight[study.learned] = asked.weight
            narrowed = replace(study, task=replace(study.task, weight=weight))
            task = replace(narrowed.task.take(study.learned), goal=asked.goal)
            if kind.shape is not Shape.FORMULA:
                rule = exchange_facts(rule, task, kind.most_points)
            rule, seen = finish(rule, narrowed, asked.goal, kind.most_points, care)
            study = replace(seen, task=replace(seen.task, weight=study.task.weight))
        rules.append(rule)
    task = replace(soft, truths=study.task.truths[study.learned])
    return settle_thresholds(replace(found, rules=tuple(rules)), task), study


def _finish_score(found: RuleList, study: Study, soft: Task, kind: Kind, care: Care) -> tuple[RuleList, Study]:
    """The same for rules that share one score."""
    score = max(found.rules, key=lambda rule: rule.size)
    if not score.items:
        return found, study
    asked, score = to_ridits(soft, found.order), replace(score, cut=None)
    if kind.shape is not Shape.FORMULA:
        score = exchange_facts(score, asked, kind.most_points)
    score, study = finish(score, study, asked.goal, kind.most_points, care)
    return set_thresholds(score, replace(soft, truths=study.task.truths[study.learned]), found.order), study


def _thin_out(lists: Lists, needed: int) -> dict[int, tuple[Kind, Found]]:
    """Of each size the first list, and of sizes those clearly longer than the one before, and the one needed."""
    best: dict[int, tuple[Kind, Found]] = {}
    for kind, found in lists.items():
        best.setdefault(found.size, (kind, found))
    kept: list[int] = []
    for size in sorted({*best, needed}):
        if size == needed or not kept or size >= APART * kept[-1]:
            kept.append(size)
    return {size: best[size] for size in kept if size in best}
