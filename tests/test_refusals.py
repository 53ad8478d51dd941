"""What the API cannot use is refused in a sentence: each of these was once an error of Python or of another library."""

import numpy as np
import pandas as pd
import pytest

from crystalogic import LukasiewiczClassifier, LukasiewiczRegressor
from crystalogic.encoding import fit_encoding
from crystalogic.errors import CrystalogicError, EncodingError, TrainingDataError
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse

TABLE = pd.DataFrame({"a": [1, 2, 3, 4] * 5, "b": ["x", "y"] * 10})
TARGET = [0, 1] * 10


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"max_literals": "3"}, "the 'max_literals' parameter must be a whole number from 1 on. Got '3' instead."),
        ({"max_literals": True}, "the 'max_literals' parameter must be a whole number from 1 on. Got True instead."),
        ({"kinds": ["a"]}, "kinds maps columns to their kinds, such as {'zip': 'category'}, got ['a']."),
        ({"monotone": ["a"]}, "the 'monotone' parameter must be a mapping from columns to 1 or -1. Got ['a'] instead."),
        ({"monotone": {"a": "up"}}, "must be a mapping from columns to 1 or -1. Got {'a': 'up'} instead."),
        ({"forbidden": "ab"}, "the 'forbidden' parameter must be a list of columns or truth values. Got 'ab' instead."),
        ({"required": 5}, "the 'required' parameter must be a list of truth values. Got 5 instead."),
        ({"n_cuts": "3"}, "the 'n_cuts' parameter must be None or a whole number from 0 on. Got '3' instead."),
        ({"n_cuts": -1}, "the 'n_cuts' parameter must be None or a whole number from 0 on. Got -1 instead."),
        (
            {"random_state": 2**32},
            "must be a whole number from 0 to 4294967295, None or a numpy RandomState. Got 42949",
        ),
        ({"time_budget": "1"}, "must be None or a positive number of seconds. Got '1' instead."),
        ({"start": 5}, "the 'start' parameter must be None or a formula. Got 5 instead."),
        ({"class_weight": 5}, "must be None, 'balanced' or a mapping from classes to weights. Got 5 instead."),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused(setting, message):
    with pytest.raises((TrainingDataError, EncodingError)) as refused:
        LukasiewiczClassifier(**setting).fit(TABLE, TARGET)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([5.0] * 20, "the target ranges from 5 to 5; there is nothing to learn."),
        ([-1e308, 1e308, *[0.0] * 18], "the target ranges from -1e+308 to 1e+308; the range is too wide, scale it."),
    ],
)
def test_a_target_that_cannot_be_scaled_is_refused(target, message):
    with pytest.raises(TrainingDataError) as refused:
        LukasiewiczRegressor().fit(TABLE, target)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"strategy": "annealing"}, "annealing"),
        ({"strategy": "proximal"}, "proximal"),
        ({"numbers": "degrees"}, "annealing"),
    ],
)
def test_more_than_two_classes_go_with_the_default_alone(asked, name):
    with pytest.raises(TrainingDataError) as refused:
        LukasiewiczClassifier(**asked).fit(TABLE, np.arange(20) % 3)
    assert str(refused.value) == (
        f"the strategy {name!r} learns two classes, got 3. Leave it out, and what goes with it alone (degrees of "
        "numbers, a first formula): the default learns more classes, as a list of rules."
    )


def test_a_column_with_a_range_beyond_all_numbers_is_refused():
    """Its degrees were NaN, which read as 0."""
    wide = TABLE.assign(c=np.linspace(-1, 1, 20) * 1.7e308)
    with pytest.raises(EncodingError, match=r"'c' ranges from -1\.7e\+308 to 1\.7e\+308, .* Scale it first"):
        LukasiewiczClassifier().fit(wide, TARGET)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"a": [[1], [2]] * 10}), "row 0: 'a' is list [1], expected a number or a text"),
        (pd.DataFrame({"a": [1, {}] * 10}), "row 1: 'a' is dict {}, expected a number or a text"),
        (pd.DataFrame([[1, 2]] * 20, columns=["a", "a"]), "two columns are called 'a'; rename one of them."),
        (pd.DataFrame([[1, 2], [2, 3]] * 10, columns=["a", ""]), "column 2 of 2 has no name; give it one."),
    ],
    ids=["lists", "dicts", "two columns of one name", "no name"],
)
def test_a_table_that_is_none_is_refused(table, message):
    with pytest.raises(EncodingError) as refused:
        LukasiewiczClassifier().fit(table, TARGET)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"a": 5}, "'a' is 5, expected a column: one text, number or truth value for each row."),
        ({"a": "abc"}, "'a' is 'abc', expected a column: one text, number or truth value for each row."),
        ({"a": [[1, 2], [3, 4]]}, "'a' has the shape (2, 2), expected a column"),
        ({"a": np.zeros((3, 2))}, "'a' has the shape (3, 2), expected a column"),
        ([1, 2], "expected a frame or a mapping from columns to their values, got list."),
        (None, "expected a frame or a mapping from columns to their values, got NoneType."),
    ],
    ids=str,
)
def test_rows_that_are_no_table_are_refused(rows, message):
    model = model_of([parse("{a=2}")], fit_encoding({"a": [1, 2]}), "y", (0, 1))
    for use in (fit_encoding, model.predict):
        with pytest.raises(EncodingError) as refused:
            use(rows)
        assert message in str(refused.value)


def test_columns_of_different_lengths_are_refused():
    """A column with one value was stretched to the length of the first, without a word."""
    model = model_of([parse("{a=2} ⊗ {b=2}")], fit_encoding({"a": [1, 2], "b": [1, 2]}), "y", (0, 1))
    with pytest.raises(EncodingError, match="'b' has 1 value, the other columns have 2"):
        model.predict({"a": [1, 2], "b": [2]})


def test_a_row_that_is_no_row_is_refused():
    model = model_of([parse("{a=2}")], fit_encoding({"a": [1, 2]}), "y", (0, 1))
    for row, message in (
        (5, "expected a row as a mapping from columns to values, got int"),
        ({"a": {}}, "row 0: 'a' is dict {}, expected a number or a text"),
    ):
        with pytest.raises(CrystalogicError, match=message):
            model.explain(row)
