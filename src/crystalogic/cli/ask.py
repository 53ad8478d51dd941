"""Commands for auditors: ask a model questions, and compare two models. Exit code 0 only for what is proved."""

from functools import partial
from inspect import Parameter
from typing import Any

import typer
from typer.core import TyperGroup

import crystalogic
from crystalogic.cli.options import DESCRIBED, Asked, Command, command_of, given_rows, open_for, pairs_of, refuse
from crystalogic.cli.output import show, show_by_row
from crystalogic.model import Model, load


class Questions(TyperGroup):
    """The questions, each after the model; a word that is none of them is answered with those that there are."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The question that is asked; help is for the asking after the model, too."""
        if args[0] in ctx.help_option_names:
            show(ctx.get_help())
            ctx.exit()
        if self.get_command(ctx, args[0]) is None:
            listed = ", ".join(self.list_commands(ctx))
            example = "The model comes first: crystalogic ask model.json ignores sex"
            ctx.fail(f"there is no question {args[0]!r}; there are {listed}. {example}")
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=Questions, no_args_is_help=True, rich_markup_mode=None)
CONTEXT = Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context)


def ask(asked: Asked) -> None:
    """Ask a model a question: proved, refuted with a row, or undecided. Exit code 1 unless proved."""
    if asked.ctx.invoked_subcommand is None:
        asked.ctx.fail(f"ask {asked.model} what? `crystalogic ask --help` lists the questions, such as: ignores COLUMN")
    asked.ctx.obj = asked.model


def _ask(asked: Asked, question: dict[str, str], name: str) -> None:
    """Puts a question to a model, or about each of some rows to it.

    The function of the library takes what is the question's own by the same names; what is not given is left to it.
    """
    rule, takes = load(asked.ctx.obj), question["takes"].split()
    options = _settle(asked, {each: getattr(asked, each) for each in takes if not each.isupper()})
    options["seconds"] = asked.time
    options["domain" if "of" in options else "scope"] = _scope(asked, rule)
    answer = partial(getattr(crystalogic, question.get("function", name)), rule, **options)
    rows = given_rows(rule, asked) if "ROWS" in takes else {}
    _show({number: answer(cells) for number, cells in rows.items()} or {0: answer()}, as_json=asked.json)


def _settle(asked: Asked, given: dict[str, Any]) -> dict[str, Any]:
    """Options as the library takes them: what a question is about, the one goal of a change, errors in units."""
    given = {name: each for name, each in given.items() if each is not None}
    if "degree" in given:
        degree, risk = given.pop("degree"), given.pop("risk")
        refuse(degree and risk, "ask about one of them: --degree or --risk.")
        given["of"] = "degree" if degree else "risk" if risk else None
    for option, sign in (("risk_below", "<"), ("risk_above", ">")):
        if option in given:
            refuse("to" in given, "a change has one goal: --to, --risk-below or --risk-above.")
            given["to"] = f"risk {sign} {given.pop(option)}"
    if given.pop("error", None) is not None:
        given["errors"] = pairs_of(asked, "error")
    return given


def _scope(asked: Asked, *models: Model) -> Any:
    from crystalogic.audit.scope import scope_of

    is_said_twice = asked.no_missing and asked.missing
    refuse(is_said_twice, "--missing names columns where values may be missing, --no-missing says that there are none.")
    ranges, missing = pairs_of(asked, "range", _range), [] if asked.no_missing else asked.missing
    return scope_of(models, ranges=ranges, whole=asked.integer or (), missing=missing, another=asked.another or ())


def _range(text: str, _: str) -> tuple[str, tuple[str | None, str | None]]:
    name, separator, bounds = text.rpartition("=")
    low, dots, high = bounds.partition("..")
    refuse(not separator or not dots, f"expected COLUMN=LOW..HIGH, such as age=0..120 or income=0.., got {text!r}.")
    return name.strip(), (low.strip() or None, high.strip() or None)


def _show(answers: dict[int, Any], *, as_json: bool) -> None:
    """Prints answers by the numbers of their rows; the exit code is 0 only if all are proved."""
    show_by_row(answers, str, lambda found: found.content(), as_json=as_json)
    raise typer.Exit(0 if all(answers.values()) else 1)


def diff(asked: Asked) -> None:
    """Do two models ever disagree? Exit code 1 unless it is proved that they never do."""
    old, new, parts = load(asked.old), load(asked.new), None
    if asked.table is not None:
        parts = open_for(asked.table, asked, old, new).parts(columns=[*old.columns, *new.columns])
    found = crystalogic.diff(old, new, parts, scope=_scope(asked, old, new), seconds=asked.time)
    _show({0: found}, as_json=asked.json)


app.callback(invoke_without_command=True)(command_of(ask, {"takes": "model"}, CONTEXT))
for name, question in DESCRIBED["ask"].items():
    act = partial(_ask, question=question, name=name)
    app.command(name, cls=Command)(command_of(act, question, CONTEXT, name=name, asks=question["asks"]))
