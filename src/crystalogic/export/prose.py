"""Export for people: the rule in LaTeX for a paper, as a checklist in Markdown, and the model card."""

import re

from crystalogic.export.program import program
from crystalogic.export.quoting import markdown_text, remarks
from crystalogic.logic.names import latex_name, latex_text, one_line
from crystalogic.model import Label, Model
from crystalogic.words.checklists import checklist
from crystalogic.words.literals import literal_words
from crystalogic.words.models import card_sections, rules_in_order
from crystalogic.words.risks import operating_lines, risk_paragraphs


def to_latex(model: Model) -> str:
    """The model as LaTeX that stands in a document by itself.

    Parameters:
        model: the model to write.
    """
    found = program(model)
    lines = [remarks(found.header, "%")]
    target = latex_text(model.target)
    spoken_for = (None,) if found.labels is None else found.labels[-len(model.formulas) :]
    for label, formula in zip(spoken_for, model.formulas, strict=True):
        of = target if label is None else f"{target} = {latex_text(str(label))}"
        lines += [f"The degree of {of} is", r"\[", formula.to_latex(), r"\]"]
    if found.facts:
        lines += ["where", r"\begin{itemize}"]
        lines += [
            rf"\item ${latex_name(fact.literal.name)}$: {latex_text(literal_words(fact.literal))}"
            for fact in found.facts
        ]
        lines.append(r"\end{itemize}")
    if found.labels is not None and len(model.formulas) == 1:
        no, yes = (latex_text(str(label)) for label in found.labels)
        lines.append(rf"{target} is {yes} if the degree is at least $\frac{{1}}{{2}}$, otherwise {no}.")
    elif found.labels is not None:
        first = ", ".join(latex_text(str(found.labels[index])) for index in model.order)
        which = "first class of" if model.is_list else "class with the largest degree; of equal ones the first of"
        lines.append(f"{target} is the {which} {first}{' whose degree is 1' * model.is_list}.")
    for heading, *items in risk_paragraphs(model):
        lines.append(f"H{latex_text(heading)[1:]}")
        listed = (rf"\item {latex_text(item).replace('–', '--')}" for item in items)
        lines += [r"\begin{itemize}", *listed, r"\end{itemize}"] if items else []
    lines += map(latex_text, operating_lines(model))
    return "\n".join([*lines, ""])


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


def to_card(model: Model) -> str:
    """The model card as Markdown; names and values are shown as they are, whatever they hold.

    Parameters:
        model: the model to write.
    """
    lines = [f"# Model card: {_text(model.target)}", "", *rule_lines(model)]
    for section in card_sections(model):
        lines += ["", f"## {section.title}", "", *(f"- {_text(line)}" for line in section.lines)]
        for title, (head, *rows) in section.tables:
            cells = [list(map(_text, head)), ["---"] * len(head), *(map(_text, row) for row in rows)]
            lines += ["", f"{_text(title)}:", "", *(f"| {' | '.join(row)} |" for row in cells)]
    return "\n".join([*lines, ""])


def _text(text: str) -> str:
    return markdown_text(one_line(text)) or "&#160;"
