"""What is declared holds of every rule that a fit gives, and is proved before it does."""

import re

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.crystal import Crystal, Neuron
from crystalogic.encoding import Cut, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import PromiseError, TrainingDataError
from crystalogic.fitting import Request, fit, model_of
from crystalogic.fitting.promises import (
    AtMost,
    Direction,
    Unused,
    Used,
    is_kept,
    knowledge_of,
    promises_of,
    refuse_broken,
)
from crystalogic.logic.connectives import signs
from crystalogic.parts import MemoryParts
from crystalogic.search import Annealing
from crystalogic.verify.questions import Verdict
from promised import adverse, violations

QUICK = Annealing(folds=3, repeats=1, effort=0.2, max_literals=3)
KINDS = ("bits", "degrees", "both", "regression", "classes")


BROKEN = ((1, "degrees"), (2, "both"), (12, "both"), (17, "both"), (30, "bits"), (32, "both"), (36, "degrees"))


@pytest.mark.parametrize(("seed", "kind"), [*BROKEN, *((seed, kind) for seed in (3, 9) for kind in KINDS)])
def test_what_is_declared_is_kept_against_the_data(seed, kind):
    """Rules rose with a column that may only lower the output, or lacked a fact that is required."""
    case = adverse(seed, kind=kind)
    assert violations(fit(MemoryParts(case.frame, case.target), "y", case.request()).model, case) == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_declared_is_kept_in_parts(kind, small_stages):
    case = adverse(11, 3000, kind)
    model = fit(MemoryParts(case.frame, case.target), "y", case.request()).model
    assert violations(model, case) == []


@pytest.mark.parametrize("n_rows", [120, 3000])
@pytest.mark.parametrize("kind", ["bits", "regression", "classes"])
def test_what_is_declared_is_kept_when_a_search_is_stopped(kind, n_rows, small_stages):
    case = adverse(22, n_rows, kind)
    hasty = fit(MemoryParts(case.frame, case.target), "y", case.request(time_budget=1e-6)).model
    assert violations(hasty, case) == []

    def interrupt(progress):
        raise KeyboardInterrupt

    assert (
        violations(fit(MemoryParts(case.frame, case.target), "y", case.request(callback=interrupt)).model, case) == []
    )


@pytest.fixture
def small_stages(monkeypatch):
    """Three thousand rows are many."""
    monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", 1000)
    monkeypatch.setattr("crystalogic.stages.FEWEST", 256)
    monkeypatch.setattr("crystalogic.stages.MOST", 1024)
    monkeypatch.setattr("crystalogic.stages.LEAST", 100)
    monkeypatch.setattr("crystalogic.parts.AT_ONCE", 700)


def test_what_is_required_stays_where_nothing_can_be_learned():
    """On noise the rule was a constant, and the notes said that the fact is used."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": rng.choice(["u", "v", "w"], 80), "n": rng.integers(0, 50, 80)})
    model = fit(MemoryParts(frame, rng.integers(0, 2, 80)), "y", Request(QUICK, required=("c=v",))).model
    assert all("{c=v}" in str(row.formula) for row in model.fronts[0])
    assert "c=v" in model.names
    assert model.record.promises == ("'c=v' is used",)


ENCODING = Encoding(
    (
        Column("x", "number", (Cut("x", 1.0), Cut("x", 2.0))),
        Column("c", "code", (Is("c", "0"), Is("c", "1"), Is("c", "2")), ("0", "1", "2")),
    )
)
RISING = Direction("x", 1, {"x ≥ 1": 1, "x ≥ 2": 1})


@pytest.mark.parametrize(
    ("promise", "holds", "fails"),
    [
        (RISING, "{x ≥ 1} ⊗ ¬{c=1} ⊕ {x ≥ 2}", "{x ≥ 1} ⊗ ¬{x ≥ 2}"),
        (Direction("x", -1, {"x ≥ 1": -1, "x ≥ 2": -1}), "{x ≥ 1} → {c=1}", "{c=1} → {x ≥ 1}"),
        (Direction("c", 1, {"c=0": -1, "c=1": 0, "c=2": 1}), "¬{c=0} ⊗ {c=2}", "{c=2} ⊕ {c=1}"),
        (Unused("c", frozenset({"c=0", "c=1", "c=2"})), "{x ≥ 1}", "{x ≥ 1} ⊗ {c=1}"),
        (Used("c=1"), "{x ≥ 1} ⊗ {c=1}", "{x ≥ 1} ⊗ {c=2}"),
        (AtMost(2, "literals"), "{x ≥ 1} ⊗ {c=1}", "{x ≥ 1} ⊗ {c=1} ⊗ {c=2}"),
        (AtMost(1, "neurons"), "{x ≥ 1} ⊗ {c=1}", "{x ≥ 1} ⊗ {c=1} ⊕ {c=2}"),
    ],
)
def test_the_form_of_a_formula_shows_each_kind_of_promise(promise, holds, fails):
    assert is_kept(promise, cl.parse(holds), cl.encode(cl.parse(holds)), {})
    assert not is_kept(promise, cl.parse(fails), cl.encode(cl.parse(fails)), {})


def test_a_fact_that_is_forbidden_is_in_no_network_either():
    idle = Crystal(["x ≥ 1", "c=1"], [Neuron([1], [1], -1), Neuron([0, 2], [1, 1], 0)], [3])
    assert not is_kept(Unused("c", frozenset({"c=1"})), cl.parse("{x ≥ 1}"), idle, {})


def test_signs_tell_what_a_degree_can_do():
    """A formula whose variable has one sign is monotone in it; one of both signs may be anything."""
    rng = np.random.default_rng(5)
    for text in ("a ↔ b", "¬(a → b) ⊕ c ∧ ¬b", "at least 2 of (a, ¬b, c ⊗ ¬b, c)", "(a ∨ ¬c) → ¬(b ⊗ a)"):
        formula = cl.parse(text)
        rows = dict(zip(formula.variables, rng.random((len(formula.variables), 400)), strict=True))
        for name, found in signs(formula).items():
            low, high = (formula.evaluate({**rows, name: rows[name] * size}) for size in (0.5, 1))
            assert found == {1, -1} or ((high - low) * next(iter(found)) >= 0).all()


def test_a_rule_that_breaks_a_promise_is_given_to_nobody(monkeypatch):
    broken = model_of([cl.parse("{x ≥ 1} ⊗ ¬{x ≥ 2}")], ENCODING, "y", ("no", "yes"))
    with pytest.raises(PromiseError, match="breaks what was declared: 'x' may only raise the output"):
        refuse_broken(broken, [RISING])
    monkeypatch.setattr("crystalogic.fitting.promises.is_kept", lambda *_: True)
    with pytest.raises(PromiseError, match="breaks what was declared: 'x' may only raise the output"):
        refuse_broken(broken, [RISING])  # the question alone finds it
    monkeypatch.setattr("crystalogic.fitting.promises._answer", lambda *_: Verdict.UNDECIDED)
    refuse_broken(broken, [RISING])


def test_a_front_with_a_formula_that_breaks_a_promise_is_given_to_nobody():
    good, bad = cl.parse("{x ≥ 1}"), cl.parse("{x ≥ 1} ⊗ ¬{x ≥ 2}")
    model = model_of([good], ENCODING, "y", ("no", "yes"))
    refuse_broken(model, [RISING], [(good, cl.encode(good))])
    with pytest.raises(PromiseError, match=re.escape("{x ≥ 1} ⊗ ¬{x ≥ 2} breaks what was declared")):
        refuse_broken(model, [RISING], [(good, cl.encode(good)), (bad, cl.encode(bad))])


def test_directions_of_a_column_and_of_its_values_that_contradict_each_other_leave_the_value_unused():
    request = Request(monotone={"c": 1, "c=0": 1, "c=2": 1})
    promises = promises_of(ENCODING, request)
    assert dict(promises[0].allowed) == {"c=0": -1, "c=1": 0, "c=2": 1}
    knowledge = knowledge_of(ENCODING, request)
    assert knowledge.monotone == {"c=2": 1}
    assert set(knowledge.forbidden) == {"c=0", "c=1"}


def test_truth_values_and_yes_or_no_have_directions_too():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"ill": rng.random(100) < 0.5, "k": rng.choice(["u", "v", "w"], 100)})
    request = Request(QUICK, monotone={"ill": -1, "k=u": 1})
    model = fit(MemoryParts(frame, frame.ill | (frame.k != "u")), "y", request).model
    assert signs(model.formulas[0]).get("ill=True", {-1}) == {-1}
    assert signs(model.formulas[0]).get("k=u", {1}) == {1}
    assert model.record.promises == ("'ill' may only lower the output", "'k=u' may only raise the output")


@pytest.mark.parametrize("strategy", ["straight_through", "proximal", "levenberg_marquardt"])
def test_what_a_strategy_would_not_keep_is_refused(strategy):
    """A limit on the literals was ignored by the strategies that train networks."""
    rows = {"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10}
    for declared in ({"monotone": {"a": 1}}, {"forbidden": ["a"]}, {"required": ["a=1"]}, {"start": cl.parse("{a=1}")}):
        with pytest.raises(TrainingDataError, match="go with strategy='annealing', which keeps them in every move"):
            fit(MemoryParts(rows, [0, 1] * 20), "y", Request(strategy, **declared))
    with pytest.raises(TrainingDataError, match="'max_literals' goes with strategy='annealing', which keeps it"):
        cl.LukasiewiczClassifier(strategy, max_literals=3).fit(pd.DataFrame(rows), [0, 1] * 20)
    assert Request(strategy, {"max_literals": None}).settings == Request(strategy).settings
