"""A program as calls with names, for formats that hold expressions and no code: PMML, DMN and spreadsheets.

The calls are those of `export.languages`, and a few more for what is told of a row. They are read again as expressions
and written in the words of a format, which has a definition or a pattern for each.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.errors import TooLargeError, refuse
from crystalogic.export.languages import Language, read_and_compute, step_text
from crystalogic.export.program import HALF, Input, Program, Value
from crystalogic.export.quoting import python_value, strip_texts
from crystalogic.model.risk import LEVEL
from crystalogic.words.checklists import fact_words
from crystalogic.words.tables import fill_template

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True)
class Notation:
    """How a format writes a call or an operation, a name, and a number or text."""

    call: Callable[[str, list[str]], str]
    name: Callable[[str], str]
    value: Callable[[float | str], str]

    def write(self, text: str | ast.AST) -> str:
        """An expression of calls, sums, products, names, numbers and texts in this notation."""
        try:
            node, rest = ast.parse(text, mode="eval").body if isinstance(text, str) else text, []
        except (SyntaxError, RecursionError, MemoryError):  # Python reads 200 brackets one in the other
            refuse(TooLargeError, "the rule lists too many values or classes for this format. Export SQL instead.")
        while isinstance(node, ast.BinOp):  # sums may be long
            rest.append(node)
            node = node.left
        match node:
            case ast.Call(func=ast.Name(id=name), args=args):
                found = self.call(name, list(map(self.write, args)))
            case ast.UnaryOp(operand=ast.Name() | ast.Call() as operand):
                found = self.call("*", [self.value(-1.0), self.write(operand)])
            case ast.Name(id=name):
                found = self.name(name)
            case _:
                found = self.value(ast.literal_eval(node))
        is_sum = False
        for each in reversed(rest):
            found = self.call("()", [found]) if is_sum and isinstance(each.op, (ast.Mult, ast.Div)) else found
            right, is_sum = self.write(each.right), isinstance(each.op, (ast.Add, ast.Sub))
            right = self.call("()", [right]) if isinstance(each.right, ast.BinOp) else right
            found = self.call(OPERATORS[type(each.op)], [found, right])
        return found


def list_calls(program: Program, language: Language) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Calls by their names, each using those before it, and what is told: titles, such as "score", with such names.

    The class comes first, as its place among the classes. A row is refused where `refused` is above 0. Numbers that a
    call has for a truth value are 1.0 and 0.0.
    """
    program = program.by_score
    numbers, refused, computed = read_and_compute(program, language)
    reasons = {f"r{n}": text for n, text in enumerate(refused, 1)}
    calls = {**numbers, **reasons, "refused": " + ".join(reasons) or "0.0", **computed}
    known = {"half": HALF, "level": LEVEL, "step_text": step_text, "fold": language.fold}
    decided = fill_template("export", "decide.calls.jinja", program=program, **known)
    calls |= dict(line.split(" = ", 1) for line in decided.split("\n") if line.strip())
    for each in program.inputs:  # as a text, and as what that counts, where these are asked for
        text = f"t{each.name[1:]}"
        for name, reading in ((f"c{text[1:]}", f"counted({each.name}, {text})"), (text, f"text({each.name})")):
            if re.search(rf"\b{name}\b", strip_texts("\n".join(calls.values()))):
                calls = {name: reading, **calls}
    return calls, _list_told(program)


def _list_told(program: Program) -> list[tuple[str, str]]:
    labels = program.labels or ()
    told = [(f"predicted {program.model.target}", "place" if labels else program.outputs[0])]
    if program.points is not None:
        told += [("score", "score"), (f"probability of {labels[1]}", "probability")]
    else:
        spoken_for = labels[-len(program.outputs) :]
        told += [(f"degree of {label}", name) for label, name in zip(spoken_for, program.outputs, strict=False)]
        told += [(f"probability of {label}", f"share_{n}") for n, label in enumerate(labels) if program.chain]
    return [*told, *[("ask", "ask")] * (program.model.band is not None)]


def list_items(program: Program) -> list[tuple[str, str]]:
    """What counts for the score, in words, and its points as a call; they add up to the score."""
    if program.points is None:
        return []
    model, total = program.model, program.points.total
    parts = {name: formula for formula, name in program.names.items()}
    items = []
    for name, weight in total.terms:
        formula = parts[name] if weight > 0 else ~parts[name]
        points = f"{float(weight)} * {name}" if weight > 0 else f"{float(-weight)} * (1.0 - {name})"
        items.append((fact_words(formula, model.encoding.literals, model.encoding.gaps)[0], points))
    rest = total.bias + sum(weight for _, weight in total.terms if weight < 0)
    return [*items, *[("what cancels out", f"{float(rest)}")] * (rest != 0)]


def cell_language(prelude: Mapping[str, str], *, is_typed: bool) -> Language:
    """How formats ask for a cell: as a number if its column has that type, otherwise by its text and what it counts."""

    def missing(each: Input) -> str:
        text, words = f"t{each.name[1:]}", ", ".join(map(python_value, each.missing_texts[1:]))
        if is_typed and each.is_number:
            return f"missing({each.name})"
        return f"absent({each.name}, {text}, {f'truth(isIn({text}, {words}))' if words else '0.0'})"

    def same(each: Input, value: Value) -> str | None:
        text, wanted = f"t{each.name[1:]}", python_value(value.text)
        if is_typed and each.is_number:
            return None if value.double is None else f"counts({each.name}, {value.double!r})"
        if value.double is None:
            return f"{'same' if value.number is None else 'digits'}({text}, {wanted})"
        return f"writes(c{each.name[1:]}, {text}, {wanted}, {value.double!r})"

    return Language(missing, same, prelude, {})


def fill(patterns: Mapping[str, Any], name: str, parts: Sequence[str]) -> str:
    """A call by the pattern of its name, in which {0}, {1}, … are its parts, and {rest} all but the first."""
    return str(patterns[name]).format(*parts, rest=", ".join(parts[1:]))
