"""Commands for people with a table: fit, optimal and recover; and the tables that come with the package: datasets."""

from dataclasses import replace
from math import lcm
from pathlib import Path
from typing import Any

import typer

import crystalogic
from crystalogic.cli.options import Asked, aim_of, costs_of, names_of, pairs_of, refuse, refuse_strange
from crystalogic.cli.output import check_output, csv_text, json_text, progress_bar, show, show_json, tell, write
from crystalogic.cli.use import NO_UNIT, page_of
from crystalogic.errors import TableError, refuse_first
from crystalogic.files.table import TableFile, columns_like, open_table, refuse_target, refuse_unknown
from crystalogic.words.models import ending_text, groups_text, held_out_text, join_texts, model_text
from crystalogic.words.tables import package_file


def fit(asked: Asked) -> None:
    """Learn a rule from a table, and write it with its certificate to a model file. Ctrl-C keeps the best so far."""
    from crystalogic.fitting import fit as learn

    refuse(check_output(asked.output) is None, "the model needs a file of its own, such as --output model.json.")
    page = check_output(asked.report)
    source, protected = _pick(asked)
    request = _request(asked, source, protected)
    refuse_strange(TableError, request.units, [name for name in source.columns if name != asked.target], NO_UNIT)
    with progress_bar("searching") as callback:
        fitted = learn(source, asked.target, replace(request, callback=callback))
    fitted.model.save(asked.output)
    if page is not None:
        rows, name = fitted.table, Path(source.path).name  # None where they were not read whole
        evidence = None if rows is None else crystalogic.report.Table(rows.rows, rows.target, name, is_training=True)
        write(page, [page_of(fitted.model, evidence, dict(request.units))])
    if not asked.quiet:
        _show(fitted, asked.output, page, as_json=asked.json)


def optimal(asked: Asked) -> None:
    """Find the best rule of a size on the rows of a table, with proof, and all that are as good."""
    from crystalogic.fitting import Request

    has_gap, has_goal = asked.gap_by is not None, (asked.at_most, asked.accuracy) != (None, None)
    refuse(has_goal and not has_gap, "--at-most and --accuracy go with --gap-by.")
    is_other = has_gap and (asked.within, asked.cost, asked.certificate) != (0, None, None)
    refuse(is_other, "--within, --cost and --certificate do not go with --gap-by.")
    files = [check_output(each) for each in (asked.output, asked.certificate)]
    source = open_table(asked.table, asked.encoding, asked.decimal)
    refuse_target(source, asked.target)
    how: dict[str, Any] = {"shape": asked.shape, "request": Request(**_wishes(asked, source)), "seconds": asked.time}
    with progress_bar("proving") as how["callback"]:
        if has_gap:
            refuse_unknown([asked.gap_by], source)
            how |= {name: getattr(asked, name) for name in ("gap", "at_most", "accuracy")}
            found: Any = crystalogic.find_price(source, asked.target, asked.gap_by, asked.size, **how)
        else:
            how |= {"within": asked.within, "objective": _objective(asked.cost)}
            found = crystalogic.find_best(source, asked.target, asked.size, **how)
    if files[0] is not None:
        found.model().save(files[0])
    if files[1] is not None:
        write(files[1], [found.certificate()])
    tell(found.content(), str(found), as_json=asked.json)
    for file, then in zip(files, ("predict {} NEW_ROWS.csv", "verify {}"), strict=True):
        if file is not None and not asked.json:
            show(f"\nWritten to {file}. Next: crystalogic {then.format(file)}")


def recover(asked: Asked) -> None:
    """Find the formula behind a truth table whose columns are truth values. Exit code 1 unless it is exact."""
    from crystalogic.fitting.targets import Target

    source = open_table(asked.table, asked.encoding, asked.decimal)
    refuse_target(source, asked.target)
    frame = source.read()
    names = [name for name in frame.columns if name != asked.target]
    *columns, goal = (Target(name, degrees=True).read(frame[name]) for name in [*names, asked.target])
    _ready_kernels()
    with progress_bar("recovering") as callback:
        rows = list(zip(*columns, strict=True))
        found = crystalogic.recover(rows, goal, names, seed=asked.seed, time_budget=asked.time, callback=callback)
    content = {"formula": str(found.formula), "is_exact": found.is_exact, "stop": found.stop.value}
    tell({**content, "obstacle": found.obstacle}, str(found), as_json=asked.json)
    raise typer.Exit(0 if found.is_exact else 1)


def datasets(asked: Asked) -> None:
    """List the data sets that come with the package, or write one as CSV."""
    if asked.name is None:
        refuse(asked.test or asked.output is not None, "--test and --output go with the name of a data set.")
        listed = [_about(crystalogic.datasets.load(name)) for name in crystalogic.datasets.NAMES]
        origin = " ".join(package_file("datasets", "PROVENANCE.md").split("\n\n")[1].split())
        line = "{name:14} {rows:>5} rows  {columns:>2} columns  target {target}\n{nothing:14} {cite}\n"
        told = "".join(line.format(**each, nothing="") for each in listed)
        tell([{**each, "origin": origin} for each in listed], f"{told}\n{origin}", as_json=asked.json)
        return
    file = check_output(asked.output)
    table: Any = (crystalogic.datasets.load_test if asked.test else crystalogic.datasets.load)(asked.name)
    refuse_first(TableError, {f"{asked.name!r} has no fixed test rows; split it yourself.": table is None})
    columns = [*table.columns, table.target_name]
    rows = [[*row, label] for row, label in zip(table.rows, table.target, strict=True)]
    content = {**_about(table), "records": [dict(zip(columns, row, strict=True)) for row in rows]}
    write(file, [json_text(content) + "\n" if asked.json else csv_text([columns, *rows])])


def _about(table: Any) -> dict[str, Any]:
    about = {"name": table.name, "rows": len(table.rows), "columns": len(table.columns)}
    return {**about, "target": table.target_name, "positive": table.positive, "cite": table.cite}


def _ready_kernels() -> None:
    """Compile the kernels where no earlier run has, and say so: it takes a while, and no part of a time budget."""
    from crystalogic.compiled import kernels_stay
    from crystalogic.search.learn import compile_kernels, kernels_are_compiled

    if not kernels_are_compiled():
        how_often = "this happens once and takes about a minute."
        if not kernels_stay:
            how_often = "this takes about a minute, each time, for no folder can be written to keep the result. "
            how_often += "Set NUMBA_CACHE_DIR to one that can."
        show(f"The search is being compiled for this machine; {how_often}", to_errors=True)
        compile_kernels()


def _wishes(asked: Asked, source: TableFile) -> dict[str, Any]:
    """What `fit` and `optimal` ask for alike, as fields of a request."""
    kinds = pairs_of(asked, "kind")
    refuse_unknown(kinds, source)
    kinds |= dict.fromkeys(columns_like(asked.ignore or [], source, asked.target), "ignore")
    told = {"kinds": kinds, "monotone": pairs_of(asked, "monotone"), "n_cuts": asked.cuts, "positive": asked.positive}
    return {**told, "forbidden": tuple(asked.forbid or ()), "required": tuple(asked.require or ())}


def _request(asked: Asked, source: TableFile, protected: list[str]) -> Any:
    from crystalogic.fitting import Request

    why = "and with --degrees there are none. Leave one of them out."
    refuse(asked.positive is not None and asked.degrees, f"--positive names a class, {why}")
    refuse(asked.balanced and asked.degrees, f"--balanced counts classes alike, {why}")
    wished, same = _wishes(asked, source), ("size", "degrees", "skip_unknown", "seed", "prove", "scheduler", "strategy")
    wished |= {name: getattr(asked, name) for name in same}
    wished |= {"options": {"max_literals": asked.max_literals, "shape": asked.shape, "n_threads": asked.jobs}}
    missing = None if asked.missing is None else [word for given in asked.missing for word in given.split(",")]
    order = asked.ordered  # from the least to the greatest; "auto" where classes order themselves
    ordered = order is not None if order in (None, "auto") else [each.strip() for each in order.split("<")]
    wished |= {"protect": protected, "missing": missing, "ordered": ordered}
    wished |= {"start": None if asked.start is None else crystalogic.parse(asked.start)}
    aim = aim_of(asked if asked.gap_by is None else Asked(**{**vars(asked), "sensitivity": None}))
    wished |= {"class_weight": "balanced" if asked.balanced else None, "aim": aim, "limits": _limits(asked, source)}
    wished |= {"time_budget": asked.time, "n_splits": asked.splits, "units": pairs_of(asked, "unit")}
    return Request(**wished, prepare=_ready_kernels, keep=lambda model: model.save(asked.output))


def _limits(asked: Asked, source: TableFile) -> Any:
    """The limits that are asked for; None for none. Beside a gap, a sensitivity is one of them."""
    prices = {} if asked.price is None else costs_of(",".join(asked.price), "--price", "ca=3,thal=2")
    pairs, by = pairs_of(asked, "only_with"), asked.gap_by
    if not (by or prices or pairs) and (asked.at_most, asked.budget) == (None, None):
        return None
    refuse_unknown([*prices, *pairs, *pairs.values(), *([by] if by else [])], source)
    kept = asked.sensitivity if by else None
    return crystalogic.Limits(by, asked.gap, asked.at_most, kept, prices, asked.budget, pairs)


def _pick(asked: Asked) -> tuple[TableFile, list[str]]:
    """The table, with the columns to be read alone, and those protected; a TableError without a target or others."""
    source, target = open_table(asked.table, asked.encoding, asked.decimal), asked.target
    refuse_target(source, target)
    protected = names_of(asked.protect, source)
    refuse(target in protected, f"{target!r} is to be predicted; --protect is for other columns.")
    if asked.only:
        by = [] if asked.gap_by is None else names_of([asked.gap_by], source)
        source = source.pick({target, *protected, *by, *columns_like(asked.only, source, target)})
        refuse_target(source, target)
    return source, protected


def _show(fitted: Any, output: Path, page: Path | None, *, as_json: bool) -> None:
    """What was learned, and what is worth a look, for people or machines."""
    model, remarks = fitted.model, list(map(str, fitted.remarks))
    if as_json:
        where = {"model": str(output), **({"report": str(page)} if page else {})}
        show_json({**where, **model.summary(), "remarks": remarks})
        return
    notes = "\n".join(["Worth a look:", *(f"  - {remark}" for remark in remarks)]) if remarks else ""
    report = f"The report is in {page}; open it in a browser." if page else ""
    told = model_text(model, with_columns=True), held_out_text(model), groups_text(model), ending_text(model)
    show(join_texts(*told, notes, report, f"Written to {output}. Next: crystalogic predict {output} NEW_ROWS.csv"))


def _objective(cost: str | None) -> Any:
    """What errors cost, in whole numbers."""
    from crystalogic.operating import Aim
    from crystalogic.optimal import ERRORS, Objective

    if cost is None:
        return ERRORS
    wished: Any = Aim.of(cost=costs_of(cost)).cost
    scale = lcm(wished.missed.denominator, wished.false_alarm.denominator)
    return Objective(int(scale * wished.missed), int(scale * wished.false_alarm))
