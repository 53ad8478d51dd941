"""Commands for auditors: ask a model questions, and compare two models. Exit code 0 only for what is proved."""

from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter, signature
from operator import methodcaller
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from crystalogic.cli.options import Command, Json, ModelArgument, cell, each_once
from crystalogic.cli.output import checked
from crystalogic.cli.row import RowNumbers, RowTable, RowValues, given_rows, show_by_row
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
Label = Annotated[str | None, typer.Option("--class", help="The class that is meant; of two, the second.")]
Said = Annotated[str, typer.Argument(metavar="CLASS", help="A class, or a comparison such as '>= 0.7'.")]
When = Annotated[str | None, typer.Option(help="A statement or a formula of statements: '{age < 18}'.")]
Keep = Annotated[str | None, typer.Option(help="For degrees: what must stay true, such as '>= 0.7'.")]

SHARED: dict[str, tuple[Any, Any]] = {
    "ranges": (Ranges, None),
    "whole": (Whole, None),
    "may_miss": (MayMiss, None),
    "none_missing": (NoneMissing, False),
    "another": (Another, None),
    "seconds": (Seconds, 10.0),
    "as_json": (Json, False),
}


def question(ask: Callable[..., Any]) -> Callable[..., None]:
    """A command around a function that asks: with the options that all questions share, and with their exit code.

    The function gets `scope`, which gives the declared scope of some models, and `seconds`; its answer is printed, or
    its answers about several rows, by the numbers of the rows.
    """
    shared = [Parameter(n, Parameter.KEYWORD_ONLY, default=d, annotation=a) for n, (a, d) in SHARED.items()]
    own = [each for name, each in signature(ask).parameters.items() if name not in ("scope", "seconds")]

    @wraps(ask)
    def command(**given: Any) -> None:
        options = {name: given.pop(name) for name in SHARED}
        answer = ask(**given, scope=_declared(options), seconds=options["seconds"])
        answers = answer if isinstance(answer, dict) else {0: answer}
        show_by_row(answers, str, methodcaller("content"), as_json=options["as_json"])
        raise typer.Exit(0 if all(answers.values()) else 1)

    parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own] + shared
    # typer reads the parameters of a command from its signature
    command.__signature__ = signature(ask).replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _declared(options: dict[str, Any]) -> Callable[..., Any]:
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


@app.command(cls=Command)
@question
def monotone(
    ctx: typer.Context,
    column: Column,
    decreasing: Annotated[bool, typer.Option("--decreasing", help="More of it means less of the class.")] = False,
    degree: Degree = False,
    label: Label = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Is a class never lost as a column rises?"""
    from crystalogic.audit.monotone import monotone

    rule = load(ctx.obj)
    of: Any = "degree" if degree else None
    return monotone(rule, column, scope(rule), decreasing=decreasing, of=of, label=label, seconds=seconds)


@app.command(cls=Command)
@question
def ignores(
    ctx: typer.Context, column: Column, degree: Degree = False, label: Label = None, *, scope: Any, seconds: float
) -> Any:
    """Does a column make no difference?"""
    from crystalogic.audit.ignores import ignores

    rule = load(ctx.obj)
    return ignores(rule, column, scope(rule), of="degree" if degree else None, label=label, seconds=seconds)


@app.command(cls=Command)
@question
def policy(
    ctx: typer.Context,
    formula: Annotated[str, typer.Argument(metavar="FORMULA", help="'{age < 18} -> ~{approved=yes}'")],
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Is a policy true of every row?"""
    from crystalogic.audit.policy import obeys

    rule = load(ctx.obj)
    return obeys(rule, formula, scope(rule), seconds=seconds)


@app.command(cls=Command)
@question
def never(ctx: typer.Context, said: Said, when: When = None, *, scope: Any, seconds: float) -> Any:
    """Is a class never given?"""
    from crystalogic.audit.policy import never

    rule = load(ctx.obj)
    return never(rule, said, when=when, scope=scope(rule), seconds=seconds)


@app.command(cls=Command)
@question
def always(ctx: typer.Context, said: Said, when: When = None, *, scope: Any, seconds: float) -> Any:
    """Is a class always given?"""
    from crystalogic.audit.policy import always

    rule = load(ctx.obj)
    return always(rule, said, when=when, scope=scope(rule), seconds=seconds)


@app.command(cls=Command)
@question
def counterfactual(
    ctx: typer.Context,
    table: RowTable = None,
    row: RowNumbers = None,
    value: RowValues = None,
    to: Annotated[str | None, typer.Option(help="The class to reach, or a comparison such as '>= 0.7'.")] = None,
    frozen: Annotated[
        list[str] | None, typer.Option("--frozen", metavar="COLUMN", help="A column that stays as it is.")
    ] = None,
    increasing: Annotated[
        list[str] | None, typer.Option("--increasing", metavar="COLUMN", help="A column that may only rise.")
    ] = None,
    decreasing: Annotated[
        list[str] | None, typer.Option("--decreasing", metavar="COLUMN", help="A column that may only fall.")
    ] = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """What is the least change of a row for another class?"""
    from crystalogic.audit.counterfactual import counterfactual

    rule = load(ctx.obj)
    asked = partial(
        counterfactual,
        rule,
        to=to,
        frozen=frozen or (),
        increasing=increasing or (),
        decreasing=decreasing or (),
        scope=scope(rule),
        seconds=seconds,
    )
    return {number: asked(cells) for number, cells in given_rows(rule, table, row, value).items()}


@app.command(cls=Command)
@question
def reason(
    ctx: typer.Context,
    table: RowTable = None,
    row: RowNumbers = None,
    value: RowValues = None,
    keep: Keep = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Which facts of a row decide it, whatever the rest?"""
    from crystalogic.audit.reason import sufficient_reason

    rule = load(ctx.obj)
    asked = partial(sufficient_reason, rule, keep=keep, scope=scope(rule), seconds=seconds)
    return {number: asked(cells) for number, cells in given_rows(rule, table, row, value).items()}


@app.command(cls=Command)
@question
def robust(
    ctx: typer.Context,
    table: RowTable = None,
    row: RowNumbers = None,
    value: RowValues = None,
    percent: Annotated[float, typer.Option(min=0, max=100, help="Error of every number, in percent.")] = 5.0,
    error: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=ERROR", help="The error of a column in its own units instead.")
    ] = None,
    keep: Keep = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Does the class stay under errors of measurement?"""
    from crystalogic.audit.robust import robust

    rule = load(ctx.obj)
    errors = each_once("--error", map(cell, error or []))
    asked = partial(robust, rule, percent=percent, errors=errors, keep=keep, scope=scope(rule), seconds=seconds)
    return {number: asked(cells) for number, cells in given_rows(rule, table, row, value).items()}


@app.command(cls=Command)
@question
def missing(
    ctx: typer.Context,
    table: RowTable = None,
    row: RowNumbers = None,
    value: RowValues = None,
    unknown: Annotated[
        list[str] | None, typer.Option("--unknown", metavar="COLUMN", help="A column to take as not known.")
    ] = None,
    keep: Keep = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Is the class settled, or which field to ask for?"""
    from crystalogic.audit.missing import with_missing

    rule = load(ctx.obj)
    asked = partial(with_missing, rule, unknown=unknown or (), keep=keep, scope=scope(rule), seconds=seconds)
    return {number: asked(cells) for number, cells in given_rows(rule, table, row, value).items()}


@app.command(cls=Command)
@question
def trim(
    ctx: typer.Context,
    degree: Degree = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the shorter model.")] = None,
    *,
    scope: Any,
    seconds: float,
) -> Any:
    """Does every part of the rule matter?"""
    from crystalogic.audit.trim import trim

    rule = load(ctx.obj)
    file = checked(output)
    found = trim(rule, of="degree" if degree else None, scope=scope(rule), seconds=seconds)
    if file is not None:
        found.model.save(file)
    return found


@question
def diff(
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
