"""Rules of the family: items with whole points, a map to a probability, a threshold."""

from dataclasses import dataclass, replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.learner.maps import fit_level
from crystalogic.learner.task import Task, log_loss


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
        """Whether it is a single fact."""
        return len(self.facts) == 1

    @property
    def is_one_way(self) -> bool:
        """Whether it is a fact, or several of one column, that may have a sign of its own."""
        return (self.is_fact or self.is_ladder) and self.facts[0] >= 0

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

    @property
    def rules(self) -> "tuple[Rule, ...]":
        """The rule itself, as a list has its rules."""
        return (self,)

    @property
    def order(self) -> tuple[int, ...]:
        """No order of classes, as a list has it."""
        return ()

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
    def is_idle(self) -> bool:
        """Whether it has items, and yet yes is less likely than no for all that they can add up to, or never less."""
        low, high = self.reach
        odds = [self.slope * score + self.intercept for score in self._level([low, high])]
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

    def score(self, truths: Array) -> Array:
        """The sum of the points of every row."""
        total = np.zeros(len(truths), np.int64)
        for item, points in zip(self.items, self.points, strict=True):
            total += points * item.times(truths)
        return total

    def decide(self, truths: Array) -> Array:
        """Which rows are told yes."""
        if self.threshold is None:
            return np.full(len(truths), self.says_yes)
        return np.asarray(self.score(truths) >= self.threshold)

    def log_odds(self, truths: Array) -> Array:
        """The log odds of yes for every row."""
        return np.asarray(self.slope * self._level(self.score(truths)) + self.intercept)

    def _level(self, scores: Any) -> Array:
        """The scores, none of them below the least or above the most that count."""
        is_level = self.least is not None or self.most is not None
        return np.clip(scores, self.least, self.most) if is_level else np.asarray(scores)

    def with_map(self, task: Task) -> "Rule":
        """The rule with the map from its score that suits these rows best."""
        if not self.items:
            return self
        level = fit_level(self.score(task.truths), task.goal, task.weight)
        low, high = self.reach
        return replace(
            self,
            slope=level.slope,
            intercept=level.intercept,
            least=level.least if level.least > low else None,
            most=level.most if level.most < high else None,
        )

    def loss(self, task: Task) -> float:
        """What all rows of the task cost together; no row more than log odds of 8 would."""
        return float(task.weight @ log_loss(np.clip(self.log_odds(task.truths), -8, 8), task.goal))
