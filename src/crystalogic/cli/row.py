"""The one row that a command is about: a row of a table, or values given one by one."""

from typing import Annotated, Any

import typer

from crystalogic.cli.opening import opened_for, plain_value
from crystalogic.cli.options import DecimalMark, cell
from crystalogic.errors import TableError
from crystalogic.files import TableFile
from crystalogic.model import Model

RowTable = Annotated[str | None, typer.Argument(metavar="TABLE", help="The table with the row.")]
RowNumber = Annotated[int, typer.Option(min=0, help="Which row, counted from 0.")]
RowValues = Annotated[
    list[str] | None,
    typer.Option("--value", "-v", metavar="COLUMN=VALUE", help="A value of the row, instead of a table."),
]


def given_row(
    rule: Model,
    table: str | None,
    row: int,
    values: list[str] | None,
    encoding: str | None = None,
    decimal: DecimalMark | None = None,
) -> dict[str, Any]:
    """The row, from the table or from the values; one of them is needed."""
    if (table is None) == (not values):
        message = "give a table with --row, or --value COLUMN=VALUE for each column of the rule."
        raise typer.BadParameter(message)
    if table:
        return _one_row(opened_for(rule, table, encoding, decimal), row)
    return {name: plain_value(rule, value, decimal) for name, value in map(cell, values or [])}


def _one_row(source: TableFile, row: int) -> dict[str, Any]:
    seen = 0
    for part in source.parts():
        if row < seen + len(part):
            return {name: part[name].iloc[row - seen] for name in part.columns}  # a row alone would be of one type
        seen += len(part)
    message = f"{source.path}: there is no row {row}; it has {seen} rows, counted from 0."
    raise TableError(message)
