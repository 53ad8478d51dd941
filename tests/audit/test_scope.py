from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audited import SOUND, UNFAIR, loan, small_model
from crystalogic import DomainError, scope_of
from crystalogic.audit.scope import Choices, Numbers, Scope, plain, value_text
from crystalogic.audit.search import find_fewest, short_decimals
from crystalogic.deadline import Deadline


def test_the_scope_of_a_model_is_what_training_had():
    scope = scope_of(small_model(["n ⊗ {c=1} ⊗ {k=b} ⊗ {o ≥ mid}"], (0, 1)))
    assert str(scope) == "n from 0 to 4; c in {1, 2, 3} or missing; k in {a, b}; o in {low, mid, high}"
    assert scope.content()[1] == {"column": "c", "kind": "ordered choice", "values": [1, 2, 3], "may_miss": True}


def test_what_is_declared_overrules_training():
    model = loan(UNFAIR)
    scope = scope_of(model, ranges={"age": (0, None), "debts": ("0", "9")}, whole=["age"], another=["sex"], missing=[])
    assert str(scope) == (
        "age is a whole number from 0; income from 0 to 100; sex in {f, m, another value}; "
        "debts is a whole number from 0 to 9"
    )
    assert str(scope_of(model, missing=["sex"]).field("sex")) == "sex in {f, m} or missing"


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"ranges": {"zip": (0, 1)}}, "there is no column 'zip' to declare; there are age, income, sex, debts"),
        ({"ranges": {"age": (3, 1)}}, r"the range of 'age' needs a lowest and a highest number, got \(3, 1\)"),
        ({"ranges": {"age": ("a", 1)}}, "the range of 'age'"),
        ({"ranges": {"sex": (0, 1)}}, "'sex' is a category or an order"),
        ({"whole": ["sex"]}, "'sex' is a category or an order"),
        ({"missing": ["age"]}, "'age' cannot be declared missing: the model refuses rows in which it is"),
        ({"another": ["debts"]}, "'debts' holds numbers; declare a range"),
    ],
)
def test_declarations_that_contradict_the_model_are_refused(declared, message):
    with pytest.raises(DomainError, match=message):
        scope_of(loan(SOUND), **declared)


def test_cells_are_read_as_a_table_reads_them():
    scope = Scope((Numbers("x", Fraction(0), Fraction(1)), Choices("c", (1, 2), True), Choices("t", ("007", "b"))))
    assert scope.read({"x": "0.1", "c": "2.0", "t": "007"}) == {"x": Fraction(0.1), "c": 2, "t": "007"}
    assert scope.read({"x": "?", "c": 5, "t": "z"}) == {"x": None, "c": 5, "t": "z"}
    wider = scope.include({"x": Fraction(3), "c": 5, "t": None})
    assert str(wider) == "x from 0 to 3; c in {1, 2, 5}; t in {007, b} or missing"
    assert all(wider.field(name).contains(value) for name, value in (("x", Fraction(2)), ("c", 5), ("t", None)))
    assert [scope.field(name).contains(value) for name, value in (("x", Fraction(2)), ("c", 1), ("t", "b"))] == [
        False,
        True,
        True,
    ]


@given(st.fractions(-100, 100), st.integers(0, 6))
def test_short_decimals_are_near_and_have_few_digits(number, digits):
    found = list(short_decimals([number], [digits]))
    assert all(abs(each - number) <= Fraction(21, 10 * 10**digits) for each in found)
    assert all(len(value_text(each).lstrip("-").partition(".")[2]) <= digits for each in found)
    assert min(found) <= number <= max(found)


def test_values_for_people_and_machines():
    assert [plain(each) for each in (Fraction(3), Fraction(1, 2), Fraction(1, 3), "a", None)] == [
        3,
        0.5,
        "1/3",
        "a",
        None,
    ]


@given(st.sets(st.sampled_from("abcde")), st.lists(st.sets(st.sampled_from("abcde"), min_size=1), max_size=4))
def test_fewest_columns_meet_every_difference(needed, others):
    """A choice settles if it meets all hidden sets; what is found is one of the smallest that do."""
    hidden = [frozenset([each]) for each in sorted(needed)] + [frozenset(each) for each in others]

    def differs(chosen):
        return next((each for each in hidden if each.isdisjoint(chosen)), None)

    found = find_fewest("abcde", differs, Deadline.after(1000))
    assert differs(frozenset(found)) is None
    from itertools import combinations

    smaller = [c for size in range(len(found)) for c in combinations("abcde", size)]
    assert all(differs(frozenset(choice)) is not None for choice in smaller)
