"""Export to C: one C99 file without allocation, with a struct for a row and a function that decides."""

from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Input, Value, program
from crystalogic.export.quoting import c_comment, c_text, identifier
from crystalogic.export.source import Language, find_unused, read_definitions, source_values
from crystalogic.model import Model
from crystalogic.words.tables import fill_template

PRELUDE = read_definitions(
    "definitions.c", WHITESPACE=", ".join(map(c_text, WHITESPACE)), MISSING_TEXTS=", ".join(map(c_text, MISSING_TEXTS))
)


def _same(each: Input, value: Value) -> str | None:
    number = "NAN" if value.double is None else repr(value.double)
    if each.is_number:
        return None if value.double is None else f"equal({each.name}, {number})"
    if value.number is None:
        return f"same({each.name}, {c_text(value.text)})"
    return f"writes({each.name}, {c_text(value.text)}, {number})"


def _missing(each: Input) -> str:
    if each.is_number:
        return f"missing_number({each.name})"
    if each.missing_texts == MISSING_TEXTS:
        return f"missing_text({each.name})"
    words = "".join(f", same({each.name}, {c_text(text)}))" for text in each.missing_texts[1:])
    return "greatest(" * (len(each.missing_texts) - 1) + f"absent({each.name})" + words


TOLD = {
    "score": "*score = (int)({total})",
    "probability": "*probability = PROBABILITIES[*score]",
    "ask": "*ask = {low} <= *score && *score < {high}",
    "rule": "(const double[]){{{shares}}}[(int)({total})]",
    "probabilities": "share_out(probabilities, (const double[]){{{rules}}}, ORDER, sizeof ORDER / sizeof *ORDER, best)",
}
C = Language(missing=_missing, same=_same, prelude=PRELUDE, told=TOLD, assign="double {name} = {text};")
TYPES = {"score": "int", "probability": "double", "ask": "int", "probabilities": "double"}  # of what is told
NOTHING = {name: "-1" if kind == "int" else "NAN" for name, kind in TYPES.items()}  # where the rule cannot decide


def to_c(model: Model, *, name: str = "crystalogic") -> str:
    """The model as a C file with `struct NAME_row`, `NAME_decide` and `NAME_labels`.

    `NAME_decide` writes the degrees and returns the index of the class in `NAME_labels`, -1 where the rule cannot
    decide (the degrees are then NaN). A missing number is NaN, a missing text is NULL. Of a model with a risk,
    `NAME_risk` also writes the score, the probability and, where there is a band, whether to ask a person; of a list
    the probabilities of its classes.

    Parameters:
        model: the model to write.
        name: what the names in the file begin with.
    """
    found = program(model)
    return fill_template(
        "export",
        "decide.c.jinja",
        **source_values(found, C),
        name=identifier(name),
        labels=", ".join(c_text(str(label)) for label in found.labels or (model.target,)),
        unused=find_unused(found),
        length=lambda told: len(found.outputs) if told == "probabilities" else 1,
        kinds={True: "double ", False: "const char *"},
        **{"types": TYPES, "nothing": NOTHING, "comment": c_comment, "half": HALF},
    )
