import math
import pickle
from functools import reduce
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.encoding import fit_encoding, values
from crystalogic.encoding.survey import Survey, survey
from crystalogic.errors import EncodingError
from strategies import table_columns


def as_objects(cells):
    column = np.empty(len(cells), object)
    column[:] = cells
    return column


def as_pandas(cells):
    """As pandas has them, but for large whole numbers beside a gap, which pandas would round before we see them."""
    is_large = any(type(cell) is int and abs(cell) >= 2**53 for cell in cells)
    return pd.Series(cells, dtype=None if cells and not is_large else object)


def test_large_whole_numbers_are_the_same_in_parts_and_in_the_table():
    for cells in ([2**53 + 1, 0.5], [2**53 + 1, 2**53], [2**60 + 1, True], [2**60, None], [2**64, 1], [-(2**63), "x"]):
        for container in (list, as_objects, as_pandas):
            parts = joined([{"x": container(cells[:1])}, {"x": container(cells[1:])}])
            assert parts == survey({"x": container(cells)})


CONTAINERS = [list, as_objects, as_pandas]
KINDS = st.sampled_from([None, "number", "code", "category", "ignore", ["a", "b"], [str(i) for i in range(301)]])


def joined(tables):
    """The survey of a table that comes in these parts."""
    surveys, row = [], 0
    for table in tables:
        surveys.append(survey(table, row))
        row += surveys[-1].n_rows
    return reduce(Survey.join, surveys)


def outcome(*arguments, **options):
    """The encoding, or what is said instead."""
    try:
        return fit_encoding(*arguments, **options)
    except EncodingError as error:
        return str(error)


def refused(*arguments, **options):
    with pytest.raises(EncodingError) as caught:
        fit_encoding(*arguments, **options)
    return str(caught.value)


@given(table_columns(), st.sampled_from(CONTAINERS), st.data())
def test_the_surveys_of_parts_are_the_survey_of_the_table_and_so_are_their_encodings(columns, container, data):
    def table(start, stop):
        return {f"c{place}": container(cells[start:stop]) for place, cells in enumerate(columns)}

    n_rows = len(columns[0])
    edges = [0, *sorted(data.draw(st.lists(st.integers(0, n_rows), max_size=4))), n_rows]
    kinds = {name: kind for name in table(0, 0) if (kind := data.draw(KINDS)) is not None}
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):  # what is done for long columns, with short ones
            patch.setattr(values, "MANY", 5)
            patch.setattr(values, "FIRST_ROWS", 4)
            patch.setattr(values, "ROWS_AT_ONCE", 7)
            patch.setattr(values, "FEW", 2)
        parts = joined([table(*edge) for edge in pairwise(edges)])
    whole = table(0, n_rows)
    assert parts == survey(whole)
    assert outcome(whole, kinds, survey=parts) == outcome(whole, kinds)


@given(table_columns(max_rows=12), st.integers(0, 12), st.integers(0, 12))
def test_joining_does_not_depend_on_the_order_of_joins(columns, one, other):
    first, second = sorted((one, other))
    parts = [slice(0, first), slice(first, second), slice(second, 12)]
    a, b, c = (
        survey({f"c{i}": as_pandas(cells[part]) for i, cells in enumerate(columns)}, part.start) for part in parts
    )
    assert a.join(b).join(c) == a.join(b.join(c))
    assert pickle.loads(pickle.dumps(a)) == a


def test_numbers_in_one_part_and_texts_in_another_are_what_they_are_in_one_table():
    mixed = joined([{"x": np.array([1, 2, 3, 4])}, {"x": ["5", "n/a?"]}])
    whole = {"x": [1, 2, 3, 4, "5", "n/a?"]}
    assert refused(whole, survey=mixed) == refused(whole)
    assert refused(whole) == (
        "'x' holds numbers, and 'n/a?' in row 5. "
        "Correct it, leave it empty if it is not known, or declare 'x' a category, "
        "or leave the column out (--ignore, or kind 'ignore')."
    )
    assert fit_encoding(whole, {"x": "category"}, survey=mixed).columns[0].known == ("1", "2", "3", "4", "5", "n/a?")


def test_truth_values_with_a_gap_in_another_part_are_a_category():
    parts = joined([{"x": np.array([True, False])}, {"x": [None]}, {"x": np.array([], bool)}])
    assert fit_encoding({"x": [True]}, survey=parts).names == ("x=False", "x=True", "x is missing")
    for kind in ("code", "number"):
        message = refused({"x": np.array([True, False])}, {"x": kind})
        assert message.startswith("row 0: 'x' is True, expected a number.")
    assert refused({"x": [True]}, {"x": "code"}, survey=parts).startswith("row 0: 'x' is True, expected a number.")


def test_frames_of_every_kind_are_surveyed_alike():
    import polars as pl

    cells = {"n": [1.5, None, 3.0], "c": ["u", "v", None], "b": [True, False, None], "i": [1, 2, 3]}
    frame = pd.DataFrame(
        {"n": cells["n"], "c": pd.Categorical(cells["c"], ["w", "v", "u"]), "b": cells["b"], "i": [1, 2, 3]}
    )
    others = pd.DataFrame(
        {"n": pd.array(cells["n"], "Float64"), "c": pd.array(cells["c"], "str"), "b": pd.array(cells["b"], "boolean"),
         "i": pd.array([1, 2, 3], "Int64")}
    )  # fmt: skip
    assert survey(cells) == survey(frame) == survey(others) == survey(pl.DataFrame(cells))


def test_dates_are_refused_however_fine_their_clock_and_wherever_the_parts_begin():
    """Dates in nanoseconds were read as huge whole numbers."""
    dates = pd.Series(pd.to_datetime(["2024-01-31", "2024-02-01"] * 30))
    whole = {"when": dates.astype("datetime64[ns]")}
    parts = joined([{"when": ["x"] * 40}, whole, whole])
    for message in (refused(whole), refused(whole, survey=parts)):
        assert message.startswith("'when' holds dates, such as '2024-01-31 00:00:00'.")
    early = joined([{"when": ["x"] * 60}, whole, whole])  # of the first 100 values, fewer than half
    assert fit_encoding(whole, survey=early).columns[0].known == ("2024-01-31 00:00:00", "2024-02-01 00:00:00", "x")


def test_a_sample_gives_the_cuts_and_the_survey_everything_else():
    table = pd.DataFrame({"n": np.arange(0.5, 1000), "code": [0] * 999 + [7], "color": ["red"] * 998 + ["blue", None]})
    sample = table.iloc[100:500:4]
    encoding = fit_encoding(sample, n_cuts=3, survey=survey(table))
    assert encoding.names == (
        "n",
        "n ≥ 200",
        "n ≥ 300",
        "n ≥ 400",
        "code=7",
        "color=blue",
        "color=red",
        "color is missing",
    )
    assert (encoding.literals["n"].low, encoding.literals["n"].high) == (0.5, 999.5)
    nothing = fit_encoding(table.iloc[:0], survey=survey(table))
    assert nothing.names == ("n", "code=7", "color=blue", "color=red", "color is missing")


def test_a_cut_at_the_least_number_of_the_sample_lies_above_the_least_of_the_table():
    table = {"n": [-3.25, 7.5, 7.5, 7.5, 7.5, 8.5, 9.5, 10.5]}
    encoding = fit_encoding({"n": [7.5, 7.5, 7.5]}, n_cuts=1, survey=survey(table))
    assert encoding.names == ("n", "n ≥ 0")
    assert encoding.transform(table)[:, 1].tolist() == [0, 1, 1, 1, 1, 1, 1, 1]


def test_what_numbers_the_rows_is_seen_in_the_sample():
    table = pd.DataFrame({"id": range(1000), "key": [f"k{row}" for row in range(1000)], "used": [0, 1] * 500})
    encoding = fit_encoding(table.iloc[::20], survey=survey(table))
    assert [column.note for column in encoding.columns] == ["left out, every row has its own value"] * 2 + [""]
    ages = pd.DataFrame({"age": [row % 90 for row in range(1000)]})
    assert fit_encoding(ages.iloc[:90], survey=survey(ages)).columns[0].kind == "number"


def test_too_many_values_are_refused_also_where_only_a_sample_is_known():
    cities = {"city": [f"c{row // 2}" for row in range(300)]}
    few = {"city": ["c1", "c1"]}
    found = survey(cities)
    assert found.columns[0].texts is None
    assert refused(cities) == (
        "'city' has 150 different values, more than 100. "
        "Group its values first, or leave the column out (--ignore, or kind 'ignore')."
    )
    assert refused(few, survey=found) == (
        "'city' has more than 100 different values. "
        "Group its values first, or leave the column out (--ignore, or kind 'ignore')."
    )
    assert refused(few, {"city": ["c1", "c2"]}, survey=found) == (
        "'city' has more than 100 different values, too many for an order. Group them first."
    )
    assert refused({"n": [1, 2]}, {"n": "code"}, survey=survey({"n": list(range(0, 400, 2))})) == (
        "'n' has more than 100 different values, too many for a code. Declare it a number."
    )
    assert len(fit_encoding({"n": list(range(150))}, {"n": "code"}).columns[0].known) == 150


@pytest.mark.parametrize(
    ("later", "message"),
    [
        (
            {"a": [1]},
            "the part that begins with row 2 has no column 'b', the rows before it have one. "
            "Give every part the same columns.",
        ),
        (
            {"a": [1], "b": [1], "c": [1]},
            "the part that begins with row 2 has a column 'c', the rows before it have none. "
            "Give every part the same columns.",
        ),
    ],
)
def test_a_part_with_other_columns_is_refused(later, message):
    with pytest.raises(EncodingError) as caught:
        joined([{"a": [1, 2], "b": [3, 4]}, later])
    assert str(caught.value) == message


def test_columns_in_another_order_are_joined_by_their_names():
    assert joined([{"a": [1], "b": ["x"]}, {"b": ["y"], "a": [2]}]) == survey({"a": [1, 2], "b": ["x", "y"]})


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(EncodingError, match="two columns are called 'a'; rename one of them"):
        survey(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_errors_name_the_row_of_the_table_not_of_the_part():
    infinite = joined([{"x": [1.5, 2.5]}, {"x": [3.5, math.inf]}])
    assert refused({"x": [1.5]}, survey=infinite).startswith("'x' holds numbers, and inf in row 3. ")
    strange = joined([{"x": ["lo", "hi"]}, {"x": ["hi", "mid"]}])
    assert refused({"x": ["lo"]}, {"x": ["lo", "hi"]}, survey=strange) == (
        "row 3: 'x' is 'mid', which is not in the order lo < hi."
    )


def test_a_row_that_weighs_two_is_surveyed_as_two_rows():
    light, heavy = survey({"x": ["1", "a", None]}, weight=[2, 1, 3]), survey({"x": ["1", "1", "a", None, None, None]})
    for one, other in zip(light.columns, heavy.columns, strict=True):
        assert (one.weight, one.weight_present, one.weight_numbers) == (6, 3, 2)
        assert (other.weight, other.weight_present, other.weight_numbers) == (6, 3, 2)


def test_thousands_of_columns_are_learned_in_seconds():
    """Looking for columns of one name took time that grew with the square of their number."""
    import time

    wide = dict.fromkeys((f"g{place}" for place in range(5_000)), np.arange(0.5, 30))
    started = time.process_time()
    encoding = fit_encoding(wide, n_cuts=1)
    assert len(encoding.names) == 10_000
    assert time.process_time() - started < 15


def test_a_column_that_cannot_be_read_is_told_only_if_it_is_to_be_used():
    """Once, a column of lists was refused with the advice to ignore it, also where it was ignored."""
    rows = pd.DataFrame({"tags": [["a"], ["b"]] * 5, "n": [1, 2] * 5})
    found = joined([rows, rows])
    assert fit_encoding(rows, {"tags": "ignore"}, survey=found).names == ("n=2",)
    assert refused(rows, survey=found).startswith("row 0: 'tags' is list ['a'], expected a number or a text.")
