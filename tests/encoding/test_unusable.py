import pandas as pd
import pytest

from crystalogic import LukasiewiczClassifier
from crystalogic.encoding import fit_encoding
from crystalogic.encoding.unusable import number_advice, unit_of
from crystalogic.errors import EncodingError

ROWS = range(300)
COLUMNS = {
    "admitted": [f"2024-01-{1 + row % 28:02d}" for row in ROWS],
    "at hour": [f"{row % 24:02d}:{row % 60:02d}" for row in ROWS],
    "charge": [f"{row // 2},{row // 2:03d}" for row in ROWS],
    "dose": [f"{row // 2} mg" for row in ROWS],
    "crp": [*["k.A."] * 90, *(f"{row // 2}.5" for row in range(210))],
    "remark": [f"see file {row // 2}" for row in ROWS],
    "age": [row // 3 for row in ROWS],
}


def refused(rows, kinds=None):
    with pytest.raises(EncodingError) as caught:
        fit_encoding(rows, kinds)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "what", "remedy"),
    [
        ("at hour", "holds times of day, such as '00:00'", "Turn them into a number, for example hours"),
        (
            "charge",
            "holds numbers with commas or thousands separators, such as '0,000'",
            "Write them plainly, as in 1234.5",
        ),
        ("dose", "holds numbers with a unit, such as '0 mg'", "Write the numbers alone"),
        ("remark", "has 150 different values, more than 100", "Group its values first"),
    ],
)
def test_a_column_says_what_it_seems_to_hold(name, what, remedy):
    leave = "leave the column out (--ignore, or kind 'ignore')"
    assert refused({name: COLUMNS[name]}) == f"{name!r} {what}. {remedy}, or {leave}."


def test_numbers_with_many_texts_among_them_say_so():
    message = refused({"crp": COLUMNS["crp"]})
    assert message.startswith("'crp' holds numbers, and texts such as 'k.A.'. Correct the texts, or leave cells empty")


def test_a_text_among_numbers_leaves_out_its_column_alone():
    """Once, a single 'T' (a trace of rain) in a column of numbers stopped the fit of the whole table."""
    columns = fit_encoding({"rain": [*(row / 2 for row in ROWS[:-1]), "T"], "age": COLUMNS["age"]}).columns
    assert [column.kind for column in columns] == ["left out", "number"]
    assert columns[0].note == (
        "left out: it holds numbers, and 'T' in row 299. "
        "Correct it, leave it empty if it is not known, or declare 'rain' a category"
    )
    with pytest.raises(EncodingError, match="row 299: 'rain' is 'T', expected a number"):
        fit_encoding({"rain": [*ROWS[:-1], "T"], "age": COLUMNS["age"]}, {"rain": "number"})


@pytest.mark.parametrize("most", ["4+", "> 3", "4-9", "4 or more"])
def test_a_few_numbers_and_a_bin_are_a_category(most):
    column = fit_encoding({"children": [*(row % 4 for row in ROWS), most]}).columns[0]
    assert (column.kind, set(column.known)) == ("category", {"0", "1", "2", "3", most})


def test_all_columns_that_cannot_be_used_are_told_at_once():
    """Once, a table with dates, times, charges and remarks took one run for each of them."""
    names = ["admitted", "at hour", "remark"]
    assert refused({name: COLUMNS[name] for name in names}) == (
        "3 columns cannot be used as they are:\n"
        "  'admitted' holds dates, such as '2024-01-01'. "
        "Turn them into a number with a meaning, for example days since an event.\n"
        "  'at hour' holds times of day, such as '00:00'. Turn them into a number, for example hours.\n"
        "  'remark' has 150 different values, more than 100. Group its values first.\n"
        "Or leave them out: --ignore admitted --ignore 'at hour' --ignore remark (in Python, kind 'ignore')"
    )


def test_beside_a_column_that_can_be_used_they_are_left_out_with_a_reason():
    """Once, one column of dates was an error, whatever else there was to learn from."""
    names = ["admitted", "remark", "age"]
    encoding = fit_encoding({name: COLUMNS[name] for name in names})
    assert [(column.kind, column.note) for column in encoding.columns] == [
        (
            "left out",
            "left out: it holds dates, such as '2024-01-01'. "
            "Turn them into a number with a meaning, for example days since an event",
        ),
        ("left out", "left out: it has 150 different values, more than 100. Group its values first"),
        ("number", ""),
    ]
    message = refused({name: COLUMNS[name] for name in names}, {"remark": "category"})
    assert message.startswith("'remark' has 150 different values, more than 100.")


def test_the_estimators_warn_of_what_they_leave_out():
    rows = pd.DataFrame({"day": COLUMNS["admitted"], "age": COLUMNS["age"]})
    with pytest.warns(UserWarning, match="^'day' was left out: it holds dates, such as '2024-01-01'. Turn them"):
        LukasiewiczClassifier(max_literals=1).fit(rows, rows["age"] >= 50)


def test_amounts_of_money_are_told_as_such():
    fees = {"fee": [f"${row * 7 / 4:,.2f}" for row in ROWS], "price": [f"{row * 7 / 4:.2f} €" for row in ROWS]}
    assert refused({"fee": fees["fee"]}).startswith("'fee' holds amounts of money, such as '$0.00'. Write the numbers")
    assert refused({"price": fees["price"]}).startswith("'price' holds numbers with a unit, such as '0.00 €'.")


def test_a_table_full_of_them_is_told_in_few_lines():
    message = refused({f"day {number}": COLUMNS["admitted"] for number in range(500)})
    assert message.startswith("500 columns cannot be used")
    assert len(message.splitlines()) == 24
    assert "\n  … and 480 more\n" in message
    assert message.endswith("--ignore 'id_*' names many columns at once, and --only reads some alone.")


def test_lengths_of_time_are_refused_like_dates():
    """Once, a column of timedeltas was a category."""
    message = refused({"stay": pd.to_timedelta([1, 2, 3] * 10, unit="h").to_series()})
    assert message.startswith("'stay' holds times, such as '1:00:00'. Turn them into a number, for example hours, or")


def test_a_value_that_is_no_number_is_told_how_to_become_one():
    assert number_advice("age", "'70,5'") == "Write it plainly, as in 1234.5."
    assert number_advice("age", "'70 Jahre'") == "Write the number alone, without its unit."
    assert number_advice("age", "'old'") == (
        "Correct it, leave it empty if it is not known, or declare 'age' a category."
    )


def test_units_are_seen_where_all_values_have_the_same():
    assert unit_of(["5 mg", "2.5mg"]) == "mg"
    assert unit_of(["5 mg", "5 g"]) is None
    assert unit_of([]) is None


def test_an_ordered_pandas_column_keeps_its_order():
    sizes = pd.Series(pd.Categorical(["l", "s", "m"], ["s", "m", "l"], ordered=True))
    assert fit_encoding({"size": sizes}).names == ("size ≥ m", "size ≥ l")
    assert fit_encoding({"size": sizes}, {"size": "category"}).names == ("size=l", "size=m", "size=s")
    stages = pd.Series(pd.Categorical([1.0, 3.0, 2.0], [3.0, 2.0, 1.0], ordered=True))
    assert fit_encoding({"stage": stages}).names == ("stage ≥ 2", "stage ≥ 1")
    single = pd.Series(pd.Categorical(["s", "s"], ["s"], ordered=True))
    assert fit_encoding({"size": single, "n": [1, 2]}).columns[0].kind == "left out"
