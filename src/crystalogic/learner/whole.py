"""Whole points for real weights: the best rounding, then one point more or less wherever that lowers the loss.

And facts of a rule with whole points exchanged for better ones, judged by the loss of its own map.
"""

from crystalogic.arrays import Array, np
from crystalogic.learner.maps import Maps, fit_maps, fit_moves
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import Task, logistic

ROUNDINGS = 24  # scales that are tried
N_TRIED = 16  # facts whose loss is computed, of all those whose slope is known
MOST_SWEEPS = 4


def round_points(items: tuple[Item, ...], holds: Array, weights: Array, task: Task, most: int) -> Rule:
    """The rule with points from -most to most, none of them 0; `holds` are rows × items.

    The sign of a weight stays, so what may only raise the goal does not lower it.
    """
    held = [np.flatnonzero(each > 0.5) for each in holds.T]
    n_rows = np.array([len(each) for each in held])
    sign = np.where(weights >= 0, 1, -1)
    own = np.array([task.signs[item.facts[0]] if item.is_fact and item.facts[0] >= 0 else 0 for item in items])
    sign = np.where(own, own, sign)  # a fact that is required goes its way, if need be against the data
    scales = np.linspace(0.5, most + 0.49, ROUNDINGS) / max(float(np.abs(weights).max()), 1e-9)
    rounded = sign * np.clip(np.rint(np.abs(weights) * scales[:, None]), 1, most).astype(np.int64)
    tried: set[bytes] = set()
    points, loss = np.zeros(len(items), np.int64), np.inf
    candidates = _untried(rounded, tried)
    maps = fit_maps(_add_up(holds, candidates), task.goal, task.weight)
    while True:
        losses = np.where(maps.slope > 0, maps.loss, maps.loss + task.n_rows)  # more points mean yes
        place = int(losses.argmin())
        if losses[place] >= loss - 1e-6:
            break
        points, loss = candidates[place], float(losses[place])
        candidates = np.concatenate([points[None], _untried(_neighbours(points, most), tried)])
        which, item = np.nonzero(candidates != points)
        rows = [held[each] for each in item]
        which, by = (np.repeat(each, n_rows[item]) for each in (which, (candidates - points)[which, item]))
        maps = fit_moves(
            _add_up(holds, points[None])[0], which, np.concatenate([*rows, held[0][:0]]), by, task.goal, task.weight
        )
    return reduce_points(items, points, fit_maps(_add_up(holds, points[None]), task.goal, task.weight))


def _add_up(holds: Array, points: Array) -> Array:
    """The score of each row (options × rows)."""
    return np.asarray(np.rint(points @ holds.T), np.int64)


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
    """The rule after every item of one fact was offered the best others in its place, until none is better."""
    items, points = list(rule.items), np.array(rule.points, np.int64)
    holds = np.array([item.hold(task.truths) for item in items]).astype(np.int64)
    least = float(fit_maps((points @ holds)[None], task.goal, task.weight).loss[0])
    for _ in range(MOST_SWEEPS):
        before = least
        for place, item in enumerate(items):
            if not item.is_fact or item.facts[0] in task.required:
                continue
            rest = points @ holds - points[place] * holds[place]
            taken = [other.facts[0] for index, other in enumerate(items) if index != place and other.is_fact]
            loss, fact, worth = _best_fact(rest, task, taken, most_points)
            if loss < least - 1e-6:
                least, items[place], points[place] = loss, Item((fact,)), worth
                holds[place] = task.truths[:, fact].astype(np.int64)
        if least == before:
            break
    return reduce_points(tuple(items), points, fit_maps((points @ holds)[None], task.goal, task.weight))


def _best_fact(rest: Array, task: Task, taken: list[int], most_points: int) -> tuple[float, int, int]:
    """The fact, with its points, that lowers the loss of a score most: the loss, the fact, the points."""
    maps = fit_maps(rest[None], task.goal, task.weight)
    p = logistic(max(maps.slope[0], 0) * rest + maps.intercept[0])
    bend = task.weight * p * (1 - p)
    gradient, own = task.sum_facts(np.column_stack([task.weight * (task.goal - p), bend]))
    gains = gradient**2 / (np.maximum(own * (1 - own / bend.sum()), 0) + 1)
    gains[task.signs * gradient < 0] = 0
    gains[taken] = 0
    tried = np.argsort(-gains, kind="stable")[:N_TRIED]
    tried = tried[gains[tried] > 0]
    if not len(tried):
        return np.inf, 0, 0
    sign = np.where(gradient[tried] >= 0, 1, -1)
    worths = sign[:, None] * np.arange(1, most_points + 1)
    held = [np.flatnonzero(task.truths[:, fact] > 0.5) for fact in tried for _ in range(most_points)]
    n_rows, options = [len(each) for each in held], np.arange(1, worths.size + 1)
    which, by = (np.repeat(each, n_rows) for each in (options, worths.reshape(-1)))
    found = fit_moves(rest, which, np.concatenate(held), by, task.goal, task.weight)
    losses = np.where(found.slope > 0, found.loss, np.inf)  # more points mean yes
    place = int(losses[1:].argmin())
    return float(losses[place + 1]), int(tried[place // most_points]), int(worths.reshape(-1)[place])
