"""Export to C: one C99 file without allocation, with a struct for a row and a function that decides."""

from crystalogic.cells import MOST_DIGITS
from crystalogic.counts import count
from crystalogic.export.program import HALF, MISSING_TEXTS, WHITESPACE, Input, Program, Value, program
from crystalogic.export.quoting import c_comment, c_text, identifier
from crystalogic.export.source import Language, assignments, find_unused, find_used, numbers, refusal
from crystalogic.model import Model

PRELUDE = {
    "spaces": f"""
static size_t spaces(const char *text) /* bytes of the white space that a text begins with */
{{
    static const char *const SPACES[] = {{{", ".join(map(c_text, WHITESPACE))}}};
    size_t i, n = 0;
    for (i = 0; i < sizeof SPACES / sizeof *SPACES; i++)
        if (strncmp(text + n, SPACES[i], strlen(SPACES[i])) == 0) {{
            n += strlen(SPACES[i]);
            i = (size_t)-1;
        }}
    return n;
}}
""",
    "same": """
static double same(const char *value, const char *text)
{
    size_t n = strlen(text);
    if (value == NULL)
        return 0.0;
    value += spaces(value);
    return strncmp(value, text, n) == 0 && value[n + spaces(value + n)] == 0 ? 1.0 : 0.0;
}
""",
    "absent": """
static double absent(const char *value)
{
    return value == NULL || value[spaces(value)] == 0 ? 1.0 : 0.0;
}
""",
    "missing_text": f"""
static double missing_text(const char *value)
{{
    static const char *const MISSING[] = {{{", ".join(map(c_text, MISSING_TEXTS))}}};
    size_t i;
    for (i = 0; i < sizeof MISSING / sizeof *MISSING; i++)
        if (value == NULL || same(value, MISSING[i]) > 0.0)
            return 1.0;
    return 0.0;
}}
""",
    "writes": f"""
static double writes(const char *value, const char *text, double wanted) /* whether it counts this; 007 is a code */
{{
    static const char DIGITS[] = "0123456789";
    const char *start;
    char *end;
    size_t n;
    if (value == NULL)
        return 0.0;
    value += spaces(value);
    start = value + (*value == '+' || *value == '-');
    n = strspn(start, DIGITS);
    if (n == 0 && (*start != '.' || strspn(start + 1, DIGITS) == 0))
        return 0.0;
    if ((n > 1 && *start == '0') || start[n] == 'x' || start[n] == 'X')
        return 0.0;
    if (n > 15 && n <= {MOST_DIGITS} && start[n + spaces(start + n)] == 0) /* a double may stand for several */
        return same(value + (*value == '+'), text);
    return strtod(value, &end) == wanted && end[spaces(end)] == 0 ? 1.0 : 0.0;
}}
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
    "given": """
static double given(double value, double is_missing)
{
    return is_missing > 0.0 ? NAN : value;
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
    fields = [f"    {types[each.name]}{each.name}; /* {c_comment(each.column)} */" for each in found.inputs]
    lines = [f"{types[each.name]}{each.name} = row->{each.name};" for each in found.inputs] or ["(void)row;"]
    lines += [f"double {name} = {text};" for name, text in numbers(found, C)]
    refused = refusal(found, C)
    if refused:
        lines += [f"if ({refused} > 0.0) {{", *(f"    degrees[{i}] = NAN;" for i in range(len(found.outputs)))]
        lines += ["    return -1;", "}"]
    lines += [f"double {name} = {text};" for name, text in assignments(found, C)]
    lines += [f"(void){name}; /* it cancels out */" for name in find_unused(found)]
    lines += [f"degrees[{index}] = {output};" for index, output in enumerate(found.outputs)]
    lines += _decision(found)
    body = "\n".join(f"    {line}" for line in lines)
    helpers = "".join(find_used(C, body))
    library = "#include <stdlib.h>\n" * ("strtod" in helpers)
    labels = [str(label) for label in found.labels or (model.target,)]
    header = "\n".join(f" * {c_comment(line)}".rstrip() for line in found.header)
    return (
        f"/*\n{header}\n *\n"
        f" * {name}_decide writes {count(len(found.outputs), 'degree')} and returns the place of the class in "
        f"{name}_labels,\n"
        " * -1 where the rule cannot decide. A missing number is NaN, a missing text is NULL.\n */\n"
        f"#include <math.h>\n#include <stddef.h>\n{library}#include <string.h>\n\n"
        f"struct {name}_row {{\n"
        + "\n".join(fields or ["    char nothing; /* the rule reads no column */"])
        + "\n};\n\n"
        f"extern const char *const {name}_labels[];\n"
        f"const char *const {name}_labels[] = {{{', '.join(map(c_text, labels))}}};\n"
        + helpers
        + f"\nint {name}_decide(const struct {name}_row *row, double *degrees);\n"
        f"int {name}_decide(const struct {name}_row *row, double *degrees)\n{{\n{body}\n}}\n"
    )


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
