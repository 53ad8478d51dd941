from fractions import Fraction

import pytest
from hypothesis import given, settings

from crystalogic import (
    AtLeast,
    CrystalogicError,
    Domain,
    Iff,
    Variable,
    Verdict,
    entails,
    equivalent,
    parse,
    satisfiable,
    simplify,
    valid,
    variables,
)
from crystalogic.symbolic.expand import expand
from crystalogic.symbolic.read import Threshold
from strategies import domains_with_rows, formulas


@given(formulas(max_leaves=6), formulas(max_leaves=6), domains_with_rows())
@settings(max_examples=150)
def test_answers_agree_with_evaluation(f, g, drawn):
    domain, row = drawn
    for answer, holds in (
        (equivalent(f, g, domain), lambda r: f.evaluate(r) == g.evaluate(r)),
        (entails(f, g, domain), lambda r: f.evaluate(r) <= g.evaluate(r)),
        (valid(f, domain), lambda r: f.evaluate(r) == 1),
    ):
        if answer:
            assert holds(row)
            assert answer.counterexample is None
        else:
            assert answer.verdict is Verdict.REFUTED
            assert domain.contains(answer.counterexample)
            assert not holds(answer.counterexample)
    somewhere = satisfiable(f, domain)
    if somewhere:
        assert domain.contains(somewhere.witness)
        assert f.evaluate(somewhere.witness) == 1
    else:
        assert f.evaluate(row) < 1


@given(formulas(max_leaves=8), domains_with_rows())
@settings(max_examples=150)
def test_simplify_is_proved_equivalent(f, drawn):
    domain, _ = drawn
    assert equivalent(f, simplify(f, domain), domain)
    assert equivalent(f, simplify(f))


@pytest.mark.parametrize(
    "text",
    ["a → (b → a)", "(a → b) → ((b → c) → (a → c))", "(¬a → ¬b) → (b → a)", "((a → b) → b) → ((b → a) → a)"],
)
def test_the_axioms_of_lukasiewicz_are_valid(text):
    assert valid(parse(text))


def test_contraction_and_the_boolean_laws_fail_on_the_unit_interval():
    for text in ("(a → (a → b)) → (a → b)", "a ∨ ¬a"):
        assert not valid(parse(text))
        assert valid(parse(text), Domain(["a", "b"]))


def test_an_answer_as_a_whole_string():
    assert str(entails(parse("a ∧ b"), parse("a ⊗ b"))) == (
        "refuted: a ∧ b ≤ a ⊗ b\nscope: all of [0,1]ⁿ\nat a = 1/2, b = 1/2: 1/2 against 0"
    )
    assert satisfiable(parse("a ↔ ¬a")).witness == {"a": Fraction(1, 2)}
    assert str(satisfiable(parse("a ⊗ ¬a"))).startswith("refuted: a ⊗ ¬a = 1 somewhere")


def test_undecided_is_an_answer_too():
    literals = variables(f"x{i}" for i in range(40))
    answer = equivalent(
        AtLeast(20, *literals), AtLeast(20, *literals[1:], literals[0] & literals[0] | literals[0] & 1), seconds=0.001
    )
    assert answer.verdict is Verdict.UNDECIDED
    assert not answer
    assert answer.row is None
    assert str(answer).endswith("undecided after 0.001 s; allow more time, or declare a smaller scope")


def test_names_do_not_reach_the_solver():
    """z3 reads names up to a NUL: two inputs were once one, and a false claim was proved."""
    assert not equivalent(Variable("a\0b"), Variable("a\0c"))
    assert not equivalent(Variable("\ud800"), Variable("a"))


def test_value_numbers_answer_what_z3_cannot():
    literals = variables(f"x{i}" for i in range(30))
    wide = expand(Threshold(15, literals))
    assert entails(AtLeast(15, *literals), wide)
    assert valid(Iff(AtLeast(15, *literals), wide))


def test_a_time_that_is_no_time_is_refused():
    for seconds in (0, -1, float("inf"), float("nan")):
        with pytest.raises(CrystalogicError, match="the time allowed"):
            valid(parse("a ⊕ b"), seconds=seconds)


def test_groups_restrict_the_search():
    group = Domain(one_hot=[["x", "y", "z"]])
    assert valid(parse("x ⊕ y ⊕ z"), group)
    assert not valid(parse("x ⊕ y"), group)
    assert valid(parse("¬(x ⊗ y)"), Domain(exclusive=[["x", "y"]]))
    assert not valid(parse("x ⊕ y"), Domain(exclusive=[["x", "y"]]))
