"""Models with a planted fault, which each question finds; models without, for which it proves that there is none."""

from fractions import Fraction

import pytest

import crystalogic as cl
from audited import LOAN, NOT_MONOTONE, SOUND, UNFAIR, loan, small_model, small_scope
from crystalogic import DomainError, EncodingError, Verdict
from crystalogic.encoding import Cut, Degree, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of

ROW = {"age": 40, "income": 50, "sex": "f", "debts": 1}


def test_a_rule_that_turns_against_the_old_is_found():
    answer = cl.monotone(loan(NOT_MONOTONE), "age")
    assert str(answer) == (
        "refuted: as age rises, approved = yes is never lost\n"
        "scope: income from 0 to 100; age from 18 to 80\n"
        "it fails here:\n"
        "at income = 30:\n"
        "  age = 25: approved is yes (degree 1.00)\n"
        "  age = 60: approved is no (degree 0.00)"
    )
    assert answer.counterexample == {"income": 30, "age": 25}
    assert not cl.monotone(loan(NOT_MONOTONE), "age", decreasing=True)
    assert not cl.monotone(loan(NOT_MONOTONE), "age", of="degree")


def test_a_rule_without_it_is_proved_monotone():
    answer = cl.monotone(loan(SOUND), "age")
    assert str(answer) == (
        "proved: as age rises, approved = yes is never lost\n"
        "scope: income from 0 to 100; debts in {0, 1, 2} or missing; age from 18 to 80\n"
        "no row of the scope contradicts it (z3)"
    )
    assert cl.monotone(loan(SOUND), "age", of="degree")
    assert cl.monotone(loan(SOUND), "debts", decreasing=True)
    assert cl.monotone(loan(SOUND), "sex").reason == "the rule does not read sex"
    assert cl.monotone(loan(NOT_MONOTONE), "age", cl.scope_of(loan(NOT_MONOTONE), ranges={"age": (18, 59.5)}))


def test_cuts_and_degrees_of_one_column_are_tied_together():
    """Each literal alone could be anything; of one number they cannot be."""
    assert cl.never(loan("{age ≥ 60} ⊗ ¬{age ≥ 25}"), "yes")
    assert cl.never(loan("{age ≥ 60} ⊗ ¬age"), "yes")
    assert not cl.never(loan("{age ≥ 60} ⊗ age"), "yes")


def test_the_use_of_a_protected_column_is_found():
    answer = cl.ignores(loan(UNFAIR), "sex")
    assert answer.verdict is Verdict.REFUTED
    first, second = answer.cases
    assert {first.row["sex"], second.row["sex"]} == {"f", "m"}
    assert {first.decision, second.decision} == {"no", "yes"}
    assert cl.ignores(loan(SOUND), "sex")
    assert cl.ignores(loan("({income ≥ 30} ⊗ {sex=m}) ⊕ {income ≥ 30}"), "sex")


def test_a_policy_is_broken_or_obeyed():
    policy = "{age < 21} -> ~{approved=yes}"
    broken = cl.obeys(loan(UNFAIR), policy)
    assert broken.row["age"] < 21
    assert broken.cases[0].decision == "yes"
    assert cl.obeys(loan(SOUND), policy)
    assert cl.never(loan(SOUND), "yes", when="age < 21")
    assert not cl.always(loan(SOUND), "yes", when="{age ≥ 25} ⊗ {income > 40}")
    assert cl.always(loan(SOUND), "yes", when="{age ≥ 25} ⊗ {income > 40} ⊗ {debts <= 1}")
    assert cl.always(loan(SOUND), "no", when="debts = 2")
    assert cl.obeys(loan(SOUND), "{approved=yes} → {income ≥ 30}")
    assert not cl.obeys(loan(SOUND), "{approved=yes} → {income ≥ 30.5}")


def test_a_policy_about_rows_that_cannot_occur_is_refused():
    with pytest.raises(DomainError, match=r"no row that can occur meets \{age < 18\} \(age from 18 to 80\)"):
        cl.obeys(loan(UNFAIR), "{age < 18} → ¬{approved=yes}")
    wider = cl.scope_of(loan(UNFAIR), ranges={"age": (0, 120)}, whole=["age"])
    assert cl.obeys(loan(UNFAIR), "{age < 18} → ¬{approved=yes}", wider).row["age"] < 18


def test_the_nearest_counterfactual_respects_what_may_change():
    model = loan(SOUND)
    refused = {**ROW, "income": 20}
    found = cl.counterfactual(model, refused)
    assert str(found) == (
        "proved: the row can be changed so that approved is yes\n"
        "scope: income from 0 to 100; debts in {0, 1, 2} or missing; age from 18 to 80\n"
        "change income from 20 to 30; no change of fewer columns is enough, nor a smaller one (z3)\n"
        "at debts = 1, age = 40:\n"
        "  income = 20: approved is no (degree 0.00)\n"
        "  income = 30: approved is yes (degree 1.00)"
    )
    assert found.facts["changes"] == {"income": [20, 30]}
    assert found.facts["distance"] == "1/10"
    none = cl.counterfactual(model, refused, frozen=["income"])
    assert none.verdict is Verdict.REFUTED
    assert none.reason == "no allowed change has this effect (z3)"
    assert not cl.counterfactual(model, refused, decreasing=["income"])
    assert cl.counterfactual(model, refused, increasing=["income"], frozen=["sex"])


def test_where_there_is_no_nearest_number_a_short_one_close_to_it_is_given():
    """Below 30 there is no number closest to 30."""
    found = cl.counterfactual(loan(SOUND), ROW, frozen=["age", "debts"])
    assert found.witness["income"] == 29
    assert "no row is nearer by more than 1% of a range" in found.reason
    whole = cl.scope_of(loan(SOUND), whole=["income"])
    found = cl.counterfactual(loan(SOUND), {**ROW, "income": 31}, frozen=["age", "debts"], scope=whole)
    assert found.witness["income"] == 29
    assert found.reason.endswith("nor a smaller one (z3)")


def test_a_sufficient_reason_is_as_small_as_can_be():
    found = cl.sufficient_reason(loan("({income ≥ 30} ⊗ {sex=m}) ⊕ {debts=0}"), {**ROW, "debts": 0})
    assert found.facts["reason_columns"] == {"debts": 0}
    assert found.reason == "because debts = 0; any income, sex will do; no fewer facts decide it (z3)"
    found = cl.sufficient_reason(loan(SOUND), ROW)
    assert set(found.facts["reason_columns"]) == {"age", "income", "debts"}
    assert cl.sufficient_reason(loan("{sex=m} ⊕ ¬{sex=m}"), ROW).facts["reason_columns"] == {}
    found = cl.sufficient_reason(loan("at least 2 of (0, {sex=m}, {debts=0})"), {**ROW, "sex": "m", "debts": 0})
    assert found.facts["reason_columns"] == {"sex": "m", "debts": 0}


def test_errors_of_measurement():
    model = loan(SOUND)
    assert cl.robust(model, ROW, 5)
    near = cl.robust(model, {**ROW, "income": 31}, 5)
    assert near.claim == "approved is yes, with errors of up to 5 % in every number"
    assert str(near.scope) == "income from ~29.45 to ~32.55; debts in {1}; age from 38 to 42"
    assert near.row["income"] == 29.5
    assert cl.robust(model, {**ROW, "income": 31}, 0, errors={"income": 1})
    assert not cl.robust(model, {**ROW, "income": 31}, 0, errors={"income": 1.01})
    assert not cl.robust(model, ROW, 0, errors={"debts": 1})
    with pytest.raises(DomainError, match="'sex' is no number"):
        cl.robust(loan(UNFAIR), ROW, errors={"sex": 1})
    with pytest.raises(DomainError, match="0 to 100 percent"):
        cl.robust(model, ROW, -1)
    with pytest.raises(DomainError, match="is a number in its own units, got 'x'"):
        cl.robust(model, ROW, errors={"age": "x"})


def test_which_missing_field_to_ask_for():
    model = loan(SOUND)
    settled = cl.with_missing(model, {"age": 20, "income": 50})
    assert str(settled) == (
        "proved: approved is settled, whatever debts is\n"
        "scope: income in {50}; debts in {0, 1, 2}; age in {20}\n"
        "approved is no for every value (z3)"
    )
    found = cl.with_missing(model, {"age": 40, "income": "?", "debts": None})
    assert found.verdict is Verdict.REFUTED
    assert found.facts == {"ask_for": ["income", "debts"], "not_needed": []}
    unfair = cl.with_missing(loan("{income ≥ 30} ⊕ ({sex=m} ⊗ {income ≥ 30})"), {})
    assert unfair.facts == {"ask_for": ["income"], "not_needed": ["sex"]}
    assert unfair.reason == "ask for income: then it is settled, whatever sex is; no fewer fields are enough (z3)"


def test_two_versions_of_a_model():
    old, new = loan(SOUND), loan("{income ≥ 30} ⊗ ¬{debts ≥ 2}")
    rows = {"age": [20, 20, 40], "income": [50, 10, 50], "sex": ["f"] * 3, "debts": [0, 0, 0]}
    found = cl.diff(old, new, rows)
    assert found.facts["n_different"] == 1
    assert found.facts["different_rows"] == [0]
    assert set(found.facts["facts"]) == {"age", "income", "debts"}
    assert str(found).splitlines()[2] == "1 of 3 data rows differ (33.3%): 0"
    assert cl.diff(old, loan("¬(¬{income ≥ 30} ⊕ {debts ≥ 2} ⊕ ¬{age ≥ 25})"))
    with pytest.raises(DomainError, match="classes and the other gives degrees"):
        cl.diff(old, model_of([cl.parse("age")], LOAN, "approved", None))


def test_versions_may_read_a_column_in_different_ways():
    def version(column, formula, classes):
        return model_of([cl.parse(formula)], Encoding((column,)), "y", classes)

    as_number = version(Column("x", "number", (Degree("x", 0.0, 9.0), Cut("x", 2.5))), "{x ≥ 2.5}", (0, 1))
    as_code = version(Column("x", "code", (Is("x", "3"),), ("1", "2", "3")), "{x=3}", ("0", "1"))
    found = cl.diff(as_number, as_code)
    assert str(found.scope) == "x from 0 to 9"
    assert not found
    assert cl.diff(as_number, as_code, scope=cl.scope_of([as_number, as_code], ranges={"x": (0, 3)}, whole=["x"]))
    as_text = version(Column("x", "category", (Is("x", "c"),), ("a", "c")), "{x=c}", (0, 1))
    with pytest.raises(DomainError, match="category and number in different models"):
        cl.diff(as_number, as_text)


def test_degrees_are_asked_about_with_comparisons():
    model = model_of([cl.parse("age ⊗ ¬{debts ≥ 2}")], LOAN, "risk", None)
    row = {"age": 49, "debts": 0}
    assert cl.monotone(model, "age")
    assert str(cl.monotone(model, "age").claim) == "as age rises, the degree of risk never falls"
    assert cl.never(model, "> 0.5", when="{age ≤ 49}")
    assert not cl.never(model, "≥ 0.5", when="{age ≤ 49}")
    found = cl.counterfactual(model, row, to=">= 0.75")
    assert found.witness["age"] == 64.5
    assert cl.sufficient_reason(model, {**row, "age": 18}, keep="< 0.1").facts["reason_columns"] == {"age": 18}
    assert not cl.robust(model, row, 1)
    assert cl.with_missing(model, {"debts": 2})
    assert cl.with_missing(model, {"debts": 0}).facts["ask_for"] == ["age"]
    with pytest.raises(DomainError, match="gives degrees of 'risk'; say which you mean with a comparison"):
        cl.counterfactual(model, row, to="yes")
    with pytest.raises(DomainError, match=r"risk ≥ 0.9 is not what the model says of this row"):
        cl.sufficient_reason(model, row, keep="≥ 0.9")


def test_three_classes_with_ties_decided_by_order():
    model = small_model(["{c=1}", "n", "¬n"], ("red", "green", "blue"))
    assert model.explain({"n": 2, "c": 2}).decision == "green"  # green and blue are equally true: the earlier
    scope = small_scope(model)
    assert cl.monotone(model, "n", scope, label="green")
    assert cl.monotone(model, "n", scope, label="blue", decreasing=True)
    assert cl.always(model, "red", when="c = 1", scope=scope)
    assert cl.never(model, "blue", when="n ≥ 2", scope=scope)
    assert not cl.never(model, "blue", when="n ≥ 1", scope=scope)
    found = cl.counterfactual(model, {"n": 2, "c": 2}, to="blue", scope=scope)
    assert found.facts["changes"] == {"n": [2, 1]}
    with pytest.raises(DomainError, match="has 3 classes; say which is meant: red, green, blue"):
        cl.monotone(model, "n")


def test_a_witness_that_no_float_is_stays_an_exact_fraction():
    """x/3 ⊕ x/3 is 1/2 at x = 3/4 and degree of x/3 at 1/2 is at 3/2; thirds of [0,1] are no floats."""
    model = model_of(
        [cl.parse("(x ↔ ¬x ⊗ ¬x) ⊗ (x ↔ ¬x ⊗ ¬x)")],
        Encoding((Column("x", "number", (Degree("x", 0.0, 1.0),)),)),
        "y",
        None,
    )
    found = cl.never(model, "≥ 1")
    assert found.row["x"] == Fraction(1, 3)
    assert found.content()["row"] == {"x": "1/3"}
    assert "x = 1/3: y is 1.00" in str(found)


def test_undecided_is_said_when_the_time_is_over():
    names = [f"x{i}" for i in range(40)]
    columns = tuple(Column(name, "number", (Degree(name, 0.0, 1.0),)) for name in names)
    hard = model_of([cl.AtLeast(20, *cl.variables(names))], Encoding(columns), "y", (0, 1))
    answer = cl.ignores(hard, "x3", seconds=0.001)
    assert answer.verdict is Verdict.UNDECIDED
    assert str(answer).endswith("undecided after 0.001 s; allow more time, or declare a smaller scope")
    with pytest.raises(cl.CrystalogicError, match="the time allowed"):
        cl.ignores(hard, "x3", seconds=0)


def test_a_row_outside_of_training_is_part_of_the_scope():
    found = cl.sufficient_reason(loan(UNFAIR), {"income": 250, "sex": "x", "debts": 5})
    assert str(found.scope) == "income from 0 to 250; sex in {f, m, x}; debts in {0, 1, 2, 5} or missing"
    with pytest.raises(EncodingError, match="the rule needs sex, debts, the row has income"):
        cl.sufficient_reason(loan(UNFAIR), {"income": 250})


def test_names_that_look_like_something_else_do_no_harm():
    name = '"; DROP TABLE x; -- {a} ≥ 3'
    column = Column(name, "number", (Degree(name, 0.0, 1.0), Cut(name, 0.5)))
    model = model_of([cl.Variable(f"{name} ≥ 0.5")], Encoding((column,)), "<y>", (0, 1))
    assert cl.monotone(model, name)
    assert cl.never(model, 1, when=f"{name} < 0.5")
    assert not cl.always(model, 1)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: cl.monotone(loan(UNFAIR), "sex"), r"'sex' has no order \(sex in \{f, m\}\)"),
        (lambda: cl.monotone(loan(UNFAIR), "zip"), "the model has no column 'zip'; it knows age, income, sex, debts"),
        (
            lambda: cl.monotone(loan(UNFAIR), "age", of="size"),
            "about the 'decision', the 'degree' or the 'risk', got 'size'",
        ),
        (lambda: cl.monotone(loan(UNFAIR), "age", label="maybe"), "there is no class 'maybe'"),
        (lambda: cl.monotone(loan(UNFAIR), "age", of="degree", label="no"), "the formula is for approved = yes"),
        (lambda: cl.monotone(loan(UNFAIR), "age", cl.Domain()), "over a scope of its columns"),
        (
            lambda: cl.obeys(loan(UNFAIR), "{zip=1} → {approved=no}"),
            r"\{zip=1\} is not a statement about a column: there is no 'zip'\. ",
        ),
        (lambda: cl.obeys(loan(UNFAIR), "{sex ≥ m}"), "compare it with = or ≠"),
        (lambda: cl.obeys(loan(UNFAIR), "{age ≥ old}"), "says nothing"),
        (lambda: cl.obeys(loan(UNFAIR), "age → {approved=no}"), "age is not a statement about a column"),
        (lambda: cl.obeys(loan(UNFAIR), "{approved ≥ 1}"), "'approved' is a class, one of no, yes"),
        (lambda: cl.counterfactual(loan(UNFAIR), ROW, increasing=["sex"]), "cannot only rise or fall"),
        (lambda: cl.counterfactual(loan(UNFAIR), ROW, to="no"), "approved is no is what the model says of this row"),
        (lambda: cl.with_missing(loan(UNFAIR), ROW, ["age"]), "the rule does not read 'age'"),
        (
            lambda: cl.sufficient_reason(loan(UNFAIR), {**ROW, "income": "much"}),
            "'income' is 'much', expected a number",
        ),
    ],
)
def test_questions_that_make_no_sense_are_refused(ask, message):
    with pytest.raises(DomainError, match=message):
        ask()


def test_formulas_can_be_asked_too():
    formula = cl.parse("a ⊗ ¬b")
    assert cl.monotone(formula, "a")
    assert cl.monotone(formula, "b", decreasing=True)
    refuted = cl.monotone(formula, "b")
    assert str(refuted) == (
        "refuted: as b rises, a ⊗ ¬b never falls\nscope: all of [0,1]ⁿ\nat a = 1: 1 where b = 0, 0 where b = 1"
    )
    assert cl.monotone(formula, "c")
    assert cl.monotone(cl.parse("(a ∨ ¬a) ⊗ b"), "a", cl.Domain(["a"]))
    with pytest.raises(DomainError, match="stands in a group and cannot change alone"):
        cl.monotone(formula, "a", cl.Domain(one_hot=[["a", "b"]]))
    with pytest.raises(DomainError, match="not over a scope of columns"):
        cl.monotone(formula, "a", cl.scope_of(loan(SOUND)))
    with pytest.raises(DomainError, match="expected a model, got a StrongAnd"):
        cl.ignores(formula, "a")


def test_a_policy_may_list_values_that_no_fact_of_the_model_lists():
    model = small_model(["{c=1|2} ⊗ {k=b}"], (0, 1))
    scope = small_scope(model)
    assert cl.obeys(model, "{c = 1|2} ⊗ {k=b} → {y = 1}", scope=scope)
    assert cl.obeys(model, "{c=2|3} → {y = 0}", scope=scope).verdict is Verdict.REFUTED
    with pytest.raises(EncodingError, match="cannot be said of 'c'"):
        cl.obeys(model, "{c = 1|x} → {y = 1}", scope=scope)
