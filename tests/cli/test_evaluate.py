"""The command that judges a model: from two files to a page, or to JSON, or to one sentence."""

import json
from dataclasses import replace

import pytest

import crystalogic as cl
from cli_table import ROWS
from crystalogic.cli.options import DESCRIBED
from crystalogic.intervals import LEVEL
from crystalogic.model.risk import Risk


@pytest.fixture
def judged(folder, model):
    """The rule on age and color with a risk, and a table in which it is wrong about every tenth row."""
    replace(model, risk=Risk((500, 2000, 9000))).save(folder / "model.json")
    names = {"0": "no", "1": "yes"}
    lines = [line.rsplit(",", 1) for line in ROWS[1:]]
    wrong = {"0": "yes", "1": "no"}
    rows = [f"{cells},{(wrong if place % 10 == 0 else names)[label]}" for place, (cells, label) in enumerate(lines)]
    (folder / "new.csv").write_text("\n".join([ROWS[0], *rows]) + "\n", encoding="utf-8")
    return folder


def test_a_page_to_paste(judged, crystalogic):
    code, out, err = crystalogic("evaluate", "model.json", "new.csv", "--by", "color", "--level", "0.95")
    assert (code, err) == (0, "note: age = 71 lies outside 20 to 70, the range of training.\n")
    assert out.startswith("model.json on new.csv\n\nrisk in 120 rows, judged by the model ")
    assert "\nBrackets hold 95 % intervals.\n\n  accuracy           90 % (83–95)         108 of 120 rows\n" in out
    assert out.endswith(
        """
By color
  color  rows        accuracy   sensitivity     specificity               AUC  told      observed
  blue     60  100 % (94–100)             –  100 % (94–100)                 –  13 %     0 % (0–6)
  red      60    80 % (68–89)  80 % (61–92)    80 % (61–92)  0.80 (0.70–0.90)  55 %  50 % (37–63)

Judged that risk is yes, by color
  color  rows      selected  false alarms           missed        precision
  blue     60     0 % (0–6)     0 % (0–6)  too few: 0 of 0  too few: 0 of 0
  red      60  50 % (37–63)   20 % (8–39)      20 % (8–39)     80 % (61–92)
Too few: fewer than 30 rows to judge a rate by.

The largest gaps between groups by color; the intervals of all pairs hold at once
  rate          most  least  gap in points
  selected       red   blue  50 (36 to 63)
  false alarms   red   blue   20 (6 to 39)
No two groups have enough rows to compare: missed, precision.
"""
    )


def test_several_columns_are_named_with_commas_or_one_by_one(judged, crystalogic):
    _, expected, _ = crystalogic("evaluate", "model.json", "new.csv", "--by", "color", "--by", "age")
    assert "\nBy color × age\n" in expected
    assert crystalogic("evaluate", "model.json", "new.csv", "--by", "color, age")[1] == expected
    code, _, err = crystalogic("evaluate", "model.json", "new.csv", "--by", "color,sice")
    assert code == 1
    assert err.startswith("TableError: new.csv: there is no column 'sice'; the columns are ")


def test_what_is_printed_is_what_the_library_prints(judged, crystalogic):
    found = cl.evaluate(cl.load("model.json"), pd_table("new.csv"), by="color")
    code, out, _ = crystalogic("evaluate", "model.json", "new.csv", "--by", "color")
    assert (code, out) == (0, f"model.json on new.csv\n\n{found}\n")
    code, out, _ = crystalogic(
        "evaluate", "model.json", "new.csv", "--by", "color", "--against", "model.json", "--json"
    )
    told = json.loads(out)
    assert code == 0
    assert told.pop("model") == told.pop("other") == "model.json"
    assert told.pop("table") == "new.csv"
    assert told.pop("against")["n_different"] == 0
    expected = json.loads(json.dumps(found.content()))
    assert told == {name: value for name, value in expected.items() if name != "against"}


def pd_table(path):
    import pandas as pd

    return pd.read_csv(path)


def test_two_models_on_one_table(judged, crystalogic):
    code, out, _ = crystalogic("evaluate", "model.json", "new.csv", "--against", "model.json")
    assert code == 0
    assert out.startswith("model.json on new.csv, beside model.json\n")
    assert "They judge every row alike.\n" in out


def test_names_are_visible_and_standard_input_is_read(judged, crystalogic):
    text = (judged / "new.csv").read_text(encoding="utf-8").replace("blue", "bl\x1b[2Jue")
    code, out, _ = crystalogic("evaluate", "model.json", "-", "--by", "color", stdin=text)
    assert code == 0
    assert "\x1b" not in out
    assert "  bl\\u001b[2Jue" in out


def test_rows_that_taught_the_model_are_noticed(folder, crystalogic):
    assert crystalogic("fit", "rows.csv", "--target", "risk", "--quiet")[0] == 0
    code, out, err = crystalogic("evaluate", "model.json", "rows.csv")
    assert (code, err) == (0, "note: the model was learned from these rows; rows that it has not seen tell more.\n")
    assert "accuracy           100 %" in out


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (
            (",yes", ",perhaps"),
            (),
            "TableError: row 0: 'risk' is 'perhaps', but the classes of the model are no, yes, ",
        ),
        (("risk", "danger"), (), "TableError: new.csv: there is no column 'risk'; the columns are age, color, danger."),
        (("color", "colour"), (), "TableError: new.csv: the rule needs the column 'color'; "),
        (("20,red", ",red"), (), "EncodingError: row 0: 'age' is missing"),
        (("", ""), ("--by", "colr"), "TableError: new.csv: there is no column 'colr' (did you mean 'color'?); "),
        (("", ""), ("--level", "95"), "RiskError: the level of intervals lies between 0 and 1, got 95. Write 0.9 "),
        (("", ""), ("--against", "none.json"), "DocumentError: none.json: cannot be read as a model"),
    ],
)
def test_refusals_are_sentences(judged, crystalogic, change, arguments, message):
    path = judged / "new.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    code, out, err = crystalogic("evaluate", "model.json", "new.csv", *arguments)
    assert (code, out) == (1, "")
    assert err.splitlines()[-1].startswith(message)


def test_gaps_may_be_skipped(judged, crystalogic):
    path = judged / "new.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("20,red", ",red"), encoding="utf-8")
    code, out, _ = crystalogic("evaluate", "model.json", "new.csv", "--unknown", "skip")
    assert code == 0
    assert "risk in 119 rows" in out
    assert "\n1 more row is left out: the rule needs a value that is missing.\n" in out


def test_the_usual_level_of_intervals_is_that_of_the_library():
    assert DESCRIBED["evaluate"]["level"]["default"] == LEVEL
