"""The command that sets a new table beside what a model was learned from."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.opening import open_for
from crystalogic.cli.options import Decimal, DecimalMark, Encoding, Json, ModelArgument, TableArgument
from crystalogic.cli.output import check_output, show, show_json, write
from crystalogic.files import TableFile
from crystalogic.model import Model, load

MOST_ROWS = 1_000_000  # of a table that are looked at; of a longer one every second, every fourth, …


def watch(
    model: ModelArgument,
    table: TableArgument,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="What to compare with; by default the rows that the model was learned from."
        ),
    ] = None,
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a page with pictures, as HTML.")] = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Say what changed in a new table before it is scored: exit code 0 for nothing, 1 for something to look at."""
    from crystalogic.watching import watch as compare

    rule, file = load(model), None if page is None else check_output(page)
    if page is not None and file is None and as_json:
        message = "--json prints the findings; give the page a file with --page."
        raise typer.BadParameter(message)
    given = None if reference is None else _read(rule, reference, encoding, decimal)
    found = compare(rule, _read(rule, table, encoding, decimal), given)
    if page is not None:
        from crystalogic.watching.page import watch_page

        write(file, [watch_page(rule, found, Path(table).name, datetime.now(UTC).strftime("%Y-%m-%d"))])
    if as_json:
        show_json({"model": model, "table": table, **found.content()})
    elif page is None or file is not None:
        beside = "" if reference is None else f", beside {reference}"
        show(f"{model} on {table}{beside}: {found}")
        if file is not None:
            show(f"\nWritten to {file}. Open it in a browser; it needs no network.")
    if found.findings:
        raise typer.Exit(1)


def _read(rule: Model, table: str, encoding: str | None, decimal: DecimalMark | None) -> Any:
    """The columns of a table that are compared; all of them, if one that the rule reads is not there."""
    source = open_for(rule, table, encoding, decimal)
    known = {*rule.columns, rule.target, *(column.name for column in rule.encoding.columns if column.literals)}
    is_whole = set(rule.columns) <= set(source.columns)
    return _thin(source, [name for name in source.columns if name in known or not is_whole])


def _thin(source: TableFile, columns: Iterable[str]) -> Any:
    """The rows of a table; of a long one every so many, so that memory is bounded."""
    import pandas as pd

    kept: list[Any] = []
    step, n_rows, n_kept = 1, 0, 0
    for part in source.parts(columns=list(columns)):
        kept.append(part.iloc[-n_rows % step :: step])
        n_rows, n_kept = n_rows + len(part), n_kept + len(kept[-1])
        if n_kept > MOST_ROWS:
            kept, step = [pd.concat(kept).iloc[::2]], 2 * step
            n_kept = len(kept[0])
    if step > 1:
        show(f"note: of the {n_rows:,} rows of {source.path}, one in {step} was looked at.", to_errors=True)
    return pd.concat(kept, ignore_index=True) if kept else source.read()
