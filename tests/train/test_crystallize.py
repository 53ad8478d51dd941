"""Δ, T, rounding and the crystal they give."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TrainingDataError
from crystalogic.network import Shape
from crystalogic.train import RestartReport
from crystalogic.train.strategy import representation_error, ternary, to_crystal, to_lattice


def test_weights_are_clamped_and_biases_are_not():
    assert to_lattice(Shape(1, (1,)), np.array([[2.7, 2.7, -3.2, -3.2]])).tolist() == [[1, 3, -1, -3]]


def test_representation_error_is_the_squared_distance_to_integers():
    assert representation_error(np.array([[0.5, 2.0], [0.75, -0.75]])).tolist() == [0.25, 0.125]


def test_ternary_reads_the_sign_beyond_its_threshold():
    assert ternary(np.array([-0.5, -0.3, 0.3, 0.34])).tolist() == [-1, 0, 0, 1]
    assert ternary(np.array([0.45]), threshold=0.5).tolist() == [0]


def test_rounding_a_network_gives_its_crystal():
    shape, parameters = Shape(2, (1,)), np.array([0.9, 1.0, -1.0, 1.0, 0.0])
    crystal = to_crystal(shape, to_lattice(shape, parameters), ["a", "b"])
    assert crystal == Crystal(["a", "b"], [Neuron([0, 1], [1, 1], -1), Neuron([2], [1], 0)], [3])
    assert representation_error(parameters) == pytest.approx(0.01)


def test_a_crystal_cannot_be_built_from_floats():
    with pytest.raises(TrainingDataError, match="integers"):
        to_crystal(Shape(1, (1,)), np.array([0.5, 0, 0, 0]), ["a"])


@pytest.mark.parametrize(
    ("bias", "meaning"),
    [
        (-2, lambda f, h: Fraction(0)),
        (-1, lambda f, h: max(Fraction(0), f + h - 1)),
        (0, lambda f, h: min(Fraction(1), f + h)),
        (1, lambda f, h: Fraction(1)),
    ],
)
def test_a_merge_neuron_is_a_conjunction_a_disjunction_or_a_constant(bias, meaning):
    shape = Shape(2, (1, "residual"))
    lattice = np.array([1, 1, 0, -1, 1, bias, 1, 0])  # h = a ⊕ b, F = ¬h
    crystal = to_crystal(shape, lattice, ["a", "b"])
    for a, b in product([Fraction(k, 4) for k in range(5)], repeat=2):
        h = min(Fraction(1), a + b)
        assert crystal.run([a, b]) == (meaning(1 - h, h),)


def test_literals_are_counted_in_live_neurons_only():
    crystal = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], 0), Neuron([0], [1], 0), Neuron([2], [1], 0)], [4])
    assert RestartReport(crystal, 0, 0, 0, 0, 0, False).n_literals == 3
