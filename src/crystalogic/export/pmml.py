"""Export to PMML 4.4: a tree whose leaves are the scores, or the classes, over fields that are derived step by step.

Columns have the types that C and ONNX give them: numbers and codes are doubles, all others texts. What the rule calls
stands in definitions.pmml, the document around it in rule.pmml.jinja.
"""

from typing import Any

from crystalogic.errors import ExportError, refuse
from crystalogic.export.calls import Notation, cell_language, list_calls, list_items
from crystalogic.export.languages import find_used, read_definitions
from crystalogic.export.program import program
from crystalogic.export.quoting import LARGEST_INTEGER, exact_labels, free_names, xml_text
from crystalogic.model import Model
from crystalogic.words.tables import fill_template

PMML = cell_language(read_definitions("definitions.pmml"), is_typed=True)


def to_pmml(model: Model) -> str:
    """The model as PMML 4.4, which gives the class, and what the score tells, as outputs.

    All outputs are missing of a row that the rule cannot decide. Two classes with a risk are a tree with a leaf for
    each score, which has the probabilities; the points of each item are outputs, too.

    Parameters:
        model: the model to write.
    """
    found = program(model)
    calls, told = list_calls(found, PMML)
    columns = [each.column for each in found.inputs]
    if model.target in columns or len({*columns}) < len(columns):
        refuse(ExportError, f"PMML cannot tell the target {model.target!r} from a column. Rename it and train again.")
    items = list_items(found)
    titles = free_names([*(title for title, _ in told), *(words for words, _ in items)], columns)
    own = [*calls, *(f"told {name}" for _, name in told)]
    names = dict(zip(own, free_names(own, [*columns, *titles, model.target]), strict=True))
    names |= {each.name: each.column for each in found.inputs}
    notation = Notation(_call, lambda name: f'<FieldRef field="{xml_text(names[name])}"/>', _value)
    labels = None if found.labels is None else exact_labels(found.labels, LARGEST_INTEGER)
    known: dict[str, Any] = {"program": found, "points": found.points, "calls": calls, "names": names, "labels": labels}
    known |= {"element": "TreeModel" if labels else "RegressionModel", "risk": model.risk and model.risk.shares}
    known |= {"titles": titles, "told": [name for _, name in told], "write": notation.write, "xml": xml_text}
    known["items"] = [(title, points) for title, (_, points) in zip(titles[len(told) :], items, strict=True)]
    known["helpers"] = find_used(PMML, "\n".join([*calls.values(), "kept(0)", *(points for _, points in items)]))
    return fill_template("export", "rule.pmml.jinja", header="\n".join(found.header), **known)


def _call(name: str, parts: list[str]) -> str:
    return parts[0] if name == "()" else f'<Apply function="{name}">{"".join(parts)}</Apply>'


def _value(value: float | str) -> str:
    kind = "string" if isinstance(value, str) else "double"
    return f'<Constant dataType="{kind}">{xml_text(value)}</Constant>'
