"""The rows of a task: the same sums in whatever parts, in memory that does not grow with them."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from crystalogic.network import Engines, Shape
from crystalogic.train import LevenbergMarquardt, Proximal, StraightThrough, train
from crystalogic.train import block as passes
from crystalogic.train import levenberg_marquardt as module
from crystalogic.train.block import Block, add_up, make_task
from crystalogic.train.levenberg_marquardt import Point, damped_step
from crystalogic.train.strategy import starting_parameters

WHOLE = [
    LevenbergMarquardt(steps=12, explore=4, batch_rows=10**9),
    StraightThrough(steps=40, batch_rows=10**9),
    Proximal(steps=60, batch_rows=10**9),
]


def table(n_rows=700, n_inputs=9, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (n_rows, n_inputs)).astype(np.uint8)
    return rows, ((rows[:, 0] & rows[:, 1]) | rows[:, 2]) ^ (rng.random(n_rows) < 0.05)


def block_of(rows, target):
    return Block(rows, np.asarray(target)[:, None], np.full(len(rows), 1 / len(rows)))


def problem(n_rows=700):
    shape = Shape(9, (4, "residual"))
    parameters = starting_parameters(shape, 3, np.random.default_rng(1))
    return shape, parameters, *table(n_rows)


@pytest.mark.parametrize("part_rows", [1, 64, 699, 8192])
def test_parts_of_any_size_give_the_same_sums(monkeypatch, part_rows):
    shape, parameters, rows, target = problem()
    engines, point = Engines(shape, 3, np.float64, leak=0.1), Point(parameters)
    block = block_of(rows, target)
    loss, gradient = passes.loss_and_gradient(block, engines, parameters)
    squares, step = damped_step(block, engines, point, np.full(3, 0.1))
    scored = passes.score(block, engines, parameters)
    monkeypatch.setattr(passes, "PART_ROWS", part_rows)
    monkeypatch.setattr(module, "PART_ROWS", part_rows)
    again, slope = passes.loss_and_gradient(block, engines, parameters)
    np.testing.assert_allclose(again, loss, rtol=1e-12)
    np.testing.assert_allclose(scored.loss, loss, rtol=1e-12)
    np.testing.assert_allclose(slope, gradient, atol=1e-12)
    for one, other in zip(damped_step(block, engines, point, np.full(3, 0.1)), (squares, step), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)
    found = passes.score(block, engines, parameters)
    np.testing.assert_allclose([found.loss, found.accuracy], [scored.loss, scored.accuracy], rtol=1e-12)
    assert (found.is_constant == scored.is_constant).all()


def test_sums_are_taken_in_the_order_of_the_parts():
    """1 + 10⁻¹⁶ is 1: small numbers first give another sum."""
    values = [1.0, 1e-16, 1e-16]
    (forward,) = add_up((np.array([value]),) for value in values)
    (backward,) = add_up((np.array([value]),) for value in reversed(values))
    assert forward[0] == 1.0 < backward[0]


def test_sums_leave_what_they_add_as_it_was():
    parts = [np.ones(2), np.ones(2)]
    parts[0].setflags(write=False)
    (total,) = add_up((part,) for part in parts)
    assert total.tolist() == [2, 2]
    assert [part.tolist() for part in parts] == [[1, 1], [1, 1]]
    (alone,) = add_up([(parts[0],)])
    assert alone.flags.writeable


def test_batches_have_distinct_rows_and_weights_that_sum_to_one():
    rows = np.arange(1, 501)[:, None] / 500
    block = Block(rows, rows, rows[:, 0] / rows.sum())
    generator = np.random.default_rng(0)
    first, second = (block.draw(60, generator, np.float64) for _ in range(2))
    for batch in (first, second):
        assert len(np.unique(batch.rows)) == 60
        np.testing.assert_allclose(batch.weight, batch.rows[:, 0] / batch.rows.sum())
    assert (first.rows != second.rows).any()


@pytest.mark.parametrize("kind", [bool, np.int64, np.uint8, np.float32, np.float64])
def test_the_type_of_the_table_does_not_matter(kind):
    rows, target = table()
    expected = train(None, rows, target, WHOLE[1], restarts=2)
    assert train(None, rows.astype(kind), target.astype(kind), WHOLE[1], restarts=2).runs == expected.runs


def test_a_table_of_numbers_is_not_copied():
    rows, target = table()
    assert np.shares_memory(make_task(rows, target).rows, rows)


@pytest.mark.parametrize("strategy", [LevenbergMarquardt(), StraightThrough(), Proximal(), *WHOLE])
def test_the_memory_of_a_run_does_not_grow_with_its_rows(strategy):
    strategy = replace(strategy, steps=2, **({"explore": 1} if isinstance(strategy, LevenbergMarquardt) else {}))
    peaks = []
    for n_rows in (10_000, 30_000):
        rows, target = table(n_rows, 40)
        tracemalloc.start()
        train(None, rows, target, strategy, restarts=4)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]  # three times the rows; their weights grow, and up to 65,536 rows judge steps


def test_engines_for_parts_of_many_sizes_do_not_pile_up():
    engines = Engines(Shape(9, (4,)), 8)
    tracemalloc.start()
    for n_rows in range(2000, 2100):
        engines.of(n_rows)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 4 * engines.n_bytes(2100)


def test_wide_rows_and_many_restarts_make_smaller_parts():
    assert Engines(Shape(100, (8,)), 32).part_rows(8192) == 8192
    for engines in (Engines(Shape(100_000, (8,)), 4), Engines(Shape(100, (8,)), 10_000)):
        rows = engines.part_rows(8192)
        assert 1 <= rows < 8192
        assert engines.n_bytes(rows) - engines.n_bytes(0) <= 2**27
