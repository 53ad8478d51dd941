"""From facts and classes to a rule: soften the labels, judge sizes and shapes on held-out rows, learn from all rows."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from crystalogic import candidates
from crystalogic.arrays import Array, np
from crystalogic.candidates import NOTHING, Front, Knowledge, SearchResult
from crystalogic.crystal import join_crystals
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.features import Features
from crystalogic.learner import choose as kinds
from crystalogic.learner.choose import Judged, Sort
from crystalogic.learner.crystals import NameGroup
from crystalogic.learner.finish import CLEAN_CARE, NOISY_CARE, cut_ladders, exchange, finish, shift_cuts
from crystalogic.learner.limits import Bounds, Limits
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import CLEAN, Kind, Likelihood, Shape
from crystalogic.learner.several import learn_list
from crystalogic.learner.study import Finer, Goals, Study, prepare
from crystalogic.learner.task import Task
from crystalogic.learner.teacher import soften
from crystalogic.learner.within import study_within
from crystalogic.progress import Callback, Clock, Stop

MOST_REPEATED = 50_000  # rows, where weights count rows and each is written as often as it counts
FEW_MISSED = 0.25  # of a rare class, where labels are certain
HOPEFUL = 4.0  # standard errors that a rule may be worse before its cuts are shifted, where labels are certain
TAUGHT_ROWS = 400  # what a teacher tells of held-out rows counts as much as the labels of so many
MOST_FINISHED = 5  # rules of different sizes, of which the best is taken then


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
    limits: Limits | None = None,
    column: Array | None = None,
    bounds: Bounds | None = None,
) -> SearchResult:
    """The rule, with the front that it was chosen from; `reach`, `groups` and `ladders` are as `Task` has them.

    What several facts of a group or a ladder say together has a name of its own.

    Of more than two classes it is a list of rules, with a front for each class: what is at one place in all is a list.
    With `grades`, the places of the classes from the least to the greatest, these rules share one score.

    Sizes and shapes are judged on the rows that are `held_out`, and nothing else is; without these, rows take turns.
    The chosen rule may take `finer` facts in place of its own. With `limits` on what is read each fact has a `column`;
    of two classes, rules that do not keep the `bounds` are not chosen.
    """
    clock = Clock(time_budget, callback)
    labels = np.asarray(y)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        refuse(TrainingDataError, f"expected at least two classes, got {len(classes)}.")
    own = candidates.settled_weight(sample_weight, len(codes))
    mass = np.bincount(codes, weights=own)
    weight = own * candidates.class_weights(classes, mass, class_weight)[codes]
    weight *= own.sum() / weight.sum()
    copies = np.arange(len(own))
    is_repeated = sample_weight is not None and held_out is None and own.sum() <= MOST_REPEATED
    if is_repeated and candidates.are_counts(own):
        copies = np.repeat(copies, own.astype(np.int64))
        features, codes, weight = features.take(copies), codes[copies], weight[copies] / own[copies]
    far, held = np.asarray(reach, np.float64), None if held_out is None else np.asarray(held_out, bool)
    how: dict[str, Any] = {"name_group": name_group, "clock": clock, "finer": finer, "limits": limits, "column": column}
    study = prepare(features, codes, weight, far, knowledge, groups, ladders, held, settings, **how)
    study = replace(study, rows=copies[study.rows])
    with clock.part(), threadpool_limits(1):  # of small products: threads would wait, and round in any order
        if len(classes) == 2:
            fronts = _study(study) if bounds is None else study_within(study, bounds.take(study.rows))
            order = tuple(np.argsort(-mass, kind="stable").tolist())
        else:
            fronts, order = learn_list(study, grades)
    used = (name for front in fronts for each in front.candidates for name in each.crystal.inputs)
    names = tuple(dict.fromkeys([*features.names, *used]))
    fronts = tuple(front.over(names) for front in fronts)
    crystal = join_crystals([front.chosen.crystal for front in fronts])
    known = tuple(classes.tolist())
    return SearchResult(crystal, fronts, known, knowledge, clock.stop or Stop.DONE, clock.seconds, order)


def _study(study: Study) -> tuple[Front, ...]:
    """The front of the shape that predicts held-out rows best."""
    settings, clock, weight = study.settings, study.clock, study.judged.weight
    told, soft, taught = study.teach()
    told = None if told is None else told[study.fold >= 0]
    clock.total = study.n_folds + 1
    plain = tuple(shape for shape in settings.shapes if shape is not Shape.FORMULA)
    judged = _judge_kinds(study, taught, plain) if plain else {}
    is_clean = _are_certain(study, judged)
    if is_clean and told is not None:
        hard = _judge_kinds(study, study.harden, plain)
        if hard:
            judged, told, soft = hard, None, study.harden(study.learned)
    if Shape.FORMULA in settings.shapes and not clock.is_over():  # neurons are seen in labels: a teacher blurs them
        beat = kinds.find_best(judged, weight)[1].losses if judged else None
        found = _judge_kinds(study, study.harden, (Shape.FORMULA,), beat)
        judged |= found
        is_clean = _are_certain(study, judged)
        told = None if found else told  # it knows nothing of neurons
    if told is not None:  # the labels of few rows are a lottery, and what a teacher tells is not what happened
        goal = soften(study.judged.goal, told, TAUGHT_ROWS / (TAUGHT_ROWS + study.judged.n_rows))
        judged = {kind: kinds.stretch(each, study.judged, goal) for kind, each in judged.items()}
    task = soft
    if judged:
        chosen = kinds.choose(judged, weight, is_frugal=settings.is_frugal, by_hits=is_clean)
        task = study.harden(study.learned) if chosen.shape is Shape.FORMULA else soft
        rules = kinds.rules_of(task, (chosen.shape,), settings, is_last=True)
    else:
        rules = kinds.rules_of(soft, settings.shapes[:1], settings)
        chosen = min(rules, key=lambda kind: (kinds.price_of(rules[kind], soft), kind))
    clock.tick("all rows")
    if is_clean:
        chosen, picked, study = _finish_clean(study, task, rules, chosen, judged)
    else:
        picked, study = finish(rules[chosen], study, task.goal, chosen, NOISY_CARE)
    if chosen.shape is Shape.FORMULA and plain:  # the front has what is best of each size, whatever its shape
        rules |= kinds.rules_of(soft, plain, settings)
    best: dict[int, Sort] = {}
    for kind, rule in sorted(rules.items(), key=lambda each: kinds.price_of(each[1], task)):
        best.setdefault(rule.size, (kind, rule))
    luck = kinds.estimate_luck(judged, weight)  # the best of several is partly the luckiest
    return kinds.make_fronts(study, task, best, (chosen, picked), judged, luck)


def _finish_clean(
    study: Study, task: Task, rules: Mapping[Kind, Rule], chosen: Kind, judged: Mapping[Kind, Judged]
) -> tuple[Kind, Rule, Study]:
    """Where labels are certain: of the chosen kind and shorter ones the one whose finished rule is worth its length.

    A short rule that is right but for the place of a cut is only told from a wrong one once the cut was shifted.
    """
    hard = study.to_learn
    known = {kind: each for kind, each in judged.items() if kind in rules}
    options = []
    short = kinds.rank_by_hits(known, study.judged.weight, HOPEFUL)[: MOST_FINISHED - 2]
    cheapest = min(known, key=lambda kind: (kinds.price_of(rules[kind], hard), kind), default=chosen)
    for kind in dict.fromkeys([*short, cheapest, chosen]):
        found = exchange(rules[kind], task, kind)
        for each in dict.fromkeys([cut_ladders(found, hard), found]):
            rule, seen = shift_cuts(each, study, hard.goal, kind.most_points, CLEAN_CARE)
            rule = rule.with_map(seen.harden(study.learned))
            options.append((kinds.price_of(rule, seen.to_learn), kind, rule, seen))
    return min(options, key=lambda option: option[:2])[1:]


def _judge_kinds(study: Study, goals: Goals, shapes: Sequence[Shape], beat: Array | None = None) -> dict[Kind, Judged]:
    """Every kind of rule on rows held out in turn; nothing where time ran out, or hope to cost less than `beat`."""
    return kinds.judge_in_turn(study, goals, lambda task: kinds.rules_of(task, shapes, study.settings), beat)


def _are_certain(study: Study, judged: Mapping[Kind, Judged]) -> bool:
    """Whether the best rule leaves next to nothing wrong, and little of what saying no to all rows does."""
    held = study.judged
    return bool(judged) and kinds.find_best(judged, held.weight)[1].error(held.weight) <= min(
        CLEAN, FEW_MISSED * held.base_rate
    )
