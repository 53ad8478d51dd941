"""Crystalogic itself: the default learner on the raw columns."""

from typing import Any

import numpy as np

from research.bench.peers.base import Array, Fitted, Peer, spread
from research.bench.tables import Half, Halves

OURS = "Crystalogic"


def _fit(data: Halves, seed: int, **settings: Any) -> Fitted:
    from crystalogic.estimator import LukasiewiczClassifier

    estimator = LukasiewiczClassifier(random_state=seed, **settings).fit(data.train.frame, data.train.labels)
    model = estimator.model_
    return Fitted(
        lambda half: np.asarray(estimator.predict(half.frame)).astype(int),
        sum(formula.size for formula in estimator.formulas_),
        lambda half: spread(estimator.predict_proba(half.frame)),
        frozenset(model.encoding.columns_of(_names(model))),
        lambda half: decide_by_text(model, half),
    )


def _names(model: Any) -> list[str]:
    return sorted({name for formula in model.formulas for name in formula.variables})


def decide_by_text(model: Any, half: Half) -> Array:
    """The classes by what is printed: two by the formula's text, read again and computed in fractions, else by the
    exported Python program, which has nothing of the package in it."""
    if len(model.formulas) == 1 and len(model.classes) == 2:
        return _decide_by_formula(model, half)
    from crystalogic import export

    program: dict[str, Any] = {}
    exec(compile(str(export.to(model, "python")), "model.py", "exec"), program)
    rows = half.frame.astype(object).where(half.frame.notna(), None).to_dict("records")
    decisions = [program["decide"](row)["decision"] for row in rows]
    return np.array([-1 if decision is None else int(decision) for decision in decisions])


def _decide_by_formula(model: Any, half: Half) -> Array:
    from crystalogic import parse
    from crystalogic.logic.evaluate import exact_function

    degree = exact_function(parse(str(model.formulas[0])))
    known: dict[tuple[Any, ...], int] = {}
    rows = half.frame.astype(object).where(half.frame.notna(), None)[list(model.columns)].to_dict("records")
    found = []
    for row in rows:
        key = tuple(row.values())
        if key not in known:
            truth = model.truth_row(row, unknown="false")
            known[key] = int(model.classes[int(2 * degree(truth) >= 1)])
        found.append(known[key])
    return np.array(found)


CRYSTALOGIC = Peer(
    OURS,
    "crystalogic",
    "rules",
    _fit,
    "`LukasiewiczClassifier()` on the raw columns",
    (
        {},
        {"shape": "checklist"},
        {"shape": "points"},
        {"max_literals": 8},
        {"max_literals": 24},
        {"shape": "points", "max_literals": 24},
    ),
    sized=lambda size: {"max_literals": size},
    monotone="yes: `crystalogic ask monotone` proves it or gives rows that refute it, and `monotone=` demands it",
)
