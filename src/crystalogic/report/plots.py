"""Where the plots of an evaluation are drawn: shares and benefits in pixels, scores as dots."""

from collections.abc import Iterable
from dataclasses import dataclass

from crystalogic.evaluation import Evaluation
from crystalogic.intervals import Share, total
from crystalogic.report.chart import round_step

MOST_DOTS = 12  # more scores are put together to tenths of the rows
LEAST_RADIUS, MOST_RADIUS = 3.0, 10.0  # pixels
BELOW, ABOVE = -0.25, 1.08  # of the greatest net benefit: as far as the decision curve goes down and up


@dataclass(frozen=True)
class Frame:
    """The square of a plot, in pixels: across are shares from 0 to 1, up are values from `low` to `high`."""

    low: float = 0.0
    high: float = 1.0
    width: int = 324
    height: int = 300
    left: int = 62
    right: int = 300
    top: int = 10
    bottom: int = 256

    def x(self, share: float) -> float:
        """The place of a share."""
        return self.left + (self.right - self.left) * share

    def y(self, value: float) -> float:
        """The height of a value."""
        return self.bottom - (self.bottom - self.top) * (value - self.low) / (self.high - self.low)

    def line(self, points: Iterable[tuple[float, float]]) -> str:
        """Points for the attribute of a line."""
        return " ".join(f"{self.x(share):.2f},{self.y(value):.2f}" for share, value in points)

    @property
    def ticks(self) -> list[float]:
        """Round values from 0 on."""
        step = 0.25 if self.high == 1 else round_step(self.high, 4)
        return [step * place for place in range(int(self.high / step) + 1)]


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
