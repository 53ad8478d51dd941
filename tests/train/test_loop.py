"""The loop: what ends it, what it refuses, and that a seed says everything."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError
from crystalogic.network import Engine, Shape, with_ones
from crystalogic.progress import Stop
from crystalogic.train import LevenbergMarquardt, Proximal, StraightThrough, train
from crystalogic.train.strategy import to_crystal, to_lattice
from research.paper.tables import paper_table

STRATEGIES = [LevenbergMarquardt(steps=30, explore=10), StraightThrough(steps=100), Proximal(steps=300)]
ROWS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4, dtype=float)
BOTH = ROWS.prod(axis=1)

THREADS = """
import hashlib
from research.paper.tables import paper_table
from crystalogic.progress import Stop
from crystalogic.train import LevenbergMarquardt, Proximal, StraightThrough, train
data, _ = paper_table("mushroom")
rows, target = data.rows[:1500], data.target[:1500]
short = StraightThrough(steps=40, batch_rows=2000), Proximal(steps=40), LevenbergMarquardt(steps=6, explore=3)
for strategy in short:
    run = train(None, rows, target, strategy, restarts=4, seed=3)
    print(run.crystal.fingerprint, hashlib.sha256(run.outcome.shadow.tobytes()).hexdigest())
"""


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_seed_gives_the_same_bits_and_another_seed_others(strategy):
    data, _ = paper_table("monks-3")
    first, again, other = (train(None, data.rows, data.target, strategy, restarts=4, seed=s) for s in (1, 1, 2))
    assert (first.outcome.shadow == again.outcome.shadow).all()
    assert first.runs == again.runs
    assert (first.outcome.shadow != other.outcome.shadow).any()


def test_a_seed_gives_the_same_bits_on_one_thread_and_on_two():
    def output(threads):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, str(threads))}
        result = subprocess.run([sys.executable, "-c", THREADS], env=environment, capture_output=True, check=True)
        return result.stdout

    one = output(1)
    assert len(one.split()) == 6
    assert one == output(2)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_way_to_end_keeps_a_crystal_and_says_why(strategy):
    def interrupt(progress):
        if progress.done == 4:
            raise KeyboardInterrupt

    ends = {
        Stop.STEPS: {},
        Stop.TIME: {"time_budget": 0.0},
        Stop.INTERRUPTED: {"callback": interrupt},
        Stop.CALLBACK: {"callback": lambda progress: progress.done == 4},
    }
    for stop, options in ends.items():
        run = train(None, ROWS, BOTH, strategy, restarts=2, **options)
        assert run.stop is stop
        assert isinstance(run.crystal, Crystal)
        assert run.n_steps == {Stop.STEPS: strategy.steps, Stop.TIME: 1}.get(stop, 4)


def test_the_reasons_to_stop_are_sentences():
    assert all(stop.value[0].isupper() and stop.value.endswith(".") for stop in Stop)


def test_progress_is_told_after_every_step():
    seen = []
    train(None, ROWS, BOTH, StraightThrough(steps=7), restarts=3, callback=lambda progress: seen.append(progress))
    assert [progress.done for progress in seen] == list(range(1, 8))
    assert all(progress.total == 7 and progress.lowest_loss >= 0 for progress in seen)


def test_the_best_restart_has_the_lowest_loss_with_its_literals_paid():
    data, _ = paper_table("monks-1")
    run = train(None, data.rows, data.target, StraightThrough(steps=150, literal_cost=0.0), restarts=12)
    assert run.best.loss_after == min(report.loss_after for report in run.runs)
    frugal = replace(run, strategy=StraightThrough(literal_cost=1.0))
    assert frugal.best.n_literals == min(report.n_literals for report in run.runs)
    assert frugal.best.n_literals < run.best.n_literals
    predicted = run.crystal.run_rows(data.rows)[:, 0] >= 0.5
    assert run.best.accuracy_after == pytest.approx((predicted == data.target).mean())


def test_the_choice_looks_at_the_loss_after_rounding():
    data, _ = paper_table("monks-1")
    run = train(None, data.rows, data.target, Proximal(steps=200, refit=None, literal_cost=0.0), restarts=12)
    assert run.best.loss_after == min(report.loss_after for report in run.runs)
    assert run.best.loss_before > min(report.loss_before for report in run.runs)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_crystallizing_the_network_of_a_run_gives_its_crystal(strategy):
    run = train(None, ROWS, BOTH, strategy, restarts=4)
    network = run.outcome.network[run.runs.index(run.best)]
    assert to_crystal(run.shape, to_lattice(run.shape, network), ["x1", "x2"]) == run.crystal
    outputs = Engine(run.shape, 1, len(ROWS), np.float64).forward(network[None], with_ones(ROWS, np.float64))
    assert ((outputs[0, 0] - BOTH) ** 2).mean() == pytest.approx(run.best.loss_before)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_of_weight_zero_are_not_learnt(strategy):
    contradicting = np.concatenate([BOTH, 1 - BOTH])
    weight = np.concatenate([np.ones(len(BOTH)), np.zeros(len(BOTH))])
    run = train(None, np.concatenate([ROWS, ROWS]), contradicting, strategy, restarts=16, sample_weight=weight)
    assert run.best.accuracy_after == 1
    assert (run.crystal.run_rows(ROWS)[:, 0] == BOTH).all()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_several_outputs_are_learnt_together(strategy):
    either = ROWS.max(axis=1)
    run = train(None, ROWS, np.stack([BOTH, either], axis=1), strategy, restarts=16)
    assert run.crystal.run_rows(ROWS).shape == (16, 2)
    assert run.best.accuracy_after >= 0.75


def spoiled(value):
    rows = ROWS.copy()
    rows[5, 1] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "target", "options", "message"),
    [
        (spoiled(np.nan), BOTH, {}, "X is nan at row 5, column 1"),
        (spoiled(np.inf), BOTH, {}, "X is inf at row 5"),
        (spoiled(1.5), BOTH, {}, r"X is 1.5 at row 5, column 1; expected a truth value between 0 and 1"),
        (ROWS, BOTH * 2, {}, "y is 2.0 at row 3"),
        (ROWS, np.ones(16), {}, "only the value 1: there is one class"),
        (ROWS, BOTH[:-1], {}, "one target for each of the 16 rows"),
        (np.zeros((0, 2)), [], {}, "at least one of each"),
        (np.zeros((16, 0)), BOTH, {}, "at least one of each"),
        ([["a", "b"]], [1], {}, "not an array of numbers"),
        (ROWS, BOTH, {"restarts": 0}, "at least one restart"),
        (ROWS, BOTH, {"sample_weight": -np.ones(16)}, "≥ 0 for each of the 16 rows"),
        (ROWS, BOTH, {"sample_weight": np.zeros(16)}, "not all 0"),
        (ROWS, BOTH, {"sample_weight": ["heavy"] * 16}, "sample_weight is not an array of numbers"),
        (ROWS, BOTH, {"sample_weight": [1.0]}, "one finite number ≥ 0 for each of the 16 rows"),
        (ROWS, BOTH, {"strategy": "backpropagation"}, "no training strategy 'backpropagation'"),
    ],
)
def test_bad_input_is_refused_with_the_value_and_the_way_out(rows, target, options, message):
    with pytest.raises(TrainingDataError, match=message):
        train(None, rows, target, **options)


@pytest.mark.parametrize("fields", [{"steps": 0}, {"rate": -0.1}, {"leak": float("nan")}, {"batch_rows": 0}])
def test_a_field_that_makes_no_sense_is_refused_by_name(fields):
    (name,) = fields
    with pytest.raises(TrainingDataError, match=f"The '{name}' parameter of StraightThrough must be a number from"):
        StraightThrough(**fields)


def test_one_class_among_the_rows_that_count_is_refused():
    with pytest.raises(TrainingDataError, match="one class"):
        train(None, ROWS, BOTH, sample_weight=BOTH)


def test_a_shape_for_other_data_is_refused():
    with pytest.raises(TrainingDataError, match="3 inputs"):
        train(Shape(3, (2,)), ROWS, BOTH)


def test_importing_the_audit_half_does_not_import_the_training_half():
    code = (
        "import sys, crystalogic, crystalogic.crystal, crystalogic.datasets\n"
        "heavy = {'numba', 'scipy', 'sklearn', 'pandas', 'crystalogic.train', 'crystalogic.network'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
