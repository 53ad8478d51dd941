"""From facts and classes to a rule: soften the labels, judge sizes and shapes on held-out rows, learn from all rows."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from crystalogic.candidates.front import Candidate, Front, mean_and_error
from crystalogic.candidates.knowledge import NOTHING, Knowledge
from crystalogic.candidates.result import SearchResult
from crystalogic.candidates.weights import are_counts, class_weights, settled_weight
from crystalogic.errors import TrainingDataError
from crystalogic.features import Features
from crystalogic.learner.calibrate import calibrate
from crystalogic.learner.choose import (
    PRICES,
    Judged,
    Kind,
    choose,
    choose_by_hits,
    join,
    judge,
    rank_by_hits,
    rules_of,
    stretch,
)
from crystalogic.learner.crystals import odds_of, to_crystal
from crystalogic.learner.exchange import exchange_facts
from crystalogic.learner.finish import CLEAN_CARE, NOISY_CARE, Finer, finish
from crystalogic.learner.formula import hides_neuron
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import MOST_POINTS, Likelihood, Shape
from crystalogic.learner.study import NEVER_SURE, Holdout, Study, prepare
from crystalogic.learner.task import Task
from crystalogic.learner.teacher import MOST_ROWS, choose_teacher, soften, teach
from crystalogic.progress import Callback, Clock, Stop

Array = NDArray[Any]
Goals = Callable[[Array], Task]  # some rows, with what is to be learned of them
MOST_REPEATED = 50_000  # rows, where weights count rows and each is written as often as it counts
CLEAN = 0.03  # where no more rows are wrong, labels are certain: nothing is to be softened, and decisions are counted
CLEARLY = 2.0  # standard errors by which the teacher must be better, for formulas to be tried
HOPEFUL = 4.0  # standard errors that a rule may be worse before its cuts are shifted, where labels are certain
MOST_FINISHED = 4  # rules of different sizes, of which the best is taken then
TAUGHT = 5000  # up to so many rows have a teacher; the labels of more tell good facts from chance by themselves


def learn(
    features: Features,
    y: ArrayLike,
    settings: Likelihood,
    *,
    reach: ArrayLike,
    groups: Sequence[Sequence[str]] = (),
    knowledge: Knowledge = NOTHING,
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Hashable, float] | None = None,
    callback: Callback | None = None,
    time_budget: float | None = None,
    held_out: ArrayLike | None = None,
    finer: Finer | None = None,
) -> SearchResult:
    """The rule of two classes, with the front that it was chosen from; `reach` and `groups` are as `Task` has them.

    Sizes and shapes are judged on the rows that are `held_out`, and nothing else is; without these, rows take turns.
    The chosen rule may take `finer` facts in place of its own.
    """
    clock = Clock(time_budget, callback)
    labels = np.asarray(y)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) != 2:
        message = f"expected two classes, got {len(classes)}."
        raise TrainingDataError(message)
    own = settled_weight(sample_weight, len(codes))
    mass = np.bincount(codes, weights=own)
    weight = own * class_weights(classes, mass, class_weight)[codes]
    weight *= own.sum() / weight.sum()
    holdout = Holdout(settings.folds, None if held_out is None else np.asarray(held_out, bool))
    if sample_weight is not None and held_out is None and are_counts(own) and own.sum() <= MOST_REPEATED:
        copies = np.repeat(np.arange(len(own)), own.astype(np.int64))
        features, codes, weight = features.take(copies), codes[copies], weight[copies] / own[copies]
        finer = None if finer is None else partial(_repeat, finer, copies)
    study = prepare(features, codes, weight, np.asarray(reach, np.float64), knowledge, holdout, groups)
    with clock.part(), threadpool_limits(1):  # of small products: threads would wait, and round in any order
        front = _study(study, settings, clock, finer)
    order = tuple(int(place) for place in np.lexsort((np.arange(2), -mass)))
    front = front.over(tuple(dict.fromkeys([*features.names, *front.chosen.crystal.inputs])))
    known = tuple(classes.tolist())
    return SearchResult(front.chosen.crystal, (front,), known, knowledge, clock.stop or Stop.DONE, clock.seconds, order)


def _repeat(finer: Finer, copies: Array, names: Sequence[str]) -> tuple[Features, tuple[str, ...]]:
    features, near = finer(names)
    return features.take(copies), near


def _study(study: Study, settings: Likelihood, clock: Clock, finer: Finer | None = None) -> Front:
    """The front of the shape that predicts held-out rows best."""
    told, soft, taught = _teach(study)
    clock.total = study.n_folds + 1
    plain = tuple(shape for shape in settings.shapes if shape is not Shape.FORMULA)
    judged = _judge_kinds(study, taught, plain, settings, clock) if plain else {}
    goals: Goals = taught
    is_clean = bool(judged) and _error(_best(judged, study)[1], study) <= CLEAN
    if is_clean and told is not None:
        hard = _judge_kinds(study, study.harden, plain, settings, clock)
        if hard:
            judged, told, soft, taught = hard, None, study.harden(study.learned), study.harden
            goals = taught
    if Shape.FORMULA in settings.shapes and not clock.is_over():
        best = _best(judged, study)[1].losses if judged else None
        is_taught = best is None or (
            told is not None and _is_clear(best - _losses(study.judged, told), study.judged.weight)
        )
        if best is None or is_taught or _leaves_much(study, soft, judged):
            goals = taught if is_taught else study.harden
            for price in PRICES:  # where formulas of cheap literals have no hope, others have none either
                found = _judge_kinds(study, goals, (Shape.FORMULA,), settings, clock, best, (price,))
                judged |= found
                if not found:
                    break
    most = settings.most_literals
    if judged:
        chosen = (choose_by_hits if is_clean else choose)(judged, study.judged.weight)
        task = goals(study.learned) if chosen.shape is Shape.FORMULA else soft
        rules = rules_of(task, (chosen.shape,), most)
        reason = "the least log loss on held-out rows, and nothing plainer is as good"
    else:
        task, rules = soft, rules_of(soft, settings.shapes[:1], most)
        chosen = min(rules, key=lambda kind: (_price(rules[kind], soft), kind))
        reason = "no time to judge sizes on held-out rows"
    clock.tick("all rows")
    if is_clean:
        chosen, picked, study = _finish_clean(study, task, rules, judged, finer)
    else:
        picked, study = finish(
            _exchange(rules[chosen], chosen, task), study, task.goal, _most_points(chosen), finer, NOISY_CARE
        )
    return _front(study, task, rules, chosen, picked, judged, reason)


def _finish_clean(
    study: Study, task: Task, rules: Mapping[Kind, Rule], judged: Mapping[Kind, Judged], finer: Finer | None
) -> tuple[Kind, Rule, Study]:
    """Where labels are certain: of the kinds that are nearly as good the one whose finished rule is worth its length.

    A short rule that is right but for the place of a cut is only told from a wrong one once the cut was shifted.
    """
    hard = study.task.take(study.learned)
    known = {kind: each for kind, each in judged.items() if kind in rules}
    options = []
    for kind in rank_by_hits(known, study.judged.weight, HOPEFUL)[:MOST_FINISHED]:
        rule = _exchange(rules[kind], kind, task)
        rule, seen = finish(rule, study, hard.goal, _most_points(kind), finer, CLEAN_CARE)
        rule = rule.with_map(seen.harden(study.learned))
        options.append((_price(rule, replace(seen.task.take(study.learned), goal=hard.goal)), kind, rule, seen))
    _, kind, rule, seen = min(options, key=lambda option: option[:2])
    return kind, rule, seen


def _exchange(rule: Rule, kind: Kind, task: Task) -> Rule:
    """The rule with its facts exchanged for better ones, where it has facts alone."""
    if not rule.items or kind.shape is Shape.FORMULA:
        return rule
    return exchange_facts(rule, task, _most_points(kind)).with_map(task)


def _most_points(kind: Kind) -> int:
    return 1 if kind.shape is Shape.CHECKLIST else MOST_POINTS


def _teach(study: Study) -> tuple[Array | None, Task, Goals]:
    """What a teacher tells of each row, the rows to learn from in the end, and how others are made of some rows."""
    task = study.task
    if study.only_judge or task.n_rows > TAUGHT:
        return None, study.harden(study.learned), study.harden
    teacher = choose_teacher(task)
    told = teach(task, teacher)
    soft = replace(task, goal=soften(task.goal, told), teacher=teacher)
    return told, soft, partial(study.soften, teacher) if task.n_rows <= MOST_ROWS else soft.take


def _error(judged: Judged, study: Study) -> float:
    """The share of rows held out that were told the wrong class."""
    return float(study.judged.weight @ ~judged.hits / study.judged.weight.sum())


def _price(rule: Rule, task: Task) -> float:
    """Twice the loss and the price of the literals, by Schwarz's criterion."""
    return 2 * float(task.weight @ rule.losses(task)) + float(np.log(task.weight.sum())) * rule.size


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
        rules = rules_of(goals(inside), shapes, settings.most_literals, prices)
        parts.append(judge(rules, study.task.take(outside)))
        held.append(places[outside])
        clock.tick(f"fold {fold + 1}")
        rows = np.concatenate(held)
        so_far = {kind: stretch(each, study.judged.take(rows)) for kind, each in join(parts).items()}
        is_hopeless = beat is not None and fold and not _is_ahead(so_far, beat[rows], study.judged.weight[rows])
        if clock.is_over() or is_hopeless:
            return {}
    back = np.argsort(rows)
    return {kind: each.take(back) for kind, each in so_far.items()}


def _is_ahead(judged: Mapping[Kind, Judged], beat: Array, weight: Array) -> bool:
    """Whether one of them costs less on these rows."""
    return bool(min(weight @ each.losses for each in judged.values()) < weight @ beat)


def _best(judged: Mapping[Kind, Judged], study: Study) -> tuple[Kind, Judged]:
    return min(judged.items(), key=lambda each: (float(study.judged.weight @ each[1].losses), each[0]))


def _leaves_much(study: Study, soft: Task, judged: Mapping[Kind, Judged]) -> bool:
    """Whether the best rule without neurons tells as good as nothing, or leaves over what a neuron tells."""
    kind, best = _best(judged, study)
    held = study.judged
    blind = _losses(held, np.full(held.n_rows, held.base_rate))
    if not _is_clear(blind - best.losses, held.weight):
        return True
    rule = rules_of(soft, (kind.shape,), kind.limit)[kind]
    return hides_neuron(rule, study.harden(study.learned), PRICES[0])


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
        if held is None or _price(rule, soft) < _price(held[1], soft):
            best[rule.size] = kind, rule
    best[picked.size] = chosen, picked
    candidates = [_candidate(study, kind, best[size][1], judged) for size, (kind, _) in sorted(best.items())]
    sizes = sorted(best)
    teacher = None if soft.teacher is None else soft.teacher.content()
    return Front(tuple(candidates), sizes.index(picked.size), reason, teacher)


def _candidate(study: Study, kind: Kind, rule: Rule, judged: Mapping[Kind, Judged]) -> Candidate:
    """The rule as a crystal, with odds that are honest where its kind was judged on rows held out."""
    if study.only_judge:  # what it was learned from tells nothing of these rows, so it is judged itself
        judged = judge({kind: rule}, study.judged)
    if kind in judged:
        rule = calibrate(rule, judged[kind].odds, study.judged.goal, study.judged.weight)
    crystal = to_crystal(rule, study.names, is_other=study.is_other).narrow()
    hits = rule.decide(study.task.truths) == (study.task.goal > 0.5)
    training = float(study.task.weight @ hits / study.task.weight.sum())
    score = error = None
    if kind in judged:
        means, errors = mean_and_error(judged[kind].hits[:, None].astype(np.float64), study.judged.weight)
        score, error = float(means[0]), float(errors[0])
    odds = odds_of(rule, is_other=study.is_other)
    return Candidate(crystal, rule.size, len(crystal.live), training, score, error, odds)
