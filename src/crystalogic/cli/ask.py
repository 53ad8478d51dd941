"""Commands for auditors: ask a model questions, and compare two models. Exit code 0 only for what is proved."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from operator import methodcaller
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from crystalogic.cli.options import Command, Json, ModelArgument, cell, each_once
from crystalogic.cli.row import RowNumbers, RowTable, RowValues, given_rows, show_by_row
from crystalogic.model import Model, load


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

Ranges = Annotated[
    list[str] | None, typer.Option("--range", metavar="COLUMN=LOW..HIGH", help="Numbers that can occur: age=0..120")
]
Whole = Annotated[list[str] | None, typer.Option("--integer", metavar="COLUMN", help="A column of whole numbers.")]
MayMiss = Annotated[
    list[str] | None, typer.Option("--missing", metavar="COLUMN", help="Values may be missing only in these columns.")
]
NoneMissing = Annotated[bool, typer.Option("--no-missing", help="No value is missing.")]
Another = Annotated[
    list[str] | None, typer.Option("--another", metavar="COLUMN", help="A category that may have unseen values.")
]
Seconds = Annotated[float, typer.Option("--time", min=0.001, help="Seconds allowed.")]
Column = Annotated[str, typer.Argument(metavar="COLUMN", help="A column of the model.")]
Degree = Annotated[bool, typer.Option("--degree", help="Ask about the degree, not the decision.")]
Risk = Annotated[bool, typer.Option("--risk", help="Ask about the risk: how likely the class is.")]
Below = Annotated[str | None, typer.Option(metavar="SHARE", help="Get the risk below this: 0.1, or '10 %'.")]
Above = Annotated[str | None, typer.Option(metavar="SHARE", help="Get the risk above this.")]
Label = Annotated[str | None, typer.Option("--class", help="The class that is meant; of two, the second.")]
Said = Annotated[str, typer.Argument(metavar="CLASS", help="A class, or a comparison: '>= 0.7', 'risk > 0.5'.")]
When = Annotated[str | None, typer.Option(help="A statement or a formula of statements: '{age < 18}'.")]
Keep = Annotated[str | None, typer.Option(help="For degrees or risks: what must stay true: '>= 0.7', 'risk < 0.1'.")]

Parameters = Mapping[str, tuple[Any, Any]]  # annotations and defaults, by name
SHARED: Parameters = {
    "ranges": (Ranges, None),
    "whole": (Whole, None),
    "may_miss": (MayMiss, None),
    "none_missing": (NoneMissing, False),
    "another": (Another, None),
    "seconds": (Seconds, 10.0),
    "as_json": (Json, False),
}
OF_MODEL: Parameters = {"ctx": (typer.Context, Parameter.empty)}
OF_ROWS: Parameters = {**OF_MODEL, "table": (RowTable, None), "row": (RowNumbers, None), "value": (RowValues, None)}


def question(ask: Callable[..., Any]) -> Callable[..., None]:
    """A command that asks the model: `ask` gets the model, its own options, the declared scope and the seconds."""

    def answer(ctx: typer.Context, scope: Callable[..., Any], **own: Any) -> Any:
        rule = load(ctx.obj)
        return ask(rule, **own, scope=scope(rule))

    return _command(ask, answer, OF_MODEL)


def row_question(ask: Callable[..., Any]) -> Callable[..., None]:
    """A command that asks the model about rows: `ask` gets the cells of one of them after the model."""

    def answer(ctx: typer.Context, table: Any, row: Any, value: Any, scope: Callable[..., Any], **own: Any) -> Any:
        rule = load(ctx.obj)
        within = scope(rule)
        rows = given_rows(rule, table, row, value)
        return {number: ask(rule, cells, **own, scope=within) for number, cells in rows.items()}

    return _command(ask, answer, OF_ROWS)


def _command(ask: Callable[..., Any], answer: Callable[..., Any], first: Parameters) -> Callable[..., None]:
    """A command with these parameters, those of `ask` that are for users, and the options that all questions share.

    What `answer` gives is printed, or its answers about several rows by the numbers of the rows; the exit code is 0
    only for what is proved.
    """
    asked = signature(ask).parameters
    own = {
        name: (each.annotation, each.default)
        for name, each in asked.items()
        if hasattr(each.annotation, "__metadata__")
    }

    @wraps(ask)
    def command(**given: Any) -> None:
        options = {name: given.pop(name) for name in SHARED}
        found = answer(**given, scope=_declare(options), seconds=options["seconds"])
        answers = found if isinstance(found, dict) else {0: found}
        show_by_row(answers, str, methodcaller("content"), as_json=options["as_json"])
        raise typer.Exit(0 if all(answers.values()) else 1)

    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in {**first, **own, **SHARED}.items()
    ]
    # typer reads the parameters of a command from its signature
    command.__signature__ = signature(ask).replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
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
    if not separator or not dots:
        message = f"expected COLUMN=LOW..HIGH, such as age=0..120 or income=0.., got {text!r}."
        raise typer.BadParameter(message)
    return name.strip(), (low.strip() or None, high.strip() or None)


@app.callback(invoke_without_command=True)
def ask(ctx: typer.Context, model: ModelArgument) -> None:
    """Ask a model a question: proved, refuted with a row, or undecided. Exit code 1 unless proved."""
    if ctx.invoked_subcommand is None:
        ctx.fail(f"ask {model} what? `crystalogic ask --help` lists the questions, such as: ignores COLUMN")
    ctx.obj = model


def _of(degree: bool, risk: bool) -> str | None:
    """What a question is about, where that is not the decision."""
    if degree and risk:
        message = "ask about one of them: --degree or --risk."
        raise typer.BadParameter(message)
    return "degree" if degree else "risk" if risk else None


@app.command(cls=Command)
@question
def monotone(
    rule: Model,
    column: Column,
    decreasing: Annotated[bool, typer.Option("--decreasing", help="More of it means less of the class.")] = False,
    degree: Degree = False,
    risk: Risk = False,
    label: Label = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Is a class never lost as a column rises?"""
    from crystalogic.audit.monotone import monotone

    of: Any = _of(degree, risk)
    return monotone(rule, column, scope, decreasing=decreasing, of=of, label=label, seconds=seconds)


@app.command(cls=Command)
@question
def ignores(
    rule: Model,
    column: Column,
    degree: Degree = False,
    risk: Risk = False,
    label: Label = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Does a column make no difference?"""
    from crystalogic.audit.ignores import ignores

    of: Any = _of(degree, risk)
    return ignores(rule, column, scope, of=of, label=label, seconds=seconds)


@app.command(cls=Command)
@question
def policy(
    rule: Model,
    formula: Annotated[str, typer.Argument(metavar="FORMULA", help="'{age < 18} -> ~{approved=yes}'")],
    **how: Any,
) -> Any:
    """Is a policy true of every row?"""
    from crystalogic.audit.policy import obeys

    return obeys(rule, formula, **how)


@app.command(cls=Command)
@question
def never(rule: Model, said: Said, when: When = None, **how: Any) -> Any:
    """Is a class never given?"""
    from crystalogic.audit.policy import never

    return never(rule, said, when=when, **how)


@app.command(cls=Command)
@question
def always(rule: Model, said: Said, when: When = None, **how: Any) -> Any:
    """Is a class always given?"""
    from crystalogic.audit.policy import always

    return always(rule, said, when=when, **how)


@app.command(cls=Command)
@question
def risk_range(rule: Model, when: When = None, **how: Any) -> Any:
    """How low and how high can the risk be?"""
    from crystalogic.audit.risk_range import risk_range

    return risk_range(rule, when=when, **how)


@app.command(cls=Command)
@row_question
def counterfactual(
    rule: Model,
    cells: Any,
    to: Annotated[str | None, typer.Option(help="The class to reach, or a comparison such as '>= 0.7'.")] = None,
    risk_below: Below = None,
    risk_above: Above = None,
    frozen: Annotated[
        list[str] | None, typer.Option("--frozen", metavar="COLUMN", help="A column that stays as it is.")
    ] = None,
    increasing: Annotated[
        list[str] | None, typer.Option("--increasing", metavar="COLUMN", help="A column that may only rise.")
    ] = None,
    decreasing: Annotated[
        list[str] | None, typer.Option("--decreasing", metavar="COLUMN", help="A column that may only fall.")
    ] = None,
    **how: Any,
) -> Any:
    """What is the smallest change of a row that gives another class, or another risk?"""
    from crystalogic.audit.counterfactual import counterfactual

    risks = {"<": risk_below, ">": risk_above}
    goals = [
        *([] if to is None else [to]),
        *(f"risk {sign} {share}" for sign, share in risks.items() if share is not None),
    ]
    if len(goals) > 1:
        message = "a change has one goal: --to, --risk-below or --risk-above."
        raise typer.BadParameter(message)
    limits: Any = {"frozen": frozen or (), "increasing": increasing or (), "decreasing": decreasing or ()}
    return counterfactual(rule, cells, to=goals[0] if goals else None, **limits, **how)


@app.command(cls=Command)
@row_question
def reason(rule: Model, cells: Any, keep: Keep = None, **how: Any) -> Any:
    """Which facts of a row decide it, whatever the rest?"""
    from crystalogic.audit.reason import sufficient_reason

    return sufficient_reason(rule, cells, keep=keep, **how)


@app.command(cls=Command)
@row_question
def robust(
    rule: Model,
    cells: Any,
    percent: Annotated[float, typer.Option(min=0, max=100, help="Error of every number, in percent.")] = 5.0,
    error: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=ERROR", help="The error of a column in its own units instead.")
    ] = None,
    keep: Keep = None,
    **how: Any,
) -> Any:
    """Does the class stay the same with measurement errors?"""
    from crystalogic.audit.robust import robust

    return robust(rule, cells, percent, errors=each_once("--error", map(cell, error or [])), keep=keep, **how)


@app.command(cls=Command)
@row_question
def missing(
    rule: Model,
    cells: Any,
    unknown: Annotated[
        list[str] | None, typer.Option("--unknown", metavar="COLUMN", help="A column to treat as unknown.")
    ] = None,
    keep: Keep = None,
    **how: Any,
) -> Any:
    """Is the class settled without the missing values, or which one is needed?"""
    from crystalogic.audit.missing import with_missing

    return with_missing(rule, cells, unknown or (), keep=keep, **how)


def _diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A model file.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Another model file.")],
    table: Annotated[str | None, typer.Argument(metavar="TABLE", help="Rows to count the differences on.")] = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Do two models ever disagree? Exit code 1 unless it is proved that they never do."""
    from crystalogic.audit.diff import diff
    from crystalogic.cli.opening import usual_mark
    from crystalogic.files import open_table

    first, second = load(old), load(new)
    columns = [*first.columns, *second.columns]
    parts = None if table is None else open_table(table, None, usual_mark(first, second)).parts(columns=columns)
    return diff(first, second, parts, scope=scope(first, second), seconds=seconds)


diff = _command(_diff, _diff, {})
diff.__name__ = "diff"
