"""Degrees computed with floats are as close to the exact ones as the bound says."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crystalogic import AtLeast, Not, StrongOr, Variable, encode, parse
from crystalogic.logic.evaluate import DOUBLE, rounding_bound, sum_bound
from depth import deep
from strategies import NAMES, formulas

SINGLE = Fraction(1, 2**24)
degrees = st.floats(0, 1)


@given(formulas(max_leaves=30), st.lists(degrees, min_size=len(NAMES), max_size=len(NAMES)))
@settings(max_examples=deep(300))
def test_floats_are_within_the_bound_of_the_exact_degree(formula, values):
    row = dict(zip(NAMES, values, strict=True))
    exact = formula.evaluate({name: Fraction(value) for name, value in row.items()})
    found = (
        formula.evaluate({name: np.array([value]) for name, value in row.items()})[0] if formula.variables else exact
    )
    assert abs(Fraction(float(found)) - exact) <= rounding_bound(formula)
    if formula.variables:
        assert formula.evaluate(row) == found  # a single float is computed like an array


@given(formulas(max_leaves=20), st.lists(st.floats(0, 1, width=32), min_size=len(NAMES), max_size=len(NAMES)))
def test_single_precision_has_its_own_bound(formula, values):
    if not formula.variables:
        return
    row = dict(zip(NAMES, values, strict=True))
    exact = formula.evaluate({name: Fraction(value) for name, value in row.items()})
    found = formula.evaluate({name: np.array([value], np.float32) for name, value in row.items()})[0]
    assert found.dtype == np.float32
    assert abs(Fraction(float(found)) - exact) <= rounding_bound(formula, unit=SINGLE)


@given(formulas(max_leaves=20), st.lists(degrees, min_size=len(NAMES), max_size=len(NAMES)))
def test_the_network_rounds_within_the_bound_of_its_own_sums(formula, values):
    """The crystal of a formula computes the same exact degree; its floats add in another order."""
    crystal = encode(formula)
    row = np.array([[dict(zip(NAMES, values, strict=True))[name] for name in crystal.inputs]])
    exact = crystal.run([Fraction(value) for value in row[0]])[0]
    off = [Fraction(0)] * len(crystal.inputs)
    for neuron in crystal.neurons:
        off.append(sum_bound(neuron.bias, [(weight, off[source]) for source, weight in neuron.links]))
    assert abs(Fraction(float(crystal.run_rows(row)[0, 0])) - exact) <= off[crystal.outputs[0]]


@pytest.mark.parametrize(
    ("text", "units"),
    [("a", 0), ("a ∧ b", 0), ("¬a", 4), ("a ⊕ b", 6), ("a ⊗ b", 9), ("at least 2 of (a, b, c)", 16), ("a ↔ b", 4)],
)
def test_the_bound_of_short_formulas_in_units_of_the_last_place(text, units):
    """The figures of the page on numbers: (m + 1)(|b| + Σ |w|) units for one neuron."""
    assert units * DOUBLE <= rounding_bound(parse(text)) <= units * DOUBLE * (1 + Fraction(1, 10**12))


def test_the_bound_of_a_sum_by_hand():
    """ψ(2x - y - 1), x off by 1/10, y by 1/5, u = 1/100: 2/5 is carried, γ = 3/97, and 1 + 3 + 2/5 is rounded."""
    off = [(2, Fraction(1, 10)), (-1, Fraction(1, 5))]
    assert sum_bound(-1, off, Fraction(1, 100)) == Fraction(2, 5) + Fraction(3, 97) * Fraction(22, 5)


@pytest.mark.parametrize(
    ("text", "bound"),
    [("a", "1/10"), ("a ∧ b", "1/10"), ("a ∨ b", "1/10"), ("a ↔ b", "12/49"), ("¬(a ↔ b)", "698/2401")],
)
def test_the_bound_counts_what_the_inputs_are_off(text, bound):
    """u = 1/100: a ↔ b is off by 1/5 + (2 + 1/5)/49, its negation by 12/49 + (2 + 12/49)/49."""
    assert rounding_bound(parse(text), Fraction(1, 10), Fraction(1, 100)) == Fraction(bound)


def test_the_bound_grows_with_depth_and_width_and_is_reached_in_its_order():
    wide = StrongOr(*(Variable(f"x{i}") for i in range(100)))
    assert rounding_bound(wide) < Fraction(1, 10**11)
    deep = Variable("x0")
    for i in range(30):
        deep = Not(AtLeast(2, deep, Variable(f"x{i}"), Variable(f"x{i + 1}")))
    assert Fraction(1, 10**15) < rounding_bound(deep) < Fraction(1, 10**13)
    off = max(
        abs(Fraction(wide.evaluate(dict.fromkeys(wide.variables, value))) - min(Fraction(1), 100 * Fraction(value)))
        for value in (0.001, 0.0033, 0.0071, 0.009)
    )
    assert off > rounding_bound(wide) / 10_000
