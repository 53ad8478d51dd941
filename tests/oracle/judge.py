"""Answers of the package beside those of the oracle: predictions in files, decisions of engines, refusals."""

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oracle.case import Case
from oracle.cells import double, is_missing
from oracle.commands import Said, strict_json
from oracle.draws import Table
from oracle.rules import Refused, Rule

ROUNDING = Fraction(1, 10**9)  # far more than doubles lose in the short formulas that are drawn
FORMULAS = tuple("=+-@＝＋－＠")


@dataclass(frozen=True)
class Expected:
    """What the oracle says of a row: place of the class and degrees, or that it is refused."""

    degrees: tuple[Fraction, ...] | None
    decision: Any = None
    is_close: bool = False  # whether rounding may decide otherwise


def expected_rows(rule: Rule, table: Table) -> list[Expected]:
    """What the oracle says of every row."""
    return [expected_row(rule, table.row(place)) for place in range(table.n_rows)]


def expected_row(rule: Rule, row: dict[str, Any]) -> Expected:
    """What the oracle says of a row."""
    try:
        degrees = rule.degrees(row)
    except Refused:
        return Expected(None)
    decision = degrees[0] if rule.classes is None else rule.classes[rule.place(degrees)]
    return Expected(degrees, decision, rule.is_graded and rule.margin(degrees) < ROUNDING)


def judge_degrees(case: Case, found: Sequence[Any], wanted: Expected, what: str) -> None:
    """The degrees that an engine computed."""
    assert wanted.degrees is not None
    for one, exact in zip(found, wanted.degrees, strict=True):
        number = math.nan if one is None else float(one)
        case.expect(
            math.isfinite(number) and abs(Fraction(number) - exact) <= ROUNDING,
            f"{what}: degree {one}, expected {float(exact)}",
        )


def judge_decision(case: Case, found: Any, wanted: Expected, what: str, *, exactly: bool) -> None:
    """The class that an engine decided for, or the degree."""
    if isinstance(wanted.decision, Fraction):
        judge_degrees(case, [found], wanted, what)
    elif exactly or not wanted.is_close:
        case.expect(
            found == wanted.decision and isinstance(found, bool) == isinstance(wanted.decision, bool),
            lambda: f"{what}: {found!r}, expected {wanted.decision!r} ({[str(d) for d in wanted.degrees or ()]})",
        )


def judge_command(
    case: Case, said: Said, rule: Rule, table: Table, what: str, *, as_json: bool, unknown: str = "refuse"
) -> None:
    """What `predict` wrote, or that it refused, for rows of which the oracle says the same."""
    wanted = expected_rows(rule.tolerant if unknown == "false" else rule, table)
    refused = [place for place, each in enumerate(wanted) if each.degrees is None]
    if refused and unknown != "skip":
        case.same(said.code, 1, f"{what}: row {refused[0]} must be refused ({table.row(refused[0])}), exit code")
        rows = re.search(r"row (\d+):", said.err)
        case.expect(rows is None or int(rows[1]) in refused, f"{what}: refuses the wrong row: {said.err[:300]}")
        return
    if not case.same(said.code, 0, f"{what}: exit code, {said.err[:400]}"):
        return
    answers = _from_json(case, said.out, rule, what) if as_json else _from_csv(case, said.out, rule, what)
    if answers is None or not case.same(len(answers), len(wanted), f"{what}: rows"):
        return
    for place, ((number, decision, degrees), each) in enumerate(zip(answers, wanted, strict=True)):
        where = f"{what}: row {place} {_read(rule, table, place)}"
        case.same(number, place, f"{where}: number of the row")
        if each.degrees is None:
            nothing = decision in ("", None) and all(degree is None for degree in degrees)
            case.expect(nothing, f"{where}: must be skipped, {decision!r}, {degrees}")
            continue
        judge_decision(case, decision, each, where, exactly=True)
        judge_degrees(case, degrees, each, where) if degrees else None
    if refused:
        told = re.search(r"note: ([\d,]+) rows? ha(?:s|ve) no prediction, .*; the first is row (\d+)\.", said.err)
        found = None if told is None else (int(told[1].replace(",", "")), int(told[2]))
        case.same(found, (len(refused), refused[0]), f"{what}: rows that are skipped, and the first")
    judge_notes(case, said, rule, table, what)


def _read(rule: Rule, table: Table, place: int) -> dict[str, Any]:
    return {name: cell for name, cell in table.row(place).items() if name in rule.reads}


Answer = tuple[int, Any, list[float | None]]


def _from_csv(case: Case, text: str, rule: Rule, what: str) -> list[Answer] | None:
    header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    case.expect(len(set(header)) == len(header), f"{what}: two columns have one name: {header}")
    texts = {bare(str(label)): label for label in rule.classes or ()}
    for row in rows:
        if not case.same(len(row), len(header), f"{what}: cells of the line {row}"):
            return None
    case.expect("-0.0" not in {cell for row in rows for cell in row[2:]}, f"{what}: a degree is -0.0")
    if rule.classes is None:
        return [(int(row[0]), _degree(row[1]), []) for row in rows]
    return [(int(row[0]), texts.get(bare(row[1]), row[1]), list(map(_degree, row[2:]))) for row in rows]


def _degree(text: str) -> float | None:
    return float(text) if text else None


def bare(text: str) -> str:
    """A text without the apostrophes that keep spreadsheets from computing it, and without white space."""
    return "".join(text.replace("'", "").split())


def _from_json(case: Case, text: str, rule: Rule, what: str) -> list[Answer] | None:
    try:
        found = [list(each.values()) for each in strict_json(text)]
    except ValueError as error:
        case.expect(False, f"{what}: {error}")
        return None
    return [(row[0], row[1], row[2:]) for row in found]


def judge_notes(case: Case, said: Said, rule: Rule, table: Table, what: str) -> None:
    """Numbers far outside the range of training are worth a word."""
    for name in rule.reads:
        ends = rule.columns[name].range
        if ends is None or not rule.needs_number(name) or said.err.count("note:") >= 20:
            continue
        low, high = ends
        numbers = [double(cell) for cell in table.cells[name] if not is_missing(cell, rule.columns[name].words)]
        if any(not low <= number <= high for number in numbers):
            said_so = any("outside" in line and shown(name) in line for line in said.err.splitlines())
            case.expect(said_so, f"{what}: no note that {name!r} lies outside {low} to {high}: {said.err[:200]}")


def shown(name: str) -> str:
    """A name on one line."""
    return " ".join(name.split())
