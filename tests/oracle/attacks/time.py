"""Time: questions end when they should, and a deep rule of moderate size is handled in seconds."""

import time
from fractions import Fraction
from functools import cache
from pathlib import Path

from crystalogic.encoding import Cut, Degree, Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.formula import Formula, Implies, Not, StrongAnd, StrongOr, Variable
from oracle.case import Case
from oracle.commands import command

ALLOWED = 2.0  # seconds that a question is given
START = 2.0  # processor seconds for loading the model, building terms and printing, on an ordinary machine
LATE = 4.0  # more of them for z3, which looks at its clock when it comes round to it
USUAL = 0.01  # processor seconds of `yardstick` there


@cache
def yardstick() -> float:
    """How slow this machine is, as a multiple of an ordinary one; never below 1."""
    start = time.process_time()
    total = Fraction(0)
    for number in range(1, 3000):
        total += Fraction(1, number % 97 + 1)
    return max(1.0, (time.process_time() - start) / USUAL)


def attack(case: Case) -> None:
    """A deep rule, and one command about it."""
    draw = case.draw
    n_levels = draw.choice([60, 100] if case.is_quick else [100, 300, 800, 800])
    path = deep(n_levels, case.folder, is_graded=draw.random() < 0.6)
    row = ["--value", f"x={draw.randint(0, 10)}", "--value", f"z={draw.randint(0, 10)}"]
    allowed = ["--time", str(ALLOWED)]
    commands = {
        "explain": ("explain", path, *row),
        "verify": ("verify", path),
        "counterfactual": ("ask", path, "counterfactual", *row, *allowed),
        "monotone": ("ask", path, "monotone", "x", *allowed),
        "ignores": ("ask", path, "ignores", "z", *allowed),
        "never": ("ask", path, "never", "yes", *allowed),
        "reason": ("ask", path, "reason", *row, *allowed),
        "robust": ("ask", path, "robust", *row, *allowed),
        "missing": ("ask", path, "missing", *row, "--unknown", "x", *allowed),
        "diff": ("diff", path, path, *allowed),
    }
    name = draw.choice(sorted(commands))
    start = time.process_time()
    said = command(*map(str, commands[name]))
    taken = (time.process_time() - start) / yardstick()
    limit = START + (ALLOWED + LATE if "--time" in commands[name] else 0.0)
    case.expect(
        taken <= limit, f"{name} of {n_levels} levels ({path.stat().st_size:,} bytes): {taken:.1f} s, at most {limit}"
    )
    case.expect(said.code in (0, 1), f"{name} of {n_levels} levels: exit code {said.code}, {said.err[-300:]}")


def deep(n_levels: int, folder: Path, *, is_graded: bool) -> Path:
    """A rule that uses every level several times in the next."""
    x, z = (Variable("x"), Variable("z")) if is_graded else (Variable("x ≥ 5"), Variable("z ≥ 5"))
    formula: Formula = x
    for level in range(n_levels):
        if level % 2:
            formula = StrongOr(StrongAnd(formula, Not(x)), StrongAnd(formula, z))
        else:
            formula = Implies(x, StrongAnd(formula, formula))
    columns = tuple(Column(name, "number", (Degree(name, 0.0, 10.0), Cut(name, 5.0))) for name in "xz")
    path = folder / "deep.json"
    model_of([formula], Encoding(columns), "y", ("no", "yes")).save(path)
    return path
