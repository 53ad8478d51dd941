"""A value is missing that was in no training row: it is refused, its row is skipped, or facts about it are false."""

import json

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.cli.app import run
from crystalogic.encoding import fit_encoding
from crystalogic.errors import EncodingError
from crystalogic.fitting import model_of
from export_cases import MODELS, said, typed_rows

ROWS = {"age": [20, None, 70, 60], "color": ["red", "red", None, "blue"], "dose": [1.0, 2.0, 3.0, None]}
TRAINED = fit_encoding({"age": [20, 30, 40, 50, 60, 70], "color": ["red", "blue"] * 3, "dose": [1, 2, 3, 4, 5, None]})
RULE = model_of([cl.parse("{age ≥ 50} ⊕ {color=red} ⊗ ¬{dose ≥ 3}")], TRAINED, "risk", ["no", "yes"])


@pytest.fixture
def predict(tmp_path, monkeypatch, capsys):
    """What `predict` gives: the code, the output and the notes."""
    monkeypatch.chdir(tmp_path)

    def call(table, *options):
        code = run(["predict", "m.json", str(table), *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_the_model_refuses_skips_or_takes_facts_for_false():
    """One missing value in a column that had none stopped the scoring of all other rows."""
    with pytest.raises(EncodingError, match="row 1: 'age' is missing, but no training row lacked it"):
        RULE.predict(ROWS)
    assert RULE.predict(ROWS, unknown="skip").tolist() == ["yes", None, "yes", "yes"]
    assert RULE.predict(ROWS, unknown="false").tolist() == ["yes", "yes", "yes", "yes"]
    assert np.isnan(RULE.degrees(ROWS, unknown="skip")[:, 0]).tolist() == [False, True, False, False]
    row = {"age": None, "color": "red", "dose": 2}
    assert RULE.explain(row, unknown="false").decision == "yes"
    for unknown in ("refuse", "skip"):
        with pytest.raises(EncodingError, match="'age' is missing"):
            RULE.explain(row, unknown=unknown)
    with pytest.raises(EncodingError, match="unknown is one of refuse, skip, false, got 'ignore'"):
        RULE.predict(ROWS, unknown="ignore")


def test_a_text_where_a_number_is_compared_is_skipped_and_never_false():
    rows = {**ROWS, "age": ["20", "old", "70", "60"]}
    assert RULE.predict(rows, unknown="skip").tolist() == ["yes", None, "yes", "yes"]
    with pytest.raises(EncodingError, match="row 1: 'age' is 'old', expected a number"):
        RULE.predict(rows, unknown="false")


@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_rows_of_every_kind_are_skipped_alone(kind):
    rows = {"age": kind([float("nan")] * 3), "color": kind(["red"] * 3), "dose": kind([1.0] * 3)}
    assert RULE.predict(rows, unknown="skip").tolist() == [None] * 3
    degree = model_of([cl.parse("age")], TRAINED, "risk", None)
    assert np.isnan(degree.predict({"age": kind([20.0, float("nan")])}, unknown="skip")).tolist() == [False, True]


def test_estimator_and_model_call_it_by_one_name():
    frame = pd.DataFrame({"age": [20, 30, 40, 50, 60, 70] * 9, "k": [0, 1] * 27})
    rule = cl.LukasiewiczClassifier(max_literals=1).fit(frame, frame["age"] >= 50)
    gap = pd.DataFrame({"age": [70.0, None], "k": [0, 1]})
    with pytest.warns(UserWarning, match="age is missing in 1 row and was in no training row"):
        found = rule.predict(gap)
    assert found.tolist() == rule.model_.predict(gap, unknown="false").tolist()
    assert rule.model_.predict(gap, unknown="skip").tolist() == [True, None]


def test_predict_skips_and_marks_rows_and_counts_them(predict):
    RULE.save("m.json")
    pd.DataFrame(ROWS).to_csv("t.csv", index=False)
    code, out, err = predict("t.csv")
    assert (code, out.count("\n") <= 1) == (1, True)
    assert "row 1: 'age' is missing, but no training row lacked it" in err
    assert "predict --unknown" in err
    code, out, err = predict("t.csv", "--unknown", "skip")
    assert (code, out) == (0, "row,risk,degree of yes\n0,yes,1.0\n1,,\n2,yes,1.0\n3,yes,1.0\n")
    assert "note: 1 row has no prediction, because a value is missing or no number; the first is row 1.\n" in err
    out = predict("t.csv", "--unknown", "skip", "--json", "--keep", "color")[1]
    assert json.loads(out)[1] == {"row": 1, "color": "red", "risk": None, "degree of yes": None}
    code, out, err = predict("t.csv", "--unknown", "false")
    assert (code, out.splitlines()[2]) == (0, "1,yes,1.0")
    assert "note: age is missing in 1 row and was in no training row; every fact about it is false there." in err


@pytest.mark.parametrize("name", MODELS)
def test_rows_without_a_decision_are_those_that_are_skipped(name):
    model = MODELS[name]()
    rows = typed_rows(600, seed=len(name))
    gets_none = [decision is None for decision in said(model, rows).decisions]
    assert np.isnan(model.degrees(rows, unknown="skip")[:, 0]).tolist() == gets_none
