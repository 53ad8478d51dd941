"""The risk of a row in the calculator: what its script adds up and looks up, and the marks on its bar."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.intervals import LEVEL
from crystalogic.logic.formula import Formula
from crystalogic.logic.score import score_of
from crystalogic.model import Model
from crystalogic.model.risk import LEVEL as ABOVE
from crystalogic.model.risk import OUT_OF
from crystalogic.words.risks import points_text, risk_lines


@dataclass(frozen=True)
class RiskBar:
    """Where the bar of a risk is marked, in percent: from where on the class is decided for, and where a person is asked.

    `words` say which score the threshold is.
    """

    threshold: float | None  # None where no score reaches it
    words: str
    asked: tuple[float, float] | None


def risk_bar(model: Model) -> RiskBar | None:
    """The marks for a model of two classes; None without a risk."""
    if model.risk is None:
        return None
    score, band, shares = score_of(model.formulas[0]), model.band, [100 * each / OUT_OF for each in model.risk.shares]
    asked = [shares[each] for each in score.possible if band and band.low <= each < band.high]
    reached = [each for each in score.possible if each >= score.threshold]
    words = points_text(score, reached[0], reached[0]) if reached else ""
    return RiskBar(shares[reached[0]] if reached else None, words, (asked[0], asked[-1]) if asked else None)


def risk_content(model: Model, parts: Sequence[Callable[[Formula], tuple[str, bool]]]) -> dict[str, Any] | None:
    """Plain data for the script: points and shares of each rule with a risk, and the lines of the risk table."""
    if not model.has_risk:
        return None
    rules = []
    for place, risk in zip(model.order, model.chain, strict=False) if model.risk is None else [(0, model.risk)]:
        points = [[*parts[place](part), worth] for part, worth in score_of(model.formulas[place]).points.items()]
        rules.append({"place": place, "points": points, "shares": risk.shares})
    content = {"outOf": OUT_OF, "above": ABOVE, "level": f"{100 * LEVEL:g} %", "rules": rules, "last": model.order[-1]}
    if model.risk is not None:
        score, risk = score_of(model.formulas[0]), model.risk
        content["scores"] = [points_text(score, each, each) for each in range(score.most + 1)]
        content["lines"] = [
            {**vars(each), "ends": risk.counted(each.low, each.high).interval() if risk.seen else None}
            for each in risk_lines(model)
        ]
    return content
