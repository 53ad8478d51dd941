"""Commands as the file `commands.toml` describes them, and how the texts of their options are read.

Numbers are read as they were written in the table that the model was learned from.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from importlib import resources
from inspect import Parameter, Signature
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from crystalogic.counts import count, plural
from crystalogic.errors import CrystalogicError, TableError, refuse_first
from crystalogic.files.decimals import COMMA, Decimals
from crystalogic.files.table import TableFile, open_table, refuse_unknown
from crystalogic.model import Model

DESCRIBED = tomllib.loads(resources.files("crystalogic.cli").joinpath("commands.toml").read_text("utf-8"))
TYPES: dict[str, Any] = {"text": str, "texts": list[str], "whole": int, "wholes": list[int], "number": float}
TYPES |= {"flag": bool, "file": Path, "mark": StrEnum("DecimalMark", {"point": ".", "comma": ","})}
TYPES |= {"gaps": StrEnum("Gaps", ["refuse", "skip", "false"]), "engine": StrEnum("Engine", ["python", "duckdb"])}
Asked = SimpleNamespace  # what a command line asks for: its arguments and options by their names


class Command(TyperCommand):
    """A command that refuses an option which is given twice and has one value, instead of forgetting the first."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, read."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, n_times in Counter(given).items():
            if n_times > 1 and isinstance(option, TyperOption) and not (option.multiple or option.is_flag):
                ctx.fail(f"{max(option.opts, key=len)} is given {n_times} times, and takes one value.")
        return super().parse_args(ctx, args)


def command_of(
    act: Callable[[Asked], None], described: Mapping[str, Any], *more: Parameter, name: str = "", asks: str = ""
) -> Callable[..., None]:
    """A function with the parameters that are described, which typer reads, for one that takes all that is asked."""

    def command(**given: Any) -> None:
        act(Asked(**given))

    parameters = [*more, *(_parameter(each, how) for each, how in options_of(described).items())]
    command.__name__, command.__doc__ = name or act.__name__, asks or act.__doc__
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def options_of(described: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a command takes, each with its flag: as it describes it itself, else as all do."""
    names = " ".join(DESCRIBED["groups"].get(each, each) for each in described["takes"].split()).split()
    told = {each: described.get(each) or DESCRIBED["options"][each] for each in names}
    return {each: {"flag": f"--{each.replace('_', '-')}", **how} for each, how in told.items()}


def _parameter(name: str, described: Mapping[str, Any]) -> Parameter:
    """An argument or an option; None where it is not given, a flag then is False."""
    how = dict(described)
    kind, flag = TYPES[how.pop("type", "text")], how.pop("flag")
    default = how.pop("default", False if kind is bool else None)
    default = Parameter.empty if how.pop("is_needed", False) else default
    is_argument, also = how.pop("is_argument", False), how.pop("also", ())
    what = typer.Argument(**how) if is_argument else typer.Option(flag, *also, **how)
    kind = kind if default is not None else kind | None
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, what])


def refuse(is_wrong: object, why: str) -> None:
    """An error of usage that says why, if something is asked for wrongly."""
    if is_wrong:
        raise typer.BadParameter(why)


def refuse_strange(error: type[CrystalogicError], names: Iterable[str], known: Iterable[Any], why: str) -> None:
    """An error for the first of some names that is none of those known; `why` has places for {name} and {known}."""
    listed = list(map(str, known))
    for name in names:
        if name not in listed:
            raise error(why.format(name=repr(name), known=", ".join(listed) or "no variables"))


def names_of(given: Iterable[str] | None, source: TableFile) -> list[str]:
    """The columns that an option names, once or several times or with commas; an error if there is no such column."""
    listed = ([text] if text in source.columns else map(str.strip, text.split(",")) for text in given or ())
    names = list(dict.fromkeys(name for each in listed for name in each))
    refuse_unknown(names, source)
    return names


SIGNS = {"+": 1, "+1": 1, "-": -1, "-1": -1}
WANTED = {  # of options with pairs other than COLUMN=VALUE; there the last sign = counts, for names may have some
    "kind": "COLUMN=KIND, such as zip=category or size='small<medium<large'",
    "type": "COLUMN=TYPE, such as age=number",
    "monotone": "COLUMN=+ (may only raise the target) or COLUMN=- (may only lower it)",
}


def _pair(text: str, option: str) -> tuple[str, Any]:
    """Both sides of the sign =, or a sentence that says what was expected; a kind with < in it is an order."""
    is_free = option not in WANTED  # to be empty, too
    left, sign, right = text.partition("=") if is_free else text.rpartition("=")
    column, value = left.strip(), right.strip()
    is_told = is_free or (value in SIGNS if option == "monotone" else value)
    refuse(not (column and sign and is_told), f"expected {WANTED.get(option, 'COLUMN=VALUE')}, got {text!r}.")
    if option == "monotone":
        return column, SIGNS[value]
    return column, [level.strip() for level in value.split("<")] if option == "kind" and "<" in value else value


def pairs_of(asked: Asked, option: str, read: Callable[[str, str], tuple[str, Any]] = _pair) -> dict[str, Any]:
    """What an option says of each column, such as COLUMN=VALUE; it may say one thing of each."""
    return each_once(f"--{option.replace('_', '-')}", (read(text, option) for text in getattr(asked, option) or ()))


def each_once(option: str, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """What an option says of each column; it may say one thing of each."""
    found: dict[str, Any] = {}
    for column, value in pairs:
        told = f"{found.get(column)!r} and {value!r}"
        refuse(column in found, f"{option} says two things of {column!r}: {told}. Leave one of them out.")
        found[column] = value
    return found


def aim_of(asked: Asked) -> Any:
    """The operating point that is asked for; None for none."""
    given = {name: getattr(asked, name) for name in ("cost", "sensitivity", "specificity", "abstain")}
    if all(each is None for each in (asked.from_risk, *given.values())):
        return None
    from crystalogic.operating import Aim

    return Aim.of(**{**given, "cost": None if asked.cost is None else costs_of(asked.cost)}, risk=asked.from_risk)


def costs_of(text: str, option: str = "--cost", example: str = "missed=5,false-alarm=1") -> dict[str, float]:
    """What errors, or columns, cost."""
    costs = []
    for each in text.split(","):
        name, _, number = each.rpartition("=")
        try:
            costs.append((name.strip(), float(number)))
        except ValueError:
            refuse(True, f"expected costs such as {example}, got {each!r}.")
    return each_once(option, costs)


def open_for(table: str, asked: Asked, *rules: Model) -> TableFile:
    """The table; where it does not tell how its numbers are written, as in the tables that models were learned from.

    A file with the one cell 16.428 holds sixteen thousand if the model comes from a table with decimal commas.
    """
    return open_table(table, getattr(asked, "encoding", None), _mark(asked, *rules))


def _mark(asked: Asked, *rules: Model) -> str | None:
    """The mark before decimals that is asked for; else a comma, if it was one where these models come from."""
    return getattr(asked, "decimal", None) or (COMMA if any(rule.record.decimal == COMMA for rule in rules) else None)


def refuse_missing_columns(rule: Model, source: TableFile) -> None:
    """A TableError that names the columns of the rule which the table does not have."""
    missing = [name for name in rule.columns if name not in source.columns]
    needed = f"the {plural(len(missing), 'column')} {', '.join(map(repr, missing))}"
    refuse_first(TableError, {f"{source.path}: the rule needs {needed}; the table has {source.listed}.": bool(missing)})


def given_rows(rule: Model, asked: Asked) -> dict[int, dict[str, Any]]:
    """The rows by their numbers, from the table or from the values; one of them is needed."""
    table, numbers = asked.row_table, asked.row
    is_either = (table is None) == bool(asked.value)
    refuse(not is_either, "give a table with --row, or --value COLUMN=VALUE for each column of the rule.")
    if table:
        return _rows(open_for(table, asked, rule), list(dict.fromkeys(numbers or [0])))
    refuse(numbers, "--row goes with a table; the values given with --value are a row of their own.")
    given, mark = pairs_of(asked, "value"), _mark(asked, rule)
    plain = Decimals(mark).plain(list(given.values())) if mark else given.values()
    return {0: dict(zip(given, plain, strict=True))}


def _rows(source: TableFile, wanted: list[int]) -> dict[int, dict[str, Any]]:
    found, seen = dict[int, dict[str, Any]](), 0
    for part in source.parts():
        for number in (each for each in wanted if seen <= each < seen + len(part)):
            # by its cells: a row alone would be of one type
            found[number] = {name: part[name].iloc[number - seen] for name in part.columns}
        seen += len(part)
        if len(found) == len(wanted):
            return {number: found[number] for number in wanted}
    missing = next(number for number in wanted if number not in found)
    message = f"{source.path}: there is no row {missing}; it has {count(seen, 'row')}, counted from 0."
    raise TableError(message)
