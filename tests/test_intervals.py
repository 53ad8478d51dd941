"""Exact binomial intervals against their definition."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

from crystalogic.errors import RiskError
from crystalogic.intervals import binomial_interval


def _at_least(yes, n, share):
    return sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(yes, n + 1))


@given(
    st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.8, 0.9, 0.95])
)
def test_at_its_ends_the_count_is_just_a_surprise(counts, level):
    yes, n = counts
    low, high = binomial_interval(yes, n, level)
    tail = (1 - level) / 2
    assert low <= yes / n <= high
    assert low == 0 if yes == 0 else _at_least(yes, n, low) == pytest.approx(tail)
    assert high == 1 if yes == n else 1 - _at_least(yes + 1, n, high) == pytest.approx(tail)


@given(
    st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.5, 0.9, 0.99])
)
def test_many_rows_are_told_as_scipy_tells_them(counts, level):
    yes, n = counts
    low, high = binomial_interval(yes, n, level)
    tail = (1 - level) / 2
    assert low == pytest.approx(float(betaincinv(yes, n - yes + 1, tail)) if yes else 0, rel=1e-6)
    assert 1 - high == pytest.approx(float(betaincinv(n - yes, yes + 1, tail)) if yes < n else 0, rel=1e-6)


@pytest.mark.parametrize(("yes", "n", "level"), [(3, 2, 0.9), (-1, 2, 0.9), (1, 2, 1.0), (1, 2, 0.0)])
def test_what_is_no_count_is_refused(yes, n, level):
    with pytest.raises(RiskError, match="expected a count from 0 to 2 and a level between 0 and 1"):
        binomial_interval(yes, n, level)
