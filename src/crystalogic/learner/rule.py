"""Rules of the family: items with whole points, a map to a probability, a threshold; maps are fitted many at once.

A score is a small whole number, so a rule is known to its map by a histogram: for each score the rows that have it and
the part of them that should say yes. Fitting the logistic map of hundreds of rules is then a few sums over arrays.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from crystalogic.arrays import Array, np
from crystalogic.learner.task import Task, coarsen, log_loss, logistic

RIDGE = 1e-3  # on the slope for scores of variance 1: it is finite where a score separates the classes
STEPS = 25
STEEP = 4.0  # the slope to begin with, at most
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

    Newton's method on standardised scores, all rules at once, from where two normal distributions would have the map.
    """
    total = counted.sum(axis=1)
    mean = counted @ scores / total
    spread = np.sqrt(np.maximum((counted * (scores - mean[:, None]) ** 2).sum(axis=1) / total, 1e-12))
    at = (scores - mean[:, None]) / spread[:, None]
    share = np.clip(told.sum(axis=1) / total, 1e-6, 1 - 1e-6)
    high = (told * at).sum(axis=1) / total / share  # the mean score of yes; that of no follows, for all have 0
    apart, middle = high / (1 - share), high * (0.5 - share) / (1 - share)
    slope = np.clip(apart / np.maximum(1 - share * (1 - share) * apart**2, 0.1), -STEEP, STEEP)
    intercept = np.log(share / (1 - share)) - slope * middle
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


class Level(NamedTuple):
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
    for is_lower in (False, True):
        ends = [(at, best.most) if is_lower else (low, at) for at in known[1:-1].tolist()]
        pairs = [(least, most) for least, most in ends if least < most]
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
    place = int(coarsen(maps.loss).argmin())
    return Level(*maps.at(place), *pairs[place])


@dataclass(frozen=True, order=True)
class Item:
    """At least `least` of these facts hold; a fact is its place, or ~place where it is to be false.

    Values of one column are a group: that it has one of them is said by a single literal. So are facts on a ladder,
    which are counted: what holds of them has points for each.
    """

    facts: tuple[int, ...]
    least: int = 1
    is_group: bool = False
    is_ladder: bool = False

    @property
    def size(self) -> int:
        """How many literals it has."""
        return 1 if self.is_group or self.is_ladder else len(self.facts)

    @property
    def is_fact(self) -> bool:
        return len(self.facts) == 1

    @property
    def adds_up(self) -> bool:
        """Whether it is a fact or a ladder, which has its points for each fact that holds."""
        return self.is_fact or self.is_ladder

    @property
    def is_one_way(self) -> bool:
        """Whether it is a fact, or several of one column, that may have a sign of its own."""
        return self.adds_up and self.facts[0] >= 0

    @property
    def most(self) -> int:
        """How often it has its points at most."""
        return len(self.facts) if self.is_ladder else 1

    @property
    def places(self) -> tuple[int, ...]:
        """Of its facts, whether they are to hold or not, in ascending order."""
        return tuple(sorted({fact if fact >= 0 else ~fact for fact in self.facts}))

    def hold(self, truths: Array) -> Array:
        """Whether it holds for each row, as 0.0 or 1.0; of a ladder how much of it does."""
        count = self.count(truths)
        if self.is_ladder:
            return count / self.most
        return count if len(self.facts) == 1 else (count > self.least - 0.5).astype(np.float64)

    def times(self, truths: Array) -> Array:
        """How often each row has its points: whether it holds, of a ladder how many of its facts do."""
        return np.asarray(np.rint(self.hold(truths) * self.most), np.int64)

    def count(self, truths: Array) -> Array:
        """How many of its facts hold for each row."""
        columns = ((fact, truths[:, max(fact, ~fact)].astype(np.float64)) for fact in self.facts)
        return np.asarray(sum(truth if fact >= 0 else 1 - truth for fact, truth in columns))


@dataclass(frozen=True)
class Rule:
    """Items with their points; log odds are slope · score + intercept, and from the threshold on the answer is yes.

    The points of a ladder are for each of its facts. Scores below `least` and above `most`, where these are given,
    count as those. The threshold is where yes is likelier than no, unless another `cut` is given.
    """

    items: tuple[Item, ...]
    points: tuple[int, ...]
    slope: float
    intercept: float
    least: int | None = None
    most: int | None = None
    cut: int | None = None
    order: ClassVar[tuple[int, ...]] = ()  # of classes, as a list has it

    @property
    def rules(self) -> "tuple[Rule, ...]":
        """The rule itself, as a list has its rules."""
        return (self,)

    @property
    def size(self) -> int:
        """How many literals it has."""
        return sum(item.size for item in self.items)

    @property
    def places(self) -> list[int]:
        """Of all of its facts, in ascending order."""
        return sorted({place for item in self.items for place in item.places})

    @property
    def threshold(self) -> int | None:
        """The least score that means yes, one of those that can occur; None for a rule without items."""
        low, high = self.reach
        if not self.items or self.slope <= 0 or (self.cut is not None and not low < self.cut <= high):
            return None
        if self.cut is not None:
            return self.cut
        return int(min(max(np.ceil(-self.intercept / self.slope), low + 1), high))

    @property
    def says_yes(self) -> bool:
        """What a rule without a threshold says of all rows."""
        return self.intercept >= 0 if self.cut is None else self.cut <= self.reach[0]

    @property
    def applies_from(self) -> int:
        """The least score that means yes; one that no row reaches where none does."""
        if self.threshold is not None:
            return self.threshold
        return self.reach[0] if self.says_yes else self.reach[1] + 1

    @property
    def is_idle(self) -> bool:
        """Whether it has items, and yet yes is less likely than no for all that they can add up to, or never less."""
        odds = [self.slope * score + self.intercept for score in self._level(self.reach)]
        return bool(self.items) and (max(odds) < 0 or min(odds) >= 0)

    @property
    def reach(self) -> tuple[int, int]:
        """The least and the largest score."""
        whole = [each * item.most for each, item in zip(self.points, self.items, strict=True)]
        return sum(each for each in whole if each < 0), sum(each for each in whole if each > 0)

    @property
    def told(self) -> tuple[Array, Array]:
        """The log odds of each score that can occur, and these scores, both in ascending order."""
        sums = {0}
        for points, item in zip(self.points, self.items, strict=True):
            sums = {each + points * times for each in sums for times in range(item.most + 1)}
        scores = np.array(sorted(sums))
        return np.asarray(self.slope * self._level(scores) + self.intercept), scores

    @cached_property
    def _sum(self) -> tuple[Array, Array, int]:
        """The places of facts that add up, the points of each, and those that a row has where none of them holds."""
        worth, least = dict[int, int](), 0
        for item, points in zip(self.items, self.points, strict=True):
            for fact in item.facts if item.adds_up else ():
                worth[max(fact, ~fact)] = worth.get(max(fact, ~fact), 0) + (points if fact >= 0 else -points)
                least += 0 if fact >= 0 else points
        return np.array(list(worth), np.int64), np.array(list(worth.values()), np.float32), least

    def score(self, truths: Array) -> Array:
        """The sum of the points of every row."""
        places, worth, least = self._sum
        total = (truths[:, places] @ worth).astype(np.int64) + least  # small whole numbers, which are exact
        for item, points in zip(self.items, self.points, strict=True):
            if not item.adds_up:
                total += points * item.times(truths)
        return np.asarray(total)

    def decide(self, truths: Array) -> Array:
        """Which rows are told yes."""
        return np.asarray(self.score(truths) >= self.applies_from)

    def log_odds(self, truths: Array) -> Array:
        """The log odds of yes for every row."""
        return np.asarray(self.slope * self._level(self.score(truths)) + self.intercept)

    def _level(self, scores: Any) -> Array:
        """The scores, none of them below the least or above the most that count."""
        is_plain = self.least is None and self.most is None
        return np.asarray(scores) if is_plain else np.clip(scores, self.least, self.most)

    def with_map(self, task: Task) -> "Rule":
        """The rule with the map from its score that suits these rows best."""
        if not self.items:
            return self
        _, slope, intercept, least, most = fit_level(self.score(task.truths), task.goal, task.weight)
        low, high = self.reach
        first, last = least if least > low else None, most if most < high else None
        return replace(self, slope=slope, intercept=intercept, least=first, most=last)

    def loss(self, task: Task) -> float:
        """What all rows of the task cost together; no row more than log odds of 8 would."""
        return float(task.weight @ log_loss(np.clip(self.log_odds(task.truths), -8, 8), task.goal))
