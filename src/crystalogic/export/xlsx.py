"""Export to a spreadsheet (.xlsx) with formulas: a calculator for one case, a sheet for many, and what both refer to.

Formulas hold no text and no number with a fraction: these stand in cells of the sheet Rule, where all digits of a
number are kept and a text is a text. languages.toml has the patterns of formulas, and what they are careful about.
"""

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from crystalogic.errors import ExportError, TooLargeError, refuse
from crystalogic.export.calls import Notation, cell_language, fill, list_calls, list_items
from crystalogic.export.languages import TOLD
from crystalogic.export.program import Program, program
from crystalogic.export.quoting import exact_labels, free_names, xml_text
from crystalogic.model import Model
from crystalogic.words.literals import column_words

SHEET = cell_language({}, is_typed=False)
LARGEST = 10**15 - 1  # spreadsheets keep 15 digits of a whole number


def to_xlsx(model: Model, *, rows: int = 1000) -> bytes:
    """The model as a spreadsheet: a calculator, a sheet for rows that are pasted in, and the constants of the rule.

    Both sheets tell the class, the degrees or the score, probabilities, whether to ask (1 or 0), and the points of each
    item; then the steps. All are empty where the rule cannot decide, and where no cell of the row is filled.

    Parameters:
        model: the model to write.
        rows: how many rows the sheet Batch has formulas for.
    """
    try:
        from openpyxl import Workbook
        from openpyxl.utils import get_column_letter
    except ImportError:
        refuse(ExportError, "openpyxl is not installed. Install the extra: pip install 'crystalogic[xlsx]'.")
    if not 1 <= rows < 2**20:
        refuse(ExportError, f"a sheet has formulas for 1 to {2**20 - 1:,} rows, not for {rows:,}.")
    book, found = Workbook(), program(model)
    calculator, batch = book.active, book.create_sheet("Batch")
    calculator.title, lines = "Calculator", _list_lines(found)
    rule = _Rule(book.create_sheet("Rule"), found)
    places = {name: place for place, (_, name, _) in enumerate(lines, 1)}
    put_text(calculator.cell(1, 1), f"{model.target}: fill in column B")
    calculator.column_dimensions["A"].width = calculator.column_dimensions["C"].width = 60
    once = rule.formulas(lines, lambda name: f"$B${places[name] + 1}")
    each = rule.formulas(lines, lambda name: f"${get_column_letter(places[name])}\0")
    for place, (title, _, text) in enumerate(lines, 1):
        put_text(calculator.cell(place + 1, 1), title)
        put_text(batch.cell(1, place), title)
        if not text:  # to be filled in
            put_text(calculator.cell(place + 1, 3), column_words(model.encoding.by_name[title]))
            continue
        calculator.cell(place + 1, 2).value = once[place - 1]
        for row in range(2, rows + 2):
            batch.cell(row, place).value = each[place - 1].replace("\0", str(row))
    batch.freeze_panes = "A2"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _list_lines(found: Program) -> list[tuple[str, str, str]]:
    """Title, name and call of all that has a row in the calculator and a column in the batch; of inputs no call."""
    calls, told = list_calls(found, SHEET)
    items, columns = list_items(found), [each.column for each in found.inputs]
    calls["refused"] += f" + blank({found.inputs[0].name}, {found.inputs[-1].name})" if columns else ""
    texts = {f"told {n}": f"kept({name}, refused)" for n, (_, name) in enumerate(told)}
    texts |= {"told 0": "kept(label(place), refused)"} if found.labels else {}
    texts |= {f"item {n}": f"kept({points}, refused)" for n, (_, points) in enumerate(items)} | calls
    titles = free_names([title for title, _ in (*told, *items)] + [f"step {name}" for name in calls], columns)
    lines = [(title, *named) for title, named in zip(titles, texts.items(), strict=True)]
    return [*((each.column, each.name, "") for each in found.inputs), *lines]


def put_text(cell: Any, text: str) -> None:
    """Writes a text that is one, whatever it looks like: a formula, an error, or what Excel takes for a character."""
    xml_text(text)  # refuses what cannot be written
    cell.value = re.sub(r"_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text).replace("\r", "_x000D_")
    cell.data_type = "s"


def exact_cell(number: float) -> float | str:
    """A number for a cell; as a formula of whole numbers if it has more than 15 digits, which some programs misread."""
    if len(repr(number).partition("e")[0].replace(".", "").strip("-0")) <= 15:
        return number
    share, exponent = math.frexp(number)
    high, low = divmod(int(abs(share) * 2**53), 2**27)
    return f"={'-' * (number < 0)}({high}*2^27+{low})*2^{exponent - 53}"


@dataclass
class _Rule:
    """The sheet of constants, and formulas that refer to it."""

    sheet: Any
    program: Program
    known: dict[Any, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        labels = exact_labels(self.program.labels or (), LARGEST)
        cells = [self._append(each) for each in (*self.program.header, *labels)]
        self.labels = f"{cells[-len(labels)]}:{cells[-1].removeprefix('Rule!')}" if labels else ""

    def _append(self, value: Any) -> str:
        cell = self.sheet.cell(int(self.sheet.max_row) + 1, 1)
        if isinstance(value, str):
            put_text(cell, value)
        else:
            cell.value = exact_cell(value) if isinstance(value, float) else value
        return f"Rule!$A${cell.row}"

    def refer(self, value: float | str) -> str:
        """A whole number as it is; of all others the cell that holds it."""
        if not isinstance(value, str) and value == int(value) and abs(value) <= LARGEST:
            return str(int(value))
        self.known[value] = self.known.get(value) or self._append(value)
        return self.known[value]

    def formulas(self, lines: Sequence[tuple[str, str, str]], cell: Callable[[str], str]) -> list[str]:
        """The formula of each line where things are in these cells; nothing for what is filled in."""

        def call(name: str, parts: list[str]) -> str:
            if name == "isIn":
                return "+".join(f"EXACT({parts[0]},{each})" for each in parts[1:]) + ">0"
            if name == "greatest" and parts[0].startswith("MAX("):  # not one in the other, of which there may be 64
                return f"{parts[0][:-1]},{parts[1]})"
            return fill(TOLD["sheet"], name, [*parts, self.labels] if name == "label" else parts)

        notation = Notation(call, cell, self.refer)
        found = [f"={notation.write(text)}" if text else "" for _, _, text in lines]
        if max(map(len, found)) > 8000:  # Excel takes 8,192 characters
            refuse(TooLargeError, "a formula of the rule is longer than a cell can hold. Export SQL instead.")
        return found
