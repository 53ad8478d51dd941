"""What a service answers, as plain data: predictions, explanations, and the model itself.

Rows are JSON objects of people that nobody knows: every cell is looked at before it is read.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from crystalogic.errors import EncodingError, TooLargeError, refuse
from crystalogic.logic.names import closest
from crystalogic.model import Model
from crystalogic.untrusted import SERVED, json_data, shorten
from crystalogic.words.explanations import explanation_content, explanation_text, reasons
from crystalogic.words.literals import Unseen
from crystalogic.words.models import rule_text
from crystalogic.words.risks import risk_tables

Answer = dict[str, Any]
LONGEST = 100  # names that are compared with one that is not there, and characters of each
LONGEST_NOTE = 300


def read_rows(model: Model, text: str) -> tuple[Any, Answer]:
    """The content of a request, a row or a list of rows, and what the rule reads of it, column by column."""
    content = json_data(text, "request")
    rows = content if isinstance(content, list) else [content]
    if not 0 < len(rows) <= SERVED.rows:
        refuse(TooLargeError, f"the request has {len(rows):,} rows; send 1 to {SERVED.rows:,} at a time.")
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            refuse(EncodingError, f"row {number} is {shorten(row)}, expected an object with a value for each column.")
        for name in model.columns:
            if name not in row:
                meant = closest(name, [key for key in list(row)[:LONGEST] if len(key) < LONGEST])
                hint = f"Did you mean it by {meant!r}?" if meant else "Send null if it is missing."
                refuse(EncodingError, f"row {number} has no {name!r}, which the rule reads. {hint}")
            if isinstance(row[name], (list, dict)):
                expected = "expected a text, a number, true, false or null."
                refuse(EncodingError, f"row {number}: {name!r} is {shorten(row[name])}, {expected}")
    columns = {name: [row[name] for row in rows] for name in model.columns}
    return content, {name: model.encoding.read(columns, name) for name in columns} or {"": [0] * len(rows)}


def predict(model: Model, text: str, asked: Mapping[str, str]) -> Answer:
    """Class and degree of each row; of a model with a risk also score and probability, and whether to ask a person."""
    content, rows = read_rows(model, text)
    unknown: Any = asked.get("unknown", "refuse")[:LONGEST]
    degrees = model.degrees(rows, unknown=unknown)
    labels, told = (*(model.classes or ()), None), dict[str, Any]()  # no class is the last one
    if model.classes is not None:
        told["class"] = [labels[place] for place in model.class_index(rows, degrees).tolist()]
    told |= {"degree": degrees[:, 0].tolist()} if len(model.formulas) == 1 else {"degrees": degrees.tolist()}
    if model.has_risk:
        scores = model.scores(rows, unknown=unknown)
        likely, points = model.likelihoods(scores), scores[:, 0]
        whole = [score == score and int(score) for score in points.tolist()]
        alone = {"score": whole, "probability": likely[:, 1].tolist()}
        told |= {"probabilities": likely.tolist()} if model.chain else alone
        judged = likely.max(axis=1) if model.chain else points  # what the ends of a band are about
        told |= {} if model.band is None else {"ask": model.band.asks(judged).tolist()}
    each_row = zip((degrees[:, 0] == degrees[:, 0]).tolist(), *told.values(), strict=True)
    found = [dict(zip(told, row, strict=True)) if is_told else dict.fromkeys(told) for is_told, *row in each_row]
    return {"predictions": found if isinstance(content, list) else found[0], "notes": _notes(model, rows)}


def _notes(model: Model, rows: Answer) -> list[str]:
    return [note[:LONGEST_NOTE] for note in Unseen(model).find(rows)]


def explain(model: Model, text: str, asked: Mapping[str, str]) -> Answer:
    """Why a row gets its class: every step exactly, the same in words, and the facts that add most points."""
    row, columns = read_rows(model, text)
    if isinstance(row, list):
        refuse(EncodingError, f"the request is a list of {len(row)}; send one row to have it explained.")
    found, counts_facts = model.explain(row), model.classes and len(model.formulas) == 1 and not model.rounding
    why = reasons(model, columns, most=len(model.names))[0] if counts_facts and model.names else ()
    told = {"reasons": list(map(asdict, why)), "text": explanation_text(found), "notes": _notes(model, columns)}
    return {**explanation_content(found), **told}


def describe(model: Model) -> Answer:
    """The model: its rule in words and as formulas, what was proved, the columns and facts that it reads, its risk."""
    columns = [replace(model.encoding.by_name[name], literals=()).content() for name in model.columns]
    facts = [model.encoding.literals[name].content() for name in model.names]
    told: Answer = {"rule": rule_text(model), "certificate": {"verified": True, "words": str(model.certificate)}}
    told |= {"columns": columns, "facts": facts, "risk_table": list(map(asdict, risk_tables(model)))}
    return {**model.summary(), **told}
