"""Export to DMN 1.3: facts in FEEL, the score as a table of points, and class, risk and whether to ask by the score.

FEEL has decimal numbers and none that are infinite, so a rule that measures degrees is refused: its last digits would
be others. Columns have types as in PMML. languages.toml has the patterns of FEEL, rule.dmn.jinja tables and document.
"""

import json
import re
from decimal import Decimal
from itertools import count
from typing import Any

from crystalogic.errors import ExportError, refuse
from crystalogic.export.calls import Notation, cell_language, fill, list_calls, list_items
from crystalogic.export.languages import TOLD
from crystalogic.export.program import program
from crystalogic.export.quoting import LARGEST_INTEGER, exact_labels, strip_texts, xml_text
from crystalogic.model import Model
from crystalogic.words.literals import literal_words
from crystalogic.words.tables import fill_template

FEEL = cell_language({}, is_typed=True)
TABLES = ("score", "place", "probability", "ask")  # calls that are tables where there is a score


def to_dmn(model: Model) -> str:
    """The model as DMN 1.3, whose decision `decided` is the class.

    It is null, as all others, of a row that the rule cannot decide. Of two classes with a risk there are also `score`,
    `probability` and perhaps `ask`; of a list the probability of each class. Inputs are named as the columns where
    these are plain identifiers, and `column_1`, … otherwise.

    Parameters:
        model: the model to write.
    """
    found = program(model)
    if found.labels is None or not all(fact.is_boolean for fact in found.facts):
        problem = "DMN has decimal numbers, with which degrees would have other last digits"
        refuse(ExportError, f"{problem}. Train a rule of facts alone (numbers='cuts'), or export PMML.")
    calls, told = list_calls(found, FEEL)
    words = {fact.name: literal_words(fact.literal) for fact in found.facts}
    if found.points is not None:
        calls = {name: text for name, text in calls.items() if name not in TABLES}
    else:
        calls |= {f"told_{n}": f"kept({name}, refused)" for n, (_, name) in enumerate(told)}
        words |= {f"told_{n}": title for n, (title, _) in enumerate(told)}
    names = {name: name for name in (*calls, *TABLES, "decided")}
    inputs = found.plain_names([*names, *TOLD["feel"]["words"].split()])
    names |= inputs
    notation = Notation(lambda *call: fill(TOLD["feel"], *call), names.__getitem__, _value)
    ids = (f"id.{number}" for number in count(1))

    def needs(text: str) -> list[tuple[str, str]]:
        read = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", strip_texts(text)))
        return [("Input" if each in inputs.values() else "Decision", each) for each in read if each in names.values()]

    known: dict[str, Any] = {"program": found, "points": found.points, "calls": calls, "names": names, "words": words}
    known |= {"needs": needs, "write": notation.write, "xml": xml_text, "value": _value, "ids": lambda: next(ids)}
    known |= {"items": list_items(found), "labels": exact_labels(found.labels, LARGEST_INTEGER)}
    return fill_template("export", "rule.dmn.jinja", header="\n".join(found.header), **known)


def _value(value: float | str) -> str:
    """A text, number or truth value of FEEL, which knows no exponents."""
    xml_text(value)  # refuses what cannot be written
    if isinstance(value, (str, bool)):
        return json.dumps(value, ensure_ascii=False)
    return format(Decimal(repr(value)), "f").removesuffix(".0")
