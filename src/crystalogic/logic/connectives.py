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
)

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
