"""Export to Python, JavaScript and C: a module without imports, a function in one expression, a C99 file.

They share facts, sums and refusals as calls that read the same in all three. languages.toml holds patterns in which
they differ, definitions.* the functions that a rule calls, decide.*.jinja what stands around it.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from crystalogic.cells import LARGEST_EXACT, MOST_DIGITS
from crystalogic.encoding import Cut, Degree, Missing
from crystalogic.export import quoting
from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Fact, Input, Program, Step, Value, program
from crystalogic.export.quoting import c_text, identifier, javascript_value, python_value, remarks, strip_texts
from crystalogic.model import Model
from crystalogic.model.risk import LEVEL
from crystalogic.words.tables import fill_template, package_file


def nest_calls(name: str, terms: Sequence[str]) -> str:
    return reduce(lambda first, second: f"{name}({first}, {second})", terms)


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
    fold: Callable[[str, Sequence[str]], str] = nest_calls  # a function of two that is called of any number of terms


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
    found, refused, computed = read_and_compute(program, language)
    assign = language.told["assign"]
    numbers, steps = ([assign.format(name=n, text=t) for n, t in each.items()] for each in (found, computed))
    told = tell(program, language)
    helpers = find_used(language, "\n".join([*read, *numbers, *refused, *steps, *told.values()]))
    values = {"read": list(read), "numbers": numbers, "refused": " + ".join(refused), "steps": steps}
    return {"program": program, "told": told, "helpers": helpers, **values}


def read_and_compute(program: Program, language: Language) -> tuple[dict[str, str], list[str], dict[str, str]]:
    """Numbers by their names, the terms of the sum by which a row is refused, and facts and steps by their names."""
    found, refused = {}, []
    for each in program.inputs:
        missing, text = _missing(each, language), f"number({each.name})"
        if each.needs_number:  # what is missing is no number either
            found[each.number_name] = f"given({text}, {missing})" if each.hides_numbers else text
            refused.append(f"unread({each.number_name}){f' - {missing}' if each.may_be_missing else ''}")
        elif not each.may_be_missing:
            refused.append(missing)
    computed = {each.name: _fact_text(each, language) for each in program.facts}
    return found, refused, computed | {each.name: step_text(each, language.fold) for each in program.steps}


def tell(program: Program, language: Language) -> dict[str, str]:
    """What is told beside decision and degrees, by its name; nothing without a risk."""
    low, high = program.band
    values: dict[str, object] = {"low": low, "high": high, "order": ", ".join(map(str, program.model.order))}
    values["told"] = language.told["told"][bool(program.chain)]
    rules = program.chain or filter(None, [program.points])
    each = [{"total": step_text(rule.total), "shares": ", ".join(rule.probabilities)} for rule in rules]
    values |= {"rules": ", ".join(language.told["rule"].format(**rule) for rule in each), **(each[0] if each else {})}
    return {name: language.told[name].format(**values) for name in program.told}


def _fact_text(fact: Fact, language: Language) -> str:
    match fact.literal:
        case Degree():
            return f"between({fact.input.number_name}, {', '.join(map(repr, fact.ends))})"
        case Cut(at=at):
            return f"reaches({fact.input.number_name}, {float(at)!r})"
        case Missing():
            return _missing(fact.input, language)
    return _any((language.same(fact.input, value) for value in fact.values), language)


def _missing(each: Input, language: Language) -> str:
    return _any([language.missing(each), *(language.same(each, word) for word in each.missing_numbers)], language)


def _any(terms: Iterable[str | None], language: Language) -> str:
    return language.fold("greatest", list(filter(None, terms)) or ["0.0"])


def step_text(step: Step, fold: Callable[[str, Sequence[str]], str] = nest_calls) -> str:
    if step.kind != "sum":
        return fold(step.kind, step.parts)
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


def find_used(language: Language, body: str) -> list[str]:
    """The definitions that a body calls, with those that they call themselves, in their order."""
    kept: list[str] = []
    body = strip_texts(body)  # a value may be called like a definition
    for name, definition in reversed(list(language.prelude.items())):
        if any(re.search(rf"\b{name}\b", text) for text in (body, *kept)):
            kept.append(definition)
    return kept[::-1]


TOLD = tomllib.loads(package_file("export", "languages.toml"))


def _script(write: Callable[[Any], str], prelude: Mapping[str, str], told: Mapping[str, str]) -> Language:
    """Python or JavaScript, which ask alike, with values as `write` has them."""

    def missing(each: Input) -> str:
        words = "" if each.missing_texts == MISSING_TEXTS else f", {write(each.missing_texts)}"
        return f"missing({each.name}{words})"

    def same(each: Input, value: Value) -> str:
        return f"same({each.name}, {write(value.text if value.number is None else value.number)})"

    return Language(missing, same, prelude, told)


def _javascript_level(value: Any) -> str:
    return javascript_value(value) + "n" * (isinstance(value, int) and abs(value) > LARGEST_EXACT)


def _same_in_c(each: Input, value: Value) -> str | None:
    number = "NAN" if value.double is None else repr(value.double)
    if each.is_number:
        return None if value.double is None else f"equal({each.name}, {number})"
    if value.number is None:
        return f"same({each.name}, {c_text(value.text)})"
    return f"writes({each.name}, {c_text(value.text)}, {number})"


def _missing_in_c(each: Input) -> str:
    if each.is_number:
        return f"missing_number({each.name})"
    if each.missing_texts == MISSING_TEXTS:
        return f"missing_text({each.name})"
    words = "".join(f", same({each.name}, {c_text(text)}))" for text in each.missing_texts[1:])
    return "greatest(" * (len(each.missing_texts) - 1) + f"absent({each.name})" + words


PYTHON = _script(ascii, read_definitions("definitions.py.txt", MISSING_TEXTS=repr(MISSING_TEXTS)), TOLD["python"])
_SPACES = "".join(f"\\u{ord(char):04x}" for char in WHITESPACE)
_IN_SCRIPT = read_definitions("definitions.js", WHITESPACE=_SPACES, MISSING_TEXTS=javascript_value(MISSING_TEXTS))
JAVASCRIPT = _script(_javascript_level, _IN_SCRIPT, TOLD["javascript"])
_TEXTS = {"WHITESPACE": ", ".join(map(c_text, WHITESPACE)), "MISSING_TEXTS": ", ".join(map(c_text, MISSING_TEXTS))}
C = Language(_missing_in_c, _same_in_c, read_definitions("definitions.c", **_TEXTS), TOLD["c"])
TYPES = {"score": "int", "probability": "double", "ask": "int", "probabilities": "double"}  # of what is told
NOTHING = {name: "-1" if kind == "int" else "NAN" for name, kind in TYPES.items()}  # where the rule cannot decide


def to_python(model: Model, *, name: str = "decide") -> str:
    """The model as a Python module without imports.

    Its function takes a dict from columns to values and returns `{"decision": …, "degrees": […]}`; both are None where
    the rule cannot decide. Of a model with a risk, `NAME_risk` beside it also returns what that tells.

    Parameters:
        model: the model to write.
        name: of the function.
    """
    found, name = program(model), identifier(name, {*quoting.PYTHON_WORDS, *PYTHON.prelude})
    values = _script_values(found, PYTHON, python_value, found.labels)
    return fill_template("export", "decide.py.jinja", name=name, **values)


def to_javascript(model: Model, *, name: str = "decide", with_parts: bool = False) -> str:
    """The model as a script or Node.js module.

    Its function takes an object from columns to values and returns `{decision, degrees}`; both are null where the rule
    cannot decide. Of a model with a risk, `NAME_risk` beside it also returns what that tells.

    Parameters:
        model: the model to write.
        name: of the function.
        with_parts: whether `parts` is returned as well, an object from the names of facts and steps (those of
            `Program.names`) to their degrees.
    """
    found = program(model)
    labels = None if found.labels is None else quoting.exact_labels(found.labels, quoting.LARGEST_DOUBLE)
    more = {"parts": ["parts"] * with_parts, "keys": f"decision, degrees{', parts' * with_parts}"}
    name = identifier(name, TOLD["javascript"]["words"].split())
    values = _script_values(found, JAVASCRIPT, javascript_value, labels)
    return fill_template("export", "decide.js.jinja", name=name, **values, **more)


def _script_values(found: Program, language: Language, write: Callable[[Any], str], labels: Any) -> dict[str, Any]:
    """What a module of Python or JavaScript is filled with; values, columns and classes are as `write` has them."""
    told, decision = language.told, "degrees[0]"
    if labels is not None:
        place = "place" if len(found.outputs) > 1 else told["place"].format(half=HALF)
        decision = told["decision"].format(labels=", ".join(map(write, labels)), place=place)
    read = [told["read"].format(name=each.name, column=write(each.column)) for each in found.inputs]
    return source_values(found, language, read) | {"header": remarks(found.header, told["mark"]), "decision": decision}


def to_c(model: Model, *, name: str = "crystalogic") -> str:
    """The model as a C file with `struct NAME_row`, `NAME_decide` and `NAME_labels`.

    `NAME_decide` writes the degrees and returns the index of the class in `NAME_labels`, -1 where the rule cannot
    decide (the degrees are then NaN). A missing number is NaN, a missing text is NULL. Of a model with a risk,
    `NAME_risk` also writes what that tells.

    Parameters:
        model: the model to write.
        name: what the names in the file begin with.
    """
    found = program(model)
    read = {*found.outputs, *(part for step in found.steps for part in step.parts)}
    values = source_values(found, C) | {"types": TYPES, "nothing": NOTHING, "comment": quoting.c_comment, "half": HALF}
    values["labels"] = ", ".join(c_text(str(label)) for label in found.labels or (model.target,))
    values["unused"] = [each.name for each in found.parts if each.name not in read]  # as it cancels out
    values["length"] = lambda told: len(found.outputs) if told == "probabilities" else 1
    values["kinds"] = {True: "double ", False: "const char *"}
    return fill_template("export", "decide.c.jinja", name=identifier(name), **values)
