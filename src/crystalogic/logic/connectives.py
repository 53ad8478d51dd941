"""What each connective computes: the one home of the equations of Łukasiewicz logic.

Every strong connective clamps an integer-affine function of its parts, ψ(Σ wᵢ·partᵢ + b): that is why neurons are
connectives. Only the weak connectives ∧, ∨ and ↔ are not of this form by themselves; they are definable from
those that are.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

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
from crystalogic.logic.walk import subformulas

Affine = tuple[dict[Formula, int], int]


def clamp_weights(node: Formula) -> tuple[Sequence[int], int] | None:
    """(w, b) such that the node is ψ(Σ wᵢ·partᵢ + b), or None for ∧, ∨, ↔ and variables."""
    m = len(node.parts)
    match node:
        case Constant():
            return (), node.value
        case Not():
            return (-1,), 1
        case StrongAnd():
            return (1,) * m, 1 - m
        case StrongOr():
            return (1,) * m, 0
        case Implies():
            return (-1, 1), 1
        case AtLeast():
            return (1,) * m, 1 - node.k
    return None


def clamp_form(node: Formula) -> Affine | None:
    """The same over the parts without their negations, like parts collected: {part: weight}, bias.

    A part ¬x of weight w counts as x of weight -w, with w added to the bias.
    """
    found = clamp_weights(node)
    if found is None:
        return None
    weights, bias = found
    return collect(zip(node.parts, weights, strict=True), bias)


def collect(terms: Iterable[tuple[Formula, int]], bias: int) -> Affine:
    """Σ weight · formula + bias with like terms together, negations and constants moved into weights and bias."""
    weights: dict[Formula, int] = {}
    for formula, weight in terms:
        while isinstance(formula, Not):
            formula, weight, bias = formula.parts[0], -weight, bias + weight
        if isinstance(formula, Constant):
            bias += weight * formula.value
        else:
            weights[formula] = weights.get(formula, 0) + weight
    return {formula: weight for formula, weight in weights.items() if weight}, bias


def strong_form(node: Formula) -> Formula:
    """A weak connective in terms of → and ⊗; any other node as it is.

    x ∧ y = x ⊗ (x → y), x ∨ y = (x → y) → y, x ↔ y = (x → y) ⊗ (y → x).
    """
    match node:
        case Minimum():
            return reduce(lambda weak, part: StrongAnd(weak, Implies(weak, part)), node.parts)
        case Maximum():
            return reduce(lambda weak, part: Implies(Implies(weak, part), part), node.parts)
        case Iff():
            left, right = node.parts
            return StrongAnd(Implies(left, right), Implies(right, left))
    return node


BOTH = frozenset((1, -1))


def signs(formula: Formula) -> dict[str, frozenset[int]]:
    """For each variable, the signs of its occurrences: 1 under an even number of negations, -1 under an odd one.

    Every connective but ↔ never falls as a part of it rises, except ¬ and the left side of →, which never rise. So by
    composition the degree never falls as a variable rises that occurs with the sign 1 alone, nor rises as one does that
    occurs with -1 alone, whatever the others are; a variable of both signs may do either.

    >>> from crystalogic.logic.parse import parse
    >>> {name: sorted(found) for name, found in signs(parse("(a → b) ⊗ at least 2 of (b, ¬c, a)")).items()}
    {'a': [-1, 1], 'b': [1], 'c': [-1]}
    """
    found: dict[Formula, frozenset[int]] = {formula: frozenset((1,))}
    nodes = subformulas(formula)
    for node in reversed(nodes):
        for place, part in enumerate(node.parts):
            is_turned = isinstance(node, Not) or (isinstance(node, Implies) and place == 0)
            passed = frozenset(-sign for sign in found[node]) if is_turned else found[node]
            found[part] = found.get(part, frozenset()) | (BOTH if isinstance(node, Iff) else passed)
    return {node.name: found[node] for node in nodes if isinstance(node, Variable)}
