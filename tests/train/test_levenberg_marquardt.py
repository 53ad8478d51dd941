"""The damped step and its bounds, and Levenberg–Marquardt as a strategy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crystalogic.crystal import Crystal
from crystalogic.datasets import paper_table
from crystalogic.network import Engine, Shape, with_ones
from crystalogic.train import LevenbergMarquardt, train
from crystalogic.train import levenberg_marquardt as module
from crystalogic.train.levenberg_marquardt import Linearization
from crystalogic.train.start import starting_parameters


def problem(hidden, n_rows, n_outputs=1, seed=0, n_restarts=2):
    rng = np.random.default_rng(seed)
    shape = Shape(5, hidden, n_outputs)
    parameters = starting_parameters("literals", shape, n_restarts, rng)
    inputs, target = with_ones(rng.random((n_rows, 5)), np.float64), rng.random((n_outputs, n_rows))
    return shape, parameters, inputs, target, np.full(n_rows, 1.0)


def dense_step(shape, parameters, inputs, errors, diagonal):
    """Eq. 10 written out for one restart at a time."""
    engine = Engine(shape, len(parameters), inputs.shape[1], np.float64)
    engine.forward(parameters, inputs)
    rows = np.concatenate([engine.jacobian(output) for output in range(shape.n_outputs)], axis=2)
    flat = errors.reshape(len(parameters), -1)
    return np.array([-np.linalg.solve(j @ j.T + np.diag(diagonal), j @ e) for j, e in zip(rows, flat, strict=True)])


@pytest.mark.parametrize(("hidden", "n_rows", "n_outputs"), [((4,), 20, 1), ((3, "residual"), 90, 1), ((3,), 12, 2)])
def test_the_step_solves_the_damped_normal_equations_with_few_rows_and_with_many(hidden, n_rows, n_outputs):
    shape, parameters, inputs, target, weight = problem(hidden, n_rows, n_outputs)
    solver = Linearization(shape, 2)
    errors = solver.errors(parameters, inputs, target, weight)
    step = solver.solve(parameters, inputs, errors, weight, np.full(2, 0.3))
    expected = dense_step(shape, parameters, inputs, errors, np.full(shape.n_parameters, 0.3))
    np.testing.assert_allclose(step, expected, atol=1e-9)


def test_blocks_of_rows_give_the_same_step(monkeypatch):
    shape, parameters, inputs, target, weight = problem((3,), 100)
    whole = Linearization(shape, 2)
    errors = whole.errors(parameters, inputs, target, weight)
    step = whole.solve(parameters, inputs, errors, weight, np.full(2, 0.1))
    monkeypatch.setattr(module, "BLOCK", 32)
    parts = Linearization(shape, 2)
    np.testing.assert_allclose(parts.errors(parameters, inputs, target, weight), errors, atol=1e-12)
    np.testing.assert_allclose(parts.solve(parameters, inputs, errors, weight, np.full(2, 0.1)), step, atol=1e-9)


@given(seed=st.integers(0, 10**6), exponent=st.floats(-6, 4), n_rows=st.sampled_from([3, 15, 60]))
@settings(max_examples=60, deadline=None)
def test_the_step_is_at_most_the_error_over_twice_the_root_of_the_damping(seed, exponent, n_rows):
    shape, parameters, inputs, target, weight = problem((3, "residual"), n_rows, seed=seed)
    damping = np.full(2, 10.0**exponent)
    solver = Linearization(shape, 2)
    errors = solver.errors(parameters, inputs, target, weight)
    length = np.linalg.norm(solver.solve(parameters, inputs, errors, weight, damping), axis=1)
    bound = np.linalg.norm(errors[:, 0], axis=1) / (2 * np.sqrt(damping))
    assert (length <= bound * (1 + 1e-6)).all()


def test_the_papers_bound_is_too_small_for_strong_damping():
    """‖Δw‖ ≤ ‖e‖/μ fails for μ > 4; the sharp bound is reached where the singular value of J is √μ."""
    mu = 16.0
    jacobian = np.array([[np.sqrt(mu)]])
    step = float(np.linalg.solve(jacobian.T @ jacobian + mu, jacobian.T @ np.ones(1))[0])
    assert step == pytest.approx(1 / (2 * np.sqrt(mu)))
    assert step > 1 / mu


def test_marquardt_damping_diverges_near_zero_weights_and_levenberg_damping_does_not():
    data, _ = paper_table("monks-1")
    shape = Shape(17, (4, "residual"))
    parameters = starting_parameters("fan_in", shape, 10, np.random.default_rng(0))
    parameters[:, ~shape.is_bias] *= 0.1
    inputs, weight = with_ones(data.rows, np.float64), np.ones(len(data.rows))
    solver = Linearization(shape, 10)
    errors = solver.errors(parameters, inputs, data.target[None], weight)
    damping = np.full(10, 0.01)
    levenberg = np.linalg.norm(solver.solve(parameters, inputs, errors, weight, damping), axis=1)
    marquardt = np.linalg.norm(solver.solve(parameters, inputs, errors, weight, damping, is_marquardt=True), axis=1)
    bound = np.linalg.norm(errors[:, 0], axis=1) / (2 * np.sqrt(damping))
    assert (levenberg <= bound).all()
    assert np.median(marquardt) > 40
    assert np.median(marquardt) > 5 * np.median(levenberg)


def test_a_singular_system_is_no_step_for_its_restart_alone():
    systems = np.stack([np.eye(2), np.zeros((2, 2))])
    found = module._solved(systems, np.ones((2, 2, 1)))
    assert found[0].tolist() == [[1], [1]]
    assert np.isnan(found[1]).all()


def test_a_weighted_row_counts_like_repeated_rows():
    shape, parameters, inputs, target, _ = problem((3,), 12)
    weight = np.array([1.0, 2.0, 3.0] * 4)
    index = np.repeat(np.arange(12), weight.astype(int))
    solver = Linearization(shape, 2)
    errors = solver.errors(parameters, inputs, target, weight)
    step = solver.solve(parameters, inputs, errors, weight, np.full(2, 0.1))
    many, wanted, ones = np.ascontiguousarray(inputs[:, index]), target[:, index], np.ones(len(index))
    repeated = Linearization(shape, 2)
    errors = repeated.errors(parameters, many, wanted, ones)
    np.testing.assert_allclose(repeated.solve(parameters, many, errors, ones, np.full(2, 0.1)), step, atol=1e-9)


def test_held_parameters_do_not_move():
    shape, parameters, inputs, target, weight = problem((3,), 12)
    is_free = np.random.default_rng(0).random(parameters.shape) < 0.5
    solver = Linearization(shape, 2)
    errors = solver.errors(parameters, inputs, target, weight)
    step = solver.solve(parameters, inputs, errors, weight, np.full(2, 0.1), is_free=is_free)
    assert (step[~is_free] == 0).all()
    assert (step[is_free] != 0).any()


@pytest.mark.parametrize("n_rows", [12, 200])
def test_a_strong_attraction_moves_parameters_onto_integers(n_rows):
    shape, parameters, inputs, target, weight = problem((3,), n_rows)
    solver = Linearization(shape, 2)
    errors = solver.errors(parameters, inputs, target, weight)
    distance = parameters - np.rint(parameters)
    strong = solver.solve(parameters, inputs, errors, weight, np.full(2, 1e-6), pull=1e6 * distance, stiffness=1e6)
    np.testing.assert_allclose(strong, -distance, atol=1e-4)


def test_the_attraction_alone_ends_nearer_to_the_lattice():
    data, _ = paper_table("monks-1")
    left, drawn = (
        train(None, data.rows, data.target, LevenbergMarquardt(refit=None, attraction=strength), restarts=8)
        for strength in (0.0, 10.0)
    )
    assert np.median([r.delta for r in drawn.runs]) < 0.5 * np.median([r.delta for r in left.runs])


def implies(a, b):
    return np.minimum(1, 1 - a + b)


@pytest.mark.parametrize(
    "parts",
    [lambda x: (x[0], implies(x[2], x[5])), lambda x: (implies(x[3], x[5]), implies(x[5], x[1]))],
    ids=["f1", "f2"],
)
def test_the_papers_truth_tables_are_learnt_exactly(parts):
    rows = np.array(list(product([0, 0.5, 1], repeat=6)))
    left, right = parts(rows.T)
    target = np.maximum(0, left + right - 1)
    run = train(None, rows, target, "levenberg_marquardt", restarts=8)
    assert (run.crystal.run_rows(rows)[:, 0] == target).all()


def test_freezing_ends_on_the_lattice():
    data, _ = paper_table("monks-2")
    run = train(None, data.rows, data.target, LevenbergMarquardt(), restarts=4)
    assert all(report.delta == 0 for report in run.runs)
    assert all(report.accuracy_before == report.accuracy_after for report in run.runs)


def test_merge_neurons_of_a_trained_residual_network_are_exact():
    """Theorem 1: with weights 1 and 1 a merge neuron is ⊗ (b = -1), ⊕ (b = 0) or constant, whatever was learnt."""
    data, _ = paper_table("monks-3")
    strategy = LevenbergMarquardt(hidden=(4, "residual"))
    run = train(None, data.rows, data.target, strategy, restarts=8)
    seen = set()
    for report in run.runs:
        crystal = report.crystal
        watched = Crystal(crystal.inputs, crystal.neurons, range(17, crystal.n_values)).run_rows(data.rows)
        for index in range(8, 12):  # 4 projections, 4 inner neurons, then 4 merge neurons
            bias = crystal.neurons[index].bias
            assert crystal.neurons[index].links == ((17 + index - 4, 1), (17 + index - 8, 1))
            inner, before = watched[:, index - 4], watched[:, index - 8]
            constant = np.full(len(inner), float(bias > 0))
            meanings = {-1: np.maximum(0, inner + before - 1), 0: np.minimum(1, inner + before)}
            assert (watched[:, index] == meanings.get(bias, constant)).all()
            seen |= {bias} if index in crystal.live else set()
    assert {-1, 0} <= seen
