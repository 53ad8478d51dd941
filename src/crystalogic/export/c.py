"""Export to C: one C99 file without allocation, with a struct for a row and a function that decides."""

from crystalogic.counts import count
from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Input, Program, Value, program
from crystalogic.export.quoting import c_comment, c_text, identifier
from crystalogic.export.source import (
    Language,
    find_unused,
    find_used,
    read_definitions,
    tell,
    write_lines,
)
from crystalogic.model import Model

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
NOTHING = {"int": "-1", "double": "NAN"}  # is told where the rule cannot decide


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
    found, name = program(model), identifier(name)
    told = tell(found, C)
    types = {each.name: "double " if each.is_number else "const char *" for each in found.inputs}
    fields = [f"    {types[each.name]}{each.name}; /* {c_comment(each.column)} */" for each in found.inputs]
    lines = [f"{types[each.name]}{each.name} = row->{each.name};" for each in found.inputs] or ["(void)row;"]
    nothing = [f"    degrees[{i}] = NAN;" for i in range(len(found.outputs))]
    nothing += [f"    {each}[{i}] = {NOTHING[TYPES[each]]};" for each in told for i in range(_length(each, found))]
    lines += write_lines(found, C, lambda refused: [f"if ({refused} > 0.0) {{", *nothing, "    return -1;", "}"])
    lines += [f"(void){name}; /* it cancels out */" for name in find_unused(found)]
    lines += [f"degrees[{index}] = {output};" for index, output in enumerate(found.outputs)]
    *chosen, returned = _decision(found)
    lines += [*chosen, *(f"{text};" for text in told.values()), returned]
    body = "\n".join(f"    {line}" for line in lines)
    helpers = "".join(find_used(C, body))
    library = "#include <stdlib.h>\n" * ("strtod" in helpers)
    labels = [str(label) for label in found.labels or (model.target,)]
    header = "\n".join(f" * {c_comment(line)}".rstrip() for line in found.header)
    listed = ", ".join(f"{each} ({NOTHING[TYPES[each]]} there)" for each in told)
    more = f" * {name}_risk also writes {listed}.\n" if told else ""
    return (
        f"/*\n{header}\n *\n"
        f" * {name}_decide writes {count(len(found.outputs), 'degree')} and returns the place of the class in "
        f"{name}_labels,\n"
        " * -1 where the rule cannot decide. A missing number is NaN, a missing text is NULL.\n"
        f"{more} */\n"
        f"#include <math.h>\n#include <stddef.h>\n{library}#include <string.h>\n\n"
        f"struct {name}_row {{\n"
        + "\n".join(fields or ["    char nothing; /* the rule reads no column */"])
        + "\n};\n\n"
        f"extern const char *const {name}_labels[];\n"
        f"const char *const {name}_labels[] = {{{', '.join(map(c_text, labels))}}};\n"
        + helpers
        + _functions(name, body, found)
    )


def _functions(name: str, body: str, found: Program) -> str:
    """The function that decides, and the one that tells more, where there is more to tell."""
    row = f"const struct {name}_row *row, double *degrees"
    if not found.told:
        return f"\nint {name}_decide({row});\nint {name}_decide({row})\n{{\n{body}\n}}\n"
    shares = ", ".join(found.points.probabilities if found.points else ())
    table = f"    static const double PROBABILITIES[] = {{{shares}}};\n" if shares else ""
    more = "".join(f", {TYPES[each]} *{each}" for each in found.told)
    unread = "".join(f"    {TYPES[each]} {each}[{_length(each, found)}];\n" for each in found.told)
    passed = "".join(f", {each}" for each in found.told)
    return (
        f"\nint {name}_risk({row}{more});\nint {name}_risk({row}{more})\n{{\n{table}{body}\n}}\n"
        f"\nint {name}_decide({row});\nint {name}_decide({row})\n{{\n{unread}"
        f"    return {name}_risk(row, degrees{passed});\n}}\n"
    )


def _length(told: str, found: Program) -> int:
    """How many numbers are told by one name."""
    return len(found.outputs) if told == "probabilities" else 1


def _decision(found: Program) -> list[str]:
    if found.labels is None:
        return ["return 0;"]
    if len(found.outputs) == 1:
        return [f"return degrees[0] >= {HALF};"]
    order = ", ".join(map(str, found.model.order))
    return [
        f"static const int ORDER[] = {{{order}}};",
        "int i, best = ORDER[0];",
        "for (i = 1; i < (int)(sizeof ORDER / sizeof *ORDER); i++)",
        "    if (degrees[ORDER[i]] > degrees[best])",
        "        best = ORDER[i];",
        "return best;",
    ]
