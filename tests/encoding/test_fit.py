import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.cells import level_of
from crystalogic.encoding import Encoding, fit_encoding
from crystalogic.encoding.fit import short_between
from crystalogic.encoding.literals import literal_from_content
from crystalogic.encoding.values import Values
from crystalogic.errors import DocumentError, EncodingError


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_short_cut_parts_the_rows_where_the_long_one_does(first, second):
    low, high = sorted([first, second])
    if low < high:
        assert low < short_between(low, high) <= high


def test_columns_that_say_nothing_are_left_out_and_said():
    table = {
        "id": list(range(1, 31)),
        "name": [f"person {i}" for i in range(30)],
        "always": ["x"] * 30,
        "gone": [None] * 30,
        "unwanted": list(range(0, 60, 2)),
        "used": [0, 1] * 15,
    }
    encoding = fit_encoding(table, {"unwanted": "ignore"})
    assert encoding.names == ("used=1",)
    assert [str(column) for column in encoding.columns] == [
        "id: left out, every row has its own value",
        "name: left out, every row has its own value",
        "always: left out, it is always 'x'",
        "gone: left out, every value is missing",
        "unwanted: left out as you asked",
        "used: code",
    ]


@pytest.mark.parametrize(
    ("table", "kinds", "message"),
    [
        ({"when": ["2024-01-31", "2024-02-01"] * 5}, {}, "'when' holds dates, such as '2024-01-31'"),
        ({"city": [f"c{i // 2}" for i in range(300)]}, {}, "'city' has 150 different values, more than 100"),
        ({"x": [1, 2, 3, 4, "n/a?", 6]}, {}, "row 4: 'x' is 'n/a\\?', expected a number"),
        ({"x": [1.0, 2.0, math.inf]}, {}, "row 2: 'x' is inf, expected a number"),
        ({"x": ["a", "b"]}, {"x": "number"}, "row 0: 'x' is 'a', expected a number"),
        ({"x": ["a", "b"]}, {"x": ["a", "c"]}, "row 1: 'x' is 'b', which is not in the order a < c"),
        ({"x": ["a", "b"]}, {"y": "category"}, "there is no column 'y'; the columns are x"),
        ({"x": ["a", "b"]}, {"x": "colour"}, "the kind of 'x' is number, code, category"),
        ({"x": ["a", "a"]}, {}, "no column can be used: x: left out, it is always 'a'"),
        ({}, {}, "no column can be used: there are no columns"),
    ],
)
def test_what_cannot_be_encoded_is_refused_with_advice(table, kinds, message):
    with pytest.raises(EncodingError, match=message):
        fit_encoding(table, kinds)


def test_a_missing_value_is_a_fact_of_its_own_and_makes_the_rest_false():
    encoding = fit_encoding({"ca": [0, 1, 2, 3, "?", ""], "sex": ["m", "f", "NA", "m", "f", "f"]})
    values = dict(
        zip(encoding.names, encoding.transform({"ca": ["?", "2"], "sex": [None, "f"]}).T.tolist(), strict=True)
    )
    assert values == {
        "ca=0": [0, 0],
        "ca=1": [0, 0],
        "ca=2": [0, 1],
        "ca=3": [0, 0],
        "ca ≥ 2": [0, 1],
        "ca is missing": [1, 0],
        "sex=f": [0, 1],
        "sex=m": [0, 0],
        "sex is missing": [1, 0],
    }


def test_only_the_columns_that_are_asked_for_are_read():
    encoding = fit_encoding({"a": [1.5, 2, 3, 4, 5, 6], "b": ["x", "y"] * 3})
    assert encoding.transform({"b": ["y"]}, ["b=y"]).tolist() == [[1.0]]
    with pytest.raises(EncodingError, match="the rows have no column 'a'; they have b"):
        encoding.transform({"b": ["y"]})


def test_values_that_no_training_row_had_are_reported():
    encoding = fit_encoding({"color": ["red", "green", "blue"]})
    assert encoding.transform({"color": ["pink"]}).tolist() == [[0, 0, 0]]
    assert encoding.unseen({"color": ["pink", "red", None]}) == {"color": ("pink", None)}


def test_pandas_and_numpy_columns_and_texts_read_alike():
    import pandas as pd

    plain = {"n": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5], "c": ["1", "2", "1", "2", "1", "2"], "b": [True, False] * 3}
    frame = pd.DataFrame({"n": ["1.5", "2.5", "3.5", "4.5", "5.5", "6.5"], "c": [1, 2, 1, 2, 1, 2], "b": plain["b"]})
    arrays = {"n": np.array(plain["n"]), "c": np.array([1.0, 2.0] * 3), "b": np.array(plain["b"])}
    encodings = [fit_encoding(table) for table in (plain, frame, arrays)]
    assert encodings[0].names == encodings[1].names == encodings[2].names
    assert encodings[0].names[-2:] == ("c=2", "b=True")
    assert encodings[0].transform(frame).tolist() == encodings[2].transform(plain).tolist()


@pytest.mark.parametrize(
    ("value", "text"),
    [(4, "4"), (4.0, "4"), ("4.0", "4"), ("007", "007"), ("4.50", "4.5"), (True, "True"), (" a ", "a")],
)
def test_one_value_has_one_text(value, text):
    assert level_of(value) == text


def test_degrees_are_exact_fractions_of_the_range():
    degree = fit_encoding({"age": [20.5, 30, 40, 50, 60, 70.5]}).literals["age"]
    assert degree.exactly(45.5) == 1 / 2
    assert degree.exactly(10) == 0
    assert degree.exactly(99) == 1
    assert degree.truth(Values("age", [45.5, 10, 99])).tolist() == [0.5, 0, 1]


def test_an_encoding_survives_json_and_a_damaged_one_is_refused():
    encoding = fit_encoding({"a": [1.5, 2, 3, 4, 5, None], "s": ["lo", "hi"] * 3}, {"s": ["lo", "hi"]})
    body = encoding.content()
    assert Encoding.from_content(body) == encoding
    for wrong in (
        {"kind": "cut", "column": "a", "at": "x"},
        {"kind": "cut", "column": "a", "at": math.nan},
        {"kind": "degree", "column": "a", "low": 1, "high": 1},
        {"kind": "reaches", "column": "a", "level": "z", "order": ["x", "y"]},
        {"kind": "spell", "column": "a"},
        {"kind": "is", "column": 3, "value": "x"},
        {"kind": "is", "value": "x"},
    ):
        with pytest.raises(DocumentError, match="not a literal"):
            literal_from_content(wrong)
    with pytest.raises(DocumentError, match="not an encoding"):
        Encoding.from_content({"columns": [{"name": "a"}]})
