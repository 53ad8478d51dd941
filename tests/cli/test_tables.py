"""Tables as hospitals export them, from the file to the rule to a colleague's file."""

import json

import pandas as pd
import pytest

from crystalogic.encoding import Encoding, Is, fit_encoding
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import load

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
        "  - A single fact, 'left is morgue', tells outcome = died in every row. "
        "If left is only known afterwards, it gives the answer away: --ignore left.\n"
        "  - dose holds numbers with the unit mg, read as a category. "
        "Write the numbers alone, and they can be compared.\n"
        "  - lactate is 999 in 2 rows, and otherwise from 1 to 9.142857142857142. "
        "If 999 stands for a missing value, leave those cells empty, or name it: --missing 999.\n"
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
    assert (code, "ill is always no: no better rule was found" in out) == (0, True)
    assert (
        "  - ill = yes is rare, 20 of 400 rows, and the rule finds 0 of them: accuracy hardly counts them. "
        "--balanced gives every class the same weight.\n" in out
    )
    code, out, _ = crystalogic("fit", "-", "-t", "ill", "--balanced", "--report", "page.html", *QUICK, stdin=text)
    assert (code, "ill is yes if crp is not low" in out) == (0, True)
    assert "\nScores give every class the same weight: always the same class would score 0.500.\n" in out
    assert "--balanced counts" not in out
    assert "Scores give every class the same weight" in (folder / "page.html").read_text("utf-8")
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


def test_numbers_outside_the_range_of_training_are_told_once_by_predictions(folder, crystalogic):
    """A rule about fractions took percents without a word, unless it had a degree and one row was explained."""
    table = {"p": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]}
    encoding = fit_encoding(table, numbers="cuts", n_cuts=1)
    model_of([parse("{p ≥ 0.5}")], encoding, "y", ["no", "yes"]).save(folder / "cuts.json")
    code, out, err = crystalogic("predict", "cuts.json", "-", stdin="p\n0.7\n12\n55\n")
    assert (code, out) == (0, "row,y,degree of yes\n0,yes,1.0\n1,yes,1.0\n2,yes,1.0\n")
    assert err == "note: p = 12 lies outside 0 to 1, the range of training.\n"
    assert crystalogic("predict", "cuts.json", "-", stdin="p\n0.7\n1\n")[2] == ""
    assert crystalogic("explain", "cuts.json", "--value", "p=12")[2] == err


def test_cells_that_a_rule_need_not_compare_are_not_refused_for_the_note(folder, crystalogic):
    encoding = fit_encoding({"p": [0.0, 0.2, None, 0.6, 0.8, 1.0]})
    model_of([parse("{p is missing}")], encoding, "y", ["no", "yes"]).save(folder / "gap.json")
    code, out, err = crystalogic("predict", "gap.json", "-", stdin="p\nlow\n?\n7\n")
    assert (code, out) == (0, "row,y,degree of yes\n0,no,0.0\n1,yes,1.0\n2,no,0.0\n")
    assert err == "note: p = 7 lies outside 0 to 1, the range of training.\n"


def test_one_row_of_a_table_is_what_it_is_in_the_table(folder, crystalogic):
    """A row was taken out of a frame of numbers, where large whole ones became floats."""
    names = ("-9007199254740992", "-9007199254740993")
    column = Column("id", "category", tuple(Is("id", name) for name in names), names)
    model_of([parse("{id=-9007199254740993}")], Encoding((column,)), "y", ["no", "yes"]).save(folder / "ids.json")
    pd.DataFrame({"id": [-(2**53) - 1], "x": [0.5]}).to_parquet("ids.parquet")
    assert "y is yes" in crystalogic("explain", "ids.json", "ids.parquet")[1]


def test_truth_values_are_no_numbers_to_a_rule_about_numbers(folder, model, crystalogic):
    """In Parquet, True was at least 1."""
    pd.DataFrame({"age": [True, False], "color": ["red", "blue"]}).to_parquet("truth.parquet")
    code, _, err = crystalogic("predict", "model.json", "truth.parquet")
    assert code == 1
    assert "row 0: 'age' is True, expected a number" in err


def test_kept_cells_are_as_they_were_written(folder, model, crystalogic):
    """NA, none and null were emptied, and 4.0 became 4."""
    rows = "id,age,color\nNA,55,red\n4.0,49,red\nnone,60,blue\n007,55.0,red\n,55,red\n"
    _, out, _ = crystalogic("predict", "model.json", "-", "--keep", "id", "--keep", "age", stdin=rows)
    kept = [line.split(",")[1:3] for line in out.splitlines()[1:]]
    assert kept == [["NA", "55"], ["4.0", "49"], ["none", "60"], ["007", "55.0"], ["", "55"]]
    commas = "id;age;color\n12.345.678;55,5;red\n9.876;49;red\n"
    _, out, _ = crystalogic("predict", "model.json", "-", "--keep", "id", "--keep", "age", stdin=commas)
    assert out.splitlines()[1:] == ['0,12.345.678,"55,5",yes,1.0', "1,9.876,49,no,0.0"]
    lines = '{"id": 9007199254740993, "age": 55, "color": "red"}\n{"id": null, "age": 55, "color": "red"}\n'
    _, out, _ = crystalogic("predict", "model.json", "-", "--keep", "id", stdin=lines)
    assert out.splitlines()[1:] == ["0,9007199254740993,yes,1.0", "1,,yes,1.0"]


@pytest.mark.parametrize("is_long", [False, True])
def test_words_for_missing_are_the_users_whole_and_in_parts(folder, crystalogic, monkeypatch, is_long):
    """'none' was missing, -9 a number, and there was no way to say otherwise."""
    if is_long:
        monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", 50)
    cells = [(age, pain) for age in (*[-9] * 20, *range(20, 80)) for pain in ("none", "some", "unknown")]
    lines = [f"{age},{pain},{'none' if pain == 'none' and age > 0 else 'pain'}" for age, pain in cells]
    (folder / "t.csv").write_text("age,pain,y\n" + "\n".join(lines) + "\n-9.0,some,unknown\n", encoding="utf-8")
    wanted = ("--missing", "-9", "--missing", "unknown,?", "--skip-unknown", "--max-literals", "2", "--quiet")
    assert crystalogic("fit", "t.csv", "-t", "y", *wanted)[0] == 0
    found = load("model.json")
    age, pain = found.encoding.columns
    assert (age.kind, age.range, age.has_missing) == ("number", (20.0, 79.0), True)
    assert (pain.known, pain.has_missing) == (("none", "some"), True)
    assert found.classes == ("none", "pain")
    assert found.encoding.by_name["pain"].words == {"-9", "unknown", "?"}
    rows = {"age": ["-9.0", "30", "30"], "pain": ["none", "none", "unknown"]}
    assert found.predict(rows).tolist() == ["pain", "none", "pain"]
    code, out, _ = crystalogic("predict", "model.json", "-", stdin="age,pain\n-9,none\n30,none\n30,unknown\n")
    assert (code, [line.split(",")[1] for line in out.splitlines()[1:]]) == (0, ["pain", "none", "pain"])
