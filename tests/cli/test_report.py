import json
import re

import pytest

from crystalogic.encoding import fit_encoding
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import load

ROWS = ["age,color,risk"] + [
    f"{age},{color},{'yes' if age >= 50 and color == 'red' else 'no'}"
    for age in range(20, 80)
    for color in ("red", "blue")
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    table = {"age": [20, 30, 40, 50, 60, 70], "color": ["red", "blue"] * 3, "note": list("xyzxyz")}
    rule = model_of([parse("{age ≥ 50} ⊗ {color=red}")], fit_encoding(table, n_cuts=1), "risk", ["no", "yes"])
    rule.save(tmp_path / "model.json")
    return tmp_path


def test_report_writes_a_page(folder, crystalogic):
    said = "Written to report.html. Open it in a browser; it needs no network.\n"
    assert crystalogic("report", "model.json", "rows.csv", "--unit", "age=years") == (0, said, "")
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "120 of 120 rows of rows.csv" in text
    assert "(years)" in text
    assert re.search(r"page made</th><td>\d{4}-\d\d-\d\d<", text)


def test_report_needs_no_table(folder, crystalogic):
    code, _, err = crystalogic("report", "model.json", "--output", "page.html", "--time", "0")
    assert (code, err) == (0, "")
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "Confusion matrix" not in text
    assert "Nothing was measured." in text


def test_report_goes_to_standard_output_too(folder, crystalogic):
    code, out, err = crystalogic("report", "model.json", "--output", "-", "--time", "0")
    assert (code, err) == (0, "")
    assert out.startswith("<!doctype html>")
    assert out.endswith("</html>\n")


def test_report_tells_machines_where_the_page_is(folder, crystalogic):
    assert crystalogic("report", "model.json", "--time", "0", "--json") == (0, '{"report": "report.html"}\n', "")
    code, out, err = crystalogic("report", "model.json", "--output", "-", "--json")
    assert (code, out) == (2, "")
    assert "--json says where the page is; give it a file with --output." in " ".join(err.replace("│", " ").split())


def test_report_of_a_table_without_the_target_shows_rows_and_no_accuracy(folder, crystalogic):
    (folder / "new.csv").write_text("age,color\n25,red\n60,red\n", encoding="utf-8")
    assert crystalogic("report", "model.json", "new.csv", "--time", "0")[0] == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "Confusion matrix" not in text
    assert "risk judged yes" in text


def test_report_says_what_is_wrong(folder, crystalogic):
    (folder / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    code, out, err = crystalogic("report", "model.json", "other.csv")
    assert (code, out) == (1, "")
    assert err == "TableError: other.csv: the rule needs the columns 'age', 'color'; the table has a, b.\n"
    code, _, err = crystalogic("report", "model.json", "--unit", "size=m")
    assert (code, err) == (1, "TableError: there is no column 'size' to have a unit; there are age, color, note.\n")
    code, _, err = crystalogic("report", "model.json", "--output", "nowhere/report.html")
    assert code == 1
    assert err.startswith("DocumentError: nowhere/report.html: there is no folder")
    assert not (folder / "report.html").exists()


@pytest.mark.usefixtures("compiled")
def test_fit_writes_the_report_of_what_it_found(folder, crystalogic):
    code, out, err = crystalogic(
        "fit", "rows.csv", "--target", "risk", "--max-literals", "2", "--unit", "age=years", "--report", "fit.html"
    )
    assert (code, err) == (0, "")
    assert "\nThe report is in fit.html; open it in a browser.\n" in out
    text = (folder / "fit.html").read_text(encoding="utf-8")
    assert "Confusion matrix on the training rows" in text
    assert load(folder / "model.json").record.units == {"age": "years"}

    crystalogic("report", "model.json", "rows.csv", "--time", "0")
    again = (folder / "report.html").read_text(encoding="utf-8")
    assert "Confusion matrix on the training rows" in again  # the same rows are known again
    assert "(years)" in again
    (folder / "fewer.csv").write_text("\n".join(ROWS[:-1]) + "\n", encoding="utf-8")
    crystalogic("report", "model.json", "fewer.csv", "--time", "0")
    assert "not the rows it was learned from, as a whole" in (folder / "report.html").read_text(encoding="utf-8")


def test_fit_looks_at_the_place_of_the_report_before_it_searches(folder, crystalogic):
    code, out, err = crystalogic("fit", "rows.csv", "--target", "risk", "--report", "nowhere/report.html")
    assert (code, out) == (1, "")
    assert err.startswith("DocumentError: nowhere/report.html: there is no folder")


def test_report_links_the_page_to_choose_another_rule_on(folder, crystalogic):
    code, out, _ = crystalogic("report", "model.json", "rows.csv", "--choose", "--time", "0", "--json")
    assert code == 0
    assert json.loads(out)["chooser"] == "choose.html"
    assert '<a href="choose.html">Choose another rule</a>' in (folder / "report.html").read_text(encoding="utf-8")
    assert "checklists of at most 3 facts" in (folder / "choose.html").read_text(encoding="utf-8")
    code, out, _ = crystalogic("report", "model.json", "--choose", "--time", "0")
    assert code == 0
    for file in ("-", "choose.html"):
        code, _, problem = crystalogic("report", "model.json", "--choose", "--output", file)
        assert code == 2
        assert "give the report another file" in " ".join(problem.replace("│", " ").split())


def test_report_shows_groups(folder, crystalogic):
    assert crystalogic("report", "model.json", "rows.csv", "--by", "color", "--time", "0")[0] == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "<h3>By color, on these rows</h3>" in text
    assert "<td>50 % (39–61)" in text  # 30 of the 60 red rows are judged so
    assert "selected 50 (38 to 61), red over blue" in text
    code, _, err = crystalogic("report", "model.json", "--by", "color")
    assert code == 2
    assert "--by is for the columns of a table; name the table, too." in " ".join(err.replace("│", " ").split())
