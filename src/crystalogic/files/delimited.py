"""Tables with a delimiter: how they are written is detected, and every line must have the cells of the header.

pandas reads quickly and forgives much: lines that are too short are filled up, with some columns picked those that are
too long are cut. Here the cells of each line are counted on the way; where the count looks wrong, Python's own strict
reader goes through the file and names the line.

How numbers are written the first lines say of most tables. What the others could still change is looked for in the
plain text, which is quick; only a table in which something was found is read cell by cell, as far as it takes.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Any, TextIO

from crystalogic.arrays import Array, np, pd
from crystalogic.counts import count
from crystalogic.errors import TableError, refuse, refuse_first
from crystalogic.files.decimals import COMMA, NOTHING_TOLD, POINT, DecimalEvidence, Decimals, evidence_of
from crystalogic.files.source import SAMPLE, Source, error_line, is_named

if TYPE_CHECKING:
    from crystalogic.files.table import TableFile

DELIMITERS = ",;\t|"
LONGEST_CELL = 1 << 24  # characters; beyond it a quote was forgotten
LONGEST_HEADER = 1 << 18
CELLS_AT_ONCE = 1_000_000
SHORT = 1 << 21  # characters that Python reads sooner than pandas is loaded
AS_TEXTS: Any = {"header": None, "index_col": False, "dtype": object, "na_filter": False, "skipinitialspace": True}
ANYTHING = DecimalEvidence(needs_point=True, needs_comma=True, has_commas=True)
_SAID = re.compile(r'"?sep=([,;|\t])"?\n')  # the first line that spreadsheets write, and read, to tell the delimiter
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_QUOTED = re.compile(rf'"\s*[+-]?[\d.]+,[\d.,]+{_EXPONENT}\s*"', re.ASCII)  # a number with a comma, in quotes
_AFTER_COMMA = re.compile(rf",\d[\d.,]*{_EXPONENT}(?=\s*[\";\t|\n])", re.ASCII)  # the end of one, without
_TWO_POINTS = re.compile(r"\.\d{3}\.\d{3}", re.ASCII)


@dataclass(frozen=True)
class CsvDialect:
    """How a table is written: its columns, what separates them, and how numbers are written."""

    columns: tuple[str, ...]
    delimiter: str
    decimals: Decimals
    n_header_lines: int


def dialect_of(text: str, name: str) -> tuple[CsvDialect, DecimalEvidence]:
    """The dialect of a table, from its first characters, and what its first cells tell about numbers."""
    said = _SAID.match(text)
    text = text[said.end() :] if said else text
    candidates = said[1] if said else "\t" if is_named(name, ".tsv", ".tab") else DELIMITERS
    tried = {delimiter: _records(text, delimiter) for delimiter in candidates}
    tried = {delimiter: (records, n_lines) for delimiter, (records, n_lines) in tried.items() if records}
    refuse_first(TableError, {f"{name}: there is nothing to read.": not tried or not text.strip(f"{DELIMITERS}\n ")})

    def likely(delimiter: str) -> tuple[bool, int]:
        (first, *rest), _ = tried[delimiter]
        return len(first) > 1 and all(len(each) == len(first) for each in rest), len(first)

    delimiter = max(tried, key=likely)
    (header, *rest), n_lines = tried[delimiter]
    is_open = not rest and (text.count('"') % 2 > 0 or len(text) > LONGEST_HEADER)
    refuse_first(TableError, {f"{name}: the header does not end; a quote is opened and never closed.": is_open})
    columns = tuple(each.strip() or f"column {place}" for place, each in enumerate(header, 1))
    evidence = evidence_of(cell for record in rest for cell in record)
    return CsvDialect(columns, delimiter, Decimals(), n_lines + bool(said)), evidence


def _records(text: str, delimiter: str) -> tuple[list[list[str]], int]:
    """The first records that are not blank, and on which line the header ends."""
    records, n_lines = list[list[str]](), 0
    with _long_cells():
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
        for record in islice((each for each in reader if not is_blank(each)), 100):
            n_lines = n_lines or reader.line_num
            records.append(record)
    return records, n_lines


def is_blank(record: Sequence[str]) -> bool:
    """Whether the line was empty, or has empty cells alone, as spreadsheets write empty rows."""
    return not any(cell.strip() for cell in record)


def delimited_parts(
    source: Source, dialect: CsvDialect, encoding: str, rows_at_once: int, columns: Sequence[str]
) -> "Iterator[pd.DataFrame]":
    """The table in parts, cells as texts, only these columns."""
    empty, unreadable = pd.errors.EmptyDataError, pd.errors.ParserError  # loaded here: a signal may break loading off
    rows_at_once = min(rows_at_once, max(1, CELLS_AT_ONCE // len(dialect.columns)))
    with source.reading(encoding), source.text(encoding) as text:
        for _ in range(dialect.n_header_lines):
            text.readline()
        counted: Any = Counted(text, dialect, lambda: refuse_uneven(source, dialect, encoding))
        try:
            names: Any = {"names": list(dialect.columns), "usecols": list(columns)}
            for part in pd.read_csv(counted, sep=dialect.delimiter, chunksize=rows_at_once, **names, **AS_TEXTS):
                if not dialect.decimals.is_plain:  # 1,5 becomes 1.5
                    cells = {name: dialect.decimals.plain(part[name].tolist()) for name in part.columns}
                    part = pd.DataFrame(cells, dtype=object, index=part.index)
                yield part
        except empty:
            return
        except unreadable as error:
            if "Calling read" in str(error):  # our errors come through pandas as they are, Ctrl-C does not
                raise KeyboardInterrupt from None
            if "out of memory" in str(error):
                raise MemoryError from None
            refuse_uneven(source, dialect, encoding)
            refuse(TableError, f"{source.name}: cannot be read as a table ({error_line(error)}).")


def read_short(source: Source, dialect: CsvDialect, encoding: str, columns: Sequence[str]) -> dict[str, Array] | None:
    """The cells of a short table as texts, by column, read without pandas; None for a table that is not short."""
    with source.reading(encoding), source.text(encoding) as text:
        for _ in range(dialect.n_header_lines):
            text.readline()
        short = text.read(SHORT + 1)
        if len(short) > SHORT or "\0" in short:
            return None
    counted = Counted(io.StringIO(short), dialect, lambda: refuse_uneven(source, dialect, encoding))
    lines = io.StringIO("".join(counted))
    with _long_cells(), suppress(csv.Error, ValueError):  # what is to be made of quotes and cells too many, pandas says
        records = filter(None, csv.reader(lines, delimiter=dialect.delimiter, skipinitialspace=True, strict=True))
        texts = {name: dialect.decimals.plain(each) for name, *each in zip(dialect.columns, *records, strict=True)}
        return {name: np.array(texts[name], object) for name in columns}
    return None


class Counted:
    """Text that is handed on while the cells of each line are counted; `suspect` is called where a count is wrong.
    Lines that are nothing but delimiters and spaces, as spreadsheets write empty rows, are left out."""

    def __init__(self, text: TextIO, dialect: CsvDialect, suspect: Callable[[], None]) -> None:
        self._text, self._suspect = text, suspect
        self._width, self._delimiter = len(dialect.columns), dialect.delimiter
        self._tail = b""  # the line that has not ended yet
        self._is_counting = True
        marks = re.escape(self._delimiter)
        self._empty = re.compile(rf"^[{marks} ]*{marks}[{marks} ]*(?:\n|\Z)", re.MULTILINE)
        self._before = "\n"  # what stands before the next part: the end of a line, unless that is very long
        self._is_quoted = False  # whether the next part begins between quotes

    def __iter__(self) -> Iterator[str]:
        while part := self.read(1 << 18):
            yield part

    def read(self, size: int = -1) -> str:
        """About as many characters, up to the end of a line."""
        while True:
            part = self._text.read(size) + self._text.readline(LONGEST_CELL)
            if self._is_counting and not self._is_even(part.encode() if part else b"\n", is_end=not part):
                self._suspect()
                self._is_counting = False  # a stray quote, and nothing wrong
            kept = self._without_empty(part) if self._width > 1 else part
            if kept or not part:
                return kept

    def _without_empty(self, part: str) -> str:
        text, place, kept = self._before + part, 1, []
        is_likely = any(f"\n{first}" in text for first in (self._delimiter, " "))
        for found in self._empty.finditer(text, 1) if is_likely else ():
            self._is_quoted ^= text.count('"', place, found.start()) % 2 == 1
            kept.append(text[place : found.end() if self._is_quoted else found.start()])
            place = found.end()
        self._is_quoted ^= text.count('"', place) % 2 == 1
        self._before = text[-1]
        return "".join([*kept, text[place:]])

    def _is_even(self, part: bytes, *, is_end: bool) -> bool:
        """Whether every line that ends in this part has as many cells as the header, or none."""
        lines = self._tail + part
        codes = np.frombuffer(lines, np.uint8)
        is_end_of_line, is_mark = codes == 10, codes == ord(self._delimiter)
        if b'"' in lines:
            is_outside = np.cumsum(codes == 34, dtype=np.int32) & 1 == 0
            is_end_of_line &= is_outside
            is_mark &= is_outside
        places = np.flatnonzero(is_end_of_line | is_mark)
        ends = np.flatnonzero(is_end_of_line[places])
        stops = places[ends]
        starts = np.concatenate(([0], stops[:-1] + 1)) if len(stops) else stops
        n_cells = np.diff(ends, prepend=-1)
        self._tail = lines[stops[-1] + 1 :] if len(stops) else lines
        if len(self._tail) > LONGEST_CELL or (is_end and self._tail.strip()):
            return False
        return not any(lines[starts[i] : stops[i]].strip() for i in np.flatnonzero(n_cells != self._width))


def refuse_uneven(source: Source, dialect: CsvDialect, encoding: str) -> None:
    """A TableError for the first line that has not the cells of the header, or a quote that is never closed."""
    width, before = len(dialect.columns), 0
    try:
        with _long_cells(), source.text(encoding) as text:
            first = text.readline()
            n_said = int(_SAID.match(first) is not None)
            lines, before = chain([first][n_said:], text), n_said
            reader = csv.reader(lines, delimiter=dialect.delimiter, skipinitialspace=True, strict=True)
            for record in reader:
                if len(record) != width and not is_blank(record):
                    has = f"line {before + 1} has {count(len(record), 'cell')}, the header has {width}"
                    advice = f"Correct the line; a cell with {dialect.delimiter!r} in it stands in quotes."
                    refuse(TableError, f"{source.name}: {has}. {advice}")
                before = reader.line_num + n_said
    except csv.Error as error:
        is_open = "end of data" in str(error) or "field limit" in str(error)
        problem = "a quote is opened and never closed" if is_open else "text follows a closing quote"
        message = f"{source.name}: line {before + 1}: {problem}. A quote inside a quoted cell is written twice."
        raise TableError(message) from None


@contextmanager
def _long_cells() -> Iterator[None]:
    """Python's reader refuses cells beyond 128 kB; here long ones are allowed."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def settle_decimals(files: Sequence["TableFile"], usual: str | None) -> list[Decimals]:
    """How each file of one table with a delimiter writes its numbers: what any of them tells, it tells of all."""
    found = reduce(DecimalEvidence.join, (file.first for file in files), NOTHING_TOLD)
    delimiters = [file.dialect.delimiter for file in files if file.dialect]

    def choices(found: DecimalEvidence) -> list[Decimals]:
        return [found.decimals(delimiter, usual) for delimiter in delimiters]

    def is_settled(possible: DecimalEvidence) -> bool:
        """Whether nothing that is possible would change the choice."""
        parts = product(*({False, each} for each in vars(possible).values()))
        return all(choices(found.join(DecimalEvidence(*part))) == choices(found) for part in parts)

    if is_settled(ANYTHING):
        return choices(found)
    told = (_possible(file, is_point_known=found.needs_point) for file in files)
    possible = reduce(DecimalEvidence.join, told, NOTHING_TOLD)
    parts = (part for file in files for part in file.as_written.parts())
    cells = (part[name].unique().tolist() for part in parts for name in part.columns)
    while not is_settled(possible) and (some := next(cells, None)) is not None:
        found = found.join(evidence_of(some))
    return choices(found)


def _possible(file: "TableFile", *, is_point_known: bool) -> DecimalEvidence:
    """What the text of a file may tell at most: with a number that has a comma, anything; else what its points do."""
    has_points = has_two = False
    for text in _texts(file):
        if file.dialect and _has_comma(text, file.dialect.delimiter):
            return ANYTHING
        if not is_point_known and POINT in text:
            has_points, has_two = True, has_two or _TWO_POINTS.search(text) is not None
    return DecimalEvidence(has_points or is_point_known, has_two or is_point_known)


def _has_comma(text: str, delimiter: str) -> bool:
    """Whether a cell may be a number with a comma in it."""
    if delimiter == COMMA:
        return '"' in text and _QUOTED.search(text) is not None
    for match in _AFTER_COMMA.finditer(text) if COMMA in text else ():
        begin = max(text.rfind(edge, 0, match.start()) for edge in (delimiter, "\n", '"')) + 1
        if evidence_of([text[begin : match.end()]]).has_commas:
            return True
    return False


def _texts(file: "TableFile") -> Iterator[str]:
    """The text in pieces that end with a line."""
    with file.source.reading(file.encoding), file.source.text(file.encoding) as text:
        while part := text.read(SAMPLE) + text.readline(LONGEST_CELL):
            yield part + "\n"  # which the last line may lack
