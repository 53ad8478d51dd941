"""The bit kernels against plain counting, and the lanes against exact runs."""

import numpy as np
import pytest

from crystalogic.search import bit_search, bit_sweep, bits, lanes
from crystalogic.search.states import bits_to_crystal, crystal_to_bits, crystal_to_lanes, lanes_to_crystal, size_of
from crystalogic.search.table import make_rows

NAMES = tuple("abcdefgh")


def table(n_rows=150, n_features=8, seed=0, weight=None):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 2, (n_rows, n_features)).astype(float)
    return make_rows(X, generator.integers(0, 2, n_rows), NAMES[:n_features], weight, is_class=True)


def random_state(generator, n_neurons=4, n_features=8):
    state = np.zeros((n_neurons + 1, bits.FIRST + bits.MOST), np.int16)
    for row in state[: generator.integers(1, n_neurons + 1)]:
        m = generator.integers(1, n_features + 1)
        row[bits.COUNT], row[bits.THRESHOLD] = m, generator.integers(1, m + 1)
        features = generator.choice(n_features, m, replace=False)
        row[bits.FIRST : bits.FIRST + m] = 2 * features + generator.integers(0, 2, m)
    live = int((state[:-1, bits.COUNT] > 0).sum())
    state[-1, bits.THRESHOLD] = generator.integers(1, live + 1)
    return state


def bounds(permitted=None, required=()):
    flags = np.ones(16, bool) if permitted is None else permitted
    return bits.Bounds(np.flatnonzero(flags).astype(np.int16), flags, np.array(required, np.int16))


def empty_front(n_sizes, n_neurons):
    return bits.Best(np.zeros((n_sizes, n_neurons + 1, 17), np.int16), np.full(n_sizes, np.inf))


def is_within(state, within):
    """Whether every literal of a state is permitted."""
    return all(within.permitted[row[bits.FIRST : bits.FIRST + row[bits.COUNT]]].all() for row in state[:-1])


def wrong_rows(state, rows):
    """The wrong rows by counting literals one by one."""
    values = rows.features.T
    on = np.zeros(rows.n_rows, int)
    for row in state[:-1]:
        if row[bits.COUNT]:
            literals = row[bits.FIRST : bits.FIRST + row[bits.COUNT]]
            count = sum(1 - values[:, t >> 1] if t & 1 else values[:, t >> 1] for t in literals)
            on += count >= row[bits.THRESHOLD]
    return (on >= state[-1, bits.THRESHOLD]) != (rows.target >= 0.5)


@pytest.mark.parametrize("weighted", [False, True])
def test_bit_planes_count_the_wrong_rows_as_plain_counting_does(weighted):
    generator = np.random.default_rng(1)
    weight = generator.uniform(0.1, 3, 150) if weighted else None
    rows = table(weight=weight)
    words = rows.words()
    for _ in range(50):
        state = random_state(generator)
        hidden, wrong = np.empty((4, len(words[1])), np.uint64), np.empty(len(words[1]))
        lost = bit_search.reset(words, state, hidden, wrong)
        assert lost == pytest.approx(float(rows.weight[wrong_rows(state, rows)].sum()), rel=1e-5)


def test_the_front_keeps_losses_that_its_states_really_have():
    rows = table()
    words, (front, loss) = rows.words(), (best := empty_front(13, 6))
    start = np.zeros((7, 17), np.int16)
    start[6, bits.THRESHOLD] = 1
    bit_search.grow(words, bounds(), start, best, (300, 3000, 2), bits.heat_of(0.3), 0, 3)
    bit_sweep.sweep(words, bounds(), best, 20)
    assert np.isfinite(loss[1:]).all()
    for size in range(1, 13):
        assert front[size, :-1, bits.COUNT].sum() == size
        assert int(loss[size]) == wrong_rows(front[size], rows).sum()


def test_growing_and_sweeping_ask_for_the_time_before_each_neuron_and_each_state():
    """A whole growth was one step: with 40,000 rows it took 8 seconds after the time was over."""
    rows = table()
    words, (_, loss) = rows.words(), (best := empty_front(13, 6))
    start = np.zeros((7, 17), np.int16)
    start[6, bits.THRESHOLD] = 1
    given = (words, bounds(), start, best, (50, 300, 1), bits.heat_of(0.3), 0, 1)
    assert np.isinf(bit_search.grow(*given, lambda: True))
    assert np.isinf(loss).all()
    asked = iter([False, True])
    assert bit_search.grow(*given, lambda: next(asked)) < rows.n_rows / 2
    before = loss.copy()
    assert bit_sweep.sweep(words, bounds(), best, 20, lambda: True) == 0
    assert (loss == before).all()


def test_after_a_sweep_no_single_change_makes_a_better_front():
    rows = table(seed=4)
    words, (front, loss) = rows.words(), (kept := empty_front(6, 3))
    start = np.zeros((4, 17), np.int16)
    start[3, bits.THRESHOLD] = 1
    bit_search.grow(words, bounds(), start, kept, (50, 300, 1), bits.heat_of(0.3), 0, 1)
    bit_sweep.sweep(words, bounds(), kept, 50)
    best = np.minimum.accumulate(np.floor(loss[1:]))
    trial = front[1].copy()
    for size in range(1, 6):
        if np.floor(loss[size]) > best[size - 1]:
            continue  # dominated: a shorter formula is as good
        for step in range(10_000):
            changed = bit_sweep.vary(front[size], bounds(), trial, step)
            if changed == -2:
                break
            n = int(trial[:-1, bits.COUNT].sum())
            live = int((trial[:-1, bits.COUNT] > 0).sum())
            if changed >= 0 and 0 < n < 6 and 1 <= trial[-1, bits.THRESHOLD] <= live:
                assert wrong_rows(trial, rows).sum() >= best[n - 1]


@pytest.mark.parametrize("seed", range(4))
def test_every_move_keeps_to_the_permitted_literals(seed):
    """The move from "at least k" to "exactly k" negated literals without asking, so that directions were not kept."""
    generator = np.random.default_rng(seed)
    signs = generator.integers(0, 4, 8)  # neither, x, ¬x, or both
    signs[:2] = 1, 2
    flags = np.ravel([(sign & 1 > 0, sign & 2 > 0) for sign in signs])
    within, random = bounds(flags), np.array([seed + 1], np.uint64)
    state = np.zeros((6, bits.FIRST + bits.MOST), np.int16)
    state[5, bits.THRESHOLD] = 1
    n_changed = 0
    for _ in range(20_000):
        trial = state.copy()
        if bits.propose(trial, within, random)[0] >= 0:
            assert is_within(trial, within)
            state, n_changed = trial, n_changed + 1
    assert n_changed > 5000


def test_what_grows_or_is_swept_has_what_is_required_and_nothing_that_is_not_permitted():
    rows = table(seed=6)
    flags = np.ones(16, bool)
    flags[[0, 3, 5, 8, 9]] = False
    within = bounds(flags, [0, 6, 7])
    for n in (2, 6):  # fewer neurons than what is required, and more
        front, loss = best = empty_front(9, n)
        start = np.zeros((n + 1, 17), np.int16)
        start[n, bits.THRESHOLD] = 1
        for place, literal in enumerate((1, 12, 14)):
            start[place % n, bits.THRESHOLD] = 1
            assert bits.put(start[place % n], place // n, literal, within)
        bit_search.grow(rows.words(), within, start, best, (300, 3000, 2), bits.heat_of(0.3), 0, 3)
        bit_sweep.sweep(rows.words(), within, best, 20)
        assert np.isinf(loss[:3]).all()
        for state in front[np.isfinite(loss)]:
            assert is_within(state, within)
            assert not bits.lacks(state, within)


def test_bit_states_and_their_crystals_are_the_same_function():
    generator = np.random.default_rng(2)
    rows = table()
    for _ in range(100):
        state = random_state(generator)
        crystal = bits_to_crystal(state, rows.boolean, rows.names)
        assert ((rows.degrees(crystal)[:, 0] >= 0.5) != (rows.target >= 0.5)).tolist() == wrong_rows(
            state, rows
        ).tolist()
        back = crystal_to_bits(crystal, rows.boolean, 15)
        assert back is None or wrong_rows(back, rows).tolist() == wrong_rows(state, rows).tolist()


def test_lanes_states_and_their_crystals_are_the_same_function():
    generator = np.random.default_rng(3)
    rows = table()
    degrees = generator.uniform(0, 1, (60, 8))
    for _ in range(30):
        crystal = bits_to_crystal(random_state(generator), rows.boolean, rows.names)
        again = lanes_to_crystal(crystal_to_lanes(crystal, rows.names, 3), rows.names)
        assert np.allclose(crystal.run_rows(degrees), again.run_rows(degrees))
        assert size_of(again) == size_of(crystal)


def test_lanes_report_the_loss_that_the_exact_run_gives():
    generator = np.random.default_rng(5)
    X = generator.integers(0, 5, (80, 5)) / 4
    y = np.clip(X[:, 0] + X[:, 1] - X[:, 2], 0, 1)
    rows = make_rows(X, y, NAMES[:5], None, is_class=False)
    front, loss = np.zeros((9, 5, lanes.HEAD + 24), np.int16), np.full(9, np.inf)
    anything, nothing = np.full(5, 3), np.empty(0, np.int64)
    for seed in range(4):
        state = np.zeros(front.shape[1:], np.int16)
        lanes.link(state[-1], seed, 1, 1)
        state[-1, lanes.BIAS] = 0
        given = lanes.Lanes(rows.features, rows.target, rows.weight, rows.one, 0.0, 0.0, 1.0)
        best, heat = bits.Best(front, loss), bits.Heat(1.0, 0.02, 0.1)
        lanes.anneal(given, anything, nothing, state, best, 10_000, heat, 5, seed)
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
