"""A new table beside what a model was learned from: one value with all that changed, and a page of HTML."""

from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import np
from crystalogic.cells import number_text
from crystalogic.counts import count
from crystalogic.encoding.encoding import column_names, n_rows, raw_column, read_column
from crystalogic.errors import TableError, refuse
from crystalogic.model import Model
from crystalogic.model.profile import ColumnProfile, Profile, profile_column, profile_of
from crystalogic.report.chart import Frame
from crystalogic.report.page import content_policy
from crystalogic.watching.compare import LEVEL, compare
from crystalogic.watching.fits import Finding, Kind, fit_column, skeleton
from crystalogic.words.tables import fill_template, package_file

CAUSES = (Kind.GONE, Kind.RENAMED, Kind.SWAPPED, Kind.TYPE, Kind.UNIT, Kind.CODE)  # a mistake that can be mended


@dataclass(frozen=True)
class Watch:
    """What a new table has that the table of training had not, or the other way round. `print` shows it as text."""

    target: str
    fingerprint: str  # of the model
    findings: tuple[Finding, ...]  # what to look at, the plainest first; nothing if nothing changed
    n_tests: int
    is_given: bool  # whether the training rows were counted in a reference, rather than when the model was made
    before: Profile
    now: Profile

    def __str__(self) -> str:
        return fill_template("watching", "watch.txt", found=self)

    @property
    def tests(self) -> str:
        """How many tests there were, and how often they err, in words."""
        return f"{count(self.n_tests, 'test')} that together err with a chance of at most {100 * LEVEL:g} % (Holm)"

    @property
    def next_step(self) -> str:
        """What to do first, where some findings can follow from others."""
        n = sum(each.kind in CAUSES for each in self.findings)
        first = f"Mend the first{f' {n}' if n > 1 else ''} and watch again: what comes after can follow from it."
        return first if 0 < n < len(self.findings) else ""

    def content(self) -> dict[str, Any]:
        """The findings and both profiles as plain JSON data."""
        told = [each.content() for each in self.findings]
        return {**vars(self), "findings": told, "before": self.before.content(), "now": self.now.content()}


def watch(model: Model, table: Any, reference: Any = None) -> Watch:
    """What changed in a new table since the rows that a model was learned from, so that it is not scored unawares.

    Columns that are missing, renamed or exchanged, other units and ways to write values, new and vanished values, gaps,
    facts, scores and decisions that moved; where the table has the target, whether accuracy and risks still hold.

    Parameters:
        model: the model, which knows its training rows by counts alone.
        table: the new rows, a frame or a mapping from columns to their values, with the target or without it.
        reference: the training rows, or others to compare with; needed for a model that was made by an earlier version,
            or whose formula was changed afterwards.
    """
    if not n_rows(table):
        refuse(TableError, "the table has no rows; there is nothing to compare.")
    before = model.profile if reference is None else profile_of(model, reference, _labels(model, reference))
    if before is None:
        message = (
            "this model does not know its training rows: an earlier version made it. Give the table that it was "
            "learned from as the reference (--reference train.csv), or fit it again."
        )
        raise TableError(message)
    named, found = _find_columns(model, before, table)
    rows = {name: raw_column(table, there) for name, there in named.items()} or table
    now = profile_of(model, rows, _labels(model, table), like=before)
    changed, n_tests = compare(model, before, now)
    return Watch(model.target, model.fingerprint, (*found, *changed), n_tests, reference is not None, before, now)


def _labels(model: Model, table: Any) -> Any:
    """The classes of a table as they are written, where it has them."""
    is_there = model.target in column_names(table)
    return read_column(table, model.target, 0, model.target_words) if is_there else None


def _find_columns(model: Model, before: Profile, table: Any) -> tuple[dict[str, str], list[Finding]]:
    """Where the columns are that are known, by their names in the table; and what is missing or called otherwise."""
    there, found = column_names(table), []
    named = {name: name for name in (*model.columns, *before.by_name) if name in there and name != model.target}
    strangers = [name for name in there if name not in model.encoding.by_name and name != model.target]
    for name in (name for name in model.columns if name not in there):
        fits, look = [], skeleton(name)
        for stranger in strangers if name in before.by_name else ():
            values = read_column(table, stranger, 0, model.encoding.by_name[name].words)
            fit, other = fit_column(profile_column(values), before.by_name[name]), skeleton(stranger)
            if fit.is_close or other == look:
                fits.append((not (other in look or look in other), fit.distance, stranger))
        kind, about = (Kind.RENAMED, min(fits)[2]) if fits else (Kind.GONE, "")
        found.append(Finding(kind, name, about, effect=1.0))
        if about:
            named[name] = about
            strangers.remove(about)
    return named, found


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
