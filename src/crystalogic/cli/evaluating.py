"""The command that judges a model on a table whose classes are known."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from crystalogic.cli.opening import open_for
from crystalogic.cli.options import Decimal, Encoding, Gaps, Json, ModelArgument, TableArgument, UnknownChoice
from crystalogic.cli.output import show, show_json
from crystalogic.cli.reporting import is_training
from crystalogic.files import TableFile
from crystalogic.files.columns import refuse_unknown
from crystalogic.intervals import LEVEL
from crystalogic.model import Model, load


def evaluate(
    model: ModelArgument,
    table: TableArgument,
    by: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Also judge the rows of each value of a column by themselves.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Another model file, to be judged on the same rows.")
    ] = None,
    level: Annotated[float, typer.Option(help="How often intervals hold what they are for.")] = LEVEL,
    unknown: Gaps = UnknownChoice.refuse,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Judge a model on a table of any size that also has the target: how right it is, and its told risks."""
    from crystalogic.cli.predictions import refuse_missing_columns
    from crystalogic.evaluation import evaluate as judge

    rule, other = load(model), None if against is None else load(against)
    source = open_for(rule, table, encoding, decimal)
    for each in filter(None, (rule, other)):
        refuse_missing_columns(each, source)
    refuse_unknown(filter(None, (rule.target, by)), source)
    rows = _parts(rule, other, source, by)
    found = judge(rule, rows, by=by, against=other, level=level, unknown=unknown.value)
    if found.n_rows == rule.record.n_rows and is_training(rule, frame := source.read(), frame[rule.target]):
        show("note: the model was learned from these rows; rows that it has not seen tell more.", to_errors=True)
    if as_json:
        show_json({"model": model, "table": table, **({"other": against} if against else {}), **found.content()})
    else:
        show(f"{model} on {table}{f', beside {against}' if against else ''}\n\n{found}")


def _parts(rule: Model, other: Model | None, source: TableFile, by: str | None) -> Iterator[Any]:
    """The table in parts, with the columns that are needed alone; values that no training row had are noted."""
    from crystalogic.cli.predictions import Unseen

    more = () if other is None else other.columns
    columns = dict.fromkeys([*rule.columns, *more, rule.target, *([] if by is None else [by])])
    notes = Unseen(rule)
    for part in source.parts(columns=list(columns)):
        notes.look_at(part)
        yield part
