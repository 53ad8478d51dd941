"""Commands that write a model for others: report, a page for people, and export, for where the data are."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli import options
from crystalogic.cli.options import Decimal, Encoding, Json, ModelArgument, cell, column_type, each_once
from crystalogic.cli.output import check_output, show, show_json, write
from crystalogic.cli.row import open_for
from crystalogic.errors import EncodingError, ExportError, TableError
from crystalogic.files import TableFile
from crystalogic.model import Model, load

TARGETS = "sql, python, c, javascript, onnx, latex, markdown or card"
Units = Annotated[
    list[str] | None, typer.Option("--unit", metavar="COLUMN=UNIT", help="A unit to show with values: chol=mg/dl")
]


def report(
    model: ModelArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="Rows to test it on; use rows that it has not seen.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page.")] = Path("report.html"),
    choose: Annotated[
        bool, typer.Option("--choose", help="Also write choose.html beside it, to choose another rule on, and link it.")
    ] = False,
    unit: Units = None,
    by: options.By = None,
    seconds: Annotated[
        float, typer.Option("--time", min=0, help="Seconds for each proof; 0 leaves the proofs out.")
    ] = 5.0,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Write a report page: the rule, a calculator, how good it is, what is proved. One file that needs no network."""
    rule = load(model)
    file = check_output(output)
    if file is None and as_json:
        message = "--json says where the page is; give it a file with --output."
        raise typer.BadParameter(message)
    chooser = check_output(file.with_name("choose.html")) if choose and file is not None else None
    if choose and (file is None or file == chooser):
        message = "--choose writes choose.html beside the report; give the report another file with --output."
        raise typer.BadParameter(message)
    options.refuse(by and table is None, "--by is for the columns of a table; name the table, too.")
    source = None if table is None else open_for(rule, table, encoding, decimal)
    evidence = None if source is None else labelled_table(rule, source)
    names = [] if source is None else options.names_of(by, source)
    units = each_once("--unit", map(cell, unit or []))
    refuse_unknown_units(units, (column.name for column in rule.encoding.columns))
    if chooser is not None:
        from crystalogic.cli.choosing import chooser_of

        known = None if evidence is None or evidence.labels is None else evidence
        write(chooser, [chooser_of(rule, model, known)])
    link = "" if chooser is None else chooser.name
    write(file, [page_of(rule, evidence, units, seconds, chooser=link, by=names)])
    if as_json:
        show_json({"report": str(file), **({} if chooser is None else {"chooser": str(chooser)})})
    elif file is not None:
        show(f"Written to {file}. Open it in a browser; it needs no network.")


def page_of(model: Model, table: Any, units: dict[str, str], seconds: float = 5.0, **more: Any) -> str:
    """The page as the command line writes it: with what can be proved, and with the day."""
    from crystalogic.report import report_page

    made = datetime.now(UTC).strftime("%Y-%m-%d")
    return report_page(model, table, seconds=seconds, units=units, made=made, **more)


def refuse_unknown_units(units: Iterable[str], columns: Iterable[str]) -> None:
    """A TableError for a unit of a column that there is not."""
    known = list(map(str, columns))
    for name in units:
        if name not in known:
            message = f"there is no column {name!r} to have a unit; there are {', '.join(known)}."
            raise TableError(message)


def labelled_table(model: Model, source: TableFile) -> Any:
    """A table as the page takes it: with its classes, where it has them, and whether the model was learned from it."""
    from crystalogic.cli.predictions import refuse_missing_columns
    from crystalogic.report import Table

    refuse_missing_columns(model, source)
    frame = source.read()
    labels = frame[model.target] if model.target in source.columns else None
    return Table(frame, labels, Path(source.path).name, None if labels is None else is_training(model, frame, labels))


def is_training(model: Model, frame: Any, labels: Any) -> bool | None:
    """Whether these are the rows that the model was learned from; None if the model does not know its rows."""
    from crystalogic.fitting import identity_of
    from crystalogic.fitting.targets import Target

    if model.record.data is None:
        return None
    try:
        y = Target(model.target, model.classes is None, model.target_words).read(labels)
        return identity_of(model, frame, y) == model.record.data
    except (EncodingError, TableError):
        return False


def export(
    model: ModelArgument,
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
    """Write a model as SQL, Python, C, JavaScript, ONNX, LaTeX, a Markdown checklist or a model card."""
    from crystalogic.document import write_atomically
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
        write_atomically(output, written if isinstance(written, bytes) else written.encode("utf-8", "replace"))
    elif isinstance(written, str):
        write(None, [written])
    else:
        message = f"{target} is not text; say where to write it with --output."
        raise typer.BadParameter(message)
