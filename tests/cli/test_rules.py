import gzip
import json
import re

import pytest

from cli_table import ROWS, names_in
from crystalogic import __version__
from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse

pytestmark = pytest.mark.usefixtures("compiled")


def test_from_a_table_to_a_rule_to_predictions(folder, crystalogic):
    code, out, err = crystalogic("fit", "rows.csv", "--target", "risk", "--splits", "2", "--max-literals", "2")
    assert (code, err) == (0, "")
    assert "risk is 1 if both of these:" in out
    assert "color is red" in out
    assert re.search(r"\nOn rows it has not seen: 9\d\.\d% ± \d\.\d% \(2 splits, a fifth held out, the whole fit ", out)
    assert "Written to model.json" in out
    code, out, _ = crystalogic("verify", "model.json")
    assert (code, out.splitlines()[1]) == (
        0,
        "Proved: the formulas and the crystal compute the same function throughout the scope.",
    )
    code, out, err = crystalogic("predict", "model.json", "-", stdin=b"age,color\n70,red\n70,pink\n20,red\n")
    assert (code, out) == (0, "row,risk,degree of 1\n0,1,1.0\n1,0,0.0\n2,0,0.0\n")
    assert err == "note: color = pink was in no training row; it equals none of the known values (blue, red).\n"
    code, out, _ = crystalogic("explain", "model.json", "--value", "age=70", "--value", "color=red")
    assert code == 0
    assert "\n\nrisk is 1: the degree 1.00 is at least 0.50 (distance 0.50)\n2 of 2: risk is 1 for " in out
    assert out.endswith(" % of such rows\n")
    assert crystalogic("predict", "model.json", "rows.csv", "--output", "out.csv")[0] == 0
    assert (folder / "out.csv").read_text().count("\n") == 121
    assert names_in(folder) == ["model.json", "out.csv", "rows.csv"]


def test_grades_are_asked_for_in_words_and_their_monotonicity_is_a_question(folder, crystalogic):
    words = ["low", "medium", "high"]
    rows = [f"{age},{words[(age >= 40) + (age >= 60)]},{age % 7}" for age in range(20, 80)]
    (folder / "grades.csv").write_text("\n".join(["age,grade,other", *rows, *rows]) + "\n", encoding="utf-8")
    asked = ["fit", "grades.csv", "--target", "grade", "--ordered", "low<medium<high", "--monotone", "age=+"]
    code, out, _ = crystalogic(*asked)
    assert code == 0
    assert "grade is high if" in out
    assert out.index("grade is high") < out.index("grade is medium") < out.index("otherwise grade is low")
    code, out, _ = crystalogic("ask", "model.json", "monotone", "age")
    assert (code, out.splitlines()[0]) == (0, "proved: as age rises, grade never falls")
    code, _, err = crystalogic("fit", "grades.csv", "--target", "grade", "--ordered", "auto")
    assert code == 1
    assert "'high', 'low', 'medium' are not numbers" in err


def test_every_verb_prints_one_json_document(folder, crystalogic):
    (folder / "and.csv").write_text("a,b,y\n0,0,0\n0,1,0\n1,0,0\n1,1,1\n")
    for arguments, key in (
        (("fit", "-", "-t", "risk"), "formulas"),
        (("predict", "model.json", "-"), 0),
        (("explain", "model.json", "-", "--row", "3"), "decision"),
        (("verify", "model.json"), "verified"),
        (("recover", "and.csv", "-t", "y"), "formula"),
        (("datasets",), 5),
        (("datasets", "monks-1", "--test"), "records"),
    ):
        code, out, err = crystalogic(*arguments, "--json", stdin="\n".join(ROWS).encode())
        assert (code, err) == (0, ""), arguments
        assert json.loads(out)[key], arguments


def test_predictions_are_the_same_from_every_kind_of_file(folder, model, crystalogic):
    header, *lines = ("age;color", "55,5;red", "49;red", "60;blue")
    expected = "row,risk,degree of yes\n0,yes,1.0\n1,no,0.0\n2,no,0.0\n"
    contents = {
        "rows.csv": "\n".join([header, *lines]).replace(",", ".").replace(";", ",").encode(),
        "decimal commas.csv": "\r\n".join([header, *lines]).encode("utf-16"),
        "räume.tsv": "\n\n".join([header, *lines]).replace(",", ".").replace(";", "\t").encode("utf-8-sig"),
        "packed.csv.gz": gzip.compress("\n".join([header, *lines]).encode()),
        "lines.jsonl": b'{"age": 55.5, "color": "red"}\n{"color": "red", "age": 49}\n{"age": 60, "color": "blue"}\n',
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        assert crystalogic("predict", "model.json", name) == (0, expected, ""), name
        assert crystalogic("predict", "model.json", "-", stdin=content) == (0, expected, ""), name
        assert crystalogic("explain", "model.json", "-", "--row", "0", stdin=content)[0] == 0


def test_predictions_as_json_are_an_array_that_can_be_empty(folder, model, crystalogic):
    out = crystalogic("predict", "model.json", "-", "--json", stdin=b"age,color\n50,red\n1,red\n")[1]
    assert (
        out
        == '[\n{"row": 0, "risk": "yes", "degree of yes": 1.0},\n{"row": 1, "risk": "no", "degree of yes": 0.0}\n]\n'
    )
    assert crystalogic("predict", "model.json", "-", "--json", stdin=b"age,color\n") == (0, "[\n]\n", "")


def test_labels_are_quoted_and_are_no_spreadsheet_formulas(folder, crystalogic):
    encoding = fit_encoding({"x": [0, 1]})
    for labels, shown in (
        (["=no", "yes, sir"], 'row,"a,b","degree of yes, sir"\n0,\'=no,0.0\n1,"yes, sir",1.0\n'),
        (["-1", "+1"], 'row,"a,b",degree of +1\n0,-1,0.0\n1,+1,1.0\n'),
    ):
        model_of([parse("{x=1}")], encoding, "a,b", labels).save(folder / "m.json")
        assert crystalogic("predict", "m.json", "-", stdin=b"x\n0\n1\n") == (0, shown, "")


def test_columns_that_the_rule_does_not_use_may_be_missing_and_others_may_not(folder, model, crystalogic):
    assert crystalogic("predict", "model.json", "-", stdin=b"color,other\nred,1\n") == (
        1,
        "",
        "TableError: standard input: the rule needs the column 'age'; the table has color, other.\n",
    )
    code, _, err = crystalogic("predict", "model.json", "-", stdin=b"a,b\n1,2\n")
    assert (code, err) == (
        1,
        "TableError: standard input: the rule needs the columns 'age', 'color'; the table has a, b.\n",
    )
    assert crystalogic("predict", "model.json", "-", stdin=b"color,age\nred,60\n")[0] == 0


def test_long_steps_have_names_and_long_values_are_cut(folder, crystalogic):
    long = "x" * 200
    encoding = fit_encoding({"a": [long, "b"], "step": [0, 1], "c": [0, 1]})
    model_of([parse("({a=" + long + "} ⊕ {c=1}) ⊗ {step=1}")], encoding, "y", [0, 1]).save(folder / "m.json")
    out = crystalogic("explain", "m.json", "--value", f"a={long}", "--value", "c=0.0", "--value", "step=0")[1]
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[1:4] == ["a = " + "x" * 59 + "…", "c = 0", "step = 0"]
    assert lines[-4:-2] == ["step1 = {a=" + long + "} ⊕ {c=1} 1.00", "step1 ⊗ {step=1} 0.00"]


def test_explain_refuses_what_predict_refuses(folder, model, crystalogic):
    """A missing value that no training row had used to be explained as if it were false."""
    code, _, err = crystalogic("explain", "model.json", "-v", "age=", "-v", "color=red")
    assert code == 1
    assert err.startswith("EncodingError: row 0: 'age' is missing, but no training row lacked it.")


def test_a_rule_that_is_no_rule_says_so(folder, crystalogic):
    from crystalogic.words.models import rule_text

    model = model_of([parse("1")], fit_encoding({"x": [0, 1]}), "y", ["no", "yes"])
    assert rule_text(model) == "y is always yes: no better rule was found"


def test_recover_finds_the_formula_of_a_truth_table(folder, crystalogic):
    values = (0, 0.5, 1)
    lines = [f"{a},{b},{max(0, a + b - 1)}" for a in values for b in values]
    table = "a,b,y\n" + "\n".join(lines) + "\n"
    code, out, err = crystalogic("recover", "-", "--target", "y", stdin=table.encode())
    assert (code, out, err) == (0, "a ⊗ b\nThe formula is exact on every row.\n", "")


def test_data_sets_are_listed_and_written(folder, crystalogic):
    code, out, _ = crystalogic("datasets")
    assert code == 0
    assert "heart            303 rows  13 columns  target disease\n" in out
    assert "Original rows in original order with the codes of the UCI Machine Learning Repository (CC BY 4.0)" in out
    assert crystalogic("datasets", "monks-1", "--test", "--output", "test.csv")[0] == 0
    assert (folder / "test.csv").read_text().count("\n") == 433
    assert "has no fixed test rows" in crystalogic("datasets", "heart", "--test")[2]
    assert crystalogic("datasets", "--test")[0] == 2


def test_classes_that_occur_once_and_missing_cells_are_no_obstacle(folder, crystalogic):
    """A split that held out the only missing cell of a column used to end in an error, after the whole fit."""
    lines = [line.replace("blue,0", "?,0", 1) if line == "20,blue,0" else line for line in ROWS]
    (folder / "rows.csv").write_text("\n".join([*lines, "80,red,rare", "81,,1"]) + "\n")
    assert crystalogic("fit", "rows.csv", "-t", "risk", "--time", "2")[0] == 0
    code, _, err = crystalogic("fit", "rows.csv", "-t", "risk", "--splits", "2")
    assert code == 1
    assert err.startswith("TableError: a fifth of these rows cannot be held out: ")


def yes_and_no(folder, n_copies=1):
    """The rows with German answers, of which the alphabet puts the wrong one second."""
    rows = [row.replace(",1", ",ja").replace(",0", ",nein") for row in ROWS[1:]]
    (folder / "answers.csv").write_text("\n".join([ROWS[0], *rows * n_copies]) + "\n", encoding="utf-8")


def test_the_rule_speaks_for_the_class_that_is_named(folder, crystalogic):
    """A rule for ja and nein spoke of nein, and the page called the share of the healthy found its sensitivity."""
    yes_and_no(folder)
    asked = ("fit", "answers.csv", "-t", "risk", "--max-literals", "2", "--splits", "1")
    code, out, err = crystalogic(*asked, "--positive", "ja")
    assert (code, err) == (0, "")
    assert "risk is ja if both of these:" in out
    assert "otherwise risk is nein" in out
    assert re.search(r"On rows it has not seen: \d+\.\d% ± 0\.0% \(1 split, a fifth held out", out)
    named = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert crystalogic(*asked)[0] == 0
    other = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert (named["classes"], other["classes"]) == (["nein", "ja"], ["ja", "nein"])
    assert named["notes"]["data"] == other["notes"]["data"]  # the same rows, whichever class is spoken for
    trained = ("--positive", "ja", "--strategy", "straight_through", "--time", "1")
    code, _, err = crystalogic(*asked, *trained)
    assert (code, err[:60]) == (1, "TrainingDataError: 'max_literals' goes with strategy='annealing'"[:60])
    assert crystalogic("fit", "answers.csv", "-t", "risk", *trained)[0] == 0


def test_the_class_that_is_named_is_kept_in_a_table_learned_in_parts(folder, crystalogic, monkeypatch):
    monkeypatch.setattr("crystalogic.fitting.pipeline.WHOLE", 100)
    yes_and_no(folder, n_copies=3)
    asked = ("fit", "answers.csv", "-t", "risk", "--max-literals", "2", "--positive")
    code, out, err = crystalogic(*asked, "ja")
    assert (code, err) == (0, "")
    assert "risk is ja if both of these:" in out
    _, out, _ = crystalogic("predict", "model.json", "-", stdin=b"age,color\n79,red\n20,red\n")
    assert out == "row,risk,degree of ja\n0,ja,1.0\n1,nein,0.0\n"
    assert (
        crystalogic(*asked, "yes")[2]
        == "TrainingDataError: 'yes' is not a class of 'risk'; the classes are 'ja', 'nein'.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("risk", "--positive", "yes"),
            1,
            "TrainingDataError: 'yes' is not a class of 'risk'; the classes are '0', '1'.",
        ),
        (("risk", "--positive", "1", "--degrees"), 2, "--positive names a class, and with --degrees there are none."),
        (
            ("y", "--positive", "a"),
            1,
            "'y' has the classes 'a', 'b', 'c'. Of more than two, each has a formula; name no positive one.",
        ),
    ],
)
def test_a_class_that_cannot_be_spoken_for_is_refused(folder, crystalogic, arguments, code, message):
    (folder / "three.csv").write_text("x,y\n1,a\n2,b\n3,c\n4,a\n5,b\n6,c\n")
    table = "rows.csv" if arguments[0] == "risk" else "three.csv"
    found, out, err = crystalogic("fit", table, "-t", *arguments)
    assert (found, out) == (code, "")
    assert message in " ".join(err.split())


def test_more_cuts_are_tried_where_they_are_asked_for(folder, crystalogic):
    assert crystalogic("fit", "rows.csv", "-t", "risk", "--cuts", "1", "--max-literals", "2", "-q")[0] == 0
    cuts = json.loads((folder / "model.json").read_text(encoding="utf-8"))["encoding"]
    few = json.dumps(cuts, ensure_ascii=False)
    assert crystalogic("fit", "rows.csv", "-t", "risk", "--cuts", "20", "--max-literals", "2", "-q")[0] == 0
    many = json.dumps(json.loads((folder / "model.json").read_text(encoding="utf-8"))["encoding"], ensure_ascii=False)
    assert len(many) > len(few) + 200


def test_recover_reads_the_fractions_that_truth_tables_print(folder, crystalogic):
    lines = [f"{a},{b},{c}" for a, b, c in [("0", "1/3", "1/3"), ("1/3", "1/3", "2/3"), (" 2 / 3 ", "2/3", "1")]]
    code, out, _ = crystalogic("recover", "-", "-t", "y", stdin=("a,b,y\n" + "\n".join(lines) + "\n").encode())
    assert (code, out) == (0, "a ⊕ b\nThe formula is exact on every row.\n")
    code, _, err = crystalogic("recover", "-", "-t", "y", stdin=b"a,y\n0,0\n1/2,3/2\n")
    assert (code, err) == (1, "TableError: row 1: 'y' is 1.5, expected a truth degree between 0 and 1.\n")
    code, _, err = crystalogic("recover", "-", "-t", "y", stdin=b"a,y\n0,0\n1/0,1\n")
    assert (code, err.split(",")[0]) == (1, "EncodingError: row 1: 'a' is '1/0'")


def test_predictions_keep_the_columns_that_tell_rows_apart(folder, model, crystalogic):
    """Who is row 17? The predictions had numbers of rows and no names."""
    table = b'age,color,id,risk\n70,red,=P1,yes\n20,red,,no\n60,red,"Q, 3",no\n'
    asked = ("predict", "model.json", "-", "--keep", "id", "--keep", "risk", "--keep", "id")
    assert crystalogic(*asked, stdin=table) == (
        0,
        'row,id,risk,predicted risk,degree of yes\n0,\'=P1,yes,yes,1.0\n1,,no,no,0.0\n2,"Q, 3",no,yes,1.0\n',
        "",
    )
    code, out, _ = crystalogic(*asked, "--json", stdin=table)
    assert code == 0
    assert json.loads(out)[:2] == [
        {"row": 0, "id": "=P1", "risk": "yes", "predicted risk": "yes", "degree of yes": 1.0},
        {"row": 1, "id": None, "risk": "no", "predicted risk": "no", "degree of yes": 0.0},
    ]
    code, _, err = crystalogic("predict", "model.json", "-", "--keep", "ID", stdin=table)
    assert (code, "there is no column 'ID' (did you mean 'id'?)" in err) == (1, True)
    code, _, err = crystalogic("predict", "model.json", "rows.csv", "--output", "out.parquet")
    assert (code, "predictions are CSV or JSON" in err) == (2, True)


def test_explain_tells_of_a_value_that_no_training_row_had_as_predict_does(folder, model, crystalogic):
    code, out, err = crystalogic("explain", "model.json", "--value", "age=70", "--value", "color=rde")
    assert (code, err) == (
        0,
        "note: color = rde was in no training row; it equals none of the known values (blue, red).\n",
    )
    assert out.endswith("risk is no: the degree 0.00 is below 0.50 (distance 0.50)\n")


def test_a_table_in_the_place_of_a_model_is_seen(folder, model, crystalogic):
    code, _, err = crystalogic("predict", "rows.csv", "model.json")
    expected = "not a model: this is no JSON, it begins with 'age,color,risk\\n20,re'. Do you mean something else?"
    assert (code, err) == (1, f"DocumentError: rows.csv: {expected}\n")


def test_a_model_that_was_received_is_explained_without_a_row(crystalogic, folder):
    """An auditor who had only the file found no command that says the rule in words."""
    rows = "9,a,no\n20,b,yes\n31,b,yes\n42,a,no\n" * 5
    (folder / "loans.csv").write_text("income,job,granted\n" + rows, encoding="utf-8")
    assert crystalogic("fit", "loans.csv", "-t", "granted", "--max-literals", "1", "--quiet")[0] == 0
    code, out, _ = crystalogic("explain", "model.json")
    fingerprint = json.loads((folder / "model.json").read_text(encoding="utf-8"))["fingerprint"]
    assert (code, out) == (
        0,
        "Columns, as they were in training:\n"
        "  income  code: 9, 20, 31, 42\n"
        "  job     category: a, b\n"
        "\n"
        "granted is yes if job is b\n"
        "otherwise granted is no\n"
        "\n"
        "how likely granted is yes (90 % intervals):\n"
        "  0 of 1: 5 % (0–26)\n"
        "  1 of 1: 95 % (74–100)\n"
        "\n"
        "formula: {job=b}\n"
        "\n"
        "Proved: the formulas and the crystal compute the same function throughout the scope.\n"
        "Scope: {job=b} in {0, 1}.\n"
        "How: 1 neuron shown equal to a part of the formula.\n"
        "\n"
        f"Learned from loans.csv, 20 rows, with Crystalogic {__version__}.\n"
        f"Fingerprint: {fingerprint}\n",
    )
    assert crystalogic("verify", "model.json")[1].endswith(f"\nFingerprint: {fingerprint}\n")
    assert json.loads(crystalogic("verify", "model.json", "--json")[1])["fingerprint"] == fingerprint
    assert json.loads(crystalogic("explain", "model.json", "--json")[1])["fingerprint"] == fingerprint


def test_explain_notes_a_number_far_from_training(crystalogic, folder):
    rows = "".join(f"{n / 2},{'yes' if n > 60 else 'no'}\n" for n in range(120))
    (folder / "incomes.csv").write_text("income,granted\n" + rows, encoding="utf-8")
    assert crystalogic("fit", "incomes.csv", "-t", "granted", "--max-literals", "1", "--quiet")[0] == 0
    note = "note: income = 20000 lies outside 0 to 59.5, the range of training.\n"
    assert crystalogic("explain", "model.json", "--value", "income=20000")[2] == note
    assert crystalogic("explain", "model.json", "--value", "income=20")[2] == ""
    assert "Write it plainly, as in 1234.5." in crystalogic("explain", "model.json", "--value", "income=20,5")[2]
