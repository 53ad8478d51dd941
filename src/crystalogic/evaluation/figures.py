"""The main figures of rows: of all, of groups by the values of a column, and of two models on the same rows."""

from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import level_number, number_text
from crystalogic.errors import TableError
from crystalogic.evaluation.judging import Judged
from crystalogic.evaluation.scores import Losses, measure_auc, measure_losses
from crystalogic.intervals import Estimate, Share

MOST_SHOWN = 12  # groups
MOST_GROUPS = 1000


@dataclass(frozen=True)
class ClassFigures:
    """One class: the rows that are of it, how many of these are judged so, and how many of all judged so are of it."""

    name: str
    observed: Share
    sensitivity: Share  # of two classes, that of the first is the specificity
    precision: Share


@dataclass(frozen=True)
class Figures:
    """What is told of every model, and None where it does not tell it."""

    accuracy: Share
    commonest: Share  # what always deciding for the commonest class would get right
    balanced_accuracy: float  # the mean sensitivity of the classes that have rows
    confusion: tuple[tuple[int, ...], ...]  # rows of each class (down) that are judged to be of each (across)
    classes: tuple[ClassFigures, ...]
    auc: Estimate | None
    told: float | None  # the mean risk of the second of two classes
    losses: Losses | None


@dataclass(frozen=True)
class Groups:
    """The figures of the rows with each value, or in each quarter of numbers ("29 to 47"); None stands for missing.

    Numbers ascend, texts are sorted, missing comes last.
    """

    column: str
    are_quarters: bool
    groups: tuple[tuple[str | None, Figures], ...]
    others: Figures | None  # all but the largest together, where there are too many to print


@dataclass(frozen=True)
class Comparison:
    """Another model on the same rows."""

    fingerprint: str
    figures: Figures
    n_different: int  # rows that the two judge differently
    first_right: int  # of these, those that the first model judges rightly
    other_right: int
    p_value: float  # of these two counts, if either were as likely: exact and two-sided (McNemar's sign test)
    auc_difference: Estimate | None  # of the first less the other


def figures_of(judged: Judged) -> Figures:
    k, n = len(judged.classes), len(judged.labels)
    counts = np.bincount(judged.labels * k + judged.decided, minlength=k * k).reshape(k, k)
    right, are, judged_so = (each.tolist() for each in (counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)))
    each = zip(judged.classes, right, are, judged_so, strict=True)
    classes = tuple(ClassFigures(name, Share(a, n), Share(r, a), Share(r, j)) for name, r, a, j in each)
    found = [r / a for r, a in zip(right, are, strict=True) if a]
    scores, likely = judged.scores, judged.likely
    return Figures(
        Share(sum(right), n),
        Share(max(are), n),
        sum(found) / len(found),
        tuple(map(tuple, counts.tolist())),
        classes,
        None if scores is None else measure_auc(judged.labels == 1, scores),
        None if likely is None or k > 2 else float(likely[:, 1].mean()),
        None if likely is None else measure_losses(judged.labels, likely),
    )


def group_rows(name: str, judged: Judged, levels: Any, are_numbers: bool) -> Groups:
    """The rows by their levels in a column; if these are numbers and many, in quarters."""
    import pandas as pd

    codes, found = pd.factorize(levels)
    numbers = [level_number(level) for level in found]
    are_numbers = are_numbers and None not in numbers
    are_quarters = are_numbers and len(found) > MOST_SHOWN
    if are_quarters:
        codes, names = _cut(np.array([*numbers, np.nan], float)[codes])
    else:
        names = sorted(found, key=lambda level: (level_number(level) is None, level_number(level) or 0, level))
        place = {each: place for place, each in enumerate(names)}
        codes = np.array([*(place[each] for each in found), len(names)])[codes]
    if len(names) > MOST_GROUPS:
        message = (
            f"{name!r} has {len(names):,} different values, and there can be {MOST_GROUPS:,} groups. "
            "Choose a column with fewer values, or make one that puts them together."
        )
        raise TableError(message)
    sizes = np.bincount(codes)
    parts = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
    pairs = zip([*names, None], parts, strict=False)
    groups = tuple((each, figures_of(judged.take(part))) for each, part in pairs if len(part))
    others = None
    if len(groups) > MOST_SHOWN:
        rest = np.isin(codes, np.argsort(-sizes, kind="stable")[MOST_SHOWN - 1 :])
        others = figures_of(judged.take(np.flatnonzero(rest)))
    return Groups(name, are_quarters, groups, others)


def _cut(numbers: Array) -> tuple[Array, list[str]]:
    """Which quarter each number is in, and what the quarters are called; equal numbers stay together."""
    known = np.sort(numbers[~np.isnan(numbers)])
    cuts = np.unique(known[[len(known) * quarter // 4 - 1 for quarter in (1, 2, 3)]])
    cuts = cuts[cuts < known[-1]]
    ends = np.searchsorted(known, cuts, side="right")
    ranges = zip(known[[0, *ends]], known[[*(ends - 1), -1]], strict=True)
    codes = np.where(np.isnan(numbers), len(cuts) + 1, np.searchsorted(cuts, numbers, side="left"))
    return codes, [f"{number_text(low)} to {number_text(high)}" for low, high in ranges]


def compare(one: Judged, other: Judged, fingerprint: str) -> Comparison:
    from scipy.special import bdtr

    differ = one.decided != other.decided
    first, second = (int((differ & (each.decided == one.labels)).sum()) for each in (one, other))
    p_value = min(1.0, 2 * float(bdtr(min(first, second), first + second, 0.5)))
    auc = None
    if one.scores is not None and other.scores is not None:
        auc = measure_auc(one.labels == 1, one.scores, other.scores)
    return Comparison(fingerprint, figures_of(other), int(differ.sum()), first, second, p_value, auc)
