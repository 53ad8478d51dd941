"""A table in Parquet files as DuckDB sees it: its files in order, its rows numbered through, the types of columns.

DuckDB would read a column that another file has as another type as if it were of the first, rounding if need be, and
tells no capitals from small letters in names. What could be read otherwise than it was written is refused here.
"""

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from crystalogic.errors import TableError
from crystalogic.export.dialects import dialect_named
from crystalogic.export.quoting import quoted_text

MOST_LISTED = 30
INTEGERS = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")) | {
    "INTEGER",
    "UINTEGER",
}
_DUCKDB = dialect_named("duckdb")


@dataclass(frozen=True)
class ParquetTable:
    """Files in order, the number of the first row of each, and the types of the columns that were asked for."""

    name: str
    files: tuple[str, ...]
    starts: tuple[int, ...]
    types: dict[str, str]

    @property
    def relation(self) -> str:
        """The rows of all files, as a relation of DuckDB."""
        return f"read_parquet({_listed(self.files)}, union_by_name=true, hive_partitioning=false)"

    @property
    def row(self) -> str:
        """The number of a row, counted from 0 through all files; every thread knows it of its own rows."""
        if len(self.files) == 1:
            return "file_row_number"
        return f"list_extract({list(self.starts)}::BIGINT[], (file_index + 1)::BIGINT) + file_row_number"


def open_parquet(connection: Any, path: str, columns: Sequence[str]) -> ParquetTable:
    """The table in a file, in all files of a folder or in those of a pattern, with these columns in each of them."""
    files = _files(path)
    schemas = {file: _top_level(rows) for file, rows in _schemas(connection, files)}
    for file, schema in schemas.items():
        _refuse_missing(file, schema, columns)
        _refuse_alike(file, schema, columns)
    types = {column: _common_type(column, schemas) for column in columns}
    lengths = dict(
        connection.execute(f"SELECT file_name, num_rows FROM parquet_file_metadata({_listed(files)})").fetchall()
    )
    starts = accumulate((int(lengths[file]) for file in files[:-1]), initial=0)
    return ParquetTable(path, files, tuple(starts), types)


def _files(path: str) -> tuple[str, ...]:
    place = Path(path)
    if place.is_dir():
        inside = (each.relative_to(place) for each in place.rglob("*.parquet"))
        found = [str(place / each) for each in inside if not any(part[0] in "._" for part in each.parts)]
        problem = "this folder holds no Parquet files (names that end in .parquet)"
    else:
        found = [path] if place.exists() else [each for each in glob.glob(path, recursive=True) if Path(each).is_file()]
        problem = "there is no such file"
    if not found:
        message = f"{path}: {problem}."
        raise TableError(message)
    for file in found:
        _refuse_other_formats(file)
    return tuple(sorted(found))


def _refuse_other_formats(file: str) -> None:
    try:
        with open(file, "rb") as content:
            is_parquet = content.read(4) == b"PAR1"
    except OSError as error:
        message = f"{file}: cannot be read ({error.strerror})."
        raise TableError(message) from None
    if not is_parquet:
        message = (
            f"{file}: this is no Parquet file, and DuckDB would read other tables by rules of its own. "
            "Take --engine python for it, or write it as Parquet."
        )
        raise TableError(message)


def _listed(files: Sequence[str]) -> str:
    """The files as a list in SQL; a name with * in it is one file, not a pattern."""
    return f"[{', '.join(quoted_text(glob.escape(file), _DUCKDB) for file in files)}]"


def _schemas(connection: Any, files: Sequence[str]) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    found = connection.execute(
        f"SELECT file_name, name, duckdb_type, num_children FROM parquet_schema({_listed(files)})"
    ).fetchall()
    for file, rows in groupby(found, key=lambda row: row[0]):
        yield file, [row[1:] for row in rows]


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
        more = f", … and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
        message = (
            f"{file}: the rule needs the column{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}; "
            f"the table has {', '.join(names[:MOST_LISTED])}{more}."
        )
        raise TableError(message)


def _refuse_alike(file: str, schema: list[tuple[str, str]], columns: Sequence[str]) -> None:
    for column in columns:
        alike = [name for name, _ in schema if name.lower() == column.lower()]
        if len(alike) > 1:
            message = (
                f"{file}: DuckDB cannot tell the columns {' and '.join(map(repr, alike))} apart. "
                "Rename one of them, or take --engine python."
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
        kind = kind if other == kind else "DOUBLE" if "DOUBLE" in (other, kind) else "BIGINT"
    return kind
