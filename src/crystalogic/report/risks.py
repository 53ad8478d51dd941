"""The risk of a row in the calculator: what its script adds up and looks up, and the marks on its bar."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.intervals import LEVEL
from crystalogic.logic.formula import Formula
from crystalogic.logic.score import score_of
from crystalogic.model import Model
from crystalogic.model.risk import OUT_OF
from crystalogic.words.risks import percent_text, risk_lines


@dataclass(frozen=True)
class RiskBar:
    """Marks on the bar, in percent: where the class is decided for, if anywhere, and where a person is asked."""

    threshold: float | None
    words: str  # the score that this is, and its risk
    percent: str
    asked: tuple[float, float] | None


def risk_bar(model: Model) -> RiskBar | None:
    """The marks for a model of two classes; None without a risk."""
    if model.risk is None:
        return None
    score, shares, band = score_of(model.formulas[0]), model.risk.shares, model.band
    asked = [shares[each] * 100 / OUT_OF for each in score.possible if band and band.low <= each < band.high]
    between = (asked[0], asked[-1]) if asked else None
    if score.threshold > score.most:
        return RiskBar(None, "", "", between)
    at = min(each for each in score.possible if each >= score.threshold)
    return RiskBar(shares[at] * 100 / OUT_OF, score.text(at), percent_text(shares[at]), between)


def risk_content(model: Model, parts: Sequence[Callable[[Formula], tuple[str, bool]]]) -> dict[str, Any] | None:
    """Plain data for the script: of two classes points and shares, and the lines of the risk table."""
    if not model.has_risk:
        return None
    content: dict[str, Any] = {"outOf": OUT_OF, "level": f"{100 * LEVEL:g} %"}
    if model.risk is not None:
        score, risk = score_of(model.formulas[0]), model.risk
        points = [[*parts[0](part), worth] for part, worth in score.points.items()]
        content["rules"] = [{"points": points, "shares": risk.shares}]
        content["scores"] = [score.text(each) for each in range(score.most + 1)]
        content["lines"] = [
            {**vars(each), "ends": risk.interval(each.low, each.high) if risk.seen else None}
            for each in risk_lines(model)
        ]
    return content
