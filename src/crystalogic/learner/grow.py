"""Growing a rule fact by fact: each step takes the one that promises most, and weighs all anew.

What a further fact would gain is known from the slope of the loss alone, for all facts in a few matrix products (a
score test). Weights have a normal prior of variance 5. They become whole points afterwards: the best rounding, then one
point more or less wherever that lowers the loss.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from crystalogic.arrays import Array, np
from crystalogic.learner.rule import Item, Maps, Rule, fit_maps, fit_moves
from crystalogic.learner.settings import MOST_GROUPED
from crystalogic.learner.task import Task, coarsen, log_loss, logistic

FREE = 1e-6  # the prior on the intercept, which is as good as none
PRIOR = 0.2  # one over the variance of the weights, on the scale of log odds
STEPS = 8
MOST_BITS = 50  # of the code of a row
ROUNDINGS = 24  # scales of weights that are tried
GROUP_PRICE = 3.0  # of each further fact of a group, on the scale of a likelihood ratio


@dataclass(frozen=True, eq=False)
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
    def begin(task: Task) -> "Grown":
        """The items that are required, or none: every row has the log odds of the mean."""
        share = min(max(task.base_rate, 1e-6), 1 - 1e-6)
        grown = Grown((), np.array([np.log(share / (1 - share))]), np.ones((task.n_rows, 1)))
        for fact in task.required:
            grown = grown.add(Item((fact,)), task)
        return grown

    def add(self, item: Item, task: Task) -> "Grown":
        """One item more, and all weighed anew; those that would then go against their sign are left out."""
        holds = np.column_stack([self.holds, item.hold(task.truths)])
        return Grown((*self.items, item), weigh(holds, task, np.append(self.weights, 0.0)), holds)._keep_signs(task)

    def over(self, task: Task) -> "Grown":
        """The same items, weighed on other rows."""
        if len(self.holds) == task.n_rows:
            return self
        holds = np.column_stack([np.ones(task.n_rows), *(item.hold(task.truths) for item in self.items)])
        return Grown(self.items, weigh(holds, task, self.weights), holds)._keep_signs(task)

    def without(self, places: Collection[int], task: Task) -> "Grown":
        """The rule without some of its items, weighed anew."""
        kept = [place for place in range(len(self.items)) if place not in places]
        columns = [0, *(place + 1 for place in kept)]
        holds = self.holds[:, columns]
        items = tuple(self.items[place] for place in kept)
        return Grown(items, weigh(holds, task, self.weights[columns]), holds)._keep_signs(task)

    def loss(self, task: Task) -> float:
        """What all rows of the task cost together."""
        return float(task.weight @ log_loss(self.holds @ self.weights, task.goal))

    @property
    def steps(self) -> tuple[Array, Array]:
        """How often each item has its points (rows × items), and the weight of each time."""
        most = np.array([item.most for item in self.items])
        return self.holds[:, 1:] * most, self.weights[1:] / most

    def _keep_signs(self, task: Task) -> "Grown":
        free = [(place, item) for place, item in enumerate(self.items) if item.is_one_way]
        firsts = [(place, item.facts[0]) for place, item in free if item.facts[0] not in task.required]
        wrong = [place for place, fact in firsts if task.signs[fact] * self.weights[place + 1] < 0]
        return self.without(wrong, task) if wrong else self


def weigh(holds: Array, task: Task, weights: Array) -> Array:
    """The weights of least loss, from given ones on, by Newton's method; a step that goes too far is halved."""
    prior = np.full(len(weights), PRIOR)
    prior[0] = FREE
    goal, weight = task.goal, task.weight
    if holds.shape[1] <= MOST_BITS and ((holds == 0) | (holds == 1)).all():
        holds, weight, told = merge_rows(holds[:, 1:], weight, weight * goal)
        holds, goal = np.column_stack([np.ones(len(holds)), holds]), told / np.maximum(weight, 1e-9)

    def cost(weights: Array, odds: Array) -> float:
        return float(weight @ log_loss(odds, goal) + prior @ weights**2 / 2)

    odds = holds @ weights
    least = cost(weights, odds)
    for _ in range(STEPS):
        p = logistic(odds)
        bend = weight * np.maximum(p * (1 - p), 1e-4)
        slope = holds.T @ (weight * (goal - p)) - prior * weights
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


def merge_rows(holds: Array, *amounts: Array) -> tuple[Array, ...]:
    """The rows that differ, or all that there can be of few columns, and the sums of the amounts of equal ones."""
    bits = np.arange(holds.shape[1])
    codes, known = (holds @ 2.0**bits).astype(np.int64), np.arange(min(2 ** len(bits), len(holds) + 1))
    if len(known) > len(holds):
        known, codes = np.unique(codes, return_inverse=True)
    different = (known[:, None] >> bits & 1).astype(holds.dtype)
    return different, *(np.bincount(codes, each, len(different)) for each in amounts)


@dataclass(frozen=True)
class Slopes:
    """How the loss would change at a grown rule: for each row its residual and how bent the loss is."""

    residual: Array
    bend: Array


def slopes_at(odds: Array, task: Task) -> Slopes:
    """The residual and the bend of each row that has these log odds."""
    p = logistic(odds)
    return Slopes(task.weight * (task.goal - p), task.weight * np.maximum(p * (1 - p), 1e-4))


@dataclass(frozen=True)
class Moments:
    """What the loss knows of facts beside a grown rule: its slope, its bend, and the bend they share with the items."""

    gradient: Array
    own: Array
    shared: Array
    joint: Array

    @cached_property
    def solved(self) -> Array:
        """The shared bends over the joint one."""
        return np.linalg.solve(self.joint, self.shared)

    def gains(self) -> Array:
        """For each fact about twice what it would lower the loss by."""
        left = np.maximum(self.own - (self.shared * self.solved).sum(axis=0), 0)
        return np.asarray(self.gradient**2 / (left + PRIOR))

    def gains_together(self, ranked: Array) -> Array:
        """The same of the first fact in a row, the first two together, and so on; they exclude each other."""
        gradient, own, shared, solved = (
            np.cumsum(each[..., ranked], axis=-1) for each in (self.gradient, self.own, self.shared, self.solved)
        )
        return np.asarray(gradient**2 / (np.maximum(own - (shared * solved).sum(axis=0), 0) + PRIOR))


def moments_of(grown: Grown, task: Task) -> Moments:
    """The moments of all facts."""
    slopes = slopes_at(grown.holds @ grown.weights, task)
    weighed = grown.holds * slopes.bend[:, None]
    prior = np.diag([FREE, *[PRIOR] * len(grown.items)])
    sums = task.sum_facts(np.column_stack([slopes.residual, weighed]))
    return Moments(sums[0], sums[1], sums[1:], weighed.T @ grown.holds + prior)  # what all rows share is their own


def allowed_gains(moments: Moments, signs: Array, barred: Array | bool = False) -> Array:
    """What each fact, or ladder, gains that does not go against its sign and is not barred."""
    gains = moments.gains()
    gains[(signs * moments.gradient < 0) | barred] = 0
    return gains


def square_steps(n: int) -> Array:
    """How much more each of n facts adds to the square of how many hold, where each holds only if those before it do.

    >>> square_steps(4).tolist()
    [1, 3, 5, 7]
    """
    return 2 * np.arange(n) + 1


def climb(moments: Moments, rungs: Array) -> Moments:
    """The moments of ladders (ladders × facts), which follow from those of their facts."""
    n = rungs.shape[1]
    gradient, shared = moments.gradient[rungs].sum(axis=1) / n, moments.shared[:, rungs].sum(axis=2) / n
    return Moments(gradient, moments.own[rungs] @ square_steps(n) / n**2, shared, moments.joint)


def best_ladder(moments: Moments, task: Task, barred: Array) -> tuple[float, Item]:
    """The ladder that gains most, and that gain; of the task, which has some."""
    first = task.rungs[:, 0]
    gains = allowed_gains(climb(moments, task.rungs), task.signs[first], barred[first])
    best = int(coarsen(gains).argmax())
    return float(gains[best]), Item(task.ladders[best], is_ladder=True)


def _pad(groups: Sequence[tuple[int, ...]]) -> tuple[Array, Array]:
    """The facts of each group (groups × facts), and which of these places are filled."""
    facts = np.array(list(zip_longest(*groups, fillvalue=-1))).T
    return np.maximum(facts, 0), facts >= 0


def _best_group(moments: Moments, facts: Array, filled: Array) -> tuple[float, Item]:
    """Of all groups the facts that gain most together, less the price of each beyond the first, and that gain."""
    rates = moments.gradient[facts] / (moments.own[facts] + PRIOR)
    n_most = np.minimum(MOST_GROUPED, filled.sum(axis=1) // 2)  # the others are told by their opposite
    ways = [np.argsort(coarsen(np.where(filled, way * rates, np.inf)), axis=1, kind="stable") for way in (-1, 1)]
    order = np.stack(ways, axis=1)[..., : n_most.max()]  # groups × ways × facts
    ranked = np.take_along_axis(facts[:, None, :], order, axis=2)
    gains = moments.gains_together(ranked) - GROUP_PRICE * np.arange(ranked.shape[2])
    gains[np.broadcast_to(np.arange(ranked.shape[2]) >= n_most[:, None, None], gains.shape)] = -np.inf
    place = coarsen(gains).argmax(axis=2)
    best = np.where(place > 0, gains.max(axis=2), 0.0)
    group, way = np.unravel_index(int(coarsen(best).argmax()), best.shape)
    listed = ranked[group, way, : place[group, way] + 1].tolist()
    return float(best[group, way]), Item(tuple(sorted(listed)), is_group=True)


def grow_facts(task: Task, most: int) -> list[Grown]:
    """The rules of single facts, from none to so many; fewer where no further fact gains anything."""
    grown = Grown.begin(task)
    path = [grown]
    tried: set[int] = set(task.required)
    groups = _pad(task.groups) if task.groups else None
    while grown.size < most:
        moments, barred = moments_of(grown, task), task.bars(grown.items)
        gains = allowed_gains(moments, task.signs, barred)
        gains[list(tried)] = 0
        best = int(coarsen(gains).argmax())
        options = [(float(gains[best]), Item((best,)))]
        if groups is not None and (is_open := groups[1] & ~barred[groups[0]]).any():
            options.append(_best_group(moments, groups[0], is_open))
        if task.ladders:
            options.append(best_ladder(moments, task, barred))
        gain, item = max(options, key=lambda each: coarsen(each[0] * (each[1] not in grown.items)))
        if gain <= 1e-9 or item in grown.items:
            break
        if item.is_fact:
            tried.add(best)
        grown = grown.add(item, task)
        if grown.size > path[-1].size and task.allows(grown.items):  # not where an item had to leave
            path.append(grown)
    return path


def to_rule(grown: Grown, task: Task, most_points: int) -> Rule:
    """Real weights as whole points."""
    if not grown.items:
        return Rule((), (), 0.0, float(grown.weights[0]))
    return round_points(grown.items, *grown.steps, task, most_points).with_map(task)


def round_points(items: tuple[Item, ...], counts: Array, weights: Array, task: Task, most: int) -> Rule:
    """The rule with points from -most to most, none of them 0; rows have the points of items `counts` times.

    The sign of a weight stays, so what may only raise the goal does not lower it.
    """
    counts = np.rint(counts).astype(np.int64)  # rows × items
    held = [np.flatnonzero(each) for each in counts.T]
    n_rows = np.array([len(each) for each in held])
    sign = np.where(weights >= 0, 1, -1)
    own = np.array([task.signs[item.facts[0]] if item.is_one_way else 0 for item in items])
    sign = np.where(own, own, sign)  # a fact that is required goes its way, if need be against the data
    scales = np.linspace(0.5, most + 0.49, ROUNDINGS) / max(float(np.abs(weights).max()), 1e-9)
    rounded = sign * np.clip(np.rint(np.abs(weights) * scales[:, None]), 1, most).astype(np.int64)
    tried: set[bytes] = set()
    points, loss = np.zeros(len(items), np.int64), np.inf
    candidates = _untried(rounded, tried)
    maps = fit_maps(candidates @ counts.T, task.goal, task.weight)
    while True:
        losses = np.where(maps.slope > 0, maps.loss, maps.loss + task.n_rows)  # more points mean yes
        place = int(coarsen(losses).argmin())
        if losses[place] >= loss - 1e-6:
            break
        points, loss = candidates[place], float(losses[place])
        candidates = np.concatenate([points[None], _untried(_neighbours(points, most), tried)])
        which, item = np.nonzero(candidates != points)
        rows = np.concatenate([*(held[each] for each in item), held[0][:0]])
        which, by, item = (np.repeat(each, n_rows[item]) for each in (which, (candidates - points)[which, item], item))
        maps = fit_moves(counts @ points, which, rows, by * counts[rows, item], task.goal, task.weight)
    return reduce_points(items, points, fit_maps((counts @ points)[None], task.goal, task.weight))


def reduce_points(items: tuple[Item, ...], points: Array, maps: Maps) -> Rule:
    """The rule with these points and this map, without what all points have as a factor."""
    common, (_, slope, intercept) = int(np.gcd.reduce(np.abs(points))), maps.at(0)
    return Rule(items, tuple(int(each) // common for each in points), slope * common, intercept)


def _neighbours(points: Array, most: int) -> Array:
    """One point more or less for one item, which keeps its sign."""
    places = np.repeat(np.arange(len(points)), 2)
    found = np.tile(points, (len(places), 1))
    found[np.arange(len(places)), places] += np.sign(points[places]) * np.tile([-1, 1], len(points))
    size = np.abs(found[np.arange(len(places)), places])
    return np.asarray(found[(size >= 1) & (size <= most)])


def _untried(candidates: Array, tried: set[bytes]) -> Array:
    """Those that were not tried before, which they are from now on."""
    fresh = {each.tobytes(): place for place, each in reversed(list(enumerate(candidates)))}
    kept = sorted(place for key, place in fresh.items() if key not in tried)
    tried.update(fresh)
    return candidates[kept]
