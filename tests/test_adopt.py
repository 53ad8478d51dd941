"""Any row of the front can be adopted: it is certified anew, and what is said of it is said of it alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from audited import SOUND, loan, with_front
from crystalogic.cli.app import run
from crystalogic.errors import FrontError, TrainingDataError
from crystalogic.fitting import Request, fit
from crystalogic.words.models import choice_text

FRONT = with_front(loan(SOUND), "{age ≥ 25}", "{age ≥ 25} ⊗ ¬{debts ≥ 2}")
ROWS = {"age": [20, 30, 40], "income": [50, 20, 50], "sex": ["f"] * 3, "debts": [0, 2, 1]}


@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_every_row_of_the_front_can_be_adopted_and_is_certified(size, tmp_path):
    model = FRONT.adopt(size)
    row = FRONT.fronts[0][min(size, 3) - 1]
    assert model.written == (row.formula,)
    assert model.fronts[0][model.chosen[0]] is row
    model.save(tmp_path / "m.json")
    again = cl.load(tmp_path / "m.json")
    again.check()
    truths = model.encoding.transform(ROWS, model.names, dtype="float64")
    wanted = row.formula.evaluate(dict(zip(model.names, truths.T, strict=True))) >= 0.5
    assert again.predict(ROWS).tolist() == ["yes" if each else "no" for each in wanted]
    assert again.summary()["chosen"][0]["formula"] == str(row.formula)
    assert again.adopt(3).formulas == FRONT.formulas  # and back


def test_what_was_measured_of_the_other_rule_is_dropped_and_what_was_proved_of_all_stays():
    model = FRONT.adopt(2)
    assert model.record.held_out is None
    assert model.record.choice == ("adopted: the best formula with at most 2 literals",)
    assert model.record.promises == FRONT.record.promises
    assert FRONT.adopt(3) is FRONT  # the same rule, with all that is known of it
    assert model.fingerprint != FRONT.fingerprint


def test_a_size_that_no_formula_has_and_a_model_without_a_front_are_refused():
    with pytest.raises(FrontError, match="no formula of the front has at most 0 literals; the sizes are 1, 2, 3"):
        FRONT.adopt(0)
    with pytest.raises(FrontError, match="this model has no front"):
        loan(SOUND).adopt(1)


def test_each_of_several_classes_gets_its_formula_of_that_size():
    from sklearn.datasets import load_iris

    iris = load_iris(as_frame=True)
    rule = cl.LukasiewiczClassifier(max_literals=4).fit(iris.data, iris.target)
    earlier = replace(rule.model_.record, strategy="annealing")  # which once had a front for each class
    whole = replace(rule.model_, record=earlier)
    for size in (1, 2):
        model = whole.adopt(size)
        model.check()
        assert [formula.size <= size for formula in model.written] == [True] * 3
        chosen = [front[place].formula for front, place in zip(model.fronts, model.chosen, strict=True)]
        assert list(model.written) == chosen


def test_a_list_is_adopted_as_a_whole():
    from sklearn.datasets import load_iris

    iris = load_iris(as_frame=True)
    rule = cl.LukasiewiczClassifier(max_literals=4).fit(iris.data, iris.target).model_
    for size in (2, 3):
        model = rule.adopt(size)
        model.check()
        assert sum(formula.size for formula in model.written) <= size
        assert len(set(model.chosen)) == 1


def _table(n=120):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (n, 4)), columns=list("abcd"))
    return frame.assign(y=np.where(frame["a"] & frame["b"] | frame["c"] & (rng.random(n) < 0.8), "yes", "no"))


def test_fit_adopts_a_size_and_measures_rules_of_that_size():
    request = Request(strategy=cl.Annealing(max_literals=3, folds=3, effort=0.3), n_splits=2)
    free = fit(_table(), "y", request).model
    adopted = {size: fit(_table(), "y", replace(request, size=size)).model for size in (1, 2, 3)}
    for size, found in adopted.items():
        assert found.fronts == free.fronts
        assert found.formulas == free.adopt(size).formulas
        assert found.record.held_out is not None
    assert adopted[1].record.held_out.mean < 0.9
    with pytest.raises(TrainingDataError, match="a size goes with strategy='annealing'"):
        fit(_table(), "y", Request(strategy="proximal", size=2))
    with pytest.raises(TrainingDataError, match="the 'size' parameter must be None or a whole number from 0 on"):
        Request(size=1.5)


def test_what_is_promised_is_kept_by_the_size_that_is_adopted():
    request = Request(
        strategy=cl.Annealing(max_literals=3, folds=3, effort=0.3), monotone={"a": 1}, required=("d=1",), size=2
    )
    model = fit(_table(), "y", request).model
    assert "d=1" in model.formulas[0].variables
    assert cl.monotone(model, "a")


def test_the_command_line_adopts_while_it_learns_and_from_a_model_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _table().to_csv("t.csv", index=False)
    assert run(["fit", "t.csv", "-t", "y", "--max-literals", "3", "--size", "2", "-o", "two.json", "--quiet"]) == 0
    assert run(["fit", "t.csv", "-t", "y", "--max-literals", "3", "-o", "m.json", "--quiet"]) == 0
    capsys.readouterr()
    assert run(["adopt", "m.json", "--size", "2", "-o", "other.json"]) == 0
    assert "▶         2" in capsys.readouterr().out
    assert cl.load("other.json").formulas == cl.load("two.json").formulas
    assert run(["verify", "other.json"]) == 0
    assert run(["report", "other.json", "t.csv"]) == 0
    assert run(["diff", "other.json", "two.json"]) == 0
    assert run(["adopt", "m.json", "--size", "0", "-o", "none.json"]) == 0
    assert cl.load("none.json").formulas[0].size == 0
    required = ["--max-literals", "3", "--require", "d=1", "-o", "d.json", "--quiet"]
    assert run(["fit", "t.csv", "-t", "y", *required]) == 0
    capsys.readouterr()
    assert run(["adopt", "d.json", "--size", "0", "-o", "never.json"]) == 1
    assert "FrontError: no formula of the front has at most 0 literals" in capsys.readouterr().err
    assert run(["adopt", "m.json", "--size", "1", "-o", "-"]) == 2


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ((0.7, 0.8, 0.9), ""),
        ((0.7, 0.9, 0.8), "▶ least loss.\n  For the most right rows, take 2 literals: --size 2."),
        ((None, None, None), ""),
    ],
)
def test_a_row_that_is_not_the_most_right_says_why_it_was_chosen(scores, told):
    rows = tuple(replace(row, validated=score) for row, score in zip(FRONT.fronts[0], scores, strict=True))
    model = replace(FRONT, fronts=(rows,), chosen=(2,)).with_facts(choice=("least loss",))
    assert choice_text(model) == told


def test_nobody_is_sent_to_a_rule_without_facts():
    constant = replace(FRONT.fronts[0][0], size=0, validated=0.95)
    rows = (constant, *(replace(row, validated=0.9) for row in FRONT.fronts[0][1:]))
    assert choice_text(replace(FRONT, fronts=(rows,), chosen=(2,)).with_facts(choice=("least loss",))) == ""
