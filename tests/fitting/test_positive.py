"""Naming the class that a rule speaks for changes the name, and nothing that was found."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crystalogic as cl
from crystalogic.crystal import Crystal, Neuron
from crystalogic.fitting import Request, fit
from crystalogic.parts import MemoryParts
from crystalogic.search import Annealing
from crystalogic.train import Proximal

QUICK = Annealing(effort=0.1, folds=3, max_literals=8)


def table(name):
    if name == "heart":
        heart = cl.datasets.load("heart")
        return heart.frame(), np.where(np.array(heart.labels), "sick", "healthy")
    if name == "cancer":
        cancer = cl.datasets.load("breast-cancer")
        return cancer.frame(), np.where(np.array(cancer.labels), "again", "cured")
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(rng.integers(0, 2, (300, 6)), columns=list("abcdef")).assign(age=rng.integers(20, 80, 300))
    truth = (rows.a & rows.b) | ((rows.c == 0) & (rows.age > 55))
    return rows, np.where(truth ^ (rng.random(300) < 0.1), "yes", "no")


def both(name, **asked):
    rows, y = table(name)
    first, second = np.unique(y).tolist()
    fits = [fit(MemoryParts(rows, y), "y", Request(QUICK, positive=each, **asked)) for each in (first, second, None)]
    return rows, (first, second), [each.model for each in fits]


@pytest.mark.parametrize("name", ["heart", "cancer", "noise"])
def test_the_decisions_do_not_depend_on_the_class_that_is_named(name):
    """A table had a rule of 19 literals for the one class, and of 3 for the other."""
    rows, (first, second), (one, other, unnamed) = both(name)
    assert (one.classes, other.classes, unnamed.classes) == ((second, first), (first, second), (first, second))
    assert (one.predict(rows) == other.predict(rows)).all()
    assert other.formulas == unnamed.formulas
    assert one.formulas[0].size == other.formulas[0].size
    assert cl.equivalent(one.formulas[0], ~other.formulas[0])
    for mine, others in zip(one.fronts[0], other.fronts[0], strict=True):
        assert (mine.size, mine.training, mine.validated) == (others.size, others.training, others.validated)
    one.check()


def test_directions_and_what_is_required_hold_for_the_class_that_is_named():
    rows, _, (no, yes, _) = both("noise", required=("b=1",))
    assert "b=1" in no.formulas[0].variables
    assert (no.predict(rows) == yes.predict(rows)).all()
    rows, y = table("noise")
    falling = fit(MemoryParts(rows, y), "y", Request(QUICK, positive="no", monotone={"age": -1})).model
    rising = fit(MemoryParts(rows, y), "y", Request(QUICK, positive="yes", monotone={"age": 1})).model
    assert cl.monotone(falling, "age", decreasing=True)
    assert (falling.predict(rows) == rising.predict(rows)).all()


def test_a_first_formula_speaks_for_the_class_that_is_named():
    start = cl.parse("¬({a=1} ⊗ {b=1} ⊕ ¬{c=1} ⊗ {age ≥ 60})")
    rows, y = table("noise")
    named = fit(MemoryParts(rows, y), "y", Request(QUICK, positive="no", start=start))
    assert (named.model.predict(rows) == y).mean() > 0.8


def test_a_trained_network_speaks_for_the_class_that_is_named():
    rows, y = table("noise")
    fits = [fit(MemoryParts(rows, y), "y", Request(Proximal(steps=300), positive=each)).model for each in ("no", "yes")]
    assert cl.equivalent(fits[0].formulas[0], ~fits[1].formulas[0])


@given(st.data())
def test_a_negated_crystal_is_one_minus_it(data):
    n_inputs, neurons = 3, []
    for index in range(data.draw(st.integers(0, 4))):
        sources = data.draw(st.lists(st.integers(0, n_inputs + index - 1), unique=True, max_size=4))
        weights = [data.draw(st.integers(-2, 2)) for _ in sources]
        neurons.append(Neuron(sources, weights, data.draw(st.integers(-2, 2))))
    outputs = data.draw(st.lists(st.integers(0, n_inputs + len(neurons) - 1), min_size=1, max_size=2))
    crystal = Crystal(["a", "b", "c"], neurons, outputs)
    row = [data.draw(st.fractions(0, 1, max_denominator=5)) for _ in range(n_inputs)]
    assert crystal.negate().run(row) == tuple(1 - degree for degree in crystal.run(row))
    assert crystal.negate().negate().run(row) == crystal.run(row)
