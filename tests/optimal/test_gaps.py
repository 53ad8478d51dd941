"""The front of errors against the gap between groups, beside trying all rules in plain Python."""

import random
import time
from fractions import Fraction

import numpy as np
import pytest

from brute_gaps import compare, front, gap_of
from crystalogic.errors import TrainingDataError
from crystalogic.optimal import Needs, compile_kernels
from crystalogic.progress import Stop
from depth import deep


def noisy(n_rows=150, n_facts=14, n_groups=3, seed=0):
    generator = np.random.default_rng(seed)
    rows = (generator.random((n_rows, n_facts)) < 0.5).astype(int)
    labels = (rows[:, :3].sum(axis=1) >= 2) ^ (generator.random(n_rows) < 0.3)
    return rows, labels, generator.integers(0, n_groups, n_rows) + rows[:, 0]


def pairs(found):
    return [(point.errors, point.gap) for point in found.points]


@pytest.mark.parametrize("block", range(5))
def test_front_theorem_and_refutation_are_those_of_brute_force(block):
    for seed in range(6 * block, 6 * block + deep(6)):
        assert compare(seed) == []


def test_threads_change_nothing():
    table = noisy()
    one, two = (front(*table, 3, n_threads=n) for n in (1, 2))
    assert one == two
    assert len(one.points) > 3


@pytest.mark.parametrize("kind", ["selection", "misses", "false-alarms"])
def test_many_groups_and_many_words_are_counted_exactly(kind):
    rows, labels, groups = noisy(700, 8, 9)
    for point in front(rows, labels, groups, 2, "points", kind=kind).points:
        said = point.rule.decide(rows)
        assert (said != labels).sum() == point.errors
        assert gap_of(said.tolist(), labels.tolist(), groups.tolist(), kind) == point.gap
        assert max(point.rates) - min(point.rates) == point.gap


@pytest.mark.usefixtures("way")
def test_what_is_said_of_an_unfinished_front_is_true():
    table = noisy()
    whole = front(*table, 4)
    for seed in range(deep(20)):
        steps = random.Random(seed).randint(1, 60)
        early = front(*table, 4, callback=lambda progress, n=steps: progress.seconds >= n / 500, n_threads=1 + seed % 2)
        proved = [pair for point, pair in zip(early.points, pairs(early), strict=True) if early.is_proved(point)]
        assert proved == [pair for pair in pairs(whole) if pair[0] < early.bound]
        for errors, gap in pairs(early):
            assert min(other for n, other in pairs(whole) if n <= errors) <= gap
        assert early.is_whole == (early.bound > early.points[-1].errors)
        assert early.stop in (Stop.CALLBACK, Stop.DONE)


def test_time_ends_the_search_with_what_was_found():
    rows, labels, groups = noisy(300, 150)
    compile_kernels()
    begin = time.perf_counter()
    found = front(rows, labels, groups, 4, seconds=0.2)
    assert found.stop is Stop.TIME
    assert time.perf_counter() - begin < 3
    assert found.points
    assert not found.is_whole


def test_needs_are_kept():
    rows, labels, groups = noisy(60, 6)
    needs = Needs(used=("x6",), unused=("x1",), signs={"x2": -1})
    found = front(rows, labels, groups, 2, needs=needs)
    assert found.points
    for point in found.points:
        assert {5, ~5} & set(point.rule.facts)
        assert not {0, ~0, 1} & set(point.rule.facts)


def test_a_table_without_facts_has_the_constants_alone():
    found = front([[1], [1], [1]], [1, 0, 1], [0, 1, 0], 2)
    assert pairs(found) == [(1, 0)]
    assert front([[1], [1], [1]], [1, 0, 1], [0, 1, 0], 2, most_errors=0).points == ()


@pytest.mark.parametrize(
    ("size", "how", "problem"),
    [
        (2, {"kind": "luck"}, "the gap is one of selection, misses, false-alarms, got 'luck'"),
        (2, {"at_most": 2}, "a gap is a number from 0 to 1 of at most 9 decimals, got 2"),
        (2, {"at_most": Fraction(1, 10**10)}, "of at most 9 decimals"),
        (2, {"shape": "formula"}, "the shape is 'checklist' or 'points', got 'formula'"),
        (9, {}, "a number of facts from 0 to 8, got 9"),
    ],
)
def test_what_cannot_be_asked_is_refused(size, how, problem):
    with pytest.raises(TrainingDataError, match=problem):
        front(*noisy(20, 3), size, **how)


def test_too_many_rows_are_refused():
    with pytest.raises(TrainingDataError, match="at most 65,536 rows, got 65,537"):
        front(np.ones((65_537, 1)), np.arange(65_537) % 2, np.zeros(65_537), 1)
