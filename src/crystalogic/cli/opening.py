"""Tables and values for a model that was learned from a table: numbers are written here as they were there."""

from crystalogic.cli.options import DecimalMark
from crystalogic.files import TableFile, open_table
from crystalogic.files.decimals import COMMA, Decimals
from crystalogic.model import Model


def usual_mark(*rules: Model) -> str | None:
    """The mark before decimals where these models come from, if it was a comma."""
    return COMMA if any(rule.record.decimal == COMMA for rule in rules) else None


def open_for(rule: Model, table: str, encoding: str | None = None, decimal: DecimalMark | None = None) -> TableFile:
    """The table; where it does not tell how its numbers are written, as in the table that the model was learned from.

    A file with the one cell 16.428 holds sixteen thousand if the model comes from a table with decimal commas.
    """
    return open_table(table, encoding, decimal or usual_mark(rule))


def plain_value(rule: Model, value: str, decimal: DecimalMark | None = None) -> str:
    """A value that was typed in, a number with a decimal point."""
    mark = decimal or usual_mark(rule)
    return Decimals(mark).plain([value])[0] if mark else value
