"""Which size is chosen: the least loss on held-out rows, or a plainer rule that is as good."""

import numpy as np

from crystalogic.learner.choose import WORTH, Judged, Kind, choose, stretch
from crystalogic.learner.settings import Likelihood, Shape
from crystalogic.learner.task import Task

N = 400
ROWS = np.ones(N)
SHORT, LONG = Kind(Shape.CHECKLIST, 2), Kind(Shape.POINTS, 5)


def judged(size: float, losses: np.ndarray, n_wrong: int) -> Judged:
    return Judged(size, 0.0, np.zeros(N), losses, np.arange(N) >= n_wrong)


def noisy(mean: float, more: float = 0.0) -> np.ndarray:
    """Losses with this mean, on whose first half a rule is worse by `more` than on the other."""
    return mean + more * np.where(np.arange(N) % 2, 1.0, -1.0)


def test_a_longer_rule_has_to_earn_its_literals() -> None:
    gain = 3 * WORTH
    rules = {SHORT: judged(2, noisy(0.7), 80), LONG: judged(5, noisy(0.7 - 0.9 * gain), 80)}
    assert choose(rules, ROWS) == SHORT
    rules = {SHORT: judged(2, noisy(0.7), 80), LONG: judged(5, noisy(0.7 - 1.1 * gain), 80)}
    assert choose(rules, ROWS) == LONG


def test_who_gives_a_limit_gets_the_best_up_to_it() -> None:
    rules = {SHORT: judged(2, noisy(0.7), 80), LONG: judged(5, noisy(0.7 - WORTH), 80)}
    assert choose(rules, ROWS) == SHORT
    assert choose(rules, ROWS, is_frugal=False) == LONG
    assert Likelihood().is_frugal
    assert not Likelihood(max_literals=5).is_frugal


def test_a_plainer_rule_within_one_standard_error_is_as_good_if_it_is_as_often_right() -> None:
    """The longer rule is better by less than chance would explain."""
    gain = 3 * WORTH + 0.01  # the standard error of the difference is 0.3 / 20 = 0.015
    rules = {SHORT: judged(2, noisy(0.7, 0.3), 80), LONG: judged(5, noisy(0.7 - gain), 80)}
    assert choose(rules, ROWS) == SHORT
    assert choose(rules | {SHORT: judged(2, noisy(0.7, 0.3), 81)}, ROWS) == LONG
    assert choose(rules | {SHORT: judged(2, noisy(0.7, 0.1), 80)}, ROWS) == LONG


def test_rows_are_judged_by_the_goal_that_is_given() -> None:
    """Odds that are right on average cost less against soft targets than against labels that differ by chance."""
    labels = (np.arange(N) % 4 > 0).astype(float)
    held_out = Task(np.zeros((N, 1)), labels, ROWS, np.ones(1), np.zeros(1, int))
    told = Judged(1, 0.0, np.full(N, np.log(3.0)), np.zeros(N), labels > 0.5)
    by_labels, by_shares = stretch(told, held_out), stretch(told, held_out, np.full(N, 0.75))
    assert np.ptp(by_labels.losses) > 1
    assert np.ptp(by_shares.losses) == 0
    assert np.isclose(by_labels.losses.mean(), by_shares.losses.mean())


def test_up_to_a_limit_the_plainer_of_two_that_are_as_long_is_taken() -> None:
    checklist, points = Kind(Shape.CHECKLIST, 5), Kind(Shape.POINTS, 5)
    rules = {SHORT: judged(2, noisy(0.7, 0.3), 80), points: judged(5, noisy(0.69), 80)}
    assert choose(rules, ROWS, is_frugal=False) == points
    rules[checklist] = judged(5, noisy(0.7, 0.3), 80)
    assert choose(rules, ROWS, is_frugal=False) == checklist
