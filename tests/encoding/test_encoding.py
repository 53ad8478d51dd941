"""Columns as named truth values."""

import json

import numpy as np
import pandas as pd
import pytest

from crystalogic.cells import MISSING_WORDS
from crystalogic.encoding import Cut, Encoding, Is, fit_encoding
from crystalogic.encoding.encoding import Column
from crystalogic.errors import DocumentError, EncodingError


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "age": [29.0, 40.0, 51.0, 55.0, 60.0, 77.0],
            "cp": [1, 2, 3, 4, 4, 1],
            "sex": ["f", "m", "f", "m", "m", "f"],
            "thal": ["normal", None, "fixed", "normal", "reversible", "fixed"],
        }
    )


def test_names_are_the_columns_own_words(frame):
    assert fit_encoding(frame, n_cuts=2).names == (
        "age", "age ≥ 50", "age ≥ 60", "cp=1", "cp=2", "cp=3", "cp=4", "cp ≥ 3", "sex=m",
        "thal=fixed", "thal=normal", "thal=reversible", "thal is missing",
    )  # fmt: skip


def test_each_literal_is_true_where_its_name_says(frame):
    encoding = fit_encoding(frame, n_cuts=2)
    values = dict(zip(encoding.names, encoding.transform(frame).T, strict=True))
    assert values["age"].tolist() == pytest.approx([0, 11 / 48, 22 / 48, 26 / 48, 31 / 48, 1])
    assert values["age ≥ 50"].tolist() == [0, 0, 1, 1, 1, 1]
    assert values["cp=4"].tolist() == [0, 0, 0, 1, 1, 0]
    assert values["cp ≥ 3"].tolist() == [0, 0, 1, 1, 1, 0]
    assert values["sex=m"].tolist() == [0, 1, 0, 1, 1, 0]
    assert values["thal is missing"].tolist() == [0, 1, 0, 0, 0, 0]
    assert encoding.transform(frame).dtype == np.float32


def test_test_rows_are_encoded_with_what_the_training_rows_said(frame):
    encoding = fit_encoding(frame, n_cuts=2)
    other = pd.DataFrame({"age": [10.0, 200.0], "cp": [9, 4], "sex": ["m", "x"], "thal": ["new", None]})
    values = dict(zip(encoding.names, encoding.transform(other).T, strict=True))
    assert values["age"].tolist() == [0, 1]
    assert [values[f"cp={v}"].tolist() for v in (1, 2, 3, 4)] == [[0, 0], [0, 0], [0, 0], [0, 1]]
    assert values["sex=m"].tolist() == [1, 0]
    assert values["thal=normal"].tolist() == [0, 0]


def test_an_encoding_survives_json(frame):
    encoding = fit_encoding(frame)
    again = Encoding.from_content(json.loads(json.dumps(encoding.content())))
    assert again == encoding
    assert (again.transform(frame) == encoding.transform(frame)).all()
    with pytest.raises(DocumentError, match="not an encoding"):
        Encoding.from_content({"columns": [{"name": "a"}]})


def test_the_domain_knows_what_is_boolean_and_what_excludes_each_other(frame):
    domain = fit_encoding(frame, n_cuts=1).domain
    assert not domain.is_boolean("age")
    assert domain.is_boolean("age ≥ 55")
    assert domain.is_boolean("cp ≥ 3")
    assert ("cp=1", "cp=2", "cp=3", "cp=4") in domain.groups
    assert ("thal=fixed", "thal=normal", "thal=reversible", "thal is missing") in domain.groups


def test_kinds_and_numbers_overrule_the_guess(frame):
    assert fit_encoding(frame[["cp"]], {"cp": "category"}).names == ("cp=1", "cp=2", "cp=3", "cp=4")
    assert fit_encoding(frame[["cp"]], {"cp": "number"}, numbers="degrees").names == ("cp",)
    assert fit_encoding(frame[["age"]], numbers="cuts", n_cuts=1).names == ("age ≥ 55",)


def test_a_mapping_of_columns_is_as_good_as_a_frame(frame):
    columns = {name: list(frame[name]) for name in frame}
    assert fit_encoding(columns) == fit_encoding(frame)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ({"age": [30, "old"], "cp": [1, 1]}, "row 1: 'age' is 'old', expected a number"),
        ({"age": [30, None], "cp": [1, 1]}, "row 1: 'age' is missing"),
        ({"age": [30, 40]}, "no column 'cp'"),
    ],
)
def test_rows_that_do_not_fit_are_refused_with_the_row_and_the_way_out(rows, complaint):
    encoding = fit_encoding({"age": [1, 2, 3, 4, 5, 6], "cp": [1, 2, 1, 2, 1, 2]})
    with pytest.raises(EncodingError, match=complaint):
        encoding.transform(rows)


def test_two_truth_values_with_one_name_are_refused():
    with pytest.raises(EncodingError, match="rename one"):
        fit_encoding(
            {"a": ["x", "y", "z"], "a=x": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6][:3]}, {"a=x": "number"}, numbers="degrees"
        )


def test_an_infinite_number_among_texts_is_one_more_unseen_category():
    """It used to be an OverflowError, because infinity was asked for its whole part first."""
    encoding = fit_encoding({"batch": ["a", "b", "c", "a"]})
    assert encoding.transform({"batch": ["a", float("inf"), None]}).tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("truth", [True, np.True_])
def test_a_truth_value_among_numbers_is_refused_wherever_it_stands(truth):
    """After a hundred numbers it used to count as 1."""
    encoding = fit_encoding({"age": [1, 2, 3, 4, 5, 6]})
    with pytest.raises(EncodingError, match="row 200: 'age' is True, expected a number"):
        encoding.transform({"age": [*range(200), truth]})


def test_negative_numbers_written_as_texts_are_one_value_with_themselves():
    """'-1.0' used to be another value than -1."""
    encoding = fit_encoding({"score": [-1, 0, 1, -1]})
    texts = ["-1", "-1.0", "-1.00", "-01", "-", "-1.5"]
    assert encoding.transform({"score": texts}, ["score=-1"])[:, 0].tolist() == [1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"literals": [{"kind": "reaches", "column": "age", "level": "b", "order": ["a", "b"]}]},
            "the columns, member 0 is a number, of which 'age ≥ b' cannot be said",
        ),
        ({"kind": "category"}, "the columns, member 0 is a category, of which 'age' cannot be said"),
        ({"has_missing": "no"}, "member 0, has_missing is 'no', expected true or false"),
    ],
)
def test_a_column_of_a_file_says_what_its_kind_can(change, message):
    """An order of a column of numbers ended in a TypeError when questions were asked."""
    body = json.loads(json.dumps(fit_encoding({"age": [1.5, 2, 3, 4, 5, 6]}).content()))
    body["columns"][0].update(change)
    with pytest.raises(DocumentError, match=message):
        Encoding.from_content(body)


def test_numbers_beyond_the_range_are_encoded_without_a_warning(recwarn):
    """Far outside of a narrow range the quotient is beyond all floats, which numpy told the user."""
    narrow = fit_encoding({"x": [0.001 * i for i in range(8)]}, numbers="degrees")
    assert narrow.transform({"x": [1e308, -1e308]})[:, 0].tolist() == [1, 0]
    assert not list(recwarn)


def test_words_for_missing_and_ranges_are_kept_and_older_files_have_the_defaults():
    """Files of earlier versions have neither: their words are the usual ones, their ranges unknown."""
    column = Column("x", "category", (Is("x", "none"),), ("none", "some"), missing_words=frozenset({"-9", "none"}))
    ranged = Column("n", "number", (Cut("n", 5.0),), low=0.0, high=9.0)
    encoding = Encoding((column, ranged))
    content = json.loads(json.dumps(encoding.content()))
    assert Encoding.from_content(content) == encoding
    assert column.words == {"-9"}  # a value of the column is never missing
    for body in content["columns"]:
        for name in ("missing_words", "low", "high"):
            body.pop(name, None)
    older = Encoding.from_content(content)
    assert [(each.missing_words, each.low, each.high) for each in older.columns] == [(MISSING_WORDS, None, None)] * 2
    assert "missing_words" not in older.content()["columns"][0]
    with pytest.raises(DocumentError, match="range"):
        Encoding.from_content({"columns": [{**content["columns"][1], "low": 3, "high": 2}]})
