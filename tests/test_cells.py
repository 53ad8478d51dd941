"""What docs/cells.md says of single cells."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crystalogic.cells import MISSING_WORDS, is_missing, level_number, level_of, levels_of, number_of, number_text

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(10**30) + 1, 10**30 - 1)
SPELLED = st.from_regex(r"\A[+-]?([0-9]{1,40}\.?[0-9]{0,3}|\.[0-9]{1,3})([eE][+-]?[0-9]{1,3})?\Z")
ANY = st.one_of(st.text(), SPELLED, st.integers(), WHOLE, st.floats(), st.booleans(), st.decimals(allow_nan=False))


@given(ANY)
@example("-0.0")
@example("1e400")
@example("+07")
@example(10**400)
def test_the_level_of_a_level_is_itself(cell):
    level = level_of(cell)
    assert level is None or level_of(level) == level


@given(st.one_of(DOUBLES, WHOLE), st.one_of(DOUBLES, WHOLE))
@example(9007199254740992.0, 9007199254740993)
@example(1e23, 10**23)
@example(0.0, -0.0)
def test_numbers_have_one_level_exactly_if_they_are_one_number(one, other):
    assert (level_of(one) == level_of(other)) == (one == other)
    assert level_number(level_of(one)) == one


@given(SPELLED, DOUBLES)
def test_a_text_has_the_level_of_the_number_that_it_writes_unless_it_is_a_code(text, number):
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        assert (level_of(text), level_number(text)) == (text, None)
    elif digits.isdigit() and len(digits) <= 30:
        assert level_of(text) == str(int(text)) == level_of(int(text))
    elif math.isinf(float(text)):
        assert level_of(text) == text
    else:
        assert level_of(text) == level_of(float(text))
    assert number_of(text) == float(text)
    assert level_of(repr(number)) == level_of(number) == number_text(number)


@given(WHOLE)
def test_whole_numbers_of_30_digits_are_exact_in_every_form(number):
    forms = (number, str(number), f" {number} ", Decimal(number), Fraction(number))
    assert {level_of(form) for form in forms} == {str(number)}
    assert level_number(str(number)) == number


SAME = [  # the table of the page, and what Python and pandas bring
    ["1", "1.0", "+1", "1e0", 1.0, np.int8(1), np.float32(1), Decimal("1.00"), Fraction(3, 3), np.str_("1")],
    ["0.00001", "1e-05", 0.00001, Decimal("0.00001")],
    ["0", "-0", "-0.0", "0.0", 0.0, -0.0, "1e-400"],
    ["007", " 007"],
    ["7"],
    ["00"],
    [4000123412341234, "4000123412341234", 4000123412341234.0, np.uint64(4000123412341234)],
    [9007199254740993, "9007199254740993", np.int64(9007199254740993)],
    [9007199254740992.0, 9007199254740992, "9007199254740993.0"],
    [True, "True", np.True_],
    ["true"],
    ["red", " red "],
    ["Red"],
    ["1_000"],
    ["0x10"],
    ["٣"],
    ["1e30", 1e30, 10**30],
]


def test_cells_are_the_same_as_the_page_says():
    levels = [{level_of(cell) for cell in group} for group in SAME]
    assert all(len(each) == 1 for each in levels)
    assert len(set.union(*levels)) == len(SAME)


@pytest.mark.parametrize("cell", ["007", "+4", "4.", ".4", "4E0", " 4 ", "0004.50"])
def test_a_spelling_with_needless_zeros_is_a_number_where_one_is_needed(cell):
    assert number_of(cell) == float(cell)


@pytest.mark.parametrize("cell", [True, np.False_, "True", "1_000", "3 mg", "inf", "nan", None, "", b"4", 1j])
def test_what_is_no_number_has_none(cell):
    assert math.isnan(number_of(cell))


def test_lengths_of_time_are_no_numbers():
    assert math.isnan(number_of(np.timedelta64(5, "s")))
    assert math.isnan(number_of(pd.Timedelta(5)))


def test_numbers_beyond_all_doubles_are_infinite():
    assert [number_of(cell) for cell in (10**400, -(10**400), "1e400", Decimal("1e400"))] == [
        math.inf,
        -math.inf,
        math.inf,
        math.inf,
    ]


NOTHING = [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), "", "  ", np.float32("nan"), Decimal("NaN")]


@pytest.mark.parametrize("cell", NOTHING, ids=repr)
def test_nothing_is_missing_whatever_the_words(cell):
    assert is_missing(cell)
    assert is_missing(cell, levels_of(["-9"]))
    assert level_of(cell, frozenset()) is None


@pytest.mark.parametrize("word", sorted(MISSING_WORDS))
def test_the_usual_words_are_missing_unless_a_list_replaces_them(word):
    assert is_missing(word)
    assert is_missing(f" {word} ")
    assert level_of(word, levels_of(["-9"])) == word


def test_words_for_missing_match_by_their_level():
    words = levels_of(["-9", "unknown ", "007", ""])
    assert words == {"-9", "unknown", "007"}
    assert all(is_missing(cell, words) for cell in ("-9", "-9.0", -9, -9.0, np.float32(-9), "unknown", "007"))
    assert not any(is_missing(cell, words) for cell in (9, "7", 7, "-09", "Unknown"))
