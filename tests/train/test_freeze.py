"""Freezing: nearest first, held for good, none left at the end."""

import numpy as np
import pytest

from crystalogic.train.strategy import freeze_nearest, n_free_after


@pytest.mark.parametrize(("n_steps", "refit"), [(100, 4), (1200, 30), (7, 3), (1, 5)])
def test_the_free_parameters_only_fall_and_none_is_left(n_steps, refit):
    found = [n_free_after(step, n_steps, refit, 161) for step in range(n_steps)]
    numbers = [number for number in found if number is not None]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] == 0
    assert len(numbers) == -(-n_steps // refit)


def test_nothing_is_frozen_before_the_phase_begins():
    assert n_free_after(-3, 100, 3, 50) is None


def test_held_parameters_stay_held_and_integers():
    rng = np.random.default_rng(0)
    parameters, is_free = rng.normal(size=(3, 20)), np.ones((3, 20), bool)
    freeze_nearest(parameters, is_free, 12)
    held = parameters[~is_free].copy()
    assert is_free.sum(axis=1).tolist() == [12, 12, 12]
    assert (held == np.rint(held)).all()
    was_free = is_free.copy()
    parameters[is_free] += 0.3
    freeze_nearest(parameters, is_free, 0)
    assert not is_free.any()
    assert (parameters[~was_free] == held).all()
