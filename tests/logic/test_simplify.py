import pytest
from hypothesis import given, settings

from crystalogic import (
    AtLeast,
    Constant,
    Domain,
    StrongAnd,
    StrongOr,
    equivalent,
    parse,
    simplification,
    simplify,
    variables,
)
from crystalogic.logic.simplify import LAWS, MOST_PARTS, MOST_SEARCHED
from depth import deep
from strategies import domains_with_rows, formulas, rows


@given(formulas(), rows())
@settings(max_examples=deep(300))
def test_simplify_keeps_the_function_everywhere(f, row):
    done = simplification(f)
    assert done.formula.evaluate(row) == f.evaluate(row)
    assert done.formula.size <= f.size
    for step in done.steps:
        assert step.law.scope == "everywhere"
        assert step.before.evaluate(row) == step.after.evaluate(row)


@given(formulas(), domains_with_rows())
@settings(max_examples=deep(600))
def test_simplify_keeps_the_function_on_the_declared_domain(f, drawn):
    domain, row = drawn
    done = simplification(f, domain)
    assert done.formula.evaluate(row) == f.evaluate(row)
    assert done.formula.size <= f.size
    for step in done.steps:
        assert step.before.evaluate(row) == step.after.evaluate(row)


@given(formulas())
def test_simplify_twice_is_simplify_once(f):
    once = simplify(f)
    assert simplify(once) is once


BOOLEAN = Domain(["a", "b", "c"])
GROUP = Domain(one_hot=[["a", "b", "c"]])
EXAMPLES = [
    ("double negation", "¬¬a", "a", None),
    ("constants", "a ⊗ 1 ⊕ 0", "a", None),
    ("constants", "at least 2 of (a, 1, b)", "a ⊕ b", None),
    ("constants", "a → 0", "¬a", None),
    ("constants", "a ↔ 1", "a", None),
    ("associativity", "(a ⊗ b) ⊗ c", "a ⊗ b ⊗ c", None),
    ("complement", "a ⊗ b ⊗ ¬a", "0", None),
    ("complement", "a ⊕ ¬a ⊕ b", "1", None),
    ("complement", "at least 2 of (a, ¬a, b, c)", "b ⊕ c", None),
    ("threshold", "at least 3 of (a, b, c)", "a ⊗ b ⊗ c", None),
    ("threshold", "at least 0 of (a, b)", "1", None),
    ("threshold", "at least 4 of (a, b, c)", "0", None),
    ("reflexivity", "a ⊗ b → a ⊗ b", "1", None),
    ("contraposition", "¬a → ¬b", "b → a", None),
    ("contraposition", "¬a → b", "a ⊕ b", None),
    ("weak idempotence", "a ∧ b ∧ a", "a ∧ b", None),
    ("weak absorption", "a ∧ (a ∨ b)", "a", None),
    ("De Morgan", "¬(¬a ⊗ ¬b)", "a ⊕ b", None),
    ("De Morgan", "¬at least 2 of (¬a, ¬b, c)", "at least 2 of (a, b, ¬c)", None),
    ("weak conjunction", "a ⊗ (a → b)", "a ∧ b", None),
    ("weak conjunction", "(¬a ⊕ b ⊕ c) ⊗ a", "a ∧ (b ⊕ c)", None),
    ("weak disjunction", "(a → b) → b", "a ∨ b", None),
    ("Boolean connective", "a ∧ x", "a ⊗ x", BOOLEAN),
    ("Boolean idempotence", "(a → b) ⊗ (a → b)", "a → b", BOOLEAN),
    ("Boolean idempotence", "a ⊗ a", "a", BOOLEAN),
    ("Boolean idempotence", "at least 5 of (2·a, 3·b)", "a ⊗ b", BOOLEAN),
    ("Boolean idempotence", "at least 1 of (2·a, b)", "a ⊕ b", BOOLEAN),
    ("Boolean context", "a ⊕ a ⊗ x", "a", BOOLEAN),
    ("Boolean context", "a ⊗ x ⊗ (¬a ⊕ b)", "a ⊗ x ⊗ b", BOOLEAN),
    ("Boolean context", "a ⊗ b", "0", GROUP),
    ("Boolean context", "a ⊗ ¬b", "a", GROUP),
    ("whole group", "a ⊕ b ⊕ c ⊕ x", "1", GROUP),
    ("whole group", "a ⊕ b", "¬c", GROUP),
    ("whole group", "¬a ⊗ ¬b ⊗ x", "x ⊗ c", GROUP),
    ("threshold range", "at least 2 of (a, b, c)", "0", Domain(exclusive=[["a", "b", "c"]])),
    ("threshold range", "at least 2 of (¬a, ¬b, ¬c, x)", "1", GROUP),
]


@pytest.mark.parametrize(("law", "before", "after", "domain"), EXAMPLES)
def test_each_law_does_what_it_says(law, before, after, domain):
    done = simplification(parse(before), domain)
    assert str(done.formula) == after
    assert law in {step.law.name for step in done.steps}


@pytest.mark.parametrize(("law", "before", "after", "domain"), EXAMPLES)
def test_each_example_of_a_law_is_proved(law, before, after, domain):
    """A wrong law with a wrong example was found by chance only: random formulas seldom have its shape."""
    assert equivalent(parse(before), parse(after), domain), law


ONE_BOOLEAN = Domain(["a"])
APART = Domain(exclusive=[["a", "b"]])
PAIR = Domain(one_hot=[["a", "b"]])


@pytest.mark.parametrize(
    ("before", "after", "domain"),
    [
        ("at least 1 of (0, 0)", "0", None),
        ("at least 0 of (0, 1)", "1", None),
        ("at least 1 of (1, 0)", "1", None),
        ("at least 2 of (1, 0)", "0", None),
        ("0 → a", "1", None),
        ("a → 1", "1", None),
        ("0 ↔ a", "¬a", None),
        ("at least 1 of (a, ¬a)", "1", None),
        ("at least 2 of (a, ¬a)", "0", None),
        ("at least 2 of (a, ¬a, a, b, b)", "at least 1 of (a, 2·b)", None),
        ("at least 3 of (a, a, ¬a, ¬a, b, c)", "b ⊕ c", None),
        ("¬a ↔ ¬b", "b ↔ a", None),
        ("¬a ↔ b", "¬a ↔ b", None),
        ("¬(a ⊗ ¬b)", "¬a ⊕ b", None),
        ("¬(a ⊗ b ⊗ ¬c)", "¬(a ⊗ b ⊗ ¬c)", None),
        ("¬(¬a ∧ b)", "a ∨ ¬b", None),
        ("a ⊗ (¬a ⊕ ¬a ⊕ b)", "a ⊗ (¬a ⊕ ¬a ⊕ b)", None),
        ("a ⊗ b ⊗ (a → c)", "a ⊗ b ⊗ (a → c)", None),
        ("(a → b) → c", "(a → b) → c", None),
        ("a ∨ (a ∧ b) ∨ c", "a ∨ c", None),
        ("x ∧ y", "x ∧ y", ONE_BOOLEAN),
        ("a ∧ x ∧ b", "a ∧ x ∧ b", ONE_BOOLEAN),
        ("x ∨ a", "x ⊕ a", ONE_BOOLEAN),
        ("a ⊗ a ⊗ x ⊗ x", "a ⊗ x ⊗ x", ONE_BOOLEAN),
        ("¬a ⊗ (a ⊕ x ⊕ x) ⊗ y", "¬a ⊗ (x ⊕ x) ⊗ y", ONE_BOOLEAN),
        ("a ⊕ ¬a ⊗ x", "a ⊕ x", ONE_BOOLEAN),
        ("¬a ⊕ a ⊗ x", "¬a ⊕ x", ONE_BOOLEAN),
        ("x ⊗ (x ⊕ y)", "x ⊗ (x ⊕ y)", ONE_BOOLEAN),
        ("a ⊗ (b ⊕ x)", "a ⊗ x", APART),
        ("a ⊕ b ⊗ x", "a ⊕ b ⊗ x", APART),
        ("¬a ⊕ b ⊗ x", "¬a", APART),
        ("a ⊕ b", "a ⊕ b", APART),
        ("¬a ⊗ ¬b", "0", PAIR),
        ("a ⊕ b", "1", PAIR),
        ("a ⊕ x", "a ⊕ x", PAIR),
        ("at least 2 of (a, b, x)", "at least 2 of (a, b, x)", APART),
        ("at least 3 of (a, b, x, y)", "at least 3 of (a, b, x, y)", APART),
        ("at least 4 of (a, b, x, y, ¬b)", "a ⊗ x ⊗ y", APART),
        ("at least 2 of (¬a, ¬b, x)", "at least 2 of (¬a, ¬b, x)", PAIR),
        ("at least 2 of (a, x, y)", "at least 2 of (a, x, y)", ONE_BOOLEAN),
    ],
)
def test_laws_go_as_far_as_they_hold_and_no_further(before, after, domain):
    assert str(simplify(parse(before), domain)) == after


@pytest.mark.parametrize(("k", "after"), [(40, "1"), (41, "0")])
def test_the_range_of_a_threshold_is_found_group_by_group(k, after):
    """There are 2⁴⁰ rows, and exactly 40 of the 80 literals hold on each."""
    pairs = [[f"x{i}", f"y{i}"] for i in range(40)]
    threshold = AtLeast(k, *variables(name for pair in pairs for name in pair))
    assert str(simplify(threshold, Domain(one_hot=pairs))) == after


def test_large_nodes_are_left_alone_so_that_sharing_is_not_undone():
    names = variables(f"x{i}" for i in range(MOST_PARTS))
    inner = StrongAnd(*names[2:])
    assert simplify(StrongAnd(names[0], names[1], inner)).parts == (*names[:2], *names[2:])
    over = StrongAnd(names[0], names[1], names[2], inner)
    assert simplify(over) is over


@pytest.mark.parametrize(("n_parts", "is_searched"), [(MOST_PARTS, True), (MOST_PARTS + 1, False)])
def test_the_boolean_laws_leave_large_nodes_alone(n_parts, is_searched):
    names = [f"x{i}" for i in range(n_parts)]
    literals = variables(names)
    threshold = AtLeast(3, *literals)
    assert simplify(threshold, Domain(exclusive=[names])) is (Constant(0) if is_searched else threshold)
    conjunction = StrongAnd(*literals[1:], parse("x1 → y"))
    known = StrongAnd(*literals[1:], *variables("y"))
    assert simplify(conjunction, Domain(["x1"])) is (known if is_searched else conjunction)


def test_the_boolean_laws_search_small_parts_only():
    domain = Domain(["a"])
    a = variables("a")[0]
    for n_nodes, is_searched in ((MOST_SEARCHED, True), (MOST_SEARCHED + 1, False)):
        part = StrongOr(a, *variables(f"x{i}" for i in range(n_nodes - 2)))  # itself and its variables
        simple = simplify(StrongAnd(a, *variables("y"), part), domain)
        assert (simple is parse("a ⊗ y")) is is_searched


def test_every_law_has_an_example_and_a_distinct_name():
    assert {law.name for law in LAWS} == {name for name, *_ in EXAMPLES}
    assert len({law.name for law in LAWS}) == len(LAWS)


def test_the_strong_connectives_are_not_idempotent_without_a_domain():
    for text in ("a ⊗ a", "a ⊕ a", "a ⊕ a ⊗ b", "a ⊗ (a ⊕ b)"):
        assert str(simplify(parse(text))) == text


def test_a_simplification_tells_what_it_simplified_and_where_it_holds():
    double = parse("¬¬a ⊗ b")
    done = simplification(double, BOOLEAN)
    assert (done.original, done.formula, done.scope) == (double, parse("a ⊗ b"), BOOLEAN)
    assert simplification(double).scope == Domain()


def test_steps_tell_the_law():
    (step,) = simplification(parse("¬¬a")).steps
    assert str(step) == "¬¬a = a  [double negation]"


def test_flattening_never_undoes_sharing():
    a, b = variables("a b")
    f = a & b
    for _ in range(200):
        f = f.with_parts([f, f])
    assert simplify(f).n_nodes <= f.n_nodes


def test_a_deep_formula_on_a_declared_domain():
    a, b, c = variables("a b c")
    f = a
    for i in range(2_000):
        f = [f & b, ~f, f | c, AtLeast(2, f, a, b)][i % 4]
    row = {"a": 1, "b": 1, "c": 0}
    assert simplify(f, BOOLEAN).evaluate(row) == f.evaluate(row)
