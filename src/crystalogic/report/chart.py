"""The front as a chart: size against score, the chosen formula marked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crystalogic.counts import count
from crystalogic.model import FrontRow
from crystalogic.words.fronts import ListRow

WIDTH, HEIGHT = 620.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 16.0, 16.0, 44.0


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
class Tick:
    """A line of the grid and its label."""

    place: float
    label: str


@dataclass(frozen=True)
class Chart:
    """Points and ticks in pixels."""

    points: tuple[ChartPoint, ...]
    sizes: tuple[Tick, ...]
    scores: tuple[Tick, ...]
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM


def chart(front: Sequence[FrontRow | ListRow], chosen: int, judged_by: str = "cross-validated") -> Chart:
    """The chart of a front that has at least one formula."""
    largest = max(row.size for row in front) or 1
    ends = [row.training for row in front]
    for row in front:
        if row.validated is not None:
            error = row.standard_error or 0
            ends += [row.validated - error, row.validated + error]
    step = round_step(max(ends) - min(ends), 5)
    low, high = math.floor(min(ends) / step) * step, math.ceil(max(ends) / step) * step
    high = high if high > low else low + step

    def across(size: float) -> float:
        return LEFT + 14 + (WIDTH - LEFT - RIGHT - 28) * size / largest

    def up(score: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (score - low) / (high - low)

    points = []
    for index, row in enumerate(front):
        validated = None if row.validated is None else up(row.validated)
        error, middle = row.standard_error or 0.0, row.validated or 0.0
        points.append(
            ChartPoint(
                across(row.size),
                up(row.training),
                validated,
                up(middle - error),
                up(middle + error),
                index == chosen,
                _title(row, index == chosen, judged_by),
            )
        )
    every = max(1, round(round_step(largest, 10)))
    n_scores = round((high - low) / step)
    return Chart(
        tuple(points),
        tuple(Tick(across(size), str(size)) for size in range(0, largest + 1, every)),
        tuple(Tick(up(low + i * step), f"{low + i * step:.{0 if step >= 0.01 else 1}%}") for i in range(n_scores + 1)),
    )


def _title(row: FrontRow | ListRow, is_chosen: bool, judged_by: str) -> str:
    judged = "" if row.validated is None else f", {judged_by} {row.validated:.1%} ± {row.standard_error or 0:.1%}"
    chosen = ", chosen" if is_chosen else ""
    return f"{count(row.size, 'literal')}: training {row.training:.1%}{judged}{chosen}"


def round_step(span: float, most: int) -> float:
    """A round step of which at most about `most` fit into the span."""
    if span <= 0:
        return 0.05
    unit: float = 10.0 ** math.floor(math.log10(span / most))
    return next(unit * factor for factor in (1, 2, 5, 10) if span / (unit * factor) <= most)
