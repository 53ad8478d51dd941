from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from crystalogic import (
    AtLeast,
    Constant,
    EvaluationError,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    StrongAnd,
    StrongOr,
    Variable,
    parse,
    truth_table,
)
from crystalogic.logic.evaluate import program_of
from crystalogic.logic.simplify import simplify
from crystalogic.logic.walk import fold
from strategies import formulas, rows


def by_the_book(f, row):
    """The degree by the definitions of the paper, with Fractions, one connective at a time."""

    def step(node, parts):
        match node:
            case Variable():
                return row[node.name]
            case Constant():
                return Fraction(node.value)
            case Not():
                return 1 - parts[0]
            case StrongAnd():
                return max(Fraction(0), sum(parts) - (len(parts) - 1))
            case StrongOr():
                return min(Fraction(1), sum(parts))
            case Implies():
                return min(Fraction(1), 1 - parts[0] + parts[1])
            case Minimum():
                return min(parts)
            case Maximum():
                return max(parts)
            case Iff():
                return 1 - abs(parts[0] - parts[1])
            case AtLeast():
                return min(Fraction(1), max(Fraction(0), sum(parts) - (node.k - 1)))
        raise AssertionError(node)

    return fold(f, step)


@given(formulas(), rows())
def test_exact_evaluation_follows_the_definitions(f, row):
    degree = f.evaluate(row)
    assert type(degree) is Fraction
    assert degree == by_the_book(f, row)


@given(formulas(), rows())
def test_every_S_n_is_closed(f, row):
    scaled = {name: Fraction(round(value * 6), 6) for name, value in row.items()}
    assert (f.evaluate(scaled) * 6).denominator == 1


@given(formulas(), rows())
def test_arrays_agree_with_exact_evaluation(f, row):
    exact = float(f.evaluate(row))
    for precision, tolerance in ((np.float64, 1e-12), (np.float32, 1e-5)):
        columns = {name: np.full(3, float(value), precision) for name, value in row.items()}
        degrees = f.evaluate(columns)
        if not f.variables:
            assert degrees == exact
            continue
        assert degrees.dtype == precision
        assert degrees.shape == (3,)
        assert abs(degrees - exact).max() <= tolerance
    assert abs(f.evaluate({name: float(value) for name, value in row.items()}) - exact) <= 1e-12


def test_strong_and_is_not_idempotent():
    assert parse("a ⊗ a").evaluate({"a": Fraction(1, 2)}) == 0
    assert parse("a ⊕ a").evaluate({"a": Fraction(1, 2)}) == 1


def test_arrays_of_many_rows_cross_the_blocks():
    column = np.linspace(0, 1, 20_001)
    degrees = parse("a ⊗ ¬b ⊕ a ⊗ b").evaluate({"a": column, "b": column[::-1]})
    expected = np.minimum(1, np.maximum(0, column + 1 - column[::-1] - 1) + np.maximum(0, column + column[::-1] - 1))
    assert abs(degrees - expected).max() < 1e-12


def test_scalars_and_shapes_mix_with_arrays():
    grid = np.linspace(0, 1, 6).reshape(2, 3)
    assert parse("a ⊗ b").evaluate({"a": grid, "b": Fraction(1, 2)}).shape == (2, 3)
    assert parse("a").evaluate({"a": np.array([True, False])}).tolist() == [1.0, 0.0]
    assert parse("a ⊗ b").evaluate({"a": np.array([1, 0]), "b": 1}).tolist() == [1.0, 0.0]


def test_values_for_other_names_do_no_harm():
    assert parse("a").evaluate({"a": 1, "unused": "text"}) == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({}, "no value for 'a'. Given: none."),
        ({"b": 1}, "no value for 'a'. Given: 'b'."),
        ({"a": 2}, "'a' is 2, expected a truth value between 0 and 1."),
        ({"a": Fraction(-1, 2)}, "'a' is -1/2, expected a truth value between 0 and 1."),
        ({"a": float("nan")}, "'a' is nan, expected a truth value between 0 and 1."),
        ({"a": float("inf")}, "'a' is inf, expected a truth value between 0 and 1."),
        ({"a": np.array([0.5, 1.5])}, "row 1: 'a' is 1.5, expected a truth value between 0 and 1."),
        ({"a": np.array([np.nan])}, "row 0: 'a' is nan, expected a truth value between 0 and 1."),
    ],
)
def test_a_value_that_is_no_truth_value_is_refused(row, message):
    with pytest.raises(EvaluationError) as caught:
        parse("a").evaluate(row)
    assert str(caught.value) == message


def test_the_row_of_a_bad_value_counts_from_the_start_of_the_array():
    column = np.zeros(30_000)
    column[29_999] = -1
    with pytest.raises(EvaluationError, match=r"row 29999: 'a' is -1\.0"):
        parse("a").evaluate({"a": column})


def test_arrays_of_different_shapes_are_refused():
    with pytest.raises(EvaluationError, match=r"arrays of one shape are needed, got 'a' \(2,\), 'b' \(3,\)"):
        parse("a ⊗ b").evaluate({"a": np.zeros(2), "b": np.zeros(3)})


@pytest.mark.parametrize("value", [2, -1, Fraction(3, 2), float("nan")])
def test_a_bad_number_beside_an_array_is_named_without_a_row(value):
    with pytest.raises(EvaluationError) as caught:
        parse("a ⊗ b").evaluate({"a": np.zeros(3), "b": value})
    assert str(caught.value) == f"'b' is {float(value) if type(value) is Fraction else value}, " + (
        "expected a truth value between 0 and 1."
    )


def test_the_precision_is_that_of_the_widest_array_and_of_no_number():
    single, double = np.zeros(2, np.float32), np.zeros(2)
    f = parse("a ⊕ b")
    assert f.evaluate({"a": single, "b": 0.25}).dtype == np.float32
    assert f.evaluate({"a": single, "b": double}).dtype == np.float64
    assert f.evaluate({"a": single, "b": np.array([0, 1])}).dtype == np.float32
    assert f.evaluate({"a": np.array([0, 1]), "b": 0.25}).dtype == np.float64


def test_a_program_clamps_where_it_must_and_forgets_what_is_spent():
    """Negations are folded into the sums; a is read twice and kept until its last use."""
    steps = program_of(parse("¬(a ⊕ b) ⊗ a"))
    assert [(str(s.node), s.bias, s.below, s.above, [str(n) for n in s.spent]) for s in steps] == [
        ("a", 0, False, False, []),
        ("b", 0, False, False, []),
        ("a ⊕ b", 0, False, True, ["b"]),
        ("¬(a ⊕ b) ⊗ a", 0, True, False, ["a ⊕ b", "a"]),
    ]


def test_an_empty_array_gives_an_empty_array():
    assert parse("a ⊗ b").evaluate({"a": np.zeros(0), "b": np.zeros(0)}).shape == (0,)


@given(formulas(max_leaves=6))
def test_a_truth_table_lists_the_exact_degrees(f):
    if len(f.variables) <= 3:
        for values, degree in truth_table(f, 3).rows():
            assert degree == f.evaluate(dict(zip(f.variables, values, strict=True)))


def test_simplifying_keeps_every_degree_on_a_grid():
    for text in ("a ⊗ (a → b)", "¬(¬a ⊗ ¬b ⊗ c)", "at least 2 of (a, ¬a, b, 1)"):
        f = parse(text)
        for values, degree in truth_table(f, 4).rows():
            assert simplify(f).evaluate(dict(zip(f.variables, values, strict=True))) == degree


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 1], "values are given by name, such as {'a': Fraction(1, 2)}, got list."),
        ({Variable("a"): 1}, "no value for 'a'. Given: parse('a'). Names are texts, such as 'a'."),
        ({"a": "1"}, "'a' is '1', expected numbers between 0 and 1."),
    ],
)
def test_values_given_in_another_way_are_refused_in_a_sentence(values, message):
    with pytest.raises(EvaluationError) as caught:
        Variable("a").evaluate(values)
    assert str(caught.value) == message
