"""Export to JavaScript: one function in one expression, which takes a row as an object."""

import json

from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Fact, Program, program
from crystalogic.export.source import Language, assignments, identifier, numbers, refusal, used
from crystalogic.model import Model


def quoted(value: object) -> str:
    """A value or list of values that is safe in a script and in a page: ASCII, and no tag can begin in it."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_SPACE = "".join(f"\\u{ord(char):04x}" for char in WHITESPACE)
PRELUDE = {
    "strip": f"""
  const EDGES = /^[{_SPACE}]+|[{_SPACE}]+$/g;
  function strip(text) {{
    return text.replace(EDGES, "");
  }}
""",
    "missing": f"""
  const MISSING = {quoted(MISSING_TEXTS)};
  function missing(value) {{
    if (value === null || value === undefined || value !== value) return 1.0;
    return typeof value === "string" && MISSING.includes(strip(value)) ? 1.0 : 0.0;
  }}
""",
    "number": """
  const DECIMAL = /^[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?$/;
  function number(value) { // the value as a finite number, NaN if it is none
    const isNumber = typeof value === "string" ? DECIMAL.test(strip(value)) : /^(number|bigint)$/.test(typeof value);
    const found = isNumber ? Number(typeof value === "string" ? strip(value) : value) : NaN;
    return Number.isFinite(found) ? found : NaN;
  }
""",
    "same": """
  function same(value, text, tail, asNumber) { // is it this text, zeros after a decimal point aside, or this number
    if (missing(value)) return 0.0;
    if (typeof value === "number" || typeof value === "bigint") return Number(value) === asNumber ? 1.0 : 0.0;
    if (typeof value === "boolean") return (value ? "True" : "False") === text ? 1.0 : 0.0;
    const found = strip(String(value));
    if (text === null || !found.startsWith(text)) return 0.0;
    let rest = found.slice(text.length);
    if (tail === "." && rest.startsWith(".")) rest = rest.slice(1).replace(/^0+$/, "");
    else if (tail === "0") rest = rest.replace(/^0+$/, "");
    return rest === "" ? 1.0 : 0.0;
  }
""",
    "unread": """
  function unread(number) {
    return number !== number ? 1.0 : 0.0;
  }
""",
    "between": """
  function between(number, low, high, width) {
    return number >= high ? 1.0 : number > low ? (number - low) / width : 0.0;
  }
""",
    "reaches": """
  function reaches(number, cut) {
    return number >= cut ? 1.0 : 0.0;
  }
""",
    "least": """
  function least(x, y) {
    return x < y ? x : y;
  }
""",
    "greatest": """
  function greatest(x, y) {
    return x > y ? x : y;
  }
""",
    "alike": """
  function alike(x, y) {
    return 1.0 - Math.abs(x - y);
  }
""",
    "at_least_0": """
  function at_least_0(x) {
    return x > 0.0 ? x : 0.0;
  }
""",
    "at_most_1": """
  function at_most_1(x) {
    return x < 1.0 ? x : 1.0;
  }
""",
    "column": """
  function column(row, name) {
    if (!Object.prototype.hasOwnProperty.call(row, name)) throw new Error("the rule needs the column " + name);
    return row[name];
  }
""",
}


def _same(fact: Fact) -> list[str]:
    return [
        f"same({fact.input.name}, {quoted(each.text)}, {quoted(each.tail)}, {quoted(each.number)})"
        for each in fact.values
    ]


JAVASCRIPT = Language(missing=lambda each: f"missing({each.name})", same=_same, prelude=PRELUDE)


def to_javascript(model: Model, *, name: str = "decide", with_parts: bool = False) -> str:
    """The model as a script or Node.js module.

    Its function takes an object from columns to values and returns `{decision, degrees}`; both are null where the rule
    cannot decide.

    Parameters:
        model: the model to write.
        name: of the function.
        with_parts: whether `parts` is returned as well, an object from the names of facts and steps (those of
            `Program.names`) to their degrees.
    """
    found = program(model)
    lines = [f"const {each.name} = column(row, {quoted(each.column)});" for each in found.inputs]
    lines += [f"const {name} = {text};" for name, text in numbers(found)]
    refused = refusal(found, JAVASCRIPT)
    if refused:
        lines.append(f"if ({refused} > 0.0) return {{ decision: null, degrees: null{', parts: null' * with_parts} }};")
    assigned = assignments(found, JAVASCRIPT)
    lines += [f"const {name} = {text};" for name, text in assigned]
    parts = f", parts: {{ {', '.join(name for name, _ in assigned)} }}" if with_parts else ""
    lines += [f"const degrees = [{', '.join(found.outputs)}];", *_decision(found, parts)]
    body = "\n".join(f"    {line}" for line in lines)
    helpers = "".join(used(JAVASCRIPT, body))
    header = "\n".join(f"// {line}".rstrip() for line in found.header).replace("<", "‹")
    return (
        f'{header}\nconst {identifier(name)} = (function () {{\n  "use strict";\n{helpers}\n'
        f"  return function (row) {{\n{body}\n  }};\n}})();\n"
        f'if (typeof module === "object") module.exports = {{ {name} }};\n'
    )


def _decision(found: Program, parts: str) -> list[str]:
    if found.labels is None:
        return [f"return {{ decision: degrees[0], degrees: degrees{parts} }};"]
    labels = f"[{', '.join(map(quoted, found.labels))}]"
    if len(found.outputs) == 1:
        return [f"return {{ decision: {labels}[degrees[0] >= {HALF} ? 1 : 0], degrees: degrees{parts} }};"]
    return [
        f"let best = {found.model.order[0]};",
        f"for (const index of {list(found.model.order)}) if (degrees[index] > degrees[best]) best = index;",
        f"return {{ decision: {labels}[best], degrees: degrees{parts} }};",
    ]
