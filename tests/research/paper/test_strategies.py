"""The paper's strategies: how they end, and the collapse that it reports."""

from dataclasses import replace

import numpy as np

from crystalogic.network import Engines, Shape
from crystalogic.progress import Stop
from crystalogic.train import train
from crystalogic.train.block import Block, make_task
from crystalogic.train.levenberg_marquardt import Point, damped_step
from research.paper.presets import paper_strategy
from research.paper.smoothing import paper_start
from research.paper.strategies import marquardt_move, potential_slope
from research.paper.tables import paper_table


def test_tolerance_and_patience_end_a_run_early():
    data, _ = paper_table("monks-3")
    tolerant = train(
        None, data.rows, data.target, replace(paper_strategy("straight_through"), tolerance=0.4), restarts=2
    )
    assert tolerant.stop is Stop.TOLERANCE
    impatient = train(
        None, data.rows, data.target, replace(paper_strategy("straight_through"), tolerance=0.0, patience=5), restarts=2
    )
    assert impatient.stop is Stop.PATIENCE
    assert impatient.n_steps < 5000


def test_marquardt_damping_diverges_near_zero_weights_and_levenberg_damping_does_not():
    data, _ = paper_table("monks-1")
    shape = Shape(17, (4, "residual"))
    parameters = paper_start("fan_in", shape, 10, np.random.default_rng(0))
    parameters[:, ~shape.is_bias] *= 0.1
    rows = Block(data.rows, data.target[:, None], np.ones(len(data.rows)))
    engines, point, damping = Engines(shape, 10, np.float64), Point(parameters), np.full(10, 0.01)
    squares, step = damped_step(rows, engines, point, damping)
    levenberg = np.linalg.norm(step, axis=1)
    marquardt = np.linalg.norm(marquardt_move(rows, engines, point, damping), axis=1)
    bound = np.sqrt(squares) / (2 * np.sqrt(damping))
    assert (levenberg <= bound).all()
    assert np.median(marquardt) > 40
    assert np.median(marquardt) > 5 * np.median(levenberg)


def test_the_papers_finish_truncates_biases():
    data, _ = paper_table("monks-3")
    run = train(None, data.rows, data.target, paper_strategy("straight_through"), restarts=10)
    assert (np.abs(run.outcome.lattice) <= np.abs(run.outcome.network)).all()
    assert (run.outcome.lattice != run.outcome.network).any()


def test_ours_learns_what_the_papers_settings_collapse_on():
    data, test = paper_table("monks-3")
    ours = train(None, data.rows, data.target, "proximal", restarts=10)
    papers = train(None, data.rows, data.target, paper_strategy("proximal"), restarts=10)
    assert all(report.is_constant for report in papers.runs)
    assert all(report.accuracy_before > 0.9 for report in papers.runs)
    assert not any(report.is_constant for report in ours.runs)
    assert ((ours.crystal.run_rows(test.rows)[:, 0] >= 0.5) == test.target).mean() > 0.9


def test_the_collapse_is_the_rounding_and_not_the_sparsity():
    """Without any ℓ₁ the paper's settings collapse the same; its explanation is not the cause."""
    data, _ = paper_table("monks-3")
    strategy = replace(paper_strategy("proximal"), literal_cost=0.0, soft_threshold=0.0, rate=0.005)
    run = train(None, data.rows, data.target, strategy, restarts=10)
    assert all(report.is_constant for report in run.runs)


def test_the_slope_of_the_potential_matches_differences_and_pulls_to_zero_below_the_root_of_one_half():
    values = np.linspace(-1, 1, 41)

    def potential(weights):
        return weights**2 * (1 - weights**2)

    differences = (potential(values + 1e-6) - potential(values - 1e-6)) / 2e-6
    np.testing.assert_allclose(potential_slope(values), differences, atol=1e-8)
    assert potential_slope(np.array(0.7)) > 0 > potential_slope(np.array(0.71))


def test_pressure_is_zero_then_grows_then_is_tenfold():
    strategy = replace(paper_strategy("proximal"), steps=1000)
    task = make_task([[0.0], [1.0]], [0, 1])
    trainer = strategy.begin(task, Shape(1, (4, 4)), 2, np.random.default_rng(0))
    assert [float(trainer._pressure(step)[0]) for step in (0, 649)] == [0, 0]
    assert 0 < trainer._pressure(700)[0] < trainer._pressure(750)[0] < 1
    assert [float(trainer._pressure(step)[0]) for step in (800, 999)] == [10, 10]
