"""The choice among rules that keep limits on what they do.

A rule is learned by its loss. A gap between groups enters every move as a tilt: what is to be learned of a row is
lowered for groups that are told yes too often, and raised for the others, so that facts which tell the groups apart are
worth less. That is the price of a Lagrangian, as in the reductions of Agarwal and others (A reductions approach to fair
classification, 2018), on one path of a few steps. Risks know of no tilt: maps are fitted to what is true of the rows.

Every size, shape and tilt is judged with every threshold on rows held out. What is chosen keeps the limits there, and
with its own threshold on all rows; so does every other rule of the front.
"""

from collections.abc import Mapping
from dataclasses import replace

from crystalogic.arrays import Array, np
from crystalogic.candidates import Front
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.learner import choose as kinds
from crystalogic.learner.choose import Judged
from crystalogic.learner.finish import NOISY_CARE, finish
from crystalogic.learner.limits import Bounds
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import Kind, Shape
from crystalogic.learner.study import Study
from crystalogic.learner.task import Task

N_TILTS = 8  # of goals, one after the other, the first of which is none
STEP = 0.04  # from one to the next; twice as far where the gap hardly closes
HARDLY = 0.85  # of the gap is left
SMALL = 0.5  # of the gap that is allowed: less need not be reached
MOST_SHIFT = 3.0  # times a tilt: what a row of a small group is moved by at most
N_CUTS = 60  # thresholds that are looked at
NEAR = 5  # thresholds of a rule that are tried, from the one on that was judged
BY_LIMITS = "of the rules that keep the limits it is best on held-out rows, and nothing plainer is as good"


def study_within(study: Study, bounds: Bounds) -> tuple[Front, ...]:
    """The front of rules that keep the bounds, which are of the rows of the study."""
    bounds = replace(bounds, is_turned=bool(bounds.is_class[0] != study.task.labels[0]))
    held, weight, labels = bounds.take(np.flatnonzero(study.fold >= 0)), study.judged.weight, study.judged.labels
    rules, judged, tasks = _judge_tilts(study, bounds, held)
    found = (judged or kinds.judge(rules, study.judged)).items()
    limited = {kind: cut for kind, each in found if (cut := _limit(each, study.judged, held)) is not None}
    best = _keep_best(limited, rules, study.task, bounds)
    if not best:
        refuse(TrainingDataError, "no rule keeps these limits, not even one that decides all rows alike. Widen them.")
    order = {kind: limited[kind][1] for kind in best.values()}
    chosen = kinds.choose(order, weight, is_frugal=study.settings.is_frugal)
    study.clock.tick("all rows")
    settled = {rule: kind for rule, kind in best.items() if kind == chosen}
    picked, seen = _finish(next(iter(settled)), limited[chosen][0], chosen, study, tasks[chosen.tilt], bounds)
    counted = order if judged else {}
    sorts = {rule.size: (kind, rule) for rule, kind in best.items()}
    luck = kinds.estimate_luck(counted, weight)
    fronts = kinds.make_fronts(seen, tasks[chosen.tilt], dict(sorts), (chosen, picked), counted, luck)
    reached = [
        held.count(order[chosen].hits == labels) if counted else (),
        bounds.count(picked.decide(seen.task.truths)),
    ]
    return tuple(replace(front, reason=BY_LIMITS, reached=tuple(reached)) for front in fronts)


def _judge_tilts(study: Study, bounds: Bounds, held: Bounds) -> tuple[dict[Kind, Rule], dict[Kind, Judged], list[Task]]:
    """Rules for one tilt after the other: further until the gap is small enough, then between too little and enough.

    And how they did on rows held out, nothing where time ran out, and the task of each tilt.
    """
    _, soft, taught = study.teach()
    asked, at_most = study.settings.shapes, bounds.limits.at_most
    shapes = asked if len(asked) == 1 else tuple(shape for shape in asked if shape is not Shape.FORMULA)
    rules, judged, tasks = dict[Kind, Rule](), dict[Kind, Judged](), list[Task]()
    step, before, enough, shift = STEP, np.inf, None, np.zeros(study.task.n_rows)
    study.clock.total = (N_TILTS if at_most is not None else 1) * study.n_folds + 1
    for place in range(N_TILTS):

        def grow(task: Task, place: int = place) -> dict[Kind, Rule]:
            grown = kinds.rules_of(task, shapes, study.settings)
            return {replace(kind, tilt=place): rule.with_map(task.level) for kind, rule in grown.items()}

        def tilt(rows: Array, by: Array = shift) -> Task:
            return _tilt(taught(rows), by[rows])

        tasks.append(_tilt(soft, shift[study.learned]))
        rules |= grow(tasks[-1])
        judged |= (known := kinds.judge_in_turn(study, tilt, grow))
        if not known or at_most is None:
            break
        best = min(known.values(), key=lambda each: float(study.judged.weight @ each.losses))
        said = (best.hits == study.judged.labels)[:, None]
        gap = float(held.gaps(said)[0])
        if gap <= at_most and (place == 0 or gap >= SMALL * at_most):
            break
        if gap <= at_most:
            enough = shift
        else:
            step, before, little = (2 * step if gap > HARDLY * before else step), gap, shift
        shift = little + step * _direct(held.rates(said)[:, 0], bounds) if enough is None else (little + enough) / 2
    return rules, judged, tasks


def _tilt(task: Task, by: Array) -> Task:
    return replace(task, goal=task.goal + by, tilt=by)


def _direct(rates: Array, bounds: Bounds) -> Array:
    """Which way, and how far, the goal of each row is moved for the rates of groups to come closer.

    Each group moves by how far its rate is from the middle, as one: a row of a small group counts for more.
    """
    off, own = np.nan_to_num(rates - (np.nanmax(rates) + np.nanmin(rates)) / 2), bounds.is_rated
    share = np.maximum(np.bincount(bounds.groups[own], minlength=len(rates)), 1) / own.sum() * bounds.are_judged.sum()
    moves = -off / np.abs(off).max() * np.minimum(1 / share, MOST_SHIFT)
    turn = -1 if (bounds.limits.gap == "misses") != bounds.is_turned else 1
    return np.where(own, turn * moves[bounds.groups], 0.0)


def _limit(judged: Judged, task: Task, held: Bounds) -> tuple[float, Judged] | None:
    """The log odds from which on yes is said, and what is judged then: of those that keep the limits the best.

    What tells all rows alike may say yes or no; other rules may not tell all rows alike.
    """
    known = np.unique(judged.odds)
    cuts = np.unique(np.append(known[np.linspace(0, len(known) - 1, N_CUTS).astype(int)], 0.0))
    cuts = np.array([-np.inf, np.inf]) if judged.size == 0 else cuts[(cuts > known[0]) & (cuts <= known[-1])]
    said = judged.odds[:, None] >= cuts
    hits, kept = said == task.labels[:, None], np.flatnonzero(held.keep(said))
    if not len(kept):
        return None
    right = task.weight @ hits
    best = min(kept, key=lambda place: (-right[place], abs(cuts[place])))
    losses = judged.losses + ~hits[:, best]  # what is likely tells rules apart that decide alike
    return float(cuts[best]), replace(judged, hits=hits[:, best], losses=losses, idle=0.0)


def _keep_best(
    limited: Mapping[Kind, tuple[float, Judged]], rules: Mapping[Kind, Rule], task: Task, bounds: Bounds
) -> dict[Rule, Kind]:
    """Of each size the rule that is best on rows held out, of those that keep the limits on all rows."""
    best: dict[Rule, Kind] = {}
    for kind, (cut, _) in sorted(limited.items(), key=lambda each: (float(each[1][1].losses.mean()), each[0])):
        is_new = all(rule.size != rules[kind].size for rule in best)
        if is_new and (found := _settle(rules[kind], cut, task, bounds)) is not None:
            best[found] = kind
    return best


def _settle(rule: Rule, cut: float, task: Task, bounds: Bounds) -> Rule | None:
    """The rule with the threshold next to these log odds that keeps the limits on all rows; None if none near does."""
    levels, scores = rule.told
    near = scores[1:][np.argsort(np.abs(levels[1:] - cut), kind="stable")[:NEAR]]
    near = near if rule.items else np.array([0 if cut < 0 else 1])  # what has no items says yes, or no
    kept = bounds.keep(rule.score(task.truths)[:, None] >= near)
    return replace(rule, cut=int(near[kept.argmax()])) if kept.any() and (rule.slope > 0 or not rule.items) else None


def _finish(rule: Rule, cut: float, kind: Kind, study: Study, task: Task, bounds: Bounds) -> tuple[Rule, Study]:
    """The rule with better facts and cuts, if it keeps the limits with them and decides no more rows wrongly."""
    if not rule.items:
        return rule, study
    other, seen = finish(replace(rule, cut=None), study, task.goal, kind, NOISY_CARE)
    other = other.with_map(replace(seen.to_learn, goal=task.level.goal))
    settled, labels = _settle(other, cut, seen.task, bounds), study.task.labels
    right = study.task.weight @ (rule.decide(study.task.truths) == labels)
    is_as_good = settled is not None and study.task.weight @ (settled.decide(seen.task.truths) == labels) >= right
    return (settled, seen) if settled is not None and is_as_good else (rule, study)
