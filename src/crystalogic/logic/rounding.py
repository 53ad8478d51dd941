"""How far an evaluation with floating-point numbers can be from the exact one.

Every step of a formula is a clamped sum b + Σ wᵢxᵢ of m terms, added from left to right. If the computed xᵢ are off
by at most δᵢ, then the computed sum is off by at most (N. Higham, Accuracy and Stability of Numerical Algorithms, §4.2)

    Σ |wᵢ| δᵢ + γ (|b| + Σ |wᵢ| (1 + δᵢ)),   γ = (m + 1) u / (1 - (m + 1) u),   u = 2⁻⁵³ for doubles,

because every term passes one product and at most m additions. Clamping, the minimum and the maximum add nothing, for
they never move two numbers apart. x ↔ y = 1 - |x - y| is two subtractions.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.logic.evaluate import program_of
from crystalogic.logic.formula import Formula, Iff, Maximum, Minimum, Variable

Bounds = tuple[Array, Array]

DOUBLE = Fraction(1, 2**53)  # the unit roundoff u
FINEST = 2**320  # a longer denominator becomes this


def rounding_bound(formula: Formula, inputs: Fraction = Fraction(0), unit: Fraction = DOUBLE) -> Fraction:
    """The most by which a degree that is computed with floats differs from the exact one.

    `inputs` is by how much the truth values of the variables may be off already.

    >>> from crystalogic.logic.parse import parse
    >>> rounding_bound(parse("{cp=4} ∧ ¬{ca=0}"), unit=DOUBLE) < Fraction(1, 10**15)
    True
    """
    off: dict[Formula, Fraction] = {}
    for step in program_of(formula):
        match step.node:
            case Variable():
                off[step.node] = inputs
            case Minimum() | Maximum():
                off[step.node] = max(off[part] for part in step.node.parts)
            case Iff():
                parts = sum((off[part] for part in step.node.parts), Fraction(0))
                off[step.node] = parts + _gamma(2, unit) * (2 + parts)
            case _:
                off[step.node] = sum_bound(step.bias, [(weight, off[part]) for part, weight in step.terms], unit)
        if off[step.node].denominator > FINEST:  # rounded up: the fractions of a deep formula would grow on
            off[step.node] = Fraction(-(-off[step.node].numerator * FINEST // off[step.node].denominator), FINEST)
        off[step.node] = min(Fraction(1), off[step.node])
    return off[formula]


def degree_bounds(formula: Formula, values: Mapping[str, Bounds]) -> Bounds:
    """Bounds of the exact degrees of many rows, from bounds of the truth values, computed with doubles.

    They meet where a sum is clamped, or made of 0 and 1 alone: there the degree is known exactly.
    """
    known: dict[Formula, Bounds] = {}
    for step in program_of(formula):
        node, size = step.node, abs(step.bias) + sum(abs(weight) for _, weight in step.terms)
        off: Any = float(_gamma(len(step.terms) + 2, DOUBLE) * (size + 2))
        match node:
            case Variable():
                known[node] = values[node.name]
                continue
            case Minimum() | Maximum():
                choose = np.minimum if isinstance(node, Minimum) else np.maximum
                low, high = (reduce(choose, each) for each in zip(*(known[part] for part in node.parts), strict=True))
                off = 0
            case Iff():
                (a, b), (c, d) = (known[part] for part in node.parts)
                low, high = 1 - np.maximum(b - c, d - a), 1 - np.maximum(np.maximum(a - d, c - b), 0)
            case _:
                low = high = np.asarray(float(step.bias))
                is_whole = np.asarray(True)
                for part, weight in step.terms:
                    least, most = known[part] if weight > 0 else known[part][::-1]
                    low, high = low + weight * least, high + weight * most
                    is_whole = is_whole & (least == most) & ((least == 0) | (least == 1))
                off = np.where(is_whole, 0, off)
        known[node] = np.clip(low - off, 0, 1), np.clip(high + off, 0, 1)
    return known[formula]


def sum_bound(bias: int, terms: Sequence[tuple[int, Fraction]], unit: Fraction = DOUBLE) -> Fraction:
    """The same for one clamped sum; `terms` are the weights and by how much what they weigh is off."""
    carried = sum((abs(weight) * off for weight, off in terms), Fraction(0))
    size = abs(bias) + sum(abs(weight) for weight, _ in terms) + carried
    return carried + _gamma(len(terms) + 1, unit) * size


def _gamma(n: int, unit: Fraction) -> Fraction:
    return n * unit / (1 - n * unit)
