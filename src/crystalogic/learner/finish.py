"""Finishing the rule that was chosen: cuts move to where they fit best, and what others make up for is dropped.

Sizes and shapes are chosen with a few cuts of each number. The one rule that remains is worth a closer look: between a
cut and its neighbours every gap between two numbers of the table can be a better place. And points are made as small as
they can be, for they are added up by hand. Before that, facts are exchanged for better ones, judged by the loss of the
rule's own map.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from crystalogic.arrays import Array, np
from crystalogic.learner.grow import Moments, climb, reduce_points, round_points
from crystalogic.learner.rule import Item, Rule, fit_maps, fit_moves
from crystalogic.learner.settings import WORTH, Kind, Shape
from crystalogic.learner.study import Finer, Study
from crystalogic.learner.task import Task, coarsen, logistic

Nearby = dict[int, "_Others"]  # facts that can stand for one
MOST_ROUNDS = MOST_SWEEPS = 4
N_TRIED = 16  # facts whose loss is computed, of all those whose slope is known


@dataclass(frozen=True)
class Care:
    """What log likelihood a shifted cut has to gain; what may be lost for each literal dropped, and for small points.

    Soft targets are smooth, so that little there is a difference; labels differ by chance.
    """

    shift: float
    drop: float
    plain: float


NOISY_CARE, CLEAN_CARE = Care(1.0, 0.0, 0.5), Care(1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class _Others:
    """Facts that can stand for one, and the rows of which each says something else: which fact, which row, and what."""

    facts: list[int]
    option: Array
    rows: Array
    change: Array

    @staticmethod
    def of(fact: int, facts: list[int], truths: Array) -> "_Others":
        """These facts beside one."""
        option, rows = np.nonzero(truths[:, facts].T != truths[:, fact])
        return _Others(facts, option, rows, 1 - 2 * truths[rows, fact])

    def move(self, rule: Rule, fact: int, truths: Array) -> Array:
        """By how much each change moves the score of a rule that has the fact."""
        moved = np.zeros(len(self.rows), np.int64)
        for item, points in zip(rule.items, rule.points, strict=True):
            if item.is_ladder:
                continue
            way = item.facts.count(fact) - item.facts.count(~fact)
            if way:
                count = item.count(truths)[self.rows]
                is_held, was_held = (each > item.least - 0.5 for each in (count + way * self.change, count))
                moved += points * (is_held.astype(np.int64) - was_held)
        return moved


def finish(rule: Rule, study: Study, goal: Array, kind: Kind, care: Care) -> tuple[Rule, Study]:
    """The rule finished, and the study with the finer facts that it may have; the goal is that of the rows learned."""
    return shift_cuts(exchange(rule, replace(study.to_learn, goal=goal), kind), study, goal, kind.most_points, care)


def exchange(rule: Rule, task: Task, kind: Kind) -> Rule:
    """The rule after every fact and ladder was offered the best others in its place, until none is better.

    A formula, whose neurons were found together, stays as it is.
    """
    if not rule.items or kind.shape is Shape.FORMULA:
        return rule
    items, points = list(rule.items), np.array(rule.points, np.int64)
    counts = np.array([item.times(task.truths) for item in items])
    least = float(fit_maps((points @ counts)[None], task.goal, task.weight).loss[0])
    for _ in range(MOST_SWEEPS):
        before = least
        for place, item in enumerate(items):
            if not item.is_one_way or item.facts[0] in task.required:
                continue
            rest = points @ counts - points[place] * counts[place]
            taken = [other for index, other in enumerate(items) if index != place]
            found = _best_item(rest, task, taken, kind.most_points)
            if found is not None and found[0] < least - 1e-6:
                least, items[place], points[place], counts[place] = found
        if least == before:
            break
    return reduce_points(tuple(items), points, fit_maps((points @ counts)[None], task.goal, task.weight))


def cut_ladders(rule: Rule, task: Task) -> Rule:
    """The rule with one fact of each ladder in its place, the one with the least loss: where labels are certain, what
    looks like steps may be one cut that is not at its place yet."""
    for place, item in enumerate(rule.items):
        others = [replace(item, facts=(fact,), is_ladder=False) for fact in item.facts]
        others = [each for each in others if item.is_ladder and each not in rule.items]
        if others:
            rules = [replace(rule, items=(*rule.items[:place], each, *rule.items[place + 1 :])) for each in others]
            losses = fit_maps(np.array([each.score(task.truths) for each in rules]), task.goal, task.weight).loss
            rule = rules[int(coarsen(losses).argmin())]
    return rule


def _best_item(rest: Array, task: Task, taken: list[Item], most_points: int) -> tuple[float, Item, int, Array] | None:
    """What lowers the loss of a score most: the loss, a fact or a ladder, its points, and how often a row has them."""
    maps = fit_maps(rest[None], task.goal, task.weight)
    p = logistic(max(maps.slope[0], 0) * rest + maps.intercept[0])
    bend = task.weight * p * (1 - p)
    gradient, own = task.sum_facts(np.column_stack([task.weight * (task.goal - p), bend]))
    moments = Moments(gradient, own, own[None], bend.sum()[None, None])
    gains, signs, barred = moments.gains(), task.signs, task.bars(taken)
    if task.ladders:
        climbed = climb(moments, task.rungs)
        gains, gradient = np.append(gains, climbed.gains()), np.append(gradient, climbed.gradient)
        signs, barred = (np.append(each, each[task.rungs[:, 0]]) for each in (signs, barred))
    gains[(signs * gradient < 0) | barred] = 0
    said = {(each.places, each.is_ladder) for each in taken}  # the negation of one says nothing new either
    tried = [
        (item, 1 if gradient[place] >= 0 else -1)
        for place in np.argsort(-coarsen(gains), kind="stable")[: N_TRIED + len(taken)]
        if gains[place] > 0 and ((item := _item(int(place), task)).places, item.is_ladder) not in said
    ][:N_TRIED]
    if not tried:
        return None
    counts = [item.times(task.truths) for item, _ in tried]
    options = [(place, sign * points) for place, (_, sign) in enumerate(tried) for points in range(1, most_points + 1)]
    held = [np.flatnonzero(each) for each in counts]
    which = np.repeat(np.arange(1, len(options) + 1), [len(held[place]) for place, _ in options])
    by = np.concatenate([points * counts[place][held[place]] for place, points in options])
    found = fit_moves(rest, which, np.concatenate([held[place] for place, _ in options]), by, task.goal, task.weight)
    losses = np.where(found.slope > 0, found.loss, np.inf)[1:]  # more points mean yes
    best = int(coarsen(losses).argmin())
    place, points = options[best]
    return float(losses[best]), tried[place][0], points, counts[place]


def _item(place: int, task: Task) -> Item:
    """One of the facts, or, from their number on, of the ladders."""
    return Item((place,)) if place < task.n_facts else Item(task.ladders[place - task.n_facts], is_ladder=True)


def shift_cuts(rule: Rule, study: Study, goal: Array, most_points: int, care: Care) -> tuple[Rule, Study]:
    """The same for a rule whose facts were exchanged."""
    if not rule.items:
        return rule, study
    own, rule = study.narrow(rule.places), _move(rule, range(len(rule.places)))
    task = _learned(own, goal)
    for _ in range(MOST_ROUNDS):
        before, nearby = rule.items, Nearby()
        if own.finer is not None:
            own, names = _add_finer(rule, own, own.finer)
            task = _learned(own, goal)
            nearby = {fact: _Others.of(fact, others, task.truths) for fact, others in names.items() if others}
        rule = _drop(_shift(rule, task, nearby, care), task, nearby, most_points, care)
        if rule.items == before:
            break
    rule = _make_plain(rule, task, most_points, care).with_map(task)
    study, places = study.adopt_facts(own, rule.places)
    return _move(rule, places), study


def _move(rule: Rule, places: Iterable[int]) -> Rule:
    """The rule whose facts are at other places."""
    return _exchange(rule, dict(zip(rule.places, places, strict=True)), on_ladders=True)


def _learned(study: Study, goal: Array) -> Task:
    """The rows that are learned from; facts are looked at one by one, so each has its truths side by side."""
    task = study.to_learn
    return replace(task, goal=goal, truths=np.asfortranarray(task.truths))


def _exchange(rule: Rule, others: Mapping[int, int], *, on_ladders: bool = False) -> Rule:
    """The rule with other facts in place of some, wherever they stand but on a ladder, whose steps are even."""
    swap = {**others, **{~fact: ~other for fact, other in others.items()}}
    items = list(rule.items)
    for place, item in enumerate(rule.items):
        if on_ladders or not item.is_ladder:
            facts = [swap.get(each, each) for each in item.facts]
            items[place] = replace(item, facts=tuple(facts if item.is_ladder else sorted(facts)))
    return replace(rule, items=tuple(items))


def _add_finer(rule: Rule, study: Study, finer: Finer) -> tuple[Study, dict[int, list[int]]]:
    """The study with facts near those of the rule, and which they are."""
    standing = {place for item in rule.items if not item.is_ladder for place in item.places}
    used = [fact for fact in rule.places if fact in standing and fact not in study.task.required]
    features, near = finer([study.names[fact] for fact in used])
    known = {name: place for place, name in enumerate(study.names)}
    fresh = [place for place, name in enumerate(features.names) if name not in known]
    if fresh:
        places = np.array([known[near[place]] for place in fresh])
        study = study.add_facts(features.only([features.names[place] for place in fresh]), places)
        known = {name: place for place, name in enumerate(study.names)}
    nearby: dict[int, list[int]] = {fact: [] for fact in used}
    for name, of in zip(features.names, near, strict=True):
        nearby[known[of]].append(known[name])
    return study, nearby


def _shift(rule: Rule, task: Task, nearby: Nearby, care: Care) -> Rule:
    """The rule after each of its facts was offered those nearby, once."""
    for fact in rule.places:
        if fact in nearby:
            best, gain = _best_shift(rule, task, {fact: nearby[fact]})
            rule = best if gain > care.shift else rule
    return rule


def _drop(rule: Rule, task: Task, nearby: Nearby, most_points: int, care: Care) -> Rule:
    """The rule without the items that others, perhaps with cuts shifted, make up for, or that are not worth reading."""
    loss = _loss(rule, task)
    for item in sorted(rule.items, key=lambda each: -each.size):
        if len(rule.items) == 1 or (item.is_fact and item.facts[0] in task.required):
            continue
        best = _weigh(_best_shift(_without(rule, item), task, nearby)[0], task, most_points)
        left = _loss(best, task)
        worth = care.drop if best.is_idle else max(care.drop, WORTH * float(task.weight.sum()))
        if left < loss + worth * item.size and task.allows(best.items):
            rule, loss = best, left
    return rule


def _best_shift(rule: Rule, task: Task, nearby: Nearby) -> tuple[Rule, float]:
    """The rule with one of its facts shifted, or none, whatever has the least loss, and by how much that is less."""
    known = [(fact, nearby[fact]) for fact in rule.places if fact in nearby]
    if not known:
        return rule, 0.0
    first = np.cumsum([1, *(len(others.facts) for _, others in known)])
    which = np.concatenate([others.option + start for (_, others), start in zip(known, first[:-1], strict=True)])
    rows = np.concatenate([others.rows for _, others in known])
    by = np.concatenate([others.move(rule, fact, task.truths) for fact, others in known])
    maps = fit_moves(rule.score(task.truths), which, rows, by, task.goal, task.weight)
    losses = np.where(maps.slope > 0, maps.loss, np.inf)
    best = int(coarsen(losses).argmin())
    options = [(fact, other) for fact, others in known for other in others.facts]
    return _exchange(rule, dict(options[best - 1 : best])) if best else rule, float(losses[0]) - float(losses[best])


def _without(rule: Rule, item: Item) -> Rule:
    place = rule.items.index(item) if item in rule.items else len(rule.items)  # of two that are the same, one stays
    items, points = ((*each[:place], *each[place + 1 :]) for each in (rule.items, rule.points))
    return replace(rule, items=items, points=points)


def _make_plain(rule: Rule, task: Task, most_points: int, care: Care) -> Rule:
    """The rule with the smallest points that are as good."""
    loss = _loss(rule, task)
    for most in range(1, most_points):
        plain = _weigh(rule, task, most)
        if _loss(plain, task) < loss + care.plain:
            return plain
    return rule


def _weigh(rule: Rule, task: Task, most_points: int) -> Rule:
    """The same items with other points, at most so many."""
    counts = np.column_stack([item.times(task.truths) for item in rule.items])
    return round_points(rule.items, counts, np.array(rule.points, np.float64), task, most_points)


def _loss(rule: Rule, task: Task) -> float:
    """What a rule costs with its best map, by which more points mean yes."""
    maps = fit_maps(rule.score(task.truths)[None], task.goal, task.weight)
    return float(maps.loss[0]) if maps.slope[0] > 0 else np.inf
