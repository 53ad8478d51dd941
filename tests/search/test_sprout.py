"""One more conjunction: the one that was planted is found, and joined as it is meant."""

import numpy as np
import pytest

from crystalogic.candidates import NOTHING, Knowledge, keeps_to
from crystalogic.features import Features
from crystalogic.logic.parse import parse
from crystalogic.search.engine import make_rows, sprout
from crystalogic.symbolic.extract import encode, extract

NAMES = tuple("abcdefgh")


def planted(text, *, is_class=True, seed=0):
    """Rows in which the formula holds, and what is known before the clause is looked for."""
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 2, (400, 8)).astype(float) if is_class else generator.integers(0, 5, (400, 8)) / 4
    target = encode(parse(text)).over(NAMES).run_rows(X)[:, 0]
    return X, make_rows(Features.of_rows(X, NAMES), target, is_class=is_class)


@pytest.mark.parametrize(
    ("begin", "is_exception", "whole"),
    [
        ("a ⊗ b", False, "a ⊗ b ⊕ c ⊗ ¬d"),
        ("a ⊕ b", False, "a ⊕ b ⊕ c ⊗ ¬d"),
        ("a ⊗ b", True, "a ⊗ b ⊗ ¬(c ⊗ ¬d)"),
        ("a ⊕ b", True, "(a ⊕ b) ⊗ ¬(c ⊗ ¬d)"),
        ("a", False, "a ⊕ c ⊗ ¬d ⊗ e"),
    ],
)
def test_the_clause_that_is_missing_is_found(begin, is_exception, whole):
    """In 2,000 rows and more, single changes did not find a clause of two literals beside a formula to start from."""
    X, rows = planted(whole)
    found = sprout(encode(parse(begin)).over(NAMES), rows, NOTHING, is_exception)
    assert (found.run_rows(X)[:, 0] == rows.target).all()
    assert extract(found).formula.size == parse(whole).size


def test_a_clause_for_truth_degrees_makes_the_errors_smaller():
    X, rows = planted("a ⊗ b ⊕ c ⊗ ¬d", is_class=False)
    begin = encode(parse("a ⊗ b")).over(NAMES)
    goal = rows.target / rows.one
    before, after = (
        np.abs(each.run_rows(X)[:, 0] - goal).mean() for each in (begin, sprout(begin, rows, NOTHING, False))
    )
    assert after < before / 2


@pytest.mark.parametrize("is_exception", [False, True])
def test_a_clause_keeps_what_is_known(is_exception):
    _, rows = planted("a ⊗ b ⊗ ¬(c ⊗ ¬d)" if is_exception else "a ⊗ b ⊕ c ⊗ ¬d")
    known = Knowledge(monotone={"c": 1 if is_exception else -1, "e": 1, "f": -1}, forbidden=["d"])
    found = sprout(encode(parse("a ⊗ b")).over(NAMES), rows, known, is_exception)
    assert found is None or keeps_to(found, known)


def test_where_nothing_is_wrong_nothing_is_added():
    _, rows = planted("a ⊗ b")
    assert all(sprout(encode(parse("a ⊗ b")).over(NAMES), rows, NOTHING, way) is None for way in (False, True))
