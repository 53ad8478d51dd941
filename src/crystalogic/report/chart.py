"""Charts in pixels: the front, size against score; and of an evaluation shares, benefits and scores as dots."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crystalogic.counts import count
from crystalogic.evaluation import Evaluation
from crystalogic.intervals import Share, total
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
class ChartPoint:
    """A formula of the front at its place; `low` and `high` are the ends of its error bar."""

    x: float
    training: float
    validated: float | None
    low: float
    high: float
    is_chosen: bool
    title: str


@dataclass(frozen=True)
class Chart:
    frame: Frame
    points: tuple[ChartPoint, ...]
    sizes: list[tuple[float, str]]  # where a text stands, and the text
    scores: list[tuple[float, str]]


def chart(front: Sequence[FrontRow | ListRow], chosen: int, judged_by: str = "cross-validated") -> Chart:
    largest = max(row.size for row in front) or 1
    ends = [row.training for row in front]
    for row in front:
        if row.validated is not None:
            error = row.standard_error or 0
            ends += [row.validated - error, row.validated + error]
    step = round_step(max(ends) - min(ends), 5)
    low, high = math.floor(min(ends) / step) * step, math.ceil(max(ends) / step) * step
    high = high if high > low else low + step
    frame = Frame(low, high, width=620.0, height=260.0, left=56.0, right=604.0, top=16.0, bottom=216.0)
    up = frame.y

    def across(size: float) -> float:
        return frame.left + 14 + (frame.right - frame.left - 28) * size / largest

    points = []
    for index, row in enumerate(front):
        validated = None if row.validated is None else up(row.validated)
        error, middle = row.standard_error or 0.0, row.validated or 0.0
        judged = "" if row.validated is None else f", {judged_by} {middle:.1%} ± {error:.1%}"
        points.append(
            ChartPoint(
                across(row.size),
                up(row.training),
                validated,
                up(middle - error),
                up(middle + error),
                index == chosen,
                f"{count(row.size, 'literal')}: training {row.training:.1%}{judged}{', chosen' * (index == chosen)}",
            )
        )
    every = max(1, round(round_step(largest, 10)))
    n_scores = round((high - low) / step)
    return Chart(
        frame,
        tuple(points),
        [(across(size), str(size)) for size in range(0, largest + 1, every)],
        [(up(low + i * step), f"{low + i * step:.{0 if step >= 0.01 else 1}%}") for i in range(n_scores + 1)],
    )


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


@dataclass(frozen=True)
class Dot:
    """The rows with a score, or with neighbouring ones: the mean risk that they are told, and their class."""

    points: str
    told: float
    observed: Share
    radius: float


def risk_dots(found: Evaluation) -> list[Dot]:
    """Scores by themselves or, where there are many, in tenths of the rows; none without a risk."""
    ranges = [(each.score, each.score) for each in found.lines if found.benefits]
    if len(ranges) > MOST_DOTS:
        ranges = [(each.low, each.high) for each in reversed(found.lifts)]
    dots, most = [], max(each.observed.n for each in found.lifts or found.lines) if ranges else 0
    for low, high in ranges:
        lines = [each for each in found.lines if low <= each.score <= high]
        observed = total(each.observed for each in lines)
        told = sum((each.told or 0) * each.observed.n for each in lines) / observed.n
        radius = min(MOST_RADIUS, max(LEAST_RADIUS, MOST_RADIUS * (observed.n / most) ** 0.5))
        dots.append(Dot(str(low) if low == high else f"{low}–{high}", told, observed, radius))
    return dots
