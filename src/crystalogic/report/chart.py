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
    """The area of a plot, in pixels: across are values from 0 to `most`, up are values from `low` to `high`."""

    low: float = 0.0
    high: float = 1.0
    width: float = 324
    height: float = 300
    left: float = 62
    right: float = 300
    top: float = 10
    bottom: float = 256
    most: float = 1.0
    margin: float = 0.0  # between the ends of the area and those of the values across
    step: float = 0.25  # between ticks

    def x(self, value: float) -> float:
        return self.left + self.margin + (self.right - self.left - 2 * self.margin) * value / self.most

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * (value - self.low) / (self.high - self.low)

    def line(self, points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(across):.2f},{self.y(up):.2f}" for across, up in points)

    @property
    def ticks(self) -> list[float]:
        """Round values, none of them below 0."""
        first = max(self.low, 0.0)
        return [first + self.step * place for place in range(int((self.high - first) / self.step + 1e-9) + 1)]

    @property
    def sizes(self) -> range:
        """Whole numbers across."""
        return range(0, int(self.most) + 1, max(1, round(round_step(self.most, 10))))


def chart(front: Sequence[FrontRow | ListRow]) -> Frame:
    """The area in which all scores of a front and their error bars lie: across are sizes, up are scores."""
    judged = [(row.validated, row.standard_error or 0) for row in front if row.validated is not None]
    ends = [*(row.training for row in front), *(score + turn * error for score, error in judged for turn in (-1, 1))]
    step = round_step(max(ends) - min(ends), 5)
    low, high = math.floor(min(ends) / step) * step, math.ceil(max(ends) / step) * step
    largest = max(row.size for row in front) or 1
    return Frame(low, max(high, low + step), 620.0, 260.0, 56.0, 604.0, 16.0, 216.0, largest, 14.0, step)


def round_step(span: float, most: int) -> float:
    """A round step of which at most about `most` fit into the span."""
    if span <= 0:
        return 0.05
    unit: float = 10.0 ** math.floor(math.log10(span / most))
    return next(unit * factor for factor in (1, 2, 5, 10) if span / (unit * factor) <= most)


def benefit_frame(found: Evaluation) -> Frame:
    """The square of the decision curve."""
    most = max([0.01, *(max(each.of_model, each.of_all) for each in found.benefits)])
    return Frame(BELOW * most, ABOVE * most, step=round_step(ABOVE * most, 4))


def risk_dots(found: Evaluation) -> list[dict[str, Any]]:
    """Scores by themselves or, where there are many, in tenths of the rows; none without a risk."""
    ranges = [(each.score, each.score) for each in found.lines if found.benefits]
    if len(ranges) > MOST_DOTS:
        ranges = [(each.low, each.high) for each in reversed(found.lifts)]
    dots, most = [], max(each.observed.n for each in found.lifts or found.lines) if ranges else 0
    for low, high in ranges:
        points, told, observed = join_lines([each for each in found.lines if low <= each.score <= high])
        radius = min(MOST_RADIUS, max(LEAST_RADIUS, MOST_RADIUS * (observed.n / most) ** 0.5))
        dots.append({"points": points, "told": told, "observed": observed, "radius": radius})
    return dots
