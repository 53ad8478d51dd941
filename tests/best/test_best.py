"""The best rules of a table, as a person asks for them: figures, words, certificates, models."""

import json
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.best import BestRules
from crystalogic.cli.app import run
from crystalogic.errors import CrystalogicError
from crystalogic.fitting import Request
from crystalogic.optimal import Objective


def make_table(seed: int = 0, n: int = 90) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(["no", "yes"], n) for name in "abcde"})
    frame["age"] = rng.integers(20, 80, n)
    score = (frame["a"] == "yes") + (frame["b"] == "yes").astype(int) + (frame["age"] >= 50) + rng.normal(0, 0.6, n)
    return frame.assign(ill=np.where(score > 1.5, "yes", "no"))


@pytest.fixture(scope="module")
def found() -> BestRules:
    return cl.all_rules(make_table(), "ill", within=0.02, size=3, request=Request(n_cuts=3))


def errors_of(found: BestRules, frame: pd.DataFrame, names: Sequence[str], signs: Sequence[bool], least: int) -> int:
    truths = found.encoding.features(frame)
    held = sum(truths.column(found.encoding.names.index(n)).astype(int) == s for n, s in zip(names, signs, strict=True))
    return int(((held >= least) != (frame["ill"] == "yes")).sum())


def test_the_best_of_every_size_and_the_good_ones_are_those_of_brute_force(found: BestRules) -> None:
    frame, names = make_table(), found.encoding.names
    costs: dict[int, list[int]] = {
        size: [
            errors_of(found, frame, facts, signs, least)
            for facts in combinations(names, size)
            for signs in product((False, True), repeat=size)
            for least in range(1, size + 1)
        ]
        for size in (1, 2, 3)
    }
    best = [min(min(costs[size]) for size in range(1, most + 1)) for most in (1, 2, 3)]
    assert [each.cost for each in found.answers] == best
    assert all(each.is_proved for each in found.answers)
    assert found.best.is_complete
    assert found.best.question.within == 1
    assert {cost for cost, _ in found.rules} <= {best[-1], best[-1] + 1}


def test_every_good_rule_is_a_model_that_makes_as_many_errors_as_is_said(found: BestRules) -> None:
    frame = make_table()
    said = []
    for (cost, rule), model in zip(found.rules, found.models(), strict=True):
        model.check()
        told = model.predict(frame)
        said.append(told)
        assert (np.asarray(told) != frame["ill"]).sum() == cost
        assert set(model.formulas[0].variables) == {found.counted.names[max(f, ~f)] for f in rule.facts}
    assert found.n_disputed == (np.array(said) != said[0]).any(axis=0).sum()


def test_what_is_true_of_all_is_counted(found: BestRules) -> None:
    columns = [found.columns_of(rule) for _, rule in found.rules]
    assert found.readers == {name: sum(name in each for each in columns) for name in found.readers}
    for column, other in found.without.items():
        assert other.is_proved
        assert other.cost >= found.best.cost
        assert column not in found.columns_of(other.rule)


def test_the_text_says_what_is_proved_and_of_what(found: BestRules) -> None:
    text = str(found)
    assert f"The best checklists of at most 3 facts of {len(found.encoding.names)}, on 90 rows:" in text
    assert "Proved for these facts and these rows; nothing is said about other rows." in text
    assert "Without a column that it reads, the best has:" in text


def test_directions_and_forbidden_columns_are_kept() -> None:
    frame = make_table()
    asked = Request(n_cuts=3, forbidden=("a",), monotone={"age": -1})
    found = cl.find_best(frame, "ill", 2, request=asked)
    assert "a" not in found.columns_of(found.best.rule)
    for _, rule in cl.find_best(frame, "ill", 2, within=0.05, request=asked).rules:
        names = [(found.counted.names[max(f, ~f)], f >= 0) for f in rule.facts]
        assert not any(name.startswith("age ≥") and holds for name, holds in names)


def test_costs_decide_what_is_best() -> None:
    found = cl.find_best(make_table(), "ill", 2, objective=Objective(missed=9), request=Request(n_cuts=3))
    wrong = np.asarray(found.model().predict(make_table()))
    truth = make_table()["ill"].to_numpy()
    missed, alarms = ((truth == "yes") & (wrong == "no")).sum(), ((truth == "no") & (wrong == "yes")).sum()
    assert 9 * missed + alarms == found.best.cost


def test_the_rule_may_speak_for_the_other_class() -> None:
    frame = make_table()
    yes, no = (
        cl.find_best(frame, "ill", 2, request=Request(n_cuts=3, positive=each)).best.cost for each in ("yes", "no")
    )
    assert yes == no


@pytest.mark.parametrize(
    ("table", "shape", "problem"),
    [
        (make_table().assign(ill=np.arange(90) % 3), "checklist", "two classes, got 3"),
        (make_table(), "formula", "'checklist' or 'points'"),
    ],
)
def test_what_cannot_be_proved_is_refused(table: pd.DataFrame, shape: str, problem: str) -> None:
    with pytest.raises(CrystalogicError, match=problem):
        cl.find_best(table, "ill", 2, shape=shape)


def test_the_command_writes_a_model_and_a_proof_that_verify_counts_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, proof, model = tmp_path / "t.csv", tmp_path / "proof.json", tmp_path / "best.json"
    make_table().to_csv(table, index=False)
    how = ["--target", "ill", "--size", "2", "--cuts", "3", "--json"]
    assert run(["optimal", str(table), *how, "--certificate", str(proof), "--output", str(model)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sizes"][-1]["is_proved"]
    assert run(["verify", str(proof), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["verified"], again["cost"]) == (True, told["sizes"][-1]["cost"])
    assert run(["verify", str(model)]) == 0
    changed = json.loads(proof.read_text())
    proof.write_text(json.dumps({**changed, "cost": changed["cost"] - 1}))
    assert run(["verify", str(proof)]) == 1
    assert "Error" in capsys.readouterr().err
