"""Seconds of each command against the size of a model, for models that nobody would learn but anybody could send.

Run with `make bench-model-size`. Each cell is one command in a process of its own, in seconds of CPU, which other work
on the machine hardly changes; it is stopped after 60 s, and then larger sizes are not tried. Questions are allowed 2 s
of wall time: `?` marks those that were left undecided, `!` what ended with an error. The exponent p says that the time
without start-up grows as sizeᵖ, by the two largest sizes; 1 is linear. `--only shared` takes one family.
"""

import argparse
import math
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from crystalogic import AtLeast, Formula, Implies, Model, Variable
from crystalogic.encoding import Cut, Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.verify.certificate import certify

LONGEST = 60.0  # seconds of one cell
ALLOWED = "2"  # seconds of one question
FEWEST = 0.15  # seconds beyond start-up from which on a growth can be told
ASKED = ("counterfactual", "reason", "monotone", "robust", "ignores", "missing")
COMMANDS = ("explain", *ASKED, "verify", "report")


@dataclass(frozen=True)
class Family:
    """Models of one shape, by their size, and a row of each, from the columns that the rule reads to values."""

    build: Callable[[int], Model]
    sizes: tuple[int, ...]
    row: Callable[[int], dict[str, str]]


def numbers(*names: str, cuts: tuple[float, ...] = (5.0,)) -> Encoding:
    return Encoding(tuple(Column(name, "number", tuple(Cut(name, at) for at in cuts)) for name in names))


def made(formula: Formula, encoding: Encoding) -> Model:
    return model_of([formula], encoding, "y", ("no", "yes"))


def shared(n: int) -> Model:
    """Every level uses the one below twice: as a tree the formula would have 2ⁿ literals."""
    x, z = Variable("x ≥ 5"), Variable("z ≥ 5")
    formula: Formula = x
    for level in range(n):
        formula = (x >> (formula & formula)) if level % 2 else ((formula & ~x) | (formula & z))
    return made(formula, numbers("x", "z"))


def flat(n: int) -> Model:
    cuts = tuple(float(at) for at in range(1, n // 4 + 1))
    parts = [Variable(f"{name} ≥ {at:g}") for name in "abcd" for at in cuts]
    return made(AtLeast(n // 2, *parts), numbers(*"abcd", cuts=cuts))


def chain(n: int) -> Model:
    names = [Variable(f"{name} ≥ 5") for name in "abcd"]
    formula: Formula = names[0]
    for level in range(n):
        formula = Implies(formula, names[level % 4]) if level % 2 else formula & names[level % 4]
    return made(formula, numbers(*"abcd"))


def cuts(n: int) -> Model:
    """One cut is read, all of them are named in the scope of the certificate."""
    encoding = numbers("a", cuts=tuple(float(at) for at in range(1, n + 1)))
    return scoped(made(Variable("a ≥ 5"), encoding))


def two_valued(n: int) -> Model:
    """Columns of two values each, all of them in the scope of the certificate; the rule reads three."""
    columns = tuple(Column(f"c{i}", "code", (Is(f"c{i}", "0"), Is(f"c{i}", "1")), ("0", "1")) for i in range(n))
    return scoped(made(AtLeast(2, *(Variable(f"c{i}=1") for i in (0, n // 2, n - 1))), Encoding(columns)))


def scoped(model: Model) -> Model:
    return replace(model, certificate=certify(model.crystal, model.formulas, model.encoding.domain))


FAMILIES = {
    "shared": Family(shared, (100, 200, 400, 800), lambda n: {"x": "3", "z": "4"}),
    "flat": Family(flat, (500, 1000, 2000, 4000), lambda n: dict.fromkeys("abcd", "3")),
    "chain": Family(chain, (500, 1000, 2000, 4000), lambda n: dict.fromkeys("abcd", "3")),
    "cuts": Family(cuts, (5000, 10_000, 20_000, 40_000), lambda n: {"a": "3"}),
    "columns": Family(two_valued, (1000, 2000, 4000, 8000), lambda n: {f"c{i}": "1" for i in (0, n // 2, n - 1)}),
}


def arguments(command: str, row: dict[str, str]) -> list[str]:
    values = [word for name, value in row.items() for word in ("--value", f"{name}={value}")]
    first = next(iter(row))
    if command in ("verify", "explain"):
        return [command, "model.json", *(values if command == "explain" else [])]
    if command == "report":
        return ["report", "model.json", "rows.csv", "--time", "0"]
    own = {"monotone": [first], "ignores": [first], "missing": [*values, "--unknown", first]}
    return ["ask", "model.json", command, *own.get(command, values), "--time", ALLOWED]


def spent() -> float:
    """The CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command: str, row: dict[str, str], folder: Path) -> tuple[float, str]:
    """How long the command takes, and a mark: `?` for undecided, `>` for stopped, `!` for an error."""
    start = spent()
    words = [sys.executable, "-m", "crystalogic", *arguments(command, row)]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return LONGEST, ">"
    took = spent() - start
    if done.stdout.startswith("undecided"):
        return took, "?"
    is_answer = done.returncode == 0 or (command in ASKED and done.stdout)
    return took, "" if is_answer else "!"


def write_model(model: Model, row: dict[str, str], folder: Path) -> int:
    """Puts the model and twenty rows into the folder; gives the size of the model file."""
    model.save(folder / "model.json")
    lines = [",".join(row), *(",".join(row.values()) for _ in range(20))]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return (folder / "model.json").stat().st_size


def measured(family: Family, folder: Path) -> Iterator[tuple[int, int, dict[str, tuple[float, str]]]]:
    """The size, the bytes of the file and the cells of each line."""
    stopped: set[str] = set()
    for n in family.sizes:
        n_bytes = write_model(family.build(n), family.row(n), folder)
        cells = {each: seconds(each, family.row(n), folder) for each in COMMANDS if each not in stopped}
        stopped |= {each for each, (_, mark) in cells.items() if mark == ">"}
        yield n, n_bytes, cells


def growth(points: list[tuple[int, float, str]], start_up: float) -> str:
    """The exponent between the two largest sizes that were measured."""
    known = [(n, took - start_up) for n, took, mark in points if mark != ">"]
    if len(known) < 2 or known[-2][1] < FEWEST / 2 or known[-1][1] < FEWEST:
        return "–"
    (n, before), (m, after) = known[-2:]
    return f"{math.log(after / before) / math.log(m / n):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=FAMILIES, action="append")
    chosen = parser.parse_args().only or list(FAMILIES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = Family(chain, (2,), FAMILIES["chain"].row)
        _, _, start_up = next(measured(small, folder))
        print(f"| {'family':8} | {'n':>6} | {'kB':>6} | " + " | ".join(f"{each:>14}" for each in COMMANDS) + " |")
        print("|---|" + "---:|" * (len(COMMANDS) + 2))

        def line(title: str, n: str, size: str, texts: dict[str, str]) -> None:
            cells = " | ".join(f"{texts.get(each, ''):>14}" for each in COMMANDS)
            print(f"| {title:8} | {n:>6} | {size:>6} | {cells} |", flush=True)

        line("start-up", "2", "", {each: f"{took:.1f}{mark}" for each, (took, mark) in start_up.items()})
        for title in chosen:
            points: dict[str, list[tuple[int, float, str]]] = {each: [] for each in COMMANDS}
            for n, n_bytes, cells in measured(FAMILIES[title], folder):
                for each, (took, mark) in cells.items():
                    points[each].append((n, took, mark))
                shown = {
                    each: f">{took:.0f}" if mark == ">" else f"{took:.1f}{mark}" for each, (took, mark) in cells.items()
                }
                line(title, str(n), str(n_bytes // 1000), shown)
            line(title, "p", "", {each: growth(points[each], start_up[each][0]) for each in COMMANDS})


if __name__ == "__main__":
    main()
