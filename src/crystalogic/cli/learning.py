"""Commands for people with a table: fit and recover."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.columns import columns_like, refuse_unknown
from crystalogic.cli.long_tables import announce, fitted_in_parts, is_long
from crystalogic.cli.measuring import held_out, splits_of
from crystalogic.cli.options import (
    Decimal,
    Encoding,
    Json,
    TableArgument,
    Target,
    cell,
    direction,
    each_once,
    kind_of,
)
from crystalogic.cli.output import checked, show, show_json, write
from crystalogic.cli.progress import progress_bar, ready_kernels
from crystalogic.cli.remarks import remarks_on
from crystalogic.cli.reporting import Units, page_of, refuse_unknown_units, training_table
from crystalogic.cli.targets import classes_of, degrees_of, is_known, refuse_target, rows_and_target
from crystalogic.files import open_table
from crystalogic.fitting import WHOLE, identity_of
from crystalogic.fitting.positive import named, two_classes


def fit(
    table: TableArgument,
    target: Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")] = Path("model.json"),
    kind: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=number, code, category, ignore, or an order: size='small<medium<large'."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out, or several: 'id_*'.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Read this column alone, or several: 'lab_*'.")
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="What means missing, such as -9 or unknown,NA; replaces the usual words."),
    ] = None,
    unit: Units = None,
    monotone: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=SIGN", help="COLUMN=+ may only raise the target, COLUMN=- lower."),
    ] = None,
    forbid: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A column or literal that must not be used.")
    ] = None,
    require: Annotated[list[str] | None, typer.Option(metavar="LITERAL", help="A literal that must be used.")] = None,
    start: Annotated[str | None, typer.Option(help="A formula to start from.")] = None,
    strategy: Annotated[
        str, typer.Option(help="annealing, straight_through, levenberg_marquardt or proximal.")
    ] = "annealing",
    max_literals: Annotated[int | None, typer.Option(min=1, help="No formula longer than this.")] = None,
    cuts: Annotated[int, typer.Option(min=0, help="Cuts to try of each number, such as age ≥ 55, at quantiles.")] = 5,
    positive: Annotated[
        str | None, typer.Option(help="Of two classes, the one that the rule speaks for; else the second.")
    ] = None,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out the rows whose target is missing.")
    ] = False,
    balanced: Annotated[bool, typer.Option("--balanced", help="Count every class alike, however rare it is.")] = False,
    degrees: Annotated[bool, typer.Option("--degrees", help="The target holds truth degrees in [0,1].")] = False,
    splits: Annotated[int, typer.Option(min=0, help="Also measure on this many held-out fifths.")] = 0,
    seconds: Annotated[
        float | None, typer.Option("--time", min=0.1, help="Seconds to search at most; each of the splits as long.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Threads; the result does not depend on them.")] = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rule.")] = 0,
    report: Annotated[
        Path | None, typer.Option(help="Also write a report page, such as report.html, to be opened in a browser.")
    ] = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    scheduler: Annotated[
        str | None, typer.Option(help="The address of a Dask scheduler whose workers can read the table.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say how a long table will be searched.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write the model and print nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Learn a rule from a table, and write it with its certificate to a model file. Ctrl-C keeps the best so far."""
    from crystalogic.words.models import ending_text, held_out_text, model_text

    if checked(output) is None:
        message = "the model needs a file of its own, such as --output model.json."
        raise typer.BadParameter(message)
    if degrees and positive is not None:
        message = "--positive names a class, and with --degrees there are none. Leave one of them out."
        raise typer.BadParameter(message)
    if degrees and balanced:
        message = "--balanced counts classes alike, and with --degrees there are none. Leave one of them out."
        raise typer.BadParameter(message)
    page = checked(report)
    units = each_once("--unit", map(cell, unit or []))
    kinds = each_once("--kind", map(kind_of, kind or []))
    directions = each_once("--monotone", map(direction, monotone or []))
    request = _request(
        strategy, kinds, max_literals, directions, forbid, require, start, degrees, seconds, jobs, seed
    ).but(
        n_cuts=cuts, announce=announce if verbose else None, class_weight="balanced" if balanced else None,
        missing=None if missing is None else [word for given in missing for word in given.split(",")],
    )  # fmt: skip
    words = request.missing_words
    source = open_table(table, encoding, decimal)
    refuse_target(source, target)
    if only:
        source = source.picking({target, *columns_like(only, source, target)})
        refuse_target(source, target)
    request = request.but(kinds={**kinds, **dict.fromkeys(columns_like(ignore or [], source, target), "ignore")})
    if skip_unknown:
        source = source.where(target, partial(is_known, words=words))
    refuse_unknown(kinds, source)
    refuse_unknown_units(units, [name for name in source.columns if name != target])
    about = {"source": Path(source.path).name, **({"units": units} if units else {})}
    if source.has_decimal_commas:
        about["decimal"] = ","
    rows, labels, parts, remarks = None, None, [], []
    if is_long(source) or scheduler is not None:
        if splits:
            message = (
                f"--splits goes with tables of at most {WHOLE:,} rows. "
                "A longer one is judged on rows that no search saw anyway."
            )
            raise typer.BadParameter(message)
        model = fitted_in_parts(source, target, request, scheduler, positive).with_notes(**about)
    else:
        rows, labels = rows_and_target(source, target)
        y = degrees_of(labels, words=words) if degrees else classes_of(labels, words)
        parts = splits_of(y, splits, degrees=degrees)
        classes = None if positive is None else two_classes(map(str, y), positive, target)
        goal = y if classes is None else y == positive
        model = _fitted(rows, goal, target, request).with_notes(**about)
        if classes is not None:
            model = named(model, classes, identity_of(model, rows, y))
        remarks = remarks_on(model, rows, y, is_balanced=balanced)
    model.save(output)
    if parts and not model.was_interrupted:
        measured = held_out(rows, goal, target, request, parts)
        if measured:
            model = model.with_notes(held_out=measured)
            model.save(output)
    if page is not None:
        evidence = None if rows is None else training_table(rows, labels, source)
        write(page, [page_of(model, evidence, units)])
    if quiet:
        return
    if as_json:
        show_json(
            {"model": str(output), **({"report": str(page)} if page else {}), **model.summary(), "remarks": remarks}
        )
        return
    show(model_text(model, with_columns=True))
    for text in (held_out_text(model), ending_text(model)):
        if text:
            show(f"\n{text}")
    if remarks:
        show("\nWorth a look:\n" + "\n".join(f"  - {remark}" for remark in remarks))
    if page is not None:
        show(f"\nThe report is in {page}; open it in a browser.")
    show(f"\nWritten to {output}. Next: crystalogic predict {output} NEW_ROWS.csv")


def recover(
    table: TableArgument,
    target: Target,
    seconds: Annotated[float | None, typer.Option("--time", min=0.1, help="Seconds to search at most.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same formula.")] = 0,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Find the formula behind a truth table whose columns are truth values. Exit code 1 unless it is exact."""
    from crystalogic.search import recover as find

    rows, labels = rows_and_target(open_table(table, encoding, decimal), target)
    columns = [degrees_of(rows[name]) for name in rows.columns]
    goal = degrees_of(labels)
    ready_kernels()
    with progress_bar("recovering") as callback:
        found = find(
            list(zip(*columns, strict=True)),
            goal,
            list(map(str, rows.columns)),
            seed=seed,
            time_budget=seconds,
            callback=callback,
        )
    if as_json:
        content = {"formula": str(found.formula), "is_exact": found.is_exact, "stop": found.stop.value}
        show_json({**content, "obstacle": found.obstacle})
    else:
        show(str(found))
    raise typer.Exit(0 if found.is_exact else 1)


def _fitted(rows: Any, y: Any, target: str, request: Any) -> Any:
    from crystalogic.fitting import fit_model

    with progress_bar("searching") as callback:
        return fit_model(rows, y, target, request.but(callback=callback, prepare=ready_kernels))


def _request(
    strategy: str, kinds: Any, max_literals: int | None, monotone: Any, forbid: Any, require: Any, start: str | None,
    degrees: bool, seconds: float | None, jobs: int, seed: int,
) -> Any:  # fmt: skip
    from crystalogic.fitting import LATTICE, Request, limited
    from crystalogic.logic.parse import parse

    n_threads = jobs if strategy == LATTICE else None
    return Request(
        strategy=limited(strategy, max_literals=max_literals, n_threads=n_threads),
        kinds=kinds,
        degrees=degrees,
        monotone=monotone,
        forbidden=tuple(forbid or ()),
        required=tuple(require or ()),
        start=None if start is None else parse(start),
        seed=seed,
        time_budget=seconds,
    )
