"""Ladders spelled out: a literal that counts cuts of one column, as the points of each of these cuts.

A ladder of n rungs is true to the share of them that a number reaches. In a sum it has n·w points, so each rung has w:
the spelled formula adds up the same score and the same degree for every row, and all its literals are true or false.
"""

from collections.abc import Mapping

from crystalogic.encoding import Ladder, Literal
from crystalogic.errors import EncodingError
from crystalogic.logic.formula import AtLeast, Formula, Not, StrongAnd, StrongOr, Variable
from crystalogic.logic.score import score_of
from crystalogic.symbolic.extract import Threshold


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
    """The formula; where it only says that a ladder is reached wholly, or at all, as so many of its rungs.

    >>> from crystalogic.logic.parse import parse
    >>> ladder = Ladder("age", (40, 50))
    >>> print(count_rungs(parse("{age ≥ 40|50} ⊗ {age ≥ 40|50}"), {ladder.name: ladder}))
    at least 2 of (2·{age ≥ 40|50})
    """
    if not isinstance(formula, (StrongAnd, StrongOr)) or len(set(formula.parts)) > 1:
        return formula
    is_ladder = any(isinstance(literals.get(name), Ladder) for name in formula.variables)
    return AtLeast(score_of(formula).threshold, *formula.parts) if is_ladder else formula


def _refuse_rest(literal: Literal | None, rest: int) -> None:
    if rest and isinstance(literal, Ladder):
        n = len(literal.steps)
        message = (
            f"{literal.name!r} has {n} rungs, which have whole points only where it stands in the sum of the rule "
            f"itself, with a multiple of {n} points. Write its cuts one by one."
        )
        raise EncodingError(message)
