"""Export to JavaScript: one function in one expression, which takes a row as an object."""

from crystalogic.cells import LARGEST_EXACT
from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Input, Program, Value, program
from crystalogic.export.quoting import (
    JAVASCRIPT_WORDS,
    LARGEST_DOUBLE,
    exact_labels,
    identifier,
    javascript_value,
    remarks,
)
from crystalogic.export.source import Language, find_used, read_definitions, tell, write_lines
from crystalogic.model import Model

PRELUDE = read_definitions(
    "definitions.js",
    WHITESPACE="".join(f"\\u{ord(char):04x}" for char in WHITESPACE),
    MISSING_TEXTS=javascript_value(MISSING_TEXTS),
)


def _missing(each: Input) -> str:
    words = each.missing_texts
    return f"missing({each.name})" if words == MISSING_TEXTS else f"missing({each.name}, {javascript_value(words)})"


def _same(each: Input, value: Value) -> str:
    if value.number is None:
        return f"same({each.name}, {javascript_value(value.text)})"
    suffix = "n" if isinstance(value.number, int) and abs(value.number) > LARGEST_EXACT else ""
    return f"same({each.name}, {value.number!r}{suffix})"


TOLD = {
    "score": "{total}",
    "probability": "[{shares}][score]",
    "ask": "score >= {low} && score < {high}",
    "rule": "[{shares}][{total}]",
    "probabilities": "shareOut([{rules}], [{order}], place)",
}
JAVASCRIPT = Language(missing=_missing, same=_same, prelude=PRELUDE, told=TOLD, assign="const {name} = {text};")


def to_javascript(model: Model, *, name: str = "decide", with_parts: bool = False) -> str:
    """The model as a script or Node.js module.

    Its function takes an object from columns to values and returns `{decision, degrees}`; both are null where the rule
    cannot decide. Of a model with a risk, `NAME_risk` beside it also returns the `score`, the `probability` and, where
    there is a band, whether to `ask` a person; of a list the `probabilities` of its classes.

    Parameters:
        model: the model to write.
        name: of the function.
        with_parts: whether `parts` is returned as well, an object from the names of facts and steps (those of
            `Program.names`) to their degrees.
    """
    found, called = program(model), identifier(name, JAVASCRIPT_WORDS)
    lines = [f"const {each.name} = column(row, {javascript_value(each.column)});" for each in found.inputs]
    told = tell(found, JAVASCRIPT)
    nothing = "".join(f", {key}: null" for key in (*["parts"] * with_parts, *told))
    nothing = f"return {{ decision: null, degrees: null{nothing} }};"
    lines += write_lines(found, JAVASCRIPT, lambda refused: [f"if ({refused} > 0.0) {nothing}"])
    lines += [f"const degrees = [{', '.join(found.outputs)}];", *_place(found)]
    lines += [f"const {name} = {text};" for name, text in told.items()]
    more = f", parts: {{ {', '.join(each.name for each in (*found.facts, *found.steps))} }}" if with_parts else ""
    more += "".join(f", {key}: {key}" for key in told)
    lines.append(f"return {{ decision: {_decision(found)}, degrees: degrees{more} }};")
    body = "\n".join(f"    {line}" for line in lines)
    helpers = "".join(find_used(JAVASCRIPT, body))
    first, names = (f"{called}_risk", f"{called}, {called}_risk") if told else (called, called)
    keys = f"decision, degrees{', parts' * with_parts}"
    short = f"const {called} = (row) => {{\n  const {{ {keys} }} = {first}(row);\n  return {{ {keys} }};\n}};\n"
    return (
        f'{remarks(found.header, "//")}\nconst {first} = (function () {{\n  "use strict";\n{helpers}\n'
        f"  return function (row) {{\n{body}\n  }};\n}})();\n{short if told else ''}"
        f'if (typeof module === "object") module.exports = {{ {names} }};\n'
    )


def _place(found: Program) -> list[str]:
    """The place of the class, where several degrees decide."""
    order, best = list(found.model.order), "degrees[index] > degrees[best] ? index : best"
    return [f"const place = {order}.reduce((best, index) => {best});"] if len(found.outputs) > 1 else []


def _decision(found: Program) -> str:
    if found.labels is None:
        return "degrees[0]"
    labels = f"[{', '.join(map(javascript_value, exact_labels(found.labels, LARGEST_DOUBLE)))}]"
    return f"{labels}[{'place' if len(found.outputs) > 1 else f'degrees[0] >= {HALF} ? 1 : 0'}]"
