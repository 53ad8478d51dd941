import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert values.as_number(10**400) == float("inf")


def test_a_column_of_lists_is_refused_unless_it_is_left_out():
    """Lists, as Parquet and JSON have them, ended in a TypeError."""
    table = {"x": [1, 2], "tags": [None, ["a", "b"]]}
    with pytest.raises(EncodingError) as caught:
        fit_encoding(table)
    assert str(caught.value) == (
        "row 1: 'tags' is list ['a', 'b'], expected a number or a text. "
        "Leave the column out (kind 'ignore'), or make several columns of it."
    )
    assert fit_encoding(table, {"tags": "ignore"}).names == ("x=2",)
