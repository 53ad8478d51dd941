"""Export to plain Python: a module without imports, whose one function takes a row as a dict."""

from crystalogic.cells import MOST_DIGITS
from crystalogic.export.program import HALF, MISSING_TEXTS, Input, Program, Value, program
from crystalogic.export.quoting import PYTHON_WORDS, identifier, python_value, remarks
from crystalogic.export.source import Language, assignments, find_used, numbers, refusal
from crystalogic.model import Model

PRELUDE = {
    "NAN": 'NAN = float("nan")\n',
    "MISSING": f"MISSING = {MISSING_TEXTS!r}\n",
    "missing": '''
def missing(value, words=MISSING):
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return 1.0
    return 1.0 if str(value).strip() in words else 0.0
''',
    "exact": f'''
def exact(value):
    """What the value counts, to the last digit if it is whole; NaN if it is not finite or counts nothing."""
    try:
        if isinstance(value, str):
            value = value.strip()
            digits = value[1:] if value[:1] in ("+", "-") else value
            if not value.isascii() or "_" in value or digits[:1] not in ".0123456789":
                return NAN
            value = int(value) if digits.isdigit() and len(digits) <= {MOST_DIGITS} else float(value)
        elif isinstance(value, bytes) or type(value).__name__ in ("bool", "bool_", "timedelta64"):
            return NAN
        found, whole = float(value), int(value)
    except (TypeError, ValueError, OverflowError):
        return NAN
    return whole if whole == value and abs(whole) < 10**{MOST_DIGITS} else found
''',
    "number": '''
def number(value):
    return float(exact(value))
''',
    "same": '''
def same(value, wanted):
    """1.0 if the value counts what is wanted, or is the text that is wanted."""
    if isinstance(wanted, str):
        return 0.0 if missing(value, ()) or str(value).strip() != wanted else 1.0
    start = value.strip().lstrip("+-")[:2] if isinstance(value, str) else ""
    is_code = start[:1] == "0" and start[1:].isdigit()
    return 1.0 if exact(value) == wanted and not is_code else 0.0
''',
    "given": '''
def given(value, is_missing):
    return NAN if is_missing else value
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


def _missing(each: Input) -> str:
    words = each.missing_texts
    return f"missing({each.name})" if words == MISSING_TEXTS else f"missing({each.name}, {python_value(words)})"


def _same(each: Input, value: Value) -> str:
    return f"same({each.name}, {python_value(value.text if value.number is None else value.number)})"


PYTHON = Language(missing=_missing, same=_same, prelude=PRELUDE)


def to_python(model: Model, *, name: str = "decide") -> str:
    """The model as a Python module without imports.

    Its function takes a dict from columns to values and returns `{"decision": …, "degrees": […]}`; both are None where
    the rule cannot decide.

    Parameters:
        model: the model to write.
        name: of the function.
    """
    found, called = program(model), identifier(name, {*PYTHON_WORDS, *PRELUDE})
    lines = [f"{each.name} = row[{python_value(each.column)}]" for each in found.inputs]
    lines += [f"{name} = {text}" for name, text in numbers(found, PYTHON)]
    refused = refusal(found, PYTHON)
    if refused:
        lines += [f"if {refused} > 0.0:", '    return {"decision": None, "degrees": None}']
    lines += [f"{name} = {text}" for name, text in assignments(found, PYTHON)]
    lines += [f"degrees = [{', '.join(found.outputs)}]", f"decision = {_decision(found)}"]
    lines += ['return {"decision": decision, "degrees": degrees}']
    body = "\n".join(f"    {line}" for line in lines)
    helpers = "\n".join(find_used(PYTHON, body))
    doc = '"""The decision for a row, a dict from columns to values, and its degrees; None where there is none."""'
    return f"{remarks(found.header, '#')}\n\n{helpers}\n\ndef {called}(row):\n    {doc}\n{body}\n"


def _decision(found: Program) -> str:
    if found.labels is None:
        return "degrees[0]"
    labels = f"({', '.join(map(python_value, found.labels))})"
    if len(found.outputs) == 1:
        return f"{labels}[degrees[0] >= {HALF}]"
    return f"{labels}[max({found.model.order!r}, key=degrees.__getitem__)]"
