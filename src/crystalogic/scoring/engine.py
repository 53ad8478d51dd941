"""Scoring in DuckDB: one query from the Parquet files to the file of predictions, whatever the number of rows.

The columns are first brought into a form of which the exported SQL decides as the library does: texts without any white
space around them, truth values as the texts `True` and `False`, decimals as doubles. A row that the library would
refuse ends the query, and the library itself says why. Where rounding could decide, the library is asked, too.
"""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from crystalogic.cells import level_number
from crystalogic.document import file_to_replace
from crystalogic.encoding.encoding import Column
from crystalogic.errors import DocumentError, TableError
from crystalogic.export.columns import sql_columns
from crystalogic.export.dialects import dialect_named
from crystalogic.export.program import HALF, WHITESPACE, Input, program
from crystalogic.export.quoting import LARGEST_INTEGER, exact_labels, free_names, quote_name, quote_text
from crystalogic.export.sql import to_sql
from crystalogic.model import BLOCK, Model, Unknown
from crystalogic.scoring.parquet import INTEGERS, MIXED, ParquetTable, open_parquet

MEMORY = "4GB"  # rows stream through: what a scan holds at a time is far less
MOST_SUSPECTS = 1000  # different values of a column that are looked at for new ones
_UNDECIDED = "crystalogic: a row without a decision"
_EXACTLY = "crystalogic_exactly"  # what the library decides of a row, where that is not what DuckDB decides
_DUCKDB = dialect_named("duckdb")


@dataclass(frozen=True)
class Scored:
    """What is worth a word after scoring."""

    suspects: dict[str, list[Any]]  # values by column among which are all that are new
    n_skipped: int = 0  # rows without a prediction
    first_skipped: int = 0  # the number of the first of them
    gaps: dict[str, int] | None = None  # how many numbers are missing that never were in training, by column


@dataclass(frozen=True)
class Layout:
    """What the file of predictions looks like: its format, the names of its columns, the texts of its classes."""

    format: str  # "csv", "json" or "parquet"
    header: tuple[str, ...]  # row, decision, and the degrees if there are classes; cells of CSV as they are written
    labels: tuple[str, ...] = ()  # as texts of the format; Parquet holds classes as what they are


def score(
    model: Model,
    table: str,
    output: Path,
    layout: Layout,
    progress: Callable[[float], None] = lambda percent: None,
    unknown: Unknown = "refuse",
) -> Scored:
    """Write row, decision and degrees of every row; gives what is worth a word about the rows.

    `table` is a Parquet file, a folder of them or a pattern. The output is there completely or not at all. `unknown` is
    that of `Model.degrees`.
    """
    try:
        import duckdb
    except ImportError:
        message = f"{table}: scoring in DuckDB needs it; install it with: pip install 'crystalogic[duckdb]'"
        raise TableError(message) from None
    with file_to_replace(output) as result, duckdb.connect() as connection:
        folder = str(result.parent)
        try:
            _set_up(connection, folder)
            scoring = _Scoring(model, open_parquet(connection, table, model.columns), unknown)
            if model.classes is not None and model.rounding:
                scoring.ask_where_close(connection, progress)
            _run(connection, scoring.copy(result, layout), progress)
            return scoring.look_back(connection)
        except duckdb.Error as error:
            said = " ".join(str(error).split())
            if _UNDECIDED in said:
                scoring.refuse(connection)
            if folder in said:
                message = f"{output}: cannot be written ({said[:200]}). Choose another folder, or free some space."
                raise DocumentError(message) from None
            message = f"{table}: DuckDB cannot read it ({said[:200]})."
            raise TableError(message) from None


def _set_up(connection: Any, folder: str) -> None:
    settings = {
        "memory_limit": quote_text(MEMORY, _DUCKDB),
        "temp_directory": quote_text(folder, _DUCKDB),  # beside the output, not where somebody happens to stand
        "autoinstall_known_extensions": "false",
        "disabled_optimizers": "'filter_pushdown'",  # NaN is left out of the statistics that filters are checked by
        "enable_progress_bar": "true",
        "enable_progress_bar_print": "false",
    }
    for name, value in settings.items():
        connection.execute(f"SET {name} = {value}")


def _run(connection: Any, query: str, progress: Callable[[float], None]) -> None:
    """The query in a thread, so that a signal is noticed at once and ends it."""
    failures: list[Exception] = []
    done = threading.Event()  # a thread that was joined when the signal came would pass for ended

    def work() -> None:
        try:
            connection.execute(query)
        except Exception as error:
            failures.append(error)
        finally:
            done.set()

    threading.Thread(target=work).start()
    try:
        while not done.wait(0.1):
            progress(max(0.0, connection.query_progress()))
    finally:
        while not done.is_set():
            connection.interrupt()
            done.wait(0.1)
    if failures:
        raise failures[0]


class _Scoring:
    """The queries that score one table by one model."""

    def __init__(self, model: Model, table: ParquetTable, unknown: Unknown) -> None:
        self.model, self.table, self.unknown = model, table, unknown
        (self._row,) = free_names(["crystalogic row"], model.columns)
        # decided by its place, a class can be written in every format as it is there
        places = None if model.classes is None else tuple(range(len(model.classes)))
        encoding = model.encoding.tolerant if unknown == "false" else model.encoding
        self._program = program(replace(model, classes=places, encoding=encoding, risk=None, band=None))
        self._decided = "decision"
        inputs = self._program.inputs
        read = {each.column: _reading(each, table.types[each.column]) for each in inputs}
        self._columns = sql_columns(inputs, {name: kind for name, (kind, _) in read.items()}, _DUCKDB)
        columns = "".join(f"{text} AS {quote_name(name, _DUCKDB)}, " for name, (_, text) in read.items())
        number = f"{table.row} AS {quote_name(self._row, _DUCKDB)}"
        self._source = f"WITH {_ROWS} AS (SELECT {columns}{number} FROM {table.relation})"

    def copy(self, result: Path, layout: Layout) -> str:
        """The query that writes all rows, in their order."""
        is_decided = "CASE WHEN decision IS NOT NULL THEN {} END" if self.unknown == "skip" else "{}"
        places = range(1, len(layout.header) - 1)
        degrees = [is_decided.format(f"CAST(d{index} AS DOUBLE)") for index in places]
        columns = ["number", self._decision(layout), *degrees]
        named = ", ".join(
            f"{text} AS {quote_name(name, _DUCKDB)}" for text, name in zip(columns, layout.header, strict=True)
        )
        raw = "FORMAT csv, HEADER true, QUOTE '', ESCAPE ''"  # cells come quoted, as Python would write them
        form = {"csv": raw, "json": "FORMAT json, ARRAY true", "parquet": "FORMAT parquet"}
        target = quote_text(str(result), _DUCKDB)
        return f"COPY (SELECT {named} FROM {self._scored}) TO {target} ({form[layout.format]})"

    @property
    def _scored(self) -> str:
        """The relation of decision, degrees and number of every row."""
        types = {name: each.kind for name, each in self._columns.items()}
        query = to_sql(self._program.model, table=[_ROWS], keep=[self._row], dialect="duckdb", types=types)
        n_degrees = 0 if self.model.classes is None else len(self.model.formulas)
        names = ["decision", *(f"d{index}" for index in range(1, n_degrees + 1)), "number"]
        return f"({self._source}\nSELECT * FROM (\n{query})) AS t({', '.join(names)})"

    def _decision(self, layout: Layout) -> str:
        failed = "NULL" if self.unknown == "skip" else f"error({quote_text(_UNDECIDED, _DUCKDB)})"
        if self.model.classes is None:
            return f"CASE WHEN decision IS NULL THEN {failed} ELSE CAST(decision AS DOUBLE) END"
        if layout.format == "parquet":
            classes = exact_labels(self.model.classes, LARGEST_INTEGER)
            labels = [_plain(label, classes) for label in classes]
        else:
            kind = "JSON" if layout.format == "json" else "VARCHAR"
            labels = [f"CAST({quote_text(text, _DUCKDB)} AS {kind})" for text in layout.labels]
        cases = " ".join(f"WHEN {place} THEN {label}" for place, label in enumerate(labels))
        return f"CASE {self._decided} {cases} ELSE {failed} END"

    @property
    def _is_close(self) -> str:
        """That a row is as close to another decision as rounding can take it."""
        degrees = [f"CAST(d{index} AS DOUBLE)" for index in range(1, len(self.model.formulas) + 1)]
        ranked = f"list_sort([{', '.join(degrees)}], 'DESC')"
        margin = f"abs({degrees[0]} - {HALF})" if len(degrees) == 1 else f"{ranked}[1] - {ranked}[2]"
        return f"{margin} <= {self.model.closest!r}"

    @property
    def _cells(self) -> str:
        """The query of the cells as they are in the files, each row with its number."""
        columns = ", ".join(quote_name(name, _DUCKDB) for name in self.model.columns)
        return f"SELECT {self.table.row} AS {quote_name(self._row, _DUCKDB)}, {columns} FROM {self.table.relation}"

    def ask_where_close(self, connection: Any, progress: Callable[[float], None]) -> None:
        """Lets the library decide the rows on which floats could be wrong; those that it decides otherwise are few."""
        close = f"SELECT number, decision FROM {self._scored} WHERE decision IS NOT NULL AND {self._is_close}"
        joined = f"({close}) AS c JOIN ({self._cells}) AS n ON n.{quote_name(self._row, _DUCKDB)} = c.number"
        names = ", ".join(
            f"c{place}" for place in range(len(self.model.columns) + 2)
        )  # no name twice, whatever columns
        rows = f"SELECT * FROM (SELECT c.decision, n.* FROM {joined}) AS t({names})"
        _run(connection, f"CREATE TEMP TABLE crystalogic_close AS {rows}", progress)
        found = connection.execute("FROM crystalogic_close")
        otherwise: dict[int, int] = {}
        while block := found.fetchmany(BLOCK):
            decisions, numbers, *cells = zip(*block, strict=True)
            table = dict(zip(self.model.columns, map(list, cells), strict=True))
            decided = self.model.class_index(table, self.model.degrees(table, unknown="false")).tolist()
            triples = zip(numbers, decided, decisions, strict=True)
            otherwise |= {number: place for number, place, decision in triples if place != decision}
        if otherwise:
            connection.create_function(_EXACTLY, otherwise.get, ["BIGINT", "INTEGER"], "INTEGER")
            self._decided = (
                f"CASE WHEN {self._is_close} THEN {_EXACTLY}(number, CAST(decision AS INTEGER)) ELSE decision END"
            )

    def refuse(self, connection: Any) -> None:
        """Lets the library say what is wrong with the first row that gets no decision."""
        (number,) = connection.execute(f"SELECT min(number) FROM {self._scored} WHERE decision IS NULL").fetchone()
        row = quote_name(self._row, _DUCKDB)
        _, *values = connection.execute(f"SELECT * FROM ({self._cells}) WHERE {row} = {number}").fetchone()
        self._refuse_row(number, dict(zip(self.model.columns, values, strict=True)))

    def _refuse_row(self, number: int, cells: dict[str, Any]) -> NoReturn:
        unknown: Unknown = "false" if self.unknown == "false" else "refuse"
        self.model.degrees({name: [value] for name, value in cells.items()}, first_row=number, unknown=unknown)
        message = (
            f"{self.table.name}: row {number}: DuckDB finds no number where one is written in an unusual way "
            f"({cells!r}). Use --engine python."
        )
        raise TableError(message)

    def look_back(self, connection: Any) -> Scored:
        """What is worth a word about the rows that were scored."""
        suspects = self._suspects(connection)
        if self.unknown == "false":
            return Scored(suspects, gaps=self._count_gaps(connection))
        return Scored(suspects, *self._find_skipped(connection)) if self.unknown == "skip" else Scored(suspects)

    def _find_skipped(self, connection: Any) -> tuple[int, int]:
        """How many rows have no decision, and the first; the library says of each that it would refuse it, too."""
        row = quote_name(self._row, _DUCKDB)
        skipped = f"SELECT number AS crystalogic_number FROM {self._scored} WHERE decision IS NULL"
        joined = f"({self._cells}) AS n JOIN ({skipped}) AS s ON n.{row} = s.crystalogic_number"
        found = connection.execute(f"SELECT n.* FROM {joined} ORDER BY n.{row}")
        n_skipped, first = 0, 0
        while block := found.fetchmany(BLOCK):
            numbers, *cells = zip(*block, strict=True)
            table = dict(zip(self.model.columns, map(list, cells), strict=True))
            judged = ~self.model.encoding.find_refused(table, self.model.names)
            if judged.any():
                place = int(judged.argmax())
                self._refuse_row(numbers[place], {name: values[place] for name, values in table.items()})
            first = first if n_skipped else numbers[0]
            n_skipped += len(block)
        return n_skipped, first

    def _count_gaps(self, connection: Any) -> dict[str, int]:
        """How many values are missing in columns that had none missing in training."""
        counts = {}
        for name in (name for name in self.model.columns if name not in self.model.encoding.gaps):
            is_missing = self._columns[name].missing(self._columns[name].text)
            query = f"{self._source}\nSELECT count(*) FROM {_ROWS} WHERE {is_missing}"
            (counts[name],) = connection.execute(query).fetchone()
        return {name: count for name, count in counts.items() if count}

    def _suspects(self, connection: Any) -> dict[str, list[Any]]:
        """Of each column the first number out of range, and the different cells that are no known value, gaps too."""
        found: dict[str, list[Any]] = {}
        for column in (self.model.encoding.by_name[name] for name in self.model.columns):
            queries = [] if column.range is None else [self._out_of_range(column.name, *column.range)]
            queries += [self._unknown(column)] if column.known else []
            cells = [cell for query in queries for (cell,) in connection.execute(query).fetchall()]
            if queries:
                found[column.name] = cells
        return found

    def _out_of_range(self, column: str, low: float, high: float) -> str:
        number = self._columns[column].number(self._columns[column].text)
        numbers = f"SELECT {number} AS number, {quote_name(self._row, _DUCKDB)} AS row FROM {_ROWS}"
        is_out = f"NOT number BETWEEN {low!r}::DOUBLE AND {high!r}::DOUBLE"
        return f"{self._source}\nSELECT number FROM ({numbers}) WHERE {is_out} ORDER BY row LIMIT 1"

    def _unknown(self, column: Column) -> str:
        name = quote_name(column.name, _DUCKDB)
        known = _same_values(column.known, self.table.types[column.name])
        condition = f"{name} NOT IN ({', '.join(known)})" if known else f"{name} IS NOT NULL"
        condition += "" if column.has_missing else f" OR {name} IS NULL"
        return f"SELECT DISTINCT {name} FROM {self.table.relation} WHERE {condition} LIMIT {MOST_SUSPECTS}"


_ROWS = "crystalogic_rows"


def _reading(each: Input, kind: str) -> tuple[str, str]:
    """The type that the exported SQL is told, and the column in that form."""
    column = quote_name(each.column, _DUCKDB)
    if kind in INTEGERS:
        return "integer", column
    if kind == "DOUBLE" or (kind == MIXED and not each.has_large):
        return "number", column
    if kind == "FLOAT":
        return "number", f"CAST({column} AS DOUBLE)"
    if kind.startswith("DECIMAL"):  # by its digits, rounded once
        digits = f"regexp_replace(CAST({column} AS VARCHAR), '\\.0*$', '')"
        return ("text", digits) if each.has_large else ("number", f"CAST({digits} AS DOUBLE)")
    if kind == "BOOLEAN" and not each.is_number:
        return "text", f"CASE {column} WHEN TRUE THEN 'True' WHEN FALSE THEN 'False' END"
    if kind == "VARCHAR":
        return "text", f"TRIM({column}, {quote_text(WHITESPACE, _DUCKDB)})"
    message = (
        f"{each.column!r} is of the type {kind}, which DuckDB and the library may compare differently here. "
        "Write it as a number or a text, or use --engine python."
    )
    raise TableError(message)


def _plain(label: Any, labels: Sequence[Any]) -> str:
    """A class as Parquet holds it: truth values, whole numbers and numbers as such, if all are, or else texts."""
    if all(isinstance(each, bool) for each in labels):
        return "TRUE" if label else "FALSE"
    if all(type(each) is int for each in labels):
        return f"CAST({label} AS BIGINT)"
    if all(type(each) in (int, float) and math.isfinite(each) for each in labels):
        return f"CAST({float(label)!r} AS DOUBLE)"
    return quote_text(str(label), _DUCKDB)


def _same_values(known: Sequence[str], kind: str) -> list[str]:
    """Known values as the column would hold them; what is left out here is looked at once more."""
    if kind == "VARCHAR":
        return [quote_text(text, _DUCKDB) for text in known]
    numbers = [number for number in map(level_number, known) if number is not None]
    if kind in INTEGERS:
        return [str(number) for number in numbers if isinstance(number, int)]
    return [f"{float(number)!r}::DOUBLE" for number in numbers if float(number) == number] if kind == "DOUBLE" else []
