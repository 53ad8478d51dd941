import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from crystalogic import EncodingError, LukasiewiczClassifier, LukasiewiczRegressor, TrainingDataError, load, monotone
from crystalogic.search import Annealing

LIGHT = Annealing(max_literals=3, effort=0.2, folds=3, repeats=1)


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


def test_a_direction_is_kept_by_the_values_of_a_code_and_refused_for_a_category(table):
    """A direction was kept by degrees and cuts alone: a rule with 'ca may only lower' used ¬{ca=0}, which rises."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"ca": random.integers(0, 4, 200), "ill": random.choice([False, True], 200)})
    rising = ((frame["ca"] > 0) & frame["ill"]).astype(int)
    assert set(LukasiewiczClassifier(max_literals=3).fit(frame, rising).model_.columns) == {"ca", "ill"}
    for sign in (1, -1):
        rule = LukasiewiczClassifier(max_literals=3, monotone={"ca": sign, "ill": sign}).fit(frame, rising)
        assert monotone(rule.model_, "ca", decreasing=sign < 0)
        assert rule.formula_.size == (2 if sign > 0 else 0)
    middle = LukasiewiczClassifier(max_literals=3, monotone={"ca": 1}).fit(frame, (frame["ca"] == 1).astype(int))
    assert monotone(middle.model_, "ca")
    with pytest.raises(TrainingDataError, match=r"'color' is a category without an order, .* such as 'color=blue'"):
        LukasiewiczClassifier(monotone={"color": 1}).fit(*table)


def test_a_row_counted_twice_is_a_row_repeated_and_the_order_of_rows_does_not_matter(table):
    frame, labels = table[0].head(60), table[1].head(60)
    weight = np.random.default_rng(1).integers(0, 4, 60)
    places = np.random.default_rng(2).permutation(np.repeat(np.arange(60), weight))
    counted = LukasiewiczClassifier(max_literals=4).fit(frame, labels, sample_weight=weight)
    repeated = LukasiewiczClassifier(max_literals=4).fit(frame.iloc[places], labels.iloc[places])
    assert counted.model_.formulas == repeated.model_.formulas
    assert counted.model_.fronts == repeated.model_.fronts


WEIGHT = np.random.default_rng(1).uniform(0.5, 1.5, 200)


@pytest.fixture(scope="module")
def unscaled(table):
    """The models with weights as they are, and with none."""
    return [LukasiewiczClassifier(LIGHT).fit(*table, weight).model_ for weight in (WEIGHT, None)]


@pytest.mark.parametrize("scale", [1 / 200, 0.1, 3.0, 2.5e300])
def test_weights_say_how_rows_compare_whatever_their_sum_is(table, unscaled, scale):
    """Of weights that summed to 1, no number had a cut."""
    weighed, unweighed = unscaled
    scaled = LukasiewiczClassifier(LIGHT).fit(*table, WEIGHT * scale).model_
    assert scaled.encoding == weighed.encoding
    assert scaled.formulas == weighed.formulas
    alike = LukasiewiczClassifier(LIGHT).fit(*table, np.full(200, scale))
    assert alike.model_.fronts == unweighed.fronts


def test_row_numbers_are_left_out_where_rows_have_weights(table):
    """They were numbers to learn from unless the weights happened to sum to the number of rows."""
    frame, labels = table[0].assign(number=np.arange(200), name=[f"p{i}" for i in range(200)]), table[1]
    rule = LukasiewiczClassifier(LIGHT).fit(frame, labels, np.random.default_rng(1).uniform(0.5, 1.5, 200))
    assert [column.name for column in rule.encoding_.columns if column.kind == "left out"] == ["number", "name"]


def test_whole_weights_that_are_hardly_counts_are_worth_a_warning(table):
    """Each row was judged by formulas learned from its own copies: noise looked like a rule of 95 %."""
    frame, labels = table
    weight = np.random.default_rng(1).integers(500, 1500, 200)
    message = "read as numbers of rows: 200 rows stand for"
    with pytest.warns(UserWarning, match=message):
        LukasiewiczClassifier(LIGHT).fit(frame, labels, weight)


def test_class_weights_move_the_decision_and_threads_do_not():
    random = np.random.default_rng(3)
    X = random.random((300, 3))
    y = (X[:, 0] + 0.4 * random.standard_normal(300) > 0.9).astype(int)
    plain = LukasiewiczClassifier(max_literals=2).fit(X, y)
    balanced = LukasiewiczClassifier(max_literals=2, class_weight="balanced", n_jobs=2).fit(X, y)
    heavy = LukasiewiczClassifier(max_literals=2, class_weight={0: 1, 1: 20}).fit(X, y)
    assert plain.predict(X).mean() < balanced.predict(X).mean() <= heavy.predict(X).mean()
    again = LukasiewiczClassifier(max_literals=2, class_weight="balanced", n_jobs=1).fit(X, y)
    assert again.model_.fronts == balanced.model_.fronts


def test_polars_frames_and_sparse_matrices_give_the_rule_of_the_same_table(table):
    polars, sparse = pytest.importorskip("polars"), pytest.importorskip("scipy.sparse")
    frame, labels = table
    rule = LukasiewiczClassifier(max_literals=3).fit(frame, labels)
    other = LukasiewiczClassifier(max_literals=3).fit(polars.from_pandas(frame), polars.from_pandas(labels))
    assert other.formula_ == rule.formula_
    assert other.predict(polars.from_pandas(frame)).tolist() == rule.predict(frame).tolist()
    X = np.random.default_rng(0).integers(0, 2, (80, 6))
    y = X[:, 1] & X[:, 4]
    dense = LukasiewiczClassifier(max_literals=3).fit(X, y)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert LukasiewiczClassifier(max_literals=3).fit(kind(X), y).formula_ == dense.formula_
    assert dense.predict(sparse.csr_array(X)).tolist() == y.tolist()


def test_rows_without_names_are_read_by_their_places_with_scikit_learns_warning():
    """Fitted on a frame and asked with an array, or the other way round, the estimator refused what trees take."""
    frame = pd.DataFrame(np.random.default_rng(0).random((60, 2)), columns=["p", "q"])
    labels = frame["q"] > 0.5
    for fitted_on, asked_with in ((frame, frame.to_numpy()), (frame.to_numpy(), frame)):
        rule = LukasiewiczClassifier(max_literals=2).fit(fitted_on, labels)
        with pytest.warns(UserWarning, match="feature names"):
            found = rule.predict(asked_with)
        assert (found == rule.predict(fitted_on)).all()


def test_the_page_of_a_notebook_shows_the_model_and_escapes_names():
    X = pd.DataFrame({"<b>x</b>": [0, 0, 1, 1] * 10, "y": [0, 1, 0, 1] * 10})
    rule = LukasiewiczClassifier(max_literals=2).fit(X, X["<b>x</b>"])
    page = rule._repr_mimebundle_()["text/html"]
    assert "cross-validated" in page
    assert "&lt;b&gt;x&lt;/b&gt; is 1" in page
    assert "<b>" not in page
    assert "<script" not in page
    assert "LukasiewiczClassifier" in clone(rule)._repr_mimebundle_()["text/html"]


def test_calibration_by_scikit_learn_turns_degrees_into_probabilities():
    from sklearn.calibration import CalibratedClassifierCV

    random = np.random.default_rng(5)
    X = random.random((200, 2))
    y = (random.random(200) < X[:, 0]).astype(int)
    rule = LukasiewiczClassifier(max_literals=1)
    calibrated = CalibratedClassifierCV(rule, cv=3).fit(X, y)
    of_degrees = ((rule.fit(X, y).predict_proba(X)[:, 1] - y) ** 2).mean()
    assert ((calibrated.predict_proba(X)[:, 1] - y) ** 2).mean() < of_degrees


def test_a_gap_that_no_training_row_had_is_warned_of_and_a_model_file_refuses_it():
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8] * 5})
    rule = LukasiewiczClassifier(max_literals=1).fit(X, X["x"] >= 5)
    gap = pd.DataFrame({"x": [None, 7.0]})
    with pytest.warns(UserWarning, match="x is missing in 1 row and was in no training row"):
        assert rule.predict(gap).tolist() == [False, True]
    with pytest.warns(UserWarning, match="x is missing in 1 row and was in no training row"):
        assert [found.decision for found in rule.explain(gap)] == [False, True]
    with pytest.raises(EncodingError, match="row 0: 'x' is missing"):
        rule.model_.predict(gap)


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("n_jobs", "x", "the 'n_jobs' parameter must be None or a whole number other than 0. Got 'x' instead."),
        ("n_jobs", 0, "the 'n_jobs' parameter must be None or a whole number other than 0. Got 0 instead."),
        (
            "random_state",
            "x",
            "the 'random_state' parameter must be a whole number from 0 to 4294967295, None or a numpy "
            "RandomState. Got 'x' instead.",
        ),
        (
            "random_state",
            -1,
            "the 'random_state' parameter must be a whole number from 0 to 4294967295, None or a numpy "
            "RandomState. Got -1 instead.",
        ),
        ("callback", 5, "the 'callback' parameter must be None or a function. Got 5 instead."),
        (
            "strategy",
            5,
            "there is no strategy 5; there are auto, likelihood, annealing, levenberg_marquardt, straight_through, "
            "proximal, and objects with their own fields.",
        ),
    ],
)
def test_a_setting_that_means_nothing_is_refused_in_a_sentence(table, setting, value, message):
    with pytest.raises(TrainingDataError) as caught:
        LukasiewiczClassifier(**{setting: value}).fit(*table)
    assert str(caught.value) == message


def test_at_one_half_the_largest_probability_is_the_class_that_is_predicted():
    """Both probabilities were 1/2 there, and the first of them is that of the other class."""
    rows = pd.DataFrame({"x": range(11)})
    clf = LukasiewiczClassifier(LIGHT, numbers="degrees", random_state=0).fit(rows, [i >= 5 for i in range(11)])
    proba = clf.predict_proba(rows)
    assert (clf.classes_[proba.argmax(axis=1)] == clf.predict(rows)).all()
    assert (proba[:, 1] == np.nextafter(0.5, 1)).any()


def test_classes_that_are_dates_are_refused():
    """The model had numbers of nanoseconds for classes, or could not be saved."""
    with pytest.raises(TrainingDataError, match="the classes are dates or durations"):
        LukasiewiczClassifier().fit([[1], [2], [3], [4]], np.array(["2020-01-01", "2021-01-01"] * 2, "datetime64[ns]"))
