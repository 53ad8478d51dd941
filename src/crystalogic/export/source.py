"""What Python, C and JavaScript share: facts, sums and refusals as calls that read the same in all three.

Each language brings its own definitions of the few functions that are called here, and only those that a rule calls
are written.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from crystalogic.cells import MOST_DIGITS
from crystalogic.encoding import Cut, Degree, Missing
from crystalogic.export.program import Fact, Input, Program, Sum, TermComparison, Value, width
from crystalogic.export.quoting import strip_texts
from crystalogic.model.risk import LEVEL
from crystalogic.words.tables import package_file


@dataclass(frozen=True)
class Language:
    """How a language asks for what differs: whether a cell is missing by a text, and whether it is a given value.

    What is told beside decision and degrees is a pattern of the {total} of the points, of the {shares} of all scores,
    and of the scores from {low} on, but under {high}, of which a person is asked. Of a list it is one of what its
    {rules} tell, each of which is such a pattern, and of the {order} of the classes.
    """

    missing: Callable[[Input], str]
    same: Callable[[Input, Value], str | None]  # None where no cell of the column can be that value
    prelude: Mapping[str, str]  # definitions by their names, each using only those before it
    told: Mapping[str, str]  # and, as "assign", how a {name} is given what a {text} says


def read_definitions(file: str, **values: str) -> dict[str, str]:
    """The definitions of a file in its own language, each after a comment `@ NAME`, with $VALUES put in."""
    text = package_file("export", file)
    for name, value in {**values, "MOST_DIGITS": str(MOST_DIGITS), "LEVEL": repr(LEVEL)}.items():
        text = text.replace(f"${name}", value)
    return dict(re.findall(r"^[^\w\n]+@ (\w+)[^\w\n]*\n(.*?)(?=^[^\w\n]+@ |\Z)", text, re.MULTILINE | re.DOTALL))


def source_values(program: Program, language: Language, read: Sequence[str] = ()) -> dict[str, Any]:
    """What the template of a language writes: lines that read numbers, and that compute facts and steps.

    Numbers are NaN where missing or not finite. A row is refused where the sum `refused` is above 0; there is none if
    every row is decided. `helpers` are the definitions that all of this calls; `read` are lines of the language's own.
    """
    found, refused = [], []
    for each in program.inputs:
        missing, text = _missing(each, language), f"number({each.name})"
        if each.needs_number:  # what is missing is no number either
            found.append((each.number_name, f"given({text}, {missing})" if each.hides_numbers else text))
            refused.append(f"unread({each.number_name}){f' - {missing}' if each.may_be_missing else ''}")
        elif not each.may_be_missing:
            refused.append(missing)
    computed = [(each.name, _fact_text(each, language)) for each in program.facts]
    computed += [(each.name, step_text(each)) for each in program.steps]
    numbers, steps = ([language.told["assign"].format(name=n, text=t) for n, t in each] for each in (found, computed))
    told = tell(program, language)
    helpers = find_used(language, "\n".join([*read, *numbers, *refused, *steps, *told.values()]))
    values = {"read": list(read), "numbers": numbers, "refused": " + ".join(refused), "steps": steps}
    return {"program": program, "told": told, "helpers": helpers, **values}


def tell(program: Program, language: Language) -> dict[str, str]:
    """What is told beside decision and degrees, by its name; nothing without a risk."""
    low, high = program.band
    values: dict[str, object] = {"low": low, "high": high, "order": ", ".join(map(str, program.model.order))}
    each = [
        {"total": step_text(points.total), "shares": ", ".join(points.probabilities)}
        for points in program.chain or filter(None, [program.points])
    ]
    values |= {"rules": ", ".join(language.told["rule"].format(**rule) for rule in each), **(each[0] if each else {})}
    return {name: language.told[name].format(**values) for name in program.told}


def _fact_text(fact: Fact, language: Language) -> str:
    match fact.literal:
        case Degree() as degree:
            ends = f"{float(degree.low)!r}, {float(degree.high)!r}, {width(degree)!r}"
            return f"between({fact.input.number_name}, {ends})"
        case Cut(at=at):
            return f"reaches({fact.input.number_name}, {float(at)!r})"
        case Missing():
            return _missing(fact.input, language)
    return _greatest(language.same(fact.input, value) for value in fact.values)


def _missing(each: Input, language: Language) -> str:
    return _greatest([language.missing(each), *(language.same(each, word) for word in each.missing_numbers)])


def _greatest(terms: Iterable[str | None]) -> str:
    return reduce(lambda first, second: f"greatest({first}, {second})", list(filter(None, terms)) or ["0.0"])


def step_text(step: Sum | TermComparison) -> str:
    if isinstance(step, TermComparison):
        return reduce(lambda first, second: f"{step.kind}({first}, {second})", step.terms)
    text = sum_text(step.bias, step.terms, lambda number: repr(float(number)))
    text = f"at_least_0({text})" if step.below else text
    return f"at_most_1({text})" if step.above else text


def sum_text(bias: int, terms: Sequence[tuple[str, int]], number: Callable[[int], str], space: str = " ") -> str:
    """bias + Σ weight · term before it is clamped, added up from left to right as the library does."""
    text = number(bias) if bias or not terms else ""
    for term, weight in terms:
        size = "" if abs(weight) == 1 else f"{number(abs(weight))} * "
        sign = ("-" if weight < 0 else "") if not text else (f"{space}- " if weight < 0 else f"{space}+ ")
        text += f"{sign}{size}{term}"
    return text


def find_unused(program: Program) -> list[str]:
    """The facts and steps that no step and no output reads, because what is said of them cancels out."""
    read = set(program.outputs)
    for step in program.steps:
        read.update(step.terms if isinstance(step, TermComparison) else (name for name, _ in step.terms))
    return [each.name for each in (*program.facts, *program.steps) if each.name not in read]


def find_used(language: Language, body: str) -> list[str]:
    """The definitions that a body calls, with those that they call themselves, in their order."""
    kept: list[str] = []
    body = strip_texts(body)  # a value may be called like a definition
    for name, definition in reversed(list(language.prelude.items())):
        if any(re.search(rf"\b{name}\b", text) for text in (body, *kept)):
            kept.append(definition)
    return kept[::-1]
