"""The risk in words: how likely a class is, score by score, and for one row."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor
from typing import Any

from crystalogic.intervals import LEVEL
from crystalogic.logic.formula import Constant, Formula
from crystalogic.logic.names import one_line
from crystalogic.logic.score import score_of
from crystalogic.model import Explanation, Model
from crystalogic.model.ladders import score_text
from crystalogic.model.risk import OUT_OF, Band, Risk, exact_percent
from crystalogic.words.tables import fill_macro

MOST_LINES = 8
INTERVALS = f" ({LEVEL:.0%} intervals)".replace("%", " %")
STEPS = (0, 1, 2, 3, 5, 8, 12, 20, 50)  # percent by which scores of one line may differ


@dataclass(frozen=True)
class RiskLine:
    """Neighbouring scores that mean the same decision, in words, such as "3–5 points", "12–15 %" and "10–19"."""

    low: int
    high: int
    points: str
    percent: str
    interval: str  # of percent, by the rows held out; nothing where none were
    is_reached: bool  # whether they reach the threshold
    asks: bool  # whether a person is asked


@dataclass(frozen=True)
class RiskTable:
    """What is told of one class, in words, and how much for which scores."""

    outcome: str
    label: str
    lines: list[RiskLine]


def risk_tables(model: Model) -> list[RiskTable]:
    """The risk of the formula, or of each rule of a list that can apply; none without a risk."""
    if model.risk is not None:
        return [RiskTable(outcome_words(model, 1), str((model.classes or "01")[1]), risk_lines(model))]
    found, before = [], ""
    for risk, place in zip(model.chain, model.order, strict=False):
        formula, label = model.formulas[place], str((model.classes or ())[place])
        if not isinstance(formula, Constant):
            outcome = f"{outcome_words(model, place)}{f', if it is not {before}' if before else ''}"
            found.append(RiskTable(outcome, label, _lines(model, formula, risk)))
        before = f"{before} or {one_line(label)}" if before else one_line(label)
    return found


def risk_lines(model: Model) -> list[RiskLine]:
    """The scores of the formula of two classes; none without a risk."""
    return [] if model.risk is None else _lines(model, model.formulas[0], model.risk, model.band)


def _lines(model: Model, formula: Formula, risk: Risk, band: Band | None = None) -> list[RiskLine]:
    """The scores that can add up, several in a line where there are many."""
    score, shares = score_of(formula), risk.shares
    ends = {score.threshold} if band is None else {score.threshold, band.low, band.high}
    for step in STEPS:
        if len(groups := _group(score.possible, shares, ends, step)) <= MOST_LINES:
            break
    lines = []
    for low, high in ((group[0], group[-1]) for group in groups):
        texts = score_text(formula, model.encoding.literals, low, high), _range_text(shares[low], shares[high])
        interval = interval_text(risk.interval(low, high)) if risk.seen else ""
        asks = band is not None and band.low <= low < band.high
        lines.append(RiskLine(low, high, *texts, interval, low >= score.threshold, asks))
    return lines


def _group(scores: Sequence[int], shares: Sequence[int], ends: Set[int], step: int) -> list[Sequence[int]]:
    """Scores side by side while they differ by no more percent than a step, and decide the same."""
    starts = [0]
    for place, (before, after) in enumerate(pairwise(scores), start=1):
        differ = _percent(shares[after]) - _percent(shares[scores[starts[-1]]])
        if differ > step or any(before < end <= after for end in ends):
            starts.append(place)
    return [scores[start:end] for start, end in pairwise([*starts, len(scores)])]


def _range_text(low: int, high: int) -> str:
    one, other = percent_text(low), percent_text(high)
    if one == other:
        return one
    if not _percent(low):
        return f"up to {other}"
    return f"from {one} on" if _percent(high) == 100 else f"{one.removesuffix(' %')}–{other}"


def percent_text(share: int) -> str:
    """A share of 10,000 in whole percent; "under 1 %" and "over 99 %" at the ends."""
    return {0: "under 1 %", 100: "over 99 %"}.get(_percent(share), f"{_percent(share)} %")


def interval_text(interval: tuple[float, float]) -> str:
    """An interval of shares in whole percent, none of it cut off: "68–84"."""
    return f"{floor(100 * interval[0])}–{ceil(100 * interval[1])}"


def _percent(share: int) -> int:
    return (200 * share + OUT_OF) // (2 * OUT_OF)


def outcome_words(model: Model, place: int) -> str:
    """That the target is of a class, such as "disease is 1"."""
    return f"{one_line(model.target)} is {one_line(model.classes[place] if model.classes else '')}"


def risk_paragraphs(model: Model) -> list[list[str]]:
    """Of each table what it tells, and its lines, if it has several; none without a risk."""
    text = fill_macro("words", "risks.txt", "tables", model=model, intervals=INTERVALS)
    return [part.split("\n") for part in text.split("\n\n") if part]


def risk_text(model: Model) -> str:
    """The risk as lines; nothing without a risk."""
    return "\n".join([*["\n  ".join(part) for part in risk_paragraphs(model)], *operating_lines(model)])


def operating_lines(model: Model) -> list[str]:
    """What the threshold was set for, and what asking a person is worth, each in a sentence; nothing by default."""
    wishes = [name for name in model.record.operated if name not in ("rows", "source", "abstain")]
    operated = {"rows": "", "source": "", **model.record.operated}
    about = {"band": model.band, "unlikely": _find_unlikely(model), "exact_percent": exact_percent}
    text = fill_macro("words", "risks.txt", "operating", model=model, wishes=wishes, operated=operated, **about)
    return list(filter(None, text.split("\n")))


def _find_unlikely(model: Model) -> int | None:
    """The place of the class that is decided for, though at no score it is the likelier one; None if there is none."""
    score = score_of(model.formulas[0])
    if model.risk is None or len(score.possible) < 2:
        return None
    shares = [model.risk.shares[each] for each in score.possible]
    if 2 * max(shares) < OUT_OF:
        return 1 if score.threshold == score.possible[-1] else None
    return 0 if 2 * min(shares) > OUT_OF and score.threshold == score.possible[1] else None


def risk_sentence(found: Explanation) -> str:
    """The score of a row and what it means; nothing without a risk."""
    model = found.model
    if not model.has_risk:
        return ""
    likely = sorted(zip(found.likelihoods, model.classes or (), strict=True), key=lambda each: -each[0])
    low, high = (0, 0) if model.band is None else model.band.ends
    about: dict[str, Any] = {"asks": low <= (likely[0][0] if model.chain else found.score) < high}
    if model.chain:
        about["likely"] = [(round(OUT_OF * share), label) for share, label in likely]
    else:
        points = score_text(model.formulas[0], model.encoding.literals, int(found.score))
        about |= {"score": int(found.score), "points": points}
    return fill_macro("words", "risks.txt", "row", model=model, **about)
