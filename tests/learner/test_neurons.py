"""Neurons: what is found of many rows is what is found of all, and few facts are searched exactly."""

from typing import Any

import numpy as np
import pytest

from crystalogic.learner import formula as neurons
from crystalogic.learner.formula import find_neurons
from crystalogic.learner.grow import PRIOR, Slopes


def made_up(n_rows: int, n_facts: int) -> tuple[Any, Slopes]:
    random = np.random.default_rng(0)
    truths = (random.random((n_rows, n_facts)) < 0.5).astype(np.float32)
    holds = truths[:, 0] + truths[:, 2] + (1 - truths[:, 3]) >= 2
    residual = np.where(holds, 0.4, -0.4) + random.normal(0, 1, n_rows)
    return truths, Slopes(residual - residual.mean(), np.full(n_rows, 0.25))


STARTS = [[0], [1], [2], [~3], [1, 2], [0, 4]]


def test_the_worth_is_what_the_neuron_gains_less_its_price() -> None:
    truths, slopes = made_up(500, 12)
    best = find_neurons(truths, slopes, STARTS, 3.0)[0]
    assert (best.facts, best.low, best.high) == ((~3, 0, 2), 2, 3)
    holds = truths[:, 0] + truths[:, 2] + (1 - truths[:, 3]) >= 2
    bend = slopes.bend @ holds
    gain = (slopes.residual @ holds) ** 2 / (bend * (1 - bend / slopes.bend.sum()) + PRIOR)
    assert best.worth == pytest.approx(gain - 9, rel=1e-4)


def test_rows_with_the_same_facts_are_searched_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    truths, slopes = made_up(500, 6)
    merged = find_neurons(truths, slopes, STARTS, 3.0)
    monkeypatch.setattr(neurons.grow, "merge_rows", lambda *given: given)
    each = find_neurons(truths, slopes, STARTS, 3.0)
    assert [found.facts for found in merged] == [found.facts for found in each]
    assert [found.worth for found in merged] == pytest.approx([found.worth for found in each], rel=1e-3)


def test_of_many_rows_some_find_what_all_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    truths, slopes = made_up(6000, 16)
    found = find_neurons(truths, slopes, STARTS, 3.0)[0]
    monkeypatch.setattr(neurons, "MOST_ROWS", 10_000)
    assert found == find_neurons(truths, slopes, STARTS, 3.0)[0]


def test_a_neuron_of_eight_facts_is_found() -> None:
    """Which of ten facts hold says nothing by itself; how many of eight of them do says all."""
    truths = np.random.default_rng(0).integers(0, 2, (800, 10)).astype(np.float32)
    goal = truths[:, :8].sum(axis=1) == 4
    slopes = Slopes(goal - goal.mean(), np.full(800, 0.2))
    best = find_neurons(truths, slopes, neurons._starts(800, 10, np.random.default_rng(0)), 4.0)[0]
    assert (sorted(max(fact, ~fact) for fact in best.facts), best.low, best.high) == ([*range(8)], 4, 4)
