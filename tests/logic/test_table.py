from fractions import Fraction

import pytest

from crystalogic import EvaluationError, StrongOr, TooLargeError, parse, truth_table, variables
from crystalogic.logic.evaluate import MOST_ROWS, lattice_rows


def test_the_boolean_table_as_a_whole_string():
    assert str(truth_table(parse("{cp=4} → b"))) == (
        "{cp=4}  b  {cp=4} → b\n"
        "     0  0           1\n"
        "     0  1           1\n"
        "     1  0           0\n"
        "     1  1           1"
    )


def test_a_constant_has_one_row():
    table = truth_table(parse("1 ⊗ 1"), 3)
    assert list(table.rows()) == [((), Fraction(1))]


def test_a_table_that_would_not_fit_is_refused():
    with pytest.raises(TooLargeError, match="7 variables over S_40 make 194,754,273,881 rows"):
        truth_table(parse("a&b&c&d&e&f&g"), 40)
    with pytest.raises(TooLargeError, match=r"5000 variables over S_10 make about 10\^520\d rows"):
        truth_table(StrongOr(*variables(f"x{i}" for i in range(5000))), 10)
    for n in (0, 2.5):
        with pytest.raises(EvaluationError) as caught:
            truth_table(parse("a"), n)
        assert str(caught.value) == f"S_n needs a whole number n of at least 1, got {n}."


def test_the_table_holds_every_row_once():
    table = truth_table(parse("a ⊕ b"), 4)
    assert len(table) == len({values for values, _ in table.rows()}) == 25


def test_a_long_formula_has_a_short_heading():
    for n_literals, heading in ((19, " ⊕ ".join(["a"] * 19)), (20, "degree")):
        table = truth_table(StrongOr(*variables(["a"] * n_literals)))
        assert str(table).splitlines()[0] == f"a  {heading}"


def test_two_million_rows_are_the_most():
    assert len(lattice_rows(("a",), MOST_ROWS - 1)["a"]) == MOST_ROWS
    with pytest.raises(TooLargeError) as caught:
        lattice_rows(("a",), MOST_ROWS)
    assert str(caught.value) == (
        "1 variables over S_2000000 make 2,000,001 rows, more than 2,000,000. "
        "Take a smaller n, or ask `prove` instead of tabulating."
    )


def test_thresholds_beyond_whole_numbers_of_arrays_are_counted_all_the_same():
    """A threshold of 10¹⁵ over a large Sₙ ended in an OverflowError."""
    formula = parse("at least 1000000000000000 of (a)")
    assert set(truth_table(formula, 2).numerators) == {0}
    assert set(truth_table(formula, 1_000_000).numerators) == {0}
