"""What is asked, rules, and what is known of the best."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from crystalogic.arrays import Array, np
from crystalogic.optimal.counted import Counted
from crystalogic.progress import Stop


@dataclass(frozen=True)
class Objective:
    """What an error costs."""

    missed: int = 1
    false_alarm: int = 1


ERRORS = Objective()


@dataclass(frozen=True)
class Needs:
    """What a rule must keep, by names of facts: which it uses, which it does not, which must hold (1) or fail (-1)."""

    used: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    signs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """Rules of this shape over at most `size` facts; those at most `within` above the best are counted."""

    size: int
    shape: str
    objective: Objective
    within: int
    needs: Needs


@dataclass(frozen=True, order=True)
class Rule:
    """Facts by their places, ~place where a fact is to be false; with points and a threshold. Without, a constant."""

    facts: tuple[int, ...]
    points: tuple[int, ...]
    threshold: int

    def score(self, truths: Array) -> Array:
        """The score of each row of given facts (rows × facts)."""
        total = np.zeros(len(truths), np.int64)
        for fact, points in zip(self.facts, self.points, strict=True):
            total += points * (truths[:, fact] if fact >= 0 else 1 - truths[:, ~fact])
        return total

    def decide(self, truths: Array) -> Array:
        """Whether each row is a yes."""
        return np.asarray(self.score(truths) >= self.threshold)

    def expand(self, counted: Counted) -> "list[Rule]":
        """The rule with each fact replaced by each of its twins: all are the same on the rows that were counted."""
        own = {fact: twins for twins in counted.twins for fact in (twins[0], ~twins[0])}
        options = [[twin if fact == own[fact][0] else ~twin for twin in own[fact]] for fact in self.facts]
        return [replace(self, facts=facts) for facts in product(*options)]


@dataclass(frozen=True)
class Optimum:
    """The best rule, its cost, and what is proved: no rule of the scope costs less than `bound`.

    `counts` says how many rules there are at each cost from the best on: rules that depend on all of their facts. A
    fact stands for its twins, which `Rule.expand` writes out. If the search ended early, these are the rules that were
    found. Costs include the unavoidable ones. `rules` lists rules with their costs, the best first, then those of few
    facts, then in order; `is_complete` says that these are all.
    """

    question: Question
    rule: Rule
    cost: int
    bound: int
    counts: tuple[int, ...]
    rules: tuple[tuple[int, Rule], ...]
    is_complete: bool
    n_sets: int  # of facts in the scope
    stop: Stop
    n_scanned: int = field(compare=False)  # sets of facts whose least cost was computed; all others were skipped
    n_tried: int = field(compare=False)  # of which the rules were gone through one by one
    seconds: float = field(compare=False)

    @property
    def is_proved(self) -> bool:
        """Whether no rule of the scope is better."""
        return self.bound == self.cost

    @property
    def is_whole(self) -> bool:
        """Whether all rules were counted."""
        return not self.stop.is_early
