"""The oracle shares no code with the package, means what docs/cells.md says, and finds nothing to say against it."""

import ast
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from depth import deep
from oracle.attack import KINDS, run_case
from oracle.cells import Text, double, meaning
from oracle.formulas import read
from oracle.written import mark_of, with_points

HERE = Path(__file__).parent
SEMANTIC = ("cells", "formulas", "rules", "scopes", "written")
CASES = {  # of each kind in a short attack, or half of them
    "cells": 40,
    "predict": 80,
    "risk": 12,
    "exports": 40,
    "explain": 40,
    "files": 50,
    "ask": 50,
    "formulas": 50,
    "certificates": 80,
    "names": 50,
    "fit": 40,
    "wide": 8,
    "time": 5,
}


@pytest.mark.parametrize("name", SEMANTIC)
def test_what_the_oracle_says_uses_no_code_of_the_package(name):
    own = {f"oracle.{each}" for each in SEMANTIC}
    for node in ast.walk(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            imported = [f"{'.' * node.level}{node.module}"]
        else:
            imported = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        for module in imported:
            assert module in own or module.partition(".")[0] in sys.stdlib_module_names, module
        assert not (isinstance(node, ast.Name) and node.id in ("__import__", "eval", "exec"))


SAME = (
    ("1", "1.0", "+1", "1e0", 1, 1.0),
    ("0.00001", "1e-05", 1e-05),
    ("-0.0", -0.0, 0, "0"),
    (4000123412341234, "4000123412341234", 4000123412341234.0),
    (True, "True"),
    ("red", " red "),
)
DIFFERENT = (
    ("7", "007"),
    ("9007199254740992", "9007199254740993"),
    (9007199254740992.0, "9007199254740993"),
    (True, 1),
    (True, "true"),
    ("red", "Red"),
)


def test_cells_are_the_same_where_the_page_says_so():
    """Every row of the table in docs/cells.md."""
    for cells in SAME:
        assert len({meaning(cell) for cell in cells}) == 1, cells
    for one, other in DIFFERENT:
        assert meaning(one) != meaning(other)
    assert {meaning(cell) for cell in (None, "", " ", "NA", " ? ", float("nan"))} == {None}
    assert meaning("NA", frozenset({"-9"})) == Text("NA")
    assert meaning(-9.0, frozenset({"-9"})) is None


def test_numbers_are_written_as_the_page_says():
    for text in ("4", "4.0", "+4", "4e0", ".5", "5.", "007"):
        assert double(text) == float(text)
    for text in ("1_000", "4 mg", "0x10", "٣", "", ".", "e5", "1e"):
        assert meaning(text, frozenset()) in (None, Text(text))


@pytest.mark.parametrize(
    ("cells", "delimiter", "mark"),
    [
        (["5,7"], ",", ","),
        (["0,125"], ",", ","),
        (["1,234,567"], ";", "."),
        (["1.234.567"], ";", ","),
        (["0.125", "1,234"], ";", "."),
        (["1,234"], ",", "."),
        (["1,234"], ";", ","),
        (["1.234"], ";", "."),
        (["0,5", "0.5"], ";", None),
    ],
)
def test_the_whole_table_tells_decimals_from_thousands(cells, delimiter, mark):
    assert mark_of(cells, delimiter) == mark


def test_numbers_are_read_by_the_mark():
    assert [with_points(cell, ",") for cell in ("5,7", "16.428", "1.000,5", "07.03.2024")] == [
        "5.7", "16428", "1000.5", "07.03.2024",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "degree"),
    [
        ("a ⊗ b", 0),
        ("a ⊕ b", Fraction(11, 12)),
        ("a → b → a", 1),
        ("a → b ⊕ b", Fraction(5, 6)),
        ("~a & b | a /\\ b", Fraction(1, 4)),
        ("a ↔ b", Fraction(7, 12)),
        ("at least 2 of (a, b, ¬b, 1)", 1),
        ("at least -1 of (a)", 1),
        ("at least 4 of (3·a, 4*¬b, b)", 1),
        ("at least 6 of (3·a, 4*~b, 2·(a ⊗ b), b)", Fraction(1, 4)),
        ("let s = a ⊕ a; t = s ⊗ b in t ∨ {a}", Fraction(2, 3)),
        ("{x \\} \\u2265 1} ⊕ 0", 1),
    ],
)
def test_formulas_are_what_the_logic_says(text, degree):
    values = {"a": Fraction(2, 3), "b": Fraction(1, 4), "x } ≥ 1": Fraction(1)}
    assert read(text).degree(values) == degree


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_differs_from_the_oracle(kind):
    """A short attack; `make attack` goes on for as long as you like."""
    for seed in range(deep(CASES[kind])):
        case = run_case(kind, seed, is_quick=True)
        assert not case.differences, f"{kind} {seed}: " + "\n".join(case.differences[:3])


def test_every_kind_of_attack_is_listed():
    found = {path.stem for path in (HERE / "attacks").glob("*.py")} - {"__init__"}
    assert found == set(KINDS) == set(CASES)


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the patches")
@pytest.mark.parametrize("patch", sorted((HERE / "defects").glob("*.patch")), ids=lambda path: path.stem)
def test_a_defect_can_still_be_put_back(patch):
    """A patch that no longer fits shows nothing; write it again for the code as it is."""
    done = subprocess.run(
        ["git", "apply", "--check", str(patch)], cwd=HERE.parents[1], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^--- a/src/crystalogic/", patch.read_text(encoding="utf-8"), re.MULTILINE)
