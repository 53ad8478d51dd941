"""The pocket card: the rule and its risks on one small sheet, and how small the type must be for that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crystalogic.counts import count
from crystalogic.logic.names import one_line, visible
from crystalogic.model import Model
from crystalogic.words.checklists import Block, Item
from crystalogic.words.risks import operating_lines, risk_tables

SHEETS = {  # in the style of the page: letters of a line and lines that surely fit, from the largest type on
    "a6": (52, 32),
    "a6 small": (64, 40),
    "a5": (74, 50),
    "a5 small": (92, 62),
}
LONG = "long"  # more than one side
MOST_LETTERS = 80  # of the scope
SHORT = 12  # letters of a fingerprint


@dataclass(frozen=True)
class Card:
    """The sheet that a rule fits on, and what stands below the rule."""

    sheet: str
    notes: tuple[str, ...]


def card_of(model: Model, rules: Sequence[Sequence[Block]], made: str) -> Card:
    """The card of a model, given the outline of each of its rules."""
    record = model.record
    rows = "" if record.n_rows is None else f"{count(record.n_rows, 'row')} of "
    learned = f"Learned from {rows}{one_line(record.source or 'a table')}"
    scope = one_line(str(model.certificate.scope))
    scope = scope if len(scope) <= MOST_LETTERS else f"{scope[:MOST_LETTERS]}… (in full on the report page)"
    notes = (
        *operating_lines(model),
        f"{learned}. Model {model.fingerprint[:SHORT]}{f', {made}' if made else ''}. Risks are measured, not proved.",
        f"Proved: formula and network are one function. Scope: {scope}",
    )
    items = [text for blocks in rules for block in blocks for text in _texts(block.item)]
    lines = [" " for table in risk_tables(model) for _ in ("heading", "head", *table.lines)]
    texts = [*items, *lines, *notes, *(2 * [model.target])]
    return Card(next((sheet for sheet in SHEETS if _fits(texts, *SHEETS[sheet])), LONG), notes)


def _texts(item: Item) -> Iterator[str]:
    yield item.line
    for part in item.parts:
        yield from _texts(part)


def _fits(texts: Sequence[str], letters: int, lines: int) -> bool:
    return sum(-(-len(visible(text)) // letters) for text in texts) <= lines
