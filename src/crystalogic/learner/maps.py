"""Maps from a score to a probability, fitted for many scores at once.

A score is a small whole number, so a rule is known to its map by a histogram: for each score the rows that have it and
the part of them that should say yes. Fitting the logistic map of hundreds of rules is then a few sums over arrays.
"""

from dataclasses import dataclass

from crystalogic.arrays import Array, np
from crystalogic.learner.task import logistic

RIDGE = 1e-3  # on the slope for scores of variance 1: it is finite where a score separates the classes
STEPS = 25
LEVEL_GAIN = 3.0  # of log likelihood: what levelling off somewhere gains by chance, at most


@dataclass(frozen=True)
class Maps:
    """For each of several rules the loss of its best map, and its log odds: slope · score + intercept."""

    loss: Array
    slope: Array
    intercept: Array

    def at(self, place: int) -> tuple[float, float, float]:
        """The loss, the slope and the intercept of one of them."""
        return float(self.loss[place]), float(self.slope[place]), float(self.intercept[place])


def fit_maps(scores: Array, goal: Array, weight: Array) -> Maps:
    """The best map of each row of scores (rules × rows of the table)."""
    low = int(scores.min())
    n_bins = int(scores.max()) - low + 1
    counted, told = (
        np.array([np.bincount(each, mass, n_bins) for each in scores - low]) for mass in (weight, weight * goal)
    )
    return fit_histograms(counted, told, np.arange(low, low + n_bins))


def fit_moves(score: Array, which: Array, rows: Array, by: Array, goal: Array, weight: Array) -> Maps:
    """The best map of a score, and of others that differ from it: `which`, from 1 on, in which rows, by how much."""
    low, n_scores = int(score.min() + by.min(initial=0)), int(which.max(initial=0)) + 1
    at, n_bins = score - low, int(score.max() + by.max(initial=0)) - low + 1
    old = n_bins * which + at[rows]

    def count(mass: Array) -> Array:
        there, gone = (np.bincount(each, mass[rows], n_bins * n_scores) for each in (old + by, old))
        return np.maximum(np.bincount(at, mass, n_bins) + (there - gone).reshape(n_scores, n_bins), 0)

    return fit_histograms(count(weight), count(weight * goal), np.arange(low, low + n_bins))


def fit_histograms(counted: Array, told: Array, scores: Array) -> Maps:
    """The best maps of rules whose rows are counted by score (rules × scores), with the part of them that says yes.

    Newton's method on standardised scores, all rules at once.
    """
    total = counted.sum(axis=1)
    mean = counted @ scores / total
    spread = np.sqrt(np.maximum((counted * (scores - mean[:, None]) ** 2).sum(axis=1) / total, 1e-12))
    at = (scores - mean[:, None]) / spread[:, None]
    share = np.clip(told.sum(axis=1) / total, 1e-6, 1 - 1e-6)
    slope, intercept = np.zeros(len(counted)), np.log(share / (1 - share))
    for _ in range(STEPS):
        p = logistic(slope[:, None] * at + intercept[:, None])
        off, bend = counted * p - told, counted * np.maximum(p * (1 - p), 1e-5)
        by_slope, by_intercept = (off * at).sum(axis=1) + RIDGE * slope, off.sum(axis=1)
        ss, si, ii = (bend * at * at).sum(axis=1) + RIDGE, (bend * at).sum(axis=1), bend.sum(axis=1)
        area = ss * ii - si**2 + 1e-12
        d_slope, d_intercept = (ii * by_slope - si * by_intercept) / area, (ss * by_intercept - si * by_slope) / area
        largest = np.maximum(np.abs(d_slope), np.abs(d_intercept))
        step = np.minimum(1, 2 / np.maximum(largest, 1e-9))
        slope, intercept = slope - step * d_slope, intercept - step * d_intercept
        if largest.max() < 3e-3:  # the next step would be as small as its square
            break
    z = slope[:, None] * at + intercept[:, None]
    loss = (counted * np.logaddexp(0, z) - told * z).sum(axis=1)
    return Maps(loss, slope / spread, intercept - slope * mean / spread)


@dataclass(frozen=True)
class Level:
    """A map that is level below one score and above another: its loss, its line between them, and the two scores."""

    loss: float
    slope: float
    intercept: float
    least: int
    most: int


def fit_level(scores: Array, goal: Array, weight: Array) -> Level:
    """The best map of one rule's scores; it levels off where that lowers the loss clearly.

    A row for which two alternatives hold has the points of both, and is often no surer for it.
    """
    low = int(scores.min())
    counted, told = (np.bincount(scores - low, each) for each in (weight, weight * goal))
    known = np.arange(low, low + len(counted))
    best = _best_level(counted, told, known, [(low, int(known[-1]))])
    if best.loss - _least_loss(counted, told) < LEVEL_GAIN:  # no rising map whatever would gain enough
        return best
    for ends in ([(best.least, at) for at in known[1:-1].tolist()], None):
        pairs = [(at, best.most) for at in known[1:].tolist() if at < best.most] if ends is None else ends
        found = _best_level(counted, told, known, pairs) if pairs else best
        best = found if found.loss < best.loss - LEVEL_GAIN else best
    return best


def _least_loss(counted: Array, told: Array) -> float:
    """The loss of the best rising map of any form: neighbours whose shares fall are pooled."""
    pools: list[tuple[float, float]] = []
    for n, yes in zip(counted.tolist(), told.tolist(), strict=True):
        while pools and pools[-1][1] * n >= yes * pools[-1][0]:
            before = pools.pop()
            n, yes = n + before[0], yes + before[1]
        pools.append((n, yes))
    n, yes = np.array(pools).T
    share = np.clip(yes / np.maximum(n, 1e-12), 1e-12, 1 - 1e-12)
    return float(-(yes * np.log(share) + (n - yes) * np.log(1 - share)).sum())


def _best_level(counted: Array, told: Array, known: Array, pairs: list[tuple[int, int]]) -> Level:
    """The best of the maps that are level outside these pairs of scores."""
    places = np.array([np.clip(known, least, most) for least, most in pairs]) - known[0]
    counts = [np.array([np.bincount(each, mass, len(known)) for each in places]) for mass in (counted, told)]
    maps = fit_histograms(counts[0], counts[1], known)
    place = int(maps.loss.argmin())
    return Level(*maps.at(place), *pairs[place])
