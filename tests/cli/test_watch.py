"""`crystalogic watch`: what it prints and writes, and its exit codes."""

import json
from dataclasses import replace

import pytest

from cli_table import ROWS, names_in
from crystalogic.cli import evaluating
from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model.profile import profile_of


@pytest.fixture
def watched(folder):
    """The rule of the small table, with the counts of its rows."""
    cells = [row.split(",") for row in ROWS[1:]]
    table = {"age": [int(age) for age, _, _ in cells], "color": [color for _, color, _ in cells]}
    model = model_of([parse("{age ≥ 50} ⊗ {color=red}")], fit_encoding(table), "risk", ["0", "1"])
    model = replace(model, profile=profile_of(model, table, [risk for _, _, risk in cells]))
    model.save(folder / "model.json")
    return model


def write(folder, name, change):
    lines = [ROWS[0], *(",".join(change(*row.split(","))) for row in ROWS[1:])]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_nothing_to_see_is_0(crystalogic, watched):
    assert crystalogic("watch", "model.json", "rows.csv") == (
        0,
        "model.json on rows.csv: 120 rows beside 120 rows of training\n\n"
        "Nothing to see: 13 tests that together err with a chance of at most 1 % (Holm) "
        "found no change that matters.\n",
        "",
    )


def test_something_to_look_at_is_1(crystalogic, watched, folder):
    write(folder, "days.csv", lambda age, color, risk: (str(365.25 * int(age)), color, risk))
    code, out, err = crystalogic("watch", "model.json", "days.csv", "--page", "watch.html")
    assert (code, err) == (1, "")
    assert "  another unit     age    days instead of years     49  17900\n" in out
    assert out.endswith("\n\nWritten to watch.html. Open it in a browser; it needs no network.\n")
    page = (folder / "watch.html").read_text(encoding="utf-8")
    assert "<h1>days.csv</h1>" in page


def test_json_has_the_findings(crystalogic, watched, folder):
    write(folder, "days.csv", lambda age, color, risk: (str(365.25 * int(age)), color.upper(), risk))
    code, out, _ = crystalogic("watch", "model.json", "days.csv", "--json")
    found = json.loads(out)
    assert (code, found["model"], found["table"]) == (1, "model.json", "days.csv")
    assert [each["kind"] for each in found["findings"]][:2] == ["unit", "code"]


def test_a_file_of_an_earlier_version_asks_for_the_reference(crystalogic, model, folder):
    code, out, err = crystalogic("watch", "model.json", "rows.csv")
    assert (code, out) == (1, "")
    assert err.startswith("TableError: this model does not know its training rows")
    code, out, _ = crystalogic("watch", "model.json", "rows.csv", "--reference", "rows.csv")
    assert code == 0
    assert out.startswith("model.json on rows.csv, beside rows.csv: 120 rows beside 120 rows of the reference\n")


def test_wrong_usage_is_2(crystalogic, watched):
    assert crystalogic("watch", "model.json")[0] == 2
    assert crystalogic("watch", "model.json", "rows.csv", "--level", "3")[0] == 2


def test_a_renamed_column_is_found_in_a_file(crystalogic, watched, folder):
    text = (folder / "rows.csv").read_text(encoding="utf-8").replace("age,", "Age (years),", 1)
    (folder / "named.csv").write_text(text, encoding="utf-8")
    code, out, _ = crystalogic("watch", "model.json", "named.csv")
    assert code == 1
    assert "rename Age (years) to age." in out


def test_of_a_long_table_some_rows_are_looked_at(crystalogic, watched, monkeypatch):
    monkeypatch.setattr(evaluating, "MOST_ROWS", 50)
    code, out, err = crystalogic("watch", "model.json", "rows.csv")
    assert code == 0
    assert out.startswith("model.json on rows.csv: 60 rows beside 120")
    assert err == "note: of the 120 rows of rows.csv, one in 2 was looked at.\n"


def test_a_page_that_cannot_be_written_is_refused_first(crystalogic, watched, folder):
    code, out, err = crystalogic("watch", "model.json", "rows.csv", "--page", "nowhere/watch.html")
    assert (code, out) == (1, "")
    assert "nowhere" in err
    assert names_in(folder) == ["model.json", "rows.csv"]
