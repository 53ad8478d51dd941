import threading
from fractions import Fraction

import pytest
from hypothesis import given, settings

from crystalogic import (
    AtLeast,
    CrystalogicError,
    Domain,
    DomainError,
    FormulaError,
    Iff,
    Minimum,
    StrongOr,
    Variable,
    Verdict,
    entails,
    equivalent,
    parse,
    satisfiable,
    simplify,
    truth_table,
    valid,
    variables,
)
from crystalogic.deadline import MOST_SECONDS, Deadline
from crystalogic.symbolic.extract import Threshold, expand
from crystalogic.verify.questions import find_row, monotone
from depth import deep
from strategies import domains_with_rows, formulas


@given(formulas(max_leaves=6), formulas(max_leaves=6), domains_with_rows())
@settings(max_examples=deep(150))
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
@settings(max_examples=deep(150))
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
    assert str(satisfiable(parse("a ⊗ ¬a"), Domain(["a"]))) == (
        "refuted: a ⊗ ¬a = 1 somewhere\nscope: a in {0, 1}\nno row of the scope reaches 1 (z3)"
    )


def too_hard():
    """Two formulas that are equal on Booleans only, which z3 does not show in minutes; and those Booleans."""
    literals = variables(f"x{i}" for i in range(40))
    wide = expand(Threshold(20, (literals[0] & literals[0], *literals[1:])))
    return AtLeast(20, *literals), wide, Domain([literal.name for literal in literals])


def test_undecided_is_an_answer_too():
    """A question that z3 could answer in a moment was once asked here, and on a busy machine it was answered."""
    left, right, domain = too_hard()
    answer = equivalent(left, right, domain, seconds=0.001)
    assert answer.verdict is Verdict.UNDECIDED
    assert not answer
    assert answer.row is None
    assert answer.claim == "a formula of 40 literals = a formula of 338,052,201,629 literals"
    assert answer.scope == domain
    assert answer.reason == "undecided after 0.001 s; allow more time, or declare a smaller scope"


def test_an_interrupt_that_z3_took_for_itself_is_passed_on(monkeypatch):
    import z3

    check = z3.Solver.check

    def interrupted(solver):
        is_over = threading.Event()

        def interrupt():
            while not is_over.wait(0.02):
                solver.ctx.interrupt()

        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            return check(solver)
        finally:
            is_over.set()
            thread.join()

    monkeypatch.setattr(z3.Solver, "check", interrupted)
    left, right, domain = too_hard()
    with pytest.raises(KeyboardInterrupt):
        equivalent(left, right, domain, seconds=60)


def test_an_input_that_makes_no_difference_has_a_value_too():
    """z3 leaves it open."""
    assert satisfiable(parse("(b → b) ⊗ a"), Domain(["b"])).row == {"b": 0, "a": 1}


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


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda: valid(parse("0")), "refuted: 0 = 1\nscope: all of [0,1]ⁿ\nat the only row: 0"),
        (lambda: satisfiable(parse("1")), "proved: 1 = 1 somewhere\nscope: all of [0,1]ⁿ\nit is 1 at the only row"),
        (
            lambda: satisfiable(parse("a ⊗ ¬b"), Domain(["b"])),
            "proved: a ⊗ ¬b = 1 somewhere\nscope: b in {0, 1}\nit is 1 at a = 1, b = 0",
        ),
        (
            lambda: valid(parse("a → a")),
            "proved: a → a = 1\nscope: all of [0,1]ⁿ\nits normal form is 1 (value numbers)",
        ),
        (
            lambda: entails(parse("a ⊗ b"), parse("a")),
            "proved: a ⊗ b ≤ a\nscope: all of [0,1]ⁿ\nthe normal form of the implication is 1 (value numbers)",
        ),
        (
            lambda: entails(parse("a ∧ b"), parse("c ∨ a")),
            "proved: a ∧ b ≤ c ∨ a\nscope: all of [0,1]ⁿ\nno row of the scope contradicts it (z3)",
        ),
        (
            lambda: monotone(parse("a ⊗ ¬b"), "b"),
            "refuted: as b rises, a ⊗ ¬b never falls\nscope: all of [0,1]ⁿ\nat a = 1: 1 where b = 0, 0 where b = 1",
        ),
        (
            lambda: monotone(parse("a ⊗ ¬b"), "b", decreasing=True),
            "proved: as b rises, a ⊗ ¬b never rises\nscope: all of [0,1]ⁿ\nno row of the scope contradicts it (z3)",
        ),
        (
            lambda: monotone(parse("a"), "two words"),
            "proved: as {two words} rises, a never falls\nscope: all of [0,1]ⁿ\nthe formula does not have {two words}",
        ),
        (
            lambda: monotone(parse("a ↔ b"), "a", Domain(["a"])),
            "refuted: as a rises, a ↔ b never falls\nscope: a in {0, 1}\nat b = 0: 1 where a = 0, 0 where a = 1",
        ),
        (
            lambda: monotone(parse("¬a ⊕ {a'}"), "a"),
            "refuted: as a rises, ¬a ⊕ {a'} never falls\nscope: all of [0,1]ⁿ\n"
            "at {a'} = 0: 1 where a = 0, 0 where a = 1",
        ),
    ],
)
def test_questions_and_their_answers_as_whole_strings(answer, text):
    assert str(answer()) == text


def test_a_direction_on_booleans_needs_booleans_only():
    """Between 0 and 1 the degree falls and rises again; on 0 and 1 alone it never falls."""
    dip = parse("¬(a ⊕ a) ⊕ a")
    assert not monotone(dip, "a")
    assert monotone(dip, "a", Domain(["a"]))
    assert not monotone(~dip, "a", decreasing=True)


def test_an_input_of_a_group_cannot_change_alone():
    group = Domain(exclusive=[["a", "b"]])
    with pytest.raises(DomainError) as caught:
        monotone(parse("a ⊗ c"), "a", group)
    assert str(caught.value) == "'a' stands in a group and cannot change alone; ask about a model's column instead."
    assert not monotone(parse("a ⊗ ¬c"), "c", group)


def test_an_answer_as_data():
    answer = equivalent(parse("a ⊗ a"), parse("a"), Domain(["b"]))
    assert answer.content() == {
        "verdict": "refuted",
        "claim": "a ⊗ a = a",
        "scope": {"boolean": ("b",), "one_hot": (), "exclusive": ()},
        "reason": "at a = 1/2: 0 against 1/2",
        "row": {"a": "1/2"},
    }
    assert answer.witness is None
    assert equivalent(parse("a"), parse("a")).content()["row"] is None


@pytest.mark.parametrize(("copies", "degree"), [(2, "2/3"), (3, "3/4"), (4, "4/5")])
def test_the_row_shown_has_the_smallest_denominator(copies, degree):
    a = Variable("a")
    assert satisfiable(Iff(AtLeast(copies, *[a] * copies), ~a)).row == {"a": Fraction(degree)}


@pytest.mark.parametrize(
    ("rising", "falling", "degree"), [((2, 3), (2, 3), "1/2"), ((2, 4), (3, 4), "1/3"), ((2, 5), (3, 3), "1/4")]
)
def test_of_many_rows_the_simplest_is_shown(rising, falling, degree):
    """Both thresholds are above 0 in an open interval, in which one number has the smallest denominator."""
    a = Variable("a")
    between = Minimum(AtLeast(rising[0], *[a] * rising[1]), AtLeast(falling[0], *[~a] * falling[1]))
    assert valid(~between).row == {"a": Fraction(degree)}


def test_of_twelve_inputs_the_first_boolean_row_is_shown():
    literals = variables(f"x{i}" for i in range(12))
    row = valid(~AtLeast(3, *literals)).row
    assert row == {literal.name: Fraction(int(index >= 9)) for index, literal in enumerate(literals)}


def test_all_boolean_rows_are_looked_at_before_finer_ones():
    literals = variables("a b c d e")
    assert valid(~AtLeast(4, *literals)).row == dict(zip("abcde", map(Fraction, (0, 1, 1, 1, 1)), strict=True))


def test_a_long_formula_is_told_by_its_size():
    literals = variables(f"x{i}" for i in range(31))
    assert valid(StrongOr(*literals[:30])).claim == " ⊕ ".join(f"x{i}" for i in range(30)) + " = 1"
    assert valid(StrongOr(*literals)).claim == "a formula of 31 literals = 1"


def test_a_row_that_does_not_hold_again_is_never_shown():
    """Here z3 is asked for something that no exact row meets."""
    with pytest.raises(CrystalogicError, match=r"z3 gave a row that does not meet the condition.*report this"):
        find_row((parse("a"),), Domain(), lambda x: not isinstance(x, Fraction) and x >= 0, Deadline.after(1))


def test_a_million_seconds_are_allowed_and_no_more():
    Deadline.after(MOST_SECONDS)
    with pytest.raises(CrystalogicError) as caught:
        Deadline.after(MOST_SECONDS + 1)
    assert str(caught.value) == "the time allowed is a number of seconds up to 1,000,000, got 1000001."


def test_satisfiable_may_be_undecided_too():
    left, right, domain = too_hard()
    answer = satisfiable(left & ~right, domain, seconds=0.001)
    assert answer.verdict is Verdict.UNDECIDED
    assert answer.claim == "a formula of 338,052,201,669 literals = 1 somewhere"
    assert answer.scope == domain
    assert answer.witness is None
    assert answer.reason == "undecided after 0.001 s; allow more time, or declare a smaller scope"


@pytest.mark.parametrize(
    "question",
    [
        lambda: entails("a", parse("a")),
        lambda: equivalent(parse("a"), "a"),
        lambda: valid("a"),
        lambda: satisfiable("a"),
        lambda: simplify("a"),
        lambda: truth_table("a"),
    ],
)
def test_a_text_is_no_formula_until_it_is_parsed(question):
    """Texts ended in an AttributeError."""
    with pytest.raises(FormulaError) as caught:
        question()
    assert str(caught.value) == (
        "expected a formula, 0 or 1, got 'a'. A name becomes a formula by Variable(name), a text by parse(text)."
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
@given(formulas(("a", "b"), max_leaves=5))
@settings(max_examples=25)
def test_answers_over_finitely_many_truth_values_agree_with_the_truth_table(n, formula):
    degrees = [degree for _, degree in truth_table(formula, n).rows()]
    assert bool(valid(formula, Domain(n=n))) == all(degree == 1 for degree in degrees)
    assert bool(satisfiable(formula, Domain(n=n))) == any(degree == 1 for degree in degrees)


def test_a_law_of_three_values_fails_with_four():
    """a ⊗ a = a ⊗ a ⊗ a holds in Ł₃ and not in Ł₄."""
    two, three = parse("a ⊗ a"), parse("a ⊗ a ⊗ a")
    assert str(equivalent(two, three, Domain(n=2))) == (
        "proved: a ⊗ a = a ⊗ a ⊗ a\nscope: all inputs in {0, 1/2, 1}\nno row of the scope contradicts it (z3)"
    )
    assert equivalent(two, three, Domain(n=3)).counterexample == {"a": Fraction(2, 3)}
    assert monotone(parse("a ∨ ¬a"), "a", Domain(n=1))
    assert not monotone(parse("a ∨ ¬a"), "a", Domain(n=2))


MV_AXIOMS = [
    ("x ⊕ (y ⊕ z)", "(x ⊕ y) ⊕ z"),
    ("x ⊕ y", "y ⊕ x"),
    ("x ⊕ 0", "x"),
    ("¬¬x", "x"),
    ("x ⊕ ¬0", "¬0"),
    ("¬(¬x ⊕ y) ⊕ y", "¬(¬y ⊕ x) ⊕ x"),
]


@pytest.mark.parametrize(("left", "right"), MV_AXIOMS)
def test_the_axioms_of_mv_algebras_are_proved(left, right):
    assert equivalent(parse(left), parse(right))


@pytest.mark.parametrize(
    ("text", "holds", "in_boolean"),
    [
        ("a → b → a", True, True),
        ("(a → b) → (b → c) → a → c", True, True),
        ("(¬a → ¬b) → b → a", True, True),
        ("((a → b) → b) → (b → a) → a", True, True),
        ("(a → b) ∨ (b → a)", True, True),
        ("a ⊗ (a → b) → b", True, True),
        ("a ⊕ ¬a", True, True),
        ("a ∨ ¬a", False, True),
        ("a → a ⊗ a", False, True),
        ("(a → a → b) → a → b", False, True),
        ("((a → b) → a) → a", False, True),
    ],
)
def test_textbook_theorems_of_the_logic(text, holds, in_boolean):
    assert bool(valid(parse(text))) is holds
    assert bool(valid(parse(text), Domain(n=1))) is in_boolean


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: monotone("a ⊗ b", "a"), "expected a formula, 0 or 1, got 'a ⊗ b'"),
        (lambda: monotone(parse("a"), 3), "an input is named by text, such as 'a', got 3."),
        (lambda: valid(parse("a"), "a"), "expected a Domain, such as"),
        (lambda: simplify(parse("a"), ["a"]), "expected a Domain, such as"),
        (lambda: Domain(n=0), "S_n needs a whole number n of at least 1, got 0."),
        (lambda: Domain(n=True), "S_n needs a whole number n of at least 1, got True."),
    ],
)
def test_texts_and_other_things_in_place_of_formulas_are_refused(ask, message):
    with pytest.raises(CrystalogicError) as caught:
        ask()
    assert str(caught.value).startswith(message)


def test_an_input_can_be_given_as_a_variable():
    a, b = variables("a, b")
    assert monotone(a & ~b, a)
    assert not monotone(a & ~b, b)


def test_a_long_claim_is_not_written_out():
    deep = parse("¬" * 999 + "a")
    assert str(valid(deep)).startswith("refuted: a formula of 1 literals = 1\n")


def test_an_input_that_is_the_only_one_of_its_group_cannot_change():
    """It is always 1, and was said to matter by a row in which it is 0."""
    with pytest.raises(DomainError, match="stands in a group and cannot change alone"):
        monotone(parse("¬a"), "a", Domain(one_hot=[["a"]]))


def test_the_second_row_has_a_name_that_neither_formula_nor_scope_has():
    """The other row's a was called a', which the scope declared Boolean: that it falls from 0 to 1/2 was not seen."""
    formula = parse("¬(a ↔ ¬a)")
    for scope in (Domain(boolean=["a'"]), Domain(one_hot=[["a'", "b"]]), Domain(boolean=["a'", "a''"])):
        assert monotone(formula, "a", scope).verdict is Verdict.REFUTED
    assert monotone(formula, "a", Domain(boolean=["a"]))
