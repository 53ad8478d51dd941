"""The command that writes a model for where the data are."""

from pathlib import Path
from typing import Annotated

import typer

from crystalogic.cli.options import column_type, each_once
from crystalogic.cli.output import write
from crystalogic.errors import ExportError
from crystalogic.model import load

TARGETS = "sql, python, c, javascript, onnx, latex or markdown"


def export(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file written by `crystalogic fit`.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help=f"{TARGETS}.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write.")] = None,
    table: Annotated[
        str | None, typer.Option(help="SQL: a query over this table (NAME or SCHEMA.NAME); without it an expression.")
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="SQL: a column of the table to keep; without it, all.")
    ] = None,
    dialect: Annotated[str | None, typer.Option(help="SQL: standard, sqlite, duckdb, postgresql or spark.")] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--type", metavar="COLUMN=TYPE", help="SQL: integer, number, text or boolean, which saves casts; else any."
        ),
    ] = None,
    view: Annotated[str | None, typer.Option(help="SQL: make the query a view of this name.")] = None,
    name: Annotated[str | None, typer.Option(help="Python, C, JavaScript: what the function is called.")] = None,
) -> None:
    """Write a model as SQL, Python, C, JavaScript, ONNX, LaTeX or a Markdown checklist."""
    from crystalogic.document import write_bytes_atomically
    from crystalogic.export import to

    rule = load(model)
    types = each_once("--type", map(column_type, kind)) if kind else None
    known = [column.name for column in rule.encoding.columns]
    for column in types or ():
        if column not in known:
            message = f"there is no column {column!r} to give a type; the model knows {', '.join(known)}."
            raise ExportError(message)
    given = {"table": table, "keep": keep or None, "dialect": dialect, "types": types, "view": view, "name": name}
    written = to(rule, target, **{key: value for key, value in given.items() if value is not None})
    if output is not None:
        write_bytes_atomically(output, [written if isinstance(written, bytes) else written.encode("utf-8", "replace")])
    elif isinstance(written, str):
        write(None, [written])
    else:
        message = f"{target} is not text; say where to write it with --output."
        raise typer.BadParameter(message)
