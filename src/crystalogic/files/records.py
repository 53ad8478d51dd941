"""Tables that name their columns themselves: Parquet, and JSON lines, where a key that a line lacks is missing."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from crystalogic.arrays import pd
from crystalogic.errors import TableError, refuse, refuse_first
from crystalogic.files.source import BYTES_AT_ONCE, Source, error_line, rows_within

_INDEX = re.compile(r"__index_level_\d+__")  # the numbers of the rows of a pandas frame, no column of its own
SMALLEST_BUFFER, LARGEST_BUFFER = 1 << 13, 1 << 18  # bytes of each column


def parquet_schema(source: Source) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """The names of the columns, their types, and the number of rows."""
    with _open(source) as file:
        columns = [each for each in file.schema_arrow if not _INDEX.fullmatch(each.name)]
        return tuple(each.name for each in columns), tuple(str(each.type) for each in columns), file.metadata.num_rows


def parquet_parts(source: Source, rows_at_once: int, columns: Sequence[str]) -> "Iterator[pd.DataFrame]":
    """The table in parts, only these columns."""
    with _open(source, len(columns)) as file:
        there = set(file.schema_arrow.names)
        gone = next((name for name in columns if name not in there), None)
        message = f"{source.name}: the column {gone!r} is gone; the file was changed while it was read."
        refuse_first(TableError, {message: gone is not None})
        n_rows = min(rows_within(rows_at_once, len(columns), _bytes_of_row(file, columns)), 1 << 20)
        exact = {"int64": pd.Int64Dtype(), "uint64": pd.UInt64Dtype()}  # beside gaps; floats would round large ones
        for batch in file.iter_batches(batch_size=n_rows, columns=list(columns)):
            part = batch.select(list(columns))
            has_gaps = any(each.null_count and str(each.type) in exact for each in part.columns)
            mapper = (lambda arrow: exact.get(str(arrow))) if has_gaps else None
            yield part.to_pandas(ignore_metadata=True, types_mapper=mapper)


def _bytes_of_row(file: Any, columns: Sequence[str]) -> int:
    """How many bytes a row of these columns takes up in the file, unpacked: texts can be long."""
    wanted, n_bytes = set(columns), 0
    for index in range(min(file.metadata.num_row_groups, 3)):
        group = file.metadata.row_group(index)
        chunks = (group.column(place) for place in range(group.num_columns))
        read = (each for each in chunks if wanted & {each.path_in_schema, each.path_in_schema.partition(".")[0]})
        n_bytes = max(n_bytes, sum(each.total_uncompressed_size for each in read) // max(1, group.num_rows))
    return n_bytes


@contextmanager
def _open(source: Source, n_columns: int = 1) -> Iterator[Any]:
    """The file; within it, what goes wrong with it is one sentence."""
    try:
        import pyarrow
        import pyarrow.parquet as parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        message = f"{source.name}: reading Parquet needs pyarrow; install it with: pip install 'crystalogic[parquet]'"
        raise TableError(message) from None
    # Read ahead, or without a buffer, pyarrow keeps whole row groups in memory.
    buffer = min(max(BYTES_AT_ONCE // max(1, n_columns), SMALLEST_BUFFER), LARGEST_BUFFER)
    try:
        with parquet.ParquetFile(source.path, pre_buffer=False, buffer_size=buffer) as file:
            yield file
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        refuse(TableError, f"{source.name}: cannot be read as Parquet ({error_line(error)}).")


def line_columns(text: str, name: str) -> tuple[str, ...]:
    """The keys of the first lines, in order."""
    message = f"{name}: this is one JSON array. Write its objects as JSON lines, one object on each line."
    refuse_first(TableError, {message: text.lstrip().startswith("[")})
    lines = [(number, line) for number, line in enumerate(text.split("\n")[:1000], 1) if line.strip()]
    return tuple(dict.fromkeys(key for number, line in lines for key in _object(line, number, name)))


def line_parts(
    source: Source, known: Sequence[str], encoding: str, rows_at_once: int, columns: Sequence[str] | None
) -> "Iterator[pd.DataFrame]":
    """The table in parts; only these columns, if given."""
    wanted, rows_at_once = known if columns is None else columns, rows_within(rows_at_once, len(known))
    with source.reading(encoding), source.text(encoding) as text:
        numbered = ((number, line) for number, line in enumerate(text, 1) if line.strip())
        while lines := list(islice(numbered, rows_at_once)):
            rows = [_object(line, number, source.name) for number, line in lines]
            for (number, _), row in zip(lines, rows, strict=True):
                _refuse_strange(row, wanted, known if columns is None else None, f"{source.name}: line {number}")
            yield pd.DataFrame({name: _series([row.get(name) for row in rows]) for name in wanted})


def _series(cells: list[Any]) -> "pd.Series[Any]":
    """One column; beside a gap or a number with decimals, pandas would round large whole numbers."""
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
