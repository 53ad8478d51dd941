"""Straight-through: integers forward, continuous weights behind."""

from dataclasses import replace

import numpy as np

from crystalogic.train import StraightThrough, train
from research.paper.tables import paper_table


def test_all_ten_of_ten_restarts_are_crystallized_by_construction():
    data, _ = paper_table("monks-1")
    run = train(None, data.rows, data.target, StraightThrough(steps=200), restarts=10)
    assert all(report.delta == 0 for report in run.runs)
    assert all(report.loss_before == report.loss_after for report in run.runs)
    assert (run.outcome.shadow != np.rint(run.outcome.shadow)).any(axis=1).all()


def test_monks_1_is_learnt_from_its_training_rows():
    data, test = paper_table("monks-1")
    run = train(None, data.rows, data.target, "straight_through", restarts=32)
    predicted = run.crystal.run_rows(test.rows)[:, 0] >= 0.5
    assert (predicted == (test.target == 1)).mean() > 0.95


def test_the_best_step_is_kept():
    """A rate this high loses what it has found; the result may not."""
    data, _ = paper_table("monks-1")
    lowest = np.inf

    def watch(progress):
        nonlocal lowest
        lowest = min(lowest, progress.lowest_loss)

    strategy = StraightThrough(steps=300, rate=0.3, final_rate=0.3, literal_cost=0.0)
    run = train(None, data.rows, data.target, strategy, restarts=4, callback=watch)
    assert min(report.loss_after for report in run.runs) <= lowest + 1e-6


def test_a_literal_cost_gives_shorter_networks():
    data, _ = paper_table("monks-3")
    free, dear = (
        train(None, data.rows, data.target, StraightThrough(steps=500, literal_cost=cost), restarts=8)
        for cost in (0.0, 0.01)
    )
    assert np.mean([r.n_literals for r in dear.runs]) < 0.5 * np.mean([r.n_literals for r in free.runs])


def test_a_leak_keeps_networks_from_dying():
    data, _ = paper_table("monks-2")
    base = StraightThrough(steps=600, literal_cost=0.0)
    dead, alive = (
        train(None, data.rows, data.target, replace(base, hidden=(8, 4), leak=leak), restarts=32).runs
        for leak in (0.0, 0.1)
    )
    assert sum(r.is_constant for r in alive) < sum(r.is_constant for r in dead)


def test_batches_of_rows_are_enough():
    data, _ = paper_table("monks-1")
    rows, target = np.repeat(data.rows, 8, axis=0), np.repeat(data.target, 8)
    run = train(None, rows, target, StraightThrough(batch_rows=128), restarts=8)
    assert run.best.accuracy_after > 0.9
