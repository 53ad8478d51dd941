"""The score of a formula: how many points its top connective counts, and from how many on it is true.

Every strong connective asks for at least k of m parts, so the number of parts that hold tells more than whether they
are enough. A part that stands there w times is worth w points. ⊕ asks for 1 of m, ⊗ for all m, x → y for 1 of ¬x and y;
a formula of another kind, such as a literal, is 1 of 1, and a constant counts nothing.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crystalogic.logic.connectives import clamp_weights
from crystalogic.logic.evaluate import evaluate
from crystalogic.logic.formula import Formula, Not


@dataclass(frozen=True)
class Score:
    """What each part is worth, and the threshold: the degree is the score less (threshold - 1), clamped to [0,1]."""

    points: Mapping[Formula, int]
    threshold: int

    @property
    def most(self) -> int:
        """The largest score: how many parts there are, those that are repeated counted each time."""
        return sum(self.points.values())

    @property
    def possible(self) -> tuple[int, ...]:
        """The scores that add up from points of parts that are true or false, in ascending order."""
        sums = {0}
        for worth in self.points.values():
            sums |= {each + worth for each in sums}
        return tuple(sorted(sums))

    def of(self, values: Mapping[str, Any]) -> Any:
        """The score of a row, exact where the values are int and Fraction; of many rows where they are arrays."""
        return sum(worth * evaluate(part, values) for part, worth in self.points.items())


def score_of(formula: Formula) -> Score:
    """How a formula counts."""
    if (found := clamp_weights(formula)) is None:
        return Score({formula: 1}, 1)
    weights, bias = found
    parts = [part if weight > 0 else Not(part) for part, weight in zip(formula.parts, weights, strict=True)]
    return Score(Counter(parts), 1 - bias + sum(weight < 0 for weight in weights))
