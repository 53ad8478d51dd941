import io
import json
import sys

import pytest

from crystalogic.cli.app import run

ROWS = ["age,color,risk"] + [
    f"{age},{color},{int(age >= 50 and color == 'red')}" for age in range(20, 80) for color in ("red", "blue")
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def crystalogic(capsys, monkeypatch):
    def call(*arguments, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_from_a_table_to_a_rule_to_predictions(folder, crystalogic):
    code, out, _ = crystalogic("fit", "rows.csv", "--target", "risk")
    assert code == 0
    assert "risk is 1 if both of these:" in out
    assert "color is red" in out
    assert "Written to model.json" in out
    code, out, _ = crystalogic("verify", "model.json")
    assert (code, out.splitlines()[1]) == (
        0,
        "Proved: the formulas and the crystal compute the same function throughout the scope.",
    )
    code, out, err = crystalogic("predict", "model.json", "-", stdin="age,color\n70,red\n70,pink\n20,red\n")
    assert (code, out) == (0, "row,risk,degree of 1\n0,1,1.0\n1,0,0.0\n2,0,0.0\n")
    assert err == "note: color = pink was in no training row; its literals are false.\n"
    code, out, _ = crystalogic("explain", "model.json", "--value", "age=70", "--value", "color=red")
    assert code == 0
    assert out.endswith("risk is 1: the degree 1.00 is at least 0.50 (distance 0.50)\n")
    code, out, _ = crystalogic("explain", "model.json", "rows.csv", "--row", "0", "--json")
    assert json.loads(out)["decision"] == "0"
    code, _, err = crystalogic("predict", "model.json", "-", stdin="age\n70\n")
    assert code == 1
    assert "the rule needs the column 'color'; the table has age" in err
    assert crystalogic("predict", "model.json", "rows.csv", "--output", "out.csv")[0] == 0
    assert (folder / "out.csv").read_text().count("\n") == 121
    assert sorted(path.name for path in folder.iterdir()) == ["model.json", "out.csv", "rows.csv"]


def test_recover_finds_the_formula_of_a_truth_table(folder, crystalogic):
    values = (0, 0.5, 1)
    lines = [f"{a},{b},{max(0, a + b - 1)}" for a in values for b in values]
    (folder / "table.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    code, out, _ = crystalogic("recover", "table.csv", "--target", "y")
    assert (code, out) == (0, "a ⊗ b\nThe formula is exact on every row.\n")


def test_data_sets_are_listed_and_written(folder, crystalogic):
    code, out, _ = crystalogic("datasets")
    assert code == 0
    assert "heart            303 rows  13 columns  target disease" in out
    assert crystalogic("datasets", "monks-1", "--test", "--output", "test.csv")[0] == 0
    assert (folder / "test.csv").read_text().count("\n") == 433
    assert "has no fixed test rows" in crystalogic("datasets", "heart", "--test")[2]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("fit", "nowhere.csv", "-t", "risk"), 1, "TableError: nowhere.csv: there is no such file."),
        (("fit", "rows.csv", "-t", "Risk"), 1, "there is no column 'Risk'; the columns are age, color, risk."),
        (("fit", "rows.csv", "-t", "age"), 1, "the target 'age' has 60 different values. A rule predicts classes"),
        (("fit", "constant.csv", "-t", "y"), 1, "the target 'y' is always '1'; there is nothing to learn."),
        (("fit", "holes.csv", "-t", "y"), 1, "row 1: 'y' is missing. Drop the row."),
        (("fit", "rows.csv", "-t", "risk", "--kind", "age"), 2, "expected COLUMN=KIND"),
        (("fit", "rows.csv", "-t", "risk", "--monotone", "age"), 2, "expected COLUMN=+"),
        (("fit", "rows.csv", "-t", "risk", "--forbid", "zip"), 1, "'zip' is no column that is used"),
        (("fit", "rows.csv", "-t", "risk", "--strategy", "magic"), 1, "no training strategy 'magic'"),
        (("predict", "rows.csv", "rows.csv"), 1, "not a model"),
        (("verify", "nowhere.json"), 1, "cannot be read as a model"),
        (("explain", "rows.csv"), 1, "not a model"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_written(folder, crystalogic, arguments, code, message):
    (folder / "constant.csv").write_text("x,y\n1,1\n2,1\n")
    (folder / "holes.csv").write_text("x,y\n1,1\n2,?\n")
    before = sorted(path.name for path in folder.iterdir())
    found, out, err = crystalogic(*arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err
    assert sorted(path.name for path in folder.iterdir()) == before
