"""All evaluators say the same of random rules and rows, a short while; `make fuzz` goes on for longer."""

from random import Random

import numpy as np

from crystalogic.encoding import Degree, Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.formula import AtLeast, Variable
from fuzz import evaluators
from fuzz.evaluators import campaign, disagreements, random_model, random_rows


def test_random_rules_over_random_columns_are_computed_alike_by_all():
    assert campaign(8, seed=1) == (320, [])


def test_a_fact_that_cancels_out_is_computed_alike_by_all():
    """The C file had a variable that nothing read, and did not compile with -Wall -Werror."""
    names = ("age", "oldpeak")
    encoding = Encoding(tuple(Column(name, "number", (Degree(name, 0.0, 1.0),)) for name in names))
    age, oldpeak = map(Variable, names)
    model = model_of([AtLeast(2, age, ~age, oldpeak)], encoding, "y", ("no", "yes"))
    assert disagreements(model, random_rows(model, Random(0))) == []


def test_an_evaluator_that_is_wrong_is_noticed(monkeypatch):
    model = random_model(Random(3))
    rows = random_rows(model, Random(3))
    right = evaluators.engines.run_python

    def wrong(model, rows):
        verdicts = right(model, rows)
        return type(verdicts)(np.nextafter(verdicts.degrees, 2), verdicts.decisions)

    monkeypatch.setattr(evaluators.engines, "run_python", wrong)
    assert any(problem.startswith("python: degrees differ") for problem in disagreements(model, rows))
