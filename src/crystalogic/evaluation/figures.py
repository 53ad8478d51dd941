"""The main figures of rows, and of two models on the same rows."""

from dataclasses import dataclass

from crystalogic.arrays import np
from crystalogic.evaluation.judging import Judged
from crystalogic.evaluation.scores import Losses, measure_auc, measure_losses
from crystalogic.intervals import Estimate, Rates, Share


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
    rates: Rates | None = None  # of the second of two classes


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
        None if k > 2 else Rates.of(*counts.ravel().tolist()),
    )


def compare(one: Judged, other: Judged, fingerprint: str) -> Comparison:
    from scipy.special import bdtr

    differ = one.decided != other.decided
    first, second = (int((differ & (each.decided == one.labels)).sum()) for each in (one, other))
    p_value = min(1.0, 2 * float(bdtr(min(first, second), first + second, 0.5)))
    auc = None
    if one.scores is not None and other.scores is not None:
        auc = measure_auc(one.labels == 1, one.scores, other.scores)
    return Comparison(fingerprint, figures_of(other), int(differ.sum()), first, second, p_value, auc)
