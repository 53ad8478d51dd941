"""Honest probabilities: the log odds of a rule are stretched by what its kind told of rows that were held out.

A rule is learned from soft targets and fits the rows that it was chosen on, so what it tells of its own rows is not
what happens: too cautious where the targets were soft, too sure where it is long. The labels of rows that were held out
in turn are regressed on the log odds that rules of the same kind told of them. Few rows say little, so the factor is
held back towards 1, and no label is quite certain: where all of 10 rows were ill, the next one is with 11 in 12 (Platt,
Probabilistic outputs for support vector machines, 1999). It changes no decision.

The same rows tell how sure that is: each counts for the score whose log odds are nearest to what it was told.
"""

from dataclasses import dataclass, replace

from crystalogic.arrays import Array, np
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
