"""Explanations: exact degrees, decision and margin of single rows, from tables, options and the library."""

from fractions import Fraction
from typing import Any

from crystalogic.errors import CrystalogicError
from oracle.case import Case
from oracle.commands import command, strict_json
from oracle.draws import Drawn, draw_model, draw_table, draw_ties
from oracle.files import write_csv, write_lines, write_parquet
from oracle.judge import Expected, expected_row
from oracle.rules import Rule


def attack(case: Case) -> None:
    """A model and a few rows, explained by the library and by the command."""
    if case.draw.random() < 0.2:
        drawn, table = draw_ties(case.draw, case.folder)
        for place in range(20):
            in_library(case, drawn, table.row(place))
        return
    drawn = draw_model(case.draw, case.folder)
    form = case.draw.choice(["library", "csv", "lines", "parquet", "values"])
    table = draw_table(drawn, case.draw, 6, mixed=form in ("library", "lines"))
    if form == "parquet":
        write_parquet(table, case.folder / "t", case.draw)
    elif form == "csv":
        table = write_csv(table, case.folder / "t", case.draw)
    elif form == "lines":
        write_lines(table, case.folder / "t", case.draw)
    for place in range(min(table.n_rows, 4)):
        row = table.row(place)
        if form == "library":
            in_library(case, drawn, row)
        elif form == "values":
            typed = {name: "" if cell is None else str(cell) for name, cell in row.items()}
            if not any("=" in name for name in typed):
                options = [part for name, text in typed.items() for part in ("--value", f"{name}={text}")]
                by_command(case, drawn, typed, *options)
        else:
            by_command(case, drawn, row, "t", "--row", str(place))


def in_library(case: Case, drawn: Drawn, row: dict[str, Any]) -> None:
    """`Model.explain`, degree by degree."""
    wanted = expected_row(drawn.rule, row)
    try:
        found = drawn.model.explain(row)
    except CrystalogicError as error:
        case.same(wanted.degrees, None, f"explain {row}: {error}: degrees")
        return
    case.same(found.degrees, wanted.degrees, f"explain {row}: degrees of {drawn.model}")
    if wanted.degrees is not None:
        case.same(found.decision, wanted.decision, f"explain {row}: decision of {drawn.model}")


def by_command(case: Case, drawn: Drawn, row: dict[str, Any], *arguments: str) -> None:
    """`explain --json`, degree by degree and literal by literal."""
    wanted = expected_row(drawn.rule, row)
    said = command("explain", str(drawn.path), *arguments, "--json")
    what = f"explain {' '.join(arguments)} {row}"
    if wanted.degrees is None:
        case.same(said.code, 1, f"{what}: must be refused, exit code")
    elif case.same(said.code, 0, f"{what}: {said.err[:200]}: exit code"):
        judge(case, strict_json(said.out), drawn.rule, row, wanted, what)


def judge(case: Case, found: Any, rule: Rule, row: dict[str, Any], wanted: Expected, what: str) -> None:
    """What the JSON of an explanation says."""
    assert wanted.degrees is not None
    case.same([Fraction(each) for each in found["degrees"]], list(wanted.degrees), f"{what}: degrees")
    case.same(found["decision"], str(wanted.decision), f"{what}: decision")
    if rule.classes is not None:
        case.same(Fraction(found["margin"]), rule.margin(wanted.degrees), f"{what}: margin")
        case.expect(wanted.is_close or "predicted" not in found, f"{what}: predicted otherwise, and not by rounding")
    for each in found["literals"]:
        case.same(Fraction(each["degree"]), rule.truth(rule.literals[each["name"]], row), f"{what}: {each['name']}")
