"""Export to Markdown: the rule as a checklist to print or to paste into an issue."""

import re
from dataclasses import replace

from crystalogic.encoding import Encoding, Is, Literal, Reaches
from crystalogic.export.program import program
from crystalogic.logic.formula import Formula, Variable, substitute
from crystalogic.model import Model
from crystalogic.wording import checklist


def to_markdown(model: Model) -> str:
    """The model as Markdown; names and values are shown as they are, whatever they hold.

    Parameters:
        model: the model to write.
    """
    found = program(model)
    target = plain(model.target)
    lines = [f"# {target}", ""]
    spoken_for = (None,) if found.labels is None else found.labels[-len(model.formulas) :]
    for label, formula in zip(spoken_for, model.formulas, strict=True):
        if label is None:
            lines.append(f"The degree of {target}:")
        elif len(model.formulas) == 1:
            lines.append(f"Decide {target} = **{plain(str(label))}** if:")
        else:
            lines.append(f"The degree of {target} = **{plain(str(label))}**:")
        lines += ["", *_boxes(formula, model.encoding), ""]
    if found.labels is not None and len(model.formulas) == 1:
        lines.append(f"Otherwise decide {target} = **{plain(str(found.labels[0]))}**.")
    elif found.labels is not None:
        first = ", ".join(plain(str(found.labels[index])) for index in model.order)
        lines.append(f"Decide for the class with the largest degree; of equal ones the first of {first}.")
    else:
        lines.append("It lies between 0 and 1.")
    return "\n".join([*lines, ""])


def plain(text: str) -> str:
    """A text that Markdown and HTML show as it is: every character that could have a meaning is an entity."""
    return re.sub(r"[^\w .,;:=≥≤()/%+'-]|(?<![^\W_])_|_(?![^\W_])", lambda found: f"&#{ord(found[0])};", text)


def _boxes(formula: Formula, encoding: Encoding) -> list[str]:
    renamed: dict[Formula, Formula] = {}
    safe: dict[str, Literal] = {}
    for name in formula.variables:
        renamed[Variable(name)] = Variable(plain(name))
        safe[plain(name)] = _plain(encoding.literals[name])
    lines = checklist(substitute(formula, renamed), safe, set(map(plain, encoding.gaps))).split("\n")
    return [re.sub(r"^(\s*)- ", r"\1- [ ] ", line if line.startswith(" ") else f"- {line}") for line in lines]


def _plain(literal: Literal) -> Literal:
    match literal:
        case Is():
            return Is(plain(literal.column), plain(literal.value))
        case Reaches():
            return Reaches(plain(literal.column), plain(literal.level), (plain(literal.level),))
    return replace(literal, column=plain(literal.column))
