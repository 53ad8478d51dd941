from fractions import Fraction

import pytest
from hypothesis import given, settings

from crystalogic import Crystal, Formula, equivalent, extract, parse
from crystalogic.logic.walk import subformulas
from crystalogic.verify.certificate import RULES
from crystalogic.verify.values import ONE, ZERO, ValueNumbers
from depth import deep
from strategies import formulas, rows


def numbers(*fs, fixed=None, rules="all"):
    values = ValueNumbers(fixed, rules)
    known = {}
    for node in subformulas(*fs):
        known[node] = values.formula(node, known)
    return known


@given(formulas(("a", "b", "c"), max_leaves=25), rows(("a", "b", "c")))
@settings(max_examples=deep(500))
def test_equal_numbers_mean_equal_degrees(f, row):
    by_ref = {}
    for node, ref in numbers(f).items():
        degree = node.evaluate(row)
        expected = by_ref.setdefault(ref.value, 1 - degree if ref.negated else degree)
        assert degree == (1 - expected if ref.negated else expected)
    assert by_ref.get(0, Fraction(0)) == 0


def same(left, right, rules="all"):
    f, g = parse(left), parse(right)
    known = numbers(f, g, rules=rules)
    return known[f] == known[g]


def test_the_rules_recognise_equal_functions():
    assert same("a ⊗ b", "b ⊗ a")
    assert same("(a ⊗ b) ⊗ c", "a ⊗ (b ⊗ c)")
    assert same("¬(a ⊗ b)", "¬a ⊕ ¬b")
    assert same("a → b", "¬a ⊕ b")
    assert same("a ⊗ (a → b)", "b ∧ a")
    assert same("(a → b) → b", "a ∨ b")
    assert same("at least 2 of (a, b, c)", "(a ⊗ b ⊕ c) ⊗ (a ⊕ b)")
    assert same("at least 2 of (a, b, c)", "¬at least 2 of (¬a, ¬b, ¬c)")
    assert same("a ⊕ b ⊕ ¬a", "1")
    assert same("a ⊗ ¬a", "0")
    assert same("(a ↔ b)", "(b → a) ⊗ (a → b)")


@pytest.mark.parametrize(
    "text",
    ["(a ⊗ b ⊕ c) ⊗ (a ⊕ b)", "(c ⊕ a ⊗ b) ⊗ (a ⊕ b)", "(a ⊕ b) ⊗ (a ⊗ b ⊕ c)", "(a ⊕ b) ⊗ (c ⊕ a ⊗ b)"],
)
def test_the_lemma_is_seen_in_any_order_by_the_rules_that_look_for_it(text):
    seen = {rules: same(text, "at least 2 of (a, b, c)", rules) for rules in RULES}
    assert seen == {"all": True, "none": False, "written": True, "pairs": True}


def test_the_minimum_is_seen_by_the_rules_that_look_for_it():
    for text in ("a ⊗ (a → b)", "(¬a ⊕ b) ⊗ a", "b ⊗ (b → a)"):
        seen = {rules: same(text, "a ∧ b", rules) for rules in RULES}
        assert seen == {"all": True, "none": False, "written": False, "pairs": True}


def test_the_lemma_holds_for_constants_and_negations_too():
    assert same("(a ⊗ b ⊕ 1) ⊗ (a ⊕ b)", "a ⊕ b")
    assert same("(a ⊗ b ⊕ 0) ⊗ (a ⊕ b)", "a ⊗ b")
    assert same("(a ⊕ b) ⊗ (¬c ⊕ a ⊗ b)", "at least 2 of (a, b, ¬c)")
    assert same("(at least 2 of (a, b, c) ⊕ d) ⊗ (a ⊕ b ⊕ c)", "at least 2 of (a, b, c, d)")
    assert not same("(a ⊗ b ⊕ c) ⊗ (a ⊕ d)", "at least 2 of (a, b, c)")


def test_different_functions_have_different_numbers():
    assert not same("a ⊗ a", "a")
    assert not same("a ⊗ b", "a ∧ b")
    assert not same("at least 2 of (a, b, c)", "a ⊗ b ⊕ c")
    assert not same("a ∧ b", "a ∧ c")
    assert not same("a ∨ b", "a ∨ b ∨ c")


@pytest.mark.parametrize(
    ("limit", "least", "left", "right"),
    [
        ("MOST_FLAT", 3, "c ⊕ (a ⊕ b)", "c ⊕ a ⊕ b"),
        ("MOST_NESTED", 1, "(a ⊗ b ⊕ c) ⊗ (a ⊕ b)", "at least 2 of (a, b, c)"),
        ("MOST_SUMS", 1, "(a ⊗ b ⊕ c) ⊗ (a ⊕ b)", "at least 2 of (a, b, c)"),
    ],
)
def test_the_rules_go_as_far_as_their_limits(monkeypatch, limit, least, left, right):
    for most in (least - 1, least):
        monkeypatch.setattr(f"crystalogic.verify.values.{limit}", most)
        assert same(left, right, "pairs") is (most == least)


def test_a_sum_behind_a_minimum_is_remembered_for_the_lemma():
    """¬a ⊕ (a ⊗ b) is ¬a ∨ b, and the lemma needs it as the sum that it was."""
    assert same("(¬a ⊗ (a ⊗ b) ⊕ b) ⊗ (¬a ⊕ a ⊗ b)", "at least 2 of (¬a, a ⊗ b, b)")


def test_a_question_uses_all_rules(monkeypatch):
    """Without nesting, the lemma is seen where it is written only."""
    monkeypatch.setattr("crystalogic.verify.values.MOST_NESTED", 0)
    answer = equivalent(parse("(a ⊗ b ⊕ c) ⊗ (a ⊕ b)"), parse("at least 2 of (a, b, c)"))
    assert answer.reason == "both sides have the same normal form (value numbers)"


def test_a_node_without_a_rule_is_refused():
    class Odd(Formula):
        n_parts = (0, 0)

    with pytest.raises(TypeError) as caught:
        ValueNumbers().formula(Odd(), {})
    assert str(caught.value) == "no rule for Odd"


def test_fixed_inputs_are_constants():
    f = parse("a ⊗ ¬b ⊕ c")
    known = numbers(f, fixed={"a": 1, "b": 0, "c": 0})
    assert known[f] == ONE
    assert numbers(f, fixed={"a": 0, "c": 0})[f] == ZERO


def test_an_input_alone_is_its_own_formula():
    assert str(extract(Crystal(["a"], [], [0])).formula) == "a"
