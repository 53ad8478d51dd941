"""What changed from one profile to another: every test first, then what they mean together.

Differences of shares and of distributions are tested, and Holm's method keeps the chance that any of the tests errs
below LEVEL. A difference beyond chance is told only if it is also large enough to matter. A column that moved is then
looked at for a plain reason: another unit, two columns exchanged.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from operator import mul

from crystalogic.cells import level_number
from crystalogic.intervals import Share
from crystalogic.model import Model, class_level
from crystalogic.model.profile import ColumnProfile, Profile
from crystalogic.watching.chance import are_beyond_chance, surprise_of_shares
from crystalogic.watching.findings import Finding, Kind
from crystalogic.watching.fits import FAR, Fit, difference, find_unit, fit_column, repair_levels
from crystalogic.watching.labels import find_flips, test_labels
from crystalogic.words.literals import literal_words

LEVEL = 0.01  # the chance that any of all tests finds something where nothing changed, at most
LEAST = {  # the smallest change that is worth a word
    Kind.NEW: 0.01,
    Kind.VANISHED: 0.02,
    Kind.MISSING: 0.02,
    Kind.SHIFTED: 0.1,
    Kind.FACT: 0.05,
    Kind.SCORES: 0.1,
    Kind.DECIDED: 0.05,
    Kind.ACCURACY: 0.05,
    Kind.CALIBRATION: 0.05,
}
OF_COLUMN = (Kind.TYPE, Kind.UNIT, Kind.CODE, Kind.NEW, Kind.VANISHED, Kind.MISSING, Kind.SHIFTED, Kind.FACT)
HIDES = {  # what follows from a finding is not told beside it
    Kind.SWAPPED: OF_COLUMN,
    Kind.TYPE: (Kind.SHIFTED, Kind.FACT),
    Kind.UNIT: (Kind.SHIFTED, Kind.FACT),
    Kind.CODE: (Kind.FACT,),
    Kind.NEW: (Kind.SHIFTED,),
    Kind.VANISHED: (Kind.SHIFTED,),
    Kind.FLIPPED: (Kind.SHIFTED, Kind.ACCURACY, Kind.CALIBRATION),
}
MOST_LISTED = 3  # values


def compare(model: Model, before: Profile, now: Profile) -> tuple[list[Finding], int]:
    """What changed, the plainest first, and how many tests were made."""
    names = [name for name in (*model.columns, model.target) if name in before.by_name and name in now.by_name]
    found: list[Finding] = []
    tests = [*_test_facts(model, before, now), *_test_decisions(model, before, now), *test_labels(model, before, now)]
    for name in names:
        one, other = before.by_name[name], now.by_name[name]
        found += _find_texts(one, other)
        if not one.edges:
            known = (
                model.encoding.by_name[name].known if name != model.target else map(class_level, model.classes or ())
            )
            other, meant = repair_levels(other, known)
            found += _find_codes(now.by_name[name], meant)
        tests += _test_column(one, other)
    believed = are_beyond_chance([each.p_value or 0.0 for each in tests], LEVEL)
    found += [each for each, holds in zip(tests, believed, strict=True) if holds and each.effect >= LEAST[each.kind]]
    found += [
        *_find_units(before, now, found),
        *_find_swaps(model, before, now, found),
        *find_flips(model, before, now, found),
    ]
    hidden = {
        (kind, column)
        for each in found
        for kind in HIDES.get(each.kind, ())
        for column in ((each.column, each.about) if each.kind is Kind.SWAPPED else (each.column,))
    }
    order = list(Kind)
    told = [each for each in found if (each.kind, each.column) not in hidden]
    return sorted(told, key=lambda each: order.index(each.kind)), len(tests)


def _find_texts(before: ColumnProfile, now: ColumnProfile) -> Iterator[Finding]:
    """Values that are no numbers where numbers were."""
    n = now.n_present - sum(now.counts)
    if before.edges and n:
        example = next((level for level in now.levels if level_number(level) is None), "")
        share = n / now.n_present
        yield Finding(Kind.TYPE, before.name, example, 0.0, share, share)


def _find_codes(now: ColumnProfile, meant: dict[str, str]) -> Iterator[Finding]:
    """Values that look like known ones."""
    if meant:
        share = sum(now.levels[level] for level in meant) / now.n_present
        yield Finding(Kind.CODE, now.name, _listed(f"{new} for {old}" for new, old in meant.items()), 0.0, share, share)


def _listed(values: Iterable[str]) -> str:
    shown = list(values)
    return ", ".join(shown[:MOST_LISTED]) + ", …" * (len(shown) > MOST_LISTED)


def _test_shares(kind: Kind, column: str, about: str, known: Share, seen: Share, n_tried: int = 1) -> Finding:
    p_value = min(1.0, n_tried * surprise_of_shares(seen, known))
    return Finding(kind, column, about, known.value, seen.value, abs(difference(seen, known)), p_value)


def _test_column(before: ColumnProfile, now: ColumnProfile) -> Iterator[Finding]:
    """Missing values, new ones, vanished ones, and the distribution of those that are there."""
    if not now.n_rows:
        return
    gaps, more = (Share(each.n_missing, each.n_rows) for each in (before, now))
    yield _test_shares(Kind.MISSING, before.name, "", gaps, more)
    if not now.n_present or not before.n_present:
        return
    if not before.edges:
        new = [level for level in now.levels if level not in before.levels]
        known, seen = (
            max(0, each.n_present - sum(each.levels.get(level, 0) for level in before.levels)) for each in (before, now)
        )
        shares = Share(known, before.n_present), Share(seen, now.n_present)
        yield _test_shares(Kind.NEW, before.name, _listed(new), *shares)
        gone = [level for level in before.levels if level not in now.levels]
        n = max((before.levels[level] for level in gone), default=0)
        gone = [level for level in gone if 2 * before.levels[level] >= n]
        tried = Share(n, before.n_present), Share(0, now.n_present)
        yield _test_shares(Kind.VANISHED, before.name, _listed(gone), *tried, n_tried=len(before.levels))
    fit = fit_column(now, before)
    known_share, seen_share = _shares_at(before, now, fit)
    yield Finding(
        Kind.SHIFTED,
        before.name,
        fit.level,
        known_share,
        seen_share,
        fit.distance,
        fit.p_value,
        is_number=bool(before.edges),
    )


def _shares_at(before: ColumnProfile, now: ColumnProfile, fit: Fit) -> tuple[float, float]:
    """The shares that differ most: of a value, or of the numbers up to one."""
    if before.edges and now.edges:
        at = [float(fit.level or 0)]
        return float(before.share_up_to(at)[0]), float(now.share_up_to(at)[0])
    return before.levels.get(fit.level, 0) / before.n_present, now.levels.get(fit.level, 0) / now.n_present


def _test_facts(model: Model, before: Profile, now: Profile) -> Iterator[Finding]:
    for name in (name for name in model.names if name in before.facts and name in now.facts and now.n_judged):
        shares = Share(before.facts[name], before.n_judged), Share(now.facts[name], now.n_judged)
        literal = model.encoding.literals[name]
        yield _test_shares(Kind.FACT, literal.column, literal_words(literal, gaps=model.encoding.gaps), *shares)


def _test_decisions(model: Model, before: Profile, now: Profile) -> Iterator[Finding]:
    """Scores, where one decides, and the classes that rows are judged to be of."""
    n, m = sum(now.decided), sum(before.decided)
    if n and m:
        pairs = zip(model.classes or (), before.decided, now.decided, strict=True)
        places = [(str(label), Share(known, m), Share(seen, n)) for label, known, seen in pairs]
        tried = [_test_shares(Kind.DECIDED, model.target, *each, n_tried=len(places)) for each in places]
        yield min(tried[len(places) == 2 :], key=lambda each: each.p_value or 0.0)
    if n and len(now.scores) == len(before.scores) > 1:
        points = tuple(range(len(now.scores)))
        known, seen = (ColumnProfile("", sum(each), 0, points, each) for each in (before.scores, now.scores))
        one, other = (sum(map(mul, each.edges, each.counts)) / each.n_rows for each in (known, seen))
        fit = fit_column(seen, known)
        yield Finding(Kind.SCORES, model.target, "", one, other, fit.distance, fit.p_value)


def _find_units(before: Profile, now: Profile, moved: Iterable[Finding]) -> Iterator[Finding]:
    """Numbers that are what they were, in another unit."""
    for each in moved:
        if each.kind is Kind.SHIFTED and before.by_name[each.column].edges and now.by_name[each.column].edges:
            known, seen = before.by_name[each.column], now.by_name[each.column]
            unit = find_unit(seen, known, each.effect)
            if unit is not None:
                words, factor = unit
                yield Finding(
                    Kind.UNIT, each.column, words, known.median, seen.median, each.effect, each.p_value, factor
                )


def _find_swaps(model: Model, before: Profile, now: Profile, found: Iterable[Finding]) -> Iterator[Finding]:
    """Pairs of columns that fit each other's past far better than their own; each column once."""
    suspects = {each.column for each in found if each.kind in (Kind.SHIFTED, Kind.NEW, Kind.VANISHED, Kind.TYPE)}
    names = [name for name in before.by_name if name in now.by_name and name != model.target]
    pairs: list[tuple[float, str, str, float]] = []
    for one, other in combinations(names, 2):
        if suspects & {one, other}:
            own = [fit_column(now.by_name[name], before.by_name[name]).distance for name in (one, other)]
            turned = [fit_column(now.by_name[a], before.by_name[b]) for a, b in ((one, other), (other, one))]
            left = sum(fit.distance for fit in turned)
            if min(own) >= FAR and all(fit.is_close for fit in turned) and 2 * left < sum(own):
                pairs.append((left / sum(own), one, other, max(own)))
    taken: set[str] = set()
    for _, one, other, effect in sorted(pairs):
        if not taken & {one, other}:
            taken |= {one, other}
            yield Finding(Kind.SWAPPED, one, other, effect=effect)
