"""A new table beside what a model was learned from: one value with all that changed, and a page of HTML.

Every test comes first, then what they mean together. Differences of shares and of distributions are tested, and Holm's
method keeps the chance that any of the tests errs below LEVEL. A difference beyond chance is told only if it is also
large enough to matter. A column that moved is then looked at for a plain reason: another unit, two columns exchanged.
Where classes are known, what the rule promised is tested too, and labels that were exchanged are recognized.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import erfc, sqrt
from typing import Any

from crystalogic.arrays import np
from crystalogic.cells import level_number, number_text
from crystalogic.counts import count
from crystalogic.encoding.encoding import column_names, n_rows, raw_column, read_column
from crystalogic.errors import TableError, refuse
from crystalogic.intervals import Share
from crystalogic.model import Model, class_level
from crystalogic.model.profile import ColumnProfile, Profile, profile_column, profile_of
from crystalogic.report.chart import Frame
from crystalogic.report.page import content_policy
from crystalogic.watching import fits
from crystalogic.watching.fits import FAR, Finding, Kind, fit_column, skeleton
from crystalogic.words.literals import literal_words
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
    """What changed in a new table since the rows that a model was learned from; look before you score it.

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
        way_out = "Give the table that it was learned from as the reference (--reference train.csv), or fit it again."
        refuse(TableError, f"this model does not know its training rows: an earlier version made it. {way_out}")
    named, found = _find_columns(model, before, table)
    rows = {name: raw_column(table, there) for name, there in named.items()} or table
    now = profile_of(model, rows, _labels(model, table), like=before)
    changed, n_tests = compare(model, before, now)
    return Watch(model.target, model.fingerprint, (*found, *changed), n_tests, reference is not None, before, now)


def _labels(model: Model, table: Any) -> Any:
    """The classes of a table as they are written, where it has them."""
    return read_column(table, model.target, 0, model.target_words) if model.target in column_names(table) else None


def _find_columns(model: Model, before: Profile, table: Any) -> tuple[dict[str, str], list[Finding]]:
    """Where the columns are that are known, by their names in the table; and what is missing or called otherwise."""
    there, found = column_names(table), []
    named = {name: name for name in (*model.columns, *before.by_name) if name in there and name != model.target}
    strangers = [name for name in there if name not in model.encoding.by_name and name != model.target]
    for name in (name for name in model.columns if name not in there):
        near, look = [], skeleton(name)
        for stranger in strangers if name in before.by_name else ():
            now = profile_column(read_column(table, stranger, 0, model.encoding.by_name[name].words))
            fit, other = fit_column(now, before.by_name[name]), skeleton(stranger)
            if (fit.is_close and now.n_present) or other == look:
                near.append((not (other in look or look in other), fit.distance, stranger))
        kind, about = (Kind.RENAMED, min(near)[2]) if near else (Kind.GONE, "")
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
    drawing = {"curves": draw_curves, "short": lambda number: number_text(float(f"{number:.4g}"))}
    return fill_template("watching", "template.html", **values, **drawing, policy=content_policy(style, ""))


def draw_curves(before: ColumnProfile, now: ColumnProfile) -> dict[str, Any]:
    """The numbers of two columns as outlines in pixels: the share of them in cells of equal width."""
    ends = [each.quantile(share) for each in (before, now) for share in (TAIL, 1 - TAIL)]
    low, high, medians = min(ends), max(ends), sorted(each.quantile(0.5) for each in (before, now))
    is_logarithmic = low > 0 and medians[1] > FAR_APART * medians[0]
    cells = (np.geomspace if is_logarithmic else np.linspace)(low, high, N_BINS + 1)
    shares = [np.diff(each.share_up_to([-np.inf, *cells[1:-1], np.inf])).tolist() for each in (before, now)]
    frame = Frame(0, max(map(max, shares)), 324, 120, 2, 322, 6, 116)
    steps = [[(place / N_BINS, share) for i, share in enumerate(each) for place in (i, i + 1)] for each in shares]
    outlines = [frame.line([(0.0, 0.0), *each, (1.0, 0.0)]) for each in steps]
    return {"frame": frame, "outlines": outlines, "ends": (low, high), "is_logarithmic": is_logarithmic}


LEVEL = 0.01  # the chance that any of all tests finds something where nothing changed, at most
LEAST = 0.05  # the smallest change of a share or a distribution that is worth a word, and that of some kinds
LEAST_OF = {Kind.NEW: 0.01, Kind.VANISHED: 0.02, Kind.MISSING: 0.02, Kind.SHIFTED: 0.1, Kind.SCORES: 0.1}
MOVED = (Kind.SHIFTED, Kind.NEW, Kind.VANISHED, Kind.TYPE)  # what can have a plainer reason
HIDES = {  # what follows from a finding, and is not told beside it
    Kind.SWAPPED: (*MOVED, Kind.UNIT, Kind.CODE, Kind.MISSING, Kind.FACT),
    Kind.FLIPPED: (Kind.SHIFTED, Kind.ACCURACY, Kind.CALIBRATION),
    **dict.fromkeys((Kind.TYPE, Kind.UNIT), (Kind.SHIFTED, Kind.FACT)),
    Kind.NEW: (Kind.SHIFTED,),
    Kind.CODE: (Kind.FACT,),
}
MOST_LISTED = 3  # values


def compare(model: Model, before: Profile, now: Profile) -> tuple[list[Finding], int]:
    """What changed, the plainest first, and how many tests were made."""
    found: list[Finding] = []
    tests = [*_test_facts(model, before, now), *_test_decisions(model, before, now), *_test_labels(model, before, now)]
    for name in (name for name in (*model.columns, model.target) if name in before.by_name and name in now.by_name):
        one, other = before.by_name[name], now.by_name[name]
        share = 1 - sum(other.counts) / max(1, other.n_present)
        if one.edges and share:
            text = next((level for level in other.levels if level_number(level) is None), "")
            found.append(Finding(Kind.TYPE, name, text, 0.0, share, share))
        if not one.edges:
            read = model.encoding.by_name.get(name)
            other, meant = fits.repair_levels(other, read.known if read else map(class_level, model.classes or ()))
            share = sum(map(now.by_name[name].share_of, meant))
            about = _list(f"{new} for {old}" for new, old in meant.items())
            found += [Finding(Kind.CODE, name, about, 0.0, share, share)] if meant else []
        tests += _test_column(one, other)
    pairs = zip(tests, fits.are_beyond_chance([each.p_value or 0.0 for each in tests], LEVEL), strict=True)
    found += [each for each, holds in pairs if holds and each.effect >= LEAST_OF.get(each.kind, LEAST)]
    found += [*_find_units(before, now, found), *_find_swaps(model, before, now, found)]
    found += _find_flips(model, now, found)
    hidden: defaultdict[str, set[Kind]] = defaultdict(set)
    for each in found:
        for column in (each.column, each.about) if each.kind is Kind.SWAPPED else (each.column,):
            hidden[column] |= set(HIDES.get(each.kind, ()))
    told = [each for each in found if each.kind not in hidden[each.column]]
    return sorted(told, key=lambda each: list(Kind).index(each.kind)), len(tests)


def _list(values: Iterable[str]) -> str:
    shown = list(values)
    return ", ".join(shown[:MOST_LISTED]) + ", …" * (len(shown) > MOST_LISTED)


def _test(kind: Kind, column: str, about: str, known: Share, seen: Share, n_tried: int = 1) -> Finding:
    """The test of two shares, the most surprising of so many."""
    effect, p_value = abs((known.value or 0) - (seen.value or 0)), n_tried * fits.surprise_of_shares(seen, known)
    return Finding(kind, column, about, known.value, seen.value, effect, min(1.0, p_value))


def _test_column(before: ColumnProfile, now: ColumnProfile) -> Iterator[Finding]:
    """Missing values, new ones, and the distribution of the known ones; one of them may have vanished."""
    gaps, more = (Share(each.n_missing, each.n_rows) for each in (before, now))
    yield _test(Kind.MISSING, before.name, "", gaps, more)
    fit = fit_column(now, before)
    kind = Kind.VANISHED if before.levels.get(fit.at) and not fit.seen else Kind.SHIFTED
    yield Finding(kind, before.name, fit.at, fit.known, fit.seen, fit.distance, fit.p_value)
    if now.n_present and not before.edges:
        n_new = now.n_present - sum(now.levels.get(level, 0) for level in before.levels)
        new = _list(level for level in now.levels if level not in before.levels)
        yield _test(Kind.NEW, before.name, new, Share(0, before.n_present), Share(n_new, now.n_present))


def _test_facts(model: Model, before: Profile, now: Profile) -> Iterator[Finding]:
    for name in (name for name in model.names if name in before.facts and name in now.facts):
        literal = model.encoding.literals[name]
        shares = Share(before.facts[name], before.n_judged), Share(now.facts[name], now.n_judged)
        yield _test(Kind.FACT, literal.column, literal_words(literal, gaps=model.encoding.gaps), *shares)


def _test_decisions(model: Model, before: Profile, now: Profile) -> Iterator[Finding]:
    """The classes that rows are judged to be of, and scores, where one decides."""
    n, m = sum(now.decided), sum(before.decided)
    if n and m:
        labels = list(zip(map(str, model.classes or ()), before.decided, now.decided, strict=True))
        pairs = ((label, Share(known, m), Share(seen, n)) for label, known, seen in labels[len(labels) == 2 :])
        tried = [_test(Kind.DECIDED, model.target, *pair, len(labels)) for pair in pairs]
        yield min(tried, key=lambda each: each.p_value or 0.0)
    if n and len(now.scores) == len(before.scores) > 1:
        points = tuple(range(len(now.scores)))
        known, seen = (ColumnProfile("", sum(each), 0, points, each) for each in (before.scores, now.scores))
        one, other = (sum(at * n for at, n in enumerate(each)) / sum(each) for each in (before.scores, now.scores))
        fit = fit_column(seen, known)
        yield Finding(Kind.SCORES, model.target, "", one, other, fit.distance, fit.p_value)


def _find_units(before: Profile, now: Profile, found: Iterable[Finding]) -> Iterator[Finding]:
    """Numbers that are what they were, in another unit."""
    for each in (each for each in found if each.kind is Kind.SHIFTED):
        known, seen = before.by_name[each.column], now.by_name[each.column]
        unit = fits.find_unit(seen, known, each.effect) if known.edges and seen.edges else None
        if unit is not None:
            share = next((share for share in (0.5, 0.75, 0.9) if known.quantile(share)), 1.0)  # most may be 0
            figures = known.quantile(share), seen.quantile(share), each.effect, each.p_value
            yield Finding(Kind.UNIT, each.column, unit[0], *figures, unit[1])


def _find_swaps(model: Model, before: Profile, now: Profile, found: Iterable[Finding]) -> Iterator[Finding]:
    """Pairs of columns that fit each other's past far better than their own; each column once."""
    suspects, taken = {each.column for each in found if each.kind in MOVED}, {model.target}
    pairs = []
    for one, other in combinations([name for name in before.by_name if name in now.by_name], 2):
        if suspects & {one, other}:
            own = [fit_column(now.by_name[name], before.by_name[name]).distance for name in (one, other)]
            turned = [fit_column(now.by_name[a], before.by_name[b]) for a, b in ((one, other), (other, one))]
            left = sum(fit.distance for fit in turned)
            if min(own) >= FAR and all(fit.is_close for fit in turned) and 2 * left < sum(own):
                pairs.append((left / sum(own), one, other, max(own)))
    for _, one, other, effect in sorted(pairs):
        if not taken & {one, other}:
            taken |= {one, other}
            yield Finding(Kind.SWAPPED, one, other, effect=effect)


def _find_promise(model: Model, before: Profile) -> float | None:
    """The share of right rows that the model was said to reach, on rows held out if possible; None if unknown."""
    record, rows = model.record, [front[place] for front, place in zip(model.fronts, model.chosen, strict=True)]
    if record.held_out is not None:
        return record.held_out.mean
    is_plain = not record.class_weight and (len(rows) == 1 or model.has_joint_front)
    if is_plain and [row.formula for row in rows] == list(model.written) and rows[0].validated is not None:
        return rows[0].validated
    return before.n_right / before.n_labelled if before.n_labelled else None


def _test_labels(model: Model, before: Profile, now: Profile) -> Iterator[Finding]:
    """Accuracy and told risks beside what was promised."""
    promised, n, m = _find_promise(model, before), now.n_labelled, max(1, before.n_rows)
    if n and promised is not None:
        yield _test_kept(Kind.ACCURACY, model.target, "", promised, now.n_right / n, n, m, 1)
    if n and now.told and not model.record.class_weight:
        observed = [sum(row) / n for row in now.confusion]
        pairs = list(zip(map(str, model.classes or ()), (each / n for each in now.told), observed, strict=True))
        pairs = pairs[len(pairs) == 2 :]
        tests = [_test_kept(Kind.CALIBRATION, model.target, *pair, n, m, len(pairs)) for pair in pairs]
        yield min(tests, key=lambda each: each.p_value or 0.0)


def _test_kept(kind: Kind, target: str, about: str, known: float, seen: float, n: int, m: int, n_tried: int) -> Finding:
    """The test of a share of n rows beside one that was measured on m; more right rows are nothing to look at."""
    error = sqrt(max(known * (1 - known), 1 / (n + m)) * (1 / n + 1 / m))
    effect = max(0.0, known - seen) if kind is Kind.ACCURACY else abs(known - seen)
    return Finding(kind, target, about, known, seen, effect, min(1.0, n_tried * erfc(effect / error / sqrt(2))))


def _find_flips(model: Model, now: Profile, found: Iterable[Finding]) -> Iterator[Finding]:
    """Labels that, exchanged, would make the rule about as right as promised; none where decisions moved too."""
    kinds = {each.kind: each for each in found}
    for each in [kinds[Kind.ACCURACY]] if Kind.ACCURACY in kinds and Kind.DECIDED not in kinds else []:
        names, n = list(map(str, model.classes or ())), len(now.confusion)
        orders = [list(range(n))[::-1]]
        orders += [[{a: b, b: a}.get(place, place) for place in range(n)] for a, b in combinations(range(n), 2)]
        right = [sum(now.confusion[a][b] for a, b in enumerate(order)) / now.n_labelled for order in orders]
        share, best = max(zip(right, orders, strict=True))
        if abs(share - (each.known or 0.0)) < each.effect / 3:
            about = " and ".join(name for place, name in enumerate(names) if best[place] != place)
            yield replace(each, kind=Kind.FLIPPED, about=about, effect=share - (each.seen or 0.0))
