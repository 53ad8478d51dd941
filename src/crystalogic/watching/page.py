"""A comparison as one page of HTML that needs nothing else: what to look at, in sentences and small pictures."""

from typing import Any

from crystalogic.arrays import np
from crystalogic.cells import number_text
from crystalogic.model import Model
from crystalogic.model.profile import ColumnProfile
from crystalogic.report.chart import Frame
from crystalogic.report.page import content_policy
from crystalogic.watching.watch import Watch
from crystalogic.words.templates import fill_template, package_file

N_BINS = 28
TAIL = 0.01  # of the numbers at either end that are drawn in the outermost cells
FAR_APART = 6  # medians that many times apart are drawn on a logarithmic scale


def watch_page(model: Model, found: Watch, source: str = "", made: str = "") -> str:
    """What `watch` found, as a page for people; `source` is where the rows are from, `made` the day."""
    style = package_file("report", "page.css") + package_file("watching", "watch.css")
    values = {"found": found, "model": model, "source": source, "made": made, "style": style}
    drawing = {"curves": draw_curves, "short": _shorten}
    return fill_template("watching", "template.html", **values, **drawing, policy=content_policy(style, ""))


def draw_curves(before: ColumnProfile, now: ColumnProfile) -> dict[str, Any]:
    """The numbers of two columns as outlines in pixels: the share of them in cells of equal width."""
    ends = [each.quantile(share) for each in (before, now) for share in (TAIL, 1 - TAIL)]
    low, high, medians = min(ends), max(ends), sorted(each.quantile(0.5) for each in (before, now))
    is_logarithmic = low > 0 and medians[1] > FAR_APART * medians[0]
    cells = (np.geomspace if is_logarithmic else np.linspace)(low, high, N_BINS + 1)
    shares = [np.diff(each.share_up_to([-np.inf, *cells[1:-1], np.inf])).tolist() for each in (before, now)]
    frame, outlines = Frame(0, max(map(max, shares)), 324, 120, 2, 322, 6, 116), []
    for each in shares:
        steps = [(place / N_BINS, share) for i, share in enumerate(each) for place in (i, i + 1)]
        outlines.append(frame.line([(0.0, 0.0), *steps, (1.0, 0.0)]))
    return {"frame": frame, "outlines": outlines, "ends": (low, high), "is_logarithmic": is_logarithmic}


def _shorten(number: float) -> str:
    return number_text(float(f"{number:.4g}"))
