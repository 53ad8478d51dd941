"""What a service answers, as plain data: predictions, explanations, the model itself and a description of all of it.

Rows are JSON objects of people that nobody knows: every cell is looked at before it is read.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from crystalogic.errors import EncodingError, TooLargeError, refuse
from crystalogic.logic.names import closest
from crystalogic.model import Model
from crystalogic.untrusted import SERVED, json_data, shorten
from crystalogic.words.explanations import explanation_content, explanation_text, reasons
from crystalogic.words.literals import column_words
from crystalogic.words.models import rule_text
from crystalogic.words.notes import Unseen
from crystalogic.words.risks import risk_tables
from crystalogic.words.tables import package_file

Answer = dict[str, Any]
MOST_NAMES = 100  # that are compared with one that is not there, and characters of each
LONGEST_NOTE = 300


def read_rows(model: Model, text: str) -> tuple[list[Any], Answer]:
    """The rows of a request as they came, a row alone or a list, and the columns that the rule reads of them."""
    content = json_data(text, "request")
    rows = content if isinstance(content, list) else [content]
    if not 0 < len(rows) <= SERVED.rows:
        refuse(TooLargeError, f"the request has {len(rows):,} rows; send 1 to {SERVED.rows:,} at a time.")
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            refuse(EncodingError, f"row {number} is {shorten(row)}, expected an object with a value for each column.")
        for name in model.columns:
            if name not in row:
                meant = closest(name, [key for key in list(row)[:MOST_NAMES] if len(key) < MOST_NAMES])
                hint = f" Did you mean it by {meant!r}?" if meant else " Send null if it is missing."
                refuse(EncodingError, f"row {number} has no {name!r}, which the rule reads.{hint}")
            if isinstance(row[name], (list, dict)):
                expected = "expected a text, a number, true, false or null."
                refuse(EncodingError, f"row {number}: {name!r} is {shorten(row[name])}, {expected}")
    return content, {name: [row[name] for row in rows] for name in model.columns} or {"": [0] * len(rows)}


def predict(model: Model, text: str, asked: Mapping[str, str]) -> Answer:
    """Class and degree of each row; of a model with a risk also score and probability, and whether to ask a person."""
    content, columns = read_rows(model, text)
    read = {name: model.encoding.read(columns, name) for name in model.columns} or columns
    unknown: Any = asked.get("unknown", "refuse")[:MOST_NAMES]
    degrees = model.degrees(read, unknown=unknown)
    names, told = list(map(str, model.classes or ())), dict[str, Any]()
    if model.classes is not None:
        told["class"] = [(*model.classes, None)[place] for place in model.class_index(read, degrees).tolist()]
    told |= {"degree": degrees[:, 0].tolist()} if len(model.formulas) == 1 else {"degrees": _by_class(names, degrees)}
    if model.has_risk:
        scores = model.scores(read, unknown=unknown)
        likely = model.likelihoods(scores)
        points = [score if score != score else int(score) for score in scores[:, 0].tolist()]
        asks = {} if model.band is None else {"ask": model.band.asks(scores[:, 0]).tolist()}
        alone = {"score": points, "probability": likely[:, 1].tolist(), **asks}
        told |= {"probabilities": _by_class(names, likely)} if model.chain else alone
    is_decided = (degrees[:, 0] == degrees[:, 0]).tolist()
    rows = zip(is_decided, *told.values(), strict=True)
    found = [dict(zip(told, row, strict=True)) if is_told else dict.fromkeys(told) for is_told, *row in rows]
    return {"predictions": found if isinstance(content, list) else found[0], "notes": _notes(model, read)}


def _by_class(names: list[str], values: Any) -> list[Answer]:
    return [dict(zip(names, row, strict=True)) for row in values.tolist()]


def _notes(model: Model, rows: Any) -> list[str]:
    return [note[:LONGEST_NOTE] for note in Unseen(model).find(rows)]


def explain(model: Model, text: str, asked: Mapping[str, str]) -> Answer:
    """Why a row gets its class: every step exactly, the same in words, and the facts that add most points."""
    row, columns = read_rows(model, text)
    if isinstance(row, list):
        refuse(EncodingError, f"the request is a list of {len(row)}; send one row to have it explained.")
    found = model.explain(row)
    counts_facts = model.classes is not None and len(model.formulas) == 1 and model.names and not model.rounding
    why = reasons(model, columns, most=len(model.names))[0] if counts_facts else ()
    told = {"reasons": list(map(asdict, why)), "text": explanation_text(found), "notes": _notes(model, columns)}
    return {**explanation_content(found), **told}


def describe(model: Model) -> Answer:
    """The model: its rule in words and as formulas, what was proved, the columns and facts that it reads, its risk."""
    literals = [model.encoding.literals[name] for name in model.names]
    facts = {name: tuple(each for each in literals if each.column == name) for name in model.columns}
    return {
        **model.summary(),
        "rule": rule_text(model),
        "certificate": {"verified": True, "words": str(model.certificate)},
        "columns": [replace(model.encoding.by_name[name], literals=facts[name]).content() for name in facts],
        "risk_table": list(map(asdict, risk_tables(model))),
    }


def example_row(model: Model) -> Answer:
    """A row that could be sent: of each column the least number, or the first value of training rows."""
    columns = [model.encoding.by_name[name] for name in model.columns]
    return {each.name: each.range[0] if each.range else (*each.known, None)[0] for each in columns}


def openapi(model: Model, version: str) -> Answer:
    """The description of the service for machines, OpenAPI 3.1: that of every model, with the columns of this one."""
    content: Answer = json.loads(package_file("service", "openapi.json"))
    content["info"]["version"] = version
    cell = {"type": ["number", "string", "boolean", "null"]}
    words = {name: column_words(model.encoding.by_name[name]) for name in model.columns}
    columns = {name: {**cell, "description": each} for name, each in words.items()}
    told = {"properties": columns, "required": list(words), "example": example_row(model)}
    content["components"]["schemas"]["Row"] |= told
    return content
