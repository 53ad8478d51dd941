"""The choice among rules that keep limits on what they do.

A rule is learned by its loss. A gap between groups enters every move as a tilt: what is to be learned of a row is lowered
for groups that are told yes too often, and raised for the others, so that facts which tell the groups apart are worth
less. That is the price of a Lagrangian, as in the reductions of Agarwal and others (A reductions approach to fair
classification, 2018), along one path of a few steps. Risks know of no tilt: maps are fitted to what is true of the rows.

Every size, shape and tilt is judged with every threshold on rows held out. What is chosen keeps the limits there, and
with its own threshold on all rows; so does every other rule of the front.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from crystalogic.arrays import Array, np
from crystalogic.candidates import Front, Reached
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.learner import choose as kinds
from crystalogic.learner.choose import Judged, Kind, Sort
from crystalogic.learner.finish import NOISY_CARE, finish
from crystalogic.learner.limits import Bounds, measure_gap
from crystalogic.learner.rule import Rule
from crystalogic.learner.settings import Shape
from crystalogic.learner.study import Study
from crystalogic.learner.task import Task
from crystalogic.learner.whole import exchange_facts

TILTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)  # of goals, one after the other
MOST_SHIFT = 3.0  # times a tilt: what a row of a small group is moved by at most
SMALL = 0.5  # of the gap that is allowed: where that is reached, no further tilt is tried
N_CUTS = 60  # thresholds that are looked at
NEAR = 5  # thresholds of a rule that are tried, from the one on that was judged
BY_LIMITS = "of the rules that keep the limits it is best on held-out rows, and nothing plainer is as good"


@dataclass(frozen=True, eq=False)
class _Held:
    """Rows with their limits; where the class that is meant is the commoner one, rules say the opposite of it."""

    task: Task
    bounds: Bounds

    @property
    def is_turned(self) -> bool:
        """Whether a rule that says yes speaks for the other class."""
        return bool(self.bounds.is_class[0] != self.task.labels[0])

    def keep(self, decided: Array) -> Array:
        """Which columns of what rules say (rows × columns) keep the limits."""
        return self.bounds.keep(decided != self.is_turned)

    def count(self, decided: Array) -> tuple[tuple[int, ...], ...]:
        """The rows of each group by what a rule says."""
        return self.bounds.count(decided != self.is_turned)

    def rates(self, judged: Judged) -> Array:
        """The rate of each group, as rules say."""
        decided = (judged.hits == self.task.labels) != self.is_turned
        return self.bounds.rates(decided[:, None])[:, 0]


def study_within(study: Study, bounds: Bounds) -> tuple[Front, ...]:
    """The front of rules that keep the bounds, which are of the rows of the study."""
    everyone = _Held(study.task, bounds)
    held = _Held(study.judged, bounds.take(np.flatnonzero(study.fold >= 0)))
    tilted = _judge_tilts(study, everyone, held)
    limited = {
        kind: found
        for kind, each in (tilted.judged or kinds.judge(tilted.rules, held.task)).items()
        if (found := _limit(each, held)) is not None
    }
    best = _keep_best(limited, tilted.rules, everyone) if limited else {}
    if not best:
        refuse(TrainingDataError, "no rule keeps these limits, not even one that decides all rows alike. Widen them.")
    order = {kind: limited[kind][1] for kind, _ in best.values()}
    chosen = kinds.choose(order, held.task.weight, is_frugal=study.settings.is_frugal)
    study.clock.tick("all rows")
    rule = next(rule for kind, rule in best.values() if kind == chosen)
    task = tilted.tasks[chosen.tilt]
    picked, seen = _finish(rule, limited[chosen][0], chosen, study, task, everyone)
    counted = order if tilted.judged else {}
    fronts = kinds.make_fronts(seen, task, best, (chosen, picked), counted, kinds.estimate_luck(counted, held.task.weight))
    said = order[chosen].hits == held.task.labels
    reached = Reached(held.count(said) if counted else (), everyone.count(picked.decide(seen.task.truths)))
    return tuple(replace(front, reason=BY_LIMITS, reached=reached) for front in fronts)


@dataclass(frozen=True, eq=False)
class _Tilted:
    """Rules of all kinds, how they did on rows held out, nothing where time ran out, and the task of each tilt."""

    rules: dict[Kind, Rule]
    judged: dict[Kind, Judged]
    tasks: list[Task]


def _judge_tilts(study: Study, everyone: _Held, held: _Held) -> _Tilted:
    """Rules for one tilt after the other, until the gap is small."""
    _, soft, taught = study.teach()
    asked, at_most = study.settings.shapes, held.bounds.limits.at_most
    shapes = asked if len(asked) == 1 else tuple(shape for shape in asked if shape is not Shape.FORMULA)
    found, shift = _Tilted({}, {}, []), np.zeros(study.task.n_rows)
    strengths = TILTS if at_most is not None else TILTS[:1]
    study.clock.total = len(strengths) * study.n_folds + 1
    for place, strength in enumerate(strengths):

        def grow(task: Task, place: int = place) -> dict[Kind, Rule]:
            grown = kinds.rules_of(task, shapes, study.settings)
            return {replace(kind, tilt=place): rule.with_map(task.level) for kind, rule in grown.items()}

        found.tasks.append(_tilt(soft, shift[study.learned]))
        rules = grow(found.tasks[-1])
        judged = kinds.judge_in_turn(study, lambda rows, by=shift: _tilt(taught(rows), by[rows]), grow)
        found.rules.update(rules)
        found.judged.update(judged)
        if not judged or at_most is None:
            break
        best = min(judged.values(), key=lambda each: float(held.task.weight @ each.losses))
        rates = held.rates(best)
        if measure_gap(rates) <= SMALL * at_most or place + 1 == len(strengths):
            break
        shift = shift + (strengths[place + 1] - strength) * _direct(rates, everyone)
    return found


def _tilt(task: Task, by: Array) -> Task:
    return replace(task, goal=task.goal + by, tilt=by)


def _direct(rates: Array, everyone: _Held) -> Array:
    """Which way, and how far, the goal of each row is moved for the rates of groups to come closer.

    Each group moves by how far its rate is from the middle, as one: a row of a small group counts for more.
    """
    bounds, own = everyone.bounds, everyone.bounds.is_rated
    off = np.nan_to_num(rates - (np.nanmax(rates) + np.nanmin(rates)) / 2)
    sizes = np.bincount(bounds.groups[own], minlength=len(rates))
    share = np.maximum(sizes, 1) / own.sum() * bounds.are_judged.sum()
    moves = -off / np.abs(off).max() * np.minimum(1 / share, MOST_SHIFT)
    turn = -1 if (bounds.limits.gap == "misses") != everyone.is_turned else 1
    return np.where(own, turn * moves[bounds.groups], 0.0)


def _limit(judged: Judged, held: _Held) -> tuple[float, Judged] | None:
    """The log odds from which on yes is said, and what is judged then: of those that keep the limits the best.

    What tells all rows alike may say yes or no; other rules may not tell all rows alike.
    """
    task, odds = held.task, judged.odds
    known = np.unique(odds)
    cuts = np.unique(np.append(known[np.linspace(0, len(known) - 1, N_CUTS).astype(int)], 0.0))
    cuts = np.array([-np.inf, np.inf]) if judged.size == 0 else cuts[(cuts > known[0]) & (cuts <= known[-1])]
    said = odds[:, None] >= cuts
    kept = np.flatnonzero(held.keep(said))
    if not len(kept):
        return None
    hits = said == task.labels[:, None]
    right = task.weight @ hits
    best = min(kept, key=lambda place: (-right[place], abs(cuts[place])))
    losses = judged.losses + ~hits[:, best]  # few decisions differ, and what is likely tells rules apart that decide alike
    return float(cuts[best]), replace(judged, hits=hits[:, best], losses=losses, idle=0.0)


def _keep_best(
    limited: Mapping[Kind, tuple[float, Judged]], rules: Mapping[Kind, Rule], everyone: _Held
) -> dict[int, Sort]:
    """Of each size the rule that is best on rows held out, of those that keep the limits on all rows."""
    best: dict[int, Sort] = {}
    for kind, (cut, _) in sorted(limited.items(), key=lambda each: (float(each[1][1].losses.mean()), each[0])):
        if rules[kind].size not in best and (found := _settle(rules[kind], cut, everyone)) is not None:
            best[found.size] = kind, found
    return best


def _settle(rule: Rule, cut: float, everyone: _Held) -> Rule | None:
    """The rule with the threshold next to these log odds that keeps the limits on all rows; None if none near does."""
    if not rule.items:
        found = replace(rule, cut=0 if cut < 0 else 1)
        return found if everyone.keep(found.decide(everyone.task.truths)[:, None])[0] else None
    if rule.slope <= 0:
        return None
    levels, scores = rule.told
    near = scores[1:][np.argsort(np.abs(levels[1:] - cut), kind="stable")[:NEAR]]
    kept = everyone.keep(rule.score(everyone.task.truths)[:, None] >= near)
    return replace(rule, cut=int(near[kept.argmax()])) if kept.any() else None


def _finish(
    rule: Rule, cut: float, kind: Kind, study: Study, task: Task, everyone: _Held
) -> tuple[Rule, Study]:
    """The rule with better facts and cuts, if it keeps the limits with them and decides no more rows wrongly."""
    if not rule.items:
        return rule, study
    plain = replace(rule, cut=None)
    changed = plain if kind.shape is Shape.FORMULA else exchange_facts(plain, task, kind.most_points)
    other, seen = finish(changed, study, task.goal, kind.most_points, NOISY_CARE)
    known = _Held(seen.task, everyone.bounds)
    other = other.with_map(replace(seen.task.take(study.learned), goal=task.level.goal))
    settled = _settle(other, cut, known)
    if settled is None or _count_wrong(settled, seen.task) > _count_wrong(rule, study.task):
        return rule, study
    return settled, seen


def _count_wrong(rule: Rule, task: Task) -> float:
    return float(task.weight @ (rule.decide(task.truths) != task.labels))
