"""Whether a rule still keeps what it promised, on rows whose classes are known; and whether labels were exchanged."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from math import erfc, sqrt

from crystalogic.model import Model
from crystalogic.model.profile import Profile
from crystalogic.watching.findings import Finding, Kind


def promised_accuracy(model: Model, before: Profile) -> float | None:
    """The share of right rows that the model was said to reach, on rows held out if possible; None if unknown."""
    record, rows = model.record, [front[place] for front, place in zip(model.fronts, model.chosen, strict=True)]
    if record.held_out is not None:
        return record.held_out.mean
    is_plain = not record.class_weight and (len(rows) == 1 or model.has_joint_front)
    if is_plain and [row.formula for row in rows] == list(model.formulas) and rows[0].validated is not None:
        return rows[0].validated
    return before.n_right / before.n_labelled if before.n_labelled else None


def test_labels(model: Model, before: Profile, now: Profile) -> Iterator[Finding]:
    """Accuracy and told risks beside what was promised."""
    promised, n, m = promised_accuracy(model, before), now.n_labelled, max(1, before.n_rows)
    if n and promised is not None:
        yield _test(Kind.ACCURACY, model.target, "", promised, now.n_right / n, n, m)
    if n and now.told and not model.record.class_weight:
        observed = [sum(row) / n for row in now.confusion]
        pairs = list(zip(map(str, model.classes or ()), (each / n for each in now.told), observed, strict=True))
        pairs = pairs[len(pairs) == 2 :]
        tests = [_test(Kind.CALIBRATION, model.target, *pair, n, m, len(pairs)) for pair in pairs]
        yield min(tests, key=lambda each: each.p_value or 0.0)


def _test(kind: Kind, target: str, about: str, known: float, seen: float, n: int, m: int, n_tried: int = 1) -> Finding:
    """The test of a share of n rows beside one that was measured on m; more right rows are nothing to look at."""
    error = sqrt(max(known * (1 - known), 1 / (n + m)) * (1 / n + 1 / m))
    effect = max(0.0, known - seen) if kind is Kind.ACCURACY else abs(known - seen)
    return Finding(kind, target, about, known, seen, effect, min(1.0, n_tried * erfc(effect / error / sqrt(2))))


def find_flips(model: Model, now: Profile, found: Iterable[Finding]) -> Iterator[Finding]:
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
