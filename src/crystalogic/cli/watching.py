"""The command that sets a new table beside what a model was learned from."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.opening import open_for
from crystalogic.cli.options import Decimal, DecimalMark, Encoding, Json, ModelArgument, TableArgument
from crystalogic.cli.output import check_output, show, show_json, write
from crystalogic.model import Model, load

MOST_ROWS = 1_000_000  # of a table that are looked at; of a longer one a half, a quarter, …, drawn at random


def watch(
    model: ModelArgument,
    table: TableArgument,
    reference: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="What to compare with; by default the training rows, as counted."),
    ] = None,
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a page with pictures, as HTML.")] = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Say what changed in a new table before it is scored: exit code 0 for nothing, 1 for something to look at."""
    from crystalogic.watching import watch as compare
    from crystalogic.watching.page import watch_page

    rule, file = load(model), None if page is None else check_output(page)
    given = None if reference is None else _read(rule, reference, encoding, decimal)
    found = compare(rule, _read(rule, table, encoding, decimal), given)
    if file is not None:
        write(file, [watch_page(rule, found, Path(table).name, datetime.now(UTC).strftime("%Y-%m-%d"))])
    if as_json:
        show_json({"model": model, "table": table, **found.content()})
    else:
        show(f"{model} on {table}{f', beside {reference}' if reference else ''}: {found}")
        if file is not None:
            show(f"\nWritten to {file}. Open it in a browser; it needs no network.")
    if found.findings:
        raise typer.Exit(1)


def _read(rule: Model, table: str, encoding: str | None, decimal: DecimalMark | None) -> Any:
    """The columns of a table that are compared; all of them, if one that the rule reads is not there."""
    import pandas as pd

    source = open_for(rule, table, encoding, decimal)
    known = {*rule.columns, rule.target, *(column.name for column in rule.encoding.columns if column.literals)}
    needed = [name for name in source.columns if name in known or not {*rule.columns} <= {*source.columns}]
    parts: list[Any] = []
    n_rows, step = 0, 1
    for part in source.parts(columns=needed):
        parts.append(part if step == 1 else part.sample(frac=1 / step, random_state=0))
        n_rows += len(part)
        if sum(map(len, parts)) > MOST_ROWS:
            parts, step = [pd.concat(parts).sample(frac=0.5, random_state=0)], 2 * step
    if step > 1:
        show(f"note: of the {n_rows:,} rows of {table}, one in {step} was looked at.", to_errors=True)
    return pd.concat(parts, ignore_index=True) if parts else source.read()
