"""The options of `fit`, some of which `operate` has as well."""

from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.options import each_once

ModelFile = Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(help="COLUMN=number, code, category, ignore, or an order: size='small<medium<large'."),
]
Ignored = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out, or several: 'id_*'.")]
Only = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Read this column alone, or several: 'lab_*'.")]
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
Jobs = Annotated[int, typer.Option(min=1, help="Threads; the result does not depend on them.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same rule.")]
Report = Annotated[
    Path | None, typer.Option(help="Also write a report page, such as report.html, to be opened in a browser.")
]
Scheduler = Annotated[
    str | None, typer.Option(help="The address of a Dask scheduler whose workers can read the table.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Write the model and print nothing.")]


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
