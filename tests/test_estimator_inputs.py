"""What people give to the estimators: frames of all kinds, one row, the class they mean."""

import io

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import recall_score, roc_auc_score

import crystalogic as cl
from crystalogic.errors import EncodingError, TrainingDataError
from crystalogic.search import Annealing
from crystalogic.words.models import model_text, rule_text

pytestmark = pytest.mark.usefixtures("compiled")
QUICK = {"max_literals": 2, "strategy": Annealing(effort=0.2, folds=3, repeats=1)}
AGES = [age for age in range(20, 80) for _ in range(2)]
ROWS = pd.DataFrame({"age": AGES, "color": ["red", "blue"] * 60})
ILL = pd.Series(np.where((ROWS.age >= 50) & (ROWS.color == "red"), "disease", "healthy"), name="state")


@pytest.fixture(scope="module")
def ill():
    return cl.LukasiewiczClassifier(positive="disease", **QUICK).fit(ROWS, ILL)


def test_a_formula_speaks_for_the_class_that_is_meant(ill):
    assert rule_text(ill.model_) == (
        "state is disease if both of these:\n  - age is at least 50\n  - color is red\notherwise state is healthy"
    )
    assert ill.classes_.tolist() == ["disease", "healthy"]
    assert ill.model_.classes == ("healthy", "disease")


def test_the_order_of_classes_stays_that_of_scikit_learn(ill):
    assert (ill.predict(ROWS) == ILL).all()
    is_ill = (ILL == "disease").to_numpy()
    assert (ill.predict_proba(ROWS)[:, 0] == is_ill).all()
    assert ((ill.decision_function(ROWS) < 0) == is_ill).all()
    assert roc_auc_score(ILL, ill.decision_function(ROWS)) == 1
    assert recall_score(ILL, ill.predict(ROWS), pos_label="disease") == 1


def test_what_speaks_for_a_class_can_be_cloned_saved_and_calibrated(ill, tmp_path):
    assert clone(ill).get_params()["positive"] == "disease"
    kept = io.BytesIO()
    joblib.dump(ill, kept)
    kept.seek(0)
    assert (joblib.load(kept).predict(ROWS) == ILL).all()
    ill.save(tmp_path / "model.json")
    assert (cl.load(tmp_path / "model.json").predict(ROWS) == ILL).all()
    calibrated = CalibratedClassifierCV(clone(ill), cv=2).fit(ROWS, ILL)
    assert (calibrated.predict(ROWS) == ILL).mean() > 0.9


def test_directions_and_weights_speak_of_the_class_that_is_meant():
    rule = cl.LukasiewiczClassifier(
        positive="disease", monotone={"age": 1}, class_weight={"disease": 3, "healthy": 1}, **QUICK
    )
    rule.fit(ROWS, ILL)
    assert cl.monotone(rule.model_, "age")
    assert (rule.predict(ROWS) == ILL).all()
    assert rule.model_.record.class_weight == {"disease": 3.0, "healthy": 1.0}
    with pytest.raises(
        TrainingDataError, match="class_weight has a weight for 'ill'; the classes are 'disease', 'healthy'"
    ):
        cl.LukasiewiczClassifier(positive="disease", class_weight={"ill": 2}, **QUICK).fit(ROWS, ILL)


def test_the_page_knows_the_training_rows_of_a_rule_about_the_class_that_is_meant(ill):
    from crystalogic.fitting import identity_of

    assert ill.model_.record.data == identity_of(ill.model_, ROWS, ILL.to_numpy())


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (ILL, "'ill' is not a class of 'state'; the classes are 'disease', 'healthy'."),
        (pd.Series(["ill", "b", "c"] * 40, name="y"), "Of more than two, each has a formula; name no positive one."),
    ],
)
def test_a_class_that_cannot_be_meant_is_refused(labels, message):
    with pytest.raises(TrainingDataError, match=message):
        cl.LukasiewiczClassifier(positive="ill", **QUICK).fit(ROWS, labels)


def test_one_row_has_one_explanation(ill):
    assert ill.explain({"age": 60, "color": "red"}).decision == "disease"
    assert ill.explain(ROWS.iloc[0]).decision == "healthy"
    assert str(ill.explain({"age": 60, "color": "red"})) == (
        "{age ≥ 50}                1.00\n"
        "{color=red}               1.00\n"
        "{age ≥ 50} ⊗ {color=red}  1.00\n"
        "\n"
        "state is disease: degree 1.00"
    )
    with pytest.raises(EncodingError, match="the rule needs the column 'color'"):
        ill.explain({"age": 60})


def test_tables_of_pyarrow_are_taken_as_they_are(ill):
    import pyarrow as pa

    table = pa.Table.from_pandas(ROWS)
    rule = clone(ill).fit(table, pa.chunked_array([ILL]))
    assert (rule.predict(table) == ILL).all()
    assert rule.explain(table)[0].decision == "healthy"


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "UInt8"])
def test_whole_numbers_that_may_be_missing_are_classes_of_whole_numbers(dtype):
    """Once, classes of the dtype Int64 came out as 0.0 and 1.0."""
    rule = cl.LukasiewiczClassifier(**QUICK).fit(ROWS, (ILL == "disease").astype(int).astype(dtype))
    assert [type(label) for label in rule.classes_.tolist()] == [int, int]
    assert rule.model_.classes == (0, 1)


def test_truth_values_that_may_be_missing_are_classes_of_truth_values():
    rule = cl.LukasiewiczClassifier(**QUICK).fit(ROWS, (ILL == "disease").astype("boolean"))
    assert rule.classes_.tolist() == [False, True]


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_a_missing_target_is_told(gap):
    """Once, it was a TypeError that compared None with a text."""
    labels = ILL.astype(object).where(ROWS.index != 3, gap)
    with pytest.raises(ValueError, match="contains"):
        cl.LukasiewiczClassifier(**QUICK).fit(ROWS, labels)


def test_a_gap_in_a_category_that_had_none_is_a_warning(ill):
    gap = ROWS.head(2).assign(age=60, color=["red", None])
    with pytest.warns(UserWarning, match="color is missing in 1 row"):
        assert ill.predict(gap).tolist() == ["disease", "healthy"]


def test_a_target_that_is_always_the_same_is_refused_in_a_sentence():
    """Once, it was refused for its shape."""
    with pytest.raises(TrainingDataError, match="the target ranges from 5 to 5; there is nothing to learn"):
        cl.LukasiewiczRegressor(**QUICK).fit(ROWS, np.full(120, 5.0))


def test_a_regressor_tells_what_its_degrees_and_scores_are(tmp_path):
    cost = pd.Series(np.where(ROWS.age >= 50, 900.5, 100), name="cost")
    rule = cl.LukasiewiczRegressor(**QUICK).fit(ROWS, cost)
    text = model_text(rule.model_)
    assert "\ndegree of cost = {age ≥ 50}; degree 0 is 100, degree 1 is 900.5\n" in text
    assert "\nScores are 1 minus the mean error of the degree.\n" in text
    rule.save(tmp_path / "model.json")
    assert cl.load(tmp_path / "model.json").record.range == (100.0, 900.5)


def test_too_little_time_is_a_warning_and_the_best_fact_is_kept():
    with pytest.warns(ConvergenceWarning, match="seconds were too few to judge formulas on rows held out"):
        rule = cl.LukasiewiczClassifier(time_budget=1e-6).fit(ROWS, ROWS.color == "red")
    assert str(rule.formula_) == "{color=red}"


def test_a_weight_of_0_leaves_an_order_as_it_is():
    """The rows that weigh something were taken as arrays, and an ordered column became a category."""
    sizes = pd.Categorical(["s", "m", "l", "l"] * 10, ["s", "m", "l"], ordered=True)
    frame, y = pd.DataFrame({"size": sizes}, index=[7] * 40), ["no", "no", "yes", "yes"] * 10
    weight = np.ones(40)
    weight[3] = 0
    found = cl.LukasiewiczClassifier(monotone={"size": 1}).fit(frame, y, sample_weight=weight)
    absent = cl.LukasiewiczClassifier(monotone={"size": 1}).fit(frame[weight > 0], np.array(y)[weight > 0])
    assert found.encoding_ == absent.encoding_
    assert (found.encoding_.columns[0].kind, str(found.formula_)) == ("ordinal", "{size ≥ l}")


def test_words_for_missing_are_a_parameter_and_go_into_the_file(tmp_path):
    frame = pd.DataFrame({"n": [-9, 30, 40, 50, 60, 70] * 5, "c": ["none", "some"] * 15})
    y = pd.Series(np.where(frame["n"] == -9, "none", "some"), dtype=object)
    found = cl.LukasiewiczClassifier(missing=[-9.0]).fit(frame, y)
    assert str(found.formula_) == "¬{n is missing}"
    found.save(tmp_path / "model.json")
    model = cl.load(tmp_path / "model.json")
    assert model.encoding.columns[1].known == ("none", "some")
    assert model.predict({"n": ["-9", -9.0, 45]}).tolist() == ["none", "none", "some"]
    assert model.target_words == {"-9"}
    with pytest.raises(TrainingDataError, match="the 'missing' parameter must be None or a list of words"):
        cl.LukasiewiczClassifier(missing="NA").fit(frame, y)
