"""Ladders: a literal that counts even steps of a number is what its cuts are, one by one, in every room."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crystalogic as cl
from crystalogic.encoding import Cut, Encoding, Ladder, fit_encoding
from crystalogic.encoding.own import include_facts
from crystalogic.errors import DocumentError, EncodingError
from crystalogic.export import to
from crystalogic.fitting import model_of
from crystalogic.fitting.reach import find_ladders
from crystalogic.learner.grow import Grown, climb, moments_of
from crystalogic.learner.task import Task
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from crystalogic.model.ladders import score_text, spell_out
from crystalogic.words.checklists import checklist
from crystalogic.words.models import model_text
from export_engines import run_python

AGES = fit_encoding({"age": [31, 44, 58, 62, 70, 75, None], "sex": list("fmfmfmf")}, n_cuts=1)
STEPS = Ladder("age", (40, 50, 60, 70))
RULE = "at least 5 of (8·{age ≥ 40|50|60|70}, 3·{sex=m})"


@given(st.fractions(0, 100) | st.integers(0, 100).map(Fraction))
def test_a_ladder_is_as_true_as_the_share_of_its_rungs_that_are_reached(age):
    assert STEPS.degree_of(age) == sum(rung.degree_of(age) for rung in STEPS.rungs) / 4


def test_a_ladder_of_a_missing_number_is_false():
    more, _ = include_facts(AGES, [STEPS.name])
    assert more.transform({"age": [None, 39, 40, 69, 99]}, [STEPS.name])[:, 0].tolist() == [0, 0, 0.25, 0.75, 1]


def test_a_ladder_of_ones_own_comes_with_its_cuts_and_is_read_again():
    more, names = include_facts(AGES, ["age>=40 | 50|60|70"])
    assert names == {"age>=40 | 50|60|70": "age ≥ 40|50|60|70"}
    assert more.literals["age ≥ 40|50|60|70"] == STEPS
    assert {rung.name for rung in STEPS.rungs} <= set(more.literals)
    assert Encoding.from_content(more.content()) == more
    assert not more.domain.is_boolean(STEPS.name)


@pytest.mark.parametrize("name", ["age ≥ 40|x", "age ≥ 50|40", "age ≥ 40|40", "age ≥ 40|"])
def test_rungs_that_do_not_ascend_are_no_ladder(name):
    with pytest.raises(EncodingError, match="a ladder has from 2 to 16 cuts, in ascending order"):
        include_facts(AGES, [name])


@given(st.integers(1, 12), st.integers(1, 3), st.integers(0, 3), st.booleans(), st.fractions(0, 100), st.integers(0, 1))
def test_a_rule_spelled_out_has_the_score_and_the_degree_that_it_has_as_written(k, worth, points, is_turned, age, sex):
    ladder = f"{'¬' * is_turned}{{age ≥ 40|50|60|70}}"
    listed = [f"{4 * worth}·{ladder}", *([f"{points}·{{sex=m}}"] * bool(points)), "{age ≥ 50}"]
    written = cl.parse(f"at least {k} of ({', '.join(listed)})")
    spelled = spell_out(written, {STEPS.name: STEPS})
    truths = {each.name: each.degree_of(age) for each in (STEPS, *STEPS.rungs)} | {"sex=m": Fraction(sex)}
    assert STEPS.name not in spelled.variables
    assert spelled.evaluate(truths) == written.evaluate(truths)
    assert k > score_of(written).most or score_of(spelled).of(truths) == score_of(written).of(truths)
    if k <= score_of(written).most:  # otherwise it is never true, and spelled out as that
        assert (score_of(spelled).threshold, score_of(spelled).most) == (k, score_of(written).most)


@pytest.mark.parametrize(
    "rule", ["at least 2 of (3·{age ≥ 40|50|60|70}, {sex=m})", "({age ≥ 40|50} ⊗ {sex=m}) ⊕ {sex=f}"]
)
def test_a_ladder_whose_rungs_have_no_whole_points_is_refused_with_the_way_out(rule):
    with pytest.raises(EncodingError, match=r"rungs, which have whole points only where .* Write its cuts one by one"):
        model_of([cl.parse(rule)], AGES, "ill", ("no", "yes"))


def test_a_rule_with_a_ladder_predicts_explains_answers_exports_and_loads(tmp_path):
    model = model_of([cl.parse(RULE)], AGES, "ill", ("no", "yes"))
    assert str(model) == f"ill = yes: {RULE}"
    assert model.written[0].size == 2
    model.save(tmp_path / "m.json")
    model = cl.load(tmp_path / "m.json")
    model.check()
    assert model.rounding == 0
    rows = {"age": [39, 40, 59, 60, 70, None], "sex": list("mmmffm")}
    wanted = [
        2 * sum(age is not None and age >= cut for cut in STEPS.steps) + 3 * (sex == "m")
        for age, sex in zip(*rows.values(), strict=True)
    ]
    assert model.scores(rows)[:, 0].tolist() == wanted
    decided = ["yes" if score >= 5 else "no" for score in wanted]
    assert model.predict(rows).tolist() == decided == run_python(model, rows).decisions
    assert [
        model.explain({"age": age, "sex": sex}).decision for age, sex in zip(*rows.values(), strict=True)
    ] == decided
    assert cl.monotone(model, "age")
    assert not cl.ignores(model, "age")
    assert ">= 70" in to(model, "sql")
    assert "2 points if age is at least 40, 4 from 50 on, 6 from 60 on, 8 from 70 on" in model_text(model)


def test_a_file_with_a_ladder_that_cannot_be_spelled_out_is_refused():
    """Sealed anew, so that only what it says is wrong."""
    import json

    from crystalogic.document import seal

    model = model_of([cl.parse(RULE)], AGES, "ill", ("no", "yes"))
    body = json.loads(model.to_json()) | {"formulas": ["at least 2 of ({age ≥ 40|50|60|70}, {sex=m})"]}
    content = {name: body[name] for name in model.content()}
    with pytest.raises(DocumentError, match="has 4 rungs, which have whole points only"):
        cl.Model.from_json(seal("model", 1, content, indent=1))
    forged = json.loads(json.dumps(content))
    next(each for each in forged["encoding"]["columns"][0]["literals"] if each["kind"] == "ladder")["steps"] = [4, 3]
    with pytest.raises(DocumentError, match="a ladder of 'age' has from 2 to 16 cuts, in ascending order"):
        cl.Model.from_json(seal("model", 1, forged, indent=1))


def test_what_is_known_of_cuts_tells_what_ladders_would_gain():
    """The gain of a ladder is that of a column which counts its rungs."""
    random = np.random.default_rng(0)
    number = random.random(200)
    cuts = (number[:, None] >= [0.2, 0.4, 0.6, 0.8]).astype(np.float32)
    goal, weight = random.random(200), random.random(200)
    task = Task(cuts, goal, weight, np.ones(4), np.zeros(4, int), ladders=((0, 1, 2, 3),))
    plain = Task(cuts.mean(axis=1, keepdims=True), goal, weight, np.ones(1), np.zeros(1, int))
    found = climb(moments_of(Grown.begin(task), task), np.array(task.ladders))
    gradient, shared = moments_of(Grown.begin(plain), plain).gradient, moments_of(Grown.begin(plain), plain).shared
    assert np.allclose(found.gradient, gradient)
    assert np.allclose(found.shared, shared)
    p = goal @ weight / weight.sum()
    assert np.allclose(found.own, (weight * p * (1 - p)) @ cuts.mean(axis=1) ** 2)


def test_ladders_have_round_and_even_steps():
    encoding = fit_encoding({"x": np.linspace(0, 97.3, 400).round(1)}, n_cuts=40, are_spread=True, numbers="cuts")
    ladders = [[encoding.literals[name].at for name in names] for names in find_ladders(encoding)]
    assert [20, 40, 60, 80] in ladders
    assert all(len(rungs) == 4 and len({round(b - a, 9) for a, b in pairwise(rungs)}) == 1 for rungs in ladders)
    assert {rungs[1] - rungs[0] for rungs in ladders} <= {5, 10, 15, 20, 30, 40}


def _slope(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A table whose class is ever likelier with a number, and with another one less likely."""
    random = np.random.default_rng(seed)
    up, down, noise = random.uniform(20, 80, n_rows).round(), random.normal(0, 1, n_rows), random.random(n_rows)
    odds = (up - 50) / 8 - 1.2 * down
    labels = np.where(random.random(n_rows) < 1 / (1 + np.exp(-odds)), "ill", "well")
    return pd.DataFrame({"up": up, "down": down, "noise": noise}), labels


@pytest.mark.parametrize("settings", [
    {}, {"monotone": {"up": 1, "down": -1}}, {"shape": "checklist", "max_literals": 4}
])  # fmt: skip
def test_what_rises_evenly_is_learned_as_ladders(settings):
    X, y = _slope(600)
    fresh, truth = _slope(4000, seed=1)
    rule = cl.LukasiewiczClassifier(positive="ill", **settings).fit(X, y)
    ladders = {rule.encoding_.literals[name].column for name in rule.formula_.variables if "|" in name}
    assert ladders == {"up", "down"}
    assert rule.formula_.size <= 6
    assert rule.score(fresh, truth) > 0.8
    assert cl.monotone(rule.model_, "up")
    assert cl.monotone(rule.model_, "down", decreasing=True)
    rule.model_.check()


def test_a_ladder_has_no_rung_that_is_forbidden():
    X, y = _slope(600)
    rule = cl.LukasiewiczClassifier(positive="ill", forbidden=["up"]).fit(X, y)
    assert rule.model_.columns == ("down",)


def test_cuts_of_a_ladder_are_one_literal_of_the_limit():
    X, y = _slope(600)
    rule = cl.LukasiewiczClassifier(positive="ill", max_literals=2).fit(X, y)
    assert rule.formula_.size <= 2
    assert len({rule.encoding_.literals[name].column for name in rule.formula_.variables}) == 2
    assert rule.model_.formulas[0].size == 8
    assert all(isinstance(rule.model_.encoding.literals[name], Cut) for name in rule.model_.names)


@pytest.mark.parametrize("name", ["up", "up ≥ 30|40|50|60"])
def test_what_is_true_to_a_degree_cannot_be_required_and_the_message_says_what_can(name):
    """It ended in a bare ValueError."""
    with pytest.raises(cl.TrainingDataError, match="is required and true to a degree; this learner requires facts"):
        cl.LukasiewiczClassifier(required=[name]).fit(*_slope(100))


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e300])
def test_numbers_at_the_ends_of_what_doubles_hold_have_an_end_of_ladders(scale):
    """Between the smallest doubles the next round step was the same one, for ever."""
    encoding = fit_encoding({"x": np.arange(60) * scale}, n_cuts=40, are_spread=True, numbers="cuts")
    assert len(find_ladders(encoding)) < 1000


def test_a_ladder_of_single_points_is_one_line_of_points():
    rule = parse("{famhist=Present} ⊗ {age ≥ 20} ⊗ {age ≥ 30} ⊗ {age ≥ 40}")
    cuts = {f"age ≥ {at}": Cut("age", at) for at in (20, 30, 40)}
    assert checklist(rule, cuts).split("\n") == [
        "at least 4 points:",
        "  - 1 point if famhist=Present",
        "  - 1 point if age is at least 20, 2 from 30 on, 3 from 40 on",
    ]
    assert score_text(rule, cuts, 2, 3) == "2–3 points"
    assert score_text(rule, {}, 2, 3) == "2–3 of 4"
