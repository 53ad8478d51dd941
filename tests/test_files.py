import bz2
import csv
import gzip
import io
import lzma
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic.errors import TableError
from crystalogic.files import open_table


def write(path, content, encoding="utf-8"):
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return str(path)


@pytest.mark.parametrize(
    ("name", "content", "encoding"),
    [
        ("comma.csv", "a,b\n1,x\n2,ü\n", "utf-8"),
        ("semicolon.csv", "a;b\n1;x\n2;ü\n", "utf-8"),
        ("tab.tsv", "a\tb\n1\tx\n2\tü\n", "utf-8"),
        ("bar.txt", "a|b\n1|x\n2|ü\n", "utf-8"),
        ("windows.csv", "a,b\n1,x\n2,ü\n", "cp1252"),
        ("marked.csv", "a,b\n1,x\n2,ü\n", "utf-8-sig"),
        ("wide.csv", "a,b\n1,x\n2,ü\n", "utf-16"),
        ("lines.jsonl", '{"a": "1", "b": "x"}\n{"a": "2", "b": "ü"}\n', "utf-8"),
        ("two words ü.csv", "a,b\r\n1,x\r\n2,ü\r\n", "utf-8"),
        ("old.csv", "a,b\r1,x\r2,ü\r", "utf-8"),
        ("blank.csv", "\n\na,b\n\n1,x\n   \n2,ü\n\n\n", "utf-8"),
        ("spaces.csv", " a , b \n1,x\n2, ü\n", "utf-8"),
        ("quotes.csv", '"a","b"\n"1","x"\n"2","ü"\n', "utf-8"),
        ("no end.csv", "a,b\n1,x\n2,ü", "utf-8"),
        ("packed.csv.gz", gzip.compress("a,b\n1,x\n2,ü\n".encode(), mtime=0), None),
        ("packed.tsv.bz2", bz2.compress("a\tb\n1\tx\n2\tü\n".encode()), None),
        ("packed.xz", lzma.compress("a;b\n1;x\n2;ü\n".encode()), None),
    ],
)
def test_how_a_table_is_written_is_detected(tmp_path, name, content, encoding):
    table = open_table(write(tmp_path / name, content, encoding))
    assert table.columns == ("a", "b")
    assert table.read().to_dict("list") == {"a": ["1", "2"], "b": ["x", "ü"]}


def test_a_table_comes_in_parts_with_only_the_columns_asked_for(tmp_path):
    path = write(tmp_path / "t.csv", "a,b,c\n" + "".join(f"{i},x,{-i}\n" for i in range(10)))
    parts = list(open_table(path).parts(rows_at_once=4, columns=["c", "a"]))
    assert [len(part) for part in parts] == [4, 4, 2]
    assert list(parts[0].columns) == ["a", "c"]


def test_standard_input_and_pipes_are_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a,b\n1,2\n", mtime=0))))
    assert open_table("-").read().to_dict("list") == {"a": ["1"], "b": ["2"]}
    ready, full = os.pipe()
    os.write(full, b"a,b\n3,4\n")
    os.close(full)
    assert open_table(f"/dev/fd/{ready}").read().to_dict("list") == {"a": ["3"], "b": ["4"]}
    os.close(ready)


def test_codes_stay_texts(tmp_path):
    assert open_table(write(tmp_path / "t.csv", "zip,y\n007,1\n042,0\n")).read()["zip"].tolist() == ["007", "042"]


def test_decimal_commas_become_points_where_the_table_has_no_points(tmp_path):
    table = open_table(write(tmp_path / "t.csv", "a;b\n1,5;x,y\n-2;3\n1,5e3;\n"))
    assert table.read().to_dict("list") == {"a": ["1.5", "-2", "1.5e3"], "b": ["x,y", "3", ""]}
    table = open_table(write(tmp_path / "t.csv", "a;b\n1,5;2.5\n"))
    assert table.read().to_dict("list") == {"a": ["1,5"], "b": ["2.5"]}


def test_strange_names_and_cells_are_kept(tmp_path):
    long = "x" * 1_000_000
    path = write(tmp_path / "t.csv", f'"a\nb",,"c,d"\n"{long}","say ""hi""","1\n2"\n5" pipe,it\'s,3\n')
    table = open_table(path)
    assert table.columns == ("a\nb", "column 2", "c,d")
    assert table.read().to_numpy().tolist() == [[long, 'say "hi"', "1\n2"], ['5" pipe', "it's", "3"]]


def test_a_header_of_ten_thousand_columns_is_read(tmp_path):
    names = [f"column {i}" for i in range(10_000)]
    path = write(tmp_path / "t.csv", ",".join(names) + "\n" + ",".join("1" * 10_000) + "\n")
    assert open_table(path).columns == tuple(names)
    assert len(open_table(path).read()) == 1
    assert open_table(path).listed.endswith("column 29, … and 9,970 more")


def test_json_lines_keep_numbers_and_may_lack_keys(tmp_path):
    table = open_table(write(tmp_path / "t.jsonl", '{"a": 1, "b": true}\n\n{"a": 2.5, "c": "x"}\n'))
    assert table.columns == ("a", "b", "c")
    found = table.read()
    assert (found["a"].tolist(), found["b"].tolist()) == ([1, 2.5], [True, None])
    assert found["c"].isna().tolist() == [True, False]


CLEAN = "a,b\n" + "1,x\n" * 400_000  # longer than what is looked at to find the encoding


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "t.csv: the file is empty."),
        (" \n\n", "t.csv: the file is empty."),
        (b"\xef\xbb\xbf", "t.csv: there is nothing to read."),
        ("a,b\n", "t.csv: the table has a header and no rows."),
        ("a,b,a\n1,2,3\n", "t.csv: two columns are called 'a'. Rename one of them."),
        (
            b"\x89PNG\x00\x00\x01\x02",
            "t.csv: this is a binary file, not a table. Export it as CSV or Parquet. "
            "If it is text, say how it is written, such as --encoding utf-16-le.",
        ),
        (
            b"PK\x03\x04rest",
            "t.csv: this is a ZIP archive or a spreadsheet, not a table. Export it as CSV.",
        ),
        (
            "a,b\n1,2\n1,2,3,4\n",
            "t.csv: line 3 has 4 cells, the header has 2. Correct the line; a cell with ',' in it stands in quotes.",
        ),
        (
            'a,b\n"1\n2",2\n1\n',
            "t.csv: line 4 has 1 cell, the header has 2. Correct the line; a cell with ',' in it stands in quotes.",
        ),
        (
            'a,b\n1,2\n1,"2\n3,4\n',
            "t.csv: line 3: a quote is opened and never closed. A quote inside a quoted cell is written twice.",
        ),
        ('a,"b\n1,2\n', "t.csv: the header does not end; a quote is opened and never closed."),
        (
            CLEAN.encode() + b"2,\xfc\n",
            "t.csv: line 400002 is not utf-8 (byte 0xfc). "
            "Save the file as UTF-8, or say how it is written, such as --encoding cp1252.",
        ),
        (
            CLEAN + "2,y,3\n",
            "t.csv: line 400002 has 3 cells, the header has 2. "
            "Correct the line; a cell with ',' in it stands in quotes.",
        ),
        (
            gzip.compress(b"a,b\n1,2\n" * 1000, mtime=0)[:-9],
            "t.csv: cannot be read (Compressed file ended before the end-of-stream marker was reached).",
        ),
        (
            "{broken\n",
            "t.csv: line 1 is not a JSON object (Expecting property name enclosed in double quotes: line 1 column 2 "
            "(char 1)).",
        ),
        ('{"a": 1}\n[2]\n', "t.csv: line 2 is not a JSON object but list [2]."),
        ('{"a": 1}\n{"a": [2]}\n', "t.csv: line 2: 'a' is [2], expected a text, a number or true or false."),
        ('[{"a": 1}]', "t.csv: this is one JSON array. Write its objects as JSON lines, one object on each line."),
        (
            '{"a": 1}\n' * 1000 + '{"b": 1}\n',
            "t.csv: line 1001 has the key 'b', which the first lines do not have. Give every line the same keys.",
        ),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "t.csv", content)
    with pytest.raises(TableError) as caught:
        open_table("t.csv").read()
    assert str(caught.value) == message


def test_lines_are_counted_also_where_only_some_columns_are_read(tmp_path):
    """pandas cuts long lines and fills short ones when it is asked for some of the columns."""
    for line in ("1,2,3,4", "1"):
        table = open_table(write(tmp_path / "t.csv", f"a,b,c\n1,2,3\n{line}\n"))
        with pytest.raises(TableError, match="line 3 has"):
            list(table.parts(columns=["a"]))


def test_a_declared_encoding_is_used(tmp_path):
    path = write(tmp_path / "t.csv", CLEAN.encode() + b"2,\xfc\n")
    assert open_table(path, "latin-1").read()["b"].iloc[-1] == "ü"
    with pytest.raises(TableError, match="there is no encoding 'klingon'"):
        open_table(path, "klingon")
    with pytest.raises(TableError, match="this is not ascii"):
        open_table(write(tmp_path / "t.csv", "ü\n1\n"), "ascii")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TableError, match="there is no such file"):
        open_table(str(tmp_path / "nowhere.csv"))
    with pytest.raises(TableError, match="there is no such file"):
        open_table(str(tmp_path / "*.csv"))


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00", exclude_categories=["Cc"]) | st.just("\n"))


@given(st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1)))
def test_what_a_csv_writer_wrote_is_read_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("written") / "t.csv"
    header = [f"name {place}" for place in range(len(rows[0]))]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    found = open_table(str(path)).read()
    assert found.to_numpy().tolist() == rows


def test_parquet_is_read_in_parts_and_a_broken_file_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    frame = pd.DataFrame({"age": range(250), "color": ["red", None] * 125})
    frame.to_parquet(tmp_path / "rows.parquet")
    table = open_table(str(tmp_path / "rows.parquet"))
    assert table.columns == ("age", "color")
    parts = list(table.parts(rows_at_once=100, columns=["age"]))
    assert [len(part) for part in parts] == [100, 100, 50]
    assert [list(part.columns) for part in parts] == [["age"]] * 3
    assert table.read()["age"].tolist() == list(range(250))
    (tmp_path / "broken.parquet").write_bytes((tmp_path / "rows.parquet").read_bytes()[:100])
    with pytest.raises(TableError, match="cannot be read as Parquet"):
        open_table(str(tmp_path / "broken.parquet"))


def test_memory_that_runs_out_in_pandas_is_no_fault_of_the_table(tmp_path, monkeypatch):
    """It was told as a table that cannot be read."""
    from crystalogic.arrays import pd

    def exhausted(*_, **__):
        message = "Error tokenizing data. C error: out of memory"
        raise pd.errors.ParserError(message)

    monkeypatch.setattr(pd, "read_csv", exhausted)
    with pytest.raises(MemoryError):
        open_table(write(tmp_path / "t.csv", "a,b\n1,2\n")).read()


def test_many_empty_rows_before_the_header_are_passed_over(tmp_path):
    """A hundred of them ended in a ValueError."""
    path = tmp_path / "t.csv"
    path.write_text(",\n" + "\n" * 150 + "a,b\n1,2\n")
    assert open_table(str(path)).read().to_dict("list") == {"a": ["1"], "b": ["2"]}
    path.write_text(",,\n" * 150)
    with pytest.raises(TableError, match=r"t\.csv: there is nothing to read"):
        open_table(str(path))


CELL = st.sampled_from(
    ["a", '"a;b"', " x", '"q""q"', "", "  ", '"l\nm"', "1,5", '"1,5"', "1.000", '"x" ', 'x"y', '"a"b', '"']
)
LINE = st.one_of(
    st.lists(CELL, min_size=3, max_size=3).map(";".join), st.sampled_from(["", " ", ";;", ";", " ; ", "a;b"])
)


@given(st.lists(LINE, max_size=8), st.sampled_from(["", "\n", "\n\n"]))
def test_a_short_table_is_read_without_pandas_as_it_is_with_it(tmp_path_factory, lines, end):
    """Cells, gaps, quotes, numbers with commas and every refusal are the same, whoever reads."""
    path = write(tmp_path_factory.mktemp("short") / "t.csv", "\n".join(["a;b;c", *lines]) + end)
    found = []
    for how in ("gather", "read"):
        try:
            rows = getattr(open_table(path), how)(float("inf"))
            found.append({name: list(rows[name]) for name in rows})
        except TableError as error:
            found.append(str(error))
    assert found[0] == found[1]


def test_a_short_table_is_gathered_as_columns(tmp_path):
    known = open_table(write(tmp_path / "t.csv", "a;b;c\n1,5;x;u\n2;;v\n")).where("b", lambda cells: cells != "")
    rows = known.pick(["a", "c"]).gather(10)
    assert {name: list(rows[name]) for name in rows} == {"a": ["1.5"], "c": ["u"]}
    assert known.gather(0) is None
