"""Forward pass, gradient and Jacobian against definitions and differences."""

import numpy as np
import pytest

from crystalogic.errors import TrainingDataError
from crystalogic.network import Engine, Shape, with_ones
from crystalogic.train.strategy import to_crystal

HIDDEN = [(5,), (6, 4), (5, "residual"), (4, "residual", "residual"), (6, "residual", 3, "residual")]
STEP = 1e-6


def smooth_problem(hidden, n_outputs, seed, n_restarts=3):
    """Parameters and rows at which no sum lies near a kink of ψ, so that differences are derivatives."""
    rng = np.random.default_rng(seed)
    shape = Shape(7, hidden, n_outputs)
    parameters = rng.normal(0, 0.4, (n_restarts, shape.n_parameters))
    parameters[:, shape.is_bias] += 0.3
    rows = rng.random((60, 7))
    engine = Engine(shape, n_restarts, len(rows), np.float64)
    engine.forward(parameters, with_ones(rows, np.float64))
    near = np.zeros(len(rows), bool)
    for total in (*engine._totals, *(part for part in engine._inner_totals if part.size)):
        near |= (np.minimum(np.abs(total), np.abs(total - 1)) < 1e-4).any(axis=(0, 1))
    return shape, parameters, with_ones(rows[~near], np.float64)


def differences(shape, parameters, inputs):
    """∂output/∂parameters by central differences: outputs × restarts × parameters × rows."""
    engine = Engine(shape, len(parameters), inputs.shape[1], np.float64)
    result = np.empty((shape.n_outputs, *parameters.shape, inputs.shape[1]))
    for index in range(shape.n_parameters):
        up, down = parameters.copy(), parameters.copy()
        up[:, index] += STEP
        down[:, index] -= STEP
        change = engine.forward(up, inputs).copy() - engine.forward(down, inputs)
        result[:, :, index] = change.transpose(1, 0, 2) / (2 * STEP)
    return result


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_jacobian_and_gradient_match_differences(hidden, n_outputs):
    shape, parameters, inputs = smooth_problem(hidden, n_outputs, seed=len(hidden))
    expected = differences(shape, parameters, inputs)
    assert np.abs(expected).max() > 0.1
    engine = Engine(shape, len(parameters), inputs.shape[1], np.float64)
    engine.forward(parameters, inputs)
    for output in range(n_outputs):
        np.testing.assert_allclose(engine.jacobian(output), expected[output], atol=1e-8)
    seed = np.random.default_rng(0).normal(size=(len(parameters), n_outputs, inputs.shape[1]))
    np.testing.assert_allclose(engine.gradient(seed), np.einsum("rkn,krpn->rp", seed, expected), atol=1e-7)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_integer_parameters_compute_what_their_crystal_computes(hidden):
    rng = np.random.default_rng(1)
    shape = Shape(4, hidden)
    lattice = np.where(shape.is_bias, rng.integers(-2, 3, (5, shape.n_parameters)), rng.integers(-1, 2))
    lattice = np.where(shape.is_bias, lattice, rng.integers(-1, 2, lattice.shape))
    rows = rng.integers(0, 5, (50, 4)) / 4
    outputs = Engine(shape, 5, 50).forward(lattice.astype(np.float32), with_ones(rows))[:, 0]
    for restart in range(5):
        crystal = to_crystal(shape, lattice[restart], ["a", "b", "c", "d"])
        assert (crystal.run_rows(rows)[:, 0] == outputs[restart]).all()


def test_a_restart_does_not_depend_on_the_others():
    shape, parameters, inputs = smooth_problem((6, "residual"), 1, seed=3)
    together = Engine(shape, 3, inputs.shape[1], np.float64)
    outputs = together.forward(parameters, inputs).copy()
    gradients = together.gradient(outputs)
    alone = Engine(shape, 1, inputs.shape[1], np.float64)
    np.testing.assert_allclose(alone.forward(parameters[1:2], inputs), outputs[1:2], atol=1e-14)
    np.testing.assert_allclose(alone.gradient(outputs[1:2]), gradients[1:2], atol=1e-12)


@pytest.mark.parametrize(("bias", "error", "passes"), [(-3, -1, True), (-3, 1, False), (4, 1, True), (4, -1, False)])
def test_a_saturated_neuron_leaks_only_the_gradient_that_leads_back(bias, error, passes):
    shape = Shape(1, (1,))
    engine = Engine(shape, 1, 1, np.float64)
    engine.leak = 0.5
    engine.forward(np.array([[1.0, 0.0, 1.0, float(bias)]]), with_ones(np.ones((1, 1)), np.float64))
    gradient = engine.gradient(np.array([[[float(error)]]]))[0, -1]
    assert gradient == (0.5 * error if passes else 0)


def test_the_ends_of_the_clamp_have_slope_one():
    """With integer weights on Boolean rows every sum is an integer; a slope 0 there would stop all learning."""
    engine = Engine(Shape(1, (1,)), 1, 2, np.float64)
    engine.forward(np.array([[1.0, 0.0, 1.0, 0.0]]), with_ones(np.array([[0.0], [1.0]]), np.float64))
    assert engine.gradient(np.ones((1, 1, 2)))[0].tolist() == [1, 2, 1, 2]


def test_every_neuron_has_one_bias_and_it_stands_last():
    shape = Shape(3, (2, "residual"))
    assert np.flatnonzero(shape.is_bias).tolist() == [3, 7, 10, 13, 14, 15, 18]


@pytest.mark.parametrize("hidden", [("residual", 4), (), (0,), (2, -1), (2.5,)])
def test_a_shape_that_is_none_is_refused(hidden):
    with pytest.raises(TrainingDataError, match="width"):
        Shape(3, hidden)
