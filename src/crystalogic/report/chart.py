"""Charts in pixels: the front, size against score; and of an evaluation shares, benefits and scores as dots."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.evaluation import Evaluation
from crystalogic.evaluation.scores import join_lines
from crystalogic.model import FrontRow
from crystalogic.words.models import ListRow

MOST_DOTS = 12  # more scores are put together to tenths of the rows
LEAST_RADIUS, MOST_RADIUS = 3.0, 10.0  # pixels
BELOW, ABOVE = -0.25, 1.08  # of the greatest net benefit: as far as the decision curve goes down and up


@dataclass(frozen=True)
class Frame:
    """The area of a plot, in pixels: across are shares from 0 to 1, up are values from `low` to `high`."""

    low: float = 0.0
    high: float = 1.0
    width: float = 324
    height: float = 300
    left: float = 62
    right: float = 300
    top: float = 10
    bottom: float = 256

    def x(self, share: float) -> float:
        return self.left + (self.right - self.left) * share

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * (value - self.low) / (self.high - self.low)

    def line(self, points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(share):.2f},{self.y(value):.2f}" for share, value in points)

    @property
    def ticks(self) -> list[float]:
        """Round values from 0 on."""
        step = 0.25 if self.high == 1 else round_step(self.high, 4)
        return [step * place for place in range(int(self.high / step) + 1)]


@dataclass(frozen=True)
class Chart:
    """The area of a front: across are sizes up to the largest, up are scores with a round step between ticks."""

    frame: Frame
    largest: int
    step: float

    def across(self, size: float) -> float:
        return self.frame.left + 14 + (self.frame.right - self.frame.left - 28) * size / self.largest

    @property
    def sizes(self) -> range:
        return range(0, self.largest + 1, max(1, round(round_step(self.largest, 10))))

    @property
    def scores(self) -> list[float]:
        n_steps = round((self.frame.high - self.frame.low) / self.step)
        return [self.frame.low + place * self.step for place in range(n_steps + 1)]


def chart(front: Sequence[FrontRow | ListRow]) -> Chart:
    """The area in which all scores of a front and their error bars lie."""
    judged = [(row.validated, row.standard_error or 0) for row in front if row.validated is not None]
    ends = [*(row.training for row in front), *(score + turn * error for score, error in judged for turn in (-1, 1))]
    step = round_step(max(ends) - min(ends), 5)
    low, high = math.floor(min(ends) / step) * step, math.ceil(max(ends) / step) * step
    high = high if high > low else low + step
    frame = Frame(low, high, width=620.0, height=260.0, left=56.0, right=604.0, top=16.0, bottom=216.0)
    return Chart(frame, max(row.size for row in front) or 1, step)


def round_step(span: float, most: int) -> float:
    """A round step of which at most about `most` fit into the span."""
    if span <= 0:
        return 0.05
    unit: float = 10.0 ** math.floor(math.log10(span / most))
    return next(unit * factor for factor in (1, 2, 5, 10) if span / (unit * factor) <= most)


def benefit_frame(found: Evaluation) -> Frame:
    """The square of the decision curve."""
    most = max((max(each.of_model, each.of_all) for each in found.benefits), default=0)
    return Frame(BELOW * max(most, 0.01), ABOVE * max(most, 0.01))


def risk_dots(found: Evaluation) -> list[dict[str, Any]]:
    """Scores by themselves or, where there are many, in tenths of the rows; none without a risk.

    Each has its points, the mean risk that its rows are told, and their class.
    """
    ranges = [(each.score, each.score) for each in found.lines if found.benefits]
    if len(ranges) > MOST_DOTS:
        ranges = [(each.low, each.high) for each in reversed(found.lifts)]
    dots, most = [], max(each.observed.n for each in found.lifts or found.lines) if ranges else 0
    for low, high in ranges:
        points, told, observed = join_lines([each for each in found.lines if low <= each.score <= high])
        radius = min(MOST_RADIUS, max(LEAST_RADIUS, MOST_RADIUS * (observed.n / most) ** 0.5))
        dots.append({"points": points, "told": told, "observed": observed, "radius": radius})
    return dots
