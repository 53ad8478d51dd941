"""Export to Markdown: the rule as a checklist to print or to paste into an issue."""

import re

from crystalogic.export.program import program
from crystalogic.export.quoting import markdown_text
from crystalogic.logic.names import one_line
from crystalogic.model import Label, Model
from crystalogic.words.checklists import checklist
from crystalogic.words.models import rules_in_order
from crystalogic.words.risks import operating_lines, risk_paragraphs


def to_markdown(model: Model) -> str:
    """The model as Markdown; names and values are shown as they are, whatever they hold.

    Parameters:
        model: the model to write.
    """
    return "\n".join([f"# {_line(model.target)}", "", *rule_lines(model), ""])


def rule_lines(model: Model) -> list[str]:
    """The rule and its risks, line by line."""
    found, lines = program(model), list[str]()
    target = _line(model.target)
    spoken_for = (None,) if found.labels is None else found.labels[-len(model.formulas) :]
    pairs = rules_in_order(model)[:-1] if model.is_list else zip(spoken_for, model.formulas, strict=True)
    for place, (label, formula) in enumerate(pairs):
        if label is None:
            lines.append(f"The degree of {target}:")
        elif len(model.formulas) == 1 or model.is_list:
            lines.append(f"{'Otherwise decide' if place else 'Decide'} {target} = **{_line(label)}** if:")
        else:
            lines.append(f"The degree of {target} = **{_line(label)}**:")
        rule = checklist(formula, model.encoding.literals, model.encoding.gaps).split("\n")
        parts = [re.fullmatch(r"(?:((?:  )+)- )?(.*)", line) for line in rule]  # a name may begin with a bullet, too
        lines += ["", *(f"{found[1] or ''}- [ ] {markdown_text(found[2])}" for found in parts if found), ""]
    if found.labels is not None and (len(model.formulas) == 1 or model.is_list):
        last = rules_in_order(model)[-1][0] if model.is_list else found.labels[0]
        lines.append(f"Otherwise decide {target} = **{_line(last)}**.")
    elif found.labels is not None:
        first = ", ".join(_line(found.labels[index]) for index in model.order)
        lines.append(f"Decide for the class with the largest degree; of equal ones the first of {first}.")
    else:
        lines.append("It lies between 0 and 1.")
    for heading, *items in risk_paragraphs(model):
        lines += ["", f"H{_line(heading)[1:]}", "", *(f"- {item}" for item in items)]
    for sentence in operating_lines(model):
        lines += ["", markdown_text(sentence)]
    return lines


def _line(name: Label) -> str:
    return markdown_text(one_line(name)) or "&#160;"  # ** with nothing between is no bold type
