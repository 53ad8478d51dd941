"""From facts and classes to a rule: soften the labels, judge sizes and shapes on held-out rows, learn from all rows."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from crystalogic.arrays import Array, np
from crystalogic.candidates.front import Candidate, Front, SearchResult, mean_and_error
from crystalogic.candidates.knowledge import NOTHING, Knowledge
from crystalogic.candidates.weights import are_counts, class_weights, settled_weight
from crystalogic.crystal import join_crystals
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.features import Features
from crystalogic.learner.calibrate import Honest, calibrate
from crystalogic.learner.choose import (
    PRICES,
    Judged,
    Kind,
    choose,
    choose_by_hits,
    estimate_luck,
    join,
    judge,
    price_of,
    rank_by_hits,
    rules_of,
    stretch,
)
from crystalogic.learner.crystals import NameGroup, odds_of, to_crystal
from crystalogic.learner.finish import CLEAN_CARE, NOISY_CARE, Finer, finish
from crystalogic.learner.formula import hides_neuron
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import CLEAN, Likelihood, Shape
from crystalogic.learner.several import learn_list
from crystalogic.learner.study import NEVER_SURE, Goals, Holdout, Study, prepare
from crystalogic.learner.task import Task
from crystalogic.learner.teacher import soften
from crystalogic.learner.whole import cut_ladders, exchange_facts
from crystalogic.progress import Callback, Clock, Stop

MOST_REPEATED = 50_000  # rows, where weights count rows and each is written as often as it counts
CLEARLY = 2.0  # standard errors by which the teacher must be better, for formulas to be tried
FEW_MISSED = 0.25  # of a rare class, where labels are certain
HOPEFUL = 4.0  # standard errors that a rule may be worse before its cuts are shifted, where labels are certain
BY_TEACHER = 0.5  # of what a held-out row is judged by; its label has the rest
MOST_FINISHED = 4  # rules of different sizes, of which the best is taken then


def learn(
    features: Features,
    y: ArrayLike,
    settings: Likelihood,
    *,
    reach: ArrayLike,
    groups: Sequence[Sequence[str]] = (),
    ladders: Sequence[Sequence[str]] = (),
    name_group: NameGroup = " or ".join,
    knowledge: Knowledge = NOTHING,
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Hashable, float] | None = None,
    callback: Callback | None = None,
    time_budget: float | None = None,
    held_out: ArrayLike | None = None,
    finer: Finer | None = None,
    grades: tuple[int, ...] | None = None,
) -> SearchResult:
    """The rule, with the front that it was chosen from; `reach`, `groups` and `ladders` are as `Task` has them.

    What several facts of a group or a ladder say together has a name of its own.

    Of more than two classes it is a list of rules, with a front for each class: what is at one place in all is a list.
    With `grades`, the places of the classes from the least to the greatest, these rules share one score.

    Sizes and shapes are judged on the rows that are `held_out`, and nothing else is; without these, rows take turns.
    The chosen rule may take `finer` facts in place of its own.
    """
    clock = Clock(time_budget, callback)
    labels = np.asarray(y)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        refuse(TrainingDataError, f"expected at least two classes, got {len(classes)}.")
    own = settled_weight(sample_weight, len(codes))
    mass = np.bincount(codes, weights=own)
    weight = own * class_weights(classes, mass, class_weight)[codes]
    weight *= own.sum() / weight.sum()
    holdout = Holdout(settings.folds, None if held_out is None else np.asarray(held_out, bool))
    if sample_weight is not None and held_out is None and are_counts(own) and own.sum() <= MOST_REPEATED:
        copies = np.repeat(np.arange(len(own)), own.astype(np.int64))
        features, codes, weight = features.take(copies), codes[copies], weight[copies] / own[copies]
        finer = None if finer is None else partial(_repeat, finer, copies)
    study = prepare(
        features, codes, weight, np.asarray(reach, np.float64), knowledge, holdout, groups, name_group, ladders
    )
    with clock.part(), threadpool_limits(1):  # of small products: threads would wait, and round in any order
        if len(classes) == 2:
            fronts: tuple[Front, ...] = (_study(study, settings, clock, finer),)
            order = tuple(int(place) for place in np.lexsort((np.arange(2), -mass)))
        else:
            fronts, order = learn_list(study, settings, clock, finer, grades)
    used = (name for front in fronts for each in front.candidates for name in each.crystal.inputs)
    names = tuple(dict.fromkeys([*features.names, *used]))
    fronts = tuple(front.over(names) for front in fronts)
    crystal = join_crystals([front.chosen.crystal for front in fronts])
    known = tuple(classes.tolist())
    return SearchResult(crystal, fronts, known, knowledge, clock.stop or Stop.DONE, clock.seconds, order)


def _repeat(finer: Finer, copies: Array, names: Sequence[str]) -> tuple[Features, tuple[str, ...]]:
    features, near = finer(names)
    return features.take(copies), near


def _study(study: Study, settings: Likelihood, clock: Clock, finer: Finer | None = None) -> Front:
    """The front of the shape that predicts held-out rows best."""
    told, soft, taught = study.teach()
    clock.total = study.n_folds + 1
    plain = tuple(shape for shape in settings.shapes if shape is not Shape.FORMULA)
    judged = _judge_kinds(study, taught, plain, settings, clock) if plain else {}
    goals: Goals = taught
    is_clean = _are_certain(study, judged)
    if is_clean and told is not None:
        hard = _judge_kinds(study, study.harden, plain, settings, clock)
        if hard:
            judged, told, soft, taught = hard, None, study.harden(study.learned), study.harden
            goals = taught
    last = cache(partial(_rules_of_shape, soft, settings))  # what is looked at more than once
    if Shape.FORMULA in settings.shapes and not clock.is_over():
        goals, found = _judge_formulas(study, (told, taught), last, judged, settings, clock)
        judged |= found
        is_clean = _are_certain(study, judged)
        told = told if not found or goals is taught else None  # of neurons seen in labels a teacher knows nothing
    if told is not None:  # the labels of few rows are a lottery, and what a teacher tells is not what happened
        goal = soften(study.judged.goal, told[study.fold >= 0], BY_TEACHER)
        judged = {kind: stretch(each, study.judged, goal) for kind, each in judged.items()}
    if judged:
        weight = study.judged.weight
        chosen = choose_by_hits(judged, weight) if is_clean else choose(judged, weight, is_frugal=settings.is_frugal)
        task = goals(study.learned) if chosen.shape is Shape.FORMULA else soft
        rules = last(chosen.shape) if task is soft else _rules_of_shape(task, settings, chosen.shape)
        reason = "its risks fit held-out rows best (least log loss), and nothing plainer is as good"
    else:
        task, shape = soft, settings.shapes[0]
        rules = rules_of(soft, (shape,), settings.most_of(shape), width=settings.width)
        chosen = min(rules, key=lambda kind: (price_of(rules[kind], soft), kind))
        reason = "no time to judge sizes on held-out rows"
    clock.tick("all rows")
    if is_clean:
        chosen, picked, study = _finish_clean(study, task, rules, chosen, judged, finer)
    else:
        picked, study = finish(
            _exchange(rules[chosen], chosen, task), study, task.goal, chosen.most_points, finer, NOISY_CARE
        )
    return _front(study, task, rules, chosen, picked, judged, reason)


def _rules_of_shape(task: Task, settings: Likelihood, shape: Shape) -> dict[Kind, Rule]:
    """The rules of every size, none of which is judged any more."""
    return rules_of(task, (shape,), settings.most_of(shape), width=settings.width, is_last=True)


def _judge_formulas(
    study: Study,
    teaching: tuple[Array | None, Goals],
    last: Callable[[Shape], dict[Kind, Rule]],
    judged: Mapping[Kind, Judged],
    settings: Likelihood,
    clock: Clock,
) -> tuple[Goals, dict[Kind, Judged]]:
    """Formulas where they have a hope: those learned from labels or from soft targets, whichever cost less.

    A neuron of many facts, of which no part tells anything, is seen in labels alone: a teacher knows nothing of it.
    """
    told, taught = teaching
    beat = _best(judged, study)[1].losses if judged else None
    hopes: list[Goals] = []
    if beat is None or _leaves_much(study, last, judged):
        hopes.append(study.harden)
    if told is not None and (beat is None or _is_clear(beat - _losses(study.judged, told), study.judged.weight)):
        hopes.append(taught)
    goals: Goals = study.harden
    found: dict[Kind, Judged] = {}
    for hope in hopes:
        better: dict[Kind, Judged] = {}
        for price in PRICES:  # where formulas of cheap literals have no hope, others have none either
            priced = _judge_kinds(study, hope, (Shape.FORMULA,), settings, clock, beat, (price,))
            better |= priced
            if not priced or _are_certain(study, priced):
                break
        if better:
            goals, found, beat = hope, better, _best(better, study)[1].losses
            if _are_certain(study, better):
                break
    return goals, found


def _finish_clean(
    study: Study,
    task: Task,
    rules: Mapping[Kind, Rule],
    chosen: Kind,
    judged: Mapping[Kind, Judged],
    finer: Finer | None,
) -> tuple[Kind, Rule, Study]:
    """Where labels are certain: of the chosen kind and shorter ones the one whose finished rule is worth its length.

    A short rule that is right but for the place of a cut is only told from a wrong one once the cut was shifted.
    """
    hard = study.task.take(study.learned)
    known = {kind: each for kind, each in judged.items() if kind in rules}
    options = []
    short = rank_by_hits(known, study.judged.weight, HOPEFUL)[: MOST_FINISHED - 1]
    for kind in dict.fromkeys([*short, chosen]):
        found = _exchange(rules[kind], kind, task)
        for each in dict.fromkeys([cut_ladders(found, hard), found]):
            rule, seen = finish(each, study, hard.goal, kind.most_points, finer, CLEAN_CARE)
            rule = rule.with_map(seen.harden(study.learned))
            options.append((price_of(rule, replace(seen.task.take(study.learned), goal=hard.goal)), kind, rule, seen))
    _, kind, rule, seen = min(options, key=lambda option: option[:2])
    return kind, rule, seen


def _exchange(rule: Rule, kind: Kind, task: Task) -> Rule:
    """The rule with its facts exchanged for better ones, where it has facts alone."""
    if not rule.items or kind.shape is Shape.FORMULA:
        return rule
    return exchange_facts(rule, task, kind.most_points).with_map(task)


def _judge_kinds(
    study: Study,
    goals: Goals,
    shapes: tuple[Shape, ...],
    settings: Likelihood,
    clock: Clock,
    beat: Array | None = None,
    prices: tuple[int, ...] = PRICES,
) -> dict[Kind, Judged]:
    """Every kind of rule on rows held out in turn; nothing where time ran out, or hope to cost less than `beat`."""
    parts, held = [], []
    places = np.cumsum(study.fold >= 0) - 1  # among the rows that are held out
    for fold in range(study.n_folds):
        inside, outside = study.split(fold)
        rules = rules_of(goals(inside), shapes, settings.most_of(shapes[0]), prices, width=settings.width)
        parts.append(judge(rules, study.task.take(outside)))
        held.append(places[outside])
        clock.tick(f"fold {fold + 1}")
        if clock.is_over():
            return {}
        if beat is None and fold < study.n_folds - 1:
            continue
        rows = np.concatenate(held)
        so_far = {kind: stretch(each, study.judged.take(rows)) for kind, each in join(parts).items()}
        if beat is not None and not _may_be_ahead(so_far, beat[rows], study.judged.weight[rows], fold):
            return {}
    back = np.argsort(rows)
    return {kind: each.take(back) for kind, each in so_far.items()}


def _may_be_ahead(judged: Mapping[Kind, Judged], beat: Array, weight: Array, fold: int) -> bool:
    """Whether one of them costs less on the rows of the folds so far; on those of one alone, or nearly so."""
    best = min(judged.values(), key=lambda each: float(weight @ each.losses))
    mean, error = mean_and_error((best.losses - beat)[:, None], weight)
    return bool(mean[0] < (0 if fold else error[0] / 2))


def _best(judged: Mapping[Kind, Judged], study: Study) -> tuple[Kind, Judged]:
    return min(judged.items(), key=lambda each: (float(study.judged.weight @ each[1].losses), each[0]))


def _are_certain(study: Study, judged: Mapping[Kind, Judged]) -> bool:
    """Whether the best rule leaves next to nothing wrong, and little of what saying no to all rows does."""
    held = study.judged
    return bool(judged) and _best(judged, study)[1].error(held.weight) <= min(CLEAN, FEW_MISSED * held.base_rate)


def _leaves_much(study: Study, last: Callable[[Shape], dict[Kind, Rule]], judged: Mapping[Kind, Judged]) -> bool:
    """Whether the best rule without neurons tells as good as nothing, or leaves over what a neuron tells."""
    kind, best = _best(judged, study)
    held = study.judged
    blind = _losses(held, np.full(held.n_rows, held.base_rate))
    if not _is_clear(blind - best.losses, held.weight):
        return True
    return hides_neuron(last(kind.shape)[kind], study.harden(study.learned), PRICES[0])


def _losses(task: Task, told: Array) -> Array:
    """What each row costs where this is told."""
    told = np.clip(told, NEVER_SURE, 1 - NEVER_SURE)
    return -np.log(np.where(task.goal > 0.5, told, 1 - told))


def _is_clear(gains: Array, weight: Array) -> bool:
    mean, error = mean_and_error(gains[:, None], weight)
    return bool(mean[0] > CLEARLY * error[0])


def _front(
    study: Study,
    soft: Task,
    rules: Mapping[Kind, Rule],
    chosen: Kind,
    picked: Rule,
    judged: Mapping[Kind, Judged],
    reason: str,
) -> Front:
    """The rules of the chosen shape, from the shortest to the longest, with how good each was; one is picked."""
    best: dict[int, tuple[Kind, Rule]] = {}
    for kind, rule in rules.items():
        held = best.get(rule.size)
        if held is None or price_of(rule, soft) < price_of(held[1], soft):
            best[rule.size] = kind, rule
    best[picked.size] = chosen, picked
    candidates = [_candidate(study, kind, best[size][1], judged) for size, (kind, _) in sorted(best.items())]
    sizes = sorted(best)
    place = sizes.index(picked.size)
    score = candidates[place].cross_validated
    if score is not None:  # the best of several is partly the luckiest
        candidates[place] = replace(
            candidates[place], cross_validated=max(0.0, score - estimate_luck(judged, study.judged.weight))
        )
    teacher = None if soft.teacher is None else soft.teacher.content()
    return Front(tuple(candidates), place, reason, teacher)


def _candidate(study: Study, kind: Kind, rule: Rule, judged: Mapping[Kind, Judged]) -> Candidate:
    """The rule as a crystal, with odds that are honest where its kind was judged on rows held out."""
    if study.only_judge:  # what it was learned from tells nothing of these rows, so it is judged itself
        judged = judge({kind: rule}, study.judged)
    honest = Honest(rule)
    if kind in judged:
        honest = calibrate(rule, judged[kind].odds, study.judged.goal, study.judged.weight)
    rule = honest.rule
    crystal = to_crystal(rule, study.names, study.name_group, is_other=study.is_other).narrow()
    hits = rule.decide(study.task.truths) == (study.task.goal > 0.5)
    training = float(study.task.weight @ hits / study.task.weight.sum())
    score = error = None
    if kind in judged:
        score, error = judged[kind].score(study.judged.weight)
    odds = odds_of(honest, is_other=study.is_other)
    return Candidate(crystal, rule.size, len(crystal.live), training, score, error, odds)
