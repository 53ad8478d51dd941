"""What each connective computes: the one home of the equations of Łukasiewicz logic.

Every strong connective clamps an integer-affine function of its parts, ψ(Σ wᵢ·partᵢ + b): that is why neurons are
connectives. Only the weak connectives ∧, ∨ and ↔ are not of this form; they are definable from those that are.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

from crystalogic.logic import formula as f
from crystalogic.logic.walk import subformulas

Affine = tuple[dict[f.Formula, int], int]


def clamp_weights(node: f.Formula) -> tuple[Sequence[int], int] | None:
    """(w, b) such that the node is ψ(Σ wᵢ·partᵢ + b), or None for ∧, ∨, ↔ and variables."""
    m = len(node.parts)
    match node:
        case f.Constant():
            return (), node.value
        case f.Not():
            return (-1,), 1
        case f.Implies():
            return (-1, 1), 1
        case f.StrongAnd() | f.StrongOr() | f.AtLeast():
            k = node.k if isinstance(node, f.AtLeast) else 1 if isinstance(node, f.StrongOr) else m
            return (1,) * m, 1 - k
    return None


def clamp_form(node: f.Formula) -> Affine | None:
    """The same over the parts without their negations, like parts collected: {part: weight}, bias."""
    found = clamp_weights(node)
    return None if found is None else collect(zip(node.parts, found[0], strict=True), found[1])


def collect(terms: Iterable[tuple[f.Formula, int]], bias: int) -> Affine:
    """Σ weight · formula + bias with like terms together, negations and constants moved into weights and bias."""
    weights: dict[f.Formula, int] = {}
    for formula, weight in terms:
        while isinstance(formula, f.Not):
            formula, weight, bias = formula.parts[0], -weight, bias + weight
        if isinstance(formula, f.Constant):
            bias += weight * formula.value
        else:
            weights[formula] = weights.get(formula, 0) + weight
    return {formula: weight for formula, weight in weights.items() if weight}, bias


def strong_form(node: f.Formula) -> f.Formula:
    """A weak connective in terms of → and ⊗; any other node as it is:
    x ∧ y = x ⊗ (x → y), x ∨ y = (x → y) → y, x ↔ y = (x → y) ⊗ (y → x)."""
    match node:
        case f.Minimum():
            return reduce(lambda weak, part: f.StrongAnd(weak, f.Implies(weak, part)), node.parts)
        case f.Maximum():
            return reduce(lambda weak, part: f.Implies(f.Implies(weak, part), part), node.parts)
        case f.Iff():
            left, right = node.parts
            return f.StrongAnd(f.Implies(left, right), f.Implies(right, left))
    return node


def signs(formula: f.Formula) -> dict[str, frozenset[int]]:
    """For each variable, the signs of its occurrences: 1 under an even number of negations, -1 under an odd one.

    Every connective but ↔ never falls as a part of it rises, except ¬ and the left side of →, which never rise. So by
    composition the degree never falls as a variable rises that occurs with the sign 1 alone, nor rises as one does that
    occurs with -1 alone, whatever the others are; a variable of both signs may do either.

    >>> from crystalogic.logic.parse import parse
    >>> {name: sorted(found) for name, found in signs(parse("(a → b) ⊗ at least 2 of (b, ¬c, a)")).items()}
    {'a': [-1, 1], 'b': [1], 'c': [-1]}
    """
    found: dict[f.Formula, frozenset[int]] = {formula: frozenset((1,))}
    nodes = subformulas(formula)
    for node in reversed(nodes):
        for place, part in enumerate(node.parts):
            is_turned = isinstance(node, f.Not) or (isinstance(node, f.Implies) and place == 0)
            passed = frozenset(-sign for sign in found[node]) if is_turned else found[node]
            found[part] = found.get(part, frozenset()) | (passed if not isinstance(node, f.Iff) else {1, -1})
    return {node.name: found[node] for node in nodes if isinstance(node, f.Variable)}
