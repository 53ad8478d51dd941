"""An evaluation as plots: told risk against observed share, the ROC curve, the decision curve."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crystalogic.evaluation import Evaluation
from crystalogic.evaluation.scores import ScoreLine
from crystalogic.evaluation.text import estimate_text, share_text
from crystalogic.intervals import total
from crystalogic.report.chart import Tick, round_step

WIDTH, HEIGHT = 324.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 24.0, 10.0, 44.0
MOST_DOTS = 12  # of a calibration; more scores are put together to tenths of the rows
LEAST_RADIUS, MOST_RADIUS = 3.0, 10.0  # pixels
BELOW = -0.25  # of the greatest net benefit: as far as the decision curve goes down


@dataclass(frozen=True)
class Dot:
    """A value at its place, with the ends of its interval and what it says."""

    kind: str
    x: float
    y: float
    radius: float
    low: float
    high: float
    title: str


@dataclass(frozen=True)
class Plot:
    """Lines, dots and ticks in pixels; what they show in words, and as a table."""

    key: str
    title: str
    across: str
    up: str
    caption: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[tuple[str, str], ...]  # what each is, and its points
    dots: tuple[Dot, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM


@dataclass(frozen=True)
class _Scale:
    """Shares from 0 to 1 across, and values from `low` to `high` up, as pixels."""

    low: float = 0.0
    high: float = 1.0

    def x(self, share: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * share

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - self.low) / (self.high - self.low)

    def line(self, points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(x):.2f},{self.y(y):.2f}" for x, y in points)

    def ticks(self) -> tuple[Tick, ...]:
        return tuple(Tick(self.x(each / 4), f"{25 * each} %") for each in range(5))


def plots(found: Evaluation, outcome: str) -> list[Plot]:
    """Those that the model can be asked for; `outcome` is what it tells, such as "disease is 1"."""
    made = [_calibration(found, outcome)] if found.benefits else []
    made += [_roc(found, outcome)] if found.thresholds and found.figures.auc is not None else []
    return made + ([_decision_curve(found, outcome)] if found.benefits else [])


def _calibration(found: Evaluation, outcome: str) -> Plot:
    scale, groups = _Scale(), _groups(found)
    most = max(total(line.observed for line in group).n for group in groups)
    dots, rows = [], []
    for group in groups:
        observed = total(line.observed for line in group)
        told = sum((line.told or 0) * line.observed.n for line in group) / observed.n
        low, high = observed.interval(found.level)
        points = f"{group[0].score}" if len(group) == 1 else f"{group[0].score}–{group[-1].score}"
        radius = max(LEAST_RADIUS, MOST_RADIUS * (observed.n / most) ** 0.5)
        rows.append((points, f"{observed.n:,}", f"{100 * told:.1f} %", share_text(observed, found.level)))
        place = scale.x(told), scale.y(observed.value or 0), radius, scale.y(low), scale.y(high)
        dots.append(Dot("told", *place, "{0} points: told {2}, observed {3} in {1} rows".format(*rows[-1])))
    caption = (
        f"Is the told risk true? Across is the risk that is told, up the share of rows where {outcome}. On the dashed "
        "line they are equal; above it the risk is told too low, below it too high. A dot is a score or neighbouring "
        f"ones, larger for more rows, with its {100 * found.level:g} % interval."
    )
    head, words = ("points", "rows", "told", "observed"), ("Told risk and observed share", "told risk", "observed")
    lines = (("even", scale.line(((0, 0), (1, 1)))),)
    return Plot("calibration", *words, caption, scale.ticks(), _shares(scale), lines, tuple(dots), head, tuple(rows))


def _groups(found: Evaluation) -> list[Sequence[ScoreLine]]:
    """Scores by themselves or, where there are many, in tenths of the rows."""
    if len(found.lines) <= MOST_DOTS:
        return [(line,) for line in found.lines]
    ranges = [range(each.low, each.high + 1) for each in reversed(found.lifts)]
    return [[line for line in found.lines if line.score in scores] for scores in ranges]


def _shares(scale: _Scale) -> tuple[Tick, ...]:
    return tuple(Tick(scale.y(each / 4), f"{25 * each} %") for each in range(5))


def _roc(found: Evaluation, outcome: str) -> Plot:
    scale, dots, rows = _Scale(), [], []
    for each in found.thresholds:
        x, y = 1 - (each.specificity.value or 0), each.sensitivity.value or 0
        rates = [share_text(share, found.level) for share in (each.sensitivity, each.specificity)]
        rows.append((f"{each.score if each.judged.yes else 'none'}{', its own' * each.is_own}", *rates))
        place = scale.x(x), scale.y(y), 6.0 if each.is_own else 2.5, scale.y(y), scale.y(y)
        dots.append(Dot("own" if each.is_own else "other", *place, "from {} points: {}, {}".format(*rows[-1])))
    own = next(each for each in found.thresholds if each.is_own)
    caption = (
        f"What other thresholds would do. Up is the sensitivity, the share found of the rows where {outcome}; across "
        "the share of the other rows that are a false alarm. The ring is the model's own threshold: "
        f"{own.sensitivity.yes:,} of {own.sensitivity.n:,} found, {own.false_alarms:,} of {own.specificity.n:,} false "
        f"alarms. The area under the curve (AUC) is {estimate_text(found.figures.auc, found.level, 2)}; chance, the "
        "dashed line, has 0.50."
    )
    curve = scale.line((1 - (each.specificity.value or 0), each.sensitivity.value or 0) for each in found.thresholds)
    words = "ROC curve", "false alarms", "sensitivity"
    lines = (("even", scale.line(((0, 0), (1, 1)))), ("model", curve))
    head = "from points", "sensitivity", "specificity"
    return Plot("roc", *words, caption, scale.ticks(), _shares(scale), lines, tuple(dots), head, tuple(rows))


def _decision_curve(found: Evaluation, outcome: str) -> Plot:
    high = max(0.01, *(max(each.of_model, each.of_all) for each in found.benefits))
    scale = _Scale(BELOW * high, 1.08 * high)
    caption = (
        f"Is it worth using? Net benefit per 100 rows of acting as if {outcome}, by the risk from which on one would "
        "act: rows rightly acted on, less those wrongly, each weighed by that risk. Thick line: act on the model's "
        "risk; dashed: act on all rows; dotted: on none. The highest line is the best choice."
    )
    worth = {
        "none": [(0.01, 0.0), (0.99, 0.0)],
        "all": [(each.percent / 100, each.of_all) for each in found.benefits],
        "model": [(each.percent / 100, each.of_model) for each in found.benefits],
    }
    step = round_step(high, 4)
    places = [step * place for place in range(int(high / step) + 1)]
    ticks = tuple(Tick(scale.y(place), f"{100 * place:g}") for place in places)
    rows = tuple(
        (f"{each.percent} %", f"{100 * each.of_model:.1f}", f"{100 * each.of_all:.1f}", "0.0")
        for each in found.benefits
        if each.percent % 10 == 0
    )
    lines = tuple((kind, scale.line(points)) for kind, points in worth.items())
    words = "Decision curve", "risk from which on one acts", "net benefit per 100 rows"
    return Plot(
        "benefit", *words, caption, scale.ticks(), ticks, lines, (), ("risk from", "model", "all", "none"), rows
    )
