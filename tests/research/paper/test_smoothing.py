"""Υ and the schedules made of it."""

import numpy as np
import pytest

from crystalogic.network import Shape
from research.paper.smoothing import finish, smooth

VALUES = np.linspace(-2.97, 2.97, 198)


def test_smooth_applied_again_and_again_tends_to_rounding():
    values = VALUES
    for _ in range(60):
        values = smooth(values)
    np.testing.assert_allclose(values, np.rint(VALUES), atol=1e-9)


def test_smooth_with_a_large_exponent_tends_to_truncation_not_to_rounding():
    values = smooth(VALUES, 10**6)
    np.testing.assert_allclose(values, np.trunc(VALUES), atol=1e-9)
    assert smooth(np.array(0.9), 10**6) == pytest.approx(0)


@pytest.mark.parametrize(("exponent", "point"), [(2, 0.5), (4, 0.775), (8, 0.893), (16, 0.948)])
def test_the_repelling_point_of_smooth_moves_toward_one(exponent, point):
    below, above = smooth(np.array([point - 0.01, point + 0.01]), exponent) - [point - 0.01, point + 0.01]
    assert below < 0 < above


def test_smooth_keeps_integers_and_is_odd():
    assert (smooth(np.arange(-3.0, 4), 8) == np.arange(-3, 4)).all()
    np.testing.assert_allclose(smooth(-VALUES, 4), -smooth(VALUES, 4))


def test_the_papers_schedule_keeps_a_weight_only_above_0_7242():
    shape = Shape(1, (1,))
    parameters = np.array([[0.7240, 0.7240, -0.7244, 1.7244]])
    assert finish(shape, parameters, "paper").tolist() == [[0, 0, -1, 2]]
    assert finish(shape, parameters, "round").tolist() == [[1, 1, -1, 2]]


def test_the_iterated_schedule_is_rounding():
    shape = Shape(7, (4,))
    parameters = np.random.default_rng(0).uniform(-1.4, 1.4, (20, shape.n_parameters))
    assert (finish(shape, parameters, "iterated") == finish(shape, parameters, "round")).all()
