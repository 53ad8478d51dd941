"""Whole points for real weights: the best rounding, then one point more or less wherever that lowers the loss."""

from crystalogic.arrays import Array, np
from crystalogic.learner.maps import Maps, fit_maps, fit_moves
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import Task

ROUNDINGS = 24  # scales that are tried


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
    common = int(np.gcd.reduce(np.abs(points)))
    return Rule(
        items,
        tuple(int(each) // common for each in points),
        float(maps.slope[0]) * common,
        float(maps.intercept[0]),
    )


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
