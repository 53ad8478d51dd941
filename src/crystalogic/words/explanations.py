"""Why one row gets its class, in words and as plain data."""

import math
from typing import Any

from crystalogic.cells import is_missing
from crystalogic.decision import THRESHOLD
from crystalogic.logic.names import one_line
from crystalogic.model import Explanation
from crystalogic.verify.trace import decimal
from crystalogic.words.literals import literal_words, value_words
from crystalogic.words.points import row_points
from crystalogic.words.risks import risk_sentence

WIDEST_STEP = 90  # characters of a step; where one is longer, steps have names


def explanation_text(found: Explanation) -> str:
    """Why one row gets its class: the facts, each step, the decision and its distance from the threshold."""
    model, target = found.model, one_line(found.model.target)
    lines = []
    for name in model.columns:
        value = value_words(found.row[name], model.encoding.by_name[name].words)
        lines.append(f"  {one_line(name)} = {value} {one_line(model.record.units.get(name, ''))}".rstrip())
    parts = ["The row:\n" + "\n".join(lines)] if lines else []
    for label, each, score in zip(_labels(found), found.traces, row_points(found), strict=True):
        lines = (
            each.lines(WIDEST_STEP)
            if score is None
            else [f"{'  ' * level}{worth}: {words}" for level, worth, words in score.rows()]
        )
        heading = f"Step by step{'' if label is None else f' for {target} = {one_line(label)}'}:"
        parts.append("\n".join([heading, *(f"  {line}" for line in lines)]))
    return "\n\n".join([*parts, "\n".join(filter(None, (decision_sentence(found), risk_sentence(found))))])


def decision_sentence(found: Explanation) -> str:
    model, target = found.model, one_line(found.model.target)
    if found.rounded is not None:
        return (
            f"{target} is {one_line(found.decision)}, by less than floating-point numbers can tell: "
            f"exports say {one_line(found.rounded)}"
        )
    if model.classes is None:
        return f"{target}: {decimal(found.degrees[0])}"
    if model.is_list:
        is_last = found.decision == model.classes[model.order[-1]]
        why = "no other rule applies" if is_last else "the first rule that applies"
        return f"{target} is {one_line(found.decision)}: {why}"
    if len(found.traces) > 1:
        return f"{target} is {one_line(found.decision)}: the largest degree (ahead by {decimal(found.margin)})"
    score = row_points(found)[0]
    if score is not None:
        return f"{target} is {one_line(found.decision)}: {score}"
    side = "at least" if found.degrees[0] >= THRESHOLD else "below"
    return (
        f"{target} is {one_line(found.decision)}: the degree {decimal(found.degrees[0])} is {side} 0.50 "
        f"(distance {decimal(found.margin)})"
    )


def explanation_content(found: Explanation) -> dict[str, Any]:
    """An explanation as plain JSON data: what was read, what each literal says of it, every step, the decision."""
    model = found.model
    pairs = zip(_labels(found), found.traces, strict=True)
    return {
        "target": model.target,
        "decision": str(found.decision),
        "margin": str(found.margin),
        "threshold": str(THRESHOLD) if model.classes and len(found.traces) == 1 else None,
        "sentence": decision_sentence(found),
        **({} if found.probability is None else {"score": int(found.score), "probability": float(found.probability)}),
        **({"probabilities": list(found.likelihoods)} if model.chain else {}),
        **({} if found.rounded is None else {"exported": str(found.rounded)}),
        "row": {name: _plain(found, name) for name in model.columns},
        "literals": [
            {
                "name": name,
                "words": literal_words(literal),
                "column": literal.column,
                "value": _plain(found, literal.column),
                "unit": model.record.units.get(literal.column),
                "degree": str(model.encoding.degree_of(name, found.row)),
            }
            for name, literal in ((name, model.encoding.literals[name]) for name in model.names)
        ],
        "degrees": [str(degree) for degree in found.degrees],
        "formulas": [{"for": label, "formula": str(each.formula)} for label, each in pairs],
        "traces": [each.content() for each in found.traces],
        "points": [None if each is None else each.content() for each in row_points(found)],
    }


def _labels(found: Explanation) -> list[str | None]:
    """The class that each trace is for; None where there is only one."""
    classes = found.model.classes
    return [str(label) for label in classes] if classes and len(found.traces) > 1 else [None]


def _plain(found: Explanation, column: str) -> Any:
    """A cell as JSON data: numbers of numpy as numbers, no value as null, what JSON has no number for as text."""
    value = found.row[column]
    if is_missing(value, found.model.encoding.by_name[column].words):
        return None
    value = value.item() if hasattr(value, "item") else value
    is_finite = isinstance(value, float) and math.isfinite(value)
    return value if isinstance(value, (str, int, bool)) or is_finite else str(value)
