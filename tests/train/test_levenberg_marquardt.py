"""The damped step and its bounds, and Levenberg–Marquardt as a strategy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crystalogic.crystal import Crystal
from crystalogic.network import Engine, Engines, Shape, with_ones
from crystalogic.train import LevenbergMarquardt, train
from crystalogic.train import levenberg_marquardt as module
from crystalogic.train.block import Block
from crystalogic.train.levenberg_marquardt import Point, damped_step, squared_error
from crystalogic.train.strategy import starting_parameters
from depth import deep
from research.paper.tables import paper_table


def problem(hidden, n_rows, n_outputs=1, seed=0, n_restarts=2):
    """A block of random rows with the weight 1, the engines for a shape, and where its restarts stand."""
    rng = np.random.default_rng(seed)
    shape = Shape(5, hidden, n_outputs)
    parameters = starting_parameters(shape, n_restarts, rng)
    rows, target = rng.random((n_rows, 5)), rng.random((n_outputs, n_rows)).T
    return Block(rows, target, np.ones(n_rows)), Engines(shape, n_restarts, np.float64), Point(parameters)


def stepped(block, engines, point, damping, **options):
    """Δw on one block."""
    damping = np.full(engines.n_restarts, damping)
    return damped_step(block, engines, point, damping, **options)[1]


def dense_step(block, engines, point, damping):
    """Eq. 10 written out for one restart at a time."""
    shape, inputs = engines.shape, with_ones(block.rows, np.float64)
    engine = Engine(shape, engines.n_restarts, block.n_rows, np.float64)
    errors = engine.forward(point.parameters, inputs) - block.target.T
    rows = np.concatenate([engine.jacobian(output) for output in range(shape.n_outputs)], axis=2)
    flat, damped = errors.reshape(engines.n_restarts, -1), damping * np.eye(shape.n_parameters)
    return np.array([-np.linalg.solve(j @ j.T + damped, j @ e) for j, e in zip(rows, flat, strict=True)])


@pytest.mark.parametrize(("hidden", "n_rows", "n_outputs"), [((4,), 20, 1), ((3, "residual"), 90, 1), ((3,), 12, 2)])
def test_the_step_solves_the_damped_normal_equations_with_few_rows_and_with_many(hidden, n_rows, n_outputs):
    block, engines, point = problem(hidden, n_rows, n_outputs)
    np.testing.assert_allclose(stepped(block, engines, point, 0.3), dense_step(block, engines, point, 0.3), atol=1e-9)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_parts_of_rows_give_the_same_step(monkeypatch, n_outputs):
    block, engines, point = problem((3,), 100, n_outputs)
    damping = np.full(2, 0.1)
    squares, step = damped_step(block, engines, point, damping)
    assert squares.tolist() == squared_error(block, engines, point).tolist()
    monkeypatch.setattr(module, "PART_ROWS", 32)
    parts, moved = damped_step(block, engines, point, damping)
    np.testing.assert_allclose(parts, squares, rtol=1e-12)
    np.testing.assert_allclose(moved, step, atol=1e-9)


@given(seed=st.integers(0, 10**6), exponent=st.floats(-6, 4), n_rows=st.sampled_from([3, 15, 60]))
@settings(max_examples=deep(60), deadline=None)
def test_the_step_is_at_most_the_error_over_twice_the_root_of_the_damping(seed, exponent, n_rows):
    block, engines, point = problem((3, "residual"), n_rows, seed=seed)
    squares, step = damped_step(block, engines, point, np.full(2, 10.0**exponent))
    bound = np.sqrt(squares) / (2 * np.sqrt(10.0**exponent))
    assert (np.linalg.norm(step, axis=1) <= bound * (1 + 1e-6)).all()


def test_the_papers_bound_is_too_small_for_strong_damping():
    """‖Δw‖ ≤ ‖e‖/μ fails for μ > 4; the sharp bound is reached where the singular value of J is √μ."""
    mu = 16.0
    jacobian = np.array([[np.sqrt(mu)]])
    step = float(np.linalg.solve(jacobian.T @ jacobian + mu, jacobian.T @ np.ones(1))[0])
    assert step == pytest.approx(1 / (2 * np.sqrt(mu)))
    assert step > 1 / mu


def test_a_singular_system_is_no_step_for_its_restart_alone():
    systems = np.stack([np.eye(2), np.zeros((2, 2))])
    found = module.solve(systems, np.ones((2, 2, 1)))
    assert found[0].tolist() == [[1], [1]]
    assert np.isnan(found[1]).all()


def test_a_weighted_row_counts_like_repeated_rows():
    block, engines, point = problem((3,), 12)
    weight = np.array([1.0, 2.0, 3.0] * 4)
    many = block.at(np.repeat(np.arange(12), weight.astype(int)))
    weighted = Block(block.rows, block.target, weight / 4)
    step = stepped(weighted, engines, Point(point.parameters, scale=4.0), 0.1)
    np.testing.assert_allclose(stepped(many, engines, point, 0.1), step, atol=1e-9)


def test_held_parameters_do_not_move():
    block, engines, point = problem((3,), 12)
    is_free = np.random.default_rng(0).random(point.parameters.shape) < 0.5
    step = stepped(block, engines, Point(point.parameters, is_free), 0.1)
    assert (step[~is_free] == 0).all()
    assert (step[is_free] != 0).any()


@pytest.mark.parametrize("n_rows", [12, 200])
def test_a_strong_attraction_moves_parameters_onto_integers(n_rows):
    block, engines, point = problem((3,), n_rows)
    distance = point.parameters - np.rint(point.parameters)
    strong = stepped(block, engines, point, 1e-6, pull=1e6 * distance, stiff=1e6)
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
