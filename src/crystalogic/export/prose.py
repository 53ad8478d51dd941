"""Export for people: the rule in LaTeX for a paper, as a checklist in Markdown, and the model card."""

import re
from collections.abc import Sequence
from typing import Any

from crystalogic.export.program import Program, program
from crystalogic.export.quoting import markdown_text, remarks
from crystalogic.logic.formula import Formula
from crystalogic.logic.names import latex_name, latex_text, one_line
from crystalogic.model import Model
from crystalogic.words.checklists import checklist
from crystalogic.words.literals import literal_words
from crystalogic.words.models import Section, card_sections, rules_in_order
from crystalogic.words.risks import operating_lines, risk_paragraphs
from crystalogic.words.tables import fill_template


def _values(found: Program) -> dict[str, Any]:
    """What both templates write: the classes, the formulas with what they speak for, and the risks."""
    model = found.model
    spoken_for = (None,) if found.labels is None else found.labels[-len(model.formulas) :]
    spoken = list(zip(spoken_for, model.formulas, strict=True))
    risks = [(heading, items) for heading, *items in risk_paragraphs(model)]
    told = {"spoken": spoken, "risks": risks, "operating": operating_lines(model)}
    return {"model": model, "labels": found.labels, **told}


def to_latex(model: Model) -> str:
    """The model as LaTeX that stands in a document by itself.

    Parameters:
        model: the model to write.
    """
    found = program(model)
    values = _values(found) | {"header": remarks(found.header, "%"), "target": latex_text(model.target)}
    values |= {"latex": lambda text: latex_text(str(text)), "latex_name": latex_name, "words": literal_words}
    return fill_template("export", "rule.tex.jinja", **values, literals=[fact.literal for fact in found.facts])


def to_markdown(model: Model) -> str:
    """The model as Markdown; names and values are shown as they are, whatever they hold.

    Parameters:
        model: the model to write.
    """
    return _markdown(model, _text(model.target))


def to_card(model: Model) -> str:
    """The model card as Markdown; names and values are shown as they are, whatever they hold.

    Parameters:
        model: the model to write.
    """
    return _markdown(model, f"Model card: {_text(model.target)}", card_sections(model))


def _markdown(model: Model, title: str, sections: Sequence[Section] = ()) -> str:
    """A page with the rule and its risks, and then these sections."""

    def boxes(formula: Formula) -> list[Any]:
        rule = checklist(formula, model.encoding.literals, model.encoding.gaps)
        return re.findall(r"^(?:((?:  )+)- )?(.*)$", rule, re.MULTILINE)  # a name may begin with a bullet, too

    values = _values(program(model))
    rules = rules_in_order(model) if model.is_list else []
    values |= {"spoken": rules[:-1], "last": rules[-1][0]} if rules else {"last": (values["labels"] or [""])[0]}
    values["decides"] = model.classes is not None and (len(model.formulas) == 1 or model.is_list)
    names = {"title": title, "target": _text(model.target), "sections": sections}
    return fill_template("export", "rule.md.jinja", **values, **names, boxes=boxes, text=_text, markdown=markdown_text)


def _text(name: object) -> str:
    return markdown_text(one_line(name)) or "&#160;"  # ** with nothing between is no bold type
