"""Commands for people with a model: predict, explain, verify."""

from typing import Annotated, Any

import typer

from crystalogic.cli.options import Encoding, Json, ModelArgument, Output, TableArgument, cell
from crystalogic.cli.output import checked, show_json, write
from crystalogic.cli.predictions import predictions
from crystalogic.errors import TableError
from crystalogic.files import TableFile, open_table
from crystalogic.model import Explanation, load


def predict(
    model: ModelArgument,
    table: TableArgument,
    output: Output = None,
    encoding: Encoding = None,
    as_json: Json = False,
) -> None:
    """Predict row by row; tables of any size, only the columns of the rule are needed."""
    rule = load(model)
    file = checked(output)
    write(file, predictions(rule, open_table(table, encoding), as_json=as_json))


def explain(
    model: ModelArgument,
    table: Annotated[str | None, typer.Argument(metavar="TABLE", help="The table with the row to explain.")] = None,
    row: Annotated[int, typer.Option(min=0, help="Which row, counted from 0.")] = 0,
    value: Annotated[list[str] | None, typer.Option("--value", "-v", help="COLUMN=VALUE instead of a table.")] = None,
    encoding: Encoding = None,
    as_json: Json = False,
) -> None:
    """Show, step by step and exactly, why a row gets its class."""
    from crystalogic.presentation import explanation_text

    rule = load(model)
    if (table is None) == (not value):
        message = "give a table with --row, or --value COLUMN=VALUE for each column of the rule."
        raise typer.BadParameter(message)
    found = rule.explain(_one_row(open_table(table, encoding), row) if table else dict(map(cell, value or [])))
    if as_json:
        show_json(_explanation(found))
    else:
        typer.echo(explanation_text(found))


def verify(model: ModelArgument, as_json: Json = False) -> None:
    """Go through the certificate of a model again, with independent code."""
    rule = load(model)
    rule.check()
    if as_json:
        show_json({"verified": True, **rule.certificate.content()})
        return
    for formula in rule.formulas:
        typer.echo(f"formula: {formula}")
    typer.echo(str(rule.certificate))


def _one_row(source: TableFile, row: int) -> dict[str, Any]:
    seen = 0
    for part in source.parts():
        if row < seen + len(part):
            return dict(part.iloc[row - seen])
        seen += len(part)
    message = f"{source.path}: there is no row {row}; it has {seen} rows, counted from 0."
    raise TableError(message)


def _explanation(found: Explanation) -> dict[str, Any]:
    return {
        "decision": str(found.decision),
        "margin": str(found.margin),
        "degrees": [str(degree) for degree in found.degrees],
        "traces": [each.content() for each in found.traces],
    }
