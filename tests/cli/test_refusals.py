"""Bad input, full disks, and other things that go wrong: one message, and nothing is lost."""

import errno
import os

import pytest

from cli_table import names_in

pytestmark = pytest.mark.usefixtures("compiled")


def table_of(**columns):
    names = ",".join(columns)
    return "\n".join([names, *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]) + "\n"


MANY = 30_000
BAD = {
    "empty.csv": "",
    "header.csv": "x,y\n",
    "constant.csv": "x,y\n1,1\n2,1\n",
    "holes.csv": "x,y\n1,1\n2,?\n",
    "twice.csv": "x,y,x\n1,0,2\n",
    "floats.csv": table_of(x=range(40), y=[i % 13 + 0.5 for i in range(40)]),
    "once.csv": "x,y\n1,a\n2,b\n3,c\n",
    "levels.csv": table_of(x=[f"level {i % 10_000}" for i in range(MANY)], y=[i % 2 for i in range(MANY)]),
    "mixed.csv": table_of(x=[*range(30), "n/a?"], y=[i % 2 for i in range(31)]),
    "infinite.csv": table_of(x=[*range(30), "inf"], y=[i % 2 for i in range(31)]),
    "junk.csv": bytes(range(256)) * 10,
    "alone.csv": "y\n1\n0\n",
    "ragged.csv": "x,y\n1,0\n2\n",
    "degrees.csv": "x,y\n1,0\n2,1.5\n",
    "dates.csv": table_of(x=[f"2024-01-{i:02}" for i in range(1, 30)], y=[i % 2 for i in range(29)]),
    "nothing.csv": "x,y\n1,0\n1,1\n",
}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("fit", "nowhere.csv", "-t", "y"), 1, "TableError: nowhere.csv: there is no such file."),
        (("fit", ".", "-t", "y"), 1, "TableError: .: there is no column 'y'; the columns are"),
        (("fit", "empty.csv", "-t", "y"), 1, "TableError: empty.csv: the file is empty."),
        (("fit", "-", "-t", "y"), 1, "TableError: standard input: the file is empty."),
        (("fit", "header.csv", "-t", "y"), 1, "TableError: header.csv: the table has a header and no rows."),
        (("fit", "twice.csv", "-t", "y"), 1, "TableError: twice.csv: two columns are called 'x'. Rename one of them."),
        (
            ("fit", "rows.csv", "-t", "Risk"),
            1,
            "TableError: rows.csv: there is no column 'Risk' (did you mean 'risk'?); the columns are age, color, risk.",
        ),
        (("fit", "rows.csv", "-t", "age"), 1, "TableError: the target 'age' has 60 different values. A rule predicts"),
        (("fit", "floats.csv", "-t", "y"), 1, "TableError: the target 'y' has 13 different values. A rule predicts"),
        (("fit", "once.csv", "-t", "y"), 1, "TableError: the target 'y' has another value in each of its 3 rows."),
        (("fit", "constant.csv", "-t", "y"), 1, "TableError: the target 'y' is always '1'; there is nothing to learn."),
        (("fit", "holes.csv", "-t", "y"), 1, "TableError: row 1: the target 'y' is missing"),
        (("fit", "holes.csv", "-t", "y", "--degrees"), 1, "TableError: row 1: the target 'y' is missing"),
        (("fit", "degrees.csv", "-t", "y", "--degrees"), 1, "TableError: row 1: 'y' is 1.5, expected a truth degree"),
        (("fit", "alone.csv", "-t", "y"), 1, "TableError: alone.csv: 'y' is the only column; there is nothing to"),
        (("fit", "levels.csv", "-t", "y"), 1, "EncodingError: 'x' has 10,000 different values, more than 100. Group"),
        (("fit", "mixed.csv", "-t", "y"), 1, "EncodingError: 'x' holds numbers, and 'n/a?' in row 30. Correct it"),
        (("fit", "infinite.csv", "-t", "y"), 1, "EncodingError: 'x' holds numbers, and 'inf' in row 30."),
        (("fit", "dates.csv", "-t", "y"), 1, "EncodingError: 'x' holds dates, such as '2024-01-01'."),
        (("fit", "nothing.csv", "-t", "y"), 1, "EncodingError: no column can be used: x: left out, it is always 1."),
        (("fit", "junk.csv", "-t", "y"), 1, "TableError: junk.csv: this is a binary file, not a table."),
        (("fit", "ragged.csv", "-t", "y"), 1, "TableError: ragged.csv: line 3 has 1 cell, the header has 2."),
        (("recover", "holes.csv", "-t", "y"), 1, "TableError: row 1: 'x' is 2, expected a truth degree"),
        (("fit", "rows.csv", "-t", "risk", "--encoding", "klingon"), 1, "TableError: there is no encoding 'klingon'"),
        (("fit", "rows.csv", "-t", "risk", "--kind", "age"), 2, "expected COLUMN=KIND"),
        (("fit", "rows.csv", "-t", "risk", "--monotone", "age"), 2, "expected COLUMN=+"),
        (("fit", "rows.csv", "-t", "risk", "--forbid", "zip"), 1, "TrainingDataError: 'zip' is no column that is used"),
        (("fit", "rows.csv", "-t", "risk", "--strategy", "magic"), 1, "there is no strategy 'magic'; there are"),
        (("fit", "rows.csv", "-t", "risk", "-o", "."), 1, "DocumentError: .: this is a folder. Add the name of a file"),
        (("fit", "rows.csv", "-t", "risk", "-o", "no/m.json"), 1, "DocumentError: no/m.json: there is no folder "),
        (("fit", "rows.csv", "-t", "risk", "-o", "/proc/m.json"), 1, "DocumentError: /proc/m.json: cannot be written"),
        (("fit", "rows.csv", "-t", "risk", "-o", "-"), 2, "the model needs a file of its own"),
        (("predict", "rows.csv", "rows.csv"), 1, "DocumentError: rows.csv: not a model"),
        (("predict", "rows.csv", "empty.csv"), 1, "DocumentError: rows.csv: not a model"),
        (("verify", "nowhere.json"), 1, "DocumentError: nowhere.json: cannot be read as a model"),
        (("explain", "rows.csv"), 1, "DocumentError: rows.csv: not a model"),
    ],
)  # fmt: skip
def test_bad_input_is_one_message_and_nothing_is_written(folder, crystalogic, monkeypatch, arguments, code, message):
    def too_late(*_, **__):
        pytest.fail("this must be said before the search begins")

    monkeypatch.setattr("crystalogic.search.search", too_late)
    for name in arguments:
        if name in BAD:
            content = BAD[name]
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = names_in(folder)
    found, out, err = crystalogic(*arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert err.startswith(message) or code == 2 or "magic" in err
    assert "Traceback" not in err
    assert names_in(folder) == before


@pytest.mark.parametrize(
    ("arguments", "table", "message"),
    [
        (("model.json", "-"), b"age,color\nold,red\n", "EncodingError: row 0: 'age' is 'old', expected a number."),
        (("model.json", "-"), b"age,color\n,red\n", "EncodingError: row 0: 'age' is missing, but no training"),
        (("model.json", "-"), b"age,color\n1,red\n1\n", "TableError: standard input: line 3 has 1 cell, the header"),
        (("model.json", "-"), b"", "TableError: standard input: the file is empty."),
        (("other.json", "-"), b"x\n1\n", "DocumentError: other.json: cannot be read as a model"),
    ],
)  # fmt: skip
def test_a_failed_prediction_leaves_the_old_file(folder, model, crystalogic, arguments, table, message):
    (folder / "out.csv").write_text("old")
    code, out, err = crystalogic("predict", *arguments, "--output", "out.csv", stdin=table)
    assert (code, out) == (1, "")
    assert err.startswith(message)
    assert (folder / "out.csv").read_text() == "old"
    assert names_in(folder) == ["model.json", "out.csv", "rows.csv"]


@pytest.mark.parametrize("verb", ["fit", "predict", "datasets"])
def test_a_full_disk_leaves_the_old_file(folder, model, crystalogic, monkeypatch, verb):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    (folder / "out").write_text("old")
    arguments = {"fit": ("rows.csv", "-t", "risk"), "predict": ("model.json", "rows.csv"), "datasets": ("heart",)}
    code, out, err = crystalogic(verb, *arguments[verb], "--output", "out")
    assert (code, out) == (1, "")
    noted = "note: age = 71 lies outside 20 to 70, the range of training.\n" if verb == "predict" else ""
    assert err == (
        f"{noted}DocumentError: out: cannot be written (No space left on device). "
        "Choose another folder, or free some space.\n"
    )
    assert (folder / "out").read_text() == "old"
    assert names_in(folder) == ["model.json", "out", "rows.csv"]


def test_a_device_is_written_to_and_a_link_stays_a_link(folder, model, crystalogic):
    (folder / "link.csv").symlink_to(folder / "out.csv")
    assert crystalogic("predict", "model.json", "rows.csv", "-o", "link.csv")[0] == 0
    assert (folder / "link.csv").is_symlink()
    assert (folder / "out.csv").read_text().count("\n") == 121
    assert crystalogic("predict", "model.json", "rows.csv", "-o", "/dev/null")[0] == 0
    assert not os.path.isfile("/dev/null")


def test_the_first_fit_says_that_it_compiles_and_the_next_does_not(folder, crystalogic, monkeypatch):
    from crystalogic.search import learn

    calls = []
    monkeypatch.setattr(learn, "kernels_are_compiled", lambda: bool(calls))
    monkeypatch.setattr(learn, "compile_kernels", lambda: calls.append("compiled"))
    arguments = ("recover", "-", "-t", "y")
    err = crystalogic(*arguments, stdin=b"a,y\n0,0\n1,1\n")[2]
    assert err == "The search is being compiled for this machine; this happens once and takes about a minute.\n"
    assert crystalogic(*arguments, stdin=b"a,y\n0,0\n1,1\n") == (0, "a\nThe formula is exact on every row.\n", "")
    assert calls == ["compiled"]


def test_a_column_that_cannot_be_used_is_told_before_anything_is_compiled(folder, crystalogic, monkeypatch):
    """It took a minute to hear of a column of dates, on a machine that had fitted nothing before."""
    from crystalogic.search import learn

    monkeypatch.setattr(learn, "kernels_are_compiled", lambda: False)
    monkeypatch.setattr(learn, "compile_kernels", lambda: pytest.fail("compiled for a table that is refused"))
    dates = b"day,y\n2024-01-01,0\n2024-01-02,1\n"
    code, out, err = crystalogic("fit", "-", "-t", "y", stdin=dates)
    assert (code, out) == (1, "")
    assert err.startswith("EncodingError: 'day' holds dates, such as '2024-01-01'.")
    code, _, err = crystalogic("fit", "rows.csv", "-t", "risk", "--monotone", "zip=+")
    assert (code, err.split(";")[0]) == (1, "TrainingDataError: 'zip' is no column that is used and no truth value")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Color", " (did you mean 'color'?)"),
        ("colour", " (did you mean 'color'?)"),
        ("age,color", " (write the option once for each column)"),
        ("zip", ""),
    ],
)
def test_a_column_that_is_not_there_is_compared_with_those_that_are(folder, crystalogic, name, meant):
    code, _, err = crystalogic("fit", "rows.csv", "-t", "risk", "--ignore", name)
    expected = f"TableError: rows.csv: there is no column {name!r}{meant}; the columns are age, color, risk.\n"
    assert (code, err) == (1, expected)
