"""Commands for people with a table: fit, predict, explain, verify, recover, datasets."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.options import Json, ModelArgument, TableArgument, direction, kind_of
from crystalogic.cli.predictions import predictions
from crystalogic.cli.progress import progress_bar
from crystalogic.cli.row import RowNumber, RowTable, RowValues, cell, given_row
from crystalogic.cli.targets import classes_of, degrees_of, rows_and_target
from crystalogic.errors import TableError
from crystalogic.files import open_table
from crystalogic.model import load

Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Where to write.")]


def fit(
    table: TableArgument,
    target: Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")] = Path("model.json"),
    kind: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=number, code, category, ignore, or an order: size='small<medium<large'."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="A column to leave out.")] = None,
    unit: Annotated[list[str] | None, typer.Option(help="COLUMN=UNIT, to show with its values: chol=mg/dl")] = None,
    monotone: Annotated[
        list[str] | None, typer.Option(help="COLUMN=+ may only raise the target, COLUMN=- lower.")
    ] = None,
    forbid: Annotated[list[str] | None, typer.Option(help="A column or literal that must not be used.")] = None,
    require: Annotated[list[str] | None, typer.Option(help="A literal that must be used.")] = None,
    start: Annotated[str | None, typer.Option(help="A formula to start from.")] = None,
    strategy: Annotated[
        str, typer.Option(help="annealing, straight_through, levenberg_marquardt or proximal.")
    ] = "annealing",
    max_literals: Annotated[int | None, typer.Option(min=1, help="No formula longer than this.")] = None,
    degrees: Annotated[bool, typer.Option("--degrees", help="The target holds truth degrees in [0,1].")] = False,
    splits: Annotated[int, typer.Option(min=0, help="Also measure on this many held-out fifths.")] = 0,
    seconds: Annotated[float | None, typer.Option("--time", min=0.1, help="Seconds to spend at most.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Threads; the result does not depend on them.")] = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rule.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write the model and print nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Learn a rule from a table, and write it with its certificate to a model file."""
    from crystalogic.fitting import fit_model
    from crystalogic.presentation import columns_text, model_text

    rows, labels = rows_and_target(open_table(table), target)
    kinds: dict[str, Any] = dict(kind_of(text) for text in kind or [])
    kinds.update(dict.fromkeys(ignore or [], "ignore"))
    request = _request(
        strategy,
        kinds,
        max_literals,
        dict(direction(text) for text in monotone or []),
        forbid,
        require,
        start,
        degrees,
        seconds,
        jobs,
        seed,
    )
    y = degrees_of(labels) if degrees else classes_of(labels)
    with progress_bar("searching") as callback:
        model = fit_model(rows, y, target, request.but(callback=callback))
    measured = _measured(rows, y, target, request, splits)
    units = dict(cell(text) for text in unit or [])
    unknown = [name for name in units if name not in rows.columns]
    if unknown:
        message = f"there is no column {unknown[0]!r} to have a unit; there are {', '.join(map(str, rows.columns))}."
        raise TableError(message)
    notes = {"held_out": measured, "units": units}
    model = model.with_notes(source=Path(table).name, **{name: note for name, note in notes.items() if note})
    model.save(output)
    if quiet:
        return
    if as_json:
        typer.echo(json.dumps({"model": str(output), **model.summary()}, ensure_ascii=False))
        return
    typer.echo(columns_text(model))
    typer.echo("")
    typer.echo(model_text(model))
    if measured:
        typer.echo(
            f"\nOn rows it has not seen: {measured['mean']:.1%} ± {measured['spread']:.1%} "
            f"({splits} splits, a fifth held out, the whole fit repeated)"
        )
    typer.echo(f"\nWritten to {output}. Next: crystalogic predict {output} NEW_ROWS.csv")


def predict(
    model: ModelArgument,
    table: TableArgument,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Predict row by row; tables of any size, only the columns of the rule are needed."""
    rule, source = load(model), open_table(table)
    lines = predictions(rule, source, as_json)
    if output is None:
        for line in lines:
            sys.stdout.write(line)
        return
    from crystalogic.document import write_lines_atomically

    write_lines_atomically(output, lines)


def explain(
    model: ModelArgument,
    table: RowTable = None,
    row: RowNumber = 0,
    value: RowValues = None,
    as_html: Annotated[bool, typer.Option("--html", help="Print a page of HTML.")] = False,
    as_json: Json = False,
) -> None:
    """Show, step by step and exactly, why a row gets its class."""
    from crystalogic.presentation import explanation_content, explanation_page, explanation_text

    if as_json and as_html:
        message = "one form at a time: --json or --html."
        raise typer.BadParameter(message)
    found = load(model).explain(given_row(table, row, value))
    if as_json:
        typer.echo(json.dumps(explanation_content(found), ensure_ascii=False))
        return
    typer.echo(explanation_page(found) if as_html else explanation_text(found))


def verify(model: ModelArgument, as_json: Json = False) -> None:
    """Go through the certificate of a model again, with independent code."""
    rule = load(model)
    rule.check()
    if as_json:
        typer.echo(json.dumps({"verified": True, **rule.certificate.content()}, ensure_ascii=False))
        return
    for formula in rule.formulas:
        typer.echo(f"formula: {formula}")
    typer.echo(str(rule.certificate))


def recover(
    table: TableArgument,
    target: Target,
    seconds: Annotated[float | None, typer.Option("--time", min=0.1, help="Seconds to spend at most.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same formula.")] = 0,
    as_json: Json = False,
) -> None:
    """Find the formula behind a truth table whose columns are truth values. Exit code 1 unless it is exact."""
    from crystalogic.search import recover as find

    rows, labels = rows_and_target(open_table(table), target)
    columns = [degrees_of(rows[name]) for name in rows.columns]
    with progress_bar("recovering") as callback:
        found = find(
            list(zip(*columns, strict=True)),
            degrees_of(labels),
            list(map(str, rows.columns)),
            seed=seed,
            time_budget=seconds,
            callback=callback,
        )
    content = {"formula": str(found.formula), "is_exact": found.is_exact, "stop": found.stop.value}
    typer.echo(json.dumps(content, ensure_ascii=False) if as_json else str(found))
    raise typer.Exit(0 if found.is_exact else 1)


def datasets(
    name: Annotated[str | None, typer.Argument(help="One of the data sets, to write it as CSV.")] = None,
    output: Output = None,
    test: Annotated[bool, typer.Option("--test", help="The fixed test rows of a MONK problem.")] = False,
    as_json: Json = False,
) -> None:
    """List the data sets that come with the package, or write one as CSV."""
    from crystalogic import datasets as sets

    if name is None:
        tables = [sets.load(each) for each in sets.NAMES]
        listed = [
            {"name": t.name, "rows": len(t.rows), "columns": len(t.columns), "target": t.target_name, "cite": t.cite}
            for t in tables
        ]
        if as_json:
            typer.echo(json.dumps(listed, ensure_ascii=False))
            return
        for each in listed:
            typer.echo(
                f"{each['name']:14} {each['rows']:>5} rows  {each['columns']:>2} columns  target {each['target']}"
            )
            typer.echo(f"{'':14} {each['cite']}")
        return
    table = sets.load_test(name) if test else sets.load(name)
    if table is None:
        message = f"{name!r} has no fixed test rows; split it yourself."
        raise TableError(message)
    text = "\n".join(",".join(line) for line in [(*table.columns, table.target_name), *_with_target(table)]) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    from crystalogic.document import write_atomically

    write_atomically(output, text)


def _with_target(table: Any) -> Iterator[tuple[str, ...]]:
    for row, label in zip(table.rows, table.target, strict=True):
        yield (*row, label)


def _request(
    strategy: str, kinds: Any, max_literals: int | None, monotone: Any, forbid: Any, require: Any, start: str | None,
    degrees: bool, seconds: float | None, jobs: int, seed: int,
) -> Any:  # fmt: skip
    from crystalogic.fitting import LATTICE, Request
    from crystalogic.logic.parse import parse

    chosen: Any = strategy
    if strategy == LATTICE:
        from crystalogic.search import Annealing

        limits = {} if max_literals is None else {"max_literals": max_literals}
        chosen = Annealing(n_threads=jobs, **limits)
    return Request(
        strategy=chosen,
        kinds=kinds,
        degrees=degrees,
        monotone=monotone,
        forbidden=tuple(forbid or ()),
        required=tuple(require or ()),
        start=None if start is None else parse(start),
        seed=seed,
        time_budget=seconds,
    )


def _measured(rows: Any, y: Any, target: str, request: Any, splits: int) -> dict[str, float]:
    """The score on held-out fifths, the whole fit repeated without them."""
    if not splits:
        return {}
    import numpy as np
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    from crystalogic.fitting import fit_model

    splitter = ShuffleSplit if request.degrees else StratifiedShuffleSplit
    labels = np.asarray(y)
    scores = []
    with progress_bar("measuring on held-out rows", splits) as callback:
        for train, test in splitter(splits, test_size=0.2, random_state=0).split(np.zeros(len(labels)), labels):
            model = fit_model(rows.iloc[train], labels[train], target, request)
            found = model.predict(rows.iloc[test])
            hits = 1 - abs(found - labels[test]) if request.degrees else found == labels[test]
            scores.append(float(np.mean(hits)))
            callback(None)
    return {"mean": float(np.mean(scores)), "spread": float(np.std(scores)), "splits": splits}
