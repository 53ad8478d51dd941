"""A table in a file: how it is written is found out once, then it is read whole or in parts.

Cells are read as text, so that a code such as 007 stays what it is; the encoding decides what is a number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crystalogic.errors import TableError
from crystalogic.files.delimited import Dialect, delimited_parts, dialect_of
from crystalogic.files.lines import line_columns, line_parts
from crystalogic.files.parquet import parquet_columns, parquet_parts
from crystalogic.files.source import Source, decoded, encoding_of, find_source

if TYPE_CHECKING:
    import pandas as pd

ROWS_AT_ONCE = 50_000
MOST_LISTED = 30
_PARQUET = b"PAR1"


@dataclass(frozen=True)
class TableFile:
    """A table in a file: its columns, and how they are written."""

    source: Source
    columns: tuple[str, ...]
    encoding: str = "utf-8"
    dialect: Dialect | None = None  # of a table with a delimiter
    is_parquet: bool = False

    @property
    def path(self) -> str:
        """The file, for messages."""
        return self.source.name

    @property
    def listed(self) -> str:
        """The names of the columns, for messages; of many, the first."""
        more = f", … and {len(self.columns) - MOST_LISTED:,} more" if len(self.columns) > MOST_LISTED else ""
        return ", ".join(self.columns[:MOST_LISTED]) + more

    def read(self) -> "pd.DataFrame":
        """The whole table."""
        import pandas as pd

        parts = list(self.parts())
        if not sum(map(len, parts)):
            message = f"{self.path}: the table has a header and no rows."
            raise TableError(message)
        return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)

    def parts(self, rows_at_once: int = ROWS_AT_ONCE, columns: Sequence[str] | None = None) -> "Iterator[pd.DataFrame]":
        """The table in parts of some rows, so that its size does not matter; only these columns, if given."""
        wanted = self.columns if columns is None else [name for name in self.columns if name in set(columns)]
        if self.is_parquet:
            return parquet_parts(self.source, rows_at_once, wanted)
        if self.dialect is None:
            return line_parts(self.source, self.columns, self.encoding, rows_at_once, columns and wanted)
        return delimited_parts(self.source, self.dialect, self.encoding, rows_at_once, wanted or self.columns[:1])


def open_table(path: str, encoding: str | None = None) -> TableFile:
    """The table in a file or, for "-", on standard input; a TableError says why there is none.

    Delimiter and encoding are detected; `encoding` overrules the latter.
    """
    source = find_source(path)
    head = source.head()
    if not head.strip():
        message = f"{source.name}: the file is empty."
        raise TableError(message)
    if head.startswith(_PARQUET):
        return TableFile(source, _different(parquet_columns(source), source.name), is_parquet=True)
    encoding = encoding or encoding_of(head, source.name)
    text = decoded(head, encoding, source.name)
    if not text.strip():
        message = f"{source.name}: there is nothing to read."
        raise TableError(message)
    if text.lstrip().startswith(("{", "[{")):
        return TableFile(source, line_columns(text, source.name), encoding)
    dialect = dialect_of(text, source.name)
    return TableFile(source, _different(dialect.columns, source.name), encoding, dialect)


def _different(columns: tuple[str, ...], name: str) -> tuple[str, ...]:
    if len(set(columns)) < len(columns):
        twice = next(each for each in columns if columns.count(each) > 1)
        message = f"{name}: two columns are called {twice!r}. Rename one of them."
        raise TableError(message)
    return columns
