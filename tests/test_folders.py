import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from crystalogic.errors import TableError
from crystalogic.files import open_table, source
from crystalogic.files.source import rows_within

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def write(folder, name, columns, **options):
    parquet.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), folder / name, **options)


def refused(read):
    with pytest.raises(TableError) as caught:
        read()
    return str(caught.value)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder `rows` in the folder where commands are given."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows").mkdir()
    return tmp_path / "rows"


def test_a_folder_of_parquet_files_is_one_table_in_the_order_of_their_names(here):
    write(here, "part-2.parquet", {"color": ["c", None], "n": [3, 4]})  # in another order
    write(here, "part-1.parquet", {"n": [1, 2], "color": ["a", "b"]})
    write(here, "part-3.parquet", {"n": pa.array([], "int64"), "color": pa.array([], "string")})
    write(here, "_metadata.parquet", {"other": [1]})
    (here / "_SUCCESS").write_text("")
    (here / "README.txt").write_text("notes")
    (here / "more.parquet").mkdir()
    for path in ("rows", "rows/", "rows/part-*.parquet", "**/part-?.parquet"):
        table = open_table(path)
        assert (table.path, table.columns, table.n_rows) == (path, ("n", "color"), 4)
        rows = table.read()
        assert rows["n"].tolist() == [1, 2, 3, 4]
        assert rows["color"].tolist()[:3] == ["a", "b", "c"]
        assert list(rows.columns) == ["n", "color"]
        assert [list(part.columns) for part in table.parts(columns=["color"])] == [["color"], ["color"]]


def test_a_folder_of_text_files_is_one_table(here):
    (here / "1.csv").write_text("n;x\n1;2\n")
    (here / "2.csv.gz").write_bytes(gzip.compress(b"x;n\n1,5;3\n"))
    (here / "3.csv").write_text("")
    (here / "4.csv").write_text("n;x\n")
    table = open_table("rows")
    assert (table.n_rows, table.columns) == (None, ("n", "x"))
    assert table.read().to_dict("list") == {"n": ["1", "3"], "x": ["2", "1.5"]}
    assert [part.to_dict("list") for part in table.parts(columns=["x"]) if len(part)] == [{"x": ["2"]}, {"x": ["1.5"]}]


def test_json_lines_in_several_files_may_lack_keys(here):
    (here / "1.jsonl").write_text('{"a": 1}\n')
    (here / "2.jsonl").write_text('{"a": 2, "b": "x"}\n')
    assert open_table("rows").columns == ("a", "b")
    assert open_table("rows").read()["a"].tolist() == [1, 2]
    (here / "3.jsonl").write_text('{"a": 1}\n' * 1000 + '{"c": 1}\n')
    assert refused(lambda: open_table("rows").read()).startswith("rows/3.jsonl: line 1001 has the key 'c', which")


def test_numbers_and_texts_may_be_kept_in_other_types_and_a_column_may_have_no_value(here):
    write(here, "1.parquet", {"n": pa.array([1], "int32"), "c": pa.array(["a"]).dictionary_encode(), "b": [True]})
    write(here, "2.parquet", {"n": [2.5], "c": pa.array(["b"], "large_string"), "b": pa.nulls(1)})
    write(here, "3.parquet", {"n": pa.nulls(1), "c": ["c"], "b": [False]})
    rows = open_table("rows").read()
    assert rows["n"].tolist()[:2] == [1, 2.5]
    assert rows["c"].tolist() == ["a", "b", "c"]
    assert rows["b"].tolist() == [True, None, False]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"n": [1]},
            "rows/2.parquet: this file has no column 'c', rows/1.parquet has one. Give all files the same columns.",
        ),
        (
            {"n": [1], "c": ["x"], "z": [1]},
            "rows/2.parquet: this file has a column 'z', rows/1.parquet has none. Give all files the same columns.",
        ),
        (
            {"n": ["1"], "c": ["x"]},
            "rows/2.parquet: the column 'n' is string, in rows/1.parquet it is int64. "
            "Write all files with the same types.",
        ),
        (
            {"n": [True], "c": ["x"]},
            "rows/2.parquet: the column 'n' is bool, in rows/1.parquet it is int64. "
            "Write all files with the same types.",
        ),
    ],
)
def test_a_file_with_other_columns_or_types_is_named(here, columns, message):
    write(here, "1.parquet", {"n": [1], "c": ["x"]})
    write(here, "2.parquet", columns)
    assert refused(lambda: open_table("rows")) == message


def test_a_folder_without_tables_is_refused_with_advice(here):
    assert refused(lambda: open_table("rows")) == (
        "rows: this is a folder without tables. Give a folder with Parquet or CSV files, "
        "or a pattern such as 'rows/**/*.parquet'."
    )
    (here / "1.csv").write_text("")
    assert refused(lambda: open_table("rows")) == "rows: every file is empty."
    (here / "1.csv").write_text("a\n1\n")
    write(here, "2.parquet", {"a": [1]})
    assert refused(lambda: open_table("rows")) == (
        "rows/2.parquet: this is Parquet, rows/1.csv is text with a delimiter. Give files of one kind."
    )


def test_rows_are_counted_also_where_no_column_is_asked_for(here):
    """A rule without columns says the same of every row, and of Parquet and JSON lines there seemed to be none."""
    write(here, "1.parquet", {"a.b": [1, 2], "a": [3, 4]})
    write(here, "2.parquet", {"a": [5], "a.b": [6]})
    (here.parent / "t.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    for path, n_rows in (("rows", 3), ("rows/1.parquet", 2), ("t.jsonl", 2)):
        assert sum(len(part) for part in open_table(path).parts(columns=[])) == n_rows
    assert [part.to_dict("list") for part in open_table("rows").parts(columns=["a"])] == [{"a": [3, 4]}, {"a": [5]}]


def test_only_empty_files_are_a_table_without_rows(here):
    write(here, "1.parquet", {"a": pa.array([], "int64")})
    table = open_table("rows")
    assert table.n_rows == 0
    assert list(table.parts()) == []
    assert refused(table.read) == "rows: the table has a header and no rows."


def test_the_numbers_of_rows_that_pandas_kept_are_no_column(here):
    pd.DataFrame({"a": [1, 2, 3]}).iloc[[0, 2]].to_parquet(here / "1.parquet")
    pd.DataFrame({"a": [5]}, index=pd.Index([9], name="key")).to_parquet(here.parent / "named.parquet")
    assert open_table("rows").read().to_dict("list") == {"a": [1, 3]}
    assert open_table("named.parquet").read().to_dict("list") == {"a": [5], "key": [9]}


def test_large_row_groups_come_in_parts_that_fit_in_memory(here, monkeypatch):
    write(here, "1.parquet", {f"x{place}": range(1000) for place in range(10)}, row_group_size=1000)
    assert [len(part) for part in open_table("rows").parts(rows_at_once=400)] == [400, 400, 200]
    monkeypatch.setattr(source, "BYTES_AT_ONCE", 30_000)
    assert max(len(part) for part in open_table("rows").parts()) <= 375
    assert max(len(part) for part in open_table("rows").parts(columns=["x1"])) == 1000
    monkeypatch.undo()
    long = ["x" * 10_000 + str(row) for row in range(10_000)]
    write(here.parent, "long.parquet", {"text": long}, use_dictionary=False)
    assert max(len(part) for part in open_table(str(here.parent / "long.parquet")).parts()) < 7_000
    assert rows_within(50_000, 0) == 50_000


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak of a process is read from /proc")
def test_reading_takes_little_memory_whatever_the_row_groups(here):
    """pyarrow reads ahead and keeps whole row groups, unless it is told not to."""
    columns = dict.fromkeys((f"x{place}" for place in range(40)), np.random.default_rng(0).random(1_000_000))
    write(here, "1.parquet", columns, row_group_size=1_000_000, use_dictionary=False, compression="none")
    code = (
        "import re, pandas, pyarrow.parquet; from crystalogic.files import open_table\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1]) // 1024\n"
        "before = peak(); rows = sum(map(len, open_table('rows').parts())); print(rows, peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    n_rows, megabytes = map(int, done.stdout.split())
    assert n_rows == 1_000_000
    assert megabytes < 300  # the table has 320, and 438 were used with what is read ahead


def test_what_breaks_while_reading_is_one_sentence(here):
    whole = pa.table({"a": [str(row) for row in range(100_000)], "b": range(100_000)})
    write(here, "1.parquet", whole, row_group_size=20_000, compression="none")
    write(here, "2.parquet", whole)
    table = open_table("rows")
    content = (here / "1.parquet").read_bytes()
    (here / "1.parquet").write_bytes(content[: len(content) // 2])
    assert refused(lambda: list(table.parts())).startswith("rows/1.parquet: cannot be read as Parquet (")
    (here / "1.parquet").write_bytes(content[:50_000] + b"\xff" * 200_000 + content[250_000:])
    assert refused(lambda: list(table.parts())).startswith("rows/1.parquet: cannot be read as Parquet (")
    (here / "1.parquet").write_bytes(content)
    parts = table.parts()
    next(parts)
    (here / "2.parquet").unlink()
    assert refused(lambda: list(parts)).startswith("rows/2.parquet: cannot be read as Parquet (")
    assert (
        refused(lambda: [each.source.n_bytes for each in table.files])
        == "rows/2.parquet: cannot be read (No such file or directory)."
    )
    write(here, "2.parquet", {"a": ["1"], "c": [1]})
    assert refused(lambda: list(table.parts())) == (
        "rows/2.parquet: the column 'b' is gone; the file was changed while it was read."
    )
    (here / "1.parquet").write_bytes(b"")
    assert refused(lambda: open_table("rows")) == "rows/1.parquet: the file is empty."


def test_what_must_not_be_read_is_one_sentence(here, monkeypatch):
    write(here, "1.parquet", {"a": [1]})

    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", forbidden)
    assert refused(lambda: open_table("rows")) == "rows: cannot be read (Permission denied)."
