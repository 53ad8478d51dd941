"""The model card: what is known of a model, in the sections of Mitchell and others (2019), and what a person adds."""

from dataclasses import dataclass

from crystalogic.logic.names import one_line
from crystalogic.model import Model
from crystalogic.verify.certificate import CLAIM
from crystalogic.words.literals import column_words
from crystalogic.words.models import groups_held_out, held_out_text, scores_text, shown_fronts
from crystalogic.words.risks import operating_lines, outcome_words
from crystalogic.words.tables import TOO_FEW, rates_rows
from crystalogic.words.templates import fill_template

Table = tuple[str, list[list[str]]]  # a title, and rows of which the first is the head


@dataclass(frozen=True)
class Section:
    """A section of the card: sentences, and tables below them."""

    title: str
    lines: list[str]
    tables: list[Table]


def card_sections(model: Model) -> list[Section]:
    """All of the card but the rule itself; card.txt holds its sentences, a line for each, each value on one line."""
    outcome = outcome_words(model, 1) if model.classes else ""
    read = [[name, column_words(model.encoding.by_name[name])] for name in model.columns]
    tables: dict[str, list[Table]] = {
        "Factors": [("Columns that the rule reads", [["column", "read as"], *read])],
        "Quantitative analyses": [
            (f"Judged that {outcome}, by {one_line(column)}, on rows held out", rates_rows(column, groups))
            for column, groups in groups_held_out(model).items()
        ],
    }
    text = fill_template(
        "words",
        "card.txt",
        **{"model": model, "outcome": outcome, "too_few": TOO_FEW, "claim": CLAIM.capitalize()},
        **{"scores": scores_text(model), "held_out": held_out_text(model), "fronts": shown_fronts(model)},
        operating=operating_lines(model),
    )
    found: list[Section] = []
    for line in filter(None, text.split("\n")):
        if line.startswith("## "):
            found.append(Section(line[3:], [], tables.get(line[3:], [])))
        else:
            found[-1].lines.append(line)
    return found
