"""The command for choosing a rule by hand: it writes the page, and makes a model of what was chosen there."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.options import Decimal, Encoding, Json, ModelArgument, refuse
from crystalogic.cli.output import check_output, json_text, show, show_json, write
from crystalogic.cli.progress import progress_bar
from crystalogic.cli.reporting import labelled_table
from crystalogic.cli.row import open_for
from crystalogic.errors import TableError
from crystalogic.model import Model, load


def choose(
    model: ModelArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="Rows with their classes, to count all rules on.")
    ] = None,
    rows: Annotated[
        bool, typer.Option("--rows", help="Put the rows into the page, as bits, so that rules can be edited there.")
    ] = False,
    size: Annotated[int, typer.Option(min=1, max=5, help="With a table: all rules of at most so many facts.")] = 3,
    shape: Annotated[str, typer.Option(help="With a table: checklist, or points for scorecards, too.")] = "checklist",
    within: Annotated[
        float,
        typer.Option(min=0, max=1, help="With a table: the share of its rows that they may miss beyond the best."),
    ] = 0.01,
    seconds: Annotated[float, typer.Option("--time", min=0.1, help="How long to look for them, in seconds.")] = 20.0,
    take: Annotated[
        Path | None, typer.Option("--take", metavar="CHOICE", help="A choice that the page saved, to make a model of.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write: choose.html by default, with --take chosen.json."),
    ] = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Write a page to choose a rule on: compare, edit, save. With --take, make a model of what was chosen there."""
    if take is not None and (table is not None or rows):
        message = "--take makes a model of a choice; a table and --rows are for the page."
        raise typer.BadParameter(message)
    refuse(rows and table is None, "--rows puts the rows of a table into the page; name the table after the model.")
    file = check_output(output or Path("choose.html" if take is None else "chosen.json"))
    if file is None and (as_json or take is not None):
        message = "give it a file with --output."
        raise typer.BadParameter(message)
    rule = load(model)
    if take is not None and file is not None:
        _take(rule, take, file, as_json)
        return
    evidence = None if table is None else labelled_table(rule, open_for(rule, table, encoding, decimal))
    if evidence is not None and evidence.labels is None:
        message = f"{table}: there is no column {rule.target!r}, which tells the class of each row. Rules need it."
        raise TableError(message)
    how = {"size": size, "within": within, "seconds": seconds, "shape": shape}
    write(file, [chooser_of(rule, model, evidence, embed_rows=rows, **how)])
    if as_json:
        show_json({"page": str(file)})
    elif file is not None:
        held = " It holds the rows of the table, as bits: pass it on with care." if rows else ""
        show(f"Written to {file}. Open it in a browser; it needs no network.{held}")


def chooser_of(rule: Model, file: str, table: Any, *, embed_rows: bool = False, **how: Any) -> str:
    """The page of the rules in a model file and, with a table, of all that are about as good on it."""
    from crystalogic.choosing import chooser_page, find_good

    good = None
    if table is not None:
        with progress_bar("proving") as callback:
            good = find_good(rule, table, callback=callback, **how)
    made = datetime.now(UTC).strftime("%Y-%m-%d")
    return chooser_page(rule, good, table, embed_rows=embed_rows, file=Path(file).name, made=made)


def _take(rule: Model, choice: Path, file: Path, as_json: bool) -> None:
    from crystalogic.choosing import take_choice
    from crystalogic.untrusted import read_text
    from crystalogic.words.models import model_text

    found = take_choice(rule, read_text(choice, "choice"))
    found.save(file)
    show(json_text({"model": str(file), **found.summary()}) if as_json else model_text(found))
