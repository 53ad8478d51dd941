"""Reasons: the facts that add most points to the score of a row."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crystalogic as cl
from audited import SMALL, loan, small_degree, small_model, small_rows
from crystalogic.cli.app import run
from crystalogic.encoding import Cut, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import RiskError
from crystalogic.fitting.reading import model_of
from crystalogic.logic.evaluate import exact_function
from crystalogic.logic.score import score_of
from crystalogic.model import Risk
from crystalogic.model.ladders import adds_points

CREDIT = Encoding(
    (
        Column("debts", "code", (Is("debts", "0"),), ("0", "1", "2"), has_missing=True),
        Column("income", "number", (Cut("income", 30.0),)),
        Column("job", "category", (Is("job", "none"), Is("job", "=cmd()")), ("=cmd()", "none", "steady")),
        Column("age", "number", (Cut("age", 25.0),)),
    )
)
RULE = cl.parse(
    "at least 3 of (¬{age ≥ 25}, 2·¬{debts=0}, ¬{income ≥ 30}, 3·({job=none} ⊗ ¬{income ≥ 30}), {job==cmd()})"
)
MODEL = replace(model_of([RULE], CREDIT, "default", ("no", "yes")), risk=Risk(tuple(range(500, 9500, 1000))))
TABLE = "debts,income,job,age\n0,50,steady,40\n1,20,none,40\n,50,=cmd(),20\n2,50,steady,40\n0,?,steady,40\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    MODEL.save("model.json")
    Path("rows.csv").write_text(TABLE, "utf-8")


def test_the_most_points_come_first_and_ties_as_the_rule_lists_them():
    rows = {"debts": [0, 1, None], "income": [50, 20, 50], "job": ["steady", "none", "steady"], "age": [40, 20, 20]}
    found = cl.reasons(MODEL, rows)
    assert [list(map(str, each)) for each in found] == [
        [],
        [
            "both of these: job is none; income is below 30 (+3)",
            "debts is not 0 (or missing) (+2)",
            "age is below 25 (+1)",
        ],
        ["debts is not 0 (or missing) (+2)", "age is below 25 (+1)"],
    ]
    assert [each.words for each in cl.reasons(MODEL, rows, most=9)[1]][2:] == ["age is below 25", "income is below 30"]
    assert cl.reasons(MODEL, pd.DataFrame(rows), most=1)[1][0].part == "{job=none} ⊗ ¬{income ≥ 30}"
    assert cl.reasons(MODEL, rows, most=0) == [(), (), ()]


def test_predictions_have_columns_of_reasons(files, capsys):
    assert run(["predict", "model.json", "rows.csv", "--reasons", "2", "--unknown", "skip"]) == 0
    assert capsys.readouterr().out == (
        "row,default,degree of yes,reason 1,reason 2\n"
        "0,no,0.0,,\n"
        '1,yes,1.0,"both of these: job is none; income is below 30 (+3)",debts is not 0 (or missing) (+2)\n'
        "2,yes,1.0,debts is not 0 (or missing) (+2),age is below 25 (+1)\n"
        "3,no,0.0,debts is not 0 (or missing) (+2),\n"
        "4,,,,\n"
    )
    assert run(["predict", "model.json", "rows.csv", "--reasons", "3", "--risk", "--unknown", "skip", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told[2].items())[3:] == [
        ("score", 4),
        ("probability of yes", 0.45),
        ("reason 1", "debts is not 0 (or missing) (+2)"),
        ("reason 2", "age is below 25 (+1)"),
        ("reason 3", "job is =cmd() (+1)"),
    ]
    assert [told[4][f"reason {n}"] for n in (1, 2, 3)] == [None, None, None]


def test_rules_that_do_not_count_facts_have_no_reasons(files, capsys):
    several = small_model(["{c=1}", "{c=3}", "1"], ("red", "green", "blue"))
    for model in (several, small_model(["{c=1}"], None), loan("age ⊗ {debts=0}")):
        with pytest.raises(RiskError, match="reasons are told of a rule that counts facts for one of two classes"):
            cl.reasons(model, {"c": [1], "age": [40], "debts": [0]})
    several.save("several.json")
    assert run(["predict", "several.json", "rows.csv", "--reasons", "3"]) == 1
    told = capsys.readouterr()
    assert (told.out, "RiskError: reasons are told of a rule" in told.err) == ("", True)


FACTS = [name for name in SMALL.names if SMALL.literals[name].is_boolean]


@given(st.dictionaries(st.sampled_from(FACTS), st.integers(1, 4), min_size=1), st.data())
def test_reasons_add_up_to_the_score(points, data):
    """All reasons together have the points of the row, the most first; steps of one column are one reason."""
    counted = [cl.Variable(name) for name, worth in points.items() for _ in range(worth)]
    model = small_model([cl.AtLeast(data.draw(st.integers(1, len(counted))), *counted)], ("no", "yes"))
    rows = list(small_rows(model.columns))
    table = {column: [row[column] for row in rows] for column in model.columns}
    worths = {part: (worth, exact_function(part)) for part, worth in score_of(model.formulas[0]).points.items()}
    for row, every, some in zip(rows, cl.reasons(model, table, 99), cl.reasons(model, table, 2), strict=True):
        values = {name: small_degree(name, row[SMALL.literals[name].column]) for name in model.names}
        held = {part: worth for part, (worth, degree) in worths.items() if degree(values)}
        assert sum(reason.points for reason in every) == sum(held.values())
        assert [reason.points for reason in every] == sorted((reason.points for reason in every), reverse=True)
        assert {reason.part for reason in every} <= set(map(str, held))
        steps = [SMALL.literals[reason.part.strip("{}")] for reason in every]
        columns = [step.column for step in steps if isinstance(step, Cut)]
        assert len(columns) == len(set(columns)) or not adds_points(model.formulas[0], SMALL.literals)
        assert some == every[:2]


def test_steps_of_one_column_are_one_reason():
    cuts = [Cut("age", at) for at in (20, 30, 40)]
    encoding = Encoding([Column("age", "number", tuple(cuts), low=0.0, high=99.0)])
    for sign, told in (
        ("", [[], ["age is at least 20 (+2)"], ["age is at least 40 (+7)"]]),
        ("¬", [["age is below 20 (+7)"], ["age is below 30 (+5)"], []]),
    ):
        rule = cl.parse("at least 3 of (2·S{age ≥ 20}, S{age ≥ 30}, 4·S{age ≥ 40})".replace("S", sign))
        found = cl.reasons(model_of([rule], encoding, "ill", ("no", "yes")), {"age": [10, 25, 50]})
        assert [list(map(str, each)) for each in found] == told
