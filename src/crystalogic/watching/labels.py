"""Whether a rule still keeps what it promised, on rows whose classes are known; and whether labels were exchanged."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from math import sqrt

from crystalogic.model import Model
from crystalogic.model.profile import Profile
from crystalogic.watching.chance import surprise_of_distance
from crystalogic.watching.findings import Finding, Kind


def promised_accuracy(model: Model, before: Profile) -> float | None:
    """The share of right rows that the model was said to reach, on rows held out if possible; None if unknown."""
    record, rows = model.record, [front[place] for front, place in zip(model.fronts, model.chosen, strict=True)]
    if record.held_out is not None:
        return record.held_out.mean
    is_own = bool(rows) and all(row.formula == own for row, own in zip(rows, model.formulas, strict=True))
    if is_own and not record.class_weight and (len(rows) == 1 or model.has_joint_front):
        if rows[0].validated is not None:
            return rows[0].validated
    return before.n_right / before.n_labelled if before.n_labelled else None


def test_labels(model: Model, before: Profile, now: Profile) -> Iterator[Finding]:
    """Accuracy and told risks beside what was promised."""
    promised, n, m = promised_accuracy(model, before), now.n_labelled, max(1, before.n_rows)
    if not n:
        return

    def test(kind: Kind, about: str, known: float, seen: float, effect: float, n_tried: int = 1) -> Finding:
        error = sqrt(max(known * (1 - known), 1 / (n + m)) * (1 / n + 1 / m))
        p_value = min(1.0, n_tried * surprise_of_distance(effect, error)) if effect > 0 else 1.0
        return Finding(kind, model.target, about, known, seen, effect, p_value)

    if promised is not None:
        right = now.n_right / n
        yield test(Kind.ACCURACY, "", promised, right, promised - right)
    if now.told and not model.record.class_weight:
        observed = [sum(row) / n for row in now.confusion]
        pairs = list(zip(map(str, model.classes or ()), (each / n for each in now.told), observed, strict=True))
        tried = pairs[1:] if len(pairs) == 2 else pairs
        tests = [test(Kind.CALIBRATION, name, told, seen, abs(told - seen), len(tried)) for name, told, seen in tried]
        yield min(tests, key=lambda each: each.p_value or 0.0)


def find_flips(model: Model, before: Profile, now: Profile, found: Iterable[Finding]) -> Iterator[Finding]:
    """Labels that, exchanged, would make the rule as right as it was promised to be."""
    for each in (each for each in found if each.kind is Kind.ACCURACY and each.known is not None):
        counts, k = now.confusion, len(now.confusion)
        orders = [[*range(k)[::-1]]]
        for one, other in combinations(range(k), 2):
            orders.append([other if place == one else one if place == other else place for place in range(k)])
        right = [sum(counts[place][to] for place, to in enumerate(order)) / now.n_labelled for order in orders]
        best = max(range(len(orders)), key=lambda place: (right[place], place))
        if abs(right[best] - (each.known or 0)) < each.effect / 2:
            names = [str(label) for place, label in enumerate(model.classes or ()) if orders[best][place] != place]
            gain = right[best] - (each.seen or 0.0)
            yield replace(each, kind=Kind.FLIPPED, about=" and ".join(names), effect=gain)
