"""Rules to choose from, points for facts and from how many points on the rule is true; and a choice that was saved.

A fact is a truth value of the model's encoding, or a part of a formula of its front that is no plain truth value, such
as `{cp=3} ⊕ {cp=4}`. Facts are true or false, so that a rule is counted with bits.

The page saves what was chosen, by whom and why, and no model: a certificate is made by the code that makes all others,
and not by a page that anyone may have changed on the way.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from crystalogic.errors import ChoiceError, CrystalogicError, DocumentError, refuse
from crystalogic.logic.formula import Constant, Formula, Not, Variable, peel
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from crystalogic.model import ChosenBy, FrontRow, Model
from crystalogic.model.ladders import spell_out
from crystalogic.symbolic.extract import Threshold
from crystalogic.untrusted import each, flag, json_data, shorten, table, text, whole


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
            limits = f"with {total} in all, its threshold {self.threshold} is at most {total}."
            refuse(ChoiceError, f"a rule has {needs}; {limits}")
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


@dataclass(frozen=True)
class GoodRules:
    """Rules that are about as good as the best one, and what is known of the list."""

    rules: tuple[Rule, ...]
    scope: str  # what rules were looked at, in the plural: "checklists of at most 3 of 59 facts"
    margin: int  # rows fewer than the best of them that a rule may be right about, of those it was learned from
    size: int  # the most facts that a rule of the scope has
    is_complete: bool = False  # whether every rule of the scope within the margin is on the list, with proof


def rule_of(formula: Formula) -> Rule | None:
    """What a formula counts; None for one that is true, or false, of all rows.

    >>> from crystalogic.logic.parse import parse
    >>> found = rule_of(parse("at least 3 of (2·a, ¬b, c)"))
    >>> [(str(fact), holds) for fact, holds in found.facts], found.points, found.threshold
    ([('a', True), ('b', False), ('c', True)], (2, 1, 1), 3)
    """
    score, facts = score_of(formula), dict[tuple[Formula, bool], int]()
    for part, worth in score.points.items():
        fact, negated = peel(part)
        facts[fact, not negated] = facts.get((fact, not negated), 0) + worth
    different = {fact for fact, _ in facts if not isinstance(fact, Constant)}
    if len(different) < len(facts) or not 1 <= score.threshold <= score.most:
        return None
    return Rule(tuple(facts), tuple(facts.values()), score.threshold)


def offered_rules(model: Model) -> Iterator[tuple[Rule, int | None, FrontRow | None]]:
    """The rules of a model's front that can be counted, with their places there; the model's own, if it is no such."""
    if model.classes is None or len(model.formulas) != 1:
        what = "has more" if model.classes else "tells degrees"
        refuse(ChoiceError, f"rules are chosen for two classes; this model {what}.")
    places = enumerate(model.fronts[0] if model.fronts else ())
    for written, place, row in [*((row.formula, place, row) for place, row in places), (model.written[0], None, None)]:
        formula = spell_out(written, model.encoding.literals)
        if (rule := rule_of(formula)) is not None and is_counted(model, formula.variables):
            yield rule, place, row


def is_counted(model: Model, names: Iterable[str]) -> bool:
    """Whether all of these are facts of the model, true or false."""
    return all((known := model.encoding.literals.get(name)) is not None and known.is_boolean for name in names)


FORMAT, VERSION = "crystalogic choice", 1
KEYS = ("format", "version", "model", "facts", "threshold", "who", "why")
MOST_FACTS, MOST_POINTS, MOST_CHARACTERS = 1_000, 10_000, 5_000


def take_choice(model: Model, choice: str) -> Model:
    """The model with the rule of a choice, given as text, a certificate for it, and a record of who chose it and why.

    A rule of the model's front keeps its risk. Any other has none, and what was promised when the model was learned is
    no longer told: nothing was proved of that rule but that formula and network are one function.
    """
    rule, chosen_by = read_choice(model, choice)
    if (own := rule_of(model.formulas[0])) is not None and own.key == rule.key:
        return model.with_facts(chosen_by=chosen_by)
    facts: dict[str, Any] = {"chosen_by": chosen_by, "held_out": None, "operated": {}, "choice": ("chosen by hand",)}
    for offered, place, row in offered_rules(model):
        if place is not None and row is not None and offered.key == rule.key:
            other = replace(model.with_formulas([row.formula]), chosen=(place,))
            return (other.with_risks([row.risk]) if other.written[0] is row.formula else other).with_facts(**facts)
    other = replace(model.with_formulas([rule.formula]), fronts=(), chosen=())
    facts |= {"strategy": None, "seed": None, "stop": None, "promises": (), "teacher": {}, "judged_by": None}
    return other.with_facts(**facts, proved=None)


def read_choice(model: Model, choice: str) -> tuple[Rule, ChosenBy]:
    """The rule of a choice, which must be one for this model, and who made it."""
    body = table(json_data(choice, "choice"), "the choice")
    if body.get("format") != FORMAT or body.get("version") != VERSION or set(body) != set(KEYS):
        refuse(DocumentError, f"not a choice that the page saves: it has {shorten(body)}, expected {', '.join(KEYS)}.")
    if text(body["model"], "the model") != model.fingerprint:
        message = f"this choice was made from the model {shorten(body['model'])}; the one given is {model.fingerprint}."
        raise ChoiceError(message)
    facts = each(table, body["facts"], "the facts")[: MOST_FACTS + 1]
    parts = {fact for rule, _, _ in offered_rules(model) for fact, _ in rule.facts}
    read = [_fact(model, parts, fact, f"fact {place}") for place, fact in enumerate(facts, 1)]
    points = tuple(worth for _, worth in read)
    if len(read) > MOST_FACTS or sum(points) > MOST_POINTS:
        refuse(ChoiceError, f"a choice has at most {MOST_FACTS:,} facts, and {MOST_POINTS:,} points in all.")
    rule = Rule(tuple(fact for fact, _ in read), points, whole(body["threshold"], "the threshold"))
    who, why = (text(body[name], name).strip() for name in ("who", "why"))
    if not who or not why or len(who + why) > MOST_CHARACTERS:
        refuse(ChoiceError, f"the choice must say who made it and why, in at most {MOST_CHARACTERS:,} characters.")
    return rule, ChosenBy(who, why, model.fingerprint)


def _fact(model: Model, parts: set[Formula], value: dict[str, Any], what: str) -> tuple[tuple[Formula, bool], int]:
    """A fact, whether it is to hold, and its points: a truth value of the model, or one of the parts of its rules."""
    if set(value) != {"fact", "holds", "points"}:
        refuse(DocumentError, f"{what} is {shorten(value)}, expected fact, holds and points.")
    written, worth = text(value["fact"], what), whole(value["points"], f"{what}, its points")
    try:
        fact = parse(written)
    except CrystalogicError:
        fact = None
    if fact is None or not (isinstance(fact, Variable) or fact in parts) or not is_counted(model, fact.variables):
        refuse(ChoiceError, f"{what} is {shorten(written)}, which is no fact of this model.")
    return (fact, flag(value["holds"], f"{what}, whether it holds")), worth
