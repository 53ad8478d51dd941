"""Names that hypothesis invents, in every language that exports and predictions are written in, and then run.

Whatever things are called, the answers are those of the model and nothing else happens. `make attack-names` tries 5,000
names in each language.
"""

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import assume, given

import export_engines as engines
from crystalogic.cli.app import run
from crystalogic.errors import ExportError
from crystalogic.export import to, to_latex, to_markdown, to_python, to_sql
from crystalogic.logic.names import one_line
from export_cases import said
from invented_names import (
    TALLY,
    Page,
    any_name,
    case_of,
    cases,
    harmless,
    is_text,
    tell,
    tried,
)

needs_node = pytest.mark.skipif(engines.NODE is None, reason="no JavaScript engine: node is not installed")
needs_gcc = pytest.mark.skipif(engines.GCC is None, reason="no C compiler: gcc is not installed")
every_text = given(drawn=cases(texts_only=True))
everything = given(drawn=cases())


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory, request):
    """All run in a folder of their own, where no canary may turn up; says at the end how many names were tried."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("names")
        patch.chdir(place)
        yield place
        assert not (place / "canary").exists()
    tell(request)


def agrees(found, case, language):
    expected = said(case.model, case.rows)
    assert None not in expected.decisions
    assert found.decisions == expected.decisions
    assert np.array_equal(found.degrees, expected.degrees)
    assert found.told == expected.told
    TALLY[language] += len(case.names)


@everything
@tried()
def test_python_runs_them(drawn):
    case = case_of(*drawn)
    agrees(engines.run_python(case.model, case.rows), case, "Python")
    lines = to_python(case.model).split("\n")
    assert lines[0] == "# a rule of Crystalogic"
    assert re.fullmatch("# model [0-9a-f]{64}", lines[1])


@needs_gcc
@every_text
@tried()
def test_c_runs_them(drawn):
    case = case_of(*drawn)
    agrees(engines.run_c(case.model, case.rows), case, "C")


@needs_node
@everything
@tried()
def test_javascript_runs_them(drawn):
    case = case_of(*drawn)
    agrees(engines.run_javascript(case.model, case.rows), case, "JavaScript")
    text = to(case.model, "javascript")
    assert not re.search(r"<[/!a-z]", text, re.IGNORECASE)
    assert all(char.isprintable() or char == "\n" for char in text)


@every_text
@tried()
def test_onnx_runs_them(drawn):
    case = case_of(*drawn)
    agrees(engines.run_onnx(case.model, case.rows), case, "ONNX")


def in_sql(case, dialect, ask, language):
    query = engines.asked(case.model, case.rows, dialect, ask, by_expression=False)
    expression = engines.asked(case.short, case.rows, dialect, ask, by_expression=True)
    assert expression.decisions == said(case.short, case.rows).decisions
    assert len(ask(to_sql(case.model, table=["the rows"], dialect=dialect))) == len(case.records)
    assert ask("SELECT count(*) FROM canary") == [(0,)]
    agrees(query, case, language)


@every_text
@tried()
def test_sqlite_runs_them(drawn):
    case = case_of(*drawn)
    ask = engines.sqlite_asker(case.rows)
    in_sql(case, "sqlite", ask, "SQL in SQLite")
    in_sql(case, "standard", ask, "standard SQL in SQLite")


@every_text
@tried()
def test_duckdb_runs_them(drawn):
    case = case_of(*drawn)
    ask = engines.duckdb_asker(case.rows)
    in_sql(case, "duckdb", ask, "SQL in DuckDB")
    in_sql(case, "standard", ask, "standard SQL in DuckDB")


@pytest.fixture(scope="module")
def postgresql():
    with engines.postgresql() as server:
        if server is None:
            pytest.skip("no PostgreSQL server can be started here: postgres, initdb or psql is missing")
        yield server


@every_text
@tried(2)
def test_postgresql_runs_them(drawn, postgresql):
    case = case_of(*drawn)
    assume(not {"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"} & set(case.rows))  # which no table can have
    assume(len({name.encode()[:63] for name in case.rows}) == len(case.rows))
    assume(all(engines.read_text(label) == label for label in case.model.classes))  # psql gives texts alone
    in_sql(case, "postgresql", engines.postgresql_asker(postgresql, case.rows), "SQL in PostgreSQL")


def computes(cell):
    """Whether a spreadsheet would take the cell for a formula, after anything that cannot be seen; numbers are none."""
    first = next((char for char in cell if char.isprintable() and char != " "), "")
    return first in tuple("=+-@＝＋－＠") and not re.fullmatch(r"\s*[+-]?[\d.]+(?:[eE][+-]?\d+)?\s*", cell, re.ASCII)


def predicted(case, folder, *options):
    import pandas as pd

    case.model.save("m.json")
    pd.DataFrame(case.rows).to_parquet("rows.parquet")
    assert run(["predict", "m.json", "rows.parquet", "-o", "out", *options]) == 0
    return (folder / "out").read_bytes().decode()


def apart(text):
    """What is left of a text without what is put before formulas."""
    return text.replace("'", "")


@every_text
@tried()
def test_a_csv_file_of_predictions_holds_the_decisions_and_computes_nothing(drawn, folder):
    case = case_of(*drawn)
    expected = said(case.model, case.rows)
    plain = predicted(case, folder)
    kept = [name for name, cells in case.rows.items() if isinstance(cells[0], str | None)]
    more = predicted(case, folder, *(f"--keep={name}" for name in kept))
    for text, names in ((plain, []), (more, kept)):
        header, *records = csv.reader(io.StringIO(text, newline=""), strict=True)
        ours = [name.casefold() for name in (header[0], *header[1 + len(names) :])]
        assert len(set(ours)) == len(ours)
        assert not set(ours) & {name.casefold() for name in header[1 : 1 + len(names)]}
        assert [apart(name) for name in header[1 : 1 + len(names)]] == list(map(apart, names))
        assert [record[0] for record in records] == [str(place) for place in range(len(records))]
        for place, record in enumerate(records):
            assert len(record) == len(header)
            assert apart(record[1 + len(names)]) == apart(expected.decisions[place])
            assert list(map(float, record[2 + len(names) :])) == expected.degrees[place].tolist()
            cells = [case.rows[name][place] for name in names]
            assert list(map(apart, record[1 : 1 + len(names)])) == [apart(cell or "") for cell in cells]
        for cell in (cell for record in (header, *records) for cell in record):
            assert not any(map(computes, [cell, *cell.splitlines(), *cell.split(";")]))
        assert not any(computes(line) for line in text.splitlines())
    TALLY["CSV"] += len(case.names)


def once(pairs):
    assert len(dict(pairs)) == len(pairs), "a key stands twice"
    return dict(pairs)


@every_text
@tried()
def test_json_of_predictions_has_every_key_once(drawn, folder):
    case = case_of(*drawn)
    expected = said(case.model, case.rows)
    for place, record in enumerate(json.loads(predicted(case, folder, "--json"), object_pairs_hook=once)):
        number, decision, *degrees = record.values()
        assert (number, decision, degrees) == (place, expected.decisions[place], expected.degrees[place].tolist())
    TALLY["JSON"] += len(case.names)


def shown(name):
    """A name as pages show it: on one line, what has no letter as a box."""
    return re.sub("[\ufdd0-\ufdef\ufffe\uffff]", "\ufffd", one_line(name))


@everything
@tried()
def test_markdown_shows_them(drawn):
    from markdown_it import MarkdownIt

    names, seed = drawn
    pages = []
    for case in (case_of(names, seed), case_of(harmless(names), seed)):
        tokens = MarkdownIt("commonmark").parse(to_markdown(case.model))
        kinds = [[token.type, *(child.type for child in token.children or ())] for token in tokens]
        pages.append((kinds, Page(MarkdownIt("commonmark").render(to_markdown(case.model)))))
    (kinds, page), (expected, plain) = pages
    assert [[kind for kind in each if kind != "text_special"] for each in kinds] == expected
    assert page.elements == plain.elements
    assert page.text.split("\n")[0] == (shown(names[0]) or "\xa0")
    TALLY["Markdown"] += len(names)


COMMANDS = {
    "textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~", "geq": "≥", "leq": "≤", "neq": "≠",
    "text": "", "mathit": "", "neg": "¬", "frac": "", "item": "\n", "begin": "", "end": "", "[": "", "]": "",
    **{char: char for char in "{}$&#%_"},
}  # fmt: skip
TOKEN = re.compile(r"\\([A-Za-z]+|.)|([{}$^_~&#%\\])|([^\\{}$^_~&#%]+)", re.DOTALL)


def typeset(text):
    """The text that a piece of LaTeX shows; refuses commands that are not ours and what is not balanced."""
    shown, groups, is_math = "", 0, 0
    for line in text.split("\n"):
        for command, sign, letters in TOKEN.findall(re.sub(r"^%.*", "", line)):
            assert not command or command in COMMANDS or not command[0].isascii() or command in SYMBOLS, command
            assert sign not in tuple("^~&#%\\"), line
            groups += {"{": 1, "}": -1}.get(sign, 0)
            is_math ^= sign == "$"
            assert groups >= 0
            shown += COMMANDS.get(command, "") + letters
        assert groups == is_math == 0, line
        shown += "\n"
    return shown


SYMBOLS = frozenset(
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon varphi chi "
    "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split()
)


@everything
@tried()
def test_latex_sets_them(drawn):
    case = case_of(*drawn)
    text = to_latex(case.model)
    assert all(line.isprintable() for line in text.split("\n"))
    assert re.findall(r"\\(?:begin|end)\{\w+\}|\\[\[\]]", re.sub("^%.*", "", text, flags=re.MULTILINE))[-2:] == [
        "\\begin{itemize}",
        "\\end{itemize}",
    ]
    name = "".join(char for char in " ".join(case.model.target.split()) if char.isprintable())
    assert f"The degree of {name}" in typeset(text)
    TALLY["LaTeX"] += len(case.names)


@given(any_name.filter(lambda name: not is_text(name)), any_name)
@tried(20)
def test_what_a_language_cannot_hold_is_refused_with_the_name(name, other):
    """Half a character in a class was a traceback in a CSV file."""
    names = (name, *(f"{name}{other}{index}" for index in range(24)))
    case = case_of(names, 0)
    for target in ("sql", "c", "onnx"):
        if "\0" in name and target == "onnx" and not re.search("[\ud800-\udfff]", "".join(names)):
            continue  # it holds NUL
        with pytest.raises(ExportError, match="Rename"):
            to(case.model, target, **({"table": "t"} if target == "sql" else {}))
    TALLY["refusals"] += len(names)


def written(model, target, **options):
    """The document; None where XML cannot hold a name, or DMN the degrees of the rule."""
    try:
        return to(model, target, **options)
    except ExportError as problem:
        if "which XML cannot hold" in str(problem) or "degrees would have" in str(problem):
            return None
        raise


@everything
@tried()
def test_documents_keep_them(drawn):
    """PMML and DMN are read again as XML with the same names, and no cell of a spreadsheet becomes a formula."""
    openpyxl = pytest.importorskip("openpyxl")
    names, seed = drawn
    names = tuple("".join(char if char in "\n\r\t" or char.isprintable() else "~" for char in name) for name in names)
    assume(len({name.strip().casefold() for name in names}) == len(names))
    case = case_of(*(drawn if seed % 4 == 3 else (names, seed)))
    columns = list(case.model.columns)
    if pmml := written(case.model, "pmml"):
        fields = [each for each in ElementTree.fromstring(pmml).iter() if each.tag.endswith("}DataField")]
        assert [each.get("name") for each in fields] == [*columns, case.model.target]
    if dmn := written(case.model, "dmn"):
        inputs = [each for each in ElementTree.fromstring(dmn).iter() if each.tag.endswith("}inputData")]
        assert [each[0].text or "" for each in inputs] == columns
    if sheet := written(case.model, "xlsx", rows=1):
        book = openpyxl.load_workbook(io.BytesIO(sheet))
        titles = [str(cell.value or "") for cell in book["Batch"][1][: len(columns)]]
        assert [re.sub("_x000D_", "\r", title) for title in titles] == [str(name) for name in columns]
        assert {cell.data_type for cell in (*book["Batch"][1], *book["Calculator"]["A"]) if cell.value} <= {"s"}
    TALLY["documents"] += len(case.names)
