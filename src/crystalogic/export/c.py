"""Export to C: one C99 file without allocation, with a struct for a row and a function that decides."""

import re

from crystalogic.errors import ExportError
from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Fact, Input, Program, encoded, program, remark
from crystalogic.export.source import Language, assignments, identifier, numbers, refusal, unused, used
from crystalogic.model import Model


def quoted(text: str) -> str:
    """A C text in UTF-8; all that is not plain is written as octal digits, trigraphs and line ends too."""
    if "\0" in text:
        message = f"C texts end at the first NUL, which {text!r} holds. Rename that value and train again."
        raise ExportError(message)
    plain = set(range(32, 127)) - set(b'"\\?%')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in encoded(text)) + '"'


PRELUDE = {
    "spaces": f"""
static size_t spaces(const char *text) /* bytes of the white space that a text begins with */
{{
    static const char *const SPACES[] = {{{", ".join(map(quoted, WHITESPACE))}}};
    size_t i, n = 0;
    for (i = 0; i < sizeof SPACES / sizeof *SPACES; i++)
        if (strncmp(text + n, SPACES[i], strlen(SPACES[i])) == 0) {{
            n += strlen(SPACES[i]);
            i = (size_t)-1;
        }}
    return n;
}}
""",
    "is_text": """
static int is_text(const char *value, const char *text, char tail)
{
    size_t n = strlen(text);
    value += spaces(value);
    if (strncmp(value, text, n) != 0)
        return 0;
    value += n;
    if (tail == '.' && *value == '.')
        value++;
    else if (tail == '.')
        tail = 0;
    while (tail && *value == '0')
        value++;
    return value[spaces(value)] == 0;
}
""",
    "missing_text": f"""
static double missing_text(const char *value)
{{
    static const char *const MISSING[] = {{{", ".join(quoted(text) for text in MISSING_TEXTS)}}};
    size_t i;
    if (value == NULL)
        return 1.0;
    for (i = 0; i < sizeof MISSING / sizeof *MISSING; i++)
        if (is_text(value, MISSING[i], 0))
            return 1.0;
    return 0.0;
}}
""",
    "same": """
static double same(const char *value, const char *text, char tail)
{
    return missing_text(value) == 0.0 && is_text(value, text, tail) ? 1.0 : 0.0;
}
""",
    "equal": """
static double equal(double value, double number)
{
    return value == number ? 1.0 : 0.0;
}
""",
    "missing_number": """
static double missing_number(double value)
{
    return isnan(value) ? 1.0 : 0.0;
}
""",
    "number": """
static double number(double value)
{
    return isfinite(value) ? value : NAN;
}
""",
    "unread": """
static double unread(double number)
{
    return isnan(number) ? 1.0 : 0.0;
}
""",
    "between": """
static double between(double number, double low, double high, double width)
{
    return number >= high ? 1.0 : number > low ? (number - low) / width : 0.0;
}
""",
    "reaches": """
static double reaches(double number, double cut)
{
    return number >= cut ? 1.0 : 0.0;
}
""",
    "least": """
static double least(double x, double y)
{
    return x < y ? x : y;
}
""",
    "greatest": """
static double greatest(double x, double y)
{
    return x > y ? x : y;
}
""",
    "alike": """
static double alike(double x, double y)
{
    return 1.0 - fabs(x - y);
}
""",
    "at_least_0": """
static double at_least_0(double x)
{
    return x > 0.0 ? x : 0.0;
}
""",
    "at_most_1": """
static double at_most_1(double x)
{
    return x < 1.0 ? x : 1.0;
}
""",
}


def _same(fact: Fact) -> list[str]:
    if fact.input.is_number:
        return [f"equal({fact.input.name}, {each.number!r})" for each in fact.values if each.number is not None]
    tails = {"": "0", ".": "'.'", "0": "'0'"}
    return [
        f"same({fact.input.name}, {quoted(each.text)}, {tails[each.tail]})"
        for each in fact.values
        if each.text is not None
    ]


def _missing(each: Input) -> str:
    return f"missing_{'number' if each.is_number else 'text'}({each.name})"


C = Language(missing=_missing, same=_same, prelude=PRELUDE)


def to_c(model: Model, *, name: str = "crystalogic") -> str:
    """The model as a C file with `struct NAME_row`, `NAME_decide` and `NAME_labels`.

    `NAME_decide` writes the degrees and returns the index of the class in `NAME_labels`, -1 where the rule cannot
    decide (the degrees are then NaN). A missing number is NaN, a missing text is NULL.

    Parameters:
        model: the model to write.
        name: what the names in the file begin with.
    """
    found, name = program(model), identifier(name)
    types = {each.name: "double " if each.is_number else "const char *" for each in found.inputs}
    fields = [f"    {types[each.name]}{each.name}; /* {comment(each.column)} */" for each in found.inputs]
    lines = [f"{types[each.name]}{each.name} = row->{each.name};" for each in found.inputs] or ["(void)row;"]
    lines += [f"double {name} = {text};" for name, text in numbers(found)]
    refused = refusal(found, C)
    if refused:
        lines += [f"if ({refused} > 0.0) {{", *(f"    degrees[{i}] = NAN;" for i in range(len(found.outputs)))]
        lines += ["    return -1;", "}"]
    lines += [f"double {name} = {text};" for name, text in assignments(found, C)]
    lines += [f"(void){name}; /* it cancels out */" for name in unused(found)]
    lines += [f"degrees[{index}] = {output};" for index, output in enumerate(found.outputs)]
    lines += _decision(found)
    body = "\n".join(f"    {line}" for line in lines)
    labels = [str(label) for label in found.labels or (model.target,)]
    header = "\n".join(f" * {comment(line)}".rstrip() for line in found.header)
    return (
        f"/*\n{header}\n *\n"
        f" * {name}_decide writes {len(found.outputs)} degree(s) and returns the place of the class in {name}_labels,\n"
        " * -1 where the rule cannot decide. A missing number is NaN, a missing text is NULL.\n */\n"
        "#include <math.h>\n#include <stddef.h>\n#include <string.h>\n\n"
        f"struct {name}_row {{\n"
        + "\n".join(fields or ["    char nothing; /* the rule reads no column */"])
        + "\n};\n\n"
        f"extern const char *const {name}_labels[];\n"
        f"const char *const {name}_labels[] = {{{', '.join(map(quoted, labels))}}};\n"
        + "".join(used(C, body))
        + f"\nint {name}_decide(const struct {name}_row *row, double *degrees);\n"
        f"int {name}_decide(const struct {name}_row *row, double *degrees)\n{{\n{body}\n}}\n"
    )


def comment(text: str) -> str:
    """A text that cannot end or change the comment that it stands in."""
    return re.sub(r"\?(?=\?)|\*(?=/)|/(?=\*)", r"\g<0> ", remark(text)).rstrip()


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
