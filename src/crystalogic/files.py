"""Tables in files: CSV, TSV, JSON lines and Parquet, read whole or in parts, with delimiter and encoding detected.

Cells are read as text, so that a code such as 007 stays what it is; the encoding decides what is a number.
"""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crystalogic.errors import TableError

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 1 << 16
ROWS_AT_ONCE = 50_000
DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class TableFile:
    """A table in a file: how it is written and which columns it has."""

    path: str  # "-" for standard input
    kind: str  # "csv", "json" or "parquet"
    columns: tuple[str, ...]
    delimiter: str = ","
    encoding: str = "utf-8"
    text: str | None = None  # what came from standard input

    def read(self) -> "pd.DataFrame":
        """The whole table."""
        import pandas as pd

        parts = list(self.parts(rows_at_once=1 << 30))
        if not parts or not sum(map(len, parts)):
            message = f"{self.path}: the table has a header and no rows."
            raise TableError(message)
        return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)

    def parts(self, rows_at_once: int = ROWS_AT_ONCE, columns: Sequence[str] | None = None) -> "Iterator[pd.DataFrame]":
        """The table in parts of some rows, so that its size does not matter; only these columns, if given."""
        import pandas as pd

        wanted = None if columns is None else [name for name in self.columns if name in set(columns)]
        try:
            if self.kind == "parquet":
                yield from _parquet_parts(self.path, rows_at_once, wanted)
            elif self.kind == "json":
                for part in pd.read_json(self._source(), lines=True, chunksize=rows_at_once, dtype=False):
                    yield part if wanted is None else part[wanted]
            else:
                yield from pd.read_csv(
                    self._source(),
                    sep=self.delimiter,
                    encoding=self.encoding,
                    dtype=str,
                    keep_default_na=False,
                    chunksize=rows_at_once,
                    usecols=wanted,
                    skipinitialspace=True,
                )
        except (ValueError, UnicodeDecodeError, OSError) as error:
            message = f"{self.path}: cannot be read as a table ({_one_line(error)})."
            raise TableError(message) from None

    def _source(self) -> Any:
        return self.path if self.text is None else io.StringIO(self.text)


def open_table(path: str) -> TableFile:
    """The table in a file or, for "-", on standard input; a TableError says why there is none."""
    if path == "-":
        return _described(path, sys.stdin.read(), None)
    file = Path(path)
    suffix = file.suffix.lower()
    try:
        if not file.is_file():
            message = f"{path}: there is no such file."
            raise TableError(message)
        if suffix in (".parquet", ".pq"):
            return TableFile(path, "parquet", tuple(_parquet_names(path)))
        with file.open("rb") as opened:
            head = opened.read(SAMPLE)
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror})."
        raise TableError(message) from None
    if not head.strip():
        message = f"{path}: the file is empty."
        raise TableError(message)
    encoding = _encoding(head, path)
    text = head.decode(encoding, errors="ignore")
    return _described(path, text, encoding, is_sample=True)


def _described(path: str, text: str, encoding: str | None, *, is_sample: bool = False) -> TableFile:
    if not text.strip():
        message = f"{path}: there is nothing to read."
        raise TableError(message)
    whole = None if is_sample else text
    if text.lstrip().startswith("{"):
        import json

        try:
            first = json.loads(text.lstrip().splitlines()[0])
        except ValueError as error:
            message = f"{path}: the first line is no JSON object ({error})."
            raise TableError(message) from None
        return TableFile(path, "json", tuple(map(str, first)), encoding=encoding or "utf-8", text=whole)
    first_line = text.splitlines()[0]
    delimiter = _delimiter(text, path)
    columns = tuple(name.strip() for name in next(csv.reader([first_line], delimiter=delimiter, skipinitialspace=True)))
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        message = f"{path}: two columns are called {twice[0]!r}. Rename one of them."
        raise TableError(message)
    return TableFile(path, "csv", columns, delimiter, encoding or "utf-8", whole)


def _delimiter(text: str, path: str) -> str:
    if path.lower().endswith((".tsv", ".tab")):
        return "\t"
    first, *rest = text.splitlines()[:20]
    counts = {char: first.count(char) for char in DELIMITERS}
    likely = [char for char in DELIMITERS if counts[char] and all(char in line for line in rest if line.strip())]
    return max(likely or [","], key=lambda char: counts.get(char, 0))


def _encoding(head: bytes, path: str) -> str:
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\x00" in head:
        message = f"{path}: this is a binary file, not a table. Export it as CSV or Parquet."
        raise TableError(message)
    try:
        head[: head.rfind(b"\n") + 1 or len(head)].decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _parquet_names(path: str) -> list[str]:
    return list(_parquet(path).schema_arrow.names)


def _parquet_parts(path: str, rows_at_once: int, columns: list[str] | None) -> "Iterator[pd.DataFrame]":
    for batch in _parquet(path).iter_batches(batch_size=min(rows_at_once, 1 << 20), columns=columns):
        yield batch.to_pandas()


def _parquet(path: str) -> Any:
    try:
        import pyarrow.parquet as parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        message = f"{path}: reading Parquet needs pyarrow; install it with: pip install 'crystalogic[parquet]'"
        raise TableError(message) from None
    try:
        return parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        message = f"{path}: cannot be read as Parquet ({_one_line(error)})."
        raise TableError(message) from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
