"""Statistics over tables and splits, against hand-made and published figures."""

import numpy as np
import pytest

from research.bench.statistics import (
    bootstrap_mean,
    compare_splits,
    corrected_p_value,
    critical_difference,
    jaccard,
    rank_rows,
    signed_rank_odds,
)


@pytest.mark.parametrize(("n_learners", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_differences_have_the_q_of_demsars_table(n_learners, q):
    n_tables = 14
    expected = q * (n_learners * (n_learners + 1) / (6 * n_tables)) ** 0.5
    assert critical_difference(n_learners, n_tables) == pytest.approx(expected, rel=1e-3)


def test_equal_scores_share_their_ranks():
    assert rank_rows(np.array([[0.5, 0.5, 0.9], [0.1, 0.2, 0.3]])).tolist() == [[2.5, 2.5, 1], [3, 2, 1]]


def test_the_bootstrap_holds_the_mean_and_repeats_itself():
    gaps = np.random.default_rng(1).normal(0.02, 0.03, 40)
    found = bootstrap_mean(gaps)
    assert found == bootstrap_mean(gaps)
    assert found.low < found.mean < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * gaps.std() / 40**0.5, rel=0.1)


def test_the_signed_rank_test_tells_better_level_and_worse():
    assert signed_rank_odds(np.full(20, 0.05)).better > 0.99
    assert signed_rank_odds(np.full(20, -0.05)).worse > 0.99
    assert signed_rank_odds(np.random.default_rng(0).normal(0, 0.002, 20)).level > 0.99


def test_the_corrected_test_is_the_paired_t_test_with_a_larger_variance():
    from scipy.stats import t

    gaps = np.array([0.01, 0.03, 0.02, 0.00, 0.02])
    statistic = gaps.mean() / (gaps.var(ddof=1) * (1 / 5 + 0.25)) ** 0.5
    assert corrected_p_value(gaps) == pytest.approx(2 * t.sf(statistic, 4))
    assert corrected_p_value(gaps, test_share=0.0) < corrected_p_value(gaps)


@pytest.mark.parametrize(("gaps", "sign"), [([0.1], 0), ([0.0, 0.0], 0), ([0.1, 0.1], 1), ([-0.1, -0.1, -0.11], -1)])
def test_one_split_tells_nothing_and_equal_gaps_everything(gaps, sign):
    assert compare_splits(np.array(gaps)) == sign


def test_columns_in_common():
    assert jaccard([0b101, 0b101]) == 1
    assert jaccard([0b100, 0b011]) == 0
    assert np.isnan(jaccard([0b1]))
