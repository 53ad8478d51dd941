"""Rules that are proved best, and what is known of them."""

from dataclasses import dataclass, field, replace
from itertools import product

from crystalogic.arrays import Array, np
from crystalogic.optimal.counted import Counted, Needs
from crystalogic.progress import Stop

SHAPES = ("checklist", "points", "formula")


@dataclass(frozen=True, order=True)
class Rule:
    """Facts by their places, ~place where a fact is to be false; with points and a threshold, or as a truth table.

    A truth table says yes or no for each cell, the first fact as its highest bit. A rule without facts is a constant.
    Where log loss counts, the score itself is the rule, and there is no threshold.
    """

    facts: tuple[int, ...]
    points: tuple[int, ...] = ()
    threshold: int | None = None
    table: tuple[int, ...] = ()

    def score(self, truths: Array) -> Array:
        """The score of each row of given facts (rows × facts), or the number of its cell."""
        literals = np.array([truths[:, f] if f >= 0 else 1 - truths[:, ~f] for f in self.facts], np.int64)
        points = self.points or [1 << place for place in range(len(self.facts))][::-1]
        return np.array(points, np.int64) @ literals if self.facts else np.zeros(len(truths), np.int64)

    def decide(self, truths: Array) -> Array:
        """Whether each row is a yes."""
        score = self.score(truths)
        return np.array(self.table, bool)[score] if self.table else score >= (self.threshold or 0)

    def expand(self, counted: Counted, needs: Needs | None = None) -> "list[Rule]":
        """The rule with each fact replaced by each of its twins: all are the same on the rows that were counted."""
        options = [
            [literal for literal in _same(fact, counted) if (needs or Needs()).permit(counted, literal)]
            for fact in self.facts
        ]
        return [replace(self, facts=facts) for facts in product(*options)]


def _same(fact: int, counted: Counted) -> list[int]:
    """The literals that are the same on all rows."""
    own = next(own for own in counted.twins if own[0] in (fact, ~fact))
    return [twin if own[0] == fact else ~twin for twin in own]


@dataclass(frozen=True)
class Optimum:
    """The best rule, its cost, and what is proved: no rule of the scope costs less than `bound`.

    `counts` says how many rules there are at each cost from the best on: rules that depend on all of their facts, those
    with twins counted once. For formulas it is sets of facts, of which none can be spared. If the search ended early,
    the counts are of what was found. Costs include the unavoidable ones; a log loss is in whole units of 10⁻⁹.
    """

    rule: Rule
    cost: int
    bound: int
    counts: tuple[int, ...]
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
    def n_rules(self) -> int:
        """How many rules are equally good."""
        return self.counts[0]


@dataclass(frozen=True)
class AllRules:
    """Rules within a margin of the best with their costs: by cost, then by number of facts, then in order.

    `is_complete` says that these are all; otherwise there are at least as many. Facts that have twins stand for all of
    them: `Rule.expand` writes those out.
    """

    optimum: Optimum
    rules: tuple[tuple[int, Rule], ...]
    is_complete: bool
