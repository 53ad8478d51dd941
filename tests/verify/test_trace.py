from fractions import Fraction

import pytest

from crystalogic import parse
from crystalogic.verify.trace import decimal, trace

ROW = {"a": Fraction(1, 3), "b": Fraction(3, 4)}


def test_a_trace_lists_inputs_first_and_the_whole_last():
    traced = trace(parse("¬(b ⊗ a) ⊕ (b ⊗ a) ⊕ 0"), ROW)
    assert str(traced) == (
        "b                     0.75\n"
        "a                     ~0.33\n"
        "b ⊗ a                 ~0.08\n"
        "¬(b ⊗ a)              ~0.92\n"
        "¬(b ⊗ a) ⊕ b ⊗ a ⊕ 0  1.00"
    )
    assert traced.degree == 1


def test_a_trace_as_data_has_exact_fractions():
    assert trace(parse("b ⊗ a"), ROW).content() == [
        {"part": "b", "degree": "3/4"},
        {"part": "a", "degree": "1/3"},
        {"part": "b ⊗ a", "degree": "1/12"},
    ]


def test_constants_are_no_steps_unless_they_are_the_whole():
    assert str(trace(parse("1"), {})) == "1  1.00"
    assert str(trace(parse("1 ⊗ 0"), {})) == "1 ⊗ 0  0.00"


@pytest.mark.parametrize(
    ("degree", "text"),
    [
        (Fraction(0), "0.00"),
        (Fraction(1), "1.00"),
        (Fraction(1, 2), "0.50"),
        (Fraction(1, 8), "~0.12"),
        (Fraction(1, 2) + Fraction(1, 10**6), "~0.50"),
        (Fraction(1, 2) - Fraction(1, 10**6), "0.499999"),
        (Fraction(1, 2) - Fraction(1, 10**9), "0.499999999"),
        (Fraction(1, 2) - Fraction(1, 10**12), "~0.500000000"),
    ],
)
def test_decimals_never_hide_on_which_side_of_one_half_a_degree_lies(degree, text):
    assert decimal(degree) == text
