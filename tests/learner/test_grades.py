"""Ordered classes: one score with a threshold for each class but the least."""

import itertools
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crystalogic as cl
from crystalogic.errors import TrainingDataError
from crystalogic.export import to_sql
from crystalogic.learner.lists import set_thresholds, to_ridits
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import Task
from crystalogic.logic.formula import Constant
from crystalogic.logic.score import score_of
from crystalogic.verify.questions import Verdict
from crystalogic.words.models import rule_text
from depth import deep


def stages(n_rows: int = 600, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """2 points for age, 2 for smoking, 1 for weight, and some noise; grades from 0 to 3."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": random.integers(20, 80, n_rows),
            "weight": random.integers(50, 110, n_rows),
            "smoker": random.choice(["yes", "no"], n_rows),
            "other": random.normal(size=n_rows).round(2),
        }
    )
    points = 2 * (table.age >= 50) + 2 * (table.smoker == "yes") + (table.weight >= 80)
    return table, np.digitize(points + 0.4 * random.normal(size=n_rows), [0.5, 2.5, 4.5])


@pytest.fixture(scope="module")
def fitted() -> tuple[cl.LukasiewiczClassifier, pd.DataFrame, Any]:
    table, y = stages()
    return cl.LukasiewiczClassifier(ordered=True).fit(table, pd.Series(y, name="stage")), table, y


def test_one_score_is_found_and_its_points_are_listed_once(fitted: Any) -> None:
    rule, *_ = fitted
    fresh, labels = stages(seed=1)
    assert rule.score(fresh, labels) > 0.8
    text = rule_text(rule.model_)
    assert text.startswith("stage is 3 if at least")
    assert text.count("smoker is yes") == 1
    assert text.splitlines()[-1] == "otherwise stage is 0"


def test_all_rules_count_the_same_points_and_thresholds_rise_with_the_class(fitted: Any) -> None:
    model = fitted[0].model_
    assert model.is_ordered
    assert model.order == (3, 2, 1, 0)
    for row in zip(*model.fronts, strict=True):
        scores = [score_of(each.formula) for each in row if not isinstance(each.formula, Constant)]
        assert all(score.points == scores[0].points for score in scores)
        thresholds = [score.threshold for score in scores]
        assert thresholds == sorted(set(thresholds))


def test_probabilities_add_up_to_one_and_the_class_decided_for_is_likeliest(fitted: Any) -> None:
    rule, table, _ = fitted
    told = rule.predict_proba(table)
    assert told.sum(axis=1) == pytest.approx(1)
    assert rule.classes_[told.argmax(axis=1)].tolist() == rule.predict(table).tolist()


def test_whether_the_grade_can_fall_is_proved_or_refuted(fitted: Any) -> None:
    model = fitted[0].model_
    proof = cl.monotone(model, "age")
    assert proof.verdict is Verdict.PROVED
    assert "as age rises, stage never falls" in str(proof)
    assert cl.monotone(model, "age", decreasing=True).verdict is Verdict.REFUTED
    assert cl.monotone(model, "age", label=1).verdict is Verdict.REFUTED  # a middle class is gained and lost


def test_a_direction_holds_for_the_grade(fitted: Any) -> None:
    _, table, y = fitted
    against = cl.LukasiewiczClassifier(ordered=True, monotone={"age": -1}).fit(table, y)
    assert "age" not in against.model_.columns
    along = cl.LukasiewiczClassifier(ordered=True, monotone={"age": 1, "weight": 1}).fit(table, y)
    assert {"age", "weight"} <= set(along.model_.columns)
    assert along.model_.record.promises == (
        "'age' may only raise the output",
        "'weight' may only raise the output",
    )


def test_a_list_without_an_order_has_no_directions_and_says_why() -> None:
    table, y = stages(100)
    with pytest.raises(TrainingDataError, match=r"no formula alone decides.*ordered=True"):
        cl.LukasiewiczClassifier(monotone={"age": 1}).fit(table, y)


def test_words_are_ordered_as_given_and_names_change_nothing(fitted: Any) -> None:
    rule, table, y = fitted
    names = ["none", "mild", "grave", "fatal"]
    other = cl.LukasiewiczClassifier(ordered=names).fit(table, np.array(names)[y])
    assert other.model_.record.grades == tuple(names)
    assert other.predict(table).tolist() == [names[grade] for grade in rule.predict(table)]
    with pytest.raises(TrainingDataError, match="are not numbers"):
        cl.LukasiewiczClassifier(ordered=True).fit(table, np.array(names)[y])
    with pytest.raises(TrainingDataError, match="must name each class once"):
        cl.LukasiewiczClassifier(ordered=names[1:]).fit(table, np.array(names)[y])


def test_an_order_goes_with_the_learner_that_has_scores() -> None:
    table, y = stages(100)
    with pytest.raises(TrainingDataError, match="goes with strategy='likelihood'"):
        cl.LukasiewiczClassifier("annealing", ordered=True).fit(table, y)


@pytest.mark.parametrize("shape", ["checklist", "points", "formula"])
def test_every_shape_has_one_score(shape: str) -> None:
    table, y = stages(250)
    model = cl.LukasiewiczClassifier(ordered=True, shape=shape).fit(table, y).model_
    model.check()
    assert len({tuple(score_of(each).points.items()) for each in model.formulas if each.size}) == 1


def test_a_smaller_score_is_adopted_and_kept_in_a_file(fitted: Any, tmp_path: Any) -> None:
    rule, table, _ = fitted
    small = rule.model_.adopt(2)
    small.check()
    assert max(formula.size for formula in small.formulas) == 2
    small.save(tmp_path / "model.json")
    again = cl.load(tmp_path / "model.json")
    assert again.is_ordered
    assert (again.predict(table) == small.predict(table)).all()


def test_sql_decides_the_same(fitted: Any) -> None:
    rule, table, _ = fitted
    with sqlite3.connect(":memory:") as base:
        table.to_sql("rows", base, index=False)
        found = base.execute(f"SELECT {to_sql(rule.model_, dialect='sqlite')} FROM rows")
        assert [row[0] for row in found] == rule.predict(table).tolist()


@settings(max_examples=deep(60), deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 4))
def test_no_other_thresholds_decide_more_rows_rightly(seed: int, n_classes: int) -> None:
    random = np.random.default_rng(seed)
    truths = random.integers(0, 2, (30, 3)).astype(np.float32)
    goal = random.dirichlet(np.ones(n_classes), 30)
    task = Task(truths, goal, np.ones(30), np.ones(3), np.zeros(3, int))
    score = Rule((Item((0,)), Item((1,)), Item((2,))), (2, 1, 1), 1.0, 0.0)
    order = tuple(random.permutation(n_classes).tolist())
    found = set_thresholds(score, task, order)
    gained = goal[np.arange(30), found.decide(truths)].sum()
    points = score.score(truths)
    for cuts in itertools.combinations_with_replacement(range(6), n_classes - 1):
        grade = (points[:, None] >= np.array(cuts)).sum(axis=1)
        assert goal[np.arange(30), np.array(order[::-1])[grade]].sum() <= gained + 1e-9


def test_ridits_of_two_classes_are_the_classes_and_follow_the_order_of_more() -> None:
    task = Task(np.zeros((4, 1), np.float32), np.eye(2)[[0, 0, 1, 1]], np.ones(4), np.ones(1), np.zeros(1, int))
    assert to_ridits(task, (1, 0)).goal.round().tolist() == [0, 0, 1, 1]
    three = Task(np.zeros((4, 1), np.float32), np.eye(3)[[0, 1, 1, 2]], np.ones(4), np.ones(1), np.zeros(1, int))
    assert to_ridits(three, (1, 2, 0)).goal == pytest.approx([0.01, 0.99, 0.99, 0.4])
