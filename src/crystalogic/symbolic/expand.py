"""Expand a threshold into ⊗ and ⊕ alone, by the lemma of Rose and Rosser.

For an integer-affine g, a literal x in [0,1] and σ the clamp to [0,1],

    σ(g + x) = (σ(g) ⊕ x) ⊗ σ(g + 1).

Write T(j, t) for "at least t of the first j literals". The lemma says T(j, t) = (T(j-1, t) ⊕ xⱼ) ⊗ T(j-1, t-1), with
T(j, 1) the disjunction and T(j, j) the conjunction of the first j. At least k of m needs the T(j, t) with
0 ≤ k - t ≤ m - j only: k(m - k + 1) ≤ (m + 1)²/4 of them in a shared DAG, each one ⊕ and one ⊗ at most, where the tree
has exponentially many.
"""

from crystalogic.errors import TooLargeError
from crystalogic.logic.formula import Formula, StrongAnd, StrongOr
from crystalogic.symbolic.read import Kind, Threshold

MOST_THRESHOLDS = 50_000


def expand(threshold: Threshold) -> Formula:
    """The same function in ⊗, ⊕ and ¬.

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
