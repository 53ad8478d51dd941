"""Export to Python, JavaScript and C: a module without imports, a function in one expression, a C99 file.

Here is what differs between the three. languages.toml holds patterns, definitions.* the functions that a rule calls,
decide.*.jinja what stands around it.
"""

import tomllib
from collections.abc import Callable

from crystalogic.cells import LARGEST_EXACT
from crystalogic.export import quoting
from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Input, Value, program
from crystalogic.export.quoting import c_text, identifier, javascript_value, python_value, remarks
from crystalogic.export.source import Language, find_unused, read_definitions, source_values
from crystalogic.model import Model
from crystalogic.words.tables import fill_template, package_file

TOLD = tomllib.loads(package_file("export", "languages.toml"))


def _missing(write: Callable[[object], str]) -> Callable[[Input], str]:
    """How Python and JavaScript ask whether a cell is missing, with words of its own as `write` has them."""

    def missing(each: Input) -> str:
        words = "" if each.missing_texts == MISSING_TEXTS else f", {write(each.missing_texts)}"
        return f"missing({each.name}{words})"

    return missing


def _same_in_python(each: Input, value: Value) -> str:
    return f"same({each.name}, {python_value(value.text if value.number is None else value.number)})"


def _same_in_javascript(each: Input, value: Value) -> str:
    if value.number is None:
        return f"same({each.name}, {javascript_value(value.text)})"
    suffix = "n" if isinstance(value.number, int) and abs(value.number) > LARGEST_EXACT else ""
    return f"same({each.name}, {value.number!r}{suffix})"


def _same_in_c(each: Input, value: Value) -> str | None:
    number = "NAN" if value.double is None else repr(value.double)
    if each.is_number:
        return None if value.double is None else f"equal({each.name}, {number})"
    if value.number is None:
        return f"same({each.name}, {c_text(value.text)})"
    return f"writes({each.name}, {c_text(value.text)}, {number})"


def _missing_in_c(each: Input) -> str:
    if each.is_number:
        return f"missing_number({each.name})"
    if each.missing_texts == MISSING_TEXTS:
        return f"missing_text({each.name})"
    words = "".join(f", same({each.name}, {c_text(text)}))" for text in each.missing_texts[1:])
    return "greatest(" * (len(each.missing_texts) - 1) + f"absent({each.name})" + words


PYTHON = Language(
    _missing(python_value),
    _same_in_python,
    read_definitions("definitions.py.txt", MISSING_TEXTS=repr(MISSING_TEXTS)),
    TOLD["python"],
)
JAVASCRIPT = Language(
    _missing(javascript_value),
    _same_in_javascript,
    read_definitions(
        "definitions.js",
        WHITESPACE="".join(f"\\u{ord(char):04x}" for char in WHITESPACE),
        MISSING_TEXTS=javascript_value(MISSING_TEXTS),
    ),
    TOLD["javascript"],
)
_TEXTS = {"WHITESPACE": ", ".join(map(c_text, WHITESPACE)), "MISSING_TEXTS": ", ".join(map(c_text, MISSING_TEXTS))}
C = Language(_missing_in_c, _same_in_c, read_definitions("definitions.c", **_TEXTS), TOLD["c"])
TYPES = {"score": "int", "probability": "double", "ask": "int", "probabilities": "double"}  # of what is told
NOTHING = {name: "-1" if kind == "int" else "NAN" for name, kind in TYPES.items()}  # where the rule cannot decide


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
        name=identifier(name, {*quoting.PYTHON_WORDS, *PYTHON.prelude}),
    )


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
        labels = ", ".join(map(javascript_value, quoting.exact_labels(found.labels, quoting.LARGEST_DOUBLE)))
        decision = f"[{labels}][{'place' if len(found.outputs) > 1 else f'degrees[0] >= {HALF} ? 1 : 0'}]"
    read = [f"const {each.name} = column(row, {javascript_value(each.column)});" for each in found.inputs]
    return fill_template(
        "export",
        "decide.js.jinja",
        **source_values(found, JAVASCRIPT, read),
        **{
            "name": identifier(name, quoting.JAVASCRIPT_WORDS),
            "header": remarks(found.header, "//"),
            "decision": decision,
        },
        parts=["parts"] * with_parts,
        keys=f"decision, degrees{', parts' * with_parts}",
    )


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
        **{"types": TYPES, "nothing": NOTHING, "comment": quoting.c_comment, "half": HALF},
    )
