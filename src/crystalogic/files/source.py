"""Where the bytes of a table come from, and how they become text: files that go together, or standard input."""

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from crystalogic.errors import TableError, refuse, refuse_first

SAMPLE = 1 << 20  # bytes looked at to find out how a table is written
BYTES_AT_ONCE = 1 << 26  # of the cells of one part of a table, roughly
BYTES_OF_CELL = 8  # of a number, or of what points to a text
PARQUET = (".parquet", ".pq")
ENDINGS = (*PARQUET, ".csv", ".tsv", ".tab", ".jsonl", ".ndjson")  # no .txt, folders have notes
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1a\x1b"))  # no text has these


@dataclass(frozen=True)
class Source:
    """A file to read from, as often as needed."""

    name: str  # for messages
    path: str
    holder: Any = None  # keeps the copy of standard input as long as the source

    @property
    def n_bytes(self) -> int:
        """The size of the file as it is, packed or not."""
        with self.reading():
            return os.path.getsize(self.path)

    def open(self) -> BinaryIO:
        with open(self.path, "rb") as file:
            magic = file.read(6)
        opener = next((each for start, each in _OPENERS.items() if magic.startswith(start)), open)
        return cast(BinaryIO, opener(self.path, "rb"))

    def text(self, encoding: str) -> TextIO:
        """The text, with line ends of any kind as `\\n`."""
        return io.TextIOWrapper(self.open(), encoding, newline=None)

    def head(self) -> bytes:
        with self.reading(), self.open() as file:
            return file.read(SAMPLE)

    @contextmanager
    def reading(self, encoding: str = "utf-8") -> Iterator[None]:
        """Within it, what goes wrong with the file is one sentence."""
        try:
            yield
        except UnicodeDecodeError:
            raise TableError(self._undecodable(encoding)) from None
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            reason = getattr(error, "strerror", None) or error_line(error)
            refuse(TableError, f"{self.name}: cannot be read ({reason}).")

    def _undecodable(self, encoding: str) -> str:
        """Where the first byte is that does not belong into the encoding."""
        advice = "Save the file as UTF-8, or say how it is written, such as --encoding cp1252."
        with self.open() as file:
            for number, line in enumerate(file if "16" not in encoding else (), 1):
                try:
                    line.decode(encoding)
                except UnicodeDecodeError as error:
                    return f"{self.name}: line {number} is not {encoding} (byte 0x{line[error.start]:02x}). {advice}"
        return f"{self.name}: this is not {encoding}. {advice}"


def find_source(path: str) -> Source:
    """The source of a path; standard input and pipes are copied to a temporary file, so that they can be read again."""
    if path == "-":
        stdin = getattr(sys.stdin, "buffer", None) or io.BytesIO(sys.stdin.read().encode("utf-8"))
        return _copy("standard input", stdin)
    source = Source(path, path)
    with source.reading():
        refuse_first(TableError, {f"{path}: there is no such file.": not Path(path).exists()})
        if not Path(path).is_file():
            with open(path, "rb") as pipe:
                return _copy(path, pipe)
    return source


def _copy(name: str, stream: BinaryIO) -> Source:
    with Source(name, name).reading():
        copy = tempfile.NamedTemporaryFile(prefix="crystalogic-")
        shutil.copyfileobj(stream, copy, SAMPLE)
        copy.flush()
    return Source(name, copy.name, copy)


def encoding_of(head: bytes, name: str) -> str:
    """The encoding that the first bytes show: UTF-16 and UTF-8 by their marks or content, else Windows' own."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    problems = {
        "a ZIP archive or a spreadsheet, not a table. Export it as CSV.": head.startswith(b"PK\x03\x04"),
        "a binary file, not a table. Export it as CSV or Parquet. If it is text, say how it is written, such as "
        "--encoding utf-16-le.": head.translate(None, _CONTROLS) != head,
    }
    refuse_first(TableError, {f"{name}: this is {problem}": is_so for problem, is_so in problems.items()})
    try:
        decode(head, "utf-8", name)
    except TableError:
        return "cp1252"
    return "utf-8"


def decode(head: bytes, encoding: str, name: str) -> str:
    """The first bytes as text, line ends as `\\n`; a line that is cut off at the end is left out."""
    is_whole = len(head) < SAMPLE
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head, final=is_whole)
    except LookupError:
        refuse(TableError, f"there is no encoding {encoding!r}; usual ones are utf-8, cp1252, latin-1 and utf-16.")
    except UnicodeDecodeError as error:
        refuse(TableError, f"{name}: this is not {encoding} (byte 0x{head[error.start]:02x} at {error.start:,}).")
    text = io.IncrementalNewlineDecoder(None, True).decode(text, final=True)
    return text if is_whole or "\n" not in text else text[: text.rindex("\n") + 1]


def is_named(name: str, *endings: str) -> bool:
    """Whether the file has one of these endings, before one of a compression."""
    stem, ending = os.path.splitext(name.lower())
    return (stem if ending in (".gz", ".bz2", ".xz") else name.lower()).endswith(endings)


def rows_within(rows_at_once: int, n_columns: int, bytes_of_row: int = 0) -> int:
    """So many rows at once, or fewer where their cells would fill the memory."""
    return max(1, min(rows_at_once, BYTES_AT_ONCE // max(1, bytes_of_row, BYTES_OF_CELL * n_columns)))


def error_line(error: Exception) -> str:
    """What an error of another library says, short; its name where it says nothing."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def sources_of(path: str) -> tuple[bool, list[Source]]:
    """Whether a path is a folder or a pattern, and the files that it means, in order; empty files have no rows."""
    if (paths := files_of(path)) is None:
        return False, [find_source(path)]
    found = [each for each in map(find_source, paths) if each.n_bytes or is_named(each.name, *PARQUET)]
    refuse_first(TableError, {f"{path}: every file is empty.": not found})
    return True, found


def files_of(path: str) -> list[str] | None:
    """The files of a folder or a pattern such as `rows/*.parquet`, by name, 9 before 10; None if it is neither."""
    with Source(path, path).reading():
        if is_folder := os.path.isdir(path):
            names = (name for name in os.listdir(path) if name[0] not in "._" and is_named(name, *ENDINGS))
            found = [os.path.join(path, name) for name in names]
        elif has_magic(path) and not os.path.exists(path):
            found = glob(path, recursive=True)
        else:
            return None
        files = sorted(filter(os.path.isfile, found), key=_natural_key)
    example = os.path.join(path, "**", "*.parquet")
    advice = f"Give a folder with Parquet or CSV files, or a pattern such as {example!r}."
    problem = f"this is a folder without tables. {advice}" if is_folder else "there is no such file."
    refuse_first(TableError, {f"{path}: {problem}": not files})
    return files


def _natural_key(name: str) -> list[tuple[int, str]]:
    """A key that sorts names as people count: numbers in them by their size."""
    return [(int(each), "") if each.isdecimal() else (0, each) for each in re.split(r"([0-9]+)", name)]


def family_of(written: str) -> str:
    """Types whose values are alike, as pyarrow writes them: numbers of any kind, texts whatever they are kept in."""
    if written.startswith("dictionary<values="):
        written = written.removeprefix("dictionary<values=").partition(",")[0]
    if written.startswith(("int", "uint", "float", "double", "halffloat", "decimal")):
        return "number"
    return "text" if written in ("string", "large_string", "string_view") else written.partition("[")[0]
