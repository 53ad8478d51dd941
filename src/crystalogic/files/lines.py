"""JSON lines: one object on each line, its keys the columns; a key that a line lacks is a missing value there."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from crystalogic.errors import TableError, refuse, refuse_first
from crystalogic.files.source import Source, rows_within

if TYPE_CHECKING:
    import pandas as pd


def line_columns(text: str, name: str) -> tuple[str, ...]:
    """The keys of the first lines, in order."""
    message = f"{name}: this is one JSON array. Write its objects as JSON lines, one object on each line."
    refuse_first(TableError, {message: text.lstrip().startswith("[")})
    keys: dict[str, None] = {}
    for number, line in enumerate(text.split("\n")[:1000], 1):
        if line.strip():
            keys.update(dict.fromkeys(_object(line, number, name)))
    return tuple(keys)


def line_parts(
    source: Source, known: Sequence[str], encoding: str, rows_at_once: int, columns: Sequence[str] | None
) -> "Iterator[pd.DataFrame]":
    """The table in parts; only these columns, if given."""
    import pandas as pd

    wanted = known if columns is None else columns
    rows_at_once = rows_within(rows_at_once, len(known))
    with source.reading(encoding), source.text(encoding) as text:
        numbered = ((number, line) for number, line in enumerate(text, 1) if line.strip())
        while lines := list(islice(numbered, rows_at_once)):
            rows = [_object(line, number, source.name) for number, line in lines]
            for (number, _), row in zip(lines, rows, strict=True):
                _refuse_strange(row, wanted, known if columns is None else None, f"{source.name}: line {number}")
            yield pd.DataFrame({name: _series([row.get(name) for row in rows]) for name in wanted})


def _series(cells: list[Any]) -> "pd.Series[Any]":
    """One column; beside a gap or a number with decimals, pandas would round large whole numbers."""
    import pandas as pd

    return pd.Series(cells, dtype=object if len(set(map(type, cells))) > 1 else None)


def _object(line: str, number: int, name: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        refuse(TableError, f"{name}: line {number} is not a JSON object ({error}).")
    if isinstance(found, dict):
        return found
    refuse(TableError, f"{name}: line {number} is not a JSON object but {type(found).__name__} {str(found)[:40]}.")


def _refuse_strange(row: dict[str, Any], wanted: Sequence[str], known: Sequence[str] | None, where: str) -> None:
    if known is not None and not row.keys() <= set(known):
        new = next(key for key in row if key not in known)
        message = f"{where} has the key {new!r}, which the first lines do not have. Give every line the same keys."
        raise TableError(message)
    for name in wanted:
        if isinstance(row.get(name), (list, dict)):
            message = f"{where}: {name!r} is {str(row[name])[:40]}, expected a text, a number or true or false."
            raise TableError(message)
