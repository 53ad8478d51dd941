"""The commands for studies, from the command line."""

import importlib.util
from functools import partial

import pytest

from crystalogic.cli.app import run as run_command
from research.__main__ import app

run = partial(run_command, application=app)


def test_bench_writes_its_page(tmp_path, capfd):
    words = ["bench", "-o", str(tmp_path), "--tables", "monks-3", "--learners", "Random forest;CART", "--quick"]
    assert run([*words, "--jobs", "1"]) == 0
    captured = capfd.readouterr()
    assert captured.out.startswith("2 of 2 jobs are done. Written: ")
    assert captured.err.startswith("comparing learners: 0 of 2 done\n")
    assert (tmp_path / "comparison.md").read_text(encoding="utf-8").startswith("# Comparison with other learners\n")


def test_an_unknown_table_is_one_sentence(tmp_path, capsys):
    assert run(["bench", "-o", str(tmp_path), "--tables", "tennis"]) == 1
    assert capsys.readouterr().err.startswith("StudyError: no table 'tennis'; there are head-injury, ")


@pytest.mark.parametrize("command", ["reproduce", "bench"])
def test_without_matplotlib_nothing_is_computed_first(tmp_path, monkeypatch, capsys, command):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert run([command, "-o", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == (
        "StudyError: figures need matplotlib, which is not installed. "
        "Install crystalogic[figures], or pass --no-figures.\n"
    )
    assert not (tmp_path / "out").exists()
