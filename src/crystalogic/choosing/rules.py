"""Rules to choose from: points for facts, and from how many points on the rule is true.

A fact is a truth value of the model's encoding, or a part of a formula of its front that is no plain truth value, such
as `{cp=3} ⊕ {cp=4}`. Facts are true or false, so that a rule is counted with bits.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crystalogic.errors import ChoiceError
from crystalogic.logic.formula import Constant, Formula, Not, Variable
from crystalogic.logic.score import score_of
from crystalogic.model import FrontRow, Model
from crystalogic.symbolic.read import Threshold

Key = tuple[frozenset[tuple[tuple[Formula, bool], int]], int]


@dataclass(frozen=True)
class GoodRule:
    """A rule that was found to be good.

    Parameters:
        facts: names of truth values of the model's encoding, and whether each is to hold.
        points: what each fact is worth, at least 1.
        threshold: from how many points on the rule is true.
    """

    facts: tuple[tuple[str, bool], ...]
    points: tuple[int, ...]
    threshold: int


@dataclass(frozen=True)
class GoodRules:
    """Rules that are about as good as the best one, and what is known of the list.

    Parameters:
        rules: the rules.
        scope: what rules were looked at, in the plural: "checklists of at most 3 of 59 facts".
        margin: how many rows fewer than the best of them a rule may be right about, of those it was learned from.
        size: the most facts that a rule of the scope has.
        is_complete: whether every rule of the scope within the margin is on the list.
        is_proved: whether that is proved, and not only likely.
    """

    rules: tuple[GoodRule, ...]
    scope: str
    margin: int
    size: int
    is_complete: bool = False
    is_proved: bool = False


@dataclass(frozen=True)
class Rule:
    """Facts with whether they are to hold, what each is worth, and the threshold."""

    facts: tuple[tuple[Formula, bool], ...]
    points: tuple[int, ...]
    threshold: int

    def __post_init__(self) -> None:
        total = sum(self.points)
        if not self.facts or len(self.points) != len(self.facts) or len(dict(self.facts)) != len(self.facts):
            message = "a rule has one fact or more, each of them once and with its points."
            raise ChoiceError(message)
        if min(self.points) < 1 or not 1 <= self.threshold <= total:
            message = (
                f"points are whole numbers from 1 on, and the threshold of {total} points lies between 1 and {total}, "
                f"got {', '.join(map(str, self.points))} and the threshold {self.threshold}."
            )
            raise ChoiceError(message)
        if len(self.facts) == 1:  # one fact decides alone, whatever it is worth
            object.__setattr__(self, "points", (1,))
            object.__setattr__(self, "threshold", 1)

    @property
    def key(self) -> Key:
        """What two rules have in common that are the same: the order of facts does not matter."""
        return frozenset(zip(self.facts, self.points, strict=True)), self.threshold

    @property
    def formula(self) -> Formula:
        """The rule as a formula, with the plainest connective."""
        literals = ((fact if holds else Not(fact)) for fact, holds in self.facts)
        repeated = [each for each, n in zip(literals, self.points, strict=True) for _ in range(n)]
        return Threshold(self.threshold, tuple(repeated)).formula()


def rule_of(formula: Formula) -> Rule | None:
    """What a formula counts; None for one that is true, or false, of all rows.

    >>> from crystalogic.logic.parse import parse
    >>> found = rule_of(parse("at least 3 of (2·a, ¬b, c)"))
    >>> [(str(fact), holds) for fact, holds in found.facts], found.points, found.threshold
    ([('a', True), ('b', False), ('c', True)], (2, 1, 1), 3)
    """
    score = score_of(formula)
    facts: dict[tuple[Formula, bool], int] = {}
    for part, worth in score.points.items():
        holds = True
        while isinstance(part, Not):
            part, holds = part.parts[0], not holds
        facts[part, holds] = facts.get((part, holds), 0) + worth
    is_plain = not any(isinstance(fact, Constant) for fact, _ in facts) and len(dict(facts)) == len(facts)
    if not is_plain or not 1 <= score.threshold <= score.most:
        return None
    return Rule(tuple(facts), tuple(facts.values()), score.threshold)


def good_rule(model: Model, good: GoodRule) -> Rule:
    """A rule of a list; a ChoiceError if the model has no such facts."""
    unknown = [name for name, _ in good.facts if name not in model.encoding.literals]
    if unknown:
        message = f"a rule of the list speaks of {unknown[0]!r}, which is no truth value of this model."
        raise ChoiceError(message)
    return Rule(tuple((Variable(name), holds) for name, holds in good.facts), good.points, good.threshold)


def front_rules(model: Model) -> Iterator[tuple[int, FrontRow, Rule]]:
    """The rules of the front that can be counted, each with its place; a ChoiceError for a model of another kind."""
    if model.classes is None or len(model.formulas) != 1:
        message = f"rules are chosen for two classes; this model {'has more' if model.classes else 'tells degrees'}."
        raise ChoiceError(message)
    for place, row in enumerate(model.fronts[0] if model.fronts else ()):
        rule = rule_of(row.formula)
        if rule is not None and is_counted(model, row.formula.variables):
            yield place, row, rule


def is_counted(model: Model, names: Iterable[str]) -> bool:
    """Whether all of these are facts of the model, true or false."""
    literals = model.encoding.literals
    return all(name in literals and literals[name].is_boolean for name in names)
