"""The pocket card: how large a sheet and how small a type the rule and its risks need."""

from collections.abc import Iterator, Sequence
from unicodedata import east_asian_width

from crystalogic.logic.names import visible
from crystalogic.model import Model
from crystalogic.words.checklists import Block, Item
from crystalogic.words.risks import operating_lines, risk_tables

SHEETS = {  # in the style of the page: letters of a line and lines that surely fit, from the largest type on
    "a6": (54, 35),
    "a6 dense": (66, 44),
    "a5": (76, 54),
    "a5 dense": (94, 68),
}
LONG = "long"  # more than one side
NOTES = 6 * " "  # as many lines for the class and for what stands below the risks


def card_sheet(model: Model, rules: Sequence[Sequence[Block]]) -> str:
    """The first of the sheets on which a model fits, given the outline of each of its rules."""
    items = [text for blocks in rules for block in blocks for text in _texts(block.item)]
    lines = [" " for table in risk_tables(model) for _ in ("heading", "head", *table.lines)]
    names = [model.target, model.target, model.record.source or ""]
    widths = [_width(visible(text)) for text in (*items, *lines, *operating_lines(model), *names, *NOTES)]
    for sheet, (letters, most) in SHEETS.items():
        if sum(-(-width // letters) for width in widths) <= most:
            return sheet
    return LONG


def _width(text: str) -> int:
    """In letters, of which some count twice."""
    return len(text) + sum(each.isupper() or east_asian_width(each) in "WF" for each in text)


def _texts(item: Item) -> Iterator[str]:
    yield item.line
    for part in item.lines:
        yield from _texts(part)
