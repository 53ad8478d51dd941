"""Commands for people who like logic: prove, simplify, table, eval."""

import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from crystalogic.cli.options import Json, refuse
from crystalogic.cli.output import csv_text, json_text, show, show_json, write
from crystalogic.errors import CrystalogicError, DomainError, EvaluationError, TooLargeError
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula, Variable
from crystalogic.logic.names import read_name
from crystalogic.logic.parse import parse
from crystalogic.logic.walk import subformulas
from crystalogic.truth import exact_number

FormulaText = Annotated[
    str | None, typer.Argument(metavar="FORMULA", help="A formula; '-' or nothing reads it from standard input.")
]
SYNTAX = (  # printed below the options of every command that reads formulas
    "Formulas, tightest first: ~a (¬), a & b (⊗), a /\\ b (∧, minimum), a | b (⊕), a \\/ b (∨, maximum), a -> b (→), "
    "a <-> b (↔); 0, 1, at least 2 of (a, b, c), and {any name} in braces."
)
File = Annotated[Path | None, typer.Option("--file", "-f", help="Read the formula from a file.")]
Boolean = Annotated[str, typer.Option(metavar="NAMES", help="Boolean inputs, separated by commas, or 'all'.")]
OneHot = Annotated[
    list[str] | None, typer.Option(metavar="NAMES", help="A group of which exactly one is 1, separated by commas.")
]
Exclusive = Annotated[list[str] | None, typer.Option(metavar="NAMES", help="A group of which at most one is 1.")]
MOST_STEPS = 300


def prove(
    formula: FormulaText = None,
    file: File = None,
    equals: Annotated[str | None, typer.Option(help="Prove that it equals this formula.")] = None,
    entails: Annotated[str | None, typer.Option(help="Prove that this formula is at least as true.")] = None,
    satisfiable: Annotated[bool, typer.Option("--satisfiable", help="Prove that it is 1 somewhere.")] = False,
    boolean: Boolean = "",
    one_hot: OneHot = None,
    exclusive: Exclusive = None,
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="Only the truth values 0, 1/n, …, 1: -n 2 is three-valued logic.")
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", "--time", min=0.001, help="Time allowed.")] = 10.0,
    as_json: Json = False,
) -> None:
    """Prove that a formula is always 1, or find a row where it is not. Exit code 1 unless proved."""
    from crystalogic.verify import questions

    if sum([equals is not None, entails is not None, satisfiable]) > 1:
        message = "ask one thing at a time: --equals, --entails or --satisfiable."
        raise typer.BadParameter(message)
    left = _formula(formula, file)
    other = equals if equals is not None else entails
    right = parse(other) if other is not None else None
    scope = _domain([left, *([right] if right is not None else [])], boolean, one_hot, exclusive, n)
    if right is not None:
        ask = questions.equivalent if equals is not None else questions.entails
        answer = ask(left, right, scope, seconds=seconds)
    else:
        answer = (questions.satisfiable if satisfiable else questions.valid)(left, scope, seconds=seconds)
    show(json_text(answer.content()) if as_json else str(answer))
    raise typer.Exit(0 if answer else 1)


def simplify(
    formula: FormulaText = None,
    file: File = None,
    boolean: Boolean = "",
    one_hot: OneHot = None,
    exclusive: Exclusive = None,
    steps: Annotated[bool, typer.Option("--steps", help="Show every law that was used.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print the formula as LaTeX.")] = False,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Print the formula as it is typed.")] = False,
    as_json: Json = False,
) -> None:
    """Simplify a formula without changing its function inside the scope."""
    from crystalogic.logic.simplify import simplification

    refuse(latex + ascii_only + as_json > 1, "print it in one way: --latex, --ascii or --json.")
    original = _formula(formula, file)
    done = simplification(original, _domain([original], boolean, one_hot, exclusive))
    if as_json:
        listed = [{"law": s.law.name, "before": str(s.before), "after": str(s.after)} for s in done.steps]
        content = {"formula": str(done.formula), "scope": done.scope.content(), "steps": listed}
        show_json(content)
        return
    show(done.formula.to_latex() if latex else done.formula.to_ascii() if ascii_only else str(done.formula))
    if steps:
        show(f"scope: {done.scope}")
        for step in done.steps:
            show(f"  {step}")


def table(
    formula: FormulaText = None,
    file: File = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Truth values 0, 1/n, …, 1.")] = 1,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, which `recover` reads.")] = False,
    as_json: Json = False,
) -> None:
    """Print the truth table over the values 0, 1/n, …, 1."""
    from crystalogic.logic.evaluate import truth_table

    refuse(as_csv and as_json, "print it in one way: --csv or --json.")
    found = truth_table(_formula(formula, file), n)
    if as_csv:
        header = [*found.variables, str(found.formula)]
        write(None, [csv_text([header, *([*values, degree] for values, degree in found.rows())])])
    elif as_json:
        rows = [[*map(str, values), str(degree)] for values, degree in found.rows()]
        content = {"formula": str(found.formula), "variables": found.variables, "n": n, "rows": rows}
        show_json(content)
    else:
        show(str(found))


def evaluate(
    formula: Annotated[
        str | None, typer.Argument(metavar="FORMULA", help="A formula; '-' reads it from standard input.")
    ] = None,
    values: Annotated[list[str] | None, typer.Argument(metavar="NAME=VALUE", help="a=1/2 b=0.75 cp=4=1")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="Read the formula from a file; all arguments are values.")
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="Show the degree of every part.")] = False,
    as_json: Json = False,
) -> None:
    """Evaluate a formula exactly."""
    given = [*([formula] if file and formula else []), *(values or [])]
    parsed = _formula(None if file else formula, file)
    assigned = [_assignment(text) for text in given]
    row = dict(assigned)
    if len(row) < len(assigned):
        twice = next(name for name, _ in assigned if [other for other, _ in assigned].count(name) > 1)
        message = f"{twice!r} is given twice."
        raise typer.BadParameter(message)
    unknown = [name for name in row if name not in parsed.variables]
    if unknown:
        message = f"{unknown[0]!r} is not in the formula, which has {', '.join(parsed.variables) or 'no variables'}."
        raise EvaluationError(message)
    degree = parsed.evaluate(row)
    if steps and parsed.n_nodes > MOST_STEPS:
        message = f"this formula has {parsed.n_nodes:,} steps, more than {MOST_STEPS} to show."
        raise TooLargeError(message)
    parts = [node for node in subformulas(parsed) if not isinstance(node, Variable) or node is parsed] if steps else []
    shown = [(str(node), str(node.evaluate(row))) for node in parts]
    if as_json:
        content = {"formula": str(parsed), "degree": str(degree), "steps": shown} if steps else {"degree": str(degree)}
        show_json(content)
        return
    width = max((len(text) for text, _ in shown), default=0)
    for text, value in shown:
        show(f"{text.ljust(width)}  {value}")
    if not steps:
        show(str(degree))


def _formula(text: str | None, file: Path | None) -> Formula:
    if file is not None:
        refuse(text is not None, "give a formula or --file, not both.")
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            message = f"{file}: cannot be read ({why})."
            raise CrystalogicError(message) from None
    elif text is None or text == "-":
        text = sys.stdin.read()
    return parse(text)


def _domain(
    formulas: list[Formula],
    boolean: str,
    one_hot: list[str] | None,
    exclusive: list[str] | None,
    n: int | None = None,
) -> Domain:
    known = list(dict.fromkeys(name for formula in formulas for name in formula.variables))
    groups = [_names(group) for group in one_hot or []], [_names(group) for group in exclusive or []]
    names = known if boolean == "all" else _names(boolean)
    unknown = [name for name in names if name not in known]
    if unknown:
        message = (
            f"{unknown[0]!r} is not in the formula, which has {', '.join(known) or 'no variables'}. "
            "Names are separated by commas."
        )
        raise DomainError(message)
    declared = Domain(names, *groups, n=n)
    for group in declared.groups:
        if not set(group) & set(known):
            message = f"no name of the group {', '.join(group)} is in the formula, which has {', '.join(known)}."
            raise DomainError(message)
    return declared


def _names(text: str) -> list[str]:
    """Names separated by commas; a comma inside braces belongs to the name."""
    return [_bare(name.strip()) for name in re.findall(r"(?:\{(?:[^{}\\]|\\.)*\}|[^,])+", text) if name.strip()]


def _bare(name: str) -> str:
    if not (name.startswith("{") and name.endswith("}")):
        return name
    try:
        return read_name(name[1:-1])
    except (ValueError, OverflowError):
        message = f"expected a name in braces with escapes such as \\}} or \\u2265, got {name!r}."
        raise typer.BadParameter(message) from None


def _assignment(text: str) -> tuple[str, Fraction]:
    name, separator, value = text.rpartition("=")
    number = exact_number(value.strip())
    if not separator or not name.strip() or number is None:
        message = f"expected NAME=VALUE with a value such as 1/2 or 0.75, got {text!r}."
        raise typer.BadParameter(message)
    return _bare(name.strip()), number
