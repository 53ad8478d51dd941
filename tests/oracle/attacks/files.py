"""Cells of text files: read by the package and by Python's own reader, decimals told by the whole table."""

import csv
from random import Random
from typing import Any

from crystalogic.files import open_table
from oracle.case import Case
from oracle.cells import meaning
from oracle.files import DELIMITERS, draw_quoting
from oracle.written import mark_of, read_table

TEXTS = ("a", "red", "x y", "NA", "", "007", "12.3.2024", "two\nlines", 'say "hi"', "1.2.3", "v1,2", "=1+1", "-", "1/2")


def attack(case: Case) -> None:
    """A table with decimal points or commas, thousands apart or not, whose first evidence may come late."""
    draw = case.draw
    delimiter = draw.choice(DELIMITERS)
    mark = draw.choice(".,")
    n_rows = draw.choice([1, 3, 30, 150, 400, 400])
    is_long = not case.is_quick and draw.random() < 0.03  # beyond what is looked at first
    n_rows = 70_000 if is_long else n_rows
    late = draw.choice([0.0, 0.0, 0.5, 0.9])  # the share of rows before which nothing tells
    styles = [
        draw.choice(["whole", "apart", "apart", "decimal", "fraction", "text", "three"])
        for _ in range(draw.randint(2, 4))
    ]
    path = case.path("table.csv")
    rows = [
        [draw_number(style, mark, draw, tells=place >= late * n_rows) for style in styles] for place in range(n_rows)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        ending = draw.choice(["\n", "\r\n"])
        writer = csv.writer(file, delimiter=delimiter, lineterminator=ending, quoting=draw_quoting(rows, draw))
        writer.writerow([f"column {index}" for index in range(len(styles))])
        writer.writerows(rows)
    names, rows = read_table(path, delimiter)
    source = open_table(str(path))
    case.same(list(source.columns), names, "columns")
    frame = source.read()
    if not case.same(len(frame), len(rows), f"rows of {path.read_text()[:200]!r}"):
        return
    for index, name in enumerate(names):
        found = frame[name].tolist()
        for place, row in enumerate(rows):
            if not same_cell(found[place], row[index]):
                told = mark_of((cell for line in _raw(path, delimiter) for cell in line), delimiter)
                what = f"row {place} of {n_rows}, {delimiter!r}, decimals {told!r}: {_raw(path, delimiter)[place]}"
                case.same(found[place], row[index], what)
                break
        case.n_compared += len(rows)


def same_cell(found: Any, expected: str) -> bool:
    """Whether both cells mean the same."""
    return found == expected or meaning(found) == meaning(expected)


def _raw(path: Any, delimiter: str) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [line for line in csv.reader(file, delimiter=delimiter) if any(cell.strip() for cell in line)][1:]


def draw_number(style: str, mark: str, draw: Random, *, tells: bool) -> str:
    """A cell; before `tells`, one that can be read either way."""
    other = "," if mark == "." else "."
    if style == "text":
        return draw.choice(TEXTS)
    if style == "whole" or (style in ("decimal", "fraction") and not tells):
        return str(draw.randint(0, 99))
    if style == "apart":
        whole = f"{draw.randint(1000, 9_999_999 if tells else 999_999):,}".replace(",", other)
        return whole + (f"{mark}{draw.randint(0, 99)}" if tells and draw.random() < 0.2 else "")
    if style == "three":  # 1.234 and 0.125: thousands or decimals
        return f"{draw.choice(['-', '+', '', '', ''])}{draw.choice([0, 0, 1, 12, 123])}{mark}{draw.randint(0, 999):03}"
    digits = draw.choice([1, 2, 3]) if style == "decimal" else 3
    whole_part = draw.randint(0, 50) if style == "decimal" else 0
    return f"{whole_part}{mark}{draw.randint(0, 10**digits - 1):0{digits}}{draw.choice(['', '', '', 'e2'])}"
