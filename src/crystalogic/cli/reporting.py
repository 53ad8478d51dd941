"""The command that writes the report page of a model, and the page that `fit` writes."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.opening import open_for
from crystalogic.cli.options import Decimal, Encoding, Json, ModelArgument, cell, each_once
from crystalogic.cli.output import check_output, show, show_json, write
from crystalogic.errors import EncodingError, TableError
from crystalogic.files import TableFile
from crystalogic.model import Model, load

Units = Annotated[
    list[str] | None, typer.Option("--unit", metavar="COLUMN=UNIT", help="A unit to show with values: chol=mg/dl")
]


def report(
    model: ModelArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="Rows to test it on; use rows that it has not seen.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page.")] = Path("report.html"),
    unit: Units = None,
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
    evidence = None if table is None else labelled_table(rule, open_for(rule, table, encoding, decimal))
    units = each_once("--unit", map(cell, unit or []))
    refuse_unknown_units(units, (column.name for column in rule.encoding.columns))
    write(file, [page_of(rule, evidence, units, seconds)])
    if as_json:
        show_json({"report": str(file)})
    elif file is not None:
        show(f"Written to {file}. Open it in a browser; it needs no network.")


def page_of(model: Model, table: Any, units: dict[str, str], seconds: float = 5.0) -> str:
    """The page as the command line writes it: with what can be proved, and with the day."""
    from crystalogic.report import report_page

    return report_page(model, table, seconds=seconds, units=units, made=datetime.now(UTC).strftime("%Y-%m-%d"))


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
