"""The command for the best rule of a size, with proof."""

from math import lcm
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli import fit_options as options
from crystalogic.cli.options import Decimal, Encoding, Json, TableArgument, Target, direction, each_once, kind_of
from crystalogic.cli.output import check_output, show, show_json, write
from crystalogic.cli.progress import progress_bar
from crystalogic.files import open_table
from crystalogic.files.columns import columns_like, refuse_target, refuse_unknown


def optimal(
    table: TableArgument,
    target: Target,
    size: Annotated[int, typer.Option(min=1, max=8, help="The most facts that a rule reads.")] = 3,
    shape: Annotated[str, typer.Option(help="checklist, or points: a scorecard of at most 5 facts.")] = "checklist",
    within: Annotated[
        float, typer.Option(min=0, max=1, help="List all rules whose errors are within this share of the rows.")
    ] = 0.0,
    cost: Annotated[str | None, typer.Option(metavar="COSTS", help="What errors cost: missed=5,false-alarm=1.")] = None,
    kind: options.Kinds = None,
    ignore: options.Ignored = None,
    monotone: options.Directions = None,
    forbid: options.Forbidden = None,
    require: options.Required = None,
    cuts: options.Cuts = None,
    positive: options.Positive = None,
    seconds: Annotated[float | None, typer.Option("--time", min=0.1, help="Time limit in seconds.")] = 60.0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the best as a model.")] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Where to write the proof; crystalogic verify counts it again.")
    ] = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Find the best rule of a size on the rows of a table, with proof, and all that are as good."""
    from crystalogic.best import find_best
    from crystalogic.fitting import Request

    files = [check_output(each) for each in (output, certificate)]
    source = open_table(table, encoding, decimal)
    refuse_target(source, target)
    kinds = each_once("--kind", map(kind_of, kind or []))
    refuse_unknown(kinds, source)
    request = Request(
        kinds={**kinds, **dict.fromkeys(columns_like(ignore or [], source, target), "ignore")},
        monotone=each_once("--monotone", map(direction, monotone or [])),
        forbidden=tuple(forbid or ()),
        required=tuple(require or ()),
        n_cuts=cuts,
        positive=positive,
    )
    how = {"shape": shape, "within": within, "objective": _objective(cost), "request": request, "seconds": seconds}
    with progress_bar("proving") as callback:
        found = find_best(source, target, size, callback=callback, **how)
    if files[0] is not None:
        found.model().save(files[0])
    if files[1] is not None:
        write(files[1], [found.certificate()])
    if as_json:
        show_json(found.content())
        return
    show(str(found))
    for file, what in zip(files, ("predict", "verify"), strict=True):
        if file is not None:
            show(f"\nWritten to {file}. Next: crystalogic {what} {file}{' NEW_ROWS.csv' if what == 'predict' else ''}")


def _objective(cost: str | None) -> Any:
    """What errors cost, in whole numbers."""
    from crystalogic.optimal import ERRORS, Objective

    aim = options.aim_of(cost, None, None, None, None)
    if aim is None:
        return ERRORS
    scale = lcm(aim.cost.missed.denominator, aim.cost.false_alarm.denominator)
    return Objective(int(scale * aim.cost.missed), int(scale * aim.cost.false_alarm))
