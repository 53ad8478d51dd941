"""Columns, values, classes and targets may be called anything: names stay names wherever they are shown or written."""

import csv
import io
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from html.parser import HTMLParser

import pytest

from crystalogic.cli.app import run
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.errors import CrystalogicError
from crystalogic.export import TARGETS, to
from crystalogic.export.quoting import csv_cell
from crystalogic.fitting import model_of
from crystalogic.logic.formula import AtLeast, Variable
from crystalogic.logic.names import one_line, visible
from crystalogic.report import Table, report_page
from crystalogic.words.explanations import explanation_text
from crystalogic.words.models import model_html, model_text, rule_text

TERMINAL = ("\x1b[2J\x1b]0;title\x1b\\", "\x9b31m", "\u202egpj.exe", "\u2066x", "x\nProved: everything", "x\u2028line")
PAYLOADS = {
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "template": "{{ 7*7 }}{% raw %}${7*7}#{7*7}",
    "sql": "x'; DROP TABLE canary; --",
    "sql name": 'x"; DROP TABLE canary; --',
    "latex": "\\input{/etc/passwd}\\write18{id} $x^2$ %&#_~",
    "c": '*/ int x; /* " \\ ??/',
    "javascript": "*/ alert(1) // ` ${1} </script> \\u0022",
    "markdown": "[x](javascript:alert(1)) `code` **b** <b> | # \n# title",
    "csv": "=cmd|' /C calc'!A0",
    "path": "../../etc/passwd",
    "format": "%s %n {0.__class__} %(x)s",
    "python": '"""\n__import__("os").system("id")\n"""',
    **{f"terminal {place}": text for place, text in enumerate(TERMINAL)},
}


def named(text):
    """A model in which everything is called like this: columns of every kind, values, levels, classes, the target."""
    second = f"{text} 2"
    levels = ("low", f"{text} level")
    columns = (
        Column(text, "category", (Is(text, text), Missing(text)), (text, "b"), True),
        Column(second, "number", (Degree(second, 0.0, 1.0), Cut(second, 0.5))),
        Column(f"{text} 3", "ordinal", (Reaches(f"{text} 3", levels[1], levels),), levels),
    )
    encoding = Encoding(columns)
    formula = AtLeast(2, *(Variable(name) for name in encoding.names))
    model = model_of([formula], encoding, f"{text} target", (f"{text} no", f"{text} yes"))
    return model.with_facts(units={text: text}, source=text, strategy=text, library=text, choice=(text,))


def rows(text):
    return {text: text, f"{text} 2": "0.75", f"{text} 3": f"{text} level"}


NUMBER = Encoding((Column("x", "number", (Cut("x", 0.5),)),))
every_payload = pytest.mark.parametrize("text", PAYLOADS.values(), ids=PAYLOADS)
COMMANDS_A_TERMINAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_table(path, text):
    cells = rows(text)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([cells.keys(), cells.values()])


@pytest.mark.parametrize("text", [*TERMINAL, PAYLOADS["html"], PAYLOADS["format"]], ids=ascii)
def test_no_command_lets_a_name_reach_the_terminal(folder, capsys, text):
    """Escape sequences in the names of a model were printed as they were: a file could clear or rewrite the screen."""
    named(text).save(folder / "m.json")
    write_table(folder / "rows.csv", text)
    for words in (
        ["predict", "m.json", "rows.csv", "--json"],
        ["explain", "m.json", "rows.csv"],
        ["explain", "m.json", "rows.csv", "--json"],
        ["explain", "m.json", "--value", "x=1"],
        ["verify", "m.json"],
        ["verify", "m.json", "--json"],
        ["predict", "m.json", "m.json"],
        ["ask", "m.json", "monotone", f"{text} 2"],
        ["ask", "m.json", "ignores", text],
        ["ask", "m.json", "ignores", "nothing"],
        ["ask", "m.json", "never", "nothing"],
        ["ask", "m.json", "reason", "rows.csv"],
        ["ask", "m.json", "counterfactual", "rows.csv"],
        ["diff", "m.json", "m.json"],
        ["report", "m.json", "rows.csv", "--time", "0", "--unit", "x=y"],
    ):
        assert run(words) in (0, 1)
        shown = capsys.readouterr()
        assert COMMANDS_A_TERMINAL.search(shown.out + shown.err) is None, words
        if "--json" in words and shown.out:
            json.loads(shown.out)
    assert sorted(path.name for path in folder.iterdir()) == ["m.json", "rows.csv"]


@every_payload
def test_a_name_cannot_add_a_line_to_what_is_proved(text):
    model = named(text)
    explained = explanation_text(model.explain(rows(text)))
    for shown in (rule_text(model), explained, model_text(model, with_columns=True)):
        assert not any(line.startswith(("Proved: everything", "# title", "__import__")) for line in shown.splitlines())


def test_names_are_made_visible_and_stay_readable():
    assert visible("age ≥ 55, größe\tx\n") == "age ≥ 55, größe\tx\n"
    assert visible("\x1b[2J\u202e\x9b\ud800") == "\\u001b[2J\\u202e\\u009b\\ud800"
    assert one_line(" a\r\n\tb\u2028c ") == "a b c"
    assert str(Variable("a\x1b\nb")) == "{a\\u001b\\nb}"


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts of scripts."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, tuple(name for name, _ in attributes)))


@every_payload
def test_a_name_adds_nothing_to_a_page(text):
    """The elements and attributes of every page are those of the same model with harmless names."""
    pages = []
    for name in (text, "plain"):
        model = named(name)
        table = Table({key: [value] for key, value in rows(name).items()}, None, name)
        pages.append([report_page(model, table, seconds=0), model_html(model)])
    for hostile, harmless in zip(*pages, strict=True):
        assert Elements(hostile).found == Elements(harmless).found
    assert "javascript:" not in pages[0][0].lower().replace("[x](javascript:alert", "")
    assert COMMANDS_A_TERMINAL.search(pages[0][0]) is None


@every_payload
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "standard"])
def test_a_name_does_nothing_in_a_database(text, dialect):
    import duckdb

    connect = duckdb.connect if dialect == "duckdb" else sqlite3.connect
    with closing(connect(":memory:")) as database:
        quoted = ", ".join('"' + name.replace('"', '""') + '" VARCHAR' for name in rows(text))
        database.execute("CREATE TABLE canary (x INTEGER)")
        database.execute(f"CREATE TABLE t ({quoted})")
        database.execute("INSERT INTO t VALUES (?, ?, ?)", list(rows(text).values()))
        model = named(text)
        ((decision, degree, *_),) = database.execute(to(model, "sql", table="t", dialect=dialect)).fetchall()
        expected = model.explain(rows(text))
        assert (decision, degree) == (expected.decision, float(expected.degrees[0]))
        assert database.execute("SELECT count(*) FROM canary").fetchall() == [(0,)]
        database.execute(f"SELECT {to(model, 'sql', dialect=dialect)} FROM t").fetchall()


@every_payload
def test_a_name_ends_no_comment_and_no_text_in_a_program(text, tmp_path):
    model = named(text)
    scope = {}
    exec(compile(to(model, "python"), "rule.py", "exec"), scope)  # what a user of the export does
    assert set(scope) - {"__builtins__"} <= {
        "NAN", "MISSING", "missing", "exact", "number", "same", "given", "unread", "between", "reaches", "least",
        "greatest", "alike", "at_least_0", "at_most_1", "decide",
    }  # fmt: skip
    assert scope["decide"](rows(text))["decision"] == model.explain(rows(text)).decision
    if shutil.which("gcc"):
        (tmp_path / "rule.c").write_text(to(model, "c"), encoding="utf-8")
        strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
        subprocess.run(["gcc", *strict, str(tmp_path / "rule.c")], check=True)
    if shutil.which("node"):
        (tmp_path / "rule.js").write_text(to(model, "javascript"), encoding="utf-8")
        called = f"console.log(JSON.stringify(require('./rule.js').decide({json.dumps(rows(text))}).decision))"
        done = subprocess.run(["node", "-e", called], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == model.explain(rows(text)).decision


CODINGS = ("coding:utf_7 +AAo-open('canary','w')+AAo-#", "ICD coding: correct", "x -*- coding: utf-16 -*-")


@pytest.mark.parametrize("text", CODINGS)
def test_a_target_does_not_tell_the_encoding_of_a_module(folder, text):
    """The first line was a comment with the target: `coding:utf_7` in it made Python read what follows as line ends."""
    model_of([Variable("x ≥ 0.5")], NUMBER, text, ("no", "yes")).save(folder / "m.json")
    assert run(["export", "m.json", "python", "-o", "rule.py"]) == 0
    done = subprocess.run([sys.executable, "-c", "import rule"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (folder / "canary").exists()
    first, second, *rest = (folder / "rule.py").read_text().split("\n")
    assert first == "# a rule of Crystalogic"
    assert f"# decides {text}" in rest
    assert re.fullmatch("# model [0-9a-f]{64}", second)


@every_payload
def test_a_name_is_no_command_of_latex_and_no_markup(text):
    latex = to(named(text), "latex")
    body = "\n".join(line for line in latex.splitlines() if not line.startswith("%"))
    commands = set(re.findall(r"\\[A-Za-z]+", body))
    assert commands <= {
        "\\begin", "\\end", "\\item", "\\text", "\\textbackslash", "\\textasciicircum", "\\textasciitilde", "\\frac",
        "\\geq", "\\leq", "\\mathit", "\\neg", "\\otimes", "\\oplus",
    }  # fmt: skip
    markdown = to(named(text), "markdown")
    assert not re.search(r"[<>`\[\]|\\*](?<!\[ \])", re.sub(r"- \[ \] |\*\*", "", markdown))
    assert [line for line in markdown.splitlines() if line.startswith("#")] == [markdown.splitlines()[0]]


@every_payload
def test_a_cell_of_a_written_table_is_no_formula_of_a_spreadsheet(folder, text):
    named(text).save(folder / "m.json")
    write_table(folder / "rows.csv", text)
    assert run(["predict", "m.json", "rows.csv", "-o", "out.csv"]) == 0
    with open("out.csv", encoding="utf-8", newline="") as file:
        for record in csv.reader(file):
            assert not any(re.match(r"\s*[=+\-@＝＋－＠]", cell) for cell in record)


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-2+3", "'-2+3"),
        ("@x", "'@x"),
        ("\t=1", "'\t=1"),
        (" =1", "' =1"),
        ("\x00\u200b\ufeff=1", "'\x00\u200b\ufeff=1"),
        ("\n=1", "\n'=1"),
        ("a\r\n@x", "a\r\n'@x"),
        ("5\n-3", "5\n-3"),
        ("-5\n3", "'-5\n3"),
        ("a;=1", "a;'=1"),
        ("＝1", "'＝1"),
        ("-1", "-1"),
        ("-1.5e3", "-1.5e3"),
        ("", ""),
        ("yes", "yes"),
        ("a=b", "a=b"),
    ],
)
def test_numbers_stay_numbers_and_formulas_become_texts(folder, label, written):
    """An empty class was written as an apostrophe; a formula behind a space was not noticed."""
    model_of([Variable("x ≥ 0.5")], NUMBER, "y", (label, "other")).save(folder / "m.json")
    (folder / "rows.csv").write_text("x\n0\n")
    run(["predict", "m.json", "rows.csv", "-o", "out.csv"])
    with open("out.csv", encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1][1] == written


def test_a_line_end_in_a_cell_begins_no_row(folder):
    """Line ends were not in quotes: a kept cell, a class or the target began a row of its own, or a formula."""
    model_of([Variable("x ≥ 0.5")], NUMBER, "y\r99", ("no\n99", "yes")).save(folder / "m.json")
    (folder / "rows.csv").write_text('x,name\n8,"Bob\n=cmd|x!A0"\n0,"a\n99"\n')
    assert run(["predict", "m.json", "rows.csv", "--keep", "name", "-o", "out.csv"]) == 0
    assert (folder / "out.csv").read_bytes().decode() == (
        'row,name,"y\r99",degree of yes\n0,"Bob\n\'=cmd|x!A0",yes,1.0\n1,"a\n99","no\n99",0.0\n'
    )


@pytest.mark.parametrize(
    ("target", "classes", "kept", "names"),
    [
        ("y", ("no", "yes"), [], ["row", "y", "degree of yes"]),
        ("row", ("no", "yes"), [], ["row", "predicted row", "degree of yes"]),
        ("ROW", ("no", "yes"), [], ["row", "predicted ROW", "degree of yes"]),
        ("", ("no", "yes"), [], ["row", "predicted", "degree of yes"]),
        ("degree of yes", ("no", "yes"), [], ["row", "degree of yes", "degree of yes 2"]),
        ("y", ("a", "A", "a 2"), [], ["row", "y", "degree of a", "degree of A 2", "degree of a 2 2"]),
        ("y", ("no", "yes"), ["row", "y", "Y"], ["row 2", "row", "y", "Y", "predicted y", "degree of yes"]),
        ("row", ("no", "yes"), ["predicted row"], ["row", "predicted row", "predicted row 2", "degree of yes"]),
    ],
)
def test_no_two_columns_of_predictions_are_one(folder, target, classes, kept, names):
    """A target called `row` gave JSON objects with that key twice."""
    import pandas as pd

    formulas = [Variable("x ≥ 0.5")] * (1 if len(classes) == 2 else len(classes))
    model_of(formulas, NUMBER, target, classes).save(folder / "m.json")
    pd.DataFrame({"x": [1.0], **{name: ["k"] for name in kept}}).to_parquet("rows.parquet")
    words = ["predict", "m.json", "rows.parquet", *(f"--keep={name}" for name in kept)]
    assert run([*words, "-o", "out.csv"]) == 0
    assert next(csv.reader(io.StringIO((folder / "out.csv").read_text()))) == names
    assert run([*words, "-o", "out.json", "--json"]) == 0
    (pairs,) = json.loads((folder / "out.json").read_text(), object_pairs_hook=list)
    assert [key for key, _ in pairs] == names


@pytest.mark.skipif(shutil.which("node") is None, reason="no JavaScript engine: node is not installed")
@pytest.mark.parametrize(
    ("classes", "printed"),
    [
        ((9007199254740992, 9007199254740993), "9007199254740993"),
        ((1, 2**70), "1180591620717411303424"),
        ((0.5, -0.0), "-0.0"),
        ((False, True), "true"),
        ((0, 1), "1"),
        ((0.25, 1.5), "1.5"),
    ],
)
def test_javascript_prints_classes_that_are_numbers_as_they_are(classes, printed):
    """9007199254740993 was printed as 9007199254740992, and -0.0 as 0."""
    text = to(model_of([Variable("x ≥ 0.5")], NUMBER, "y", classes), "javascript")
    script = f"{text}\nconsole.log(String(decide({{x: 1}}).decision)); JSON.stringify(decide({{x: 1}}));"
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{printed}\n"


@pytest.mark.parametrize(
    "classes", [(2**53, 2**53 + 1), (2**53 + 1, 2**70), (0.5, -0.0), (1, 2**70), (0.5, 2**53 + 1), (1, 2)]
)
def test_databases_give_classes_that_are_numbers_as_they_are(folder, classes):
    """A whole number beyond 2⁶³ ended a query that wrote Parquet, and became a double in SQLite."""
    import duckdb
    import pandas as pd

    model = model_of([Variable("x ≥ 0.5")], NUMBER, "y", classes)
    for connect, dialect in ((sqlite3.connect, "sqlite"), (duckdb.connect, "duckdb")):
        with closing(connect(":memory:")) as database:
            database.execute("CREATE TABLE t (x DOUBLE PRECISION)")
            database.execute("INSERT INTO t VALUES (1), (0)")
            found = database.execute(to(model, "sql", table="t", dialect=dialect)).fetchall()
            assert [str(row[0]) for row in found] == [str(classes[1]), str(classes[0])]
    with duckdb.connect() as database:
        database.execute("CREATE TABLE t AS SELECT unnest([1.0, 0.0]) AS x")
        query = to(model, "sql", table="t", dialect="duckdb")
        database.execute(f"COPY ({query}) TO '{folder / 'out.parquet'}' (FORMAT parquet)")
    assert list(map(str, pd.read_parquet("out.parquet")["predicted y"])) == [str(classes[1]), str(classes[0])]


def test_a_column_is_not_taken_for_a_step_of_the_query():
    """A column called like a fact or step of the query was read in its place, or the step in place of the column."""
    import duckdb

    names = ("fact b", "degree of yes", "crystalogic s1", "predicted y", "b")
    encoding = Encoding(tuple(Column(name, "number", (Degree(name, 0.0, 10.0),)) for name in names))
    facts = [Variable(name) for name in names]
    part = AtLeast(2, *facts[:3], ~facts[4])
    model = model_of([AtLeast(3, part, part & facts[4], facts[3], facts[1], ~part)], encoding, "y", ("no", "yes"))
    cases = [(1, 9, 3, 7, 2), (8, 2, 6, 1, 9), (5, 5, 5, 5, 5)]
    expected = model.degrees(dict(zip(names, zip(*cases, strict=True), strict=True)))[:, 0].tolist()
    columns = ", ".join('"' + name + '" DOUBLE PRECISION' for name in names)
    for connect, dialect in ((sqlite3.connect, "sqlite"), (duckdb.connect, "duckdb")):
        with closing(connect(":memory:")) as database:
            database.execute(f"CREATE TABLE t ({columns})")
            database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", cases)
            for keep in (None, ["predicted y", "degree of yes"]):
                found = database.execute(to(model, "sql", table="t", keep=keep, dialect=dialect)).fetchall()
                assert [row[1] for row in found] == expected
                assert keep is None or [row[2:] for row in found] == [(case[3], case[1]) for case in cases]


def test_a_value_called_like_a_function_of_the_export_adds_no_function():
    """The function stood in the C file without a use, which strict compilers refuse."""
    words = ("reaches", "between", "alike", "number")
    encoding = Encoding((Column("x", "category", tuple(Is("x", word) for word in words), words),))
    model = model_of([AtLeast(1, *(Variable(f"x={word}") for word in words))], encoding, "y", ("no", "yes"))
    for target in ("c", "python", "javascript"):
        assert not re.search(r"(def|double|function) (reaches|between|alike)\(", to(model, target))


@pytest.mark.parametrize(
    ("target", "words"),
    [("python", ("class", "float", "number", "lambda")), ("javascript", ("class", "module", "typeof", "Number"))],
)
def test_a_function_is_not_called_like_what_it_calls(target, words):
    """A function called `number` or `float` took the place of what it needed, `class` was no Python."""
    model = model_of([Variable("x ≥ 0.5")], NUMBER, "y", ("no", "yes"))
    for name in words:
        with pytest.raises(CrystalogicError, match="which means something else there"):
            to(model, target, name=name)
        assert f"{name}_decide" in to(model, "c", name=name)


def test_names_that_postgresql_cuts_to_one_are_refused():
    """Beyond 63 bytes PostgreSQL forgets the rest of a name: both would be read from one column."""
    names = [f"{'x' * 63}{end}" for end in "ab"]
    encoding = Encoding(tuple(Column(name, "category", (Is(name, "b"),), ("a", "b")) for name in names))
    model = model_of([Variable(f"{names[0]}=b") & ~Variable(f"{names[1]}=b")], encoding, "y", ("no", "yes"))
    with pytest.raises(CrystalogicError, match="postgresql cannot tell the columns"):
        to(model, "sql", table="t", dialect="postgresql")
    assert to(model, "sql", table="t", dialect="duckdb")


def test_no_output_is_named_after_what_a_file_says(folder):
    model = named("../../escape")
    model.save(folder / "m.json")
    write_table(folder / "rows.csv", "../../escape")
    run(["report", "m.json", "rows.csv", "-o", "page.html", "--time", "0"])
    for target in TARGETS:
        run(["export", "m.json", "python", "-o", target])
    expected = {"m.json", "rows.csv", "page.html", *TARGETS}
    assert {path.name for path in folder.iterdir()} == expected
    assert not list(folder.parent.glob("escape*"))


def test_names_that_a_target_cannot_hold_are_refused():
    for target in ("c", "sql"):
        with pytest.raises(CrystalogicError, match="NUL"):
            to(named("nul\0"), target, **({"table": "t"} if target == "sql" else {}))
    with pytest.raises(CrystalogicError, match="half a character"):
        csv_cell("half \ud800")
    assert "\0" not in report_page(named("nul\0"), seconds=0)
    assert "\0" not in model_text(named("nul\0"))


def test_what_a_terminal_cannot_hold_is_no_failure(folder):
    """A letter beyond the encoding of the terminal, or half of one, was a traceback."""
    import os

    named("größe\ud800").save(folder / "m.json")
    for encoding in ("ascii", "utf-8"):
        done = subprocess.run(
            [sys.executable, "-m", "crystalogic", "verify", "m.json"],
            env={**os.environ, "PYTHONIOENCODING": encoding},
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\\ud800" in done.stdout


def test_a_person_at_a_terminal_sees_escapes_in_a_table_and_a_pipe_gets_the_data(folder, monkeypatch, capsys):
    named("\x1b[2J").save(folder / "m.json")
    write_table(folder / "rows.csv", "\x1b[2J")

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    run(["predict", "m.json", "rows.csv"])
    assert "\x1b[2J yes" in capsys.readouterr().out
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    run(["predict", "m.json", "rows.csv"])
    assert "\\u001b[2J yes" in screen.getvalue()
    assert "\x1b" not in screen.getvalue()
