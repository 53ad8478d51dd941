"""Log odds that were told of rows held out, and by what factor they were off."""

import numpy as np
import pytest

from crystalogic.learner.crystals import LEAST, calibrate, fit_factor
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import logistic


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_odds_that_are_off_by_a_factor_are_set_right(factor: float) -> None:
    random = np.random.default_rng(0)
    odds = random.normal(scale=1.5, size=20_000)
    labels = (random.random(len(odds)) < logistic(factor * odds)).astype(float)
    assert fit_factor(odds, labels, np.ones(len(odds))) == pytest.approx(factor, rel=0.05)


def test_few_rows_change_little_and_rows_that_weigh_more_change_more() -> None:
    odds, labels = np.array([1.0, 1.0, -1.0]), np.array([1.0, 1.0, 0.0])
    few, many = (fit_factor(odds, labels, np.full(3, weight)) for weight in (1.0, 100.0))
    assert 0.95 < few < 1.05 < 2 < many


def test_ten_rows_without_exception_are_not_certainty() -> None:
    odds = np.repeat([5.0, -5.0], 10)
    assert 0.85 < logistic(5.0 * fit_factor(odds, (odds > 0) * 1.0, np.ones(20))) < 0.97


def test_odds_that_are_worse_than_none_still_rise_and_no_decision_changes() -> None:
    odds = np.linspace(-3, 3, 1000)
    labels = (odds < 0).astype(float)
    rule = Rule((Item((0,)), Item((1,))), (2, 1), 1.5, -2.0)
    honest = calibrate(rule, odds, labels, np.ones(1000))
    assert fit_factor(odds, labels, np.ones(1000)) == LEAST
    assert honest.rule.threshold == rule.threshold
    assert 0 < honest.rule.slope < rule.slope


def test_rows_held_out_count_for_the_score_that_tells_what_they_were_told() -> None:
    rule = Rule((Item((0,)), Item((1,))), (2, 1), 1.0, -1.5)  # log odds -1.5, -0.5, 0.5, 1.5
    odds = np.repeat([-1.4, -0.6, 0.2, 0.9, 1.6, 7.0], 50)
    labels = np.tile([0.0, 1.0], 150)
    honest = calibrate(rule, odds, labels, np.full(300, 2.0))
    factor = fit_factor(odds, labels, np.full(300, 2.0))
    levels, scores = honest.rule.told
    nearest = np.abs(levels[:, None] - factor * odds).argmin(axis=0)
    assert honest.seen == tuple((score, n, n // 2) for score, n in zip(scores, np.bincount(nearest), strict=True))


def test_rows_are_not_counted_where_they_weigh_differently_or_nothing_is_asked() -> None:
    rule = Rule((Item((0,)),), (1,), 1.0, -0.5)
    odds, labels = np.array([0.5, -0.5]), np.array([1.0, 0.0])
    assert calibrate(rule, odds, labels, np.array([1.0, 2.0])).seen == ()
    assert calibrate(Rule((), (), 0.0, 0.3), odds, labels, np.ones(2)).seen == ()


def test_scores_that_tell_the_same_are_counted_at_the_middle_one() -> None:
    rule = Rule((Item((0,)), Item((1,)), Item((2,))), (1, 1, 1), 1.0, -0.5, most=1)
    seen = calibrate(rule, np.array([-0.5, 0.5, 0.5]), np.array([0.0, 1.0, 0.0]), np.ones(3)).seen
    assert seen == ((0, 1, 0), (2, 2, 1))
