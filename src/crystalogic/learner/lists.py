"""Lists of rules for several classes: the first rule that applies decides, and the last class needs none.

How likely a class is follows from the chain: the first is p₁, the second (1 - p₁) · p₂, and so on, which adds up to 1.
So the log loss of a list is a sum over its rules, each of which tells its own class from those that are left, on the
rows of these alone, and rules can be learned one by one. Decisions are not so: where .4 is the most that any class
has, it is enough. So the thresholds of all rules are settled together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.learner.rule import Rule
from crystalogic.learner.task import Task, logistic

Array = NDArray[Any]
FAINT = 0.02  # a row that is as little likely to be left does not count
SURE = 0.01  # no row is told more certainly whether it is of a class
MOST_SWEEPS = 5
ALWAYS, NEVER = 0, 1  # the thresholds of rules without items, for which every row has 0 points


def narrow(task: Task, order: Sequence[int], place: int) -> Task:
    """The question of one rule: whether a row is of its class, or of one that comes later in the order.

    A row counts as much as it is likely to be of any of them.
    """
    left = task.goal[:, list(order[place:])].sum(axis=1)
    goal = np.clip(task.goal[:, order[place]] / np.maximum(left, 1e-9), SURE, 1 - SURE)
    return replace(task, goal=goal, weight=task.weight * np.where(left > FAINT, left, 0.0))


@dataclass(frozen=True)
class RuleList:
    """Classes, as columns of a goal, in the order in which they are tried, and a rule for each but the last."""

    order: tuple[int, ...]
    rules: tuple[Rule, ...]

    @property
    def size(self) -> int:
        """How many literals all rules have."""
        return sum(rule.size for rule in self.rules)

    def log_odds(self, truths: Array) -> Array:
        """What each rule tells of each row (rows × rules)."""
        return np.column_stack([rule.log_odds(truths) for rule in self.rules])

    def decide(self, truths: Array) -> Array:
        """The class of every row: that of the first rule that applies."""
        applies = np.column_stack([*(rule.decide(truths) for rule in self.rules), np.ones(len(truths), bool)])
        return np.asarray(np.array(self.order)[applies.argmax(axis=1)])


def chances(odds: Array, order: Sequence[int]) -> Array:
    """How likely each class is (rows × classes), where the rules of a list tell these log odds."""
    told = np.empty((len(odds), len(order)))
    left = np.ones(len(odds))
    for place, p in enumerate(logistic(odds).T):
        told[:, order[place]] = left * p
        left = left * (1 - p)
    told[:, order[-1]] = left
    return told


def settle_thresholds(found: RuleList, task: Task) -> RuleList:
    """The list with the thresholds by which the classes decided for are likeliest, all of them together.

    One rule after the other, with the others as they are: what it gains by applying to a row is the goal of its class
    less that of the class which the row would have otherwise. A rule that had better never apply is left empty.
    """
    order, rules = found.order, list(found.rules)
    scores = [np.rint(rule.score(task.truths)).astype(np.int64) for rule in rules]
    applies = [rule.decide(task.truths) for rule in rules]
    goal = task.weight[:, None] * task.goal
    for _ in range(MOST_SWEEPS):
        before = [rule.cut for rule in rules]
        otherwise = goal[:, order[-1]]
        for place in reversed(range(len(rules))):
            comes = ~np.any(applies[:place], axis=0) if place else np.ones(task.n_rows, bool)
            rules[place] = _settle(rules[place], scores[place], np.where(comes, goal[:, order[place]] - otherwise, 0))
            applies[place] = rules[place].decide(task.truths)
            otherwise = np.where(applies[place], goal[:, order[place]], otherwise)
        if [rule.cut for rule in rules] == before:
            break
    for place, rule in enumerate(rules):
        if rule.threshold is None and rule.items:
            left = float(goal[:, list(order[place + 1 :])].sum())
            base = float(np.log(max(float(goal[:, order[place]].sum()), 1e-9) / max(left, 1e-9)))
            rules[place] = Rule((), (), 0.0, base, cut=NEVER)
    return replace(found, rules=tuple(rules))


def _settle(rule: Rule, scores: Array, gains: Array) -> Rule:
    """The rule with the threshold from which on rows gain most; of equal ones that nearest to its own odds of 1."""
    low, high = rule.reach
    total = np.bincount(scores - low, gains, high - low + 1)[::-1].cumsum()[::-1]  # gained from each score on
    if not rule.items:
        return replace(rule, cut=ALWAYS if total[0] > 0 else NEVER)
    cuts = np.arange(low + 1, high + 1)
    even = -rule.intercept / max(rule.slope, 1e-9)
    best = min(cuts.tolist(), key=lambda cut: (-round(float(total[cut - low]), 9), abs(cut - even), cut))
    return replace(rule, cut=best if total[best - low] > 0 else high + 1)
