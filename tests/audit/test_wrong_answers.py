"""Answers that were wrong, or promised more than was shown."""

from random import Random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audited import SMALL, small_model
from crystalogic import DomainError, Verdict, encode, extract, parse
from crystalogic.audit.counterfactual import counterfactual
from crystalogic.audit.diff import diff
from crystalogic.audit.missing import robust, with_missing
from crystalogic.audit.policy import always, never, obeys
from crystalogic.audit.scope import scope_of
from crystalogic.audit.search import run
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing
from crystalogic.encoding.encoding import Column
from crystalogic.encoding.own import split_statement
from crystalogic.fitting import model_of
from strategies import formulas

HALVES = Encoding((Column("h", "code", (Is("h", "1.5"), Cut("h", 1.5)), ("0.5", "1.5", "2.5")),))


def test_a_settled_degree_is_on_one_side_and_not_one_number():
    """'y is 0.00 for every value' was said of a degree between 0 and 1, for it was that of an example."""
    model = small_model(["n ⊕ {c ≥ 2}"], None)
    found = with_missing(model, {"c": 1}, keep="≥ 0")
    assert str(found) == (
        "proved: y ≥ 0 is settled, whatever n is\nscope: n from 0 to 4; c in {1}\ny ≥ 0 for every value (z3)"
    )
    assert found.facts["decision"] == "y ≥ 0"
    below = with_missing(small_model(["n ⊗ {c ≥ 2}"], None), {"c": 1})
    assert below.reason == "y < 0.5 for every value (z3)"


def test_codes_that_are_not_whole_have_all_numbers_around_them():
    """The scope was the whole numbers from 1.1 to 1.9, of which there are none, and so all was proved of it."""
    model = model_of([parse("{h ≥ 1.5}")], HALVES, "y", ("no", "yes"))
    assert robust(model, {"h": 1.5}, errors={"h": 0.4}).verdict is Verdict.REFUTED
    assert never(model, "yes", scope=scope_of(model, ranges={"h": (1, 1.9)})).counterexample == {"h": 1.5}


@pytest.mark.parametrize("said", ["o ≥ 3", "o < 2.5", "o > mids"])
def test_a_level_that_an_order_does_not_have_is_refused(said):
    """A number that is no level of the order ended in a ValueError."""
    model = small_model(["{o ≥ mid}"], ("no", "yes"))
    with pytest.raises(DomainError, match=r"says nothing: expected one of \(o in \{low, mid, high\}\)"):
        obeys(model, f"{{{said}}} -> {{y=yes}}")


@pytest.mark.parametrize("said", ["≥ inf", "< -inf", "= nan"])
def test_a_degree_is_compared_with_finite_numbers(said):
    """An infinite number ended in an OverflowError."""
    with pytest.raises(DomainError, match="compare it with a number"):
        never(small_model(["n"], None), said)


def test_models_are_compared_on_rows_that_both_decide():
    """A row with a missing value was found, which the new model refuses: an EncodingError instead of an answer."""
    never_missing = Encoding((Column("c", "code", (Is("c", "1"), Cut("c", 2.0)), ("1", "2", "3")),))
    old = small_model(["{c is missing} ⊕ {c ≥ 2}"], ("no", "yes"))
    new = model_of([parse("{c ≥ 2}")], never_missing, "y", ("no", "yes"))
    found = diff(old, new)
    assert found
    assert str(found.scope) == "c in {1, 2, 3}"
    with pytest.raises(DomainError, match="cannot be declared missing"):
        scope_of([old, new], missing=["c"])
    elsewhere = model_of([parse("{n ≥ 3}")], Encoding((SMALL.columns[0], *never_missing.columns)), "y", ("no", "yes"))
    assert str(scope_of([old, elsewhere]).field("c")) == "c in {1, 2, 3} or missing"


def test_classes_that_are_one_number_are_told_apart():
    """Asked about '1.10', the answer was about '1.1'; asked about ' b', it was about 'b'."""
    model = small_model(["n", "¬n", "{k=b}", "0"], ("1.1", "1.10", "b", " b"))
    for label in model.classes:
        found = never(model, label)
        assert all(case.decision == label for case in found.cases)
        assert bool(found) == (label == " b")
    assert always(model, "1.10", when="{n ≤ 1} & {k = a}")
    assert never(small_model(["n"], (0, 1)), "1.0").cases[0].decision == 1


DEGREES = {"n": Degree("n", 0.1, 3.7), "m": Degree("m", -0.3, 3.1), "k": Degree("k", 0.0, 3.0)}
REAL = Encoding(tuple(Column(name, "number", (degree,)) for name, degree in DEGREES.items()))


@pytest.mark.parametrize(
    ("one", "other", "classes"),
    [("n ⊗ m ⊕ k", "k ⊕ m ⊗ n", None), ("at least 2 of (n, m, k)", "at least 2 of (k, m, n)", ("no", "yes"))],
)
def test_rounding_is_no_difference_of_models(one, other, classes):
    """Two formulas proved equal differed on 5.6 % of the data rows, by the order of their sums."""
    old, new = (model_of([parse(each)], REAL, "y", classes) for each in (one, other))
    draw = Random(0)
    steps = {name: (degree.high - degree.low) / 8 for name, degree in DEGREES.items()}
    rows = {name: [DEGREES[name].low + draw.randint(0, 8) * step for _ in range(400)] for name, step in steps.items()}
    found = diff(old, new, pd.DataFrame(rows))
    assert found
    assert found.facts["n_different"] == 0
    if classes is None:
        assert (old.predict(rows) != new.predict(rows)).any()


def test_a_truth_value_is_run_as_one():
    """What was remembered of 1 was said of True, which Python takes for equal."""
    column = Column("b", "category", (Is("b", "1"), Is("b", "True")), ("1", "True"))
    model = model_of([parse("{b=1}")], Encoding((column,)), "y", None)
    assert [run(model, {"b": value}).degrees for value in (1, True, 1.0, "True")] == [(1,), (0,), (1,), (0,)]


def test_the_nearest_row_is_one_that_a_table_can_hold():
    """Half-way from 0.1 to 0.7 lies no float: the nearest row had n = 28823037615171173/72057594037927936."""
    encoding = Encoding((Column("n", "number", (Degree("n", 0.1, 0.7),)),))
    model = model_of([parse("n")], encoding, "y", ("no", "yes"))
    found = counterfactual(model, {"n": 0.1})
    assert found.witness == {"n": 0.4}
    assert model.predict(pd.DataFrame([found.witness])).tolist() == ["yes"]
    assert found.reason == (
        "change n from 0.1 to 0.4; no change of fewer columns is enough, "
        "no row is nearer by more than 0.0001% of a range (z3)"
    )


@given(formulas(REAL.names, max_leaves=5), st.tuples(*[st.floats(0.1, 3)] * 3))
@settings(max_examples=10)
def test_predictions_say_of_the_nearest_row_what_the_answer_says(formula, values):
    """At an exact tie floating-point numbers may fall on the other side."""
    model = model_of(extract(encode(formula)).formulas, REAL, "y", ("no", "yes"))
    found = counterfactual(model, dict(zip(REAL.names, values, strict=True)))
    if found and model.columns:
        assert model.predict(pd.DataFrame([found.witness])).tolist() == [found.cases[1].decision]


def test_classes_of_two_models_are_compared_as_values_of_a_table():
    """A model of an estimator with classes 0.0 and 1.0 differed on every row from one of a file with '0' and '1'."""
    one, other = (small_model(["{n ≥ 3}"], classes) for classes in ((0.0, 1.0), ("0", "1")))
    found = diff(one, other, {"n": [1, 2, 3, 4]})
    assert found
    assert found.facts["n_different"] == 0
    apart = diff(*(small_model(["{n ≥ 3}"], classes) for classes in (("1.1", "1.10"), ("1.10", "1.1"))))
    assert apart.verdict is Verdict.REFUTED


@pytest.mark.parametrize("error", ["1e-999999999", "1e999999999", "0." + "1" * 200, "-1", "nan", "few", "1/0"])
def test_an_error_of_measurement_is_a_number_that_can_be_written(error):
    """A number with a gigantic exponent filled the memory before anything was asked."""
    with pytest.raises(DomainError, match="the error of 'n' is a number in its own units"):
        robust(small_model(["n"], ("no", "yes")), {"n": 1}, errors={"n": error})


def test_a_column_whose_name_begins_with_a_space_can_be_spoken_of():
    columns = tuple(Column(name, "category", (Is(name, "b"),), ("a", "b")) for name in ("x", " x"))
    model = model_of([parse("{ x=b}")], Encoding(columns), "y", ("no", "yes"))
    assert obeys(model, "{ x = b} -> {y = yes}")
    assert obeys(model, "{x = b} -> {y = yes}").counterexample == {" x": "a", "x": "b"}
    assert split_statement("  x = b ", ["x"]) == ("x", "=", "b")


def coded(name, kind, said, literals, known, **more):
    encoding = Encoding((Column(name, kind, literals, known, **more),))
    return model_of([parse(said)], encoding, "y", ("no", "yes"))


def test_a_text_with_zeros_in_front_is_not_the_code_beside_it():
    """'Both models say the same' was proved, and they did not of 007, which the scope had made a 7."""
    texts = coded("c", "category", "{c=007} ⊕ {c=1}", (Is("c", "007"), Is("c", "1"), Is("c", "2")), ("007", "1", "2"))
    codes = coded("c", "code", "{c=1}", (Is("c", "1"), Is("c", "2"), Is("c", "3")), ("1", "2", "3"))
    found = diff(texts, codes)
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample == {"c": "007"}
    assert (texts.predict({"c": ["007"]}), codes.predict({"c": ["007"]})) == (["yes"], ["no"])


def test_texts_beside_numbers_that_are_compared_have_no_scope():
    """Once, the answer was that row 0 should be a number."""
    texts = coded("c", "category", "{c=x}", (Is("c", "1"), Is("c", "x")), ("1", "x"))
    codes = coded("c", "code", "{c ≥ 2}", (Is("c", "1"), Cut("c", 2.0)), ("1", "2", "3"))
    with pytest.raises(DomainError, match=r"'c' is a number in one model \(c ≥ 2\) and has texts such as 'x'"):
        diff(texts, codes)
    unread = coded("c", "code", "{c=1}", (Is("c", "1"), Cut("c", 2.0)), ("1", "2", "3"))
    assert diff(texts, unread).verdict is Verdict.REFUTED


def test_a_number_that_means_missing_is_no_number_of_the_scope():
    literals = (Degree("n", -20.0, 50.0), Cut("n", 0.0), Missing("n"))
    words = {"missing_words": frozenset({"-9"})}
    refusing = coded("n", "number", "¬{n ≥ 0}", literals[:2], (), **words)
    assert str(scope_of(refusing)) == "n from -20 to 50 other than -9"
    with pytest.raises(DomainError, match=r"no row that can occur meets \{n = -9\}"):
        never(refusing, "yes", when="{n = -9}")
    said = "{n ≥ 0} ⊕ {n is missing}"
    usual = coded("n", "number", said, literals, (), has_missing=True)
    own = coded("n", "number", said, literals, (), has_missing=True, **words)
    assert diff(usual, own).counterexample == {"n": -9}
    assert (usual.predict({"n": [-9.0]}), own.predict({"n": ["-9"]})) == (["no"], ["yes"])


def test_a_statement_compares_codes_as_cells():
    codes = coded("c", "code", "{c=7}", (Is("c", "7"), Is("c", "8")), ("7", "8", "9"))
    with pytest.raises(DomainError, match=r"no row that can occur meets \{c = 007\}"):
        never(codes, "yes", when="{c = 007}")
    assert never(codes, "yes", when="{c = 7.0}").verdict is Verdict.REFUTED
