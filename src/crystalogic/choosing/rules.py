"""Rules to choose from: points for facts, and from how many points on the rule is true.

A fact is a truth value of the model's encoding, or a part of a formula of its front that is no plain truth value, such
as `{cp=3} ⊕ {cp=4}`. Facts are true or false, so that a rule is counted with bits.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crystalogic.errors import ChoiceError
from crystalogic.logic.formula import Constant, Formula, Not
from crystalogic.logic.score import score_of
from crystalogic.model import FrontRow, Model
from crystalogic.model.ladders import spell_out
from crystalogic.symbolic.extract import Threshold


@dataclass(frozen=True)
class GoodRule:
    """A rule that was found to be good: names of truth values of the model's encoding with whether they are to hold,
    what each is worth, at least 1, and from how many points on the rule is true.
    """

    facts: tuple[tuple[str, bool], ...]
    points: tuple[int, ...]
    threshold: int


@dataclass(frozen=True)
class GoodRules:
    """Rules that are about as good as the best one, and what is known of the list.

    Parameters:
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
    """Facts with whether they are to hold, what each is worth, and the threshold; one fact alone is worth 1."""

    facts: tuple[tuple[Formula, bool], ...]
    points: tuple[int, ...]
    threshold: int

    def __post_init__(self) -> None:
        total, n_facts = sum(self.points), len({fact for fact, _ in self.facts})
        are_sound = n_facts == len(self.facts) == len(self.points) and min((*self.points, n_facts)) >= 1
        if not are_sound or not 1 <= self.threshold <= total:
            needs = "one fact or more, each of them once, and each with a point or more"
            message = f"a rule has {needs}; with {total} in all, its threshold {self.threshold} is at most {total}."
            raise ChoiceError(message)
        if n_facts == 1:
            object.__setattr__(self, "points", (1,))
            object.__setattr__(self, "threshold", 1)

    @property
    def key(self) -> object:
        """What two rules that are the same have in common: the order of facts does not matter."""
        return frozenset(zip(self.facts, self.points, strict=True)), self.threshold

    @property
    def formula(self) -> Formula:
        """The rule as a formula, with the plainest connective."""
        literals = ((fact if holds else Not(fact),) for fact, holds in self.facts)
        parts = (each * n for each, n in zip(literals, self.points, strict=True))
        return Threshold(self.threshold, sum(parts, ())).formula()


def rule_of(formula: Formula) -> Rule | None:
    """What a formula counts; None for one that is true, or false, of all rows.

    >>> from crystalogic.logic.parse import parse
    >>> found = rule_of(parse("at least 3 of (2·a, ¬b, c)"))
    >>> [(str(fact), holds) for fact, holds in found.facts], found.points, found.threshold
    ([('a', True), ('b', False), ('c', True)], (2, 1, 1), 3)
    """
    score, facts = score_of(formula), dict[tuple[Formula, bool], int]()
    for part, worth in score.points.items():
        holds = True
        while isinstance(part, Not):
            part, holds = part.parts[0], not holds
        facts[part, holds] = facts.get((part, holds), 0) + worth
    different = {fact for fact, _ in facts if not isinstance(fact, Constant)}
    if len(different) < len(facts) or not 1 <= score.threshold <= score.most:
        return None
    return Rule(tuple(facts), tuple(facts.values()), score.threshold)


def offered_rules(model: Model) -> Iterator[tuple[Rule, int | None, FrontRow | None]]:
    """The rules of a model's front that can be counted, with their places there; the model's own, if it is no such."""
    if model.classes is None or len(model.formulas) != 1:
        message = f"rules are chosen for two classes; this model {'has more' if model.classes else 'tells degrees'}."
        raise ChoiceError(message)
    places = enumerate(model.fronts[0] if model.fronts else ())
    for written, place, row in [*((row.formula, place, row) for place, row in places), (model.written[0], None, None)]:
        formula = spell_out(written, model.encoding.literals)
        rule = rule_of(formula)
        if rule is not None and is_counted(model, formula.variables):
            yield rule, place, row


def is_counted(model: Model, names: Iterable[str]) -> bool:
    """Whether all of these are facts of the model, true or false."""
    return all((known := model.encoding.literals.get(name)) is not None and known.is_boolean for name in names)
