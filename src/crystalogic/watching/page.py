"""A comparison as one page of HTML that needs nothing else: what to look at, in sentences and small pictures."""

from dataclasses import dataclass
from importlib import resources

from crystalogic.arrays import Array, np
from crystalogic.cells import number_text
from crystalogic.counts import count
from crystalogic.logic.names import visible
from crystalogic.model import Model
from crystalogic.model.profile import ColumnProfile
from crystalogic.report.chart import Frame
from crystalogic.report.page import content_policy
from crystalogic.watching.compare import LEVEL, MOST_LISTED
from crystalogic.watching.findings import Finding, Kind
from crystalogic.watching.text import next_step
from crystalogic.watching.watch import Watch

N_BINS = 28
TAIL = 0.01  # of the numbers at either end that a picture leaves out
FAR_APART = 6  # medians that many times apart are drawn on a logarithmic scale
MOST_LEVELS = 8


@dataclass(frozen=True)
class Curves:
    """Numbers as two outlines, in pixels."""

    frame: Frame
    known: str
    seen: str
    low: str
    high: str
    is_logarithmic: bool


@dataclass(frozen=True)
class Bar:
    """A value with its share before and now."""

    label: str
    known: float
    seen: float


def watch_page(model: Model, found: Watch, source: str = "", made: str = "") -> str:
    """What `watch` found, as a page for people.

    Parameters:
        model: the model that was watched with.
        found: what was found.
        source: where the rows are from, as the page is to say it.
        made: when the page was written, as text.
    """
    from jinja2 import Environment, StrictUndefined

    report, own = (resources.files(f"crystalogic.{room}") for room in ("report", "watching"))
    style = "".join(room.joinpath(name).read_text("utf-8") for room, name in ((report, "page.css"), (own, "watch.css")))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.finalize = lambda value: visible(value) if type(value) is str else value
    page = environment.from_string(own.joinpath("template.html").read_text("utf-8")).render(
        found=found,
        model=model,
        pictures=_pictures(found),
        columns=[_describe(found, name) for name in (*model.columns, model.target)],
        advice=next_step(found),
        count=count,
        level=f"{100 * LEVEL:g} %",
        source=source,
        made=made,
        style=style,
        policy=content_policy(style, ""),
    )
    return page.encode("utf-8", "replace").decode("utf-8")  # a lone half of a character cannot be written


def _pictures(found: Watch) -> list[Curves | list[Bar] | None]:
    """A picture for each finding; a column is drawn once."""
    drawn = {each.column: place for place, each in reversed(list(enumerate(found.findings))) if each.kind.is_of_column}
    return [
        _draw(found, each) if drawn.get(each.column, place) == place else None
        for place, each in enumerate(found.findings)
    ]


def _draw(found: Watch, finding: Finding) -> Curves | list[Bar] | None:
    """The picture of a finding, where one tells more than its sentence."""
    before, now = found.before.by_name.get(finding.column), found.now.by_name.get(finding.column)
    if finding.kind is Kind.SCORES:
        pairs = [(each, sum(each)) for each in (found.before.scores, found.now.scores)]
        shares = zip(*([n / total for n in each] for each, total in pairs), strict=True)
        return [Bar(str(score), *pair) for score, pair in enumerate(shares)]
    if not finding.kind.is_of_column or before is None or now is None or not (before.n_present and now.n_present):
        return None
    if before.edges:
        return draw_curves(before, now) if now.edges else None
    shown = sorted(
        {*before.levels, *now.levels}, key=lambda each: -max(before.levels.get(each, 0), now.levels.get(each, 0))
    )
    return [
        Bar(each, before.levels.get(each, 0) / before.n_present, now.levels.get(each, 0) / now.n_present)
        for each in shown[:MOST_LEVELS]
    ]


def draw_curves(before: ColumnProfile, now: ColumnProfile) -> Curves:
    """The numbers of two columns in cells of equal width, of which a share lies in each."""
    ends = [each.edges[int(np.searchsorted(each.shares, tail))] for each in (before, now) for tail in (TAIL, 1 - TAIL)]
    low, high = min(ends), max(ends)
    medians = sorted((before.median, now.median))
    is_logarithmic = low > 0 and medians[1] > FAR_APART * medians[0]
    cells = np.geomspace(low, high, N_BINS + 1) if is_logarithmic else np.linspace(low, high, N_BINS + 1)
    cells = np.array([-np.inf, *cells[1:-1], np.inf])  # the tails are in the outermost cells
    shares = [np.diff(each.share_up_to(cells)) for each in (before, now)]
    frame = Frame(0, max(float(each.max()) for each in shares), 324, 120, 2, 322, 6, 116)
    known, seen = (_outline(frame, each) for each in shares)
    return Curves(
        frame, known, seen, number_text(float(f"{low:.4g}")), number_text(float(f"{high:.4g}")), is_logarithmic
    )


def _outline(frame: Frame, shares: Array) -> str:
    n = len(shares)
    steps = [(place / n, share) for i, share in enumerate(shares.tolist()) for place in (i, i + 1)]
    return frame.line([(0.0, 0.0), *steps, (1.0, 0.0)])


def _describe(found: Watch, name: str) -> tuple[str, str, str, bool]:
    """A column in training and now, and whether there is something to look at."""
    before, now = found.before.by_name.get(name), found.now.by_name.get(name)
    is_number = before is not None and bool(before.edges)
    is_told = any(name in (each.column, each.about) for each in found.findings)
    return name, _summarize(before, is_number=is_number), _summarize(now, is_number=is_number), is_told


def _summarize(column: ColumnProfile | None, *, is_number: bool) -> str:
    """What a column holds, in a few words."""
    if column is None or not column.n_present:
        return "–"
    gaps = f", {100 * column.n_missing / column.n_rows:.0f} % missing" if column.n_missing else ""
    if is_number and column.edges:
        low, middle, high = (number_text(float(f"{n:.4g}")) for n in (column.edges[0], column.median, column.edges[-1]))
        return f"{low} to {high}, median {middle}{gaps}"
    common = sorted(column.levels.items(), key=lambda pair: -pair[1])[:MOST_LISTED]
    return ", ".join(f"{level} {100 * n / column.n_present:.0f} %" for level, n in common) + gaps
