"""Recovering formulas from truth tables."""

import itertools

import numpy as np
import pytest

from crystalogic.logic.parse import parse
from crystalogic.progress import Stop
from crystalogic.search import recover
from crystalogic.verify.questions import equivalent


def rows_of(n, variables):
    return np.array(list(itertools.product(range(n + 1), repeat=variables))) / n


def degrees(formula, rows, names):
    values = dict(zip(names, rows.T, strict=True))
    return np.broadcast_to(np.asarray(formula.evaluate(values), dtype=float), len(rows))


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("a ⊗ (b → c)", 4),
        ("(a → b) ⊗ (b → c)", 3),
        ("((a ⊕ b) ⊗ c) ⊕ ¬a", 2),
        ("a ⊗ a ⊕ b", 5),
        ("¬((a → b) ⊗ (c ⊕ a))", 1),
    ],
)
def test_a_formula_comes_back_from_its_truth_table(text, n):
    names, formula = ["a", "b", "c"], parse(text)
    rows = rows_of(n, 3)
    found = recover(rows, degrees(formula, rows, names), names)
    assert found.is_exact
    assert found.stop is Stop.EXACT
    assert found.formula.size <= formula.size
    if n > 1:
        assert equivalent(found.formula, formula)


def test_a_long_conjunction_of_implications_is_grown():
    names = [f"x{i}" for i in range(1, 7)]
    formula = parse("((x4 ⊗ x5 → x6) ⊗ (x1 ⊗ x5 → x2) ⊗ (x1 ⊗ x2 → x3)) ⊗ (x6 → x4)")
    rows = rows_of(2, 6)
    found = recover(rows, degrees(formula, rows, names), names)
    assert found.is_exact
    assert equivalent(found.formula, formula)


def test_a_table_without_an_exact_formula_says_so():
    rows = np.repeat(rows_of(2, 2), 2, axis=0)
    goal = np.clip(rows[:, 0] + rows[:, 1], 0, 1)
    goal[0] = 1  # the same row with two different degrees
    found = recover(rows, goal, ["a", "b"], restarts=2, max_literals=6)
    assert not found.is_exact
    assert found.stop is Stop.NOT_EXACT
    assert found.largest_error > 0
    assert "before an exact formula" in str(found)


def test_the_budget_ends_a_recovery():
    generator = np.random.default_rng(0)
    rows = generator.integers(0, 5, (400, 6)) / 4
    found = recover(rows, generator.integers(0, 5, 400) / 4, time_budget=0.3, restarts=1000)
    assert found.stop is Stop.TIME
    assert found.seconds < 20


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    ("rows", "degrees", "obstacle"),
    [
        (
            [[0, 0.5], [1, 0.5], [0, 0.5]],
            [1, 1, 0.5],
            "No formula is exact: rows 0 and 2 have the same inputs and different degrees.",
        ),
        (
            [[0, 0], [0, 1]],
            [0, 0.5],
            "No formula is exact: in row 1 all inputs are 0 or 1, and the degree is 0.5.",
        ),
        ([[0, 0.5], [0.5, 1]], [0.25, 0.25], None),
    ],
)
def test_a_table_that_no_formula_has_is_told_from_one_that_was_not_found(rows, degrees, obstacle):
    found = recover(rows, degrees, ["a", "b"], restarts=1, max_literals=2)
    assert not found.is_exact
    assert found.obstacle == obstacle
    assert str(found).endswith(obstacle or found.stop.value)
