"""Command lines run in this process, and a small table with a rule about it."""

import io
import sys

import pytest

from cli_table import ROWS
from crystalogic.cli.app import run
from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse


@pytest.fixture
def crystalogic(capsys, monkeypatch):
    """Run a command line: (exit code, standard output, standard error)."""

    def call(*arguments, stdin=b""):
        given = stdin if isinstance(stdin, bytes) else stdin.encode("utf-8")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def model(folder):
    """A rule on age and color, of a table that also had a note."""
    table = {"age": [20, 30, 40, 50, 60, 70], "color": ["red", "blue"] * 3, "note": list("xyzxyz")}
    encoding = fit_encoding(table, n_cuts=1)
    rule = model_of([parse("{age ≥ 50} ⊗ {color=red}")], encoding, "risk", ["no", "yes"])
    rule.save(folder / "model.json")
    return rule
