"""How a file with a delimiter writes its numbers, by docs/cells.md: with no code of the package."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

_PLAIN = {mark: re.compile(rf"[+-]?[0-9]+(?:[{mark}][0-9]+)?(?:[eE][+-]?[0-9]+)?") for mark in ".,"}
_APART = {
    ".": re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?"),
    ",": re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]+)?"),
}


def mark_of(cells: Iterable[str], delimiter: str, usual: str | None = None) -> str | None:
    """The mark before decimals that the whole table tells; None where it contradicts itself.

    `usual` is the mark that is expected, taken unless the table cannot be read so.
    """
    marked = {cell.strip() for cell in cells if "," in cell or "." in cell}
    fitting = {mark: {each for each in marked if _fits(each, mark)} for mark in ".,"}
    numbers = fitting["."] | fitting[","]
    possible = [mark for mark in ".," if fitting[mark] == numbers]
    if usual in possible or len(possible) < 2:
        return usual if usual in possible else next(iter(possible), None)
    return "," if delimiter != "," and any("," in each for each in numbers) else "."


def _fits(cell: str, mark: str) -> bool:
    return bool(_PLAIN[mark].fullmatch(cell) or _APART[mark].fullmatch(cell))


def with_points(cell: str, mark: str | None) -> str:
    """The cell, a number with a point and without thousands apart."""
    number = cell.strip()
    if mark is None or not _fits(number, mark):
        return cell
    other = "," if mark == "." else "."
    return number.replace(other, "").replace(mark, ".")


def read_table(path: Path, delimiter: str, usual: str | None = None) -> tuple[list[str], list[list[str]]]:
    """Names and rows of a file, read by Python's own reader; rows without any cell are none."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file, delimiter=delimiter) if any(cell.strip() for cell in line)]
    header, *rows = lines
    mark = mark_of((cell for row in rows for cell in row), delimiter, usual)
    return [name.strip() for name in header], [[with_points(cell, mark) for cell in row] for row in rows]
