"""Arguments and options of `fit` and those that several commands share, and how their texts are read."""

from collections import Counter
from collections.abc import Collection, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from crystalogic.files import TableFile
from crystalogic.files.columns import refuse_unknown


class Command(TyperCommand):
    """A command that refuses an option which is given twice and has one value, instead of forgetting the first."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, read."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, n_times in Counter(given).items():
            if n_times > 1 and isinstance(option, TyperOption) and not (option.multiple or option.is_flag):
                ctx.fail(f"{max(option.opts, key=len)} is given {n_times} times, and takes one value.")
        return super().parse_args(ctx, args)


class DecimalMark(StrEnum):
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
ModelFile = Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(help="COLUMN=number, code, category, ignore, or an order: size='small<medium<large'."),
]
Ignored = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out, or several: 'id_*'.")]
Only = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Read this column alone, or several: 'lab_*'.")]
By = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Also judge each value of a column by itself; of several, such as sex,race, each pair."
    ),
]
Protected = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="A column such as sex, or several: keep it out, and measure the rule by it."),
]
MissingWords = Annotated[
    list[str] | None,
    typer.Option(metavar="WORD", help="What means missing, such as -9 or unknown,NA; replaces the usual words."),
]
Directions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=SIGN", help="COLUMN=+: more of it may only raise the target; COLUMN=-: only lower it."
    ),
]
Forbidden = Annotated[list[str] | None, typer.Option(metavar="NAME", help="A column or literal that must not be used.")]
Required = Annotated[list[str] | None, typer.Option(metavar="LITERAL", help="A literal that must be used.")]
Start = Annotated[str | None, typer.Option(help="A formula to start from.")]
StrategyName = Annotated[
    str, typer.Option(help="auto, likelihood, annealing, straight_through, levenberg_marquardt or proximal.")
]
RuleShape = Annotated[
    str | None, typer.Option(metavar="SHAPE", help="checklist, points or formula; else what predicts best.")
]
MaxLiterals = Annotated[int | None, typer.Option(min=1, help="No formula longer than this.")]
Size = Annotated[
    int | None, typer.Option(min=1, help="Adopt the formula of the front with at most this many literals.")
]
Cuts = Annotated[int | None, typer.Option(min=0, help="How many cuts, such as age ≥ 55, to try for each number.")]
Positive = Annotated[
    str | None, typer.Option(help="Of two classes, the one that the rule speaks for; else the second.")
]
Ordered = Annotated[
    str | None,
    typer.Option(metavar="ORDER", help="The classes are grades: 'low<medium<high', or auto where they are numbers."),
]
SkipUnknown = Annotated[bool, typer.Option("--skip-unknown", help="Leave out the rows whose target is missing.")]
Balanced = Annotated[bool, typer.Option("--balanced", help="Give every class the same weight, however rare it is.")]
Costs = Annotated[
    str | None,
    typer.Option(metavar="COSTS", help="Set the threshold by what errors cost: missed=5,false-alarm=1."),
]
Sensitivity = Annotated[
    float | None, typer.Option(min=0, max=1, help="Set the threshold so that this share of the class is found.")
]
Specificity = Annotated[
    float | None, typer.Option(min=0, max=1, help="Set it so that this share of the other class is left alone.")
]
FromRisk = Annotated[
    float | None, typer.Option("--from-risk", min=0, max=1, help="Decide for the class from this probability on.")
]
Abstain = Annotated[
    float | None,
    typer.Option(min=0, max=0.5, help="Ask a person, so that no more than this share of a class is told the other."),
]
Degrees = Annotated[bool, typer.Option("--degrees", help="The target holds truth degrees in [0,1].")]
Splits = Annotated[
    int, typer.Option(min=0, help="Also repeat the whole fit this many times, each time measured on a held-out fifth.")
]
Seconds = Annotated[
    float | None,
    typer.Option("--time", min=0.1, help="Time limit of the search in seconds; every split has the same limit."),
]
Prove = Annotated[
    float | None,
    typer.Option(
        min=0.1, metavar="SECONDS", help="Prove how much better checklists of each size can be on these rows, and mend."
    ),
]
Jobs = Annotated[int, typer.Option(min=1, help="Threads; the result does not depend on them.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same rule.")]
Report = Annotated[
    Path | None, typer.Option(help="Also write a report page, such as report.html, to be opened in a browser.")
]
Scheduler = Annotated[
    str | None, typer.Option(help="The address of a Dask scheduler whose workers can read the table.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Write the model and print nothing.")]


def refuse(is_wrong: object, why: str) -> None:
    """An error of usage that says why, if something is asked for wrongly."""
    if is_wrong:
        raise typer.BadParameter(why)


def kind_of(text: str) -> tuple[str, Any]:
    """COLUMN=KIND, where a kind with < in it is an order."""
    column, kind = _pair(text.rpartition("="), "COLUMN=KIND, such as zip=category or size='small<medium<large'")
    order = [level.strip() for level in kind.split("<")]
    return column, order if len(order) > 1 else order[0]


def names_of(given: Iterable[str] | None, source: TableFile) -> list[str]:
    """The columns that an option names, once or several times or with commas; an error if there is no such column."""
    listed = ([text] if text in source.columns else map(str.strip, text.split(",")) for text in given or ())
    names = list(dict.fromkeys(name for each in listed for name in each))
    refuse_unknown(names, source)
    return names


def column_type(text: str) -> tuple[str, str]:
    return _pair(text.rpartition("="), "COLUMN=TYPE, such as age=number")


def direction(text: str) -> tuple[str, int]:
    """COLUMN=+ or COLUMN=-."""
    signs = {"+": 1, "+1": 1, "-": -1, "-1": -1}
    wanted = "COLUMN=+ (may only raise the target) or COLUMN=- (may only lower it)"
    column, sign = _pair(text.rpartition("="), wanted, among=signs)
    return column, signs[sign]


def cell(text: str) -> tuple[str, str]:
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


def aim_of(
    cost: str | None, sensitivity: float | None, specificity: float | None, risk: float | None, abstain: float | None
) -> Any:
    """The operating point that is asked for; None for none."""
    if all(each is None for each in (cost, sensitivity, specificity, risk, abstain)):
        return None
    from crystalogic.operating import Aim

    costs = None if cost is None else each_once("--cost", (_read_cost(each) for each in cost.split(",")))
    return Aim.of(cost=costs, sensitivity=sensitivity, specificity=specificity, risk=risk, abstain=abstain)


def _read_cost(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        message = f"expected costs such as missed=5,false-alarm=1, got {text!r}."
        raise typer.BadParameter(message) from None
