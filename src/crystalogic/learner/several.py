"""Several classes: a list of rules, its length and shape chosen on held-out rows, then finished rule by rule."""

from collections.abc import Mapping
from dataclasses import replace

from crystalogic.arrays import Array, np
from crystalogic.candidates.front import Candidate, Front
from crystalogic.learner.allot import grow_formulas, grow_lists
from crystalogic.learner.calibrate import Honest, calibrate, fit_factor
from crystalogic.learner.choose import PRICES, Judged, Kind, choose, choose_by_hits, join, price_of
from crystalogic.learner.crystals import odds_of, to_crystal
from crystalogic.learner.finish import CLEAN_CARE, NOISY_CARE, Care, Finer, finish
from crystalogic.learner.grades import grow_graded_formula, grow_grades, set_thresholds, to_ridits
from crystalogic.learner.lists import RuleList, narrow, settle_thresholds
from crystalogic.learner.order import order_classes
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import CLEAN, Likelihood, Shape
from crystalogic.learner.study import Goals, Study
from crystalogic.learner.task import Task, log_loss
from crystalogic.learner.whole import exchange_facts
from crystalogic.progress import Clock

Lists = dict[Kind, RuleList]
AT_LEAST, A_CLASS = 24, 8  # literals of a list, and for each class but the last, where no limit is given
TOLERANCE = 0.0  # standard errors that a shorter list may be worse: a literal has more classes to tell apart
HOPEFUL = 0.2  # of rows held out may be wrong, for cuts at better places to make that few
APART = 1.15  # a list of the front has so many times the literals of the one before it


def learn_list(
    study: Study,
    settings: Likelihood,
    clock: Clock,
    finer: Finer | None = None,
    grades: tuple[int, ...] | None = None,
) -> tuple[tuple[Front, ...], tuple[int, ...]]:
    """The front of each class, and the order in which classes are tried.

    What has one place in all fronts is one list, and its scores are those of the whole list. With `grades`, the classes
    from the least to the greatest, all rules share one score.
    """
    _, soft, goals = study.teach()
    is_graded = grades is not None
    orders = order_classes(soft) if grades is None else [tuple(study.ranked.index(each) for each in grades[::-1])]
    most = settings.max_literals or max(AT_LEAST, A_CLASS * (len(study.ranked) - 1))
    shapes = (Shape.POINTS,) if settings.shape is None else settings.shapes
    clock.total = len(orders) * study.n_folds + 1
    weight = study.judged.weight
    order, judged = orders[0], _judge_lists(study, goals, orders[0], shapes, most, clock, is_graded)
    for other in orders[1:]:
        found = _judge_lists(study, goals, other, shapes, most, clock)
        if found and _least_loss(found, weight) < _least_loss(judged, weight):
            order, judged = other, found
    best = choose(judged, weight, is_frugal=settings.is_frugal, tolerance=TOLERANCE) if judged else None
    is_clean = best is not None and judged[best].error(weight) <= CLEAN
    lists = _lists(soft, order, shapes, most, is_graded)
    if best is not None:
        chosen = choose_by_hits(judged, weight) if is_clean else best
        reason = "its risks fit held-out rows best (least log loss), and nothing plainer is as good"
    else:
        chosen = min(lists, key=lambda kind: (price_of(lists[kind], soft), kind))
        reason = "no time to judge sizes on held-out rows"
    clock.tick("all rows")
    picked, seen = _finish(lists[chosen], study, soft, chosen, finer, is_clean)
    if judged and not is_clean and judged[chosen].error(weight) <= HOPEFUL and _wrong(picked, seen) > CLEAN:
        hard = study.harden(study.learned)  # labels can be certain, and only the cuts be at the wrong places
        certain, known = _finish(lists[chosen], study, hard, chosen, finer, is_clean=True)
        if _wrong(certain, known) <= CLEAN:
            picked, seen = certain, known
    return _fronts(seen, soft, lists, chosen, picked, judged, reason)


def _lists(task: Task, order: tuple[int, ...], shapes: tuple[Shape, ...], most: int, is_graded: bool = False) -> Lists:
    """The list of every kind; a kind of some size has at most so many literals."""
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


def _judge_lists(
    study: Study,
    goals: Goals,
    order: tuple[int, ...],
    shapes: tuple[Shape, ...],
    most: int,
    clock: Clock,
    is_graded: bool = False,
) -> dict[Kind, Judged]:
    """Every kind of list on rows held out in turn, its odds made honest; nothing where time ran out."""
    parts, held = [], []
    places = np.cumsum(study.fold >= 0) - 1  # among the rows that are held out
    for fold in range(study.n_folds):
        inside, outside = study.split(fold)
        parts.append(_judge(_lists(goals(inside), order, shapes, most, is_graded), study.task.take(outside)))
        held.append(places[outside])
        clock.tick(f"fold {fold + 1}")
        if clock.is_over():
            return {}
    back = np.argsort(np.concatenate(held))
    return {kind: _stretch(each.take(back), study.judged, order) for kind, each in join(parts).items()}


def _judge(lists: Lists, held_out: Task) -> dict[Kind, Judged]:
    """Every list on rows that it has not seen."""
    labels = held_out.goal.argmax(axis=1)
    known: dict[RuleList, Judged] = {}
    for found in lists.values():
        if found not in known:
            odds = np.clip(found.log_odds(held_out.truths), -8, 8)
            hits = found.decide(held_out.truths) == labels
            known[found] = Judged(found.size, 0.0, odds, _losses(odds, held_out, found.order), hits)
    return {kind: known[found] for kind, found in lists.items()}


def _questions(task: Task, order: tuple[int, ...]) -> list[tuple[Array, Array]]:
    """For each rule which rows it is asked about, and whether these have its class; the goal are the labels."""
    place = np.argsort(order)[task.goal.argmax(axis=1)]
    return [(place >= each, place == each) for each in range(len(order) - 1)]


def _losses(odds: Array, task: Task, order: tuple[int, ...]) -> Array:
    """What each row costs: the sum over the rules that it is asked by."""
    total = np.zeros(len(odds))
    for told, (asked, is_class) in zip(odds.T, _questions(task, order), strict=True):
        total += asked * log_loss(told, is_class)
    return total


def _stretch(judged: Judged, held_out: Task, order: tuple[int, ...]) -> Judged:
    """The same with what each row would cost if the odds of each rule were honest."""
    factors = [
        fit_factor(told[asked], is_class[asked].astype(np.float64), held_out.weight[asked])
        for told, (asked, is_class) in zip(judged.odds.T, _questions(held_out, order), strict=True)
    ]
    return replace(judged, losses=_losses(judged.odds * factors, held_out, order))


def _least_loss(judged: Mapping[Kind, Judged], weight: Array) -> float:
    """What the best kind costs on rows held out."""
    return min((float(weight @ each.losses) for each in judged.values()), default=np.inf)


def _wrong(found: RuleList, study: Study) -> float:
    """The share of all rows that are told the wrong class."""
    wrong = found.decide(study.task.truths) != study.task.goal.argmax(axis=1)
    return float(study.task.weight @ wrong / study.task.weight.sum())


def _finish(
    found: RuleList, study: Study, soft: Task, kind: Kind, finer: Finer | None, is_clean: bool
) -> tuple[RuleList, Study]:
    """The list with every rule finished on its own question, and the study with the facts that it may have."""
    care = CLEAN_CARE if is_clean else NOISY_CARE
    if found.is_graded:
        return _finish_score(found, study, soft, kind, finer, care)
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
            rule, seen = finish(rule, narrowed, asked.goal, kind.most_points, finer, care)
            study = replace(seen, task=replace(seen.task, weight=study.task.weight))
        rules.append(rule)
    task = replace(soft, truths=study.task.truths[study.learned])
    return settle_thresholds(replace(found, rules=tuple(rules)), task), study


def _finish_score(
    found: RuleList, study: Study, soft: Task, kind: Kind, finer: Finer | None, care: Care
) -> tuple[RuleList, Study]:
    """The same for rules that share one score."""
    score = max(found.rules, key=lambda rule: rule.size)
    if not score.items:
        return found, study
    asked, score = to_ridits(soft, found.order), replace(score, cut=None)
    if kind.shape is not Shape.FORMULA:
        score = exchange_facts(score, asked, kind.most_points)
    score, study = finish(score, study, asked.goal, kind.most_points, finer, care)
    return set_thresholds(score, replace(soft, truths=study.task.truths[study.learned]), found.order), study


def _fronts(
    study: Study,
    soft: Task,
    lists: Lists,
    chosen: Kind,
    picked: RuleList,
    judged: Mapping[Kind, Judged],
    reason: str,
) -> tuple[tuple[Front, ...], tuple[int, ...]]:
    """Lists of the chosen shape, from the shortest to the longest; one is picked."""
    best: dict[int, tuple[Kind, RuleList]] = {}
    for kind, found in lists.items():
        if kind.shape is chosen.shape and found.size not in best:
            best[found.size] = kind, found
    best[picked.size] = chosen, picked
    kept: list[int] = []
    for size in sorted(best):
        if size == picked.size or not kept or (size >= APART * kept[-1] and size != picked.size):
            kept.append(size)
    rows = [_candidates(study, *best[size], judged) for size in kept]
    teacher = None if soft.teacher is None else soft.teacher.content()
    place = np.argsort(study.ranked)  # of each class among the columns of the goal
    fronts = tuple(
        Front(tuple(row[column] for row in rows), kept.index(picked.size), reason, teacher) for column in place.tolist()
    )
    return fronts, tuple(study.ranked[column] for column in picked.order)


def _candidates(study: Study, kind: Kind, found: RuleList, judged: Mapping[Kind, Judged]) -> list[Candidate]:
    """For each column of the goal the rule of its class as a crystal, with the scores of the whole list."""
    if study.only_judge:  # what it was learned from tells nothing of these rows, so it is judged itself
        judged = _judge({kind: found}, study.judged)
    weight, labels = study.task.weight, study.task.goal.argmax(axis=1)
    training = float(weight @ (found.decide(study.task.truths) == labels) / weight.sum())
    score = error = None
    rules = [Honest(rule) for rule in found.rules]
    if kind in judged:
        score, error = judged[kind].score(study.judged.weight)
        for place, (asked, is_class) in enumerate(_questions(study.judged, found.order)):
            told = judged[kind].odds[asked, place], is_class[asked].astype(np.float64), study.judged.weight[asked]
            rules[place] = calibrate(rules[place].rule, *told)
    rules.append(Honest(Rule((), (), 0.0, 0.0, cut=0)))
    result: list[Candidate | None] = [None] * len(rules)
    for each, column in zip(rules, found.order, strict=True):
        crystal = to_crystal(each.rule, study.names, study.name_group).narrow()
        size = each.rule.size
        result[column] = Candidate(crystal, size, len(crystal.live), training, score, error, odds_of(each))
    return [each for each in result if each is not None]
