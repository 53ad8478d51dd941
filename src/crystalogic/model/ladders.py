"""Ladders spelled out: a literal that counts cuts of one column, as the points of each of these cuts.

A ladder of n rungs is true to the share of them that a number reaches. In a sum it has n·w points, so each rung has w:
the spelled formula adds up the same score and the same degree for every row, and all its literals are true or false.
"""

from collections import Counter
from collections.abc import Mapping

from crystalogic.counts import plural
from crystalogic.encoding import Cut, Ladder, Literal, Reaches
from crystalogic.errors import EncodingError, refuse
from crystalogic.logic.formula import AtLeast, Formula, Not, StrongAnd, StrongOr, Variable
from crystalogic.logic.score import score_of
from crystalogic.symbolic.extract import Threshold

FEWEST_STEPS = 3  # of one column that are told in one line; two are as plain side by side


def spell_out(formula: Formula, literals: Mapping[str, Literal]) -> Formula:
    """The formula with the rungs of each ladder in its place; an EncodingError where a ladder is in no sum of points.

    >>> from crystalogic.logic.parse import parse
    >>> ladder = Ladder("age", (40, 50, 60, 70))
    >>> print(spell_out(parse("at least 5 of (8·{age ≥ 40|50|60|70}, 3·{sex=m})"), {ladder.name: ladder}))
    at least 5 of (2·{age ≥ 40}, 2·{age ≥ 50}, 2·{age ≥ 60}, 2·{age ≥ 70}, 3·{sex=m})
    """
    if not any(isinstance(literals.get(name), Ladder) for name in formula.variables):
        return formula
    score = score_of(formula)
    parts: list[Formula] = []
    for part, worth in score.points.items():
        inner = part.parts[0] if isinstance(part, Not) else part
        ladder = literals.get(inner.name) if isinstance(inner, Variable) else None
        if isinstance(ladder, Ladder):
            each, rest = divmod(worth, len(ladder.steps))
            _refuse_rest(ladder, rest)
            rungs = (Variable(rung.name) for rung in ladder.rungs)
            parts += (Not(rung) if isinstance(part, Not) else rung for rung in rungs for _ in range(each))
        else:
            for name in part.variables:
                _refuse_rest(literals.get(name), 1)
            parts += [part] * worth
    return Threshold(score.threshold, tuple(parts)).formula()


def count_rungs(formula: Formula, literals: Mapping[str, Literal]) -> Formula:
    """The formula; where it only says that a ladder is reached wholly, or at all, as so many of its rungs."""
    if not isinstance(formula, (StrongAnd, StrongOr)) or len(set(formula.parts)) > 1:
        return formula
    is_ladder = any(isinstance(literals.get(name), Ladder) for name in formula.variables)
    return AtLeast(score_of(formula).threshold, *formula.parts) if is_ladder else formula


def adds_points(formula: Formula, literals: Mapping[str, Literal]) -> bool:
    """Whether a list adds up points: a part counts several times, or three parts and more are steps of one column."""
    if not isinstance(formula, (AtLeast, StrongAnd, StrongOr)):
        return False
    if isinstance(formula, AtLeast) and formula.has_points:
        return True
    sides = [(isinstance(part, Not), part.parts[0] if isinstance(part, Not) else part) for part in formula.parts]
    facts = [(negated, literals.get(str(inner.detail))) for negated, inner in sides if isinstance(inner, Variable)]
    steps = Counter((negated, fact.column) for negated, fact in facts if isinstance(fact, Cut | Reaches))
    return max(steps.values(), default=0) >= FEWEST_STEPS


def score_text(formula: Formula, literals: Mapping[str, Literal], low: int, high: int | None = None) -> str:
    """A score, or scores from one to another, for people: "3 of 4" where each part counts once, else "3 points"."""
    score, is_one = score_of(formula), high in (None, low)
    some = str(low) if is_one else f"{low}–{high}"
    if score.most == len(score.points) and not adds_points(formula, literals):
        return f"{some} of {score.most}"
    return f"{some} {plural(low, 'point') if is_one else 'points'}"


def _refuse_rest(literal: Literal | None, rest: int) -> None:
    if rest and isinstance(literal, Ladder):
        n = len(literal.steps)
        what = f"{literal.name!r} has {n} rungs, which have whole points only where it stands in the sum of the rule"
        refuse(EncodingError, f"{what} itself, with a multiple of {n} points. Write its cuts one by one.")
