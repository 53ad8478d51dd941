import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from crystalogic import LukasiewiczClassifier, LukasiewiczRegressor, TrainingDataError, load


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"age": random.integers(20, 80, 200), "color": random.choice(["red", "blue", None], 200)})
    return frame, ((frame["age"] >= 50) & (frame["color"] == "red")).map({True: "yes", False: "no"}).rename("risk")


@pytest.fixture(scope="module")
def fitted(table):
    return LukasiewiczClassifier(max_literals=4).fit(*table)


def test_a_frame_with_categories_and_missing_values_gives_a_certified_rule(fitted, table):
    frame, labels = table
    assert fitted.score(frame, labels) > 0.97
    assert set(fitted.encoding_.columns_of(fitted.formula_.variables)) == {"age", "color"}
    assert fitted.feature_names_in_.tolist() == ["age", "color"]
    fitted.model_.check()


def test_print_is_the_model(fitted):
    text = str(fitted)
    assert "literals  training  cross-validated  formula" in text
    assert "▶" in text
    assert "risk is yes if both of these:" in text
    assert "Proved:" in text
    assert str(clone(fitted)).startswith("LukasiewiczClassifier(")


def test_degrees_decide_at_one_half(fitted, table):
    degrees = fitted.predict_proba(table[0])[:, 1]
    assert ((degrees >= 0.5) == (fitted.predict(table[0]) == "yes")).all()


def test_explanations_say_what_predict_says(fitted, table):
    rows = table[0].head(10)
    assert [each.decision for each in fitted.explain(rows)] == fitted.predict(rows).tolist()


def test_a_saved_model_predicts_the_same(fitted, table, tmp_path):
    fitted.save(tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(table[0]) == fitted.predict(table[0])).all()


def test_it_works_in_a_pipeline_a_grid_search_and_cross_validation(table):
    frame, labels = table
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["color"]), remainder="passthrough")
    pipeline = make_pipeline(encoder, LukasiewiczClassifier(max_literals=3))
    assert cross_val_score(pipeline, frame, labels, cv=3).mean() > 0.9
    grid = GridSearchCV(LukasiewiczClassifier(), {"max_literals": [1, 2]}, cv=2).fit(frame, labels)
    assert grid.best_params_ == {"max_literals": 2}


def test_several_classes_have_a_formula_each():
    X = np.repeat(np.arange(30)[:, None], 4, axis=0) / 10
    y = np.digitize(X[:, 0], [1, 2])
    rule = LukasiewiczClassifier(n_cuts=8, max_literals=3).fit(X, y)
    assert len(rule.formulas_) == 3
    assert rule.score(X, y) > 0.9
    with pytest.raises(AttributeError, match="one for each class"):
        _ = rule.formula_


def test_a_regressor_predicts_degrees_in_the_units_of_the_target():
    random = np.random.default_rng(0)
    X = random.random((200, 2))
    rule = LukasiewiczRegressor(max_literals=3).fit(X, 10 * np.maximum(0, X[:, 0] + X[:, 1] - 1) + 5)
    assert rule.predict(X).min() >= 5
    assert rule.score(X, 10 * np.maximum(0, X[:, 0] + X[:, 1] - 1) + 5) > 0.9


def test_constraints_are_kept_and_unfitted_estimators_say_so(table):
    frame, labels = table
    assert "age" not in LukasiewiczClassifier(forbidden=["age"], max_literals=3).fit(frame, labels).model_.columns
    required = LukasiewiczClassifier(required=["color=blue"], max_literals=3).fit(frame, labels)
    assert "color=blue" in required.formula_.variables
    with pytest.raises(TrainingDataError, match="which truth value of 'color' is required"):
        LukasiewiczClassifier(required=["color"]).fit(frame, labels)
    for estimator in (LukasiewiczClassifier(), LukasiewiczRegressor()):
        with pytest.raises(NotFittedError):
            estimator.predict(frame)
