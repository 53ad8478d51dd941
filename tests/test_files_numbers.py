"""How numbers and empty rows are written in exports of spreadsheets."""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crystalogic.errors import TableError
from crystalogic.files import TableFile, open_table
from crystalogic.files.decimals import COMMA, POINT, Decimals, evidence_of
from crystalogic.files.delimited import Counted, CsvDialect
from depth import deep


def table(tmp_path, text, **options):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return open_table(str(path), **options)


def test_a_column_of_thousands_does_not_hide_decimal_commas(tmp_path):
    """Once, the one column with 16.428 made texts of every 5,7 in the table."""
    read = table(tmp_path, "ldl;leucocytes;day\n5,7;16.428;17.04.2024\n1,25;9.100;18.04.2024\n").read()
    assert read.values.tolist() == [["5.7", "16428", "17.04.2024"], ["1.25", "9100", "18.04.2024"]]


def test_thousands_with_commas_are_numbers_in_a_table_with_commas(tmp_path):
    read = table(tmp_path, 'charge,ldl\n"125,170",1.5\n"1,000,000.5",2\n').read()
    assert read.values.tolist() == [["125170", "1.5"], ["1000000.5", "2"]]


def test_decimal_commas_in_quotes_are_numbers_in_a_table_with_commas(tmp_path):
    read = table(tmp_path, 'ldl,word\n"2,5","a, b"\n"144,25",c\n').read()
    assert read.values.tolist() == [["2.5", "a, b"], ["144.25", "c"]]


def test_numbers_that_contradict_each_other_stay_as_they_are(tmp_path):
    read = table(tmp_path, "a;b\n5,7;16.42\n").read()
    assert read.values.tolist() == [["5,7", "16.42"]]


@pytest.mark.parametrize(
    ("cells", "delimiter", "usual", "found"),
    [
        (["16.428"], ";", None, Decimals(POINT)),
        (["16.428"], ";", COMMA, Decimals(COMMA)),
        (["16.42"], ";", COMMA, Decimals(POINT)),
        (["1,234"], ";", None, Decimals(COMMA)),
        (["1,234"], ",", None, Decimals(POINT, has_thousands=True)),
        (["1,234"], ",", COMMA, Decimals(COMMA)),
        (["1,234"], ";", POINT, Decimals(POINT, has_thousands=True)),
        (["5,7"], ";", POINT, Decimals(POINT)),
        (["1.234,5"], ",", None, Decimals(COMMA)),
        (["1,234.5"], ";", None, Decimals(POINT, has_thousands=True)),
        (["17.04.2024", "a,b", "1,2,3"], ";", None, Decimals(POINT)),
        ([], ";", COMMA, Decimals(COMMA)),
    ],
)
def test_the_mark_before_decimals_is_the_one_that_all_numbers_can_have(cells, delimiter, usual, found):
    assert evidence_of(cells).decimals(delimiter, usual) == found


@given(st.integers(-(10**9), 10**9), st.integers(0, 999), st.sampled_from([POINT, COMMA]))
def test_a_number_written_with_thousands_apart_is_read_back(whole, decimals, mark):
    text = f"{whole:,}.{decimals:03d}"
    text = text if mark == POINT else text.translate(str.maketrans(",.", ".,"))
    assert Decimals(mark, has_thousands=True).plain([text]) == [f"{whole}.{decimals:03d}"]


def test_the_first_line_of_a_spreadsheet_may_tell_the_delimiter(tmp_path):
    assert table(tmp_path, "sep=;\na;b\n1,5;2\n").read().to_dict("list") == {"a": ["1.5"], "b": ["2"]}
    with pytest.raises(TableError, match="line 4 has 3 cells, the header has 2"):
        table(tmp_path, "sep=;\na;b\n1;2\n1;2;3\n").read()


def test_rows_of_nothing_but_delimiters_are_blank_lines(tmp_path):
    """Once, the empty rows under a spreadsheet were patients without an outcome."""
    text = ";;\na;b;c\n;;\n1;2;3\n ; ;\n;;4\n;;\n;;;;\n;;"
    assert table(tmp_path, text).read().values.tolist() == [["1", "2", "3"], ["", "", "4"]]


def test_a_row_that_lacks_only_the_columns_asked_for_stays(tmp_path):
    read = table(tmp_path, "a;b\n;2\n3;4\n")
    assert [part["a"].tolist() for part in read.parts(columns=["a"])] == [["", "3"]]


def test_delimiters_inside_quotes_are_no_empty_row(tmp_path):
    assert table(tmp_path, 'a;b\n"x\n;;\ny";2\n').read()["a"].tolist() == ["x\n;;\ny"]


LINES = st.lists(st.sampled_from(["", "1;2", ";", ";;", " ;", "1;", ";2", '"a', 'b"', '"c;d"']), max_size=8)


def slowly(text):
    """The lines that are not empty, outside of quotes."""
    kept, is_quoted = [], False
    for line in text.splitlines(keepends=True):
        if is_quoted or ";" not in line or line.strip("; \n"):
            kept.append(line)
        is_quoted ^= line.count('"') % 2 == 1
    return "".join(kept)


@given(LINES, st.booleans(), st.lists(st.integers(1, 9), max_size=9))
def test_empty_rows_are_left_out_wherever_the_text_is_parted(lines, is_ended, sizes):
    text = "\n".join(lines) + "\n" * is_ended
    counted = Counted(io.StringIO(text), CsvDialect(("a", "b"), ";", Decimals(), 0), lambda: None)
    assert "".join([*(counted.read(size) for size in sizes), *counted]) == slowly(text)


TELLING = ["5,7", "0,125", "1,234", "1,234,567", "0.125", "1.234", "1.234.567", "1.234,5", "1e5", "1,5e3", "012,345"]
SAYING_NOTHING = ["say 1,5", "1,5 mg", '"5,7"', "a; 5,7; b", "a\n5.7", "07.03.2024", "red", "", " 3 ", "1.2.3", "4,5,6"]


@settings(max_examples=deep(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(TELLING), max_size=3),
    st.lists(st.sampled_from(SAYING_NOTHING), max_size=6),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from([None, POINT, COMMA]),
)
def test_every_line_of_a_table_tells_how_numbers_are_written(tmp_path, telling, others, delimiter, quoting, usual):
    """Once, only the first hundred lines did: a salary of 1.001 was a thousand, or one, by the order of the rows."""
    cells = ["1"] * 150 + others + telling
    with (tmp_path / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, quoting=quoting)
        writer.writerows([["a", "b", "c"], *(["x", cell, "y"] for cell in cells)])
    found = open_table(str(tmp_path / "table.csv"), decimal=usual)
    expected = evidence_of(cells).decimals(delimiter, usual)
    assert found.dialect.decimals == expected
    assert found.read()["b"].tolist()[-1] == (cells if expected.is_plain else expected.plain(cells))[-1]


def test_the_files_of_a_folder_tell_it_together(tmp_path):
    for name, cell in {"a": "1.001", "b": "9.969", "c": "5,5"}.items():
        (tmp_path / f"{name}.csv").write_text(f"salary;w\n{cell};x\n", encoding="utf-8")
    assert open_table(str(tmp_path)).read()["salary"].tolist() == ["1001", "9969", "5.5"]


def test_a_group_that_begins_with_0_is_one_of_decimals(tmp_path):
    """Once, 0,125 was 125, and a model from a table with decimal commas took 0.125 for 125."""
    assert table(tmp_path, 'p,y\n"0,125",a\n"0,750",b\n').read()["p"].tolist() == ["0.125", "0.750"]
    assert table(tmp_path, "p\n0.125\n0.375\n", decimal=COMMA).read()["p"].tolist() == ["0.125", "0.375"]
    assert Decimals(COMMA).plain(["0.125", "1.125"]) == ["0.125", "1125"]


def test_a_plain_table_is_not_read_twice(tmp_path, monkeypatch):
    def read(*_):
        raise AssertionError

    monkeypatch.setattr(TableFile, "as_written", property(read))
    texts = '"a, b",1.5,"3 kg, 4 kg"\n' * 200
    assert table(tmp_path, f"a,b,c\n{texts}").dialect.decimals.is_plain
    assert table(tmp_path, "a\tb\n" + "x, y\t0.5\n" * 200).dialect.decimals.is_plain
    assert table(tmp_path, "a,b\n" + "1,2\n" * 200 + "1,2.5\n").dialect.decimals.is_plain
