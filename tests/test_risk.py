"""The risk of a model: a probability for each score, kept in its file, and the same wherever it is asked for."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import crystalogic as cl
from crystalogic.candidates import Candidate, Odds
from crystalogic.crystal import Crystal, Neuron
from crystalogic.document import seal
from crystalogic.encoding import Degree, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import DocumentError, RiskError
from crystalogic.fitting.reading import model_of, risk_of, simplify_parts
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula, Variable
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from crystalogic.model import FrontRow, Model
from crystalogic.model.risk import OUT_OF, Risk, read_risk
from crystalogic.symbolic.extract import extract
from strategies import domains_with_rows, formulas

COUNTED = parse("at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3})")
RISK = Risk((700, 2400, 7700, 9700))


def heart() -> Model:
    """The checklist of the Heart table with a risk, and a shorter rule on its front."""
    literals = [("cp", "4"), ("ca", "0"), ("thal", "3")]
    columns = [Column(name, "code", (Is(name, value),), ("0", "3", "4")) for name, value in literals]
    model = model_of([COUNTED], Encoding(columns), "disease", ("no", "yes"))
    front = (
        FrontRow(1, 1, 0.75, 0.74, 0.02, parse("{cp=4}"), Risk((3000, 7000))),
        FrontRow(3, 1, 0.85, 0.84, 0.02, COUNTED, RISK),
    )
    return replace(model, fronts=(front,), chosen=(1,), risk=RISK)


def made_up_table(seed: int, n_rows: int = 240) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame({f"x{place}": random.integers(0, 3, n_rows) for place in range(5)})
    odds = 1.2 * (table["x0"] == 1) + 1.2 * (table["x1"] == 2) - 1.5 * (table["x2"] == 0) - 0.3
    return table, (random.random(n_rows) < 1 / (1 + np.exp(-odds))).astype(int)


def test_the_probability_of_a_row_is_that_of_its_score() -> None:
    rows = {"cp": [0, 4, 4, 4], "ca": [0, 0, 3, 3], "thal": [3, 3, 3, 4]}
    model = heart()
    assert model.scores(rows)[:, 0].tolist() == [0, 1, 2, 3]
    assert model.probabilities(rows).tolist() == [[0.93, 0.07], [0.76, 0.24], [0.23, 0.77], [0.03, 0.97]]
    found = model.explain({"cp": 4, "ca": 3, "thal": 3})
    assert (found.score, found.probability) == (2, Fraction(77, 100))


def test_a_row_that_is_skipped_has_no_probability() -> None:
    rows = {"cp": [4, None], "ca": [3, 3], "thal": [3, 3]}
    assert np.isnan(heart().probabilities(rows, unknown="skip")).tolist() == [[False, False], [True, True]]


def test_a_model_without_a_risk_says_so() -> None:
    model = replace(heart(), risk=None)
    assert model.explain({"cp": 4, "ca": 3, "thal": 3}).probability is None
    with pytest.raises(RiskError, match="has no risk"):
        model.probabilities({"cp": [4], "ca": [3], "thal": [3]})


def test_a_risk_is_kept_in_the_file() -> None:
    again = Model.from_json(heart().to_json())
    assert (again.risk, again.fronts) == (RISK, heart().fronts)
    assert again.fingerprint == heart().fingerprint
    assert json.loads(heart().to_json())["risk"] == {"version": 1, "out_of": OUT_OF, "shares": [700, 2400, 7700, 9700]}


def test_a_file_without_a_risk_is_what_it_was() -> None:
    old = Path(__file__).parent / "data" / "model-1.json"
    model = cl.load(old)
    assert model.risk is None
    assert model.fingerprint == json.loads(old.read_text("utf-8"))["fingerprint"]
    assert "risk" not in model.content()


@pytest.mark.parametrize(
    ("risk", "message"),
    [
        ({"version": 1, "out_of": 10_000, "shares": [700, 2400, 7700]}, "a risk that does not fit its formula"),
        ({"version": 1, "out_of": 10_000, "shares": [0, 2400, 7700, 9700]}, "between 0 and 10000"),
        ({"version": 1, "out_of": 10_000, "shares": [700, 2400, 7700, 10_000]}, "between 0 and 10000"),
        ({"version": 1, "out_of": 10_000, "shares": [700, 600, 7700, 9700]}, "less than that of a smaller score"),
        ({"version": 1, "out_of": 10_000, "shares": [0.5, 600, 7700, 9700]}, "expected a whole number"),
        ({"version": 1, "out_of": 100, "shares": [7, 24, 77, 97]}, "out of 100"),
        ({"version": 3, "out_of": 10_000, "shares": [700, 2400, 7700, 9700]}, "the version 3"),
        ({"version": 2, "out_of": 10_000, "shares": [1, 2, 3, 4], "rows": [5]}, "rows of 1 scores, and those with the"),
        (
            {"version": 2, "out_of": 10_000, "shares": [1, 2, 3, 4], "rows": [5], "with_class": [1]},
            "4 scores and counts rows of 1",
        ),
        (
            {"version": 2, "out_of": 10_000, "shares": [1, 2, 3, 4], "rows": [5] * 4, "with_class": [6] * 4},
            "more have the class than there are",
        ),
        ([700, 2400, 7700, 9700], "expected an object"),
    ],
)
def test_a_risk_that_cannot_be_one_is_refused(risk: Any, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        Model.from_json(seal("model", 1, {**heart().content(), "risk": risk}))


def test_degrees_have_no_risk() -> None:
    columns = [Column("age", "number", (Degree("age", 20, 80),))]
    model = model_of([Variable("age")], Encoding(columns), "y", (0, 1))
    with pytest.raises(DocumentError, match="a risk that does not fit its formula"):
        Model.from_json(seal("model", 1, {**model.content(), "risk": Risk((1000, 9000)).content()}))


def test_another_formula_of_the_front_has_its_own_risk_and_a_new_formula_has_none() -> None:
    assert heart().adopt(1).risk == Risk((3000, 7000))
    assert heart().adopt(1).adopt(3).risk == RISK
    assert heart().with_formulas([parse("{cp=4}")]).risk is None
    assert heart().with_facts(seed=3).risk == RISK


@given(st.lists(st.integers(1, OUT_OF - 1), min_size=1, max_size=30).map(sorted))
def test_reading_undoes_writing(shares: list[int]) -> None:
    risk = Risk(tuple(shares))
    assert read_risk(json.loads(json.dumps(risk.content())), "the risk") == risk
    assert risk.of_rows(np.arange(len(shares)))[:, 1].tolist() == [float(risk.of(each)) for each in range(len(shares))]


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    """One neuron over a few facts that is neither always nor never true, and any odds."""
    weights = draw(st.lists(st.integers(-4, 4).filter(bool), min_size=1, max_size=5))
    low = sum(each for each in weights if each < 0)
    bias = 1 - draw(st.integers(low + 1, sum(each for each in weights if each > 0)))
    crystal = Crystal(
        [f"x{place}" for place in range(len(weights))], [Neuron(range(len(weights)), weights, bias)], [len(weights)]
    )
    odds = Odds(draw(st.floats(0, 20)), draw(st.floats(-50, 50)))
    return Candidate(crystal, len(weights), 1, 0.5, None, None, odds)


@given(candidates())
def test_more_points_are_more_likely_and_the_decision_is_the_likelier_class(candidate: Candidate) -> None:
    formula = extract(candidate.crystal).formula
    risk, threshold, odds = risk_of(candidate, formula), score_of(formula).threshold, candidate.odds
    assert risk is not None
    assert odds is not None
    assert list(risk.shares) == sorted(set(risk.shares))
    likelier = [share > OUT_OF / 2 for share in risk.shares]
    last = len(risk.shares) - 1
    if odds.at(last - threshold) < 0:  # too rare at every score
        assert not any(likelier)
    elif odds.at(-threshold) > 0:
        assert all(likelier)
    else:
        assert likelier == [score >= threshold for score in range(last + 1)]


@given(candidates())
def test_the_rule_about_the_other_class_counts_the_rest_and_has_the_rest_of_the_probability(one: Candidate) -> None:
    assert one.odds is not None
    other = replace(one, crystal=one.crystal.negate(), odds=one.odds.negate())
    risks = [risk_of(each, extract(each.crystal).formula) for each in (one, other)]
    assert risks[0] is not None
    assert risks[1] is not None
    assert all(
        abs(p + q - OUT_OF) <= len(risks[0].shares) for p, q in zip(risks[0].shares, risks[1].shares[::-1], strict=True)
    )


def test_a_formula_that_is_one_hidden_neuron_has_the_odds_of_that_neuron() -> None:
    crystal = Crystal(["a", "b", "c"], [Neuron([0, 1, 2], [1, 1, 1], -2), Neuron([3], [1], 0)], [4])
    risk = risk_of(Candidate(crystal, 3, 2, 0.9, None, None, Odds(4.0, 2.0)), extract(crystal).formula)
    assert risk == Risk((1192, 1193, 1194, 8808))


@given(formulas(), domains_with_rows())
def test_simplified_parts_are_as_far_from_the_threshold(
    formula: Formula, drawn: tuple[Domain, dict[str, Fraction]]
) -> None:
    """A formula of one part may become that part, which can count further than the one knows to tell apart."""
    domain, row = drawn
    before, after = score_of(formula), score_of(simplify_parts(formula, domain))
    if after.most:  # not always true, or never
        beyond = after.of(row) - after.threshold
        assert min(max(beyond, -before.threshold), before.most - before.threshold) == before.of(row) - before.threshold


@pytest.fixture(scope="module", params=[0, 1, 2])
def learned(request: pytest.FixtureRequest) -> Any:
    table, y = made_up_table(request.param)
    return cl.LukasiewiczClassifier("likelihood").fit(table, y), table, y


def test_the_class_is_the_likelier_one_and_points_rank_as_probabilities_do(learned: Any) -> None:
    rule, rows = learned[0], made_up_table(9)[0]
    told, decided = rule.predict_proba(rows), rule.predict(rows)
    assert (rule.classes_[told.argmax(axis=1)] == decided).all()
    assert ((rule.decision_function(rows) > 0) == (decided == 1)).all()
    assert (
        np.unique(told[:, 1], return_inverse=True)[1] == np.unique(rule.decision_function(rows), return_inverse=True)[1]
    ).all()
    assert all(row.risk is not None for row in rule.model_.fronts[0])


def test_scores_rank_fresh_rows_better_than_decisions(learned: Any) -> None:
    rule = learned[0]
    table, y = made_up_table(9, 2000)
    assert roc_auc_score(y, rule.predict_proba(table)[:, 1]) > roc_auc_score(y, rule.predict(table)) + 0.02


def test_probabilities_are_near_what_happens_to_fresh_rows(learned: Any) -> None:
    rule = learned[0]
    table, y = made_up_table(9, 4000)
    told = rule.predict_proba(table)[:, 1]
    assert abs(told.mean() - y.mean()) < 0.08
    assert np.mean((told - y) ** 2) < 0.93 * np.mean((y.mean() - y) ** 2)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_an_adopted_rule_decides_for_the_likelier_class(learned: Any, size: int) -> None:
    rule, table, _ = learned
    model = rule.model_.adopt(size)
    assert (model.probabilities(table)[:, 1] > 0.5).tolist() == (model.predict(table) == 1).tolist()


def test_the_class_that_is_meant_changes_no_probability() -> None:
    table, y = made_up_table(0, 150)
    for shape in ("checklist", "points", "formula"):
        one, other = (
            cl.LukasiewiczClassifier(cl.Likelihood(shape, max_literals=5), positive=label).fit(table, y)
            for label in (1, 0)
        )
        assert np.abs(one.predict_proba(table) - other.predict_proba(table)).max() < 0.002
        assert (one.predict(table) == other.predict(table)).all()
        assert np.allclose(one.decision_function(table), other.decision_function(table))
        reloaded = Model.from_json(other.model_.to_json())
        assert (reloaded.probabilities(table) == other.model_.probabilities(table)).all()


def test_other_strategies_have_no_risk_yet() -> None:
    table, y = made_up_table(0, 80)
    rule = cl.LukasiewiczClassifier(cl.Annealing(effort=0.1, folds=3), max_literals=2).fit(table, y)
    assert rule.model_.risk is None
    assert all(row.risk is None for row in rule.model_.fronts[0])


def test_what_softened_the_labels_is_recorded_and_kept() -> None:
    table, y = made_up_table(0, 120)
    model = cl.LukasiewiczClassifier(cl.Likelihood(shape="checklist", max_literals=2)).fit(table, y).model_
    assert set(model.record.teacher) == {"width", "ridge", "share"}
    assert Model.from_json(model.to_json()).record == model.record
    assert "a kernel regression of the labels" in cl.report.report_page(model, seconds=0)
