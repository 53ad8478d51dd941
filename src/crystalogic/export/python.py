"""Export to plain Python: a module without imports, whose one function takes a row as a dict."""

from crystalogic.export.program import HALF, MISSING_TEXTS, Input, Value, program
from crystalogic.export.quoting import PYTHON_WORDS, identifier, python_value, remarks
from crystalogic.export.source import Language, read_definitions, source_values
from crystalogic.model import Model
from crystalogic.words.tables import fill_template

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
    found, decision = program(model), "degrees[0]"
    if found.labels is not None:
        place = "place" if len(found.outputs) > 1 else f"degrees[0] >= {HALF}"
        decision = f"({', '.join(map(python_value, found.labels))})[{place}]"
    read = [f"{each.name} = row[{python_value(each.column)}]" for each in found.inputs]
    return fill_template(
        "export",
        "decide.py.jinja",
        **source_values(found, PYTHON, read),
        **{"header": remarks(found.header, "#"), "decision": decision},
        name=identifier(name, {*PYTHON_WORDS, *PRELUDE}),
    )
