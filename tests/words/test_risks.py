"""The risk in words, in print, in predictions and on pages."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crystalogic.cli.app import run
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.fitting.reading import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import Model, Risk
from crystalogic.model.risk import Band
from crystalogic.report import report_page
from crystalogic.words.explanations import explanation_content, explanation_text
from crystalogic.words.models import model_html, model_text, received_text
from crystalogic.words.risks import MOST_LINES, risk_lines, risk_text


def model_with(formula: str, shares: tuple[int, ...]) -> Model:
    columns = [Column(name, "code", (Is(name, "1"),), ("0", "1")) for name in "abc"]
    return replace(model_of([parse(formula)], Encoding(columns), "ill", ("no", "yes")), risk=Risk(shares))


CHECKLIST = model_with("at least 2 of ({a=1}, {b=1}, {c=1})", (700, 2400, 7700, 9700))
POINTS = model_with(
    "at least 5 of (4·{a=1}, 3·{b=1}, 2·{c=1})", (20, 40, 300, 1200, 3000, 6000, 8000, 9000, 9960, 9980)
)


def test_a_checklist_tells_how_likely_each_number_of_facts_makes_it() -> None:
    text = "how likely ill is yes:\n  0 of 3: 7 %\n  1 of 3: 24 %\n  2 of 3: 77 %\n  3 of 3: 97 %"
    assert risk_text(CHECKLIST) == text
    assert text in model_text(CHECKLIST)
    assert text in received_text(CHECKLIST)
    assert text in model_html(CHECKLIST)


def test_only_points_that_add_up_are_listed_and_extremes_are_not_rounded_to_certainty() -> None:
    assert [(line.points, line.percent, line.is_reached) for line in risk_lines(POINTS)] == [
        ("0 points", "under 1 %", False),
        ("2 points", "3 %", False),
        ("3 points", "12 %", False),
        ("4 points", "30 %", False),
        ("5 points", "60 %", True),
        ("6 points", "80 %", True),
        ("7 points", "90 %", True),
        ("9 points", "over 99 %", True),
    ]


def test_many_scores_share_lines_but_never_across_the_threshold() -> None:
    formula = "at least 15 of (16·{a=1}, 8·{b=1}, 4·{c=1}, 2·({a=1} ⊗ {b=1}), {b=1} ⊗ {c=1})"
    shares = tuple(100 + 250 * score for score in range(32))
    lines = risk_lines(model_with(formula, shares))
    assert len(lines) <= MOST_LINES
    assert (lines[0].points, lines[0].percent) == ("0–4 points", "1–11 %")
    assert next(line.points for line in lines if line.is_reached).startswith("15–")


def test_a_constant_has_one_probability_and_a_model_without_a_risk_says_nothing() -> None:
    assert risk_text(model_with("0", (2400,))) == "how likely ill is yes: 24 %"
    assert risk_text(replace(CHECKLIST, risk=None)) == ""
    assert "likely" not in model_text(replace(CHECKLIST, risk=None))


def test_an_explanation_tells_the_probability_of_its_row() -> None:
    found = CHECKLIST.explain({"a": 1, "b": 1, "c": 0})
    assert explanation_text(found).endswith("\n2 of 3: ill is yes for 77 % of such rows")
    content = explanation_content(found)
    assert (content["score"], content["probability"]) == (2, 0.77)
    plain = explanation_content(replace(CHECKLIST, risk=None).explain({"a": 1, "b": 1, "c": 0}))
    assert "probability" not in plain


def test_the_page_has_the_table() -> None:
    page = report_page(CHECKLIST, seconds=0)
    assert "How likely ill is yes" in page
    assert '<tr class="reached"><th scope="row">2 of 3</th><td>77 %</td><td>yes</td></tr>' in page
    assert "How likely" not in report_page(replace(CHECKLIST, risk=None), seconds=0)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    CHECKLIST.save("model.json")
    replace(CHECKLIST, risk=None).save("plain.json")
    Path("rows.csv").write_text("a,b,c\n0,0,0\n1,1,0\n,1,1\n", "utf-8")


def test_predictions_have_the_score_and_the_probability_where_they_are_asked_for(files: Any, capsys: Any) -> None:
    assert run(["predict", "model.json", "rows.csv", "--risk", "--unknown", "skip"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["row,ill,degree of yes,score,probability of yes", "0,no,0.0,0,0.07", "1,yes,1.0,2,0.77", "2,,,,"]
    assert run(["predict", "model.json", "rows.csv", "--risk", "--unknown", "skip", "--json"]) == 0
    first, _, last = json.loads(capsys.readouterr().out)
    assert first == {"row": 0, "ill": "no", "degree of yes": 0.0, "score": 0, "probability of yes": 0.07}
    assert last == {"row": 2, "ill": None, "degree of yes": None, "score": None, "probability of yes": None}


def test_predictions_say_when_to_ask_a_person(files: Any, capsys: Any) -> None:
    replace(CHECKLIST, band=Band(1, 3, 1000, (20, 20))).save("band.json")
    command = ["predict", "band.json", "rows.csv", "--unknown", "skip"]
    assert run([*command, "--risk"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "row,ill,degree of yes,score,probability of yes,ask",
        "0,no,0.0,0,0.07,False",
        "1,yes,1.0,2,0.77,True",
        "2,,,,,",
    ]
    assert run([*command, "--risk", "--json"]) == 0
    assert [row["ask"] for row in json.loads(capsys.readouterr().out)] == [False, True, None]
    assert run(command) == 0
    assert "ask" not in capsys.readouterr().out


def test_a_risk_that_is_not_there_is_refused(files: Any, capsys: Any) -> None:
    assert run(["predict", "plain.json", "rows.csv", "--risk"]) == 1
    assert "this model has no risk" in capsys.readouterr().err
