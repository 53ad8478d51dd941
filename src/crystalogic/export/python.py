"""Export to plain Python: a module without imports, whose one function takes a row as a dict."""

from crystalogic.export.program import HALF, MISSING_TEXTS, Input, Program, Value, program
from crystalogic.export.quoting import PYTHON_WORDS, identifier, python_value, remarks
from crystalogic.export.source import Language, find_used, read_definitions, tell, write_lines
from crystalogic.model import Model

PRELUDE = read_definitions("definitions.py.txt", MISSING_TEXTS=repr(MISSING_TEXTS))


def _missing(each: Input) -> str:
    words = each.missing_texts
    return f"missing({each.name})" if words == MISSING_TEXTS else f"missing({each.name}, {python_value(words)})"


def _same(each: Input, value: Value) -> str:
    return f"same({each.name}, {python_value(value.text if value.number is None else value.number)})"


TOLD = {
    "score": "int({total})",
    "probability": "({shares},)[score]",
    "ask": "{low} <= score < {high}",
    "rule": "({shares},)[int({total})]",
    "probabilities": "share_out(({rules},), ({order}), place)",
}
PYTHON = Language(missing=_missing, same=_same, prelude=PRELUDE, told=TOLD, assign="{name} = {text}")


def to_python(model: Model, *, name: str = "decide") -> str:
    """The model as a Python module without imports.

    Its function takes a dict from columns to values and returns `{"decision": …, "degrees": […]}`; both are None where
    the rule cannot decide. Of a model with a risk, `NAME_risk` beside it also returns the `score`, the `probability`
    and, where there is a band, whether to `ask` a person; of a list the `probabilities` of its classes.

    Parameters:
        model: the model to write.
        name: of the function.
    """
    found, called = program(model), identifier(name, {*PYTHON_WORDS, *PRELUDE})
    told = tell(found, PYTHON)
    lines = [f"{each.name} = row[{python_value(each.column)}]" for each in found.inputs]
    nothing = "".join(f', "{key}": None' for key in told)
    nothing = f'    return {{"decision": None, "degrees": None{nothing}}}'
    lines += write_lines(found, PYTHON, lambda refused: [f"if {refused} > 0.0:", nothing])
    lines += [f"degrees = [{', '.join(found.outputs)}]", *_decision(found)]
    lines += [f"{key} = {text}" for key, text in told.items()]
    more = "".join(f', "{key}": {key}' for key in told)
    lines += [f'return {{"decision": decision, "degrees": degrees{more}}}']
    body = "\n".join(f"    {line}" for line in lines)
    helpers = "\n".join(find_used(PYTHON, body))
    doc = '"""The decision for a row, a dict from columns to values, and its degrees; None where there is none."""'
    decide = f"def {called}(row):\n    {doc}\n{body}\n"
    if told:
        also = f'"""The same and the {", ".join(told)}; None where there is none."""'
        short = '{"decision": found["decision"], "degrees": found["degrees"]}'
        decide = (
            f"def {called}(row):\n    {doc}\n    found = {called}_risk(row)\n    return {short}\n\n\n"
            f"def {called}_risk(row):\n    {also}\n{body}\n"
        )
    return f"{remarks(found.header, '#')}\n\n{helpers}\n\n{decide}"


def _decision(found: Program) -> list[str]:
    if found.labels is None:
        return ["decision = degrees[0]"]
    labels = f"({', '.join(map(python_value, found.labels))})"
    if len(found.outputs) == 1:
        return [f"decision = {labels}[degrees[0] >= {HALF}]"]
    return [f"place = max({found.model.order!r}, key=degrees.__getitem__)", f"decision = {labels}[place]"]
