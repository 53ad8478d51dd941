"""Rules as crystals, with honest probabilities: log odds are stretched by what their kind told of rows held out.

A rule is learned from soft targets and fits the rows that it was chosen on, so what it tells of its own rows is not
what happens: too cautious where the targets were soft, too sure where it is long. The labels of rows that were held out
in turn are regressed on the log odds that rules of the same kind told of them. Few rows say little, so the factor is
held back towards 1, and no label is quite certain: where all of 10 rows were ill, the next one is with 11 in 12 (Platt,
Probabilistic outputs for support vector machines, 1999). It changes no decision.

The same rows tell how sure that is: each counts for the score whose log odds are nearest to what it was told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from crystalogic.arrays import Array, np
from crystalogic.candidates import Odds
from crystalogic.crystal import Crystal, Neuron
from crystalogic.learner.rule import Rule
from crystalogic.learner.task import logistic

PRIOR = 10.0  # one over the variance of the factor
LEAST = 0.1  # more points still mean yes
STEPS = 25
EVEN = 1e-9  # by which weights may differ and be one


@dataclass(frozen=True)
class Honest:
    """A rule with honest log odds, and rows held out: a score, how many were told what it tells, how many were yes."""

    rule: Rule
    seen: tuple[tuple[int, int, int], ...] = ()


def calibrate(rule: Rule, odds: Array, labels: Array, weight: Array) -> Honest:
    """The rule with honest log odds; `odds` are those that rows held out were told, `labels` their classes, 0 or 1.

    Rows that weigh differently are no counts, and none are given then.
    """
    factor = fit_factor(odds, labels, weight)
    honest = replace(rule, slope=factor * rule.slope, intercept=factor * rule.intercept)
    is_counted = bool(rule.items) and len(weight) > 0 and np.ptp(weight) <= EVEN * weight.max()
    return Honest(honest, _count(honest, factor * odds, labels) if is_counted else ())


def _count(rule: Rule, odds: Array, labels: Array) -> tuple[tuple[int, int, int], ...]:
    """The rows by the score that tells most nearly what they were told; of scores that tell the same, the middle."""
    levels, scores = rule.told
    first = np.flatnonzero(np.diff(levels, prepend=-np.inf) > 0)
    last = np.append(first[1:], len(levels)) - 1
    place = np.searchsorted((levels[first][1:] + levels[first][:-1]) / 2, odds)
    n, yes = (np.bincount(place, each, len(first)).astype(int).tolist() for each in (None, labels))
    return tuple(zip(scores[(first + last) // 2].tolist(), n, yes, strict=True))


def fit_factor(odds: Array, labels: Array, weight: Array) -> float:
    """What log odds are to be multiplied by to fit the labels best, by Newton's method."""
    n_yes, n_no = float(weight @ labels), float(weight @ (1 - labels))
    goal = np.where(labels > 0.5, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))
    factor = 1.0
    for _ in range(STEPS):
        p = logistic(factor * odds)
        slope = float((weight * (goal - p)) @ odds) - PRIOR * (factor - 1)
        step = slope / (float((weight * p * (1 - p)) @ odds**2) + PRIOR)
        factor += min(max(step, -1.0), 1.0)
        if abs(step) < 1e-6:
            break
    return max(factor, LEAST)


NameGroup = Callable[[Sequence[str]], str]  # from the names of facts to the literal that says them together


def to_crystal(
    rule: Rule, names: Sequence[str], name_group: NameGroup = " or ".join, *, is_other: bool = False
) -> Crystal:
    """The crystal that says yes where the rule does; with `is_other`, where it does not."""
    grouped = [item for item in rule.items if item.is_group or item.is_ladder]
    groups = {item: len(names) + place for place, item in enumerate(grouped)}
    names = [*names, *(name_group([names[place] for place in item.places]) for item in grouped)]
    if rule.threshold is None:
        return Crystal(names, [Neuron([], [], int(rule.says_yes != is_other))], [len(names)])
    neurons, weights = list[Neuron](), dict[int, int]()
    turn, bias = (-1, rule.threshold) if is_other else (1, 1 - rule.threshold)
    for item, points in zip(rule.items, rule.points, strict=True):
        source, sign = item.facts[0], 1
        if item in groups:
            source = groups[item] if source >= 0 else ~groups[item]
        elif not item.is_fact:
            source, signs = len(names) + len(neurons), [1 if fact >= 0 else -1 for fact in item.facts]
            sources = [max(fact, ~fact) for fact in item.facts]
            neurons.append(Neuron(sources, signs, signs.count(-1) - item.least + 1))  # at least so many of them hold
        if source < 0:  # a fact that is to be false
            source, sign = ~source, -1
            bias += turn * points * item.most
        weights[source] = weights.get(source, 0) + turn * sign * points * item.most
    neurons.append(Neuron(list(weights), list(weights.values()), bias))
    return Crystal(names, neurons, [len(names) + len(neurons) - 1])


def odds_of(honest: Honest, *, is_other: bool = False) -> Odds:
    """The odds of that crystal's formula."""
    rule = honest.rule
    slope, threshold = (0.0, 0) if rule.threshold is None else (rule.slope, rule.threshold)
    least, most = (None if end is None else end - threshold for end in (rule.least, rule.most))
    seen = tuple((score - threshold, n, yes) for score, n, yes in honest.seen)
    odds = Odds(slope, slope * threshold + rule.intercept, least, most, seen)
    return odds.negate() if is_other else odds
