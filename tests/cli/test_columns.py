"""Many columns are left out, or picked, with one pattern."""

import json

import pytest

from crystalogic.model import load

COLUMNS = ["id_a", "id_b", "age", "lab_1", "lab_2", "[x]", "risk"]
ROWS = [[f"u{n}v{n % 7}", f"d{n}", 20 + n % 50, n % 3, n % 5, n % 2, int(n > 30)] for n in range(60)]
QUICK = ["fit", "t.csv", "-t", "risk", "--max-literals", "1"]


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [",".join(map(str, cells)) for cells in [COLUMNS, *ROWS]]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    objects = [json.dumps(dict(zip(COLUMNS, cells, strict=True))) for cells in ROWS]
    (tmp_path / "t.jsonl").write_text("\n".join(objects) + "\n", encoding="utf-8")
    (tmp_path / "parts").mkdir()
    for name, some in {"1": lines[1:31], "2": lines[31:]}.items():
        (tmp_path / "parts" / f"{name}.csv").write_text("\n".join([lines[0], *some]) + "\n", encoding="utf-8")


def columns_of(path="model.json"):
    return {column.name: column.note for column in load(path).encoding.columns}


def test_a_pattern_leaves_out_every_column_that_is_like_it(crystalogic):
    """Each of many columns needed an --ignore of its own."""
    code, _, err = crystalogic(*QUICK, "--ignore", "id_*", "--ignore", "lab_2", "--quiet")
    assert (code, err) == (0, "")
    asked = [name for name, note in columns_of().items() if note == "left out as you asked"]
    assert asked == ["id_a", "id_b", "lab_2"]


def test_only_the_columns_that_are_named_or_like_a_pattern_are_read(crystalogic):
    assert crystalogic(*QUICK, "--only", "lab_?", "--only", "age", "--quiet")[0] == 0
    assert list(columns_of()) == ["age", "lab_1", "lab_2"]


@pytest.mark.parametrize("path", ["t.jsonl", "parts"])
def test_columns_that_are_not_picked_are_not_read_whatever_holds_the_table(crystalogic, path):
    quick = ["fit", path, *QUICK[2:], "--only", "[al]*", "--skip-unknown", "--quiet"]
    assert crystalogic(*quick) == (0, "", "")
    assert list(columns_of()) == ["age", "lab_1", "lab_2"]


def test_a_pattern_never_means_the_target_and_a_name_with_marks_is_itself(crystalogic):
    assert crystalogic(*QUICK, "--ignore", "*b*", "--ignore", "[x]", "--quiet")[0] == 0
    asked = [name for name, note in columns_of().items() if note == "left out as you asked"]
    assert asked == ["id_b", "lab_1", "lab_2", "[x]"]
    assert crystalogic(*QUICK, "--only", "*", "--ignore", "i*", "--quiet")[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ignore", "ids_*"], "t.csv: no column is like 'ids_*' (the nearest is 'id_b'); the columns are id_a, id_b"),
        (["--only", "lab_9*"], "no column is like 'lab_9*' (the nearest is 'lab_2')"),
        (["--only", "zzz*"], "no column is like 'zzz*'; the columns are"),
        (["--only", "lab1"], "there is no column 'lab1' (did you mean 'lab_1'?)"),
        (["--only", "risk"], "'risk' is the only column"),
        (["--only", "age", "--kind", "lab_1=number"], "there is no column 'lab_1'"),
    ],
)
def test_a_pattern_that_no_column_is_like_is_refused_with_the_nearest(crystalogic, options, message):
    code, out, err = crystalogic(*QUICK, *options)
    assert (code, out) == (1, "")
    assert message in err


def test_protected_columns_are_kept_out_and_measured_by(folder, crystalogic):
    text = table_of_sexes()
    code, out, _ = crystalogic("fit", "-", "-t", "ill", "--protect", "sex, city", "--max-literals", "1", stdin=text)
    assert code == 0
    assert "\nProtected, and not read by the rule: sex, city\n" in out
    assert "\nJudged that ill is yes, by sex, on rows held out (90 % intervals)\n" in out
    model = load("model.json")
    assert model.record.protected == ("sex", "city")
    assert model.columns == ("crp",)
    code, out, _ = crystalogic("predict", "model.json", "-", stdin="crp\nhigh\n")
    assert (code, out.splitlines()[1].split(",")[1]) == (0, "yes")


def test_only_some_columns_are_read_and_those_that_are_protected(folder, crystalogic):
    options = ("--only", "crp", "--protect", "sex", "--max-literals", "1", "--quiet")
    assert crystalogic("fit", "-", "-t", "ill", *options, stdin=table_of_sexes())[0] == 0
    assert {each.column for each in load("model.json").record.held_out.groups} == {"sex"}


def test_the_target_cannot_be_protected(folder, crystalogic):
    code, _, err = crystalogic("fit", "-", "-t", "ill", "--protect", "ill", stdin=table_of_sexes())
    assert code == 2
    assert "'ill' is to be predicted; --protect is for other columns." in " ".join(err.replace("│", " ").split())
    code, _, err = crystalogic("fit", "-", "-t", "ill", "--protect", "sax", stdin=table_of_sexes())
    assert (code, "there is no column 'sax'" in err) == (1, True)


def table_of_sexes():
    rows = ["crp,sex,city,ill"]
    for row in range(200):
        crp = "high" if row % 3 else "low"
        ill = "yes" if (crp == "high") != (row % 17 == 0) else "no"
        rows.append(f"{crp},{'fm'[row % 2]},{'abc'[row % 5 % 3]},{ill}")
    return "\n".join(rows) + "\n"
