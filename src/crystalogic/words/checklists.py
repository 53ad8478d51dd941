"""Formulas as checklists, in a person's own column names, values and units."""

from collections import Counter
from collections.abc import Collection, Mapping

from crystalogic.encoding import Literal
from crystalogic.logic.formula import AtLeast, Constant, Formula, Not, StrongAnd, StrongOr, Variable, is_longer
from crystalogic.logic.names import one_line
from crystalogic.words.literals import literal_words

MOST_LEVELS = 12  # a formula nested deeper is shown as a formula
MOST_LISTED = 10_000  # lines; a longer formula is shown as a formula


def checklist(formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str] = ()) -> str:
    """The formula as indented lines, one for each thing to check; `gaps` are the columns with missing values.

    >>> from crystalogic.encoding import Cut, Is
    >>> from crystalogic.logic.parse import parse
    >>> literals = {"cp=4": Is("cp", "4"), "age ≥ 55": Cut("age", 55)}
    >>> print(checklist(parse("at least 2 of ({cp=4}, ¬{age ≥ 55})"), literals))
    at least 2 of these 2:
      - cp is 4
      - age is below 55
    >>> print(checklist(parse("{cp=4} ⊗ {cp=4} ⊗ {age ≥ 55}"), literals))
    all of these 3:
      - cp is 4, counted twice
      - age is at least 55
    """
    if is_longer(formula, MOST_LISTED):  # its tree may be larger than all memory
        return str(formula)
    return "\n".join(_lines(formula, literals, gaps, 0))


def _lines(formula: Formula, literals: Mapping[str, Literal], gaps: Collection[str], level: int) -> list[str]:
    indent = "  " * level
    bullet = f"{indent}- " if level else ""
    negated = isinstance(formula, Not)
    inner = formula.parts[0] if isinstance(formula, Not) else formula
    if isinstance(inner, Variable):
        literal = literals.get(inner.name)
        if literal is None:
            return [f"{bullet}{'not ' * negated}{one_line(inner.name)}"]
        return [f"{bullet}{literal_words(literal, negated=negated, gaps=gaps)}"]
    if isinstance(inner, Constant):
        return [f"{bullet}{'always' if inner.value != negated else 'never'}"]
    heading = heading_words(inner)
    if heading is None or level > MOST_LEVELS:
        return [f"{bullet}{formula}"]
    lines = [f"{bullet}{'not: ' * negated}{heading}:"]
    for part, times in Counter(inner.parts).items():
        first, *rest = _lines(part, literals, gaps, level + 1)
        counted = counted_words(times)
        lines += [f"{first[:-1]}{counted}:" if rest else f"{first}{counted}", *rest]
    return lines


def counted_words(times: int) -> str:
    """What is said of a part that stands in a list so many times."""
    return {1: "", 2: ", counted twice"}.get(times, f", counted {times} times")


def heading_words(formula: Formula) -> str | None:
    """What a strong connective asks of its parts; None for what is no list to check."""
    m = len(formula.parts)
    match formula:
        case StrongAnd():
            return "both of these" if m == 2 else f"all of these {m}"
        case StrongOr():
            return f"at least one of these {m}"
        case AtLeast():
            return f"at least {formula.k} of these {m}"
    return None
