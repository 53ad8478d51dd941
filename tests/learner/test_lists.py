"""Several classes: lists of rules, of which the first that applies decides."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crystalogic as cl
from crystalogic.errors import FrontError, TrainingDataError
from crystalogic.learner.lists import RuleList, narrow, settle_thresholds
from crystalogic.learner.rule import Item, Rule
from crystalogic.learner.task import Task, logistic
from crystalogic.logic.formula import Constant
from crystalogic.model.risk import share_out
from crystalogic.words.explanations import explanation_text
from crystalogic.words.models import rule_text
from depth import deep


def grades(n_rows: int = 400, seed: int = 0, noise: float = 0.0) -> tuple[pd.DataFrame, Any]:
    """A is taken for old and ill, B for others who are heavy, C is left."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": random.integers(20, 80, n_rows),
            "weight": random.integers(50, 110, n_rows),
            "state": random.choice(["ill", "well", "unknown"], n_rows),
            "other": random.normal(size=n_rows).round(2),
        }
    )
    rule = np.select([(table.age >= 50) & (table.state == "ill"), table.weight >= 85], ["A", "B"], "C")
    noisy = random.random(n_rows) < noise
    return table, np.where(noisy, random.choice(list("ABC"), n_rows), rule)


@pytest.fixture(scope="module")
def fitted() -> tuple[cl.LukasiewiczClassifier, pd.DataFrame, Any]:
    table, y = grades(noise=0.1)
    return cl.LukasiewiczClassifier().fit(table, pd.Series(y, name="grade")), table, y


def test_a_planted_list_is_found_and_reads_as_one() -> None:
    table, y = grades()
    rule = cl.LukasiewiczClassifier().fit(table, pd.Series(y, name="grade"))
    fresh, labels = grades(seed=1)
    assert rule.score(fresh, labels) > 0.97
    text = rule_text(rule.model_)
    assert text.splitlines()[0].startswith("grade is A if")
    assert "\notherwise grade is B if" in text
    assert text.splitlines()[-1] == "otherwise grade is C"


def test_the_list_decides_as_the_model_decides(fitted: Any) -> None:
    rule, table, _ = fitted
    model = rule.model_
    assert model.is_list
    assert model.formulas[model.order[-1]] == Constant(1)
    degrees = model.degrees(table)
    first = [next(place for place in model.order if row[place] == 1) for row in degrees]
    assert model.predict(table).tolist() == [model.classes[place] for place in first]


def test_probabilities_add_up_to_one_and_none_is_above_the_class_decided_for(fitted: Any) -> None:
    rule, table, _ = fitted
    told = rule.predict_proba(table)
    assert told.sum(axis=1) == pytest.approx(1)
    assert rule.classes_[told.argmax(axis=1)].tolist() == rule.predict(table).tolist()
    assert (told > 0).all()


def test_any_row_of_the_joint_front_can_be_adopted(fitted: Any) -> None:
    rule, table, _ = fitted
    model = rule.model_
    sizes = [sum(row.size for row in rows) for rows in zip(*model.fronts, strict=True)]
    assert sizes == sorted(set(sizes))
    for size in sizes:
        other = model.adopt(size)
        other.check()
        assert sum(formula.size for formula in other.formulas) == size
        assert other.probabilities(table).sum(axis=1) == pytest.approx(1)
    with pytest.raises(FrontError, match="at most -1"):
        model.adopt(-1)


def test_a_list_is_kept_in_a_file_and_its_probabilities_too(fitted: Any, tmp_path: Any) -> None:
    rule, table, _ = fitted
    rule.save(tmp_path / "model.json")
    again = cl.load(tmp_path / "model.json")
    assert again.chain == rule.model_.chain
    assert (again.probabilities(table) == rule.model_.probabilities(table)).all()


def test_names_of_classes_and_the_order_of_rows_and_columns_change_nothing(fitted: Any) -> None:
    rule, table, y = fitted
    renamed = np.array([{"A": "z", "B": "m", "C": "a"}[label] for label in y])
    shuffled = np.random.default_rng(3).permutation(len(y))
    other = cl.LukasiewiczClassifier().fit(table.iloc[shuffled, ::-1], renamed[shuffled])
    back = {"z": "A", "m": "B", "a": "C"}
    found = {
        back[label]: set(formula.variables) for label, formula in zip(other.classes_, other.formulas_, strict=True)
    }
    assert found == {
        label: set(formula.variables) for label, formula in zip(rule.classes_, rule.formulas_, strict=True)
    }
    assert [back[label] for label in other.predict(table.iloc[:, ::-1])] == rule.predict(table).tolist()


def test_the_limit_is_for_the_whole_list() -> None:
    table, y = grades(noise=0.1)
    for most in (1, 3, 5):
        rule = cl.LukasiewiczClassifier(max_literals=most).fit(table, y)
        assert all(sum(row.size for row in rows) <= most for rows in zip(*rule.model_.fronts, strict=True))


def cases(n_rows: int = 500, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Whether b or c decides hangs on a: no sum of points says so."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame({name: random.choice(["low", "high"], n_rows) for name in "abcde"})
    high = {name: (table[name] == "high").to_numpy() for name in "abcde"}
    one, other = np.where(high["b"], "A", "B"), np.where(high["c"] == high["d"], "C", "A")
    return table, np.where(high["a"], one, other)


def test_cases_are_told_by_neurons_without_asking_for_them() -> None:
    table, y = cases()
    fresh, labels = cases(seed=1)
    rule = cl.LukasiewiczClassifier().fit(table, y)
    assert rule.score(fresh, labels) == 1
    assert cl.LukasiewiczClassifier(shape="points").fit(table, y).score(fresh, labels) < 0.9


@pytest.mark.parametrize("most", [4, 7, 12])
def test_a_limit_holds_for_neurons_of_all_rules_together(most: int) -> None:
    table, y = cases()
    rule = cl.LukasiewiczClassifier(shape="formula", max_literals=most).fit(table, y)
    sizes = [sum(each.formula.size for each in row) for row in zip(*rule.model_.fronts, strict=True)]
    assert max(sizes) <= most
    assert rule.score(table, y) > 0.6


@pytest.mark.parametrize("shape", ["checklist", "points", "formula"])
def test_every_shape_can_be_asked_for(shape: str) -> None:
    table, y = grades(200, noise=0.05)
    rule = cl.LukasiewiczClassifier(shape=shape).fit(table, y)
    assert rule.model_.is_list
    assert rule.score(table, y) > 0.8


@pytest.mark.parametrize("shape", [None, "checklist", "formula"])
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("is_noise", [False, True])
def test_what_is_required_is_in_a_rule_of_every_list(shape: str | None, ordered: bool, is_noise: bool) -> None:
    """Also where nothing can be learned, and where the limit leaves room for nothing else."""
    table, y = grades(200, noise=1.0 if is_noise else 0.1)
    y = np.searchsorted(np.unique(y), y)
    for most in (None, 2):
        rule = cl.LukasiewiczClassifier(
            required=["age ≥ 50", "age ≥ 61"], shape=shape, ordered=ordered, max_literals=most
        )
        model = rule.fit(table, y).model_
        lists = [model.formulas, *([row.formula for row in rows] for rows in zip(*model.fronts, strict=True))]
        for listed in lists:
            assert {"age ≥ 50", "age ≥ 61"} <= {name for formula in listed for name in formula.variables}
        assert model.is_list
        assert model.is_ordered == ordered


def test_what_is_forbidden_is_not_used_and_directions_are_refused() -> None:
    table, y = grades(200)
    rule = cl.LukasiewiczClassifier(forbidden=["state"]).fit(table, y)
    assert "state" not in rule.model_.columns
    with pytest.raises(TrainingDataError, match="directions need two classes"):
        cl.LukasiewiczClassifier(monotone={"age": 1}).fit(table, y)


def test_heavier_classes_are_decided_for_more_often() -> None:
    table, y = grades(noise=0.4)
    often = cl.LukasiewiczClassifier(class_weight={"A": 10.0}).fit(table, y)
    plain = cl.LukasiewiczClassifier().fit(table, y)
    assert (often.predict(table) == "A").sum() > (plain.predict(table) == "A").sum()


def test_cuts_at_the_wrong_places_are_shifted_where_labels_are_certain() -> None:
    """Two cuts of one number tell three classes exactly, but not at the places that are looked at first."""
    X = np.repeat(np.arange(30)[:, None], 4, axis=0) / 10
    y = np.digitize(X[:, 0], [1, 2])
    rule = cl.LukasiewiczClassifier(n_cuts=8, max_literals=3).fit(X, y)
    assert rule.score(X, y) == 1


def test_an_explanation_names_the_rule_and_how_likely_each_class_is(fitted: Any) -> None:
    rule, table, _ = fitted
    found = [explanation_text(each) for each in rule.explain(table.iloc[:20])]
    assert any("the first rule that applies" in text for text in found)
    assert any("no other rule applies" in text for text in found)
    assert all("of such rows " in text for text in found)


def chances(odds: Any, order: Any) -> Any:
    """How likely each class is (rows × classes), where the rules of a list tell these log odds."""
    told = np.empty((len(odds), len(order)))
    left = np.ones(len(odds))
    for place, p in enumerate(logistic(odds).T):
        told[:, order[place]] = left * p
        left = left * (1 - p)
    told[:, order[-1]] = left
    return told


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_the_chain_shares_out_what_there_is(seed: int, n_rules: int) -> None:
    random = np.random.default_rng(seed)
    odds = 4 * random.normal(size=(20, n_rules))
    order = random.permutation(n_rules + 1).tolist()
    told = chances(odds, order)
    assert told.sum(axis=1) == pytest.approx(1)
    decided = random.integers(0, n_rules + 1, 20)
    shared = share_out(1 / (1 + np.exp(-odds)), order, decided)
    assert shared.sum(axis=1) == pytest.approx(1)
    assert (shared.argmax(axis=1) == decided).all()
    agreed = told.argmax(axis=1) == decided
    assert shared[agreed] == pytest.approx(told[agreed])


@settings(max_examples=deep(40))
@given(st.integers(0, 2**32 - 1))
def test_thresholds_settled_together_never_decide_worse(seed: int) -> None:
    random = np.random.default_rng(seed)
    truths = (random.random((60, 6)) < 0.5).astype(np.float32)
    goal = random.dirichlet(np.ones(3), 60)
    task = Task(truths, goal, np.ones(60), np.ones(6), np.zeros(6))
    rules = tuple(
        Rule(
            tuple(Item((int(fact),)) for fact in random.permutation(6)[:3]), (1, 2, 1), 1.0, float(random.normal() - 2)
        )
        for _ in range(2)
    )
    before = RuleList((2, 1, 0), rules)
    after = settle_thresholds(before, task)
    rows = np.arange(60)
    assert goal[rows, after.decide(truths)].sum() >= goal[rows, before.decide(truths)].sum() - 1e-9
    assert all(rule.threshold is not None for rule in after.rules if rule.items)


def test_the_loss_of_a_list_is_the_sum_over_its_rules() -> None:
    random = np.random.default_rng(0)
    goal = 0.9 * random.dirichlet(np.ones(4), 30) + 0.025
    task = Task(np.zeros((30, 1), np.float32), goal, random.random(30), np.ones(1), np.zeros(1))
    odds, order = random.normal(size=(30, 3)), (3, 1, 0, 2)
    whole = -(task.weight * (goal * np.log(chances(odds, order))).sum(axis=1)).sum()
    parts = [narrow(task, order, place) for place in range(3)]
    one_by_one = sum(
        each.weight @ (np.logaddexp(0, told) - each.goal * told) for each, told in zip(parts, odds.T, strict=True)
    )
    assert one_by_one == pytest.approx(whole)
