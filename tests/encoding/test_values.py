import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.cells import level_of, number_of
from crystalogic.encoding import fit_encoding, values
from crystalogic.encoding.values import Values
from crystalogic.errors import EncodingError

CELLS = st.sampled_from(["red", "4", "4.0", "007", "?", "", " x ", None, float("nan"), 4, 4.0, True, 1, "1", "True"])


@given(st.lists(CELLS, min_size=1, max_size=30))
def test_long_columns_are_read_as_short_ones(cells):
    """Long columns are told apart by pandas, for which 1 and True are one value."""
    column = np.empty(len(cells), object)
    column[:] = cells
    with pytest.MonkeyPatch.context() as patch:
        short = Values("x", column)
        expected = short.texts.tolist(), short.is_missing.tolist(), short.equal("4").tolist()
        patch.setattr(values, "MANY", 0)
        long = Values("x", column)
        assert (long.texts.tolist(), long.is_missing.tolist(), long.equal("4").tolist()) == expected


def test_a_whole_number_beyond_all_floats_is_refused_as_infinite():
    """JSON has whole numbers of any length, and one with 400 digits ended in an OverflowError."""
    column = Values("x", [1, -(10**400)])
    with pytest.raises(EncodingError, match="row 1: 'x' is -1000"):
        column.numbers  # noqa: B018
    assert number_of(10**400) == float("inf")


@pytest.mark.parametrize("text", ["1_000", "٣", "３", "1e1_0", "0x10", "1,5", "+-1", ".", "e5", "1 0"])
def test_a_text_that_only_python_takes_for_a_number_is_none(text):
    """`float` reads 1_000 and the digits of all scripts; databases and JavaScript do not, so exports disagreed."""
    assert number_of(text) != number_of(text)
    with pytest.raises(EncodingError, match="expected a number"):
        _ = Values("x", ["1", text]).numbers


@pytest.mark.parametrize("text", ["4", " 4 ", "+4", "4.", "4.0", ".4e1", "4E0", "0004", "\x1c4", "\u30004"])
def test_the_usual_spellings_of_a_number_are_numbers(text):
    assert number_of(text) == 4
    assert Values("x", [text, "1"]).numbers.tolist() == [4, 1]


def test_whole_numbers_beyond_the_floats_are_told_apart():
    """2**53 + 1 was 2**53, so that two identifiers were one value."""
    numbers = [2**53 + 1, 2**53, 2**60 + 1]
    for column in (numbers, list(map(str, numbers)), np.array(numbers), np.array(numbers, object)):
        values = Values("id", column)
        assert values.texts.tolist() == list(map(str, numbers))
        for place, number in enumerate(numbers):
            assert values.equal(str(number)).tolist() == [index == place for index in range(3)]
    assert not Values("id", np.array([1, 2])).equal(str(2**70)).any()
    encoding = fit_encoding({"id": numbers * 2})
    assert encoding.columns[0].kind == "category"
    assert encoding.transform({"id": numbers}, ["id=9007199254740992"])[:, 0].tolist() == [0, 1, 0]


def test_not_available_is_missing_in_both_spellings():
    """`N/A` was missing and `n/a` was a category."""
    assert Values("x", ["N/A", "n/a", " n/a ", "NA", "a"]).is_missing.tolist() == [True, True, True, True, False]


def test_a_column_of_lists_is_refused_unless_it_is_left_out():
    """Lists, as Parquet and JSON have them, ended in a TypeError."""
    table = {"x": [1, 2], "tags": [None, ["a", "b"]]}
    with pytest.raises(EncodingError) as caught:
        fit_encoding(table)
    assert str(caught.value) == (
        "row 1: 'tags' is list ['a', 'b'], expected a number or a text. "
        "Leave the column out (--ignore, or kind 'ignore'), or make several columns of it."
    )
    assert fit_encoding(table, {"tags": "ignore"}).names == ("x=2",)


SPELLINGS = ["7", "007", "7.0", "+7", "7e0", "0.7", ".7", "-0", "0", "1e+300", "1e300", "inf", "Infinity", "seven"]


@pytest.mark.parametrize("number", [7, 7.0, 0.7, 0, -0.0, 1e300, float("inf"), np.float32(0.7), np.int8(7)])
def test_a_number_is_the_same_value_in_every_column(number):
    """7 in a column of numbers was both '7' and '007', and 0.7 in single precision was '0.7'; beside a text neither."""
    alone, beside_text = Values("x", np.array([number])), Values("x", np.array([number, "x"], object))
    found = [text for text in SPELLINGS if alone.equal(text)[0]]
    assert found == [text for text in SPELLINGS if beside_text.equal(text)[0]]
    assert found == [text for text in SPELLINGS if level_of(text) == alone.texts[0]]
    assert Values("x", [number]).texts[0] == alone.texts[0]


def test_values_that_exclude_each_other_do_so_for_numbers_too():
    """The certificate of a rule says that at most one of them is true."""
    codes = fit_encoding({"code": ["007", "7", "07", "b"] * 3})
    assert codes.transform({"code": [7, 8]}, ["code=007", "code=07", "code=7"]).tolist() == [[0, 0, 1], [0, 0, 0]]


def test_what_a_spreadsheet_writes_for_no_value_is_missing():
    """Once, one #N/A made a column of numbers unreadable."""
    assert Values("x", ["1", "#N/A", "3"]).is_missing.tolist() == [False, True, False]
