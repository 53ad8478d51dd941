"""Neurons: what is found of many rows is what is found of all, and few facts are searched exactly."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crystalogic.learner import formula as neurons
from crystalogic.learner.formula import find_neurons, shorten, spell_out
from crystalogic.learner.grow import PRIOR, Grown, Slopes
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.starts import MOST_FACTS, begin_search
from crystalogic.learner.task import Task


def made_up(n_rows: int, n_facts: int) -> tuple[Any, Slopes]:
    random = np.random.default_rng(0)
    truths = (random.random((n_rows, n_facts)) < 0.5).astype(np.float32)
    holds = truths[:, 0] + truths[:, 2] + (1 - truths[:, 3]) >= 2
    residual = np.where(holds, 0.4, -0.4) + random.normal(0, 1, n_rows)
    return truths, Slopes(residual - residual.mean(), np.full(n_rows, 0.25))


def made_task(truths: Any, goal: Any) -> Task:
    n_rows, n_facts = truths.shape
    return Task(truths, np.asarray(goal, np.float64), np.ones(n_rows), np.ones(n_facts), np.zeros(n_facts, np.int64))


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
    slopes, task = Slopes(goal - goal.mean(), np.full(800, 0.2)), made_task(truths, goal)
    facts, starts = begin_search(task, slopes, np.arange(10), (), 4.0, np.random.default_rng(0))
    best = find_neurons(truths[:, facts], slopes, starts, 4.0)[0]
    assert (sorted(facts[max(fact, ~fact)] for fact in best.facts), best.low, best.high) == ([*range(8)], 4, 4)


def test_the_search_begins_with_what_leads_to_a_part_of_the_rows() -> None:
    """Where the first fact holds the second tells all, elsewhere the third; of all rows these two tell little."""
    truths = np.random.default_rng(1).integers(0, 2, (600, 60)).astype(np.float32)
    goal = np.where(truths[:, 5] > 0.5, truths[:, 50], truths[:, 55] * truths[:, 57])
    slopes = Slopes(goal - goal.mean(), np.full(600, 0.2))
    ranked = np.array([place for place in range(60) if place not in (50, 55, 57)] + [50, 55, 57])
    facts, starts = begin_search(made_task(truths, goal), slopes, ranked, (), 4.0, np.random.default_rng(0))
    named = [{int(facts[fact]) if fact >= 0 else ~int(facts[~fact]) for fact in start} for start in starts]
    assert len(facts) == len(set(facts.tolist())) == MOST_FACTS
    assert {5, 50} in named
    assert any(found >= {~5, 55, 57} for found in named)


def test_facts_with_a_direction_are_no_part_of_neurons() -> None:
    truths = np.random.default_rng(2).integers(0, 2, (200, 6)).astype(np.float32)
    task = replace(made_task(truths, truths[:, 0]), signs=np.array([1, 0, 0, -1, 0, 0]))
    slopes = Slopes(truths[:, 0] - 0.5, np.full(200, 0.25))
    facts, _ = begin_search(task, slopes, np.arange(6), (), 3.0, np.random.default_rng(0))
    assert set(facts.tolist()) == {1, 2, 4, 5}


def test_a_formula_of_one_neuron_is_the_checklist_of_its_facts() -> None:
    """The count of a checklist tells more of the risk than whether a neuron holds."""
    truths = np.random.default_rng(3).integers(0, 2, (300, 3)).astype(np.float32)
    task = made_task(truths, np.where(truths[:, 0] + truths[:, 1] + 1 - truths[:, 2] >= 2, 0.9, 0.1))
    for facts, least, points in (((0, 1, ~2), 2, 3), ((~0, ~1, 2), 2, -2)):
        rule = Rule((Item(facts, least),), (points,), 1.0, 0.0).with_map(task)
        plain = spell_out(rule, task)
        assert [item.facts for item in plain.items] == [(0,), (1,), (~2,)]
        assert (plain.decide(truths) == rule.decide(truths)).all()
    ladder = Rule((Item((0, 1), is_ladder=True),), (1,), 1.0, 0.0).with_map(task)
    assert spell_out(ladder, task) == ladder


def test_formulas_are_shortened_by_what_brings_least() -> None:
    truths = np.random.default_rng(4).integers(0, 2, (400, 8)).astype(np.float32)
    strong, weak = truths[:, 0] * truths[:, 1], truths[:, 2] * truths[:, 3] * truths[:, 4]
    tasks = [made_task(truths, 0.05 + 0.9 * strong), made_task(truths, 0.4 + 0.3 * weak)]
    grown = [Grown.begin(task).add(Item((0, 1), 2), task).add(Item((2, 3, 4), 3), task) for task in tasks]
    found = {
        size: [[item.facts for item in each.items] for each in kept] for size, kept in shorten(grown, tasks, range(11))
    }
    assert list(found) == [*range(10, -1, -1)]
    assert found[10] == [[(0, 1), (2, 3, 4)]] * 2
    assert found[5] == [[(0, 1)], [(2, 3, 4)]]
    assert found[2] == found[4] == [[(0, 1)], []]
    assert found[1] == [[], []]
