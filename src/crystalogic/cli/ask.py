"""Commands for auditors: ask a model questions, and compare two models. Exit code 0 only for what is proved."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from operator import methodcaller
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import crystalogic
from crystalogic.cli.options import Command, Json, ModelArgument, cell, each_once, refuse
from crystalogic.cli.row import RowNumbers, RowTable, RowValues, given_rows, show_by_row, usual_mark
from crystalogic.model import load


class Questions(TyperGroup):
    """The questions, each after the model; a word that is none of them is answered with those that there are."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The question that is asked."""
        if self.get_command(ctx, args[0]) is None:
            listed = ", ".join(self.list_commands(ctx))
            example = "The model comes first: crystalogic ask model.json ignores sex"
            ctx.fail(f"there is no question {args[0]!r}; there are {listed}. {example}")
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=Questions, no_args_is_help=True, rich_markup_mode=None)

Columns = list[str] | None
Ranges = Annotated[
    list[str] | None, typer.Option("--range", metavar="COLUMN=LOW..HIGH", help="Numbers that can occur: age=0..120")
]
Whole = Annotated[Columns, typer.Option("--integer", metavar="COLUMN", help="A column of whole numbers.")]
MayMiss = Annotated[
    Columns, typer.Option("--missing", metavar="COLUMN", help="Values may be missing only in these columns.")
]
NoneMissing = Annotated[bool, typer.Option("--no-missing", help="No value is missing.")]
Another = Annotated[
    Columns, typer.Option("--another", metavar="COLUMN", help="A category that may have unseen values.")
]
Seconds = Annotated[float, typer.Option("--time", min=0.001, help="Seconds allowed.")]
Column = Annotated[str, typer.Argument(metavar="COLUMN", help="A column of the model.")]
Fewer = Annotated[bool, typer.Option("--decreasing", help="More of it means less of the class.")]
Degree = Annotated[bool, typer.Option("--degree", help="Ask about the degree, not the decision.")]
Risk = Annotated[bool, typer.Option("--risk", help="Ask about the risk: how likely the class is.")]
Label = Annotated[str | None, typer.Option("--class", help="The class that is meant; of two, the second.")]
Policy = Annotated[str, typer.Argument(metavar="FORMULA", help="'{age < 18} -> ~{approved=yes}'")]
Said = Annotated[str, typer.Argument(metavar="CLASS", help="A class, or a comparison: '>= 0.7', 'risk > 0.5'.")]
When = Annotated[str | None, typer.Option(help="A statement or a formula of statements: '{age < 18}'.")]
To = Annotated[str | None, typer.Option(help="The class to reach, or a comparison such as '>= 0.7'.")]
Below = Annotated[str | None, typer.Option(metavar="SHARE", help="Get the risk below this: 0.1, or '10 %'.")]
Above = Annotated[str | None, typer.Option(metavar="SHARE", help="Get the risk above this.")]
Frozen = Annotated[Columns, typer.Option(metavar="COLUMN", help="A column that stays as it is.")]
Rising = Annotated[Columns, typer.Option(metavar="COLUMN", help="A column that may only rise.")]
Falling = Annotated[Columns, typer.Option(metavar="COLUMN", help="A column that may only fall.")]
Keep = Annotated[str | None, typer.Option(help="For degrees or risks: what must stay true: '>= 0.7', 'risk < 0.1'.")]
Percent = Annotated[float, typer.Option(min=0, max=100, help="Error of every number, in percent.")]
Errors = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN=ERROR", help="The error of a column in its own units instead.")
]
Unknown = Annotated[Columns, typer.Option(metavar="COLUMN", help="A column to treat as unknown.")]

Parameters = Mapping[str, tuple[Any, Any]]  # annotations and defaults, by name
NEEDED = Parameter.empty
SHARED: Parameters = {
    "ranges": (Ranges, None),
    "whole": (Whole, None),
    "may_miss": (MayMiss, None),
    "none_missing": (NoneMissing, False),
    "another": (Another, None),
    "seconds": (Seconds, 10.0),
    "as_json": (Json, False),
}
OF_MODEL: Parameters = {"ctx": (typer.Context, NEEDED)}
OF_ROWS: Parameters = {**OF_MODEL, "table": (RowTable, None), "row": (RowNumbers, None), "value": (RowValues, None)}
ASPECT: Parameters = {"degree": (Degree, False), "risk": (Risk, False), "label": (Label, None)}


def _read_aspect(*, degree: bool, risk: bool, scope: Any, **others: Any) -> dict[str, Any]:
    """What a question is about, where that is not the decision; its scope is the domain."""
    refuse(degree and risk, "ask about one of them: --degree or --risk.")
    return {"of": "degree" if degree else "risk" if risk else None, "domain": scope, **others}


def _read_goal(
    *, to: str | None = None, risk_below: str | None = None, risk_above: str | None = None, **others: Any
) -> dict[str, Any]:
    """The one goal of a change, if there is one."""
    below, above = (
        None if share is None else f"risk {sign} {share}" for sign, share in (("<", risk_below), (">", risk_above))
    )
    goals = [each for each in (to, below, above) if each is not None]
    refuse(len(goals) > 1, "a change has one goal: --to, --risk-below or --risk-above.")
    return {"to": goals[0] if goals else None, **others}


def _read_errors(*, error: list[str] | None = None, **others: Any) -> dict[str, Any]:
    """The errors of columns in their own units."""
    return {"errors": each_once("--error", map(cell, error or [])), **others}


@dataclass(frozen=True)
class Question:
    """A question as a command: what it asks, the function of the library that answers it, and the options of its own.

    The function takes the options by their names, as `read` makes them. What is not given is left to the function.
    """

    asks: str
    function: str  # its public name; it is loaded when the question is asked
    own: Parameters
    read: Callable[..., dict[str, Any]] = dict
    is_about_rows: bool = False

    def answer(self, ctx: typer.Context, scope: Callable[..., Any], seconds: float, **given: Any) -> Any:
        """The answer about the model, or about each of the rows by its number."""
        rule = load(ctx.obj)
        within = scope(rule)
        table, row, value = (given.pop(name, None) for name in ("table", "row", "value"))
        own = {name: each for name, each in given.items() if each is not None}
        options = self.read(**own, scope=within, seconds=seconds)
        ask = getattr(crystalogic, self.function)
        if not self.is_about_rows:
            return ask(rule, **options)
        rows = given_rows(rule, table, row, value)
        return {number: ask(rule, cells, **options) for number, cells in rows.items()}


QUESTIONS = {
    "monotone": Question(
        "Is a class never lost as a column rises?",
        "monotone",
        {"column": (Column, NEEDED), "decreasing": (Fewer, False), **ASPECT},
        _read_aspect,
    ),
    "ignores": Question(
        "Does a column make no difference?", "ignores", {"column": (Column, NEEDED), **ASPECT}, _read_aspect
    ),
    "policy": Question("Is a policy true of every row?", "obeys", {"policy": (Policy, NEEDED)}),
    "never": Question("Is a class never given?", "never", {"said": (Said, NEEDED), "when": (When, None)}),
    "always": Question("Is a class always given?", "always", {"said": (Said, NEEDED), "when": (When, None)}),
    "risk-range": Question("How low and how high can the risk be?", "risk_range", {"when": (When, None)}),
    "counterfactual": Question(
        "What is the smallest change of a row that gives another class, or another risk?",
        "counterfactual",
        {
            "to": (To, None),
            "risk_below": (Below, None),
            "risk_above": (Above, None),
            "frozen": (Frozen, None),
            "increasing": (Rising, None),
            "decreasing": (Falling, None),
        },
        _read_goal,
        is_about_rows=True,
    ),
    "reason": Question(
        "Which facts of a row decide it, whatever the rest?",
        "sufficient_reason",
        {"keep": (Keep, None)},
        is_about_rows=True,
    ),
    "robust": Question(
        "Does the class stay the same with measurement errors?",
        "robust",
        {"percent": (Percent, 5.0), "error": (Errors, None), "keep": (Keep, None)},
        _read_errors,
        is_about_rows=True,
    ),
    "missing": Question(
        "Is the class settled without the missing values, or which one is needed?",
        "with_missing",
        {"unknown": (Unknown, None), "keep": (Keep, None)},
        is_about_rows=True,
    ),
}


def _command(name: str, asks: str, own: Parameters, answer: Callable[..., Any]) -> Callable[..., None]:
    """A command with parameters of its own and the options that all questions share.

    What `answer` gives is printed, or its answers about several rows by the numbers of the rows; the exit code is 0
    only for what is proved.
    """

    def command(**given: Any) -> None:
        options = {each: given.pop(each) for each in SHARED}
        found = answer(**given, scope=_declare(options), seconds=options["seconds"])
        answers = found if isinstance(found, dict) else {0: found}
        show_by_row(answers, str, methodcaller("content"), as_json=options["as_json"])
        raise typer.Exit(0 if all(answers.values()) else 1)

    parameters = [
        Parameter(each, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for each, (annotation, default) in {**own, **SHARED}.items()
    ]
    command.__name__, command.__doc__ = name, asks
    # typer reads the parameters of a command from its signature
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _declare(options: dict[str, Any]) -> Callable[..., Any]:
    """The scope of some models as the options declare it."""
    from crystalogic.audit.scope import scope_of

    if options["none_missing"] and options["may_miss"]:
        message = "--missing names columns where values may be missing, --no-missing says that there are none."
        raise typer.BadParameter(message)
    missing = [] if options["none_missing"] else options["may_miss"]
    ranges = each_once("--range", map(_range, options["ranges"] or []))
    return lambda *models: scope_of(
        models, ranges=ranges, whole=options["whole"] or (), missing=missing, another=options["another"] or ()
    )


def _range(text: str) -> tuple[str, tuple[str | None, str | None]]:
    name, separator, bounds = text.rpartition("=")
    low, dots, high = bounds.partition("..")
    refuse(not separator or not dots, f"expected COLUMN=LOW..HIGH, such as age=0..120 or income=0.., got {text!r}.")
    return name.strip(), (low.strip() or None, high.strip() or None)


@app.callback(invoke_without_command=True)
def ask(ctx: typer.Context, model: ModelArgument) -> None:
    """Ask a model a question: proved, refuted with a row, or undecided. Exit code 1 unless proved."""
    if ctx.invoked_subcommand is None:
        ctx.fail(f"ask {model} what? `crystalogic ask --help` lists the questions, such as: ignores COLUMN")
    ctx.obj = model


for name, question in QUESTIONS.items():
    first = OF_ROWS if question.is_about_rows else OF_MODEL
    app.command(name, cls=Command)(_command(name, question.asks, {**first, **question.own}, question.answer))


def _diff(old: str, new: str, table: str | None, scope: Callable[..., Any], seconds: float) -> Any:
    from crystalogic.audit.diff import diff
    from crystalogic.files import open_table

    first, second = load(old), load(new)
    columns = [*first.columns, *second.columns]
    parts = None if table is None else open_table(table, None, usual_mark(first, second)).parts(columns=columns)
    return diff(first, second, parts, scope=scope(first, second), seconds=seconds)


diff = _command(
    "diff",
    "Do two models ever disagree? Exit code 1 unless it is proved that they never do.",
    {
        "old": (Annotated[str, typer.Argument(metavar="OLD", help="A model file.")], NEEDED),
        "new": (Annotated[str, typer.Argument(metavar="NEW", help="Another model file.")], NEEDED),
        "table": (
            Annotated[str | None, typer.Argument(metavar="TABLE", help="Rows to count the differences on.")],
            None,
        ),
    },
    _diff,
)
