"""Export to plain Python: a module without imports, whose one function takes a row as a dict."""

from crystalogic.export.program import HALF, MISSING_TEXTS, Fact, Program, program
from crystalogic.export.source import Language, assignments, identifier, numbers, refusal, used
from crystalogic.model import Model

PRELUDE = {
    "NAN": 'NAN = float("nan")\n',
    "MISSING": f"MISSING = {MISSING_TEXTS!r}\n",
    "missing": '''
def missing(value):
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return 1.0
    if isinstance(value, str):
        return 1.0 if value.strip() in MISSING else 0.0
    return 1.0 if value != value else 0.0
''',
    "number": '''
def number(value):
    """The value as a finite number, NaN if it is none."""
    if type(value).__name__ in ("bool", "bool_"):
        return NAN
    if isinstance(value, str):
        value = value.strip()
        if not value.isascii() or "_" in value:
            return NAN
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return NAN
    return found if found - found == 0.0 else NAN
''',
    "same": '''
def same(value, text, tail, as_number):
    """1.0 if the value is this text, zeros after a decimal point aside, or this number."""
    if missing(value):
        return 0.0
    if not isinstance(value, str):
        found = number(value)
        return 1.0 if found == as_number or str(value) == text else 0.0
    value = value.strip()
    if text is None or not value.startswith(text):
        return 0.0
    rest = value[len(text):]
    if tail == "." and rest[:1] == ".":
        rest = rest[1:].strip("0")
    elif tail == "0":
        rest = rest.strip("0")
    return 0.0 if rest else 1.0
''',
    "unread": '''
def unread(number):
    return 1.0 if number != number else 0.0
''',
    "between": '''
def between(number, low, high, width):
    return 1.0 if number >= high else (number - low) / width if number > low else 0.0
''',
    "reaches": '''
def reaches(number, cut):
    return 1.0 if number >= cut else 0.0
''',
    "least": '''
def least(x, y):
    return x if x < y else y
''',
    "greatest": '''
def greatest(x, y):
    return x if x > y else y
''',
    "alike": '''
def alike(x, y):
    return 1.0 - abs(x - y)
''',
    "at_least_0": '''
def at_least_0(x):
    return x if x > 0.0 else 0.0
''',
    "at_most_1": '''
def at_most_1(x):
    return x if x < 1.0 else 1.0
''',
}  # fmt: skip


def _same(fact: Fact) -> list[str]:
    return [f"same({fact.input.name}, {each.text!a}, {each.tail!r}, {each.number!r})" for each in fact.values]


PYTHON = Language(missing=lambda each: f"missing({each.name})", same=_same, prelude=PRELUDE)


def to_python(model: Model, *, name: str = "decide") -> str:
    """The model as a Python module without imports.

    Its function takes a dict from columns to values and returns `{"decision": …, "degrees": […]}`; both are None where
    the rule cannot decide.

    Parameters:
        model: the model to write.
        name: of the function.
    """
    found = program(model)
    lines = [f"{each.name} = row[{each.column!a}]" for each in found.inputs]
    lines += [f"{name} = {text}" for name, text in numbers(found)]
    refused = refusal(found, PYTHON)
    if refused:
        lines += [f"if {refused} > 0.0:", '    return {"decision": None, "degrees": None}']
    lines += [f"{name} = {text}" for name, text in assignments(found, PYTHON)]
    lines += [f"degrees = [{', '.join(found.outputs)}]", f"decision = {_decision(found)}"]
    lines += ['return {"decision": decision, "degrees": degrees}']
    body = "\n".join(f"    {line}" for line in lines)
    helpers = "\n".join(used(PYTHON, body))
    header = "\n".join(f"# {line}".rstrip() for line in found.header)
    doc = '"""The decision for a row, a dict from columns to values, and its degrees; None where there is none."""'
    return f"{header}\n\n{helpers}\n\ndef {identifier(name)}(row):\n    {doc}\n{body}\n"


def _decision(found: Program) -> str:
    if found.labels is None:
        return "degrees[0]"
    labels = f"({', '.join(map(ascii, found.labels))})"
    if len(found.outputs) == 1:
        return f"{labels}[degrees[0] >= {HALF}]"
    return f"{labels}[max({found.model.order!r}, key=degrees.__getitem__)]"
