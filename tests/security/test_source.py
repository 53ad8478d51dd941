"""No text of a user is ever run: the source has none of the doors through which it could be."""

import ast
from pathlib import Path

import pytest

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
}  # fmt: skip
ALLOWED = {("__init__.py", "import_module")}  # the public names, by a table in the source
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
    """Jinja runs what a template says: only files of the package are templates, and they escape."""
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "from_string":
                rooms = ("report", "choosing", "watching")
                assert ast.unparse(node.args[0]) in [f"package_file({room!r}, 'template.html')" for room in rooms]
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Environment":
                assert "autoescape=True" in ast.unparse(node)


@pytest.mark.parametrize("room", ["report", "choosing", "watching"])
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
