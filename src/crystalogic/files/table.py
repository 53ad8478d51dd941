"""A table in a file or several: how it is written is found out once, then it is read whole or in parts.

Cells are read as text, so that a code such as 007 stays what it is; the encoding decides what is a number.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from glob import has_magic
from itertools import chain
from math import inf
from typing import Any

from crystalogic.arrays import np, pd
from crystalogic.counts import list_names
from crystalogic.errors import TableError, refuse, refuse_first
from crystalogic.files.decimals import COMMA, NOTHING_TOLD, DecimalEvidence, Decimals
from crystalogic.files.delimited import CsvDialect, delimited_parts, dialect_of, read_short, settle_decimals
from crystalogic.files.records import line_columns, line_parts, parquet_parts, parquet_schema
from crystalogic.files.source import Source, decode, encoding_of, family_of, sources_of
from crystalogic.logic.names import closest

ROWS_AT_ONCE = 50_000
LINES = "JSON lines"
_PARQUET = b"PAR1"


@dataclass(frozen=True)
class TableFile:
    """A table in a file, or in several with the same columns: these, and how they are written."""

    source: Source
    columns: tuple[str, ...]
    encoding: str = "utf-8"
    dialect: CsvDialect | None = None  # of a table with a delimiter
    first: DecimalEvidence = NOTHING_TOLD  # what its first cells tell about numbers
    is_parquet: bool = False
    types: tuple[str, ...] = ()  # of the columns, where the file tells
    n_rows: int | None = None  # where the file tells
    files: "tuple[TableFile, ...]" = ()  # of a folder or pattern, in order
    only: tuple[str, Callable[[Any], Any]] | None = None  # a column, and which of its cells have rows
    is_narrowed: bool = False  # the files have more columns than these

    @property
    def path(self) -> str:
        """The file, for messages."""
        return self.source.name

    @property
    def has_decimal_commas(self) -> bool:
        """Whether its numbers are written as 1,5."""
        return self.dialect is not None and self.dialect.decimals.mark == COMMA

    @property
    def kind(self) -> str:
        return "Parquet" if self.is_parquet else LINES if self.dialect is None else "text with a delimiter"

    @property
    def listed(self) -> str:
        """The names of the columns, for messages; of many, the first."""
        return list_names(self.columns)

    def read(self, most: float = inf) -> Any:
        """The whole table as a frame; None, as soon as that is seen, if it has more rows than `most`."""
        if (self.n_rows or 0) > most:
            return None
        parts, counted = [], 0
        for part in self.parts():
            parts.append(part)
            counted += len(part)
            if counted > most:
                return None
        refuse_first(TableError, {f"{self.path}: the table has a header and no rows.": not counted})
        return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)

    def gather(self, most: float) -> Any:
        """The same; a short table as its columns, for which nobody waits until pandas is loaded."""
        column, is_true = self.only or (self.columns[0], None)
        wanted, dialect = [*dict.fromkeys([*self.columns, column])], None if self.files else self.dialect
        cells = read_short(self.source, dialect, self.encoding, wanted) if dialect else None
        if cells is None:
            return self.read(most)
        kept = np.arange(len(cells[column])) if is_true is None else np.flatnonzero(is_true(cells[column]))
        refuse_first(TableError, {f"{self.path}: the table has a header and no rows.": not len(kept)})
        return {name: cells[name][kept] for name in self.columns} if len(kept) <= most else None

    @property
    def as_written(self) -> "TableFile":
        """The same table with every cell as it stands in the file, numbers too."""
        dialect = self.dialect and replace(self.dialect, decimals=Decimals())
        return replace(self, dialect=dialect, files=tuple(file.as_written for file in self.files))

    def where(self, column: str, is_true: Callable[[Any], Any]) -> "TableFile":
        """The same table with the rows alone of which this is true of their cell in the column."""
        files = tuple(each.where(column, is_true) for each in self.files)
        return replace(self, only=(column, is_true), n_rows=None, files=files)

    def pick(self, columns: Collection[str]) -> "TableFile":
        """The same table with these of its columns alone; the others are not read."""
        kept = tuple(name for name in self.columns if name in columns)
        return replace(self, columns=kept, is_narrowed=True, files=tuple(each.pick(columns) for each in self.files))

    def parts(self, rows_at_once: int = ROWS_AT_ONCE, columns: Sequence[str] | None = None) -> "Iterator[pd.DataFrame]":
        """The table in parts of some rows, so that its size does not matter; only these columns, if given."""
        asked = set(self.columns if columns is None else columns)
        wanted = [name for name in self.columns if name in asked] or self.columns[:1]  # rows count without columns too
        if self.only is not None and not self.files:
            column, is_true = self.only
            more = None if columns is None else list(dict.fromkeys([*wanted, column]))
            everything = replace(self, only=None).parts(rows_at_once, more)
            kept = (part.take(np.flatnonzero(is_true(part[column]))) for part in everything)
            return (part.reset_index(drop=True)[list(wanted)] for part in kept)  # rows are counted anew
        picked = None if columns is None and not self.is_narrowed else wanted
        if self.files:
            parts = chain.from_iterable(file.parts(rows_at_once, picked) for file in self.files)
            return (part if list(part.columns) == list(wanted) else part[list(wanted)] for part in parts)
        if self.is_parquet:
            return parquet_parts(self.source, rows_at_once, wanted)
        if self.dialect is None:
            return line_parts(self.source, self.columns, self.encoding, rows_at_once, picked)
        return delimited_parts(self.source, self.dialect, self.encoding, rows_at_once, wanted)


def open_table(path: str, encoding: str | None = None, decimal: str | None = None) -> TableFile:
    """The table in a file, in a folder of files, in those that match a pattern (`rows/*.parquet`), or on standard input
    ("-"); a TableError says why there is none.

    Delimiter, encoding and how numbers are written are detected. `encoding` overrules what is found; `decimal`, a point
    or a comma, is taken to stand before decimals unless the table cannot be read so.
    """
    are_several, sources = sources_of(path)
    opened = [_open_file(each, encoding) for each in sources]
    return _together(path, opened, decimal) if are_several else _settle(opened, decimal)[0]


def _settle(files: Sequence[TableFile], decimal: str | None) -> list[TableFile]:
    """The files of one table, with how all of it writes its numbers."""
    found = iter(settle_decimals([file for file in files if file.dialect], decimal))
    return [replace(file, dialect=file.dialect and replace(file.dialect, decimals=next(found))) for file in files]


def _together(path: str, files: Sequence[TableFile], decimal: str | None) -> TableFile:
    if all(file.kind == LINES for file in files):  # which may lack keys
        columns = tuple(dict.fromkeys(name for file in files for name in file.columns))
        files = [replace(file, columns=columns) for file in files]
    refuse_others(files)
    files = _settle(files, decimal)
    unlike = [file.dialect.decimals for file in files if file.dialect and not file.dialect.decimals.is_plain]
    if unlike:  # where others have no decimals yet
        files = [replace(file, dialect=file.dialect and replace(file.dialect, decimals=unlike[0])) for file in files]
    counts = [file.n_rows for file in files]
    n_rows = None if None in counts else sum(count or 0 for count in counts)
    return replace(files[0], source=Source(path, path), n_rows=n_rows, files=tuple(files))


def refuse_others(files: Sequence[TableFile]) -> None:
    """A TableError for the first file whose columns, or their types, are not those of the files before it."""
    first, *rest = files
    for file in rest:
        message = f"{file.path}: this is {file.kind}, {first.path} is {first.kind}. Give files of one kind."
        refuse_first(TableError, {message: file.kind != first.kind})
        known, apart = {*first.columns}, {*first.columns} ^ {*file.columns}
        for name in (name for name in (*first.columns, *file.columns) if name in apart):
            what, has = ("no", "one") if name in known else ("a", "none")
            unlike = f"this file has {what} column {name!r}, {first.path} has {has}"
            refuse(TableError, f"{file.path}: {unlike}. Give all files the same columns.")
    seen: dict[str, tuple[str, str]] = {}
    for file in files:
        for name, written in zip(file.columns, file.types, strict=False):
            if written == "null":  # a column without any value
                continue
            path, before = seen.setdefault(name, (file.path, written))
            unlike = f"the column {name!r} is {written}, in {path} it is {before}"
            message = f"{file.path}: {unlike}. Write all files with the same types."
            refuse_first(TableError, {message: family_of(written) != family_of(before)})


def _open_file(source: Source, encoding: str | None) -> TableFile:
    """A file, with what its first cells tell about numbers."""
    head = source.head()
    refuse_first(TableError, {f"{source.name}: the file is empty.": not head.strip()})
    if head.startswith(_PARQUET):
        columns, types, n_rows = parquet_schema(source)
        return TableFile(source, _different(columns, source.name), is_parquet=True, types=types, n_rows=n_rows)
    encoding = encoding or encoding_of(head, source.name)
    text = decode(head, encoding, source.name)
    refuse_first(TableError, {f"{source.name}: there is nothing to read.": not text.strip()})
    if text.lstrip().startswith(("{", "[{")):
        return TableFile(source, line_columns(text, source.name), encoding)
    dialect, first = dialect_of(text, source.name)
    return TableFile(source, _different(dialect.columns, source.name), encoding, dialect, first)


def _different(columns: tuple[str, ...], name: str) -> tuple[str, ...]:
    twice = next((each for each, count in Counter(columns).items() if count > 1), None)
    refuse_first(TableError, {f"{name}: two columns are called {twice!r}. Rename one of them.": twice is not None})
    return columns


def refuse_unknown(names: Iterable[str], source: TableFile) -> None:
    """A TableError for the first name that no column of the table has."""
    known = set(source.columns)
    for name in (name for name in names if name not in known):
        parts, close = [part.strip() for part in name.split(",")], closest(name, known)
        meant = f" (did you mean {close!r}?)" if close else ""
        if len(parts) > 1 and known.issuperset(parts):
            meant = " (write the option once for each column)"
        refuse(TableError, f"{source.path}: there is no column {name!r}{meant}; the columns are {source.listed}.")


def columns_like(patterns: Iterable[str], source: TableFile, target: str) -> list[str]:
    """The columns with these names, or with names like id_*, each once; a pattern never means the target."""
    found: dict[str, None] = {}
    for pattern in patterns:
        like = [name for name in source.columns if name != target and fnmatchcase(name, pattern)]
        if pattern in source.columns or not has_magic(pattern):
            refuse_unknown([pattern], source)
            like = [pattern]
        if not like:
            meant = closest(pattern.translate({ord(mark): None for mark in "*?[]"}), source.columns)
            near = f" (the nearest is {meant!r})" if meant else ""
            refuse(TableError, f"{source.path}: no column is like {pattern!r}{near}; the columns are {source.listed}.")
        found.update(dict.fromkeys(like))
    return list(found)


def refuse_target(source: TableFile, target: str) -> None:
    """A TableError for a target that the table does not have, or has alone."""
    refuse_unknown([target], source)
    message = f"{source.path}: {target!r} is the only column; there is nothing to learn it from."
    refuse_first(TableError, {message: len(source.columns) == 1})
