"""What is proved about a front, and how it is mended."""

import json
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.cli.app import run
from crystalogic.errors import DocumentError, TrainingDataError
from crystalogic.fitting import Request, fit
from crystalogic.learner.settings import Likelihood
from crystalogic.model import Model, Proved, Record
from crystalogic.report import report_page
from crystalogic.words.models import model_text


def make_table(n: int = 70, seed: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(["no", "yes"], n) for name in "abcde"})
    score = (frame[["a", "b", "c"]] == "yes").sum(axis=1) + rng.normal(0, 0.8, n)
    return frame.assign(ill=np.where(score > 1.5, "yes", "no"))


def errors_of(frame: pd.DataFrame) -> list[int]:
    """The fewest errors of any checklist of at most 1, 2, … 5 facts, by trying all."""
    facts = {name: (frame[name] == "yes").to_numpy() for name in "abcde"}
    ill, best = (frame["ill"] == "yes").to_numpy(), [min((frame["ill"] == each).sum() for each in ("no", "yes"))]
    for size in range(1, 6):
        wrong = [
            ((sum((facts[n] == s).astype(int) for n, s in zip(names, signs, strict=True)) >= least) != ill).sum()
            for names in combinations("abcde", size)
            for signs in product((False, True), repeat=size)
            for least in range(1, size + 1)
        ]
        best.append(min(best[-1], *wrong))
    return [int(each) for each in best[1:]]


@cache
def fitted(seconds: float | None, seed: int = 2) -> Model:
    return fit(make_table(seed=seed), "ill", Request(prove=seconds)).model


@pytest.fixture(scope="module")
def model() -> Model:
    return fitted(60.0)


def test_the_least_errors_are_those_of_brute_force_and_no_front_misses_them(model: Model) -> None:
    for seed in (0, 2, 11):
        frame = make_table(seed=seed)
        plain, proved = (fitted(seconds, seed) for seconds in (None, 60.0))
        known = proved.record.proved
        assert known is not None
        assert known.errors == known.bounds == tuple(errors_of(frame))
        size = plain.fronts[0][plain.chosen[0]].size
        assert proved.fronts[0][proved.chosen[0]].size == size  # which size is chosen stays a matter of held-out rows
        for row in proved.fronts[0]:
            errors = round((1 - row.training) * len(frame))
            told = proved.with_formulas([row.formula]).predict(frame)
            assert (told != frame["ill"]).sum() == errors
            shorter = [r for r in proved.fronts[0] if r.size <= row.size]
            least = min(round((1 - r.training) * len(frame)) for r in shorter)
            if 1 <= row.size < size:  # points may do with fewer errors than any checklist
                assert least <= known.errors[row.size - 1]


def test_where_the_front_has_a_ladder_checklists_of_its_facts_are_proved() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 300)})
    frame["ill"] = np.where(rng.random(300) < (frame["age"] - 20) / 60, "yes", "no")
    model = fit(frame, "ill", Request(prove=60.0)).model
    assert any("|" in name for row in model.fronts[0] for name in row.formula.variables)
    assert model.record.proved is not None
    best = min(((frame["age"] >= cut) != (frame["ill"] == "yes")).sum() for cut in range(20, 80))
    assert model.record.proved.errors[0] >= best
    assert model.record.proved.errors == model.record.proved.bounds


def test_a_mended_rule_is_judged_and_tells_risks_as_others_do(model: Model) -> None:
    plain = fitted(None)
    old = {row.formula for row in plain.fronts[0]}
    new = [row for row in model.fronts[0] if row.formula not in old]
    assert new
    for row in new:
        adopted = model.adopt(row.size)
        adopted.check()
        assert adopted.has_risk
        assert row.validated is not None
        assert row.risk is not None
        assert sum(share.n for share in row.risk.seen) == 70


def test_the_front_says_what_is_proved_on_the_page_in_the_text_and_in_the_file(model: Model) -> None:
    text = model_text(model)
    assert "  proved        formula" in text
    assert "no checklist of at most as many of 5 facts is right about more of these 70 rows" in text
    assert "Nothing is proved about other rows." in text
    assert '<th scope="col">proved</th>' in report_page(model, seconds=0)
    again = Model.from_json(model.to_json())
    assert again.record.proved == model.record.proved
    assert model_text(again) == text


def test_without_being_asked_nothing_is_proved_and_nothing_told() -> None:
    model = fitted(None)
    assert model.record.proved is None
    assert "proved " not in model_text(model).split("\n\n")[0]


def test_a_gap_is_told_as_the_share_of_rows_that_it_is(model: Model) -> None:
    known = model.record.proved
    assert known is not None
    lower = Proved(known.n_facts, known.errors, (*known.bounds[:1], *(each - 9 for each in known.bounds[1:])))
    lines = model_text(model.with_facts(proved=lower)).splitlines()
    assert any("within 0.1" in line for line in lines)
    assert any("  best  " in line for line in lines)


def test_a_model_without_its_front_says_nothing_of_it(model: Model) -> None:
    bare = replace(model, fronts=(), chosen=())
    assert "best:" not in model_text(bare)
    assert "proved</th>" not in report_page(bare, seconds=0)


def test_no_mended_rule_is_longer_than_was_asked_for() -> None:
    model = fit(make_table(), "ill", Request(Likelihood(max_literals=2), prove=20.0)).model
    assert max(row.size for row in model.fronts[0]) == 2
    assert model.record.proved is not None
    assert len(model.record.proved.errors) == 2


def test_what_was_declared_is_kept_by_mended_rules_and_the_text_says_so() -> None:
    model = fit(make_table(), "ill", Request(prove=20.0, forbidden=["a"], monotone={"b=yes": 1})).model
    assert not any("a=" in str(row.formula) for row in model.fronts[0])
    assert "and keep what was declared" in model_text(model)


def test_the_rule_may_speak_for_the_other_class() -> None:
    yes, no = (fit(make_table(), "ill", Request(prove=20.0, positive=each)).model for each in ("yes", "no"))
    assert yes.record.proved == no.record.proved
    for row in no.fronts[0]:
        told = no.with_formulas([row.formula]).predict(make_table())
        assert round((1 - row.training) * 70) == (told != make_table()["ill"]).sum()


@pytest.mark.parametrize(
    "asked",
    [
        {"prove": 0},
        {"prove": 5.0, "strategy": "annealing"},
        {"prove": 5.0, "class_weight": "balanced"},
    ],
)
def test_what_cannot_be_proved_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(TrainingDataError, match=r"prove|proofs"):
        fit(make_table(), "ill", Request(**asked))


def test_more_classes_and_weights_are_refused() -> None:
    frame = make_table()
    with pytest.raises(TrainingDataError, match="two classes"):
        fit(frame.assign(ill=np.arange(70) % 3), "ill", Request(prove=1.0))
    clf = cl.LukasiewiczClassifier(prove=1.0)
    with pytest.raises(TrainingDataError, match="weights"):
        clf.fit(frame.drop(columns="ill"), frame["ill"], sample_weight=np.linspace(0.5, 1, 70))


@pytest.mark.parametrize(
    "proved",
    [
        {"n_facts": 5, "errors": [3], "bounds": [4]},
        {"n_facts": 5, "errors": [3, 2], "bounds": [3]},
        {"n_facts": 5, "errors": [3]},
        [5],
    ],
)
def test_a_record_that_cannot_be_is_refused(proved: Any) -> None:
    with pytest.raises(DocumentError):
        Record.from_content({"version": 2, "proved": proved}, "the notes")


def test_the_command_proves(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    make_table().to_csv(tmp_path / "rows.csv", index=False)
    how = ["--target", "ill", "--prove", "20", "--json", "--output", str(tmp_path / "model.json")]
    assert run(["fit", str(tmp_path / "rows.csv"), *how]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["notes"]["proved"]["errors"] == errors_of(make_table())
