"""A row has the class from degree 1/2 on, 1/2 included: the same in every target, also one float beside it."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

import export_engines as engines
from crystalogic import parse
from crystalogic.decision import THRESHOLD
from crystalogic.encoding import Degree, Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.words.explanations import decision_sentence, explanation_content

NUMBERS = ("age", "oldpeak", "ratio")  # columns of numbers in the tables of the engines
ENCODING = Encoding(tuple(Column(name, "number", (Degree(name, 0.0, 1.0),)) for name in NUMBERS))
HALF = 0.5
BESIDE = [HALF, math.nextafter(HALF, 0), math.nextafter(HALF, 1), 0.0, 1.0, 0.49, 0.51]
SUMS = [(0.15, 0.24, 0.11), (0.3, 0.01, 0.19), (0.1, 0.2, 0.2), (0.25, 0.125, 0.125), (0.04, 0.11, 0.35)]


@cache
def cases():
    """Models and rows, with what the library says: at the threshold, beside it, sums that round to it, and ties."""
    one = {"age": BESIDE, "oldpeak": [0.0] * 7, "ratio": [0.0] * 7}
    sums = {name: [row[place] for row in SUMS] for place, name in enumerate(NUMBERS)}
    several = model_of([parse("age"), parse("oldpeak"), parse("ratio")], ENCODING, "y", ("a", "b", "c"))
    ties = {"age": [*BESIDE, 0.5], "oldpeak": [0.5] * 7 + [0.2], "ratio": [0.5] * 7 + [0.5]}
    return [
        (model_of([parse("age")], ENCODING, "y", ("no", "yes")), one),
        (model_of([parse("¬age ⊗ ¬oldpeak")], ENCODING, "y", ("no", "yes")), one),
        (model_of([parse("age ⊕ oldpeak ⊕ ratio")], ENCODING, "y", ("no", "yes")), sums),
        (replace(several, order=(2, 0, 1)), ties),
    ]


def test_the_threshold_itself_has_the_class():
    (model, rows), (negated, _), *_ = cases()
    assert Fraction(1, 2) == THRESHOLD
    assert model.predict(rows).tolist() == ["yes", "no", "yes", "no", "yes", "no", "yes"]
    assert negated.predict(rows).tolist()[:3] == ["yes", "yes", "no"]


def test_of_equal_degrees_the_first_of_the_order_has_the_class():
    model, rows = cases()[3]
    assert model.predict(rows).tolist() == ["c", "c", "a", "c", "a", "c", "a", "c"]


def explained(model, rows):
    return [model.explain({name: rows[name][place] for name in NUMBERS}) for place in range(len(rows["age"]))]


@pytest.mark.parametrize("case", range(4))
def test_every_target_decides_alike_at_the_threshold(case):
    """Exports compute with floats: all of them say what `rounded` tells, where that is not the exact decision."""
    model, rows = cases()[case]
    expected, degrees = [found.rounded or found.decision for found in explained(model, rows)], model.degrees(rows)
    sqlite, duckdb = engines.sqlite_asker(rows), engines.duckdb_asker(rows)
    found = {
        "python": engines.run_python(model, rows),
        "onnx": engines.run_onnx(model, rows),
        "sqlite": engines.asked(model, rows, "sqlite", sqlite, by_expression=False),
        "duckdb": engines.asked(model, rows, "duckdb", duckdb, by_expression=False),
        **({"c": engines.run_c(model, rows)} if engines.GCC else {}),
        **({"javascript": engines.run_javascript(model, rows)} if engines.NODE else {}),
    }
    for name, verdicts in found.items():
        assert verdicts.decisions == expected, name
        assert verdicts.degrees.tolist() == degrees.tolist(), name  # bit by bit
    for ask, dialect in ((sqlite, "sqlite"), (duckdb, "duckdb")):
        assert engines.asked(model, rows, dialect, ask, by_expression=True).decisions == expected


@pytest.mark.parametrize("case", range(4))
def test_predictions_are_explanations(case):
    """0.15 + 0.24 + 0.11 is 0.5 for floats and a little less exactly: predict said yes, explain said no."""
    model, rows = cases()[case]
    assert model.predict(rows).tolist() == [found.decision for found in explained(model, rows)]


def test_an_explanation_says_where_exports_decide_otherwise():
    model, rows = cases()[2]
    found = explained(model, rows)
    for place, each in enumerate(found):
        assert abs(Fraction(float(model.degrees(rows)[place, 0])) - each.degrees[0]) <= model.rounding
    assert [each.rounded for each in found] == ["yes", "yes", None, None, "yes"]
    sentence = "y is no, by less than floating-point numbers can tell: exports say yes"
    assert decision_sentence(found[0]) == sentence
    assert explanation_content(found[0])["exported"] == "yes"
    assert model.rounding < Fraction(1, 10**14)
