"""The command for the tables that come with the package: datasets."""

from typing import Annotated, Any

import typer

from crystalogic.cli.options import Json, Output, refuse
from crystalogic.cli.output import check_output, csv_text, json_text, show, show_json, write
from crystalogic.errors import TableError


def datasets(
    name: Annotated[str | None, typer.Argument(help="One of the data sets, to write it as CSV.")] = None,
    output: Output = None,
    test: Annotated[bool, typer.Option("--test", help="The fixed test rows of a MONK problem.")] = False,
    as_json: Json = False,
) -> None:
    """List the data sets that come with the package, or write one as CSV."""
    if name is None:
        refuse(test or output is not None, "--test and --output go with the name of a data set.")
        _list(as_json)
        return
    from crystalogic import datasets as sets

    file = check_output(output)
    table = sets.load_test(name) if test else sets.load(name)
    if table is None:
        message = f"{name!r} has no fixed test rows; split it yourself."
        raise TableError(message)
    columns = [*table.columns, table.target_name]
    rows = [[*row, label] for row, label in zip(table.rows, table.target, strict=True)]
    if as_json:
        records = [dict(zip(columns, row, strict=True)) for row in rows]
        write(file, [json_text({**_about(table), "records": records}) + "\n"])
    else:
        write(file, [csv_text([columns, *rows])])


def _list(as_json: bool) -> None:
    from importlib import resources

    from crystalogic import datasets as sets

    listed = [_about(sets.load(name)) for name in sets.NAMES]
    notes = resources.files("crystalogic.datasets").joinpath("PROVENANCE.md").read_text(encoding="utf-8")
    origin = " ".join(notes.split("\n\n")[1].split())
    if as_json:
        show_json([{**each, "origin": origin} for each in listed])
        return
    for each in listed:
        show(f"{each['name']:14} {each['rows']:>5} rows  {each['columns']:>2} columns  target {each['target']}")
        show(f"{'':14} {each['cite']}")
    show(f"\n{origin}")


def _about(table: Any) -> dict[str, Any]:
    return {
        "name": table.name,
        "rows": len(table.rows),
        "columns": len(table.columns),
        "target": table.target_name,
        "positive": table.positive,
        "cite": table.cite,
    }
