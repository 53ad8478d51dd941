"""A fact that a person names is one that the encoding has from then on: a cut of one's own simply works."""

import numpy as np
import pytest

import crystalogic as cl
from crystalogic.cli.app import run
from crystalogic.encoding import Cut, Degree, Is, fit_encoding
from crystalogic.encoding.own import include_facts
from crystalogic.errors import EncodingError, TrainingDataError
from crystalogic.export import to
from crystalogic.fitting import Request, fit, model_of
from crystalogic.fitting.promises import add_own_facts, promises_of
from crystalogic.parts import MemoryParts
from export_engines import run_python

TABLE = {
    "Seniority": [0, 3, 6, 9, 12, 15, 18, 21, 24, 30],
    "sex": ["f", "m"] * 5,
    "debts": [0, 1, 2, 3, 0, 1, 2, 3, 0, None],
    "size": ["small", "medium", "large", "small", "medium"] * 2,
    "same": ["x"] * 10,
}
LOANS = fit_encoding(TABLE, {"size": ["small", "medium", "large"]}, n_cuts=1)
RULE = "{Seniority>=12.0} ⊗ ({sex=f} ⊕ {debts = 0})"


def test_a_rule_over_a_cut_of_ones_own_predicts_loads_explains_answers_and_exports(tmp_path):
    """`model_of` made a model whose rule spoke of a cut that its encoding did not have: it could not predict."""
    model = model_of([cl.parse(RULE)], LOANS, "approved", ("no", "yes"))
    assert str(model) == "approved = yes: {Seniority ≥ 12} ⊗ ({sex=f} ⊕ {debts=0})"
    model.save(tmp_path / "m.json")
    model = cl.load(tmp_path / "m.json")
    model.check()
    wanted = ["yes" if s >= 12 and (x == "f" or d == 0) else "no" for s, x, d, *_ in zip(*TABLE.values(), strict=True)]
    assert model.predict(TABLE).tolist() == wanted
    row = {name: cells[4] for name, cells in TABLE.items()}
    assert model.explain(row).decision == "yes"
    assert cl.monotone(model, "Seniority")
    assert not cl.ignores(model, "sex")
    assert run_python(model, TABLE).decisions == wanted
    assert ">= 12" in to(model, "sql")


def test_every_truth_value_of_an_encoding_is_named_by_its_own_name():
    more, names = include_facts(LOANS, LOANS.names)
    assert more is LOANS
    assert list(names.items()) == [(name, name) for name in LOANS.names]


def test_a_fact_of_ones_own_is_called_what_facts_are_called_and_stands_in_its_place():
    said = ["Seniority>=3", " Seniority ≥ 20.50", "Seniority = 12", "sex = f", "debts >= 1", "size>=large"]
    more, names = include_facts(LOANS, said)
    assert list(names.values()) == [
        "Seniority ≥ 3", "Seniority ≥ 20.5", "Seniority=12", "sex=f", "debts ≥ 1", "size ≥ large"
    ]  # fmt: skip
    assert [each.name for each in more.by_name["Seniority"].literals] == [
        "Seniority", "Seniority ≥ 3", "Seniority ≥ 15", "Seniority ≥ 20.5", "Seniority=12"
    ]  # fmt: skip
    assert more.by_name["debts"].literals[-1].name == "debts is missing"
    assert include_facts(more, said) == (more, names)
    assert more.transform(TABLE, ["Seniority ≥ 20.5"])[:, 0].tolist() == [s >= 20.5 for s in TABLE["Seniority"]]
    assert more.domain.exclusive != LOANS.domain.exclusive  # of f and m, one


def test_a_degree_of_ones_own_is_between_the_least_and_the_greatest():
    cuts = fit_encoding(TABLE, {"size": ["small", "medium", "large"]}, numbers="cuts")
    assert "Seniority" not in cuts.names
    assert include_facts(cuts, ["Seniority"])[0].literals["Seniority"] == Degree("Seniority", 0.0, 30.0)
    thin = LOANS.thin(["sex=m"])
    assert include_facts(thin, ["Seniority ≥ 4"])[0].literals["Seniority ≥ 4"] == Cut("Seniority", 4.0)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("{Senority ≥ 12}", r"'Senority ≥ 12' is no column that is used .*did you mean 'Seniority'\?\)"),
        ("{Seniority < 12}", r"facts are written with ≥ or =; write ¬\{Seniority ≥ 12\}"),
        ("{sex ≠ f}", r"write ¬\{sex=f\}"),
        ("{Seniority ≥ long}", "it holds numbers; compare it with one"),
        ("{Seniority is missing}", "no row lacks it"),
        ("{sex=d}", "its values are f, m"),
        ("{sex ≥ m}", "its values have no order; use ="),
        ("{size=large}", "its values have an order; use ≥"),
        ("{size ≥ small}", "it is its least value"),
        ("{size ≥ lrge}", "did you mean 'large'"),
        ("{same=x}", "the column is left out, it is always 'x'"),
        ("sex", "which truth value of 'sex' is meant"),
        ("zip", "'zip' is no column that is used and no truth value; the columns are Seniority, sex, debts, size"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_of_a_column_is_refused_with_the_way_out(formula, message):
    with pytest.raises(EncodingError, match=message):
        model_of([cl.parse(formula)], LOANS, "approved", ("no", "yes"))


def _rows(n=80):
    rng = np.random.default_rng(0)
    rows = {"Seniority": rng.integers(0, 40, n).tolist(), "income": rng.normal(50, 9, n).round(1).tolist()}
    return rows, ((np.array(rows["Seniority"]) >= 13) & (np.array(rows["income"]) > 45)).astype(int)


def test_a_required_cut_of_ones_own_is_used_by_every_formula_of_the_front():
    rows, y = _rows()
    rule = cl.LukasiewiczClassifier(required=["Seniority>=12"], start="{income ≥ 44.4}", max_literals=2)
    rule.fit(_frame(rows), y)
    assert all("{Seniority ≥ 12}" in str(row.formula) for row in rule.front_)
    assert "Seniority ≥ 12" in rule.formula_.variables
    assert rule.score(_frame(rows), y) > 0.9


def test_a_cut_of_ones_own_is_taken_where_numbers_are_read_as_degrees_alone():
    rows, y = _rows()
    strategy = cl.Annealing(max_literals=2, folds=3, effort=0.3)
    request = Request(required=("Seniority ≥ 12",), numbers="degrees", strategy=strategy, time_budget=5)
    model = fit(MemoryParts(rows, y), "y", request).model
    assert all("Seniority ≥ 12" in formula.variables for formula in model.formulas)


def test_a_start_with_a_cut_of_ones_own_is_a_candidate():
    rows, _ = _rows()
    y = np.array(rows["Seniority"]) >= 14  # no cut at a quantile parts these rows so
    found = cl.LukasiewiczClassifier(start="{Seniority >= 14}", max_literals=2, n_cuts=1).fit(_frame(rows), y)
    assert str(found.formula_) == "{Seniority ≥ 14}"


def test_a_value_of_ones_own_goes_no_way_with_a_column_that_has_a_direction():
    request = Request(required=("Seniority=12",), monotone={"Seniority": 1})
    more = add_own_facts(LOANS, request)
    assert isinstance(more.literals["Seniority=12"], Is)
    assert promises_of(more, request)[0].allowed["Seniority=12"] == 0


def test_a_required_fact_that_is_none_is_refused_before_anything_is_learned():
    rows, y = _rows()
    with pytest.raises(TrainingDataError, match="'zip' is no column that is used"):
        fit(MemoryParts(rows, y), "y", Request(required=("zip",)))
    with pytest.raises(EncodingError, match=r"write ¬\{income ≥ 3\}"):
        fit(MemoryParts(rows, y), "y", Request(required=("income < 3",)))


def test_require_and_start_take_a_cut_of_ones_own_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows, y = _rows()
    frame = _frame(rows).assign(y=y)
    frame.to_csv("loans.csv", index=False)
    fit = ["fit", "loans.csv", "-t", "y", "--max-literals", "2", "--quiet"]
    assert run([*fit, "--require", "Seniority ≥ 12", "--start", "{income ≥ 45.5}"]) == 0
    assert run(["verify", "model.json"]) == 0
    assert "Seniority ≥ 12" in capsys.readouterr().out
    assert run(["predict", "model.json", "loans.csv"]) == 0
    assert run([*fit, "--require", "Senority ≥ 12"]) == 1
    assert "did you mean 'Seniority'?" in capsys.readouterr().err


def _frame(rows):
    import pandas as pd

    return pd.DataFrame(rows)


def test_a_list_of_the_greatest_values_goes_with_a_column_and_one_in_between_no_way():
    heart = cl.datasets.load("heart")
    encoding = cl.encoding.fit_encoding(heart.frame())
    ways = {"cp=3|4": 1, "cp=2|1": -1, "cp=2|3": 0, "cp=1|4": 0}
    request = Request(required=tuple(ways), monotone={"cp": 1})
    allowed = promises_of(add_own_facts(encoding, request), request)[0].allowed
    assert {name: allowed[name] for name in ways} == ways
