"""The tests that decide whether a difference is one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact, ks_2samp

from crystalogic.intervals import Share
from crystalogic.watching.fits import are_beyond_chance, surprise_of_curves, surprise_of_shares
from depth import deep

counts = st.integers(1, 60).flatmap(lambda n: st.builds(Share, st.integers(0, n), st.just(n)))


@settings(max_examples=deep(60), deadline=None)
@given(counts, counts)
def test_shares_are_compared_by_fishers_test(one, other):
    table = [[one.yes, one.n - one.yes], [other.yes, other.n - other.yes]]
    assert surprise_of_shares(one, other) == pytest.approx(fisher_exact(table)[1])
    assert surprise_of_shares(one, other) == pytest.approx(surprise_of_shares(other, one))


def test_a_million_rows_are_compared_in_a_moment():
    assert surprise_of_shares(Share(500_000, 10**6), Share(500_100, 10**6)) == pytest.approx(0.888, abs=1e-3)


def test_curves_are_compared_by_the_test_of_kolmogorov_and_smirnov():
    one, other = range(300), range(40, 340)
    known = ks_2samp(one, other, method="asymp")
    assert surprise_of_curves(known.statistic, 300, 300) == pytest.approx(known.pvalue, rel=0.2)
    assert surprise_of_curves(0.3, 0, 10) == 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_is_between_bonferroni_and_no_correction(p_values):
    found = are_beyond_chance(p_values, 0.05)
    for p_value, is_believed in zip(p_values, found, strict=True):
        assert is_believed or p_value > 0.05 / len(p_values)
        assert not is_believed or p_value <= 0.05
