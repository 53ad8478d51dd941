"""A table in Parquet files as DuckDB sees it: its files in order, its rows numbered through, the types of columns.

DuckDB would read a column that another file has as another type as if it were of the first, rounding if need be, and
tells no capitals from small letters in names. What could be read otherwise than it was written is refused here.
"""

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

from crystalogic.counts import list_names, plural
from crystalogic.errors import TableError
from crystalogic.export.dialects import dialect_named
from crystalogic.export.quoting import quote_text
from crystalogic.files.folder import sources_of
from crystalogic.files.source import Source

INTEGERS = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")) | {
    "INTEGER",
    "UINTEGER",
}
MIXED = "whole numbers here, DOUBLE there"
_OWN_NUMBERS = {"file_row_number", "file_index"}  # a column of such a name, in any capitals, is found instead
_DUCKDB = dialect_named("duckdb")


@dataclass(frozen=True)
class ParquetTable:
    """Files in order, the number of the first row of each, and the types of the columns that were asked for."""

    name: str
    sources: tuple[Source, ...]
    starts: tuple[int, ...]
    types: dict[str, str]
    hides_numbers: bool  # whether a column has the name of a number that DuckDB gives to rows or files

    @property
    def relation(self) -> str:
        """The rows of all files, as a relation of DuckDB."""
        return f"read_parquet({_list_files(self.sources)}, union_by_name=true, hive_partitioning=false)"

    @property
    def row(self) -> str:
        """The number of a row, counted from 0 through all files; every thread knows it of its own rows, if it can."""
        if self.hides_numbers:
            return "row_number() OVER () - 1"
        if len(self.sources) == 1:
            return "file_row_number"
        return f"list_extract({list(self.starts)}::BIGINT[], (file_index + 1)::BIGINT) + file_row_number"


def open_parquet(connection: Any, path: str, columns: Sequence[str]) -> ParquetTable:
    """The table in a file, in all files of a folder or in those of a pattern, with these columns in each of them."""
    _, sources = sources_of(path)
    for source in sources:
        _refuse_other_formats(source)
    schemas = _schemas(connection, sources)
    for file, schema in schemas.items():
        _refuse_missing(file, schema, columns)
        _refuse_alike(file, schema, columns)
    types = {column: _common_type(column, schemas) for column in columns}
    lengths = dict(
        connection.execute(f"SELECT file_name, num_rows FROM parquet_file_metadata({_list_files(sources)})").fetchall()
    )
    starts = accumulate((int(lengths[source.path]) for source in sources[:-1]), initial=0)
    names = {name.lower() for schema in schemas.values() for name, _ in schema}
    return ParquetTable(path, tuple(sources), tuple(starts), types, not names.isdisjoint(_OWN_NUMBERS))


def _refuse_other_formats(source: Source) -> None:
    with source.reading(), open(source.path, "rb") as content:
        is_parquet = content.read(4) == b"PAR1"
    if not is_parquet:
        message = (
            f"{source.name}: this is not a Parquet file, and DuckDB would read other tables by rules of its own. "
            "Use --engine python for it, or write it as Parquet."
        )
        raise TableError(message)


def _list_files(sources: Sequence[Source]) -> str:
    """The files as a list in SQL; a name with * in it is one file, not a pattern."""
    return f"[{', '.join(quote_text(glob.escape(source.path), _DUCKDB) for source in sources)}]"


def _schemas(connection: Any, sources: Sequence[Source]) -> dict[str, list[tuple[str, str]]]:
    """The columns of each file and their types, by what the file is called."""
    found = connection.execute(
        f"SELECT file_name, name, duckdb_type, num_children FROM parquet_schema({_list_files(sources)})"
    ).fetchall()
    names = {source.path: source.name for source in sources}
    return {names[file]: _top_level([row[1:] for row in rows]) for file, rows in groupby(found, key=lambda row: row[0])}


def _top_level(rows: Sequence[tuple[Any, ...]]) -> list[tuple[str, str]]:
    """The columns and their types, without the root, which comes first, and without the fields inside of columns."""
    found, inside = [], 0
    for name, kind, n_children in rows[1:]:
        if not inside:
            found.append((name, kind or "nested"))
        inside = max(0, inside - 1) + (n_children or 0)
    return found


def _refuse_missing(file: str, schema: list[tuple[str, str]], columns: Sequence[str]) -> None:
    names = [name for name, _ in schema]
    missing = [column for column in columns if column not in names]
    if missing:
        message = (
            f"{file}: the rule needs the {plural(len(missing), 'column')} {', '.join(map(repr, missing))}; "
            f"the table has {list_names(names)}."
        )
        raise TableError(message)


def _refuse_alike(file: str, schema: list[tuple[str, str]], columns: Sequence[str]) -> None:
    for column in columns:
        alike = [name for name, _ in schema if name.lower() == column.lower()]
        if len(alike) > 1:
            message = (
                f"{file}: DuckDB cannot tell the columns {' and '.join(map(repr, alike))} apart. "
                "Rename one of them, or use --engine python."
            )
            raise TableError(message)


def _common_type(column: str, schemas: dict[str, list[tuple[str, str]]]) -> str:
    """The type that holds the values of all files as they are."""
    types = {file: dict(schema)[column] for file, schema in schemas.items()}
    (first, kind), *rest = types.items()
    for file, other in rest:
        if other != kind and not {other, kind} <= INTEGERS | {"DOUBLE"}:
            message = f"{file}: {column!r} is {other}, in {first} it is {kind}. Write all files with one type."
            raise TableError(message)
    kinds = set(types.values())
    return kind if len(kinds) == 1 else MIXED if "DOUBLE" in kinds else "BIGINT"
