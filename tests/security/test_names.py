"""Columns, values, classes and targets may be called anything: names stay names wherever they are shown or written."""

import csv
import io
import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from html.parser import HTMLParser

import pytest

from crystalogic.cli.app import run
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing, Reaches
from crystalogic.encoding.encoding import Column
from crystalogic.errors import CrystalogicError
from crystalogic.export import TARGETS, to
from crystalogic.fitting import model_of
from crystalogic.logic.formula import AtLeast, Variable
from crystalogic.logic.names import one_line, visible
from crystalogic.presentation import explanation_page, explanation_text, model_html, model_text, rule_text
from crystalogic.report import Table, report_page

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
    return model.with_notes(units={text: text}, source=text, stop=text, choice=[text])


def rows(text):
    return {text: text, f"{text} 2": "0.75", f"{text} 3": f"{text} level"}


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
        ["explain", "m.json", "rows.csv", "--html"],
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
        found = model.explain(rows(name))
        table = Table({key: [value] for key, value in rows(name).items()}, None, name)
        pages.append([report_page(model, table, seconds=0), explanation_page(found), model_html(model)])
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
    compile(to(model, "sympy"), "sympy.py", "exec")
    for line in to(model, "sympy").splitlines():
        assert line.startswith(("#", "from sympy import", "f", "s", "degrees =")) or not line
    if shutil.which("gcc"):
        (tmp_path / "rule.c").write_text(to(model, "c"), encoding="utf-8")
        strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
        subprocess.run(["gcc", *strict, str(tmp_path / "rule.c")], check=True)
    if shutil.which("node"):
        (tmp_path / "rule.js").write_text(to(model, "javascript"), encoding="utf-8")
        called = f"console.log(JSON.stringify(require('./rule.js').decide({json.dumps(rows(text))}).decision))"
        done = subprocess.run(["node", "-e", called], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == model.explain(rows(text)).decision


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
    encoding = Encoding((Column("x", "number", (Cut("x", 0.5),)),))
    model_of([Variable("x ≥ 0.5")], encoding, "y", (label, "other")).save(folder / "m.json")
    (folder / "rows.csv").write_text("x\n0\n")
    run(["predict", "m.json", "rows.csv", "-o", "out.csv"])
    with open("out.csv", encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1][1] == written


def test_no_output_is_named_after_what_a_file_says(folder):
    model = named("../../escape")
    model.save(folder / "m.json")
    write_table(folder / "rows.csv", "../../escape")
    run(["report", "m.json", "rows.csv", "-o", "page.html", "--time", "0"])
    for target in TARGETS:
        run(["export", "m.json", target, "-o", target])
    expected = {"m.json", "rows.csv", "page.html", *TARGETS}
    assert {path.name for path in folder.iterdir()} == expected
    assert not list(folder.parent.glob("escape*"))


def test_names_that_a_target_cannot_hold_are_refused():
    for target in ("c", "sql"):
        with pytest.raises(CrystalogicError, match="NUL"):
            to(named("nul\0"), target, **({"table": "t"} if target == "sql" else {}))
    assert "\0" not in report_page(named("nul\0"), seconds=0)
    assert "\0" not in model_text(named("nul\0"))


def test_what_a_terminal_cannot_hold_is_no_failure(folder):
    """A letter beyond the encoding of the terminal, or half of one, was a traceback."""
    import os
    import sys

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
