"""No text of a user is ever run: the source has none of the doors through which it could be."""

import ast
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.export import to_card
from crystalogic.report import report_page

SOURCE = Path(__file__).parents[2] / "src" / "crystalogic"
FILES = sorted(SOURCE.rglob("*.py"))
RUNS_TEXT = {"eval", "exec", "compile", "__import__", "execfile", "input", "breakpoint"}
MODULES = {
    "pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "yaml", "subprocess", "pty", "code", "codeop",
    "runpy", "ctypes", "cffi", "socket", "urllib", "http", "requests", "ftplib", "telnetlib", "xml", "imp",
}  # fmt: skip
METHODS = {
    "system", "popen", "spawnl", "spawnv", "execv", "execve", "execl", "read_pickle", "to_pickle", "read_hdf",
    "import_module", "exec_module", "eval_expr", "parse_expr", "sympify", "literal_eval", "literal_unescape",
    "create_subprocess_exec", "create_subprocess_shell",
}  # fmt: skip
ALLOWED = {
    ("__init__.py", "import_module"),  # the public names, by a table in the source
    ("arrays.py", "import_module"),  # numpy and pandas
    ("words/tables.py", "import_module"),  # what templates can call, by a table in the source
    ("export/calls.py", "literal_eval"),  # of constants in an expression that the export wrote itself
    ("readback/syntax.py", "literal_eval"),  # of one token, which is a string
    ("cli/assistant.py", "create_subprocess_exec"),  # the command line itself, with arguments that were looked at
}
SAFE_OPENERS = {("numpy", "load"), ("joblib", "load"), ("torch", "load")}


def doors(text: str) -> list[str]:
    """What in a piece of source could run a text, unpickle a file or reach the network."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in RUNS_TEXT:
                found.append(called.id)
            elif isinstance(called, (ast.Name, ast.Attribute)):
                name = called.id if isinstance(called, ast.Name) else called.attr
                owner = (
                    called.value.id if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) else ""
                )
                if name in METHODS or (owner, name) in SAFE_OPENERS or (owner == "np" and name == "load"):
                    found.append(name)
            found += [
                str(each.arg)
                for each in node.keywords
                if each.arg in ("shell", "allow_pickle")
                and not (isinstance(each.value, ast.Constant) and not each.value.value)
            ]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            found += [name for name in names if name.partition(".")[0] in MODULES]
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_text_is_run_and_nothing_is_unpickled(file):
    name = str(file.relative_to(SOURCE))
    assert [door for door in doors(file.read_text(encoding="utf-8")) if (name, door) not in ALLOWED] == []


@pytest.mark.parametrize(
    "text",
    [
        "eval(name)",
        "exec(code, scope)",
        "__import__(name)",
        "import pickle",
        "from yaml import load",
        "os.system(command)",
        "import subprocess",
        "run(x, shell=True)",
        "np.load(path, allow_pickle=flag)",
        "pd.read_pickle(path)",
        "import_module(name)",
        "import urllib.request",
    ],
)
def test_such_a_door_would_be_noticed(text):
    assert doors(text)


def test_templates_are_constant_texts():
    """Jinja runs what a template says: only files of the package are templates, named where they are filled in.

    Pages of HTML escape. Texts, such as the sentences of the model card, are escaped where they are shown as a page.
    """
    door = SOURCE / "words" / "tables.py"
    assert 'is_page, shows = name.endswith(".html")' in door.read_text(encoding="utf-8")
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called == "fill_template":
                room, name = (ast.literal_eval(each) for each in node.args)
                assert (SOURCE / room / name).suffix in (".html", ".txt", ".jinja")
            if called == "Environment" or called.endswith(".from_string"):
                assert file == door
                assert "autoescape=is_page" in ast.unparse(node) or "package_file(room, name)" in ast.unparse(node)


def test_the_model_card_shows_names_as_they_are():
    """Neither in Markdown nor on the page do names of the table become markup."""
    name, label = "<script>alert(1)</script>", "**x**\n# <b>"
    frame = pd.DataFrame({name: [0, 1] * 30})
    model = cl.LukasiewiczClassifier(protect=[]).fit(frame, np.where(frame[name] == 1, label, "no")).model_
    for text in (to_card(model), report_page(model, seconds=0)):
        assert "&#60;script&#62;alert" in text or "&lt;script&gt;alert" in text
        assert name not in text
        assert "<b>" not in text
    assert "# <b>" not in to_card(model)


@pytest.mark.parametrize("room", ["report", "choosing", "watching", "service"])
def test_safe_stands_only_behind_what_the_package_wrote(room):
    template = (SOURCE / room / "template.html").read_text(encoding="utf-8")
    assert [line.strip() for line in template.splitlines() if "|safe" in line] == [
        "<style>{{ style|safe }}</style>",
        *([] if room == "watching" else ["<script>{{ script|safe }}</script>"]),  # a page without scripts
    ]


def test_all_that_commands_print_passes_one_door():
    """Names come from files; `cli.output` makes them visible before a terminal sees them."""
    doors_of_output = []
    for file in sorted((SOURCE / "cli").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "print", "typer.echo", "typer.secho", "sys.stdout.write", "sys.stderr.write", "click.echo",
            ):  # fmt: skip
                doors_of_output.append(file.name)
    assert set(doors_of_output) == {"output.py", "__init__.py"}
