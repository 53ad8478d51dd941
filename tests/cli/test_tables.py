"""Tables as hospitals export them, from the file to the rule to a colleague's file."""

import json

import pytest

from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse

pytestmark = pytest.mark.usefixtures("compiled")
QUICK = ("--max-literals", "1", "--time", "2")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table_of(**columns):
    return "\n".join(map(",".join, [list(columns), *zip(*(map(str, each) for each in columns.values()), strict=True)]))


@pytest.fixture
def german(folder, crystalogic):
    """A model from a table with decimal commas, thousands apart, and empty rows at its end."""
    lines = ["Größe;Leukozyten;Status"]
    lines += [f"1,{row % 40:02d};{row % 20 + 1}.250;{'krank' if row % 20 >= 10 else 'gesund'}" for row in range(80)]
    text = "\r\n".join([*lines, ";;", ";;", ""])
    code, out, err = crystalogic("fit", "-", "-t", "Status", *QUICK, stdin=text.encode("cp1252"))
    assert (code, err) == (0, "")
    return out


def test_decimal_commas_thousands_and_empty_rows_are_read_as_they_are_meant(german):
    assert german.startswith(
        "Columns (overrule with --kind COLUMN=KIND):\n"
        "  Größe       number from 1 to 1.39\n"
        "  Leukozyten  number from 1250 to 20250\n"
    )
    assert "Status is krank if Leukozyten is at least " in german


def test_a_colleague_file_is_read_as_the_training_table_was(german, crystalogic):
    """16.250 alone could be sixteen; the model comes from a table where it was sixteen thousand."""
    code, out, _ = crystalogic("predict", "model.json", "-", stdin="Leukozyten;x\n16.250;1\n2.250;1\n")
    assert (code, out) == (0, "row,Status,degree of krank\n0,krank,1.0\n1,gesund,0.0\n")
    code, out, _ = crystalogic("predict", "model.json", "-", "--decimal", ".", stdin="Leukozyten;x\n16.250;1\n")
    assert (code, out) == (0, "row,Status,degree of krank\n0,gesund,0.0\n")
    code, out, _ = crystalogic("explain", "model.json", "--value", "Leukozyten=16.250,5")
    assert (code, out.splitlines()[1]) == (0, "  Leukozyten = 16250.5")
    code, _, err = crystalogic("explain", "model.json", "--value", "Leukozyten=16 G/l")
    assert (code, err.partition("expected ")[2]) == (1, "a number. Write the number alone, without its unit.\n")


def test_what_is_worth_a_look_is_said_after_the_fit(folder, crystalogic):
    text = table_of(
        left=["home", "morgue", "home"] * 20,
        dose=["5 mg", "10 mg", "20 mg", "5 mg"] * 15,
        lactate=[1 + row / 7 for row in range(58)] + [999, 999],
        outcome=["alive", "died", "alive"] * 20,
    )
    code, out, _ = crystalogic("fit", "-", "-t", "outcome", *QUICK, stdin=text)
    assert code == 0
    assert (
        "\nWorth a look:\n"
        "  - One fact alone, 'left is morgue', tells outcome = died in every row. "
        "If left is only known afterwards, it gives the answer away: --ignore left.\n"
        "  - dose holds numbers with the unit mg, read as a category. "
        "Write the numbers alone, and they can be compared.\n"
        "  - lactate is 999 in 2 rows, and otherwise from 1 to 9.142857142857142. "
        "If 999 stands for a missing value, leave those cells empty.\n"
        "\nWritten to model.json." in out
    )
    _, out, _ = crystalogic("fit", "-", "-t", "outcome", "--json", *QUICK, stdin=text)
    assert len(json.loads(out)["remarks"]) == 3


def test_a_rare_class_that_is_overlooked_is_told_and_can_be_counted_alike(folder, crystalogic):
    is_ill = [row % 20 == 0 for row in range(400)]
    text = table_of(
        crp=["high" if ill or row % 7 == 0 else "low" for row, ill in enumerate(is_ill)],
        sex=["f", "m"] * 200,
        ill=["yes" if ill else "no" for ill in is_ill],
    )
    code, out, _ = crystalogic("fit", "-", "-t", "ill", *QUICK, stdin=text)
    assert (code, "ill is always no: no rule was found that is better" in out) == (0, True)
    assert (
        "  - ill = yes is rare, 20 of 400 rows, and the rule finds 0 of them: accuracy hardly counts them. "
        "--balanced counts every class alike.\n" in out
    )
    code, out, _ = crystalogic("fit", "-", "-t", "ill", "--balanced", "--report", "page.html", *QUICK, stdin=text)
    assert (code, "ill is yes if crp is not low" in out) == (0, True)
    assert "\nScores count every class alike: always the same class would be 0.500.\n" in out
    assert "--balanced counts" not in out
    assert "Scores count every class alike" in (folder / "page.html").read_text("utf-8")
    code, _, err = crystalogic("fit", "-", "-t", "ill", "--balanced", "--degrees", stdin=text)
    assert (code, "--balanced counts classes alike" in err) == (2, True)


def test_few_rows_are_said_to_be_few(folder, crystalogic):
    _, out, _ = crystalogic("fit", "-", "-t", "y", *QUICK, stdin=table_of(x=[0, 1, 1] * 10, y=[0, 1, 0] * 10))
    assert "  - 30 rows are few: try the rule on other rows before you trust it.\n" in out


def test_rows_without_a_target_are_refused_or_left_out(folder, crystalogic):
    text = table_of(x=[0, 1, 1, 0] * 15, y=["no", "yes", "", "no"] * 15)
    code, _, err = crystalogic("fit", "-", "-t", "y", *QUICK, stdin=text)
    assert (code, err) == (
        1,
        "TableError: row 2: the target 'y' is missing, and in 14 more rows. "
        "Fill it in, or leave such rows out: fit --skip-unknown.\n",
    )
    code, out, _ = crystalogic("fit", "-", "-t", "y", "--skip-unknown", "--json", *QUICK, stdin=text)
    assert (code, json.loads(out)["notes"]["n_rows"]) == (0, 45)


def test_a_gap_in_a_category_that_had_none_is_told(folder, crystalogic):
    """Once, nobody heard that a patient without an entry was taken for one who does not smoke."""
    encoding = fit_encoding({"smoker": ["no", "yes"] * 3})
    model_of([parse("{smoker=yes}")], encoding, "risk", [0, 1]).save("model.json")
    code, out, err = crystalogic("predict", "model.json", "-", stdin="smoker,x\nYes,1\n,1\nyes,1\n")
    assert (code, out) == (0, "row,risk,degree of 1\n0,0,0.0\n1,0,0.0\n2,1,1.0\n")
    assert err == (
        "note: smoker = Yes was in no training row; it equals none of the known values (no, yes). Did you mean yes?\n"
        "note: smoker is missing, which it was in no training row; it equals none of the known values (no, yes).\n"
    )
