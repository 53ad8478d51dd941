"""Predictions for tables in files of every kind and in memory, row by row."""

import gzip
import math
from pathlib import Path
from typing import Any

from crystalogic.errors import CrystalogicError
from oracle.case import Case
from oracle.commands import command
from oracle.draws import Drawn, Table, draw_model, draw_table, draw_ties
from oracle.engines import NO_DECISION, by_duckdb
from oracle.files import write_csv, write_folder, write_lines, write_parquet
from oracle.judge import expected_rows, judge_command, judge_decision, judge_degrees
from oracle.written import mark_of, with_points

FORMS = ("csv", "lines", "parquet", "parquet", "parquet", "csv folder", "parquet folder", "memory")


def attack(case: Case) -> None:
    """A model and a table, predicted in every way that the table allows."""
    if case.draw.random() < 0.15:
        ties(case)
        return
    if case.draw.random() < 0.15:
        gaps(case)
        return
    drawn = draw_model(case.draw, case.folder, graded=case.draw.random() < 0.6)
    form = case.draw.choice(FORMS)
    may_mix = form in ("csv", "lines", "memory")
    table = draw_table(drawn, case.draw, mixed=may_mix)
    if form == "memory":
        in_memory(case, drawn, table)
        return
    if may_mix or form == "csv folder":
        write = write_lines if form == "lines" else write_csv
        ending = ".jsonl" if form == "lines" else ".csv"
        if form == "csv folder":
            by_command(case, drawn, *_folder(case, _as_texts(table), write_plain_csv, ending), form)
        else:
            path = case.path(f"table{ending}")
            by_command(case, drawn, write(table, path, case.draw), str(path), form)
        return
    with_strangers(case, table)
    if form == "parquet":
        path = case.path("table.parquet")
        how = write_parquet(table, path, case.draw)
        place = str(path)
    else:
        table, place = _folder(case, table, write_parquet, ".parquet")
        how = "folder"
    by_command(case, drawn, table, place, f"parquet ({how})")


def gaps(case: Case) -> None:
    """Columns of doubles in Parquet with NaN, which statistics leave out: `predict`, and SQL over a view."""
    drawn = draw_model(
        case.draw, case.folder, kinds=("number", "number", "code"), graded=False, depth=case.draw.randint(0, 1)
    )
    table = draw_table(drawn, case.draw, mixed=False, refusals=0.2, storage="float")
    for name, cells in table.cells.items():
        if drawn.rule.columns[name].has_missing:
            table.cells[name] = [math.nan if case.draw.random() < 0.2 else cell for cell in cells]
    path = case.path("gaps.parquet")
    how = write_parquet(table, path, case.draw, ("polars", "polars", "pyarrow", "pyarrow", "pandas", "duckdb"))
    by_command(case, drawn, table, str(path), f"NaN ({how})")
    for place, (answer, each) in enumerate(
        zip(by_duckdb(drawn, table, case.folder, case.draw), expected_rows(drawn.rule, table), strict=True)
    ):
        what = f"SQL over Parquet: row {place} {table.row(place)}: {drawn.model}"
        if answer is not None and each.degrees is not None:
            judge_decision(case, answer[0], each, what, exactly=False)
        elif answer is not None:
            case.same(answer[0], NO_DECISION, f"{what}: must have no decision")


def ties(case: Case) -> None:
    """Rows at which degrees are equal, decided exactly in memory and from files."""
    drawn, table = draw_ties(case.draw, case.folder)
    in_memory(case, drawn, table)
    if case.draw.random() < 0.5:
        path = case.path("ties.parquet")
        write_parquet(table, path, case.draw)
        by_command(case, drawn, table, str(path), "ties")


def _folder(case: Case, table: Table, write: Any, ending: str) -> tuple[Table, str]:
    folder = case.path("rows")
    ordered = write_folder(table, folder, case.draw, write, ending)
    if ending == ".csv":  # all files are one table, which tells how numbers are written
        mark = mark_of((cell for cells in ordered.cells.values() for cell in cells), ",")
        read = {name: [with_points(cell, mark) for cell in cells] for name, cells in ordered.cells.items()}
        ordered = Table(read, ordered.storage)
    return ordered, str(folder) if case.draw.random() < 0.5 or ending == ".csv" else str(folder / f"*{ending}")


def by_command(case: Case, drawn: Drawn, table: Table, place: str, what: str) -> None:
    """`predict`, as CSV or JSON."""
    if place.endswith("*.parquet") and list(Path(place).parent.glob("*.pq")):
        return  # a pattern leaves out what ends in .pq
    as_json = case.draw.random() < 0.4
    if place.endswith((".csv", ".jsonl")) and case.draw.random() < 0.15:
        packed = gzip.compress(Path(place).read_bytes())
        place += ".gz"
        Path(place).write_bytes(packed)
    unknown = case.draw.choice(("refuse", "refuse", "skip", "false"))
    asked = [*(["--json"] if as_json else []), *([] if unknown == "refuse" else ["--unknown", unknown])]
    said = command("predict", str(drawn.path), place, *asked)
    judge_command(case, said, drawn.rule, table, f"{what}, {unknown}", as_json=as_json, unknown=unknown)


def with_strangers(case: Case, table: Table) -> None:
    """Columns that no rule reads, called like those that databases have of their own."""
    for name in ("file_row_number", "filename", "file_index", "row", "rowid"):
        if name not in table.cells and case.draw.random() < 0.25:
            table.cells[name] = [case.draw.randint(50, 90) for _ in range(table.n_rows)]
            table.storage[name] = "int"


def _as_texts(table: Table) -> Table:
    return Table(
        {name: ["" if cell is None else str(cell) for cell in cells] for name, cells in table.cells.items()},
        dict.fromkeys(table.cells, "text"),
    )


def write_plain_csv(table: Table, path: Any, draw: Any) -> None:
    """A file of a folder: a number of the row first, so that no row is empty, and no decimals to tell apart."""
    numbered = Table({"the number": [str(i) for i in range(table.n_rows)], **table.cells}, table.storage)
    write_csv(numbered, path, draw, ",")


def in_memory(case: Case, drawn: Drawn, table: Table) -> None:
    """`Model.predict` and `Model.degrees` of mappings and frames."""
    wanted = expected_rows(drawn.rule, table)
    for how, rows in (("mapping", table.cells), *frames(table)):
        skipped = [each is None or each != each for each in drawn.model.predict(rows, unknown="skip").tolist()]
        case.same(skipped, [each.degrees is None for each in wanted], f"{how}: rows that are skipped")
        try:
            decisions, degrees = drawn.model.predict(rows), drawn.model.degrees(rows)
        except CrystalogicError as error:
            case.expect(any(each.degrees is None for each in wanted), f"{how}: {error}")
            continue
        if not case.expect(all(each.degrees is not None for each in wanted), f"{how}: nothing is refused"):
            continue
        for place, each in enumerate(wanted):
            what = f"{how}: row {place} {table.row(place)}"
            judge_decision(case, decisions[place], each, what, exactly=True)
            judge_degrees(case, degrees[place], each, what)


def frames(table: Table) -> list[tuple[str, Any]]:
    """The table as frames of pandas and polars, columns of mixed cells as objects."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, cells in table.cells.items():
        kind = table.storage[name]
        if kind == "float":
            columns[name] = pd.Series([math.nan if cell is None else cell for cell in cells], dtype="float64")
        else:
            dtype: Any = {"int": "Int64" if None in cells else "int64", "bool": "boolean"}.get(kind, object)
            columns[name] = pd.Series(cells, dtype=dtype)
    found: list[tuple[str, Any]] = [("pandas", pd.DataFrame(columns))]
    if "mixed" not in table.storage.values():
        import polars as pl

        kinds: dict[str, Any] = {"text": pl.String, "float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean}
        series = [pl.Series(name, cells, dtype=kinds[table.storage[name]]) for name, cells in table.cells.items()]
        found.append(("polars", pl.DataFrame(series)))
    return found
