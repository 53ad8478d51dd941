"""What changed from one profile to another: every test first, then what they mean together.

Differences of shares and of distributions are tested, and Holm's method keeps the chance that any of the tests errs
below LEVEL. A difference beyond chance is told only if it is also large enough to matter. A column that moved is then
looked at for a plain reason: another unit, two columns exchanged. Where classes are known, what the rule promised is
tested too, and labels that were exchanged are recognized.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from math import erfc, sqrt
from operator import mul

from crystalogic.cells import level_number
from crystalogic.intervals import Share
from crystalogic.model import Model, class_level
from crystalogic.model.profile import ColumnProfile, Profile
from crystalogic.watching.fits import (
    FAR,
    Finding,
    Kind,
    are_beyond_chance,
    find_unit,
    fit_column,
    repair_levels,
    surprise_of_shares,
)
from crystalogic.words.literals import literal_words

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
            other, meant = repair_levels(other, read.known if read else map(class_level, model.classes or ()))
            share = sum(map(now.by_name[name].share_of, meant))
            about = _list(f"{new} for {old}" for new, old in meant.items())
            found += [Finding(Kind.CODE, name, about, 0.0, share, share)] if meant else []
        tests += _test_column(one, other)
    believed = are_beyond_chance([each.p_value or 0.0 for each in tests], LEVEL)
    pairs = zip(tests, believed, strict=True)
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
    effect, p_value = abs((known.value or 0) - (seen.value or 0)), n_tried * surprise_of_shares(seen, known)
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
        tried = [
            _test(Kind.DECIDED, model.target, label, Share(known, m), Share(seen, n), len(labels))
            for label, known, seen in labels[len(labels) == 2 :]
        ]
        yield min(tried, key=lambda each: each.p_value or 0.0)
    if n and len(now.scores) == len(before.scores) > 1:
        points = tuple(range(len(now.scores)))
        known, seen = (ColumnProfile("", sum(each), 0, points, each) for each in (before.scores, now.scores))
        one, other = (sum(map(mul, each.edges, each.counts)) / each.n_rows for each in (known, seen))
        fit = fit_column(seen, known)
        yield Finding(Kind.SCORES, model.target, "", one, other, fit.distance, fit.p_value)


def _find_units(before: Profile, now: Profile, found: Iterable[Finding]) -> Iterator[Finding]:
    """Numbers that are what they were, in another unit."""
    for each in (each for each in found if each.kind is Kind.SHIFTED):
        known, seen = before.by_name[each.column], now.by_name[each.column]
        unit = find_unit(seen, known, each.effect) if known.edges and seen.edges else None
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
        yield _test_kept(Kind.ACCURACY, model.target, "", promised, now.n_right / n, n, m)
    if n and now.told and not model.record.class_weight:
        observed = [sum(row) / n for row in now.confusion]
        pairs = list(zip(map(str, model.classes or ()), (each / n for each in now.told), observed, strict=True))
        pairs = pairs[len(pairs) == 2 :]
        tests = [_test_kept(Kind.CALIBRATION, model.target, *pair, n, m, len(pairs)) for pair in pairs]
        yield min(tests, key=lambda each: each.p_value or 0.0)


def _test_kept(
    kind: Kind, target: str, about: str, known: float, seen: float, n: int, m: int, n_tried: int = 1
) -> Finding:
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
