"""Export to a model card in Markdown: what is known of the model, and what its owner has to fill in."""

from crystalogic.export.markdown import rule_lines
from crystalogic.export.quoting import markdown_text
from crystalogic.logic.names import one_line
from crystalogic.model import Model
from crystalogic.words.cards import card_sections


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
