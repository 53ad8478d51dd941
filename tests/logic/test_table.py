from fractions import Fraction

import pytest

from crystalogic import TooLargeError, parse, truth_table


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
    with pytest.raises(TooLargeError, match="at least 1"):
        truth_table(parse("a"), 0)


def test_the_table_holds_every_row_once():
    table = truth_table(parse("a ⊕ b"), 4)
    assert len(table) == len({values for values, _ in table.rows()}) == 25
