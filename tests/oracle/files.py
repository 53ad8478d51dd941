"""Tables in files of many kinds, written by several libraries; what each file holds is given back as cells."""

import csv
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal

from oracle.draws import Table
from oracle.written import read_table

DELIMITERS = (",", ";", "\t", "|")
WRITERS = ("duckdb", "pandas", "polars", "pyarrow")


def write_csv(table: Table, path: Path, draw: Random, delimiter: str | None = None) -> Table:
    """The table as text with a delimiter; gives what an independent reader finds there."""
    mark = delimiter or draw.choice(DELIMITERS)
    names = list(table.cells)
    rows = [[_as_text(cell) for cell in table.row(place).values()] for place in range(table.n_rows)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=mark, quoting=draw_quoting(rows, draw), lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
    header, rows = read_table(path, mark)
    assert header == [name.strip() for name in names]
    return Table({name: [row[i] for row in rows] for i, name in enumerate(header)}, dict.fromkeys(header, "text"))


def draw_quoting(rows: Sequence[Sequence[str]], draw: Random) -> Literal[0, 1]:
    """Which cells stand in quotes; not all where a row is empty, of which nobody says whether it is one then."""
    has_empty = any(not any(cell.strip() for cell in row) for row in rows)
    return csv.QUOTE_MINIMAL if has_empty or draw.random() < 0.5 else csv.QUOTE_ALL


def _as_text(cell: Any) -> str:
    return "" if cell is None else cell if isinstance(cell, str) else repr(cell)


def write_lines(table: Table, path: Path, draw: Random) -> Table:
    """The table as JSON lines."""
    leaves_out = draw.random() < 0.3
    with path.open("w", encoding="utf-8") as file:
        for place in range(table.n_rows):
            row = table.row(place)
            kept = {name: cell for name, cell in row.items() if not (leaves_out and place and cell is None)}
            file.write(json.dumps(kept, ensure_ascii=draw.random() < 0.5) + "\n")
    return table


def write_parquet(table: Table, path: Path, draw: Random, by: Sequence[str] = WRITERS) -> str:
    """The table as Parquet, by one of four libraries, with or without statistics; gives how it was written."""
    writers = {"pyarrow": _by_pyarrow, "polars": _by_polars, "pandas": _by_pandas, "duckdb": _by_duckdb}
    name = draw.choice(by)
    return f"{name} {writers[name](table, path, draw)}"


def _arrow(table: Table, draw: Random) -> Any:
    import pyarrow as pa

    def column(name: str) -> Any:
        cells, kind = table.cells[name], table.storage[name]
        if kind == "text":
            texts = pa.array(cells, draw.choice([pa.string(), pa.string(), pa.large_string()]))
            return texts.dictionary_encode() if draw.random() < 0.2 else texts
        if kind == "float":
            return pa.array(cells, pa.float64(), from_pandas=False)
        if kind == "int" and all(cell is None or abs(cell) < 2**31 for cell in cells) and draw.random() < 0.3:
            return pa.array(cells, pa.int32())
        return pa.array(cells, {"int": pa.int64(), "bool": pa.bool_()}[kind])

    return pa.table([column(name) for name in table.cells], names=list(table.cells))


def _by_pyarrow(table: Table, path: Path, draw: Random) -> str:
    import pyarrow.parquet as pq

    statistics = draw.random() < 0.6
    pq.write_table(_arrow(table, draw), path, write_statistics=statistics, row_group_size=draw.choice([3, 1000]))
    return f"statistics={statistics}"


def _by_polars(table: Table, path: Path, draw: Random) -> str:
    import polars as pl

    kinds: dict[str, Any] = {"text": pl.String, "float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean}
    frame = pl.DataFrame(
        {name: pl.Series(name, cells, dtype=kinds[table.storage[name]]) for name, cells in table.cells.items()}
    )
    statistics = draw.random() < 0.6
    frame.write_parquet(path, statistics=statistics)
    return f"statistics={statistics}"


def _by_pandas(table: Table, path: Path, draw: Random) -> str:
    import pandas as pd

    kinds: dict[str, Any] = {"text": object, "int": "Int64", "bool": "boolean", "float": "float64"}
    columns = {
        name: pd.Series([math.nan if cell is None and table.storage[name] == "float" else cell for cell in cells],
                        dtype=kinds[table.storage[name]])
        for name, cells in table.cells.items()
    }  # fmt: skip
    pd.DataFrame(columns).to_parquet(path, index=draw.random() < 0.2)
    return ""


def _by_duckdb(table: Table, path: Path, draw: Random) -> str:
    from export_engines import empty_duckdb

    with empty_duckdb() as connection:
        connection.register("frame", _arrow(table, draw))
        connection.execute(f"COPY (SELECT * FROM frame) TO '{path}' (FORMAT parquet)")
        connection.unregister("frame")
    return ""


Writer = Callable[[Table, Path, Random], Any]


def write_folder(table: Table, folder: Path, draw: Random, write: Writer, ending: str) -> Table:
    """The table in several files of a folder, whose order is by number, beside what is no part of it."""
    folder.mkdir()
    numbers = sorted(draw.sample([1, 2, 3, 9, 10, 11, 20, 100], min(table.n_rows, draw.randint(1, 4))))
    stem = draw.choice(["part-", "", "rows 2024-", "a"])
    borders = sorted(draw.choices(range(table.n_rows + 1), k=len(numbers) - 1))
    ends = [0, *borders, table.n_rows]
    order: list[int] = []
    for number, start, stop in zip(numbers, ends, ends[1:], strict=False):
        here = list(range(start, stop))
        if here:
            write(table.take(here), folder / f"{stem}{number}{_varied(ending, draw)}", draw)
            order += here
    if draw.random() < 0.5:
        (folder / "sub").mkdir()
        write(table.take([0]), folder / "sub" / f"more{ending}", draw)
    if draw.random() < 0.5:
        write(table.take([0]), folder / f".hidden{ending}", draw)
    (folder / "notes.txt").write_text("not a table\n")
    return table.take(order)


def _varied(ending: str, draw: Random) -> str:
    return ".pq" if ending == ".parquet" and draw.random() < 0.2 else ending
