"""Exchanging facts of a rule with whole points for better ones, judged by the loss of its own map."""

from crystalogic.arrays import Array, np
from crystalogic.learner.maps import fit_maps, fit_moves
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import Task, logistic
from crystalogic.learner.whole import reduce_points

N_TRIED = 16  # facts whose loss is computed, of all those whose slope is known
MOST_SWEEPS = 4


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
