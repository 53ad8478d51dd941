import pytest

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
    ],
)
def test_delimiter_and_encoding_are_detected(tmp_path, name, content, encoding):
    table = open_table(write(tmp_path / name, content, encoding))
    assert table.columns == ("a", "b")
    assert table.read().to_dict("list") == {"a": ["1", "2"], "b": ["x", "ü"]}


def test_a_table_comes_in_parts_with_only_the_columns_asked_for(tmp_path):
    path = write(tmp_path / "t.csv", "a,b,c\n" + "".join(f"{i},x,{-i}\n" for i in range(10)))
    parts = list(open_table(path).parts(rows_at_once=4, columns=["c", "a"]))
    assert [len(part) for part in parts] == [4, 4, 2]
    assert list(parts[0].columns) == ["a", "c"]


def test_codes_stay_texts(tmp_path):
    assert open_table(write(tmp_path / "t.csv", "zip,y\n007,1\n042,0\n")).read()["zip"].tolist() == ["007", "042"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n", "a header and no rows"),
        ("a,b,a\n1,2,3\n", "two columns are called 'a'"),
        (b"\x89PNG\x00\x00\x01\x02", "this is a binary file"),
        ("a,b\n1,2\n1,2,3,4\n", "cannot be read as a table"),
        ("{broken\n", "the first line is no JSON object"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, content, message):
    with pytest.raises(TableError, match=message):
        open_table(write(tmp_path / "t.csv", content)).read()


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TableError, match="there is no such file"):
        open_table(str(tmp_path / "nowhere.csv"))
    with pytest.raises(TableError, match="there is no such file"):
        open_table(str(tmp_path))
