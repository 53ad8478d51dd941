"""Export to JavaScript: one function in one expression, which takes a row as an object."""

from crystalogic.cells import LARGEST_EXACT, MOST_DIGITS
from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Input, Program, Value, program
from crystalogic.export.quoting import (
    JAVASCRIPT_WORDS,
    LARGEST_DOUBLE,
    exact_labels,
    identifier,
    javascript_value,
    remarks,
)
from crystalogic.export.source import Language, assignments, find_used, numbers, refusal
from crystalogic.model import Model

_SPACE = "".join(f"\\u{ord(char):04x}" for char in WHITESPACE)
PRELUDE = {
    "strip": f"""
  const EDGES = /^[{_SPACE}]+|[{_SPACE}]+$/g;
  function strip(text) {{
    return text.replace(EDGES, "");
  }}
""",
    "shown": """
  const SHOWN = { true: "True", false: "False", Infinity: "inf", "-Infinity": "-inf" };
  function shown(value) {
    return typeof value === "string" ? strip(value) : SHOWN[String(value)] || String(value);
  }
""",
    "missing": f"""
  const MISSING = {javascript_value(MISSING_TEXTS)};
  function missing(value, words = MISSING) {{
    return value === null || value === undefined || value !== value || words.includes(shown(value)) ? 1.0 : 0.0;
  }}
""",
    "DECIMAL": """
  const DECIMAL = /^[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?$/;
""",
    "number": """
  function number(value) { // the value as a finite number, NaN if it is none
    const isNumber = typeof value === "string" ? DECIMAL.test(strip(value)) : /^(number|bigint)$/.test(typeof value);
    const found = isNumber ? Number(typeof value === "string" ? strip(value) : value) : NaN;
    return Number.isFinite(found) ? found : NaN;
  }
""",
    "same": f"""
  function same(value, wanted) {{ // whether the value counts what is wanted, or is the text that is wanted
    if (missing(value, [])) return 0.0;
    if (typeof value === "number" && typeof wanted !== "string") return value == wanted ? 1.0 : 0.0;
    const found = shown(value);
    if (typeof wanted === "string") return found === wanted ? 1.0 : 0.0;
    if (!DECIMAL.test(found) || /^[+-]?0\\d/.test(found)) return 0.0; // 007 is a code
    const isWhole = /^[+-]?\\d{{1,{MOST_DIGITS}}}$/.test(found);
    return (isWhole ? BigInt(found.replace("+", "")) : Number(found)) == wanted ? 1.0 : 0.0;
  }}
""",
    "given": """
  function given(value, isMissing) {
    return isMissing ? NaN : value;
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


def _missing(each: Input) -> str:
    words = each.missing_texts
    return f"missing({each.name})" if words == MISSING_TEXTS else f"missing({each.name}, {javascript_value(words)})"


def _same(each: Input, value: Value) -> str:
    if value.number is None:
        return f"same({each.name}, {javascript_value(value.text)})"
    suffix = "n" if isinstance(value.number, int) and abs(value.number) > LARGEST_EXACT else ""
    return f"same({each.name}, {value.number!r}{suffix})"


JAVASCRIPT = Language(missing=_missing, same=_same, prelude=PRELUDE)


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
    found, called = program(model), identifier(name, JAVASCRIPT_WORDS)
    lines = [f"const {each.name} = column(row, {javascript_value(each.column)});" for each in found.inputs]
    lines += [f"const {name} = {text};" for name, text in numbers(found, JAVASCRIPT)]
    refused = refusal(found, JAVASCRIPT)
    if refused:
        lines.append(f"if ({refused} > 0.0) return {{ decision: null, degrees: null{', parts: null' * with_parts} }};")
    assigned = assignments(found, JAVASCRIPT)
    lines += [f"const {name} = {text};" for name, text in assigned]
    parts = f", parts: {{ {', '.join(name for name, _ in assigned)} }}" if with_parts else ""
    lines += [f"const degrees = [{', '.join(found.outputs)}];", *_decision(found, parts)]
    body = "\n".join(f"    {line}" for line in lines)
    helpers = "".join(find_used(JAVASCRIPT, body))
    return (
        f'{remarks(found.header, "//")}\nconst {called} = (function () {{\n  "use strict";\n{helpers}\n'
        f"  return function (row) {{\n{body}\n  }};\n}})();\n"
        f'if (typeof module === "object") module.exports = {{ {called} }};\n'
    )


def _decision(found: Program, parts: str) -> list[str]:
    if found.labels is None:
        return [f"return {{ decision: degrees[0], degrees: degrees{parts} }};"]
    labels = f"[{', '.join(map(javascript_value, exact_labels(found.labels, LARGEST_DOUBLE)))}]"
    if len(found.outputs) == 1:
        return [f"return {{ decision: {labels}[degrees[0] >= {HALF} ? 1 : 0], degrees: degrees{parts} }};"]
    return [
        f"let best = {found.model.order[0]};",
        f"for (const index of {list(found.model.order)}) if (degrees[index] > degrees[best]) best = index;",
        f"return {{ decision: {labels}[best], degrees: degrees{parts} }};",
    ]
