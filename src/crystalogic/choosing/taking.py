"""A choice that was saved by the page, taken: read with suspicion, built over the model's encoding and certified anew.

The page saves what was chosen, by whom and why, and no model: a certificate is made by the code that makes all others,
and not by a page that anyone may have changed on the way.
"""

from dataclasses import dataclass, replace
from typing import Any

from crystalogic.choosing.rules import Rule, front_rules, is_counted, rule_of
from crystalogic.errors import ChoiceError, CrystalogicError, DocumentError
from crystalogic.logic.formula import Formula, Variable
from crystalogic.logic.parse import parse
from crystalogic.model import ChosenBy, Model
from crystalogic.untrusted import each, flag, json_data, shorten, table, text, whole

FORMAT, VERSION = "crystalogic choice", 1
KEYS = ("format", "version", "model", "facts", "threshold", "who", "why")
MOST_FACTS, MOST_POINTS, MOST_CHARACTERS = 1_000, 1_000, 4_000


@dataclass(frozen=True)
class Choice:
    """A rule, who chose it, and why."""

    rule: Rule
    who: str
    why: str


def take_choice(model: Model, choice: str) -> Model:
    """The model with the rule of a choice, a certificate for it, and a record of who chose it and why.

    A rule of the model's front keeps its risk. Any other has none, and what was promised when the model was learned is
    no longer told: nothing was proved of that rule but that formula and network are one function.

    Parameters:
        model: the model that the page was made of.
        choice: the text of the file that the page saved; a ChoiceError or a DocumentError says what is wrong with it.
    """
    read = read_choice(model, choice)
    chosen = ChosenBy(read.who, read.why, model.fingerprint)
    own = rule_of(model.formulas[0])
    if own is not None and own.key == read.rule.key:
        return model.with_facts(chosen_by=chosen)
    gone: dict[str, Any] = {"held_out": None, "operated": {}, "choice": ("chosen by hand",)}
    for place, row, rule in front_rules(model):
        if rule.key == read.rule.key:
            other = replace(model.with_formulas([row.formula]), chosen=(place,))
            other = other.with_risks([row.risk]) if other.formulas[0] is row.formula else other
            return other.with_facts(chosen_by=chosen, **gone)
    other = replace(model.with_formulas([read.rule.formula]), fronts=(), chosen=())
    gone |= {"strategy": None, "seed": None, "stop": None, "promises": (), "teacher": {}, "judged_by": None}
    return other.with_facts(chosen_by=chosen, **gone)


def read_choice(model: Model, choice: str) -> Choice:
    """The choice in a text, which must be one for this model."""
    body = table(json_data(choice, "choice"), "the choice")
    if body.get("format") != FORMAT:
        message = f"not a choice: its format is {shorten(body.get('format'))}, expected {FORMAT!r}."
        raise DocumentError(message)
    if body.get("version") != VERSION or set(body) != set(KEYS):
        message = f"not a choice of version {VERSION}: it needs {', '.join(KEYS)}, and nothing else."
        raise DocumentError(message)
    if text(body["model"], "the model") != model.fingerprint:
        message = (
            f"this choice was made from the model {shorten(body['model'])}, and this one is {model.fingerprint!r}. "
            "Give the model file that the page was made of."
        )
        raise ChoiceError(message)
    who, why = (_words(body[name], name) for name in ("who", "why"))
    facts = each(table, body["facts"], "the facts")
    if len(facts) > MOST_FACTS:
        message = f"the choice has {len(facts):,} facts, more than the {MOST_FACTS:,} that are read."
        raise DocumentError(message)
    known = {fact for _, _, rule in front_rules(model) for fact, _ in rule.facts}
    own = rule_of(model.formulas[0])
    known |= set() if own is None else {fact for fact, _ in own.facts}
    read = [_fact(model, known, fact, f"fact {place}") for place, fact in enumerate(facts, 1)]
    points = tuple(worth for _, worth in read)
    return Choice(Rule(tuple(fact for fact, _ in read), points, whole(body["threshold"], "the threshold")), who, why)


def _fact(model: Model, known: set[Formula], value: dict[str, Any], what: str) -> tuple[tuple[Formula, bool], int]:
    """A fact, whether it is to hold, and its points: a truth value of the model or a part of a formula of its front."""
    if set(value) != {"fact", "holds", "points"}:
        message = f"{what} is {shorten(value)}, expected fact, holds and points."
        raise DocumentError(message)
    written, worth = text(value["fact"], what), whole(value["points"], f"{what}, its points")
    if worth > MOST_POINTS:
        message = f"{what} has {worth:,} points, more than {MOST_POINTS:,}."
        raise ChoiceError(message)
    try:
        fact = parse(written)
    except CrystalogicError:
        fact = None
    if fact is None or not (isinstance(fact, Variable) or fact in known) or not is_counted(model, fact.variables):
        message = f"{what} is {shorten(written)}, which is no fact of this model."
        raise ChoiceError(message)
    return (fact, flag(value["holds"], f"{what}, whether it holds")), worth


def _words(value: Any, what: str) -> str:
    """What a person wrote: something, and not without end."""
    words = text(value, what).strip()
    if not words or len(words) > MOST_CHARACTERS:
        message = f"the choice must say {what}, in at most {MOST_CHARACTERS:,} characters."
        raise ChoiceError(message)
    return words
