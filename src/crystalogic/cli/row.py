"""Tables for a model, and the rows that a command is about, of a table or given value by value.

Numbers are read as they were written in the table that the model was learned from.
"""

from collections.abc import Callable, Mapping
from typing import Any

from crystalogic.cli.options import Asked, cell, each_once, refuse
from crystalogic.cli.output import show, show_json
from crystalogic.counts import count
from crystalogic.errors import TableError
from crystalogic.files import TableFile, open_table
from crystalogic.files.decimals import COMMA, Decimals
from crystalogic.model import Model


def usual_mark(*rules: Model) -> str | None:
    """The mark before decimals where these models come from, if it was a comma."""
    return COMMA if any(rule.record.decimal == COMMA for rule in rules) else None


def open_for(rule: Model, table: str, asked: Asked) -> TableFile:
    """The table; where it does not tell how its numbers are written, as in the table that the model was learned from.

    A file with the one cell 16.428 holds sixteen thousand if the model comes from a table with decimal commas.
    """
    return open_table(table, getattr(asked, "encoding", None), _mark(rule, asked))


def _mark(rule: Model, asked: Asked) -> str | None:
    return getattr(asked, "decimal", None) or usual_mark(rule)


def given_rows(rule: Model, asked: Asked) -> dict[int, dict[str, Any]]:
    """The rows by their numbers, from the table or from the values; one of them is needed."""
    table, numbers, values = asked.row_table, asked.row, asked.value
    is_either = (table is None) == bool(values)
    refuse(not is_either, "give a table with --row, or --value COLUMN=VALUE for each column of the rule.")
    if table:
        return _rows(open_for(rule, table, asked), list(dict.fromkeys(numbers or [0])))
    refuse(numbers, "--row goes with a table; the values given with --value are a row of their own.")
    given = each_once("--value", map(cell, values or []))
    mark = _mark(rule, asked)
    plain = Decimals(mark).plain(list(given.values())) if mark else given.values()
    return {0: dict(zip(given, plain, strict=True))}


def _rows(source: TableFile, wanted: list[int]) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    seen = 0
    for part in source.parts():
        for number in wanted:
            if seen <= number < seen + len(part):  # a row alone would be of one type
                found[number] = {name: part[name].iloc[number - seen] for name in part.columns}
        seen += len(part)
        if len(found) == len(wanted):
            return {number: found[number] for number in wanted}
    missing = next(number for number in wanted if number not in found)
    message = f"{source.path}: there is no row {missing}; it has {count(seen, 'row')}, counted from 0."
    raise TableError(message)


def show_by_row(found: Mapping[int, Any], text: Callable[[Any], str], content: Any, *, as_json: bool) -> None:
    """What was found about each row: about one, as it is; about several, each after its number."""
    first, *more = found.values()
    if as_json:
        told = [{"number": number, **content(each)} for number, each in found.items()]
        show_json(told if more else content(first))
    elif not more:
        show(text(first))
    else:
        show("\n\n".join(f"row {number}:\n{text(each)}" for number, each in found.items()))
