"""Commands for people with a table: fit, optimal and recover."""

from dataclasses import replace
from math import lcm
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli import options
from crystalogic.cli.options import Decimal, Encoding, Json, TableArgument, Target, cell, direction, each_once, kind_of
from crystalogic.cli.output import check_output, show, show_json, write
from crystalogic.cli.progress import progress_bar, ready_kernels
from crystalogic.cli.reporting import Units, page_of, refuse_unknown_units
from crystalogic.files import TableFile, open_table
from crystalogic.files.columns import columns_like, refuse_target, refuse_unknown


def fit(
    table: TableArgument,
    target: Target,
    output: options.ModelFile = Path("model.json"),
    kind: options.Kinds = None,
    ignore: options.Ignored = None,
    only: options.Only = None,
    protect: options.Protected = None,
    missing: options.MissingWords = None,
    unit: Units = None,
    monotone: options.Directions = None,
    forbid: options.Forbidden = None,
    require: options.Required = None,
    start: options.Start = None,
    strategy: options.StrategyName = "auto",
    shape: options.RuleShape = None,
    max_literals: options.MaxLiterals = None,
    size: options.Size = None,
    cuts: options.Cuts = None,
    positive: options.Positive = None,
    ordered: options.Ordered = None,
    skip_unknown: options.SkipUnknown = False,
    balanced: options.Balanced = False,
    cost: options.Costs = None,
    sensitivity: options.Sensitivity = None,
    specificity: options.Specificity = None,
    from_risk: options.FromRisk = None,
    abstain: options.Abstain = None,
    degrees: options.Degrees = False,
    splits: options.Splits = 0,
    seconds: options.Seconds = None,
    prove: options.Prove = None,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    report: options.Report = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    scheduler: options.Scheduler = None,
    quiet: options.Quiet = False,
    as_json: Json = False,
) -> None:
    """Learn a rule from a table, and write it with its certificate to a model file. Ctrl-C keeps the best so far."""
    asked = locals()  # all options by their names
    from crystalogic.fitting import fit as learn

    options.refuse(check_output(output) is None, "the model needs a file of its own, such as --output model.json.")
    page = check_output(report)
    source, asked["protect"] = _pick(open_table(table, encoding, decimal), target, only, protect)
    request = _request(asked, columns_like(ignore or [], source, target))
    refuse_unknown(request.kinds, source)
    refuse_unknown_units(request.units, [name for name in source.columns if name != target])
    with progress_bar("searching") as callback:
        fitted = learn(source, target, replace(request, callback=callback))
    fitted.model.save(output)
    if page is not None:
        write(page, [page_of(fitted.model, _evidence(fitted, source), dict(request.units))])
    if not quiet:
        _show(fitted, output, page, as_json=as_json)


def optimal(
    table: TableArgument,
    target: Target,
    size: Annotated[int, typer.Option(min=1, max=8, help="The most facts that a rule reads.")] = 3,
    shape: Annotated[str, typer.Option(help="checklist, or points: a scorecard of at most 5 facts.")] = "checklist",
    within: Annotated[float, typer.Option(min=0, max=1, help="List all rules within this share of the rows.")] = 0.0,
    cost: Annotated[str | None, typer.Option(metavar="COSTS", help="What errors cost: missed=5,false-alarm=1.")] = None,
    kind: options.Kinds = None,
    ignore: options.Ignored = None,
    monotone: options.Directions = None,
    forbid: options.Forbidden = None,
    require: options.Required = None,
    cuts: options.Cuts = None,
    positive: options.Positive = None,
    gap_by: Annotated[str | None, typer.Option(metavar="COLUMN", help="What a smaller gap of groups costs.")] = None,
    gap: Annotated[str, typer.Option(help="The rate that differs: selection, misses or false-alarms.")] = "selection",
    at_most: Annotated[float | None, typer.Option(min=0, max=1, help="A gap small enough: 0.03 is 3 points.")] = None,
    accuracy: Annotated[float | None, typer.Option(min=0, max=1, help="With --gap-by: the least accuracy.")] = None,
    seconds: Annotated[float | None, typer.Option("--time", min=0.1, help="Time limit in seconds.")] = 60.0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the best as a model.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="Where to write the proof, for crystalogic verify.")] = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Find the best rule of a size on the rows of a table, with proof, and all that are as good."""
    from crystalogic.best import find_best, find_price
    from crystalogic.fitting import Request

    options.refuse(gap_by is None and (at_most, accuracy) != (None, None), "--at-most and --accuracy go with --gap-by.")
    is_other = gap_by is not None and (within, cost, certificate) != (0, None, None)
    options.refuse(is_other, "--within, --cost and --certificate do not go with --gap-by.")
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
    how: dict[str, Any] = {"shape": shape, "request": request, "seconds": seconds}
    with progress_bar("proving") as how["callback"]:
        if gap_by is None:
            found: Any = find_best(source, target, size, within=within, objective=_objective(cost), **how)
        else:
            refuse_unknown([gap_by], source)
            found = find_price(source, target, gap_by, size, gap=gap, at_most=at_most, accuracy=accuracy, **how)
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


def recover(
    table: TableArgument,
    target: Target,
    seconds: Annotated[float | None, typer.Option("--time", min=0.1, help="Time limit in seconds.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same formula.")] = 0,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Find the formula behind a truth table whose columns are truth values. Exit code 1 unless it is exact."""
    from crystalogic.fitting.targets import Target as Degrees
    from crystalogic.search import recover as find

    source = open_table(table, encoding, decimal)
    refuse_target(source, target)
    frame = source.read()
    names = [name for name in frame.columns if name != target]
    *columns, goal = (Degrees(name, degrees=True).read(frame[name]) for name in [*names, target])
    ready_kernels()
    with progress_bar("recovering") as callback:
        rows = list(zip(*columns, strict=True))
        found = find(rows, goal, names, seed=seed, time_budget=seconds, callback=callback)
    if as_json:
        content = {"formula": str(found.formula), "is_exact": found.is_exact, "stop": found.stop.value}
        show_json({**content, "obstacle": found.obstacle})
    else:
        show(str(found))
    raise typer.Exit(0 if found.is_exact else 1)


def _request(asked: dict[str, Any], ignored: list[str]) -> Any:
    """What the options of `fit` ask for, without these columns."""
    from crystalogic.fitting import Request, are_graded, limit_strategy
    from crystalogic.logic.parse import parse

    for option, given in (("--positive", asked["positive"] is not None), ("--balanced", asked["balanced"])):
        if given and asked["degrees"]:
            does = "names a class" if option == "--positive" else "counts classes alike"
            message = f"{option} {does}, and with --degrees there are none. Leave one of them out."
            raise typer.BadParameter(message)
    is_graded = are_graded(degrees=asked["degrees"], start=asked["start"], numbers="auto")
    limits = {name: asked[name] for name in ("max_literals", "shape")}
    limits["n_threads"] = asked["jobs"]
    words = None if asked["missing"] is None else [word for given in asked["missing"] for word in given.split(",")]
    return Request(
        strategy=limit_strategy(asked["strategy"], is_graded=is_graded, **limits),
        kinds={**each_once("--kind", map(kind_of, asked["kind"] or [])), **dict.fromkeys(ignored, "ignore")},
        protect=asked["protect"],
        missing=words,
        n_cuts=asked["cuts"],
        size=asked["size"],
        degrees=asked["degrees"],
        positive=asked["positive"],
        ordered=_order(asked["ordered"]),
        skip_unknown=asked["skip_unknown"],
        monotone=each_once("--monotone", map(direction, asked["monotone"] or [])),
        forbidden=tuple(asked["forbid"] or ()),
        required=tuple(asked["require"] or ()),
        start=None if asked["start"] is None else parse(asked["start"]),
        class_weight="balanced" if asked["balanced"] else None,
        aim=options.aim_of(*(asked[name] for name in ("cost", "sensitivity", "specificity", "from_risk", "abstain"))),
        seed=asked["seed"],
        time_budget=asked["seconds"],
        prove=asked["prove"],
        n_splits=asked["splits"],
        units=each_once("--unit", map(cell, asked["unit"] or [])),
        scheduler=asked["scheduler"],
        prepare=ready_kernels,
        keep=lambda model: model.save(asked["output"]),
    )


def _order(given: str | None) -> bool | list[str]:
    """The classes from the least to the greatest; True where they order themselves."""
    if given is None or given == "auto":
        return given is not None
    return [each.strip() for each in given.split("<")]


def _pick(
    source: TableFile, target: str, only: list[str] | None, protect: list[str] | None
) -> tuple[TableFile, list[str]]:
    """The table, or only the columns that are to be read, and those that are protected.

    A TableError without a target or without others.
    """
    refuse_target(source, target)
    protected = options.names_of(protect, source)
    options.refuse(target in protected, f"{target!r} is to be predicted; --protect is for other columns.")
    if only:
        source = source.pick({target, *protected, *columns_like(only, source, target)})
        refuse_target(source, target)
    return source, protected


def _evidence(fitted: Any, source: TableFile) -> Any:
    """The rows that a model was just learned from, for its page; None where they were not read whole."""
    from crystalogic.report import Table

    table = fitted.table
    return None if table is None else Table(table.rows, table.target, Path(source.path).name, is_training=True)


def _show(fitted: Any, output: Path, page: Path | None, *, as_json: bool) -> None:
    """What was learned, and what is worth a look, for people or machines."""
    from crystalogic.words.models import ending_text, groups_text, held_out_text, model_text

    model, remarks = fitted.model, list(map(str, fitted.remarks))
    if as_json:
        where = {"model": str(output), **({"report": str(page)} if page else {})}
        show_json({**where, **model.summary(), "remarks": remarks})
        return
    show(model_text(model, with_columns=True))
    for text in (held_out_text(model), groups_text(model), ending_text(model)):
        if text:
            show(f"\n{text}")
    if remarks:
        show("\nWorth a look:\n" + "\n".join(f"  - {remark}" for remark in remarks))
    if page is not None:
        show(f"\nThe report is in {page}; open it in a browser.")
    show(f"\nWritten to {output}. Next: crystalogic predict {output} NEW_ROWS.csv")


def _objective(cost: str | None) -> Any:
    """What errors cost, in whole numbers."""
    from crystalogic.optimal import ERRORS, Objective

    aim = options.aim_of(cost, None, None, None, None)
    if aim is None:
        return ERRORS
    scale = lcm(aim.cost.missed.denominator, aim.cost.false_alarm.denominator)
    return Objective(int(scale * aim.cost.missed), int(scale * aim.cost.false_alarm))
