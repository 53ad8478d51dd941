"""Read a neuron: every integer neuron is "at least k of m literals", exactly.

Write -x as (1 - x) - 1. With m literals, n of them negated, ψ(Σ wᵢxᵢ + b) = ψ(Σ literals - (k - 1)) for
k = n - b + 1. Proposition 1 of the paper names k = m (b = -p + 1, the conjunction) and k = 1 (b = n, the
disjunction); Theorem 1 is the case of two inputs of weight +1, a merge neuron; k ≤ 0 and k > m are constants; what
lies between is a graded threshold. A weight beyond ±1 repeats its literal: these are points, and with points also "all"
and "any" are read as the number of points that they need.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from crystalogic.errors import TooLargeError
from crystalogic.logic.connectives import collect
from crystalogic.logic.formula import AtLeast, Constant, Formula, Not, StrongAnd, StrongOr

MOST_LITERALS = 10_000  # of one neuron, weights repeated


class Kind(Enum):
    """What a neuron turns out to be."""

    CONSTANT = "constant"
    LITERAL = "literal"
    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    THRESHOLD = "at least k of m"


@dataclass(frozen=True)
class Threshold:
    """At least k of the literals: the one shape of all integer neurons."""

    k: int
    literals: tuple[Formula, ...]

    @property
    def kind(self) -> Kind:
        m = len(self.literals)
        if self.k <= 0 or self.k > m:
            return Kind.CONSTANT
        if m == 1:
            return Kind.LITERAL
        if self.k == m:
            return Kind.CONJUNCTION
        return Kind.DISJUNCTION if self.k == 1 else Kind.THRESHOLD

    @property
    def has_points(self) -> bool:
        """Whether some of several literals count more than once."""
        return 1 < len(set(self.literals)) < len(self.literals)

    def formula(self) -> Formula:
        """The formula with the plainest connective.

        >>> from crystalogic.logic.formula import variables
        >>> a, b, c = variables("a b c")
        >>> print(Threshold(2, (a, b)).formula(), "and", Threshold(2, (a, b, c)).formula())
        a ⊗ b and at least 2 of (a, b, c)
        >>> print(Threshold(3, (a, a, b)).formula())
        at least 3 of (2·a, b)
        """
        match self.kind:
            case Kind.CONSTANT:
                return Constant(int(self.k <= 0))
            case Kind.LITERAL:
                return self.literals[0]
            case Kind.CONJUNCTION if not self.has_points:
                return StrongAnd(*self.literals)
            case Kind.DISJUNCTION if not self.has_points:
                return StrongOr(*self.literals)
        return AtLeast(self.k, *self.literals)


def read_threshold(terms: Iterable[tuple[Formula, int]], bias: int) -> Threshold:
    """ψ(Σ weight · formula + bias) as a threshold; constants and like terms are collected first.

    >>> from crystalogic.logic.formula import variables
    >>> t, o, c = variables("trestbps oldpeak ca")
    >>> print(read_threshold([(t, -1), (o, -1), (c, -1)], 1).formula())
    ¬trestbps ⊗ ¬oldpeak ⊗ ¬ca
    """
    weights, bias = collect(terms, bias)
    n_literals = sum(abs(weight) for weight in weights.values())
    if n_literals > MOST_LITERALS:
        message = f"a neuron whose weights add up to {n_literals:,} cannot be read, at most {MOST_LITERALS:,} can."
        raise TooLargeError(message)
    literals: list[Formula] = []
    for formula, weight in weights.items():
        literals += [formula if weight > 0 else Not(formula)] * abs(weight)
    n_negated = sum(-weight for weight in weights.values() if weight < 0)
    return Threshold(n_negated - bias + 1, tuple(literals))


MOST_THRESHOLDS = 50_000


def expand(threshold: Threshold) -> Formula:
    """The same function in ⊗, ⊕ and ¬, by the lemma of Rose and Rosser.

    For an integer-affine g, a literal x in [0,1] and σ the clamp to [0,1], σ(g + x) = (σ(g) ⊕ x) ⊗ σ(g + 1). Write
    T(j, t) for "at least t of the first j literals"; so T(j, t) = (T(j-1, t) ⊕ xⱼ) ⊗ T(j-1, t-1), with T(j, 1) the
    disjunction and T(j, j) the conjunction of the first j. At least k of m needs the T(j, t) with 0 ≤ k - t ≤ m - j
    only: k(m - k + 1) ≤ (m + 1)²/4 of them in a shared DAG, where the tree has exponentially many.

    >>> from crystalogic.logic.formula import variables
    >>> print(expand(Threshold(2, variables("a b c"))))
    (a ⊗ b ⊕ c) ⊗ (a ⊕ b)
    """
    if threshold.kind is Kind.CONJUNCTION:
        return StrongAnd(*threshold.literals)
    if threshold.kind is Kind.DISJUNCTION:
        return StrongOr(*threshold.literals)
    if threshold.kind is not Kind.THRESHOLD:
        return threshold.formula()
    k, literals = threshold.k, threshold.literals
    if n_thresholds(threshold) > MOST_THRESHOLDS:
        message = (
            f"at least {k} of {len(literals)} expands to {n_thresholds(threshold):,} thresholds, more than "
            f"{MOST_THRESHOLDS:,}. Extract with mode 'at_least'."
        )
        raise TooLargeError(message)
    row: dict[int, Formula] = {}  # t -> T(j, t) for the current j
    for j, literal in enumerate(literals, 1):
        before, row = row, {}
        for t in range(max(1, k - (len(literals) - j)), min(j, k) + 1):
            if t in (1, j):
                row[t] = expand(Threshold(t, literals[:j]))
            else:
                row[t] = StrongAnd(StrongOr(before[t], literal), before[t - 1])
    return row[k]


def n_thresholds(threshold: Threshold) -> int:
    """How many T(j, t) the expansion shares: at most (m + 1)²/4.

    >>> from crystalogic.logic.formula import variables
    >>> n_thresholds(Threshold(11, variables(f"x{i}" for i in range(22))))
    132
    """
    return max(1, threshold.k * (len(threshold.literals) - threshold.k + 1))
