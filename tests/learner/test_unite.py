"""Two facts that are one: shorter rules with the same scores."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.learner.finish import unite_facts
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import Task


def _task(codes, signs=None, required=()):
    """Facts of one column of three values: 1, 2, 3, and from 2 on."""
    codes = np.asarray(codes)
    truths = np.column_stack([codes == 1, codes == 2, codes == 3, codes >= 2]).astype(np.float32)
    goal = np.linspace(0.1, 0.9, len(codes))
    return Task(truths, goal, np.ones(len(codes)), np.ones(4), np.zeros(4) if signs is None else signs, required)


def _rule(points):
    return Rule(tuple(Item((place,)) for place in points), tuple(points.values()), 1.0, 0.0)


CODES = [1, 2, 3] * 10


@pytest.mark.parametrize(
    ("points", "united"),
    [
        ({0: 1, 1: 1}, {2: -1}),
        ({3: 2, 1: -2}, {2: 2}),
        ({0: -1, 3: 1}, None),  # 2·(from 2 on) - 1 is no single fact of one point
        ({0: 2, 1: 1}, None),
    ],
)
def test_what_one_fact_says_is_one_fact(points, united):
    found = unite_facts(_rule(points), _task(CODES))
    expected = points if united is None else united
    assert {item.facts[0]: each for item, each in zip(found.items, found.points, strict=True)} == expected


def test_a_goal_for_each_of_several_classes_is_no_matter():
    task = replace(_task(CODES), goal=np.full((len(CODES), 4), 0.25))
    assert unite_facts(_rule({0: 1, 1: 1}), task).size == 1


def test_knowledge_is_kept():
    assert unite_facts(_rule({0: 1, 1: 1}), _task(CODES, signs=np.array([0, 0, 1, 0]))).size == 2
    assert unite_facts(_rule({0: 1, 1: 1}), _task(CODES, required=(1,))).size == 2


@given(
    st.lists(st.integers(1, 3), min_size=3, max_size=30),
    st.dictionaries(st.integers(0, 3), st.integers(-3, 3).filter(bool), min_size=1),
)
def test_scores_differ_by_one_number(codes, points):
    task, rule = _task(codes), _rule(points)
    found = unite_facts(rule, task)
    assert found.size <= rule.size
    assert len(set(found.score(task.truths) - rule.score(task.truths))) == 1
