"""Honest statistics over tables and splits: pure functions of arrays.

Sources: Demšar (2006) for ranks and critical differences; Nadeau and Bengio (2003) for the variance of differences on
splits that share training rows; Benavoli et al. (2017) for the Bayesian signed-rank test.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
N_DRAWS = 20_000
SEED = 0


@dataclass(frozen=True)
class Interval:
    """A mean and the bounds of its interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Odds:
    """How likely the first of two is better on a new table, how likely the two are level, and the second is better."""

    better: float
    level: float
    worse: float


def rank_rows(scores: Array) -> Array:
    """Ranks within each row, 1 for the highest; equal scores share their ranks.

    >>> rank_rows(np.array([[0.9, 0.8, 0.9]])).tolist()
    [[1.5, 3.0, 1.5]]
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(-np.round(scores, 12), axis=1))


def critical_difference(n_learners: int, n_tables: int, level: float = 0.05) -> float:
    """Mean ranks further apart than this differ, by Nemenyi's test.

    >>> round(critical_difference(5, 30), 2)  # Demšar's q for 5 learners is 2.728
    1.11
    """
    from scipy.stats import studentized_range

    q = studentized_range.ppf(1 - level, n_learners, np.inf) / sqrt(2)
    return float(q * sqrt(n_learners * (n_learners + 1) / (6 * n_tables)))


def bootstrap_mean(differences: Array, share: float = 0.95, n_draws: int = N_DRAWS, seed: int = SEED) -> Interval:
    """The mean difference over tables, and where it lies if other tables had been drawn."""
    values = np.asarray(differences, dtype=float)
    picks = np.random.default_rng(seed).integers(0, len(values), (n_draws, len(values)))
    low, high = np.quantile(values[picks].mean(axis=1), [(1 - share) / 2, (1 + share) / 2])
    return Interval(float(values.mean()), float(low), float(high))


def signed_rank_odds(differences: Array, level: float = 0.01, n_draws: int = N_DRAWS, seed: int = SEED) -> Odds:
    """The Bayesian signed-rank test: differences of at most `level` count as none.

    Weights of tables are drawn from a Dirichlet distribution, a pseudo-table at 0 with the weight 1/2 among them; each
    draw says which region the mean of two tables most likely falls into.
    """
    values = np.concatenate([[0.0], np.asarray(differences, dtype=float)])
    sums = values[:, None] + values[None, :]
    is_better, is_worse = (sums > 2 * level).astype(float), (sums < -2 * level).astype(float)
    prior = np.ones(len(values))
    prior[0] = 0.5
    weights = np.random.default_rng(seed).dirichlet(prior, n_draws)
    better = np.einsum("di,ij,dj->d", weights, is_better, weights, optimize=True)
    worse = np.einsum("di,ij,dj->d", weights, is_worse, weights, optimize=True)
    shares = np.stack([better, 1 - better - worse, worse], axis=1)
    wins = np.bincount(shares.argmax(axis=1), minlength=3) / n_draws
    return Odds(*(float(each) for each in wins))


def compare_splits(differences: Array, test_share: float = 0.2, level: float = 0.05) -> int:
    """1 where the first is ahead beyond noise, -1 where behind, else 0: the corrected resampled t-test.

    >>> compare_splits(np.array([0.02, 0.03, 0.02, 0.03, 0.02])), compare_splits(np.array([0.05, -0.04, 0.01]))
    (1, 0)
    """
    return int(np.sign(np.mean(differences))) if corrected_p_value(differences, test_share) < level else 0


def corrected_p_value(differences: Array, test_share: float = 0.2) -> float:
    """Two-sided, of paired differences on resampled splits; the variance grows by test rows over training rows."""
    from scipy.stats import t

    values = np.asarray(differences, dtype=float)
    n = len(values)
    if n < 2:
        return 1.0
    variance = values.var(ddof=1) * (1 / n + test_share / (1 - test_share))
    if variance < 1e-18:
        return 1.0 if abs(values.mean()) < 1e-9 else 0.0
    return float(2 * t.sf(abs(values.mean()) / sqrt(variance), n - 1))


def jaccard(sets: list[int]) -> float:
    """How alike sets of columns are, each a number with a bit for each column: the mean share that two have in common.

    >>> round(jaccard([0b11, 0b01, 0b11]), 3)
    0.667
    """
    pairs = [(one, other) for place, one in enumerate(sets) for other in sets[place + 1 :]]
    shares = [(one & other).bit_count() / max(1, (one | other).bit_count()) for one, other in pairs]
    return float(np.mean(shares)) if shares else float("nan")
