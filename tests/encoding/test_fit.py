import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.cells import level_of
from crystalogic.encoding import Cut, Encoding, Is, fit_encoding
from crystalogic.encoding.encoding import Column
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
        ({"x": [1, 2, 3, 4, "n/a?", 6]}, {}, "'x' holds numbers, and 'n/a\\?' in row 4"),
        ({"x": [1.0, 2.0, math.inf]}, {}, "'x' holds numbers, and inf in row 2"),
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
    assert encoding.unseen({"color": ["pink", "red", None]}, ["color"]) == {"color": ("pink", None)}


def test_pandas_and_numpy_columns_and_texts_read_alike():
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
    assert degree.exact_degree(45.5) == 1 / 2
    assert degree.exact_degree(10) == 0
    assert degree.exact_degree(99) == 1
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
            literal_from_content(wrong, "a literal")
    with pytest.raises(DocumentError, match="not an encoding"):
        Encoding.from_content({"columns": [{"name": "a"}]})


def test_codes_with_zeros_in_front_are_categories_that_keep_them():
    """Once, 001 was the code 1, and 'dept=1' was false in every row."""
    cells = ["001", "002", "003", "01", "1"] * 3
    encoding = fit_encoding({"dept": cells})
    assert [column.kind for column in encoding.columns] == ["category"]
    assert encoding.columns[0].known == ("001", "002", "003", "01", "1")
    assert encoding.transform({"dept": cells}).sum(axis=1).tolist() == [1] * len(cells)


def test_spellings_of_a_number_are_one_code():
    """Once, 'x=1' was false of +1 and of 1e0, which had made the code."""
    encoding = fit_encoding({"x": ["+1", "1e0", "1.0", "2", "3."] * 2})
    assert encoding.columns[0].known == ("1", "2", "3")
    assert encoding.transform({"x": ["+1", "1e0", 1.0]}, ["x=1"])[:, 0].tolist() == [1, 1, 1]
    small = fit_encoding({"x": ["0.00001", "1e-5", "0.5"] * 3}, {"x": "category"})
    assert small.columns[0].known == ("0.5", "1e-05")
    assert small.transform({"x": ["0.00001", 1e-5]}, ["x=1e-05"])[:, 0].tolist() == [1, 1]


def test_more_codes_with_zeros_than_a_category_may_have_are_a_number():
    rows = [f"{number:05d}" for number in range(0, 3000, 7)]
    encoding = fit_encoding({"x": rows})
    assert (encoding.columns[0].kind, encoding.columns[0].range) == ("number", (0.0, 2996.0))
    assert encoding.transform({"x": ["02996", 2996]}, ["x"])[:, 0].tolist() == [1, 1]


def test_a_declared_code_with_zeros_in_front_is_refused_and_a_declared_number_is_one():
    cells = {"x": ["001", "002", "003"]}
    with pytest.raises(EncodingError, match="row 0: 'x' is '001', a text with zeros in front"):
        fit_encoding(cells, {"x": "code"})
    assert fit_encoding(cells, {"x": "number"}).columns[0].range == (1.0, 3.0)


@pytest.mark.parametrize("kind", [None, "code"])
def test_large_codes_are_one_value_as_numbers_and_as_texts(kind):
    """From 1e15 on, a number was '5500567856785678.0' and a text '5500567856785678': two values."""
    cards = [4000123412341234, 5500567856785678, 6011901290129012]
    for rows in (cards * 2, [str(card) for card in cards] * 2, [float(card) for card in cards] * 2):
        encoding = fit_encoding({"card": rows}, None if kind is None else {"card": kind})
        assert encoding.columns[0].kind == "code"
        assert encoding.columns[0].known == tuple(map(str, cards))
        for cells in (cards, [str(card) for card in cards], np.array(cards, float)):
            assert encoding.transform({"card": cells}, ["card=5500567856785678"])[:, 0].tolist() == [0, 1, 0]


def test_a_float_equals_no_whole_number_but_its_own():
    """Where one identifier was missing pandas had floats, and 2.0**53 was two values that exclude each other."""
    names = ("9007199254740992", "9007199254740993")
    encoding = Encoding((Column("id", "category", tuple(Is("id", name) for name in names), names),))
    assert encoding.transform({"id": np.array([2.0**53])}).tolist() == [[1, 0]]
    assert encoding.transform({"id": pd.Series([2**53 + 1, None], dtype="Int64")}).tolist() == [[0, 1], [0, 0]]


def test_levels_of_earlier_files_mean_what_they_meant_and_exclude_each_other_only_if_they_differ():
    column = Column("x", "category", (Is("x", "5500567856785678.0"), Is("x", "5500567856785678"), Is("x", "a")))
    encoding = Encoding((column,))
    assert encoding.transform({"x": [5500567856785678, "a"]}).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert encoding.domain.exclusive == (("x=5500567856785678", "x=a"),)
    assert "x=5500567856785678.0" in encoding.domain.boolean
    assert Cut("t", 2e18).name == "t ≥ 2e+18"  # as formulas in such files have it


def test_words_for_missing_are_the_users_and_a_declared_value_is_none():
    """Once, 'none' in the order none < mild was missing."""
    cells = {"x": ["none", "mild", "none", "-9", "mild"], "n": [-9.0, 1.5, 2.5, 3.5, 4.5]}
    encoding = fit_encoding(cells, {"x": ["none", "mild"]}, missing=["-9", "none"])
    assert encoding.names[:2] == ("x ≥ mild", "x is missing")
    assert encoding.columns[0].words == {"-9"}
    assert encoding.columns[1].range == (1.5, 4.5)
    assert encoding.transform(cells, ["x is missing", "n is missing"]).tolist() == [
        [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]
    ]  # fmt: skip
    ordered = pd.Series(pd.Categorical(["none", "mild"] * 3, ["none", "mild"], ordered=True))
    assert fit_encoding({"x": ordered}).names == ("x ≥ mild",)
    assert fit_encoding({"x": ["none", "mild", "sad"]}).columns[0].known == ("mild", "sad")
    assert fit_encoding({"x": ["none", "mild", "sad"]}, missing=[-9]).columns[0].known == ("mild", "none", "sad")


def test_the_range_of_training_is_known_without_a_degree():
    encoding = fit_encoding({"p": [0.0, 0.25, 0.5, 0.75, 1.0, 0.1]}, numbers="cuts")
    assert encoding.columns[0].range == (0.0, 1.0)
    assert encoding.beyond({"p": ["0.5", 12, 55]}, ["p"]) == {"p": ("12", "0", "1")}
    assert encoding.beyond({"p": [0.5, 1]}, ["p"]) == {}
