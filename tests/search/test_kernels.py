"""The kernel against exact runs and slow definitions."""

import numpy as np
import pytest

from crystalogic.candidates import NOTHING, Knowledge, keeps_to
from crystalogic.crystal import Crystal, Neuron
from crystalogic.features import Features
from crystalogic.search import lanes
from crystalogic.search.engine import crystal_to_lanes, lanes_to_crystal, make_rows, size_of

NAMES = tuple("abcdefgh")


def random_crystal(generator, n_features=8):
    """Up to four neurons that read features and each other, in any way."""
    neurons = []
    for index in range(generator.integers(1, 5)):
        sources = generator.choice(n_features + index, generator.integers(1, 6), replace=False)
        weights = generator.choice([-2, -1, 1, 2], len(sources))
        neurons.append(Neuron(sources.tolist(), weights.tolist(), int(generator.integers(-2, 3))))
    return Crystal(NAMES[:n_features], neurons, [n_features + len(neurons) - 1])


def task_of(rows, known=NOTHING, most=8, heat=(1.0, 1.0, 1.0)):
    bounds = known.permitted(rows.names), known.needed(rows.names)
    return lanes.Task(rows.features, rows.target, rows.weight, rows.one, rows.cut, *bounds, most, *heat)


def test_states_and_their_crystals_are_the_same_function():
    generator = np.random.default_rng(3)
    degrees = generator.uniform(0, 1, (60, 8))
    for _ in range(60):
        crystal = random_crystal(generator)
        again = lanes_to_crystal(crystal_to_lanes(crystal, NAMES, 3), NAMES)
        assert np.allclose(crystal.run_rows(degrees), again.run_rows(degrees))
        assert size_of(again) == size_of(crystal)


def test_the_census_counts_the_literals_written_out_and_the_neurons_that_are_heard():
    generator = np.random.default_rng(4)
    task = task_of(make_rows(Features.of_rows(np.eye(8), NAMES), np.ones(8), is_class=True))
    for _ in range(60):
        crystal = random_crystal(generator)
        state = crystal_to_lanes(crystal, NAMES, 2)
        literals, neurons, is_legal = lanes.census(task, state, np.empty(len(state), np.int64))
        assert literals == size_of(crystal)
        assert neurons <= len(crystal.live)
        assert is_legal


@pytest.mark.parametrize("seed", range(4))
def test_annealing_keeps_to_what_is_permitted_and_has_what_is_required(seed):
    """A move once turned literals round without asking, so that directions were not kept."""
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 2, (150, 8)).astype(float)
    rows = make_rows(Features.of_rows(X, NAMES), generator.integers(0, 2, 150), is_class=True)
    known = Knowledge(monotone={"a": 1, "b": -1, "c": 1}, forbidden=["d"], required=["b", "e"])
    state = crystal_to_lanes(Crystal(NAMES, [Neuron([1, 4], [-1, 1], 0)], [8]), NAMES, 5)
    best, loss = np.zeros((13, *state.shape), np.int16), np.full(13, np.inf)
    lanes.anneal(task_of(rows, known, 6, (0.8, 0.15, 0.3)), state, best, loss, 20_000, seed)
    found = [lanes_to_crystal(each, NAMES) for each in best[np.isfinite(loss)]]
    assert len(found) > 5
    for crystal in found:
        assert keeps_to(crystal, known)
        assert {"b", "e"} <= set(crystal.narrow().inputs)


def test_lanes_report_the_loss_that_the_exact_run_gives():
    generator = np.random.default_rng(5)
    X = generator.integers(0, 5, (80, 5)) / 4
    y = np.clip(X[:, 0] + X[:, 1] - X[:, 2], 0, 1)
    rows = make_rows(Features.of_rows(X, NAMES[:5]), y, is_class=False)
    front, loss = np.zeros((9, 5, lanes.HEAD + 12), np.int16), np.full(9, np.inf)
    for seed in range(4):
        state = crystal_to_lanes(Crystal(rows.names, [Neuron([seed], [1], 0)], [5]), rows.names, 4)
        lanes.anneal(task_of(rows, NOTHING, 5, (1.0, 0.02, 0.1)), state, front, loss, 10_000, seed)
    found = np.flatnonzero(np.isfinite(loss))
    assert len(found) > 2
    for size in found:
        crystal = lanes_to_crystal(front[size], rows.names)
        exact = sum(
            abs(float(crystal.run([int(4 * v) * 1.0 / 4 for v in row])[0]) - goal)
            for row, goal in zip(X, y, strict=True)
        )
        assert size_of(crystal) == size
        assert loss[size] == pytest.approx(exact + 1e-3 * len(crystal.live), abs=1e-3)
    assert loss.min() < 0.02  # x₁ + x₂ - x₃ is one neuron
