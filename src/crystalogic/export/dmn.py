"""Export to DMN 1.3: facts in FEEL, the score as a table of points, and class, risk and whether to ask by the score.

FEEL has decimal numbers and none that are infinite, so a rule that measures degrees is refused: its last digits would
be others. Columns have types as in PMML. languages.toml has the patterns of FEEL, rule.dmn.jinja the document.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count

from crystalogic.errors import ExportError, refuse
from crystalogic.export import calls as written
from crystalogic.export.languages import TOLD, Language
from crystalogic.export.program import Program, program
from crystalogic.export.quoting import LARGEST_INTEGER, exact_labels, strip_texts, xml_text
from crystalogic.model import Model
from crystalogic.words.literals import literal_words
from crystalogic.words.tables import fill_template

FEEL = Language(written.missing_by_type, written.same_by_type, {}, {})
# What FEEL reads as its own, alone or at the beginning of a name.
WORDS = (
    "after all and any before between context count date day duration else every external false finish finished floor "
    "for function get if in instance is list max mean median min mode month not null number of or product return round "
    "satisfies some sort split start started string substring sum then time true week year decided".split()
)


@dataclass(frozen=True)
class Table:
    """A decision table: rules have an entry for each input, an output and perhaps words."""

    words: str
    kind: str  # the FEEL type of the output
    inputs: Sequence[str]
    rules: Sequence[tuple[Sequence[str], str] | tuple[Sequence[str], str, str]]
    policy: str = "UNIQUE"


def to_dmn(model: Model) -> str:
    """The model as DMN 1.3, whose decision `decided` is the class.

    It is null, as all others, of a row that the rule cannot decide. Of two classes with a risk there are also `score`,
    `probability` and perhaps `ask`; of a list the probability of each class. Inputs are named as the columns where
    these are plain identifiers, and `column_1`, … otherwise.

    Parameters:
        model: the model to write.
    """
    found = program(model)
    if written.is_measured(found) or found.labels is None:
        problem = "DMN has decimal numbers, with which degrees would have other last digits"
        refuse(ExportError, f"{problem}. Train a rule of facts alone (numbers='cuts'), or export PMML.")
    calls, told = written.list_calls(found, FEEL)
    if found.points is not None:
        calls = {name: text for name, text in calls.items() if name not in ("score", "place", "probability", "ask")}
    names = found.plain_names([*calls, *WORDS, *(each.name for each in told)])
    names |= {name: name for name in (*calls, *(each.name for each in told))}
    notation = written.Notation(lambda *call: written.fill(TOLD["feel"], *call), names.__getitem__, _value)
    calls |= {f"told_{n}": f"kept({each.name}, refused)" for n, each in enumerate(told) if found.points is None}
    ids = (f"id.{number}" for number in count(1))

    def needs(texts: Sequence[str]) -> list[dict[str, str]]:
        read = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", strip_texts(" ".join(texts))))
        is_input = {each.name for each in found.inputs}
        kinds = {True: "Input", False: "Decision"}
        return [{"kind": kinds[each in is_input], "name": names[each]} for each in read if each in names]

    words = {fact.name: literal_words(fact.literal) for fact in found.facts}
    words |= {f"told_{n}": each.title(model.target) for n, each in enumerate(told)}
    names |= {name: name for name in calls}
    return fill_template(
        "export",
        "rule.dmn.jinja",
        **{"program": found, "calls": calls, "names": names, "words": words, "needs": needs},
        **{"write": notation.write, "xml": xml_text, "ids": lambda: next(ids), "header": "\n".join(found.header)},
        tables=_tables(found),
    )


def _tables(found: Program) -> dict[str, Table]:
    labels = [_label(each) for each in exact_labels(found.labels or (), LARGEST_INTEGER)]
    kind = "string" if labels[0].startswith('"') else "boolean" if labels[0] in ("true", "false") else "number"
    title, points = f"predicted {found.model.target}", found.points
    if points is None:
        return {"decided": Table(title, kind, ["told_0"], [([str(n)], label) for n, label in enumerate(labels)])}
    terms = points.total.terms
    rest = points.total.bias + sum(weight for _, weight in terms if weight < 0)
    rules: list[tuple[Sequence[str], str, str]] = [(["0", *["-"] * len(terms)], str(rest), "every row")]
    for place, ((_, weight), (words, _)) in enumerate(zip(terms, written.list_items(found), strict=False)):
        entries = ["-"] * len(terms)
        entries[place] = "1" if weight > 0 else "0"
        rules.append((["0", *entries], str(abs(weight)), words))
    low, high = found.band
    sides = [([f"< {low}"], "false"), ([f"[{low}..{high})"], "true"), ([f">= {high}"], "false")]
    tables = {
        "score": Table("the score: points added up", "number", ["refused", *dict(terms)], rules, "COLLECT"),
        "decided": Table(title, kind, ["score"], _sides(points.threshold, labels)),
        "probability": Table(
            f"probability of {found.model.classes and found.model.classes[1]}",
            *("number", ["score"], [([str(each)], points.probabilities[each]) for each in points.possible]),
        ),
    }
    asked = {"ask": Table("whether to ask a person", "boolean", ["score"], sides if low < high else [*sides[::2]])}
    return tables | (asked if found.model.band else {})


def _sides(threshold: int, outputs: Sequence[str]) -> list[tuple[Sequence[str], str]]:
    return [([f"< {threshold}"], outputs[0]), ([f">= {threshold}"], outputs[1])]


def _label(label: object) -> str:
    if isinstance(label, bool):
        return str(label).lower()
    return _value(label) if isinstance(label, (int, float, str)) else _value(str(label))


def _value(value: float | str) -> str:
    """A text or number of FEEL, which knows no exponents."""
    if isinstance(value, str):
        xml_text(value)  # refuses what cannot be written
        return json.dumps(value, ensure_ascii=False)
    return format(Decimal(repr(value)), "f").removesuffix(".0")
