"""How surprising a difference between two tables is if nothing changed: p-values, and what is left of many of them."""

from collections.abc import Sequence
from math import sqrt

from crystalogic.arrays import np
from crystalogic.intervals import Share


def surprise_of_shares(one: Share, other: Share) -> float:
    """Fisher's exact test, two-sided: tables that are no likelier than this one, the sums being what they are.

    >>> round(surprise_of_shares(Share(3, 4), Share(1, 4)), 4)
    0.4857
    """
    from scipy.special import gammaln

    yes = one.yes + other.yes
    found = np.arange(max(0, yes - other.n), min(one.n, yes) + 1)
    likely = -sum(gammaln(cell + 1) for cell in (found, one.n - found, yes - found, other.n - yes + found))
    likely = np.exp(likely - likely.max())
    own = likely[one.yes - found[0]] * (1 + 1e-7)  # equally likely ones differ by rounding
    return float(likely[likely <= own].sum() / likely.sum())


def surprise_of_curves(distance: float, n: int, m: int) -> float:
    """The test of Kolmogorov and Smirnov for the greatest distance of two shares of n and m numbers up to a point.

    >>> round(surprise_of_curves(0.2, 100, 100), 3)
    0.031
    """
    from scipy.special import kolmogorov

    root = sqrt(n * m / (n + m)) if n and m else 0.0
    return float(kolmogorov(distance * (root + 0.12 + 0.11 / root))) if root else 1.0


def are_beyond_chance(p_values: Sequence[float], level: float) -> list[bool]:
    """Which tests to believe if all of them together may err with the probability `level` (Holm, 1979).

    >>> are_beyond_chance([0.06, 0.001, 0.02], 0.05)
    [False, True, True]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    held = [p_values[place] <= level / (len(order) - rank) for rank, place in enumerate(order)]
    n = held.index(False) if False in held else len(held)
    return [place in order[:n] for place in range(len(order))]
