"""The rooms of docs/architecture.md and the direction of imports between them."""

import ast
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "crystalogic"
PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"


def allowed() -> dict[str, set[str]]:
    """The table of the page: room -> rooms it may import."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {room: set(re.findall(r"`(\w+)`", rooms)) for room, rooms in rows}


def imports() -> set[tuple[str, str]]:
    """The pairs (room, room it imports) in the source."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        relative = path.relative_to(SOURCE)
        room = relative.parts[0].removesuffix(".py")
        if room in ("__init__", "__main__"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
                if node.module == "crystalogic":
                    names = [f"crystalogic.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                if name.startswith("crystalogic."):
                    found.add((room, name.split(".")[1]))
    return {(room, other) for room, other in found if room != other and not other.startswith("__")}


def test_imports_point_the_way_the_page_draws():
    table = allowed()
    forbidden = sorted(pair for pair in imports() if pair[1] not in table[pair[0]])
    assert forbidden == []


def test_every_room_is_on_the_page_and_no_other():
    rooms = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.name[0] not in "_."} - {"py"}
    assert set(allowed()) == rooms - {"py.typed"}


def test_extraction_and_its_checker_share_no_code():
    table = allowed()
    assert "symbolic" not in table["verify"]
    assert "verify" not in table["symbolic"]


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("numpy", "z3", "numba", "sklearn", "pandas", "typer", "rich")
    program = f"import crystalogic, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_default_learner_waits_for_no_compiler():
    program = """
import sys
import crystalogic as cl
rows = [[a, b] for a in (0, 1) for b in (0, 1)] * 10
cl.LukasiewiczClassifier(time_budget=60).fit(rows, [a and b for a, b in rows])
print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def functions():
    """Every function of the package that no compiler of kernels reads, with its lines."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and not any(
                "njit" in ast.unparse(each) for each in node.decorator_list
            ):
                yield path.relative_to(SOURCE).as_posix(), node.name, (node.end_lineno or 0) - node.lineno + 1


def test_no_function_but_a_kernel_is_longer_than_a_screen():
    assert [each for each in functions() if each[2] > 80] == []


def test_the_command_that_fits_parses_calls_and_prints():
    ((_, _, n_lines),) = [each for each in functions() if each[:2] == ("cli/learning.py", "fit")]
    assert n_lines <= 60
