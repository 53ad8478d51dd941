"""Cells and their facts: truth values of every literal for nasty columns, and that they stay within the scope.

A certificate speaks of the rows that its scope allows: facts of which at most one is true must be so for every cell.
"""

from fractions import Fraction
from typing import Any

from crystalogic.encoding import Encoding
from crystalogic.errors import CrystalogicError
from oracle.attacks.predict import frames
from oracle.case import Case
from oracle.draws import Drawn, Table, draw_column, draw_table, model_with
from oracle.rules import Refused, Rule


def attack(case: Case) -> None:
    """One column, read as a list, as a column of pandas and of polars."""
    encoding = Encoding((draw_column("c", case.draw),))
    drawn = model_with(case.draw, case.folder, encoding)
    table = draw_table(drawn, case.draw, 60, refusals=1.0)
    usable = [place for place in range(table.n_rows) if truths(drawn.rule, table.row(place)) is not None]
    table = table.take(usable or [0])
    for how, rows in (("mapping", table.cells), *frames(table)):
        judge(case, drawn, encoding, table, rows, how)


def truths(rule: Rule, row: dict[str, Any]) -> list[Fraction] | None:
    """What every literal of the only column says of the row; None if it is refused."""
    (column,) = rule.columns.values()
    try:
        return [rule.truth(each, row) for each in column.literals]
    except Refused:
        return None


def judge(case: Case, drawn: Drawn, encoding: Encoding, table: Table, rows: Any, how: str) -> None:
    """The array of truth values beside the oracle's, and within the declared domain."""
    try:
        found = encoding.transform(rows, dtype="float64")
    except CrystalogicError as error:
        case.expect(any(truths(drawn.rule, table.row(i)) is None for i in range(table.n_rows)), f"{how}: {error}")
        return
    for place in range(table.n_rows):
        wanted = truths(drawn.rule, table.row(place))
        what = f"{how}: {table.cells['c'][place]!r} as {table.storage['c']} of {encoding.columns[0]}, {encoding.names}"
        if not case.expect(wanted is not None, f"{what}: is not refused") or wanted is None:
            continue
        here = found[place].tolist()
        case.expect(
            all(abs(Fraction(one) - exact) < Fraction(1, 10**12) for one, exact in zip(here, wanted, strict=True)),
            f"{what}: {here}, expected {[float(each) for each in wanted]}",
        )
        by_name = dict(zip(encoding.names, here, strict=True))
        for group in encoding.domain.groups:
            case.expect(sum(by_name[name] for name in group) <= 1, f"{what}: two of {group} are true at once")
