"""Commands for people who like logic: prove, simplify, table, eval."""

import re
import sys
from fractions import Fraction
from typing import Any

import typer

import crystalogic
from crystalogic.cli.options import Asked, refuse, refuse_strange
from crystalogic.cli.output import csv_text, show, show_json, tell, write
from crystalogic.errors import CrystalogicError, DomainError, EvaluationError, TooLargeError, refuse_first
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula, Variable
from crystalogic.logic.names import read_name
from crystalogic.logic.parse import parse
from crystalogic.logic.walk import subformulas
from crystalogic.truth import exact_number

SYNTAX = (  # printed below the options of every command that reads formulas
    "Formulas, tightest first: ~a (¬), a & b (⊗), a /\\ b (∧, minimum), a | b (⊕), a \\/ b (∨, maximum), a -> b (→), "
    "a <-> b (↔); 0, 1, at least 2 of (a, b, c), and {any name} in braces."
)
STRANGE = "{name} is not in the formula, which has {known}."
MOST_STEPS = 300


def prove(asked: Asked) -> None:
    """Prove that a formula is always 1, or find a row where it is not. Exit code 1 unless proved."""
    n_asked = (asked.equals is not None) + (asked.entails is not None) + asked.satisfiable
    refuse(n_asked > 1, "ask one thing at a time: --equals, --entails or --satisfiable.")
    formulas = [_formula(asked), *(parse(each) for each in (asked.equals, asked.entails) if each is not None)]
    question = "equivalent" if asked.equals is not None else "entails" if asked.entails is not None else "valid"
    ask = getattr(crystalogic, "satisfiable" if asked.satisfiable else question)
    answer = ask(*formulas, _domain(formulas, asked, asked.n), seconds=asked.seconds)
    tell(answer.content(), str(answer), as_json=asked.json)
    raise typer.Exit(0 if answer else 1)


def simplify(asked: Asked) -> None:
    """Simplify a formula without changing its function inside the scope."""
    refuse(asked.latex + asked.ascii + asked.json > 1, "print it in one way: --latex, --ascii or --json.")
    original = _formula(asked)
    done = crystalogic.simplification(original, _domain([original], asked))
    if asked.json:
        listed = [{"law": s.law.name, "before": str(s.before), "after": str(s.after)} for s in done.steps]
        show_json({"formula": str(done.formula), "scope": done.scope.content(), "steps": listed})
        return
    show(done.formula.to_latex() if asked.latex else done.formula.to_ascii() if asked.ascii else str(done.formula))
    if asked.steps:
        show("\n".join([f"scope: {done.scope}", *(f"  {step}" for step in done.steps)]))


def table(asked: Asked) -> None:
    """Print the truth table over the values 0, 1/n, …, 1."""
    refuse(asked.csv and asked.json, "print it in one way: --csv or --json.")
    found = crystalogic.truth_table(_formula(asked), asked.n)
    if asked.csv:
        header = [*found.variables, str(found.formula)]
        write(None, [csv_text([header, *([*values, degree] for values, degree in found.rows())])])
    elif asked.json:
        rows = [[*map(str, values), str(degree)] for values, degree in found.rows()]
        show_json({"formula": str(found.formula), "variables": found.variables, "n": asked.n, "rows": rows})
    else:
        show(str(found))


def evaluate(asked: Asked) -> None:
    """Evaluate a formula exactly."""
    if asked.file and asked.formula:  # then all arguments are values
        asked.values, asked.formula = [asked.formula, *(asked.values or [])], None
    parsed, row = _formula(asked), _row(asked.values or [])
    refuse_strange(EvaluationError, row, parsed.variables, STRANGE)
    degree = parsed.evaluate(row)
    if not asked.steps:
        tell({"degree": str(degree)}, str(degree), as_json=asked.json)
        return
    why = f"this formula has {parsed.n_nodes:,} steps, more than {MOST_STEPS} to show."
    refuse_first(TooLargeError, {why: parsed.n_nodes > MOST_STEPS})
    parts = [node for node in subformulas(parsed) if not isinstance(node, Variable) or node is parsed]
    shown = [(str(node), str(node.evaluate(row))) for node in parts]
    width = max(len(text) for text, _ in shown)
    lines = "\n".join(f"{text.ljust(width)}  {value}" for text, value in shown)
    tell({"formula": str(parsed), "degree": str(degree), "steps": shown}, lines, as_json=asked.json)


def _formula(asked: Asked) -> Formula:
    """The formula that is given, or that stands in the file or on standard input."""
    text = asked.formula
    if asked.file is not None:
        refuse(text is not None, "give a formula or --file, not both.")
        try:
            text = asked.file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            refuse_first(CrystalogicError, {f"{asked.file}: cannot be read ({why}).": True})
    return parse(sys.stdin.read() if text is None or text == "-" else text)


def _domain(formulas: list[Formula], asked: Asked, n: int | None = None) -> Domain:
    """The domain that is declared, of names that are in the formulas."""
    known = list(dict.fromkeys(name for formula in formulas for name in formula.variables))
    names = known if asked.boolean == "all" else _names(asked.boolean)
    refuse_strange(DomainError, names, known, f"{STRANGE} Names are separated by commas.")
    one_hot, exclusive = ([_names(group) for group in given or []] for given in (asked.one_hot, asked.exclusive))
    declared = Domain(names, one_hot, exclusive, n=n)
    for group in declared.groups:
        why = f"no name of the group {', '.join(group)} is in the formula, which has {', '.join(known)}."
        refuse_first(DomainError, {why: set(group).isdisjoint(known)})
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


def _row(given: list[str]) -> dict[str, Fraction]:
    """Values of names, each written as NAME=VALUE."""
    row: dict[str, Fraction] = {}
    for text in given:
        left, _, value = text.rpartition("=")
        number: Any = exact_number(value.strip())
        is_wrong = not left.strip() or number is None
        refuse(is_wrong, f"expected NAME=VALUE with a value such as 1/2 or 0.75, got {text!r}.")
        name = _bare(left.strip())
        refuse(name in row, f"{name!r} is given twice.")
        row[name] = number
    return row
