"""A choice that was saved by the page, taken: read with suspicion, built over the model's encoding and certified anew.

The page saves what was chosen, by whom and why, and no model: a certificate is made by the code that makes all others,
and not by a page that anyone may have changed on the way.
"""

from dataclasses import replace
from typing import Any

from crystalogic.choosing.rules import Rule, is_counted, offered_rules, rule_of
from crystalogic.errors import ChoiceError, CrystalogicError, DocumentError
from crystalogic.logic.formula import Formula, Variable
from crystalogic.logic.parse import parse
from crystalogic.model import ChosenBy, Model
from crystalogic.untrusted import each, flag, json_data, shorten, table, text, whole

FORMAT, VERSION = "crystalogic choice", 1
KEYS = ("format", "version", "model", "facts", "threshold", "who", "why")
MOST_FACTS, MOST_POINTS, MOST_CHARACTERS = 1_000, 10_000, 5_000


def take_choice(model: Model, choice: str) -> Model:
    """The model with the rule of a choice, given as text, a certificate for it, and a record of who chose it and why.

    A rule of the model's front keeps its risk. Any other has none, and what was promised when the model was learned is
    no longer told: nothing was proved of that rule but that formula and network are one function.
    """
    rule, chosen_by = read_choice(model, choice)
    own = rule_of(model.formulas[0])
    if own is not None and own.key == rule.key:
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
        message = f"not a choice that the page saves: it has {shorten(body)}, expected {', '.join(KEYS)}."
        raise DocumentError(message)
    if text(body["model"], "the model") != model.fingerprint:
        message = f"this choice was made from the model {shorten(body['model'])}; the one given is {model.fingerprint}."
        raise ChoiceError(message)
    facts = each(table, body["facts"], "the facts")[: MOST_FACTS + 1]
    parts = {fact for rule, _, _ in offered_rules(model) for fact, _ in rule.facts}
    read = [_fact(model, parts, fact, f"fact {place}") for place, fact in enumerate(facts, 1)]
    points = tuple(worth for _, worth in read)
    if len(read) > MOST_FACTS or sum(points) > MOST_POINTS:
        message = f"a choice has at most {MOST_FACTS:,} facts, and {MOST_POINTS:,} points in all."
        raise ChoiceError(message)
    rule = Rule(tuple(fact for fact, _ in read), points, whole(body["threshold"], "the threshold"))
    who, why = (text(body[name], name).strip() for name in ("who", "why"))
    if not who or not why or len(who + why) > MOST_CHARACTERS:
        message = f"the choice must say who made it and why, in at most {MOST_CHARACTERS:,} characters."
        raise ChoiceError(message)
    return rule, ChosenBy(who, why, model.fingerprint)


def _fact(model: Model, parts: set[Formula], value: dict[str, Any], what: str) -> tuple[tuple[Formula, bool], int]:
    """A fact, whether it is to hold, and its points: a truth value of the model, or one of the parts of its rules."""
    if set(value) != {"fact", "holds", "points"}:
        message = f"{what} is {shorten(value)}, expected fact, holds and points."
        raise DocumentError(message)
    written, worth = text(value["fact"], what), whole(value["points"], f"{what}, its points")
    try:
        fact = parse(written)
    except CrystalogicError:
        fact = None
    if fact is None or not (isinstance(fact, Variable) or fact in parts) or not is_counted(model, fact.variables):
        message = f"{what} is {shorten(written)}, which is no fact of this model."
        raise ChoiceError(message)
    return (fact, flag(value["holds"], f"{what}, whether it holds")), worth
