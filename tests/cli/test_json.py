"""The keys that docs/reference/commands.md promises are the keys that scripts find."""

import io
import json
import re
import sys
from pathlib import Path

import pytest

from audited import SOUND, UNFAIR, loan, with_front
from crystalogic.cli.app import run

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
ASKED = {"verdict", "claim", "scope", "reason", "row", "cases"}
ROWS = "age,income,sex,debts\n40,50,f,1\n20,50,m,0\n40,20,f,?\n"
CASES = {
    "explain`, without a row": "explain sound.json",
    "explain`": "explain sound.json rows.csv",
    "verify`": "verify sound.json",
    "adopt`": "adopt front.json --size 1 -o other.json",
    "prove`": "prove a->b",
    "ask`": "ask sound.json monotone age --decreasing",
    "ask … counterfactual`": "ask sound.json counterfactual rows.csv --row 2",
    "ask … reason`": "ask sound.json reason rows.csv",
    "simplify`": "simplify a&1",
    "table`": "table a",
    "eval`": "eval a a=1",
}


def promised(command):
    page = PAGE.read_text(encoding="utf-8").partition("## JSON")[2]
    (line,) = re.findall(rf"^\| `{re.escape(command)} \| (.*) \|$", page, re.MULTILINE)
    keys = set(re.findall(r"`(\w+)`", line.replace("those of `ask`", "")))
    return keys | ASKED if "those of `ask`" in line else keys


@pytest.fixture
def answer(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    loan(SOUND).save(tmp_path / "sound.json")
    loan(UNFAIR).save(tmp_path / "unfair.json")
    with_front(loan(SOUND), "{age ≥ 25}").save(tmp_path / "front.json")
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")

    def call(line):
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        assert run([*line.split(), "--json"]) in (0, 1)
        return set(json.loads(capsys.readouterr().out))

    return call


@pytest.mark.parametrize("command", CASES)
def test_the_keys_are_those_of_the_page(answer, command):
    assert answer(CASES[command]) == promised(command)


def test_keys_that_depend_on_the_verdict(answer):
    settled = "ask sound.json missing --value age=20 --value income=50"
    assert answer(settled) == promised("ask … missing`") - {"not_needed"}
    assert answer("ask sound.json missing rows.csv --unknown income") == promised("ask … missing`") - {"decision"}
    assert answer("diff sound.json unfair.json rows.csv") == promised("diff`")
    assert answer("diff sound.json sound.json") == ASKED


@pytest.mark.usefixtures("compiled")
def test_keys_of_what_is_learned(answer, tmp_path):
    (tmp_path / "not.csv").write_text("a,y\n0,1\n1,0\n", encoding="utf-8")
    assert answer("recover not.csv --target y") == promised("recover`")
    (tmp_path / "few.csv").write_text("a,y\n" + "u,no\nv,yes\n" * 9, encoding="utf-8")
    assert answer("fit few.csv --target y --max-literals 1") == promised("fit`")
