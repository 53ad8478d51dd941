"""Export to JavaScript: one function in one expression, which takes a row as an object."""

from crystalogic.cells import LARGEST_EXACT
from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Input, Value, program
from crystalogic.export.quoting import (
    JAVASCRIPT_WORDS,
    LARGEST_DOUBLE,
    exact_labels,
    identifier,
    javascript_value,
    remarks,
)
from crystalogic.export.source import Language, read_definitions, source_values
from crystalogic.model import Model
from crystalogic.words.tables import fill_template

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
    found, decision = program(model), "degrees[0]"
    if found.labels is not None:
        labels = ", ".join(map(javascript_value, exact_labels(found.labels, LARGEST_DOUBLE)))
        decision = f"[{labels}][{'place' if len(found.outputs) > 1 else f'degrees[0] >= {HALF} ? 1 : 0'}]"
    read = [f"const {each.name} = column(row, {javascript_value(each.column)});" for each in found.inputs]
    return fill_template(
        "export",
        "decide.js.jinja",
        **source_values(found, JAVASCRIPT, read),
        **{"name": identifier(name, JAVASCRIPT_WORDS), "header": remarks(found.header, "//"), "decision": decision},
        parts=["parts"] * with_parts,
        keys=f"decision, degrees{', parts' * with_parts}",
    )
