"""One rule turns degrees into a class: search, joint choice, models, explanations and questions agree."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crystalogic import Annealing, AtLeast, LukasiewiczClassifier, Variable, always, encode, extract, never, parse
from crystalogic.crystal import Crystal
from crystalogic.decision import class_conditions, class_of, classes_of, is_certain, margin_of, margins_of
from crystalogic.encoding import Cut, Degree, Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.evaluate import degree_bounds, exact_degrees
from depth import deep
from strategies import formulas

NAMES = ("x", "z")
TENTHS = Encoding(tuple(Column(name, "number", (Degree(name, 0.0, 10.0),)) for name in NAMES))
GRID = {"x": np.repeat(np.arange(11.0), 11), "z": np.tile(np.arange(11.0), 11)}
ORDER = (1, 0, 2)


def rows_of(table):
    return [dict(zip(table, cells, strict=True)) for cells in zip(*(v.tolist() for v in table.values()), strict=True)]


def tied():
    """x and ¬z are equal whenever x + z is 10; as floats, 1 - 9/10 is less than 1/10."""
    model = model_of([parse("x"), parse("¬z"), parse("0")], TENTHS, "y", ("A", "B", "C"))
    return replace(model, order=ORDER)


def halves():
    """2x + z reaches 1/2 exactly on some rows."""
    return model_of([AtLeast(1, *map(Variable, "xxz"))], TENTHS, "y", ("no", "yes"))


def expected(model, row):
    """What the rule says, by fractions and nothing else."""
    truths = {name: Fraction(row[name]) / 10 for name in NAMES}
    degrees = [formula.evaluate(truths) for formula in model.formulas]
    if len(degrees) == 1:
        return model.classes[degrees[0] >= Fraction(1, 2)]
    best = max(degrees)
    return next(model.classes[index] for index in model.order if degrees[index] == best)


@pytest.mark.parametrize("model", [tied(), halves()], ids=["largest", "half"])
def test_model_explanation_questions_and_search_agree_on_ties(model):
    """Explain and ask said B where x = 1 and z = 9, predict said A: five rules with four roundings."""
    rows = rows_of(GRID)
    right = [expected(model, row) for row in rows]
    assert model.predict(GRID).tolist() == right
    assert model.predict(pd.DataFrame(GRID)).tolist() == right
    explained = [model.explain(row) for row in rows]
    assert [found.decision for found in explained] == right
    assert any(found.rounded is not None for found in explained) or len(model.formulas) == 1
    for row, label in list(zip(rows, right, strict=True))[::17]:
        when = f"{{x = {row['x']:g}}} ⊗ {{z = {row['z']:g}}}"
        assert always(model, label, when=when)
        assert not never(model, label, when=when)


def test_facts_and_degrees_go_into_one_formula_where_rows_are_decided_again():
    """Facts stayed truth values of numpy there, which cannot be subtracted."""
    columns = (Column("x", "number", (Degree("x", 0.0, 10.0),)), Column("z", "number", (Cut("z", 5.0), Cut("z", 7.0))))
    model = model_of([parse("({z ≥ 5} ↔ {z ≥ 7}) ⊗ x"), parse("¬x"), parse("0")], Encoding(columns), "y", "ABC")
    decided = [model.explain(row).decision for row in rows_of(GRID)]
    assert model.predict(GRID).tolist() == decided


def test_what_single_precision_cannot_tell_apart_is_no_tie():
    degrees = np.array([[0.5, 0.5 + 1e-8], [0.5, 0.5 + 1e-5]])
    assert classes_of(degrees, (0, 1)).tolist() == [1, 1]


graded = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, 1 / 3, 2 / 3, 5e-324, 1 - 2**-53])


@given(
    st.lists(st.lists(graded, min_size=3, max_size=3), min_size=1), st.permutations([0, 1, 2]), st.sampled_from([1, 3])
)
def test_rows_arrays_and_conditions_are_one_rule(degrees, order, n_formulas):
    degrees = [row[:n_formulas] for row in degrees]
    one_by_one = [class_of([Fraction(degree) for degree in row], order) for row in degrees]
    assert classes_of(np.array(degrees), order).tolist() == one_by_one
    for row, found in zip(degrees, one_by_one, strict=True):
        conditions = class_conditions(row, order, 0.5)
        assert [all(each) for each in conditions] == [index == found for index in range(len(conditions))]
    exact = np.array([[Fraction(degree) for degree in row] for row in degrees], object)
    assert margins_of(np.array(degrees)).tolist() == pytest.approx([float(margin_of(list(row))) for row in exact])
    assert is_certain(np.array(degrees), np.array(degrees), order, np.array(one_by_one)).all()


CELLS = st.one_of(
    st.integers(0, 10).map(float), st.floats(-1, 11, allow_nan=False), st.sampled_from([1e-320, 3.3, 6.7])
)
MIXED = Encoding(
    tuple(Column(name, "number", (Degree(name, 0.0, 10.0), Cut(name, 5.0)), has_missing=name == "b") for name in "abcd")
)


@given(
    st.lists(formulas(tuple("abcd"), max_leaves=8), min_size=3, max_size=3),
    st.lists(st.tuples(CELLS, CELLS | st.none(), CELLS, CELLS), min_size=1, max_size=20),
    st.sampled_from([1, 3]),
)
@settings(max_examples=deep(150), deadline=None)
def test_predictions_are_the_exact_decisions_of_any_rule(rules, rows, n_formulas):
    crystal: Crystal = encode(rules[:n_formulas])
    model = model_of(extract(crystal).formulas, MIXED, "y", ("A", "B", "C") if n_formulas == 3 else ("A", "B"))
    table = {name: [row[place] for row in rows] for place, name in enumerate("abcd")}
    right = [model.explain(dict(zip("abcd", row, strict=True))).decision for row in rows]
    assert model.predict(table).tolist() == right


@given(
    formulas(tuple("abcd"), max_leaves=10), st.lists(st.lists(graded, min_size=4, max_size=4), min_size=1, max_size=10)
)
@settings(max_examples=deep(200))
def test_bounds_of_degrees_hold_the_exact_ones(formula, rows):
    names = formula.variables
    columns = {name: [row[place] for row in rows] for place, name in enumerate("abcd")}
    exact, one = exact_degrees([formula], {name: [Fraction(v) for v in columns[name]] for name in names})
    low, high = degree_bounds(formula, {name: (np.array(columns[name]),) * 2 for name in names})
    for index in range(len(exact)):
        degree = Fraction(int(exact[index, 0]), one)
        assert Fraction(float(np.broadcast_to(low, len(rows))[index])) <= degree
        assert degree <= Fraction(float(np.broadcast_to(high, len(rows))[index]))


def test_a_rule_of_facts_alone_is_exact_and_costs_nothing(monkeypatch):
    cuts = Encoding(tuple(Column(name, "number", (Cut(name, 5.0),)) for name in NAMES))
    model = model_of([parse("{x ≥ 5}"), parse("{z ≥ 5}"), parse("0")], cuts, "y", ("A", "B", "C"))
    assert model.rounding == 0
    monkeypatch.setattr("crystalogic.model.model.decide_exactly", None)
    assert set(model.predict(GRID)) == {"A", "B"}


def test_rows_are_decided_again_only_where_rounding_matters_and_each_different_one_once(monkeypatch):
    """A million rows with ties must not take minutes."""
    seen = []

    def counted(rules, values):
        seen.append(len(next(iter(values.values()))))
        return exact_degrees(rules, values)

    monkeypatch.setattr("crystalogic.model.rows.exact_degrees", counted)
    table = {name: np.tile(column, 50) for name, column in GRID.items()}
    assert tied().predict(table).tolist() == [expected(tied(), row) for row in rows_of(GRID)] * 50
    assert sum(seen) <= 11  # the rows with x + z = 10
    assert set(tied().predict({"x": np.zeros(10_000), "z": np.full(10_000, 10.0)})) == {"B"}  # all degrees are 0
    assert sum(seen) <= 11


@pytest.mark.parametrize("positive", [None, "a", "b"])
def test_the_sign_of_the_decision_function_is_the_prediction(positive):
    """At degree 1/2 it was 0, whichever class the formula spoke for: a threshold of 0 gave one, predict the other."""
    from sklearn.model_selection import FixedThresholdClassifier

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": np.append(rng.integers(0, 11, 80).astype(float), [0.0, 10.0])})
    y = np.where(X["x"] >= 5, "b", "a")
    quick = Annealing(effort=0.1, max_literals=1, folds=2)  # it is fitted three times
    fitted = LukasiewiczClassifier(quick, numbers="degrees", positive=positive).fit(X, y)
    assert 5.0 in X["x"].to_numpy()
    found = fitted.predict(X)
    values = fitted.decision_function(X)
    assert (values != 0).all()
    assert (fitted.classes_[(values > 0).astype(int)] == found).all()
    assert (fitted.classes_[np.argmax(fitted.predict_proba(X), axis=1)] == found).all()
    for method, threshold in (("decision_function", 0.0), ("predict_proba", 0.5)):
        fixed = FixedThresholdClassifier(fitted, threshold=threshold, response_method=method, pos_label="b")
        assert (fixed.fit(X, y).predict(X) == found).all()
