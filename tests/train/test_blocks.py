"""Blocks of rows: the same sums in whatever pieces, the same bits wherever they are computed."""

import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.network import Engines, Shape
from crystalogic.train import LevenbergMarquardt, Proximal, StraightThrough, passes, train
from crystalogic.train import levenberg_marquardt as module
from crystalogic.train.batches import Batches
from crystalogic.train.blocks import Block, Blocks, LocalBlocks, add_up
from crystalogic.train.levenberg_marquardt import Point, damped_step
from crystalogic.train.loop import run_bytes, train_task
from crystalogic.train.start import starting_parameters
from crystalogic.train.task import Task, compact, make_task

WHOLE = [
    LevenbergMarquardt(steps=12, explore=4, batch_rows=10**9),
    StraightThrough(steps=40, batch_rows=10**9),
    Proximal(steps=60, batch_rows=10**9),
]
BATCHED = [replace(strategy, batch_rows=100) for strategy in WHOLE]


class RemoteBlocks(Blocks):
    """Blocks behind a wall: all that goes in or out is pickled, and the last block is computed first."""

    def __init__(self, blocks):
        starts = np.cumsum([0, *(block.n_rows for block in blocks)])
        self._pickled = [pickle.dumps(replace(b, start=int(s))) for b, s in zip(blocks, starts, strict=False)]
        self.n_rows, self.n_inputs, self.n_outputs = int(starts[-1]), blocks[0].rows.shape[1], blocks[0].target.shape[1]

    def each(self, function, *arguments):
        """The results in the order of the blocks, whenever they were computed."""
        call = pickle.dumps((function, arguments))
        results = {}
        for index in reversed(range(len(self._pickled))):
            there, given_there = pickle.loads(call)
            results[index] = pickle.dumps(there(pickle.loads(self._pickled[index]), *given_there))
        return [pickle.loads(results[index]) for index in sorted(results)]


def table(n_rows=700, n_inputs=9, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (n_rows, n_inputs)).astype(np.uint8)
    return rows, ((rows[:, 0] & rows[:, 1]) | rows[:, 2]) ^ (rng.random(n_rows) < 0.05)


def in_pieces(sizes, rows, target):
    weight = np.full(len(rows), 1 / len(rows))
    ends = np.cumsum(sizes)
    assert ends[-1] == len(rows)
    whole = Block(rows, np.asarray(target)[:, None], weight)
    return [whole.at(slice(end - size, end)) for size, end in zip(sizes, ends, strict=True)]


def problem(n_rows=700):
    shape = Shape(9, (4, "residual"))
    parameters = starting_parameters("literals", shape, 3, np.random.default_rng(1))
    return shape, parameters, *table(n_rows)


@pytest.mark.parametrize("sizes", [(700,), (1, 699), (300, 250, 150), (7,) * 100])
@pytest.mark.parametrize("part_rows", [64, 8192])
def test_blocks_of_any_size_give_the_same_sums(monkeypatch, sizes, part_rows):
    shape, parameters, rows, target = problem()
    engines, point = Engines(shape, 3, np.float64, leak=0.1), Point(parameters)
    whole = LocalBlocks(in_pieces((700,), rows, target))
    loss, gradient = passes.loss_and_gradient(whole, engines, parameters)
    squares, step = damped_step(whole, engines, point, np.full(3, 0.1))
    score = Task(whole).score(shape, parameters)
    monkeypatch.setattr(passes, "PART_ROWS", part_rows)
    monkeypatch.setattr(module, "PART_ROWS", part_rows)
    pieces = LocalBlocks(in_pieces(sizes, rows, target))
    again, slope = passes.loss_and_gradient(pieces, engines, parameters)
    np.testing.assert_allclose(again, loss, rtol=1e-12)
    np.testing.assert_allclose(passes.loss(pieces, engines, parameters), loss, rtol=1e-12)
    np.testing.assert_allclose(slope, gradient, atol=1e-12)
    for one, other in zip(damped_step(pieces, engines, point, np.full(3, 0.1)), (squares, step), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)
    found = Task(pieces).score(shape, parameters)
    np.testing.assert_allclose([found.loss, found.accuracy], [score.loss, score.accuracy], rtol=1e-12)
    assert (found.is_constant == score.is_constant).all()


@pytest.mark.parametrize("strategy", WHOLE + BATCHED)
@pytest.mark.parametrize("sizes", [(700,), (300, 250, 150)])
def test_the_same_blocks_give_the_same_crystals_wherever_they_are(monkeypatch, strategy, sizes):
    monkeypatch.setattr(passes, "PART_ROWS", 128)
    monkeypatch.setattr(module, "PART_ROWS", 128)
    blocks = in_pieces(sizes, *table())
    here, there = (
        train_task(None, Task(held), strategy, restarts=4, seed=3)
        for held in (LocalBlocks(blocks), RemoteBlocks(blocks))
    )
    assert here.runs == there.runs
    assert here.crystal.fingerprint == there.crystal.fingerprint
    for name in ("shadow", "network", "lattice", "peak"):
        assert getattr(here.outcome, name).tobytes() == getattr(there.outcome, name).tobytes()


@pytest.mark.parametrize("strategy", BATCHED)
def test_batches_do_not_depend_on_how_rows_lie_in_blocks(strategy):
    """Rows are drawn by number. Only the judge of straight-through sums over blocks, here without a tie to tip."""
    rows, target = table()
    one, several = (
        train_task(None, Task(LocalBlocks(in_pieces(sizes, rows, target))), strategy, restarts=4, seed=3)
        for sizes in ((700,), (300, 250, 150))
    )
    assert (one.outcome.peak == several.outcome.peak).all()
    assert one.crystal == several.crystal


def test_training_on_one_block_is_training_on_the_table():
    rows, target = table()
    blocks = LocalBlocks(in_pieces((700,), rows, target))
    for strategy in WHOLE + BATCHED:
        held = train_task(None, Task(blocks), strategy, restarts=3, seed=5)
        plain = train(None, rows.astype(float), target.astype(float), strategy, restarts=3, seed=5)
        assert held.runs == plain.runs


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    data=st.data(),
)
def test_taken_rows_are_those_with_the_numbers_in_their_order(sizes, data):
    rows = np.arange(sum(sizes))[:, None] / 100
    blocks = in_pieces(sizes, rows, rows[:, 0])
    numbers = np.array(data.draw(st.lists(st.integers(0, sum(sizes) - 1), min_size=1, max_size=20)))
    for held in (LocalBlocks(blocks), RemoteBlocks(blocks)):
        taken = held.take(numbers)
        assert (taken.rows == rows[numbers]).all()
        assert (taken.target == rows[numbers]).all()
        assert (held.gather().rows == rows).all()


def test_sums_are_taken_in_the_order_of_the_blocks():
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
    blocks = LocalBlocks([Block(rows, rows, rows[:, 0] / rows.sum())])
    batches = Batches(blocks, 60, np.random.default_rng(0), np.float64)
    first, second = (batches.next().gather() for _ in range(2))
    for batch in (first, second):
        assert len(np.unique(batch.rows)) == 60
        np.testing.assert_allclose(batch.weight, batch.rows[:, 0] / batch.rows.sum())
    assert (first.rows != second.rows).any()


def test_a_block_without_its_columns_is_what_travels():
    rows, target = table()
    (block,) = in_pieces((700,), rows, target)
    before = len(pickle.dumps(block))
    block.columns(np.float64)
    assert len(pickle.dumps(block)) == before < 2 * (rows.nbytes + 16 * 700)


def test_engines_travel_without_their_buffers():
    engines = Engines(Shape(9, (4,)), 3, np.float64, leak=0.1)
    assert engines.of(10**5) is engines.of(10**5)
    arrived = pickle.loads(pickle.dumps(engines))
    assert len(pickle.dumps(engines)) < 1000
    assert (arrived.shape, arrived.n_restarts, arrived.dtype, arrived.leak) == (Shape(9, (4,)), 3, np.float64, 0.1)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([[0, 1]], np.uint8),
        ([[0.0, 1.0]], np.uint8),
        ([[True, False]], np.bool_),
        ([[0.0, 0.5]], np.float32),
        ([[0.0, 0.1]], np.float64),
        (np.array([[0.1]], np.float32), np.float32),
    ],
)
def test_values_are_kept_exactly_in_the_smallest_type(values, kind):
    values = np.array(values)
    assert compact(values).dtype == kind
    assert (compact(values) == values).all()


@pytest.mark.parametrize("kind", [bool, np.int64, np.uint8, np.float32, np.float64])
def test_the_type_of_the_table_does_not_matter(kind):
    rows, target = table()
    expected = train(None, rows, target, WHOLE[1], restarts=2)
    assert train(None, rows.astype(kind), target.astype(kind), WHOLE[1], restarts=2).runs == expected.runs


def test_a_table_that_is_compact_is_not_copied():
    rows, target = table()
    assert np.shares_memory(make_task(rows, target).blocks.gather().rows, rows)


@pytest.mark.parametrize("strategy", [LevenbergMarquardt(), StraightThrough(), Proximal(), *WHOLE])
def test_a_run_takes_the_memory_it_says(strategy):
    rows, target = table(30_000, 40)
    strategy = replace(strategy, steps=2, **({"explore": 1} if isinstance(strategy, LevenbergMarquardt) else {}))
    train(None, rows[:300], target[:300], strategy, restarts=2)  # compiles
    said = run_bytes(Shape(40, strategy.hidden), len(rows), strategy, 16)
    tracemalloc.start()
    train(None, rows, target, strategy, restarts=16)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    held = 8 * len(rows) * 2  # the weights and what checks them
    assert said / 3 < peak < said + held


@pytest.mark.parametrize("strategy", [LevenbergMarquardt(), StraightThrough(), Proximal(), *WHOLE])
def test_the_memory_of_a_run_does_not_grow_with_its_rows(strategy):
    shape = Shape(100, strategy.hidden)
    assert run_bytes(shape, 10**6, strategy, 32) == run_bytes(shape, 10**9, strategy, 32) < 500 * 2**20


def test_each_thread_has_engines_of_its_own():
    engines = Engines(Shape(9, (4,)), 3)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: engines.of(10)).result() is not engines.of(10)


def test_engines_for_blocks_of_many_sizes_do_not_pile_up():
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
