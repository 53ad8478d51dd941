import re

import pytest

from crystalogic.cli.app import run
from crystalogic.cli.options import DESCRIBED
from crystalogic.export import TARGETS, to
from crystalogic.export.quoting import DIALECTS
from export_cases import facts_only, heart


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    heart().save(tmp_path / "model.json")
    return tmp_path


def test_every_target_is_written_as_the_library_writes_it(folder, capsys):
    facts_only().save(folder / "model.json")  # DMN has no degrees
    for target in TARGETS:
        written = to(facts_only(), target)
        assert run(["export", "model.json", target, "--no-verify", "--output", f"out.{target}"]) == 0
        content = (folder / f"out.{target}").read_bytes()
        if target == "xlsx":  # it says when it was made
            content, written = content[:4], bytes(written)[:4]
        assert content == (written if isinstance(written, bytes) else written.encode())
        if isinstance(written, str):
            assert run(["export", "model.json", target, "--no-verify"]) == 0
            assert capsys.readouterr().out == written
    assert len(list(folder.iterdir())) == 1 + len(TARGETS)


def test_a_spreadsheet_has_as_many_rows_as_asked_for(folder, capsys):
    openpyxl = pytest.importorskip("openpyxl")
    assert run(["export", "model.json", "xlsx", "--rows", "3", "--output", "rule.xlsx"]) == 0
    assert openpyxl.load_workbook("rule.xlsx")["Batch"].max_row == 4
    assert run(["export", "model.json", "xlsx", "--rows", "3"]) == 2
    assert "xlsx is not text; say where to write it with --output." in capsys.readouterr().err


def test_options_reach_the_target(folder, capsys):
    assert (
        run(["export", "model.json", "sql", "--table", "a.b", "--keep", "id", "--dialect", "sqlite", "--no-verify"])
        == 0
    )
    assert capsys.readouterr().out == to(heart(), "sql", table="a.b", keep=["id"], dialect="sqlite")
    typed = ["--dialect", "duckdb", "--type", "age=number", "--type", "cp=integer", "--view", "v", "--no-verify"]
    assert run(["export", "model.json", "sql", "--table", "t", *typed]) == 0
    types = {"age": "number", "cp": "integer"}
    assert capsys.readouterr().out == to(heart(), "sql", table="t", dialect="duckdb", types=types, view="v")
    assert run(["export", "model.json", "c", "--name", "rule"]) == 0
    assert "int rule_decide(" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["model.json", "onnx"], 2, "onnx is not text; say where to write it with --output."),
        (["model.json", "cobol"], 1, "ExportError: there is no export target 'cobol'"),
        (["model.json", "latex", "--table", "x"], 1, "ExportError: the target 'latex' has no option 'table'"),
        (["model.json", "sql", "--type", "age"], 2, "expected COLUMN=TYPE, such as age=number, got"),
        (["model.json", "sql", "--type", "age=float"], 1, "ExportError: there is no type 'float' for 'age'"),
        (["model.json", "sql", "--type", "aeg=number"], 1, "ExportError: there is no column 'aeg' to give a type"),
        (["model.json", "sql", "--type", "age=a<b"], 1, "ExportError: there is no type 'a<b' for 'age'"),
        (
            ["model.json", "sql", "--table", "read_parquet('a.parquet')"],
            1,
            "ExportError: read_parquet('a.parquet') is a call, and --table takes a name. Give it one in the database, "
            "CREATE VIEW incoming AS SELECT * FROM read_parquet('a.parquet'), and export with --table incoming.",
        ),
        (["nowhere.json", "sql"], 1, "cannot be read as a model"),
        (["model.json", "sql", "-o", "no/where.sql"], 1, "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_message(folder, capsys, arguments, code, message):
    assert run(["export", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert [path.name for path in folder.iterdir()] == ["model.json"]


def test_the_help_lists_all_targets_and_dialects(capsys):
    assert re.findall(r"\w+", DESCRIBED["export"]["target"]["help"].replace(" or ", " ")) == list(TARGETS)
    run(["export", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert all(name in shown for name in (*TARGETS, *DIALECTS))
