"""Scorecards: points of a few facts, and a risk for each sum."""

from typing import Any

import numpy as np

from research.bench.peers.base import Fitted, Peer, columns_of, on_numbers, vary
from research.bench.peers.texts import decide_by_points
from research.bench.tables import Halves


def _fast_risk(data: Halves, seed: int, **settings: Any) -> Fitted:
    import re

    from imodels import FastRiskScoreClassifier

    model = FastRiskScoreClassifier(**settings).fit(data.train.numbers, data.train.labels)
    places = {int(found) for name in model.points_ for found in re.findall(r"\bX_?(\d+)\b", str(name))}
    return on_numbers(model, len(model.points_), columns_of(data.numbers, places))


def _faster_risk(data: Halves, seed: int, k: int = 5, **settings: Any) -> Fitted:
    from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

    optimizer = RiskScoreOptimizer(X=data.train.booleans, y=2 * data.train.labels - 1, k=k, **settings)
    optimizer.optimize()
    multiplier, intercept, points = optimizer.get_models(model_index=0)
    card = RiskScoreClassifier(multiplier, intercept, points)
    told = {place: int(number) for place, number in enumerate(points) if number}
    return Fitted(
        lambda half: (np.asarray(card.predict(half.booleans)).ravel() > 0).astype(int),
        len(told),
        lambda half: np.asarray(card.predict_prob(half.booleans)).ravel(),
        columns_of(data.booleans, told),
        # the card prints whole points and a risk for each sum; 50 % is where the points outweigh the intercept
        lambda half: decide_by_points(told, float(np.nextafter(-float(intercept), np.inf)), half.booleans),
    )


FAST_RISK_SCORE = Peer(
    "FastRiskScore",
    "imodels",
    "scorecard",
    _fast_risk,
    "`FastRiskScoreClassifier()`, 5 lines",
    vary(k=[3, 8, 12, 20], max_points=[10]),
    sized=lambda size: {"k": size},
    two_classes=True,
)
FASTER_RISK = Peer(
    "FasterRisk",
    "fasterrisk",
    "scorecard",
    _faster_risk,
    "5 lines, points in -5 to 5, on cuts at quantiles and categories",
    ({}, {"k": 3}, {"k": 8}, {"k": 10}, {"k": 12}, {"lb": -10, "ub": 10}),
    sized=lambda size: {"k": size},
    two_classes=True,
)
