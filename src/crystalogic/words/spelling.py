"""A formula as text whose symbols and names explain themselves."""

from collections.abc import Mapping
from dataclasses import dataclass

from crystalogic.cells import number_text
from crystalogic.encoding import Degree, Literal
from crystalogic.logic.formula import (
    AtLeast,
    Constant,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    StrongAnd,
    StrongOr,
    Variable,
)
from crystalogic.logic.render import named_parts, spell
from crystalogic.logic.syntax import BY_NODE, TIMES
from crystalogic.logic.walk import subformulas
from crystalogic.words.literals import literal_words

MEANINGS: dict[type[Formula], str] = {
    Not: "not: 1 minus the degree.",
    StrongAnd: "and: 1 minus all that the parts lack, and 0 if that is negative. It is 1 only if every part is 1.",
    StrongOr: "or: the sum of the degrees, and 1 if that is more. It is 0 only if every part is 0.",
    Minimum: "the smallest of the degrees.",
    Maximum: "the largest of the degrees.",
    Implies: "if … then: 1 if the second is at least as true as the first, otherwise 1 minus what it lacks.",
    Iff: "as true as: 1 minus the distance of the two degrees.",
    AtLeast: "the sum of the degrees minus (k - 1), kept between 0 and 1. "
    "For facts that are true or false: whether at least k of them are true.",
}


@dataclass(frozen=True)
class Token:
    """A piece of the text; `help` says what it means, and `is_first` whether nothing before it says the same."""

    text: str
    help: str | None = None
    is_first: bool = False


@dataclass(frozen=True)
class Line:
    """A formula or a named part of it."""

    name: str | None
    tokens: tuple[Token, ...]


def spelling(formula: Formula, literals: Mapping[str, Literal]) -> tuple[Line, ...]:
    """The formula in lines: the parts that it repeats, each with its name, and then the whole.

    >>> from crystalogic.logic.parse import parse
    >>> line, = spelling(parse("a ⊗ ¬b"), {})
    >>> [(token.text, token.help is not None) for token in line.tokens]
    [('a', True), (' ⊗ ', True), ('¬', True), ('b', True)]
    """
    names = named_parts(formula)
    said: set[str] = set()
    lines = []
    for node, name in [*names.items(), (formula, None)]:
        tokens = []
        for text, owner in spell(node, "unicode", names):
            meaning = _meaning(text, owner, literals, names.get(owner) if owner is not node else None)
            tokens.append(Token(text, meaning, meaning is not None and meaning not in said))
            said |= {meaning} if meaning else set()
        lines.append(Line(name, tuple(tokens)))
    return tuple(lines)


def legend(formulas: tuple[Formula, ...]) -> list[tuple[str, str]]:
    """The connectives that the formulas use, each with its meaning."""
    nodes = subformulas(*formulas)
    kinds = dict.fromkeys(map(type, nodes))
    found = [
        ("at least k of" if kind is AtLeast else BY_NODE[kind].unicode, meaning)
        for kind, meaning in MEANINGS.items()
        if kind in kinds
    ]
    has_points = any(isinstance(node, AtLeast) and node.has_points for node in nodes)
    return [*found, ("n·", "n points: what follows counts n times in the sum.")] if has_points else found


def _meaning(text: str, owner: Formula, literals: Mapping[str, Literal], name: str | None) -> str | None:
    if name == text:
        return f"{name}: defined above"
    if isinstance(owner, Variable):
        literal = literals.get(owner.name)
        return owner.name if literal is None else literal_meaning(literal)
    if isinstance(owner, Constant):
        return "always true" if owner.value else "never true"
    if isinstance(owner, AtLeast):
        if text.endswith(TIMES["unicode"]):
            return f"counts {text[:-1]} points."
        return _sum_words(owner) if text[:1] == "a" else None
    return MEANINGS[type(owner)] if text.strip() == BY_NODE[type(owner)].unicode else None


def _sum_words(node: AtLeast) -> str:
    most, summed = (" points", "points times degrees") if node.has_points else ("", "the degrees")
    counted = f"at least {node.k} of {len(node.parts)}{most}"
    return f"{counted}: the sum of {summed} minus {node.k - 1}, kept between 0 and 1."


def literal_meaning(literal: Literal) -> str:
    """What a literal says and which degree it has when."""
    if isinstance(literal, Degree):
        low, high = number_text(literal.low), number_text(literal.high)
        return f"how high {literal.column} is: 0 at {low} or below, 1 at {high} or above, in proportion between."
    return f"{literal_words(literal)}: 1 if so, 0 if not."
