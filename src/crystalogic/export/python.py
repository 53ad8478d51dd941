"""Export to plain Python: a module without imports, whose one function takes a row as a dict."""

from crystalogic.export.program import HALF, MISSING_TEXTS, Input, Program, Value, program
from crystalogic.export.quoting import PYTHON_WORDS, identifier, python_value, remarks
from crystalogic.export.source import Language, assignments, find_used, numbers, read_definitions, refusal
from crystalogic.model import Model

PRELUDE = read_definitions("definitions.py.txt", MISSING_TEXTS=repr(MISSING_TEXTS))


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
