import copy
import pickle
import threading

import pytest
from hypothesis import given

from crystalogic import (
    AtLeast,
    Constant,
    Formula,
    FormulaError,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    StrongAnd,
    StrongOr,
    Variable,
    parse,
    variables,
)
from crystalogic.logic.walk import subformulas, substitute
from strategies import formulas

a, b, c = variables("a b c")


def test_equal_structure_is_the_same_object():
    assert parse("a ⊗ (b → c)") is (a & (b >> c))
    assert (a & b) is not (b & a)


def test_a_chain_of_operators_is_one_node():
    assert (a & b & c).parts == (a, b, c)
    assert (a & (b & c)).parts == (a, b & c)


def test_constants_join_from_either_side():
    assert (1 & a) is parse("1 ⊗ a")
    assert (0 | a) is parse("0 ⊕ a")
    assert (1 >> a) is parse("1 → a")


def test_a_formula_cannot_be_changed():
    with pytest.raises(FormulaError) as caught:
        a.parts = ()
    assert str(caught.value) == "a formula cannot be changed: parts stays as it is. Build a new one."
    with pytest.raises(FormulaError) as caught:
        del a.detail
    assert str(caught.value) == "a formula cannot be changed: detail stays as it is. Build a new one."


def test_a_formula_is_no_truth_value_of_python():
    with pytest.raises(FormulaError) as caught:
        _ = a and b
    assert str(caught.value) == (
        "a formula is neither true nor false by itself. Write & | >> ~ for its connectives, not and, or, not."
    )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Variable(""), "needs a name"),
        (lambda: Constant(2), "0 or 1"),
        (lambda: StrongAnd(a), "at least 2 parts, got 1"),
        (lambda: Not(a, b), "exactly 1 part, got 2"),
        (lambda: AtLeast(1.5, a), "threshold is an integer"),
        (lambda: AtLeast(1), "at least 1 part, got 0"),
        (lambda: AtLeast(10**5000, a), "a threshold is at most"),
        (lambda: AtLeast(10**15 + 1, a), "a threshold is at most 1,000,000,000,000,000 in size"),
        (lambda: AtLeast(-(10**15) - 1, a), "a threshold is at most"),
        (lambda: Implies(a, b, c), "Implies takes exactly 2 parts, got 3"),
        (lambda: Implies(a), "Implies takes exactly 2 parts, got 1"),
        (lambda: Iff(a, b, c), "Iff takes exactly 2 parts, got 3"),
        (lambda: Iff(a), "Iff takes exactly 2 parts, got 1"),
        (lambda: Not(), "Not takes exactly 1 part, got 0"),
        (lambda: StrongOr(a), "StrongOr takes at least 2 parts, got 1"),
        (lambda: Minimum(a), "Minimum takes at least 2 parts, got 1"),
        (lambda: Maximum(a), "Maximum takes at least 2 parts, got 1"),
        (lambda: Constant(-1), "0 or 1"),
        (lambda: Variable(3), "a variable needs a name, got 3"),
        (lambda: parse(None), "parse takes text, got NoneType"),
        (lambda: a & "b", "expected a formula"),
    ],
)
def test_a_formula_that_cannot_be_built_says_why(build, message):
    with pytest.raises(FormulaError, match=message):
        build()


@given(formulas())
def test_copies_and_pickles_are_the_same_object(f):
    assert copy.copy(f) is f
    assert copy.deepcopy(f) is f
    assert pickle.loads(pickle.dumps(f)) is f


def test_size_counts_the_literals_of_the_tree_and_nodes_the_connectives_of_the_dag():
    f = a & b
    for _ in range(50):
        f = f | f
    # x | x extends the chain on its left: each step adds the size once more
    assert f.size > 2**49
    assert (a & b | ~a & ~b).size == 4
    assert (a & b | ~a & ~b).n_nodes == 3
    assert f.n_nodes == 51


def test_variables_come_in_reading_order():
    assert parse("c ⊗ (a ⊕ c) ⊗ b").variables == ("c", "a", "b")


def test_substitute_replaces_every_occurrence():
    assert substitute(parse("a ⊗ (a → b)"), {a: c}) is parse("c ⊗ (c → b)")


def test_parts_come_before_the_nodes_that_use_them():
    order = subformulas(parse("(a ⊗ b) ⊕ ¬(a ⊗ b)"))
    assert [str(node) for node in order] == ["a", "b", "a ⊗ b", "¬(a ⊗ b)", "a ⊗ b ⊕ ¬(a ⊗ b)"]


def test_threads_build_one_node():
    built: list[Formula] = []

    def build() -> None:
        f = a
        for i in range(300):
            f = ~(f & Variable(f"v{i}"))
        built.append(f)

    threads = [threading.Thread(target=build) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 8
    assert len(set(map(id, built))) == 1


def test_a_very_deep_formula_is_built_printed_parsed_evaluated_simplified_and_freed():
    f = a
    for i in range(10_000):
        f = [f & b, ~f, f | c, f >> a, AtLeast(2, f, a, b)][i % 5]
    text = str(f)
    assert parse(text) is f
    assert f.evaluate({"a": 1, "b": 0, "c": 1}) in (0, 1)
    from crystalogic import simplify

    simple = simplify(f)
    assert simple.evaluate({"a": 1, "b": 0, "c": 1}) == f.evaluate({"a": 1, "b": 0, "c": 1})
    del f, simple
    assert parse("a ⊗ b") is (a & b)
