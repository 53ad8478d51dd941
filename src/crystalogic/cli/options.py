"""Arguments and options that several commands share, and how their texts are read."""

from collections import Counter
from collections.abc import Collection, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption


class PlainReading:
    """Commands for which typer need not load its checks of types, which takes longer than all else it does.

    An option that is not given is its default, and a text is what was typed; no check is needed for these.
    """

    def parse_args(self: Any, ctx: Any, args: list[str]) -> Any:
        """The arguments, read; an option that has one value is refused if it is given twice."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, n_times in Counter(given).items():
            if n_times > 1 and isinstance(option, TyperOption) and not (option.multiple or option.is_flag):
                ctx.fail(f"{max(option.opts, key=len)} is given {n_times} times, and takes one value.")
        for each in self.get_params(ctx):
            if each.type_descriptor.annotation is str if each in given else not each.required:
                each.process_value = lambda _, value: value
        return super().parse_args(ctx, args)  # type: ignore[misc]


class Command(PlainReading, TyperCommand):
    """A command."""


class Commands(PlainReading, TyperGroup):
    """Commands after one word."""


class DecimalMark(StrEnum):
    """What stands before decimals."""

    point = "."
    comma = ","


class UnknownChoice(StrEnum):
    """What to do with a value that is missing and was in no training row."""

    refuse = "refuse"
    skip = "skip"
    false = "false"


TableArgument = Annotated[
    str,
    typer.Argument(metavar="TABLE", help="CSV, TSV, JSON lines or Parquet, also compressed; '-' is standard input."),
]
ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A model file written by `crystalogic fit`.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; standard output by default.")]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="The text encoding of the table, such as cp1252; detected by default.")
]
Decimal = Annotated[
    DecimalMark | None, typer.Option("--decimal", help="The decimal mark, as in 1.5 or 1,5; detected by default.")
]
Gaps = Annotated[
    UnknownChoice,
    typer.Option(
        help="What to do with a gap that no training row had: refuse it, skip the row, or take its facts as false."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def kind_of(text: str) -> tuple[str, Any]:
    """COLUMN=KIND, where a kind with < in it is an order."""
    column, kind = _pair(text.rpartition("="), "COLUMN=KIND, such as zip=category or size='small<medium<large'")
    order = [level.strip() for level in kind.split("<")]
    return column, order if len(order) > 1 else order[0]


def column_type(text: str) -> tuple[str, str]:
    """COLUMN=TYPE."""
    return _pair(text.rpartition("="), "COLUMN=TYPE, such as age=number")


def direction(text: str) -> tuple[str, int]:
    """COLUMN=+ or COLUMN=-."""
    signs = {"+": 1, "+1": 1, "-": -1, "-1": -1}
    wanted = "COLUMN=+ (may only raise the target) or COLUMN=- (may only lower it)"
    column, sign = _pair(text.rpartition("="), wanted, among=signs)
    return column, signs[sign]


def cell(text: str) -> tuple[str, str]:
    """COLUMN=VALUE."""
    return _pair(text.partition("="), "COLUMN=VALUE", may_be_empty=True)


def _pair(
    parts: tuple[str, str, str], wanted: str, *, among: Collection[str] = (), may_be_empty: bool = False
) -> tuple[str, str]:
    """Both sides of the sign =, or a sentence that says what was expected."""
    left, right = parts[0].strip(), parts[2].strip()
    if not left or not parts[1] or not (right or may_be_empty) or (among and right not in among):
        message = f"expected {wanted}, got {''.join(parts)!r}."
        raise typer.BadParameter(message)
    return left, right


def each_once(option: str, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """What an option says of each column; it may say one thing of each."""
    found: dict[str, Any] = {}
    for column, value in pairs:
        if column in found:
            message = f"{option} says two things of {column!r}: {found[column]!r} and {value!r}. Leave one of them out."
            raise typer.BadParameter(message)
        found[column] = value
    return found
