"""Whole points for real weights: the best rounding, then one point more or less wherever that lowers the loss.

And facts of a rule with whole points exchanged for better ones, judged by the loss of its own map.
"""

from dataclasses import replace

from crystalogic.arrays import Array, np
from crystalogic.learner.grow import Grown, Moments, climb
from crystalogic.learner.rule import Item, Maps, Rule, fit_maps, fit_moves
from crystalogic.learner.task import Task, logistic

ROUNDINGS = 24  # scales that are tried
N_TRIED = 16  # facts whose loss is computed, of all those whose slope is known
MOST_SWEEPS = 4


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
        place = int(losses.argmin())
        if losses[place] >= loss - 1e-6:
            break
        points, loss = candidates[place], float(losses[place])
        candidates = np.concatenate([points[None], _untried(_neighbours(points, most), tried)])
        which, item = np.nonzero(candidates != points)
        rows = np.concatenate([*(held[each] for each in item), held[0][:0]])
        which, by, item = (np.repeat(each, n_rows[item]) for each in (which, (candidates - points)[which, item], item))
        maps = fit_moves(counts @ points, which, rows, by * counts[rows, item], task.goal, task.weight)
    return reduce_points(items, points, fit_maps((counts @ points)[None], task.goal, task.weight))


def to_rule(grown: Grown, task: Task, most_points: int) -> Rule:
    """Real weights as whole points."""
    if not grown.items:
        return Rule((), (), 0.0, float(grown.weights[0]))
    return round_points(grown.items, *grown.steps, task, most_points).with_map(task)


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


def exchange_facts(rule: Rule, task: Task, most_points: int) -> Rule:
    """The rule after every fact and ladder was offered the best others in its place, until none is better."""
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
            found = _best_item(rest, task, taken, most_points)
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
            rule = rules[int(losses.argmin())]
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
    tried = [
        (item, 1 if gradient[place] >= 0 else -1)
        for place in np.argsort(-gains, kind="stable")[: N_TRIED + len(taken)]
        if gains[place] > 0 and (item := _item(int(place), task)) not in taken
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
    best = int(losses.argmin())
    place, points = options[best]
    return float(losses[best]), tried[place][0], points, counts[place]


def _item(place: int, task: Task) -> Item:
    """One of the facts, or, from their number on, of the ladders."""
    return Item((place,)) if place < task.n_facts else Item(task.ladders[place - task.n_facts], is_ladder=True)
