"""Limits on what a rule does, and on what it costs to ask: kept on the rows, proved of the form, and recorded."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crystalogic as cl
from crystalogic.errors import TrainingDataError
from crystalogic.fitting import Request, fit
from crystalogic.intervals import KINDS, find_gap
from crystalogic.learner.limits import Bounds
from crystalogic.words.models import limits_lines

SHORT = {"max_literals": 3}


def people(n: int = 500, seed: int = 100) -> pd.DataFrame:
    """Income tells of repaying, and of sex; so does thrift of repaying, and not of sex."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(2, size=n)
    income, thrift = rng.normal(30 + 12 * sex, 8), rng.integers(3, size=n)
    odds = (income - 36) / 5 + 1.5 * (thrift - 1)
    repaid = rng.random(n) < 1 / (1 + np.exp(-odds))
    rows = {
        "sex": np.array(["f", "m"])[sex],
        "income": income.round(),
        "thrift": thrift,
        "scan": rng.integers(2, size=n),
    }
    return pd.DataFrame(rows).assign(repaid=np.where(repaid, "yes", "no"))


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return people()


@pytest.mark.parametrize(("gap", "positive"), [("selection", None), ("misses", "no"), ("false-alarms", None)])
def test_a_gap_is_kept_on_all_rows_and_on_rows_held_out(table, gap, positive):
    limits = cl.Limits("sex", gap, 0.1)
    model = fit(table, "repaid", Request(options=SHORT, limits=limits, positive=positive)).model
    model.check()
    found = cl.evaluate(model, table.drop(columns="repaid"), table["repaid"], by=["sex"])
    told = [(value, figures.rates) for value, figures in found.by.groups]
    assert find_gap(KINDS[gap], told).difference <= 0.1
    recorded = model.record.limits
    assert [(each.value, each.rates) for each in recorded.learned] == told
    held = find_gap(KINDS[gap], [(each.value, each.rates) for each in recorded.held_out])
    assert held.difference <= 0.1 + 1e-12
    assert sum(each.rates.selected.n for each in recorded.held_out) == len(table)
    assert "sex" not in model.columns
    assert model.formulas[0].variables


def test_a_tilt_closes_a_gap_that_a_threshold_alone_would_pay_for(table):
    free = fit(table, "repaid", Request(options=SHORT, kinds={"sex": "ignore"})).model
    rows, labels = table.drop(columns="repaid"), table["repaid"]
    gaps = cl.evaluate(free, rows, labels, by=["sex"]).by.gaps
    assert next(gap for gap in gaps if gap.rate == "selected").difference > 0.3
    fair = fit(table, "repaid", Request(options=SHORT, limits=cl.Limits("sex", at_most=0.1))).model
    assert cl.evaluate(fair, rows, labels).figures.accuracy.value > 0.6  # a constant has about .5


def test_a_sensitivity_is_kept_beside_a_gap(table):
    model = fit(table, "repaid", Request(options=SHORT, limits=cl.Limits("sex", at_most=0.2, sensitivity=0.8))).model
    missed = [each.rates.missed for each in model.record.limits.learned]
    assert sum(each.yes for each in missed) <= 0.2 * sum(each.n for each in missed)
    assert any(line.startswith("Sensitivity at least 80 %") for line in limits_lines(model))


def test_where_only_a_constant_keeps_a_limit_it_is_said():
    rows = people(400).drop(columns=["thrift", "scan"])
    rows["repaid"] = np.where(rows["sex"] == "f", "no", "yes")
    rows["income"] = np.where(rows["sex"] == "f", 20, 40)
    model = fit(rows, "repaid", Request(options=SHORT, limits=cl.Limits("sex", at_most=0.01))).model
    assert not model.formulas[0].variables
    assert limits_lines(model)[-1].startswith("Only what decides all rows alike keeps this")


def test_a_budget_and_company_are_proved_of_every_formula_of_the_front(table):
    limits = cl.Limits(prices={"income": 2, "thrift": 1}, budget=2, only_with={"scan": "thrift"})
    model = fit(table, "repaid", Request(options=SHORT, limits=limits)).model
    literals = model.encoding.literals
    for row in model.fronts[0]:
        read = {literals[name].column for name in row.formula.variables}
        assert not read >= {"income", "thrift"}
        assert "scan" not in read or "thrift" in read
    assert model.record.promises == (
        "'scan' is used only with 'thrift'; columns cost at most 2 together ('income' 2, 'thrift' 1)",
    )


def test_a_column_that_does_not_pay_is_not_read(table):
    dear = fit(table, "repaid", Request(options=SHORT, limits=cl.Limits(prices={"income": 90}))).model
    cheap = fit(table, "repaid", Request(options=SHORT, limits=cl.Limits(prices={"income": 1}))).model
    assert "income" not in dear.columns
    assert "income" in cheap.columns
    assert list(dear.record.limits.bought) == ["0", "90"]
    assert "for 0, " in limits_lines(dear)[0]


def test_limits_survive_the_file_and_leave_with_another_rule(table, tmp_path):
    model = fit(table, "repaid", Request(options=SHORT, limits=cl.Limits("sex", at_most=0.1))).model
    model.save(tmp_path / "model.json")
    assert cl.load(tmp_path / "model.json").record == model.record
    other = model.fronts[0][0 if model.chosen[0] else -1]
    assert model.adopt(other.size).record.limits is None
    assert "Gap by sex in selection, at most 10 points" in cl.export.to_card(model)


def test_the_classifier_needs_no_groups_to_predict(table):
    rule = cl.LukasiewiczClassifier(limits=cl.Limits("sex", at_most=0.2), max_literals=3)
    rule.fit(table.drop(columns="repaid"), table["repaid"])
    assert len(rule.predict(table.drop(columns=["repaid", "sex"]))) == len(table)


@pytest.mark.parametrize(
    ("limits", "others", "why"),
    [
        ({"gap_by": "sex"}, {}, "a limit on a gap needs its column"),
        ({"gap_by": "sex", "gap": "mood", "at_most": 0.1}, {}, "the gap is one of selection, misses, false-alarms"),
        ({"sensitivity": 2}, {}, "the limit 'sensitivity' is a share from 0 to 1"),
        ({"prices": {"scan": -1}}, {}, "the limit 'scan' is a share"),
        ({"budget": 3}, {}, "a budget needs the prices"),
        ({"prices": {"mri": 3}}, {}, "the limits name the column 'mri', which is not among"),
        ({"sensitivity": 0.9}, {"size": 3}, "'size' would be another choice"),
        ({"sensitivity": 0.9}, {"strategy": "annealing"}, "limits go with strategy='likelihood'"),
    ],
)
def test_what_cannot_be_kept_is_refused(table, limits, others, why):
    with pytest.raises(TrainingDataError, match=why):
        fit(table, "repaid", Request(limits=cl.Limits(**limits), **others))


def test_a_gap_needs_two_groups_of_enough_rows(table):
    few = table.assign(sex=np.where(np.arange(len(table)) < 20, "f", "m"))
    with pytest.raises(TrainingDataError, match="'sex' has 1 group with 30 rows or more to judge selection by"):
        fit(few, "repaid", Request(options=SHORT, limits=cl.Limits("sex", at_most=0.1)))


@given(
    st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), min_size=1, max_size=40),
    st.sampled_from(list(KINDS)),
    st.booleans(),
)
def test_gaps_are_those_of_counting(rows, kind, is_turned):
    groups, is_class, told = map(np.array, zip(*rows, strict=True))
    bounds = Bounds(cl.Limits("g", kind, 0.25), groups, is_class.astype(bool), np.ones(3, bool), is_turned)
    rates = []
    for group in range(3):
        own = [
            (c, t) for g, c, t in rows if g == group and {"selection": True, "misses": c, "false-alarms": not c}[kind]
        ]
        if own:
            rates.append(Fraction(sum(t != (kind == "misses") for _, t in own), len(own)))
    said = (told.astype(bool) != is_turned)[:, None]
    is_kept = not rates or max(rates) - min(rates) <= Fraction(1, 4)
    assert bool(bounds.keep(said)[0]) == is_kept
    assert sum(map(sum, bounds.count(said[:, 0]))) == len(rows)


@given(st.sets(st.sampled_from("abcd")))
def test_columns_are_permitted_by_their_sum_and_their_company(columns):
    limits = cl.Limits(prices={"a": 0.1, "b": 0.2, "c": 0.3}, budget=0.3, only_with={"d": "a"})
    cost = sum({"a": 1, "b": 2, "c": 3}.get(each, 0) for each in columns)
    assert limits.permits(columns) == (cost <= 3 and ("d" not in columns or "a" in columns))
    assert replace(limits, budget=None, prices={}).permits(columns) == ("d" not in columns or "a" in columns)
