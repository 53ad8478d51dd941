"""Growing a rule fact by fact: each step takes the one that promises most, and weighs all anew.

What a further fact would gain is known from the slope of the loss alone, for all facts in a few matrix products (a
score test). Weights have a normal prior of variance 5; they become whole points afterwards.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.learner.rule import Item
from crystalogic.learner.task import Task, log_loss, logistic

Array = NDArray[Any]
FREE = 1e-6  # the prior on the intercept, which is as good as none
PRIOR = 0.2  # one over the variance of the weights, on the scale of log odds
STEPS = 8
GROUP_PRICE = 3.0  # of each further fact of a group, on the scale of a likelihood ratio


@dataclass(frozen=True)
class Grown:
    """Items with real weights; the first weight and the first column of `holds` are the intercept's."""

    items: tuple[Item, ...]
    weights: Array
    holds: Array

    @property
    def size(self) -> int:
        """How many literals it has."""
        return sum(item.size for item in self.items)

    @staticmethod
    def empty(task: Task) -> "Grown":
        """No items: every row has the log odds of the mean."""
        share = min(max(task.base_rate, 1e-6), 1 - 1e-6)
        return Grown((), np.array([np.log(share / (1 - share))]), np.ones((task.n_rows, 1)))

    def add(self, item: Item, task: Task) -> "Grown":
        """One item more, and all weighed anew; those that would then go against their sign are left out."""
        holds = np.column_stack([self.holds, item.hold(task.truths)])
        return Grown((*self.items, item), weigh(holds, task, np.append(self.weights, 0.0)), holds)._keep_signs(task)

    def without(self, places: Collection[int], task: Task) -> "Grown":
        """The rule without some of its items, weighed anew."""
        kept = [place for place in range(len(self.items)) if place not in places]
        columns = [0, *(place + 1 for place in kept)]
        holds = self.holds[:, columns]
        items = tuple(self.items[place] for place in kept)
        return Grown(items, weigh(holds, task, self.weights[columns]), holds)._keep_signs(task)

    def _keep_signs(self, task: Task) -> "Grown":
        wrong = [place for place, item in enumerate(self.items) if self._goes_wrong(place, item, task)]
        return self.without(wrong, task) if wrong else self

    def _goes_wrong(self, place: int, item: Item, task: Task) -> bool:
        fact = item.facts[0]
        if item.size > 1 or fact < 0 or fact in task.required:
            return False
        return bool(task.signs[fact] * self.weights[place + 1] < 0)


def weigh(holds: Array, task: Task, weights: Array) -> Array:
    """The weights of least loss, from given ones on, by Newton's method; a step that goes too far is halved."""
    prior = np.full(len(weights), PRIOR)
    prior[0] = FREE

    def cost(weights: Array, odds: Array) -> float:
        return float(task.weight @ log_loss(odds, task.goal) + prior @ weights**2 / 2)

    odds = holds @ weights
    least = cost(weights, odds)
    for _ in range(STEPS):
        p = logistic(odds)
        bend = task.weight * np.maximum(p * (1 - p), 1e-4)
        slope = holds.T @ (task.weight * (task.goal - p)) - prior * weights
        step = np.linalg.solve((holds * bend[:, None]).T @ holds + np.diag(prior), slope)
        along = holds @ step
        share = 1.0
        while (found := cost(weights + share * step, odds + share * along)) > least and share > 0.01:
            share /= 2
        if found >= least:
            break
        weights, odds, least = weights + share * step, odds + share * along, found
        if np.abs(step).max() < 1e-3:
            break
    return weights


@dataclass(frozen=True)
class Slopes:
    """How the loss would change at a grown rule: for each row its residual and how bent the loss is."""

    residual: Array
    bend: Array


def slopes_of(grown: Grown, task: Task) -> Slopes:
    """The residual and the bend of each row."""
    p = logistic(grown.holds @ grown.weights)
    return Slopes(task.weight * (task.goal - p), task.weight * np.maximum(p * (1 - p), 1e-4))


@dataclass(frozen=True)
class Moments:
    """What the loss knows of facts beside a grown rule: its slope, its bend, and the bend they share with the items."""

    gradient: Array
    own: Array
    shared: Array
    joint: Array

    def gains(self) -> Array:
        """For each fact about twice what it would lower the loss by."""
        left = np.maximum(self.own - (self.shared * np.linalg.solve(self.joint, self.shared)).sum(axis=0), 0)
        return np.asarray(self.gradient**2 / (left + PRIOR))

    def add_up(self, order: Array) -> "Moments":
        """The same of the first fact in this order, the first two together, and so on; they exclude each other."""
        gradient, own, shared = (
            np.cumsum(each[..., order], axis=-1) for each in (self.gradient, self.own, self.shared)
        )
        return Moments(gradient, own, shared, self.joint)


def moments_of(grown: Grown, task: Task) -> Moments:
    """The moments of all facts."""
    slopes = slopes_of(grown, task)
    truths, kind = task.truths, task.truths.dtype
    weighed = (grown.holds * slopes.bend[:, None]).astype(kind)
    prior = np.diag([FREE, *[PRIOR] * len(grown.items)])
    return Moments(
        (slopes.residual.astype(kind) @ truths).astype(np.float64),
        (slopes.bend.astype(kind) @ truths).astype(np.float64),
        (weighed.T @ truths).astype(np.float64),
        (grown.holds * slopes.bend[:, None]).T @ grown.holds + prior,
    )


def gains_of_facts(grown: Grown, task: Task) -> Array:
    """For each fact about twice what it would lower the loss by; none for what goes against its sign."""
    return _gains(moments_of(grown, task), task)


def _gains(moments: Moments, task: Task) -> Array:
    gains = moments.gains()
    gains[task.signs * moments.gradient < 0] = 0
    return gains


def _best_group(moments: Moments, task: Task, most: int) -> tuple[float, Item | None]:
    """Of all groups the facts that gain most together, less the price of each beyond the first, and that gain."""
    best: tuple[float, Item | None] = 0.0, None
    for group in task.groups:
        facts = np.array(group)
        rates = moments.gradient[facts] / (moments.own[facts] + PRIOR)
        order = facts[np.argsort(-rates, kind="stable")]
        for ranked in (order, order[::-1]):
            ranked = ranked[: min(most, len(ranked) // 2)]  # the others are told by their opposite
            gains = moments.add_up(ranked).gains() - GROUP_PRICE * np.arange(len(ranked))
            place = int(gains.argmax())
            if place and gains[place] > best[0]:
                best = float(gains[place]), Item(tuple(sorted(ranked[: place + 1].tolist())))
    return best


def grow_facts(task: Task, most: int) -> list[Grown]:
    """The rules of single facts, from none to so many; fewer where no further fact gains anything."""
    grown = Grown.empty(task)
    path = [grown]
    for fact in task.required:
        grown = grown.add(Item((fact,)), task)
    if task.required:
        path = [grown]
    tried: set[int] = set(task.required)
    while grown.size < most:
        moments = moments_of(grown, task)
        gains = _gains(moments, task)
        gains[list(tried)] = 0
        best = int(gains.argmax())
        item = Item((best,))
        gain, group = _best_group(moments, task, most - grown.size)
        if group is not None and gain > gains[best] and group not in grown.items:
            item = group
        elif gains[best] <= 1e-9:
            break
        else:
            tried.add(best)
        grown = grown.add(item, task)
        if grown.size > path[-1].size:  # not where an item had to leave
            path.append(grown)
    return path
