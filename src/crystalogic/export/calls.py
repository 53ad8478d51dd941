"""A program as calls with names, for formats that hold expressions and no code: PMML, DMN and spreadsheets.

The calls are those of `export.languages`, and a few more for what is told of a row. They are read again as expressions
and written in the words of a format, which has a definition or a pattern for each.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from crystalogic.export.languages import Language, read_and_compute, step_text
from crystalogic.export.program import HALF, Input, Points, Program, Value
from crystalogic.export.quoting import python_value
from crystalogic.model import Label
from crystalogic.model.risk import LEVEL
from crystalogic.words.checklists import fact_words

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True)
class Notation:
    """How a format writes a call or an operation, a name, and a number or text."""

    call: Callable[[str, list[str]], str]
    name: Callable[[str], str]
    value: Callable[[float | str], str]

    def write(self, text: str) -> str:
        """An expression of calls, sums, products, names, numbers and texts in this notation."""
        return self._write(ast.parse(text, mode="eval").body)

    def _write(self, node: ast.AST) -> str:
        match node:
            case ast.Call(func=ast.Name(id=name), args=args):
                return self.call(name, list(map(self._write, args)))
            case ast.BinOp(left=left, op=op, right=right):
                is_product = isinstance(op, (ast.Mult, ast.Div))
                parts = [self._write(left), self._write(right)]
                if is_product and isinstance(left, ast.BinOp) and isinstance(left.op, (ast.Add, ast.Sub)):
                    parts[0] = self.call("()", parts[:1])
                if isinstance(right, ast.BinOp):
                    parts[1] = self.call("()", parts[1:])
                return self.call(OPERATORS[type(op)], parts)
            case ast.UnaryOp(operand=ast.Constant(value=float(value))):
                return self.value(-value)
            case ast.UnaryOp(operand=operand):
                return self.call("*", [self.value(-1.0), self._write(operand)])
            case ast.Name(id=name):
                return self.name(name)
        return self.value(ast.literal_eval(ast.unparse(node)))


@dataclass(frozen=True)
class Told:
    """What is told of a row: `kind` is class, degree, score, probability or ask; a label if there is one for each."""

    kind: str
    name: str  # of the call that computes it
    label: Label | None = None

    def title(self, target: str) -> str:
        """What people call it, such as "probability of yes"."""
        if self.kind == "class":
            return f"predicted {target}"
        return self.kind if self.label is None else f"{self.kind} of {self.label}"


def list_calls(program: Program, language: Language) -> tuple[dict[str, str], list[Told]]:
    """Calls by their names, each using those before it, and what is told of a row that is not refused.

    A row is refused where `refused` is above 0. Numbers that a call has for a truth value are 1.0 and 0.0.
    """
    program = program.by_score
    numbers, refused, computed = read_and_compute(program, language)
    reasons = {f"r{n}": text for n, text in enumerate(refused, 1)}
    calls = {**numbers, **reasons, "refused": " + ".join(reasons) or "0.0", **computed}
    calls, told = _decide(program, calls)
    for each in program.inputs:  # as a text, and as what that counts, where these are asked for
        text = f"t{each.name[1:]}"
        for name, reading in ((f"c{text[1:]}", f"counted({each.name}, {text})"), (text, f"text({each.name})")):
            if re.search(rf"\b{name}\b", "\n".join(calls.values())):
                calls = {name: reading, **calls}
    return calls, told


def _decide(program: Program, calls: dict[str, str]) -> tuple[dict[str, str], list[Told]]:
    outputs, labels, points = program.outputs, program.labels, program.points
    if labels is None:
        return calls, [Told("class", outputs[0])]
    if points is not None:
        calls["place"] = f"reaches({outputs[0]}, {float(points.threshold)})"
        calls["probability"] = _likelihood(points, outputs[0])
        low, high = map(float, program.band)
        calls |= {"ask": f"reaches({outputs[0]}, {low}) - reaches({outputs[0]}, {high})"} if program.model.band else {}
        told = [Told("class", "place"), Told("score", outputs[0]), Told("probability", "probability", labels[1])]
        return calls, [*told, *[Told("ask", "ask")] * ("ask" in calls)]
    if len(outputs) == 1:
        calls["place"] = f"reaches({outputs[0]}, {HALF})"
        return calls, [Told("class", "place"), Told("degree", outputs[0], labels[1])]
    order = program.model.order
    calls["best"] = reduce(lambda one, other: f"greatest({one}, {other})", outputs)
    calls["place"] = _choose([(f"at({outputs[place]}, best)", f"{float(place)}") for place in order])
    told = [Told("class", "place"), *(Told("degree", *each) for each in zip(outputs, labels, strict=True))]
    if program.chain:
        calls |= _share_out(program)
        told += [Told("probability", f"share_{place}", label) for place, label in enumerate(labels)]
    return calls, told


def _choose(cases: Sequence[tuple[str, str]]) -> str:
    """The value of the first condition that holds; the last one holds where no other does."""
    return reduce(lambda rest, case: f"chosen({case[0]}, {case[1]}, {rest})", reversed(cases[:-1]), cases[-1][1])


def _likelihood(points: Points, score: str) -> str:
    """The probability by the score: a product is 0 for all scores but one, so the sum is that one to the last digit."""
    return " + ".join(f"at({score}, {float(each)}) * {points.probabilities[each]}" for each in points.possible)


def _share_out(program: Program) -> dict[str, str]:
    """How likely each class of a list is, step by step as `model.risk.share_out` has it."""
    calls, left = {}, "1.0"
    order = program.model.order
    for rule, (points, place) in enumerate(zip(program.chain, order, strict=False)):
        calls[points.total.name] = step_text(points.total)
        calls[f"likely_{rule}"] = _likelihood(points, points.total.name)
        calls[f"found_{place}"] = f"{left} * likely_{rule}"
        calls[f"left_{rule}"] = f"{left} * (1.0 - likely_{rule})"
        left = f"left_{rule}"
    calls[f"found_{order[-1]}"] = left
    found = [f"found_{place}" for place in range(len(order))]
    calls["most"] = reduce(lambda one, other: f"greatest({one}, {other})", found)
    calls["held"] = " + ".join(f"at(place, {float(n)}) * {name}" for n, name in enumerate(found))
    calls["lacking"] = "most - held"
    calls["moved"] = f"above(most, held) * (lacking / (1.0 + lacking) + {LEVEL!r})"
    shares = {f"share_{n}": f"{name} * (1.0 - moved) + at(place, {float(n)}) * moved" for n, name in enumerate(found)}
    return calls | shares


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


def missing_by_type(each: Input) -> str:
    """Whether a cell is missing where a column has a type, as in PMML and DMN."""
    if each.is_number:
        return f"missing({each.name})"
    text = f"t{each.name[1:]}"
    words = ", ".join(map(python_value, each.missing_texts[1:]))
    return f"greatest(empty({text}), truth(isIn({text}, {words})))" if words else f"empty({text})"


def same_by_type(each: Input, value: Value) -> str | None:
    """Whether a cell is a value where a column has a type."""
    if each.is_number:
        return None if value.double is None else f"counts({each.name}, {value.double!r})"
    text = f"t{each.name[1:]}"
    if value.number is None:
        return f"same({text}, {python_value(value.text)})"
    return f"writes({text}, {python_value(value.text)}, {float(value.number)!r})"


def is_measured(program: Program) -> bool:
    """Whether some fact is a degree, and no truth value."""
    return not all(fact.is_boolean for fact in program.facts)


def fill(patterns: Mapping[str, Any], name: str, parts: Sequence[str]) -> str:
    """A call by the pattern of its name, in which {0}, {1}, … are its parts, and {rest} all but the first."""
    return str(patterns[name]).format(*parts, rest=", ".join(parts[1:]))
