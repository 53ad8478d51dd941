"""Commands that judge a model on a table whose classes are known, set its threshold by it, and say what changed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

import crystalogic
from crystalogic.arrays import pd
from crystalogic.cli.options import Asked, aim_of, names_of, open_for, refuse, refuse_missing_columns
from crystalogic.cli.output import check_output, show, show_json, show_notes, tell, write
from crystalogic.cli.use import WRITTEN, is_training, today
from crystalogic.files.table import TableFile, refuse_unknown
from crystalogic.model import Model, load
from crystalogic.words.literals import Unseen
from crystalogic.words.models import rule_text

MOST_ROWS = 1_000_000  # that `watch` looks at; of a longer table a half, a quarter, …, drawn at random


def evaluate(asked: Asked) -> None:
    """Judge a model on a table of any size that also has the target: how right it is, and its told risks."""
    rule, other = load(asked.model), None if asked.against is None else load(asked.against)
    source = _open(rule, other, asked)
    names = names_of(asked.by, source)
    how = {"by": names, "against": other, "level": asked.level, "unknown": asked.unknown.value}
    found = crystalogic.evaluate(rule, _parts(rule, other, source, names), **how)
    _note_training(rule, source, found.n_rows)
    which = {"model": asked.model, "table": asked.table, **({"other": asked.against} if asked.against else {})}
    tell({**which, **found.content()}, f"{_title(asked, asked.against)}\n\n{found}", as_json=asked.json)


def _title(asked: Asked, other: str | None) -> str:
    return f"{asked.model} on {asked.table}{f', beside {other}' if other else ''}"


def operate(asked: Asked) -> None:
    """Set the threshold of a model by costs, a sensitivity, a specificity or a risk; certify and write it anew."""
    from crystalogic.operating import count_rows, set_point

    aim = aim_of(asked)
    refuse(aim is None, "say what to set the threshold for: --sensitivity 0.95, --cost missed=5,false-alarm=1…")
    file, rule = check_output(asked.output), load(asked.model)
    if asked.table is None:
        found = set_point(rule, aim)
    else:
        source = _open(rule, None, asked)
        counted = count_rows(rule, _parts(rule, None, source), unknown=asked.unknown.value)
        found = set_point(rule, aim, counted, f"of {Path(asked.table).name}")
        _note_training(rule, source, found.n_rows)
    if file is not None:
        found.model.save(file)
    if asked.json:
        show_json({"model": str(file) if file else None, **found.content(), **found.model.summary()})
        return
    show(f"{rule_text(found.model)}\n\n{found}")
    show(f"\nWritten to {file}." if file else "\nNothing is written; --output other.json writes the model.")


def _open(rule: Model, other: Model | None, asked: Asked) -> TableFile:
    """The table, which has all columns that are needed."""
    source = open_for(asked.table, asked, rule)
    for each in filter(None, (rule, other)):
        refuse_missing_columns(each, source)
    refuse_unknown([rule.target], source)
    return source


def _note_training(rule: Model, source: TableFile, n_rows: int) -> None:
    """Says so if a table of so many rows is the one that the model was learned from."""
    if n_rows == rule.record.n_rows and is_training(rule, frame := source.read(), frame[rule.target]):
        show_notes(["the model was learned from these rows; rows that it has not seen tell more."])


def _parts(rule: Model, other: Model | None, source: TableFile, by: Sequence[str] = ()) -> Iterator[Any]:
    """The table in parts, with the columns that are needed alone; values that no training row had are noted."""
    columns = dict.fromkeys([*rule.columns, *(other.columns if other else ()), rule.target, *by])
    notes = Unseen(rule)
    for part in source.parts(columns=list(columns)):
        show_notes(notes.find(part))
        yield part


def watch(asked: Asked) -> None:
    """Say what changed in a new table before it is scored: exit code 0 for nothing, 1 for something to look at."""
    from crystalogic.watching.watch import watch_page

    rule, file = load(asked.model), check_output(asked.page)
    given = None if asked.reference is None else _read_compared(rule, asked.reference, asked)
    found = crystalogic.watch(rule, _read_compared(rule, asked.table, asked), given)
    if file is not None:
        write(file, [watch_page(rule, found, Path(asked.table).name, today())])
    content = {"model": asked.model, "table": asked.table, **found.content()}
    tell(content, f"{_title(asked, asked.reference)}: {found}", as_json=asked.json)
    if file is not None and not asked.json:
        show("\n" + WRITTEN.format(file))
    if found.findings:
        raise typer.Exit(1)


def _read_compared(rule: Model, table: str, asked: Asked) -> Any:
    """The columns of a table that are compared; all of them, if one that the rule reads is not there."""
    source = open_for(table, asked, rule)
    known = {*rule.columns, rule.target, *(column.name for column in rule.encoding.columns if column.literals)}
    needed = [name for name in source.columns if name in known or not {*rule.columns} <= {*source.columns}]
    parts, n_rows, step = list[Any](), 0, 1
    for part in source.parts(columns=needed):
        parts.append(part if step == 1 else part.sample(frac=1 / step, random_state=0))
        n_rows += len(part)
        if sum(map(len, parts)) > MOST_ROWS:
            parts, step = [pd.concat(parts).sample(frac=0.5, random_state=0)], 2 * step
    if step > 1:
        show_notes([f"of the {n_rows:,} rows of {table}, one in {step} was looked at."])
    return pd.concat(parts, ignore_index=True) if parts else source.read()
