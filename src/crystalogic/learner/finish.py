"""Finishing the rule that was chosen: cuts move to where they fit best, and what others make up for is dropped.

Sizes and shapes are chosen with a few cuts of each number. The one rule that remains is worth a closer look: between a
cut and its neighbours every gap between two numbers of the table can be a better place. And points are made as small as
they can be, for they are added up by hand.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.features import Features
from crystalogic.learner.maps import fit_maps
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.study import Study
from crystalogic.learner.task import Task
from crystalogic.learner.whole import round_points

Array = NDArray[Any]
Finer = Callable[[Sequence[str]], tuple[Features, tuple[str, ...]]]  # facts near these, and which one each is near to
Nearby = dict[int, list[int]]  # facts that can stand for one
MOST_ROUNDS = 4


@dataclass(frozen=True)
class Care:
    """What log likelihood a shifted cut has to gain; what may be lost for each literal dropped, and for small points.

    Soft targets are smooth, so that little there is a difference; labels differ by chance.
    """

    shift: float
    drop: float
    plain: float


NOISY_CARE, CLEAN_CARE = Care(1.0, 0.0, 0.5), Care(1.0, 1.0, 1.0)


def finish(
    rule: Rule, study: Study, goal: Array, most_points: int, finer: Finer | None, care: Care
) -> tuple[Rule, Study]:
    """The rule finished, and the study with the finer facts that it may have; the goal is that of the rows learned."""
    if not rule.items:
        return rule, study
    used = _used(rule)
    own, rule = study.narrow(used), _move(rule, used, range(len(used)))
    task = _learned(own, goal)
    for _ in range(MOST_ROUNDS):
        before, nearby = rule.items, Nearby()
        if finer is not None:
            own, nearby = _add_finer(rule, own, finer)
            task = _learned(own, goal)
        rule = _drop(_shift(rule, task, nearby, care), task, nearby, most_points, care)
        if rule.items == before:
            break
    rule = _make_plain(rule, task, most_points, care).with_map(task)
    study, places = study.adopt_facts(own, _used(rule))
    return _move(rule, _used(rule), places), study


def _learned(study: Study, goal: Array) -> Task:
    """The rows that are learned from; facts are looked at one by one, so each has its truths side by side."""
    task = study.task.take(study.learned)
    return replace(task, goal=goal, truths=np.asfortranarray(task.truths))


def _move(rule: Rule, places: Sequence[int], others: Sequence[int]) -> Rule:
    """The rule whose facts are at other places."""
    moved = dict(zip(places, others, strict=True))
    return replace(
        rule,
        items=tuple(
            replace(item, facts=tuple(sorted(moved[each] if each >= 0 else ~moved[~each] for each in item.facts)))
            for item in rule.items
        ),
    )


def _add_finer(rule: Rule, study: Study, finer: Finer) -> tuple[Study, Nearby]:
    """The study with facts near those of the rule, and which they are."""
    used = [fact for fact in _used(rule) if fact not in study.task.required]
    features, near = finer([study.names[fact] for fact in used])
    known = {name: place for place, name in enumerate(study.names)}
    fresh = [place for place, name in enumerate(features.names) if name not in known]
    if fresh:
        places = np.array([known[near[place]] for place in fresh])
        study = study.add_facts(features.only([features.names[place] for place in fresh]), places)
        known = {name: place for place, name in enumerate(study.names)}
    nearby: Nearby = {fact: [] for fact in used}
    for name, of in zip(features.names, near, strict=True):
        nearby[known[of]].append(known[name])
    return study, nearby


def _used(rule: Rule) -> list[int]:
    return sorted({place for item in rule.items for place in item.places})


def _shift(rule: Rule, task: Task, nearby: Nearby, care: Care) -> Rule:
    """The rule after each of its facts was offered those nearby, once."""
    for fact in _used(rule):
        options = [rule, *(_exchange(rule, fact, other) for other in nearby.get(fact, ()))]
        losses = _losses(options, task)
        best = int(losses.argmin())
        if losses[best] < losses[0] - care.shift:
            rule = options[best]
    return rule


def _drop(rule: Rule, task: Task, nearby: Nearby, most_points: int, care: Care) -> Rule:
    """The rule without the items that others, perhaps with cuts shifted, make up for."""
    loss = _losses([rule], task)[0]
    for item in sorted(rule.items, key=lambda each: -each.size):
        if len(rule.items) == 1 or (item.is_fact and item.facts[0] in task.required):
            continue
        options = list(_offer(_without(rule, item), nearby))
        best = _weigh(options[int(_losses(options, task).argmin())], task, most_points)
        left = _losses([best], task)[0]
        if left < loss + care.drop * item.size:
            rule, loss = best, left
    return rule


def _offer(rule: Rule, nearby: Nearby) -> Iterator[Rule]:
    """The rule, and all rules with one of its facts shifted."""
    yield rule
    for fact in _used(rule):
        for other in nearby.get(fact, ()):
            yield _exchange(rule, fact, other)


def _without(rule: Rule, item: Item) -> Rule:
    kept = [place for place, each in enumerate(rule.items) if each != item]
    return replace(
        rule, items=tuple(rule.items[place] for place in kept), points=tuple(rule.points[place] for place in kept)
    )


def _exchange(rule: Rule, fact: int, other: int) -> Rule:
    """The rule with another fact in place of one, wherever it stands."""
    swap = {fact: other, ~fact: ~other}
    items = tuple(replace(item, facts=tuple(swap.get(each, each) for each in item.facts)) for item in rule.items)
    return replace(rule, items=items)


def _make_plain(rule: Rule, task: Task, most_points: int, care: Care) -> Rule:
    """The rule with the smallest points that are as good."""
    loss = _losses([rule], task)[0]
    for most in range(1, most_points):
        plain = _weigh(rule, task, most)
        if _losses([plain], task)[0] < loss + care.plain:
            return plain
    return rule


def _weigh(rule: Rule, task: Task, most_points: int) -> Rule:
    """The same items with other points, at most so many."""
    holds = np.column_stack([item.hold(task.truths) for item in rule.items])
    return round_points(rule.items, holds, np.array(rule.points, np.float64), task, most_points)


def _losses(rules: Sequence[Rule], task: Task) -> Array:
    """What each of the rules costs with its best map, by which more points mean yes."""
    maps = fit_maps(_scores(rules, task), task.goal, task.weight)
    return np.where(maps.slope > 0, maps.loss, np.inf)


def _scores(rules: Sequence[Rule], task: Task) -> Array:
    """The score of every row by each rule (rules × rows); of those after the first only what differs is added up."""
    first = Counter(zip(rules[0].items, rules[0].points, strict=True))
    total = rules[0].score(task.truths)
    hold = cache(lambda item: item.hold(task.truths))
    found = np.empty((len(rules), task.n_rows), np.int64)
    for place, rule in enumerate(rules):
        own = Counter(zip(rule.items, rule.points, strict=True))
        score = total.copy()
        for more, sign in ((own - first, 1), (first - own, -1)):
            for (item, points), n_times in more.items():
                score += sign * n_times * points * hold(item)
        found[place] = np.rint(score)
    return found
