"""Rows of a table as models judge them: the class that each has and gets, its score, the main figures, and groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from crystalogic.arrays import Array, np, pd
from crystalogic.cells import MISSING_WORDS, is_missing, level_number, number_text
from crystalogic.counts import count
from crystalogic.encoding.encoding import n_rows, raw_column
from crystalogic.encoding.values import Values
from crystalogic.errors import DomainError, TableError, refuse, refuse_first
from crystalogic.evaluation.scores import Losses, measure_auc, measure_losses
from crystalogic.intervals import RATES, Estimate, Gap, Rates, Share, find_gap
from crystalogic.logic.score import score_of
from crystalogic.model import Model, Unknown, class_naming
from crystalogic.model.risk import OUT_OF


@dataclass(frozen=True)
class Judged:
    """Rows by their classes, as places among the names of the classes; more of them where the model tells it."""

    classes: tuple[str, ...]
    labels: Array  # -1 where it is missing
    decided: Array  # -1 for a row that is skipped
    scores: Array | None = None  # of two classes, whole points for the second
    likely: Array | None = None  # rows × classes
    threshold: int = 0  # points from which on the second class is decided for
    shares: tuple[int, ...] | None = None  # of 10,000 rows with each score, those of the second class

    @property
    def by_row(self) -> dict[str, Any]:
        """What is known of each row."""
        found = {name: getattr(self, name) for name in ("labels", "decided", "scores", "likely")}
        return {name: array for name, array in found.items() if array is not None}

    def take(self, rows: Array) -> "Judged":
        return replace(self, **{name: array[rows] for name, array in self.by_row.items()})

    def sort_classes(self, order: Sequence[int]) -> "Judged":
        """The same rows with the classes in another order."""
        places = np.append(np.argsort(order), -1)
        likely = None if self.likely is None else self.likely[:, order]
        classes = tuple(self.classes[place] for place in order)
        return replace(self, classes=classes, labels=places[self.labels], decided=places[self.decided], likely=likely)


@dataclass(frozen=True)
class JudgedTable:
    """The rows that are judged, the same ones by each model, and how many there were."""

    judged: tuple[Judged, ...]
    levels: dict[str, Array]  # of each column that rows are grouped by; None where it is missing
    n_rows: int
    n_unlabelled: int
    n_skipped: int


def judge_rows(models: Sequence[Model], rows: Any, labels: Any, by: Sequence[str], unknown: Unknown) -> JudgedTable:
    """The rows, whole or in parts, whose class is known and that all models judge; classes are those of the first."""
    _refuse_unlike(models)
    first, start, n_unlabelled = models[0], 0, 0
    found: list[list[Judged]] = [[] for _ in models]
    levels: dict[str, list[Array]] = {name: [] for name in by}
    for part in [rows] if hasattr(rows, "columns") or isinstance(rows, Mapping) else rows:
        known = read_labels(models, raw_column(part, first.target) if labels is None else labels, start)
        if len(known) != n_rows(part):
            refuse(TableError, f"there are {len(known):,} labels for {count(n_rows(part), 'row')}; give one for each.")
        answers = [_answer(model, models, part, known, start, unknown) for model in models]
        kept = np.flatnonzero(np.min([known, *(each.decided for each in answers)], axis=0) >= 0)
        for each, answer in zip(found, answers, strict=True):
            each.append(answer.take(kept))
        for name, found_levels in levels.items():
            column = first.encoding.by_name.get(name)
            words = MISSING_WORDS if column is None else column.words
            found_levels.append(Values(name, raw_column(part, name), start, words).texts[kept])
        start += len(known)
        n_unlabelled += int((known < 0).sum())
    if not (n_judged := sum(len(each.labels) for each in found[0])):
        what = f"there is nothing to judge: of {count(start, 'row')}, {n_unlabelled:,} have no {first.target!r}"
        message = f"{what}, and in {start - n_unlabelled:,} more a value is missing that the rule needs."
        refuse(TableError, message if start else "the table has no rows; there is nothing to judge.")
    joined = tuple(map(_join, found)), {name: np.concatenate(each) for name, each in levels.items()}
    return JudgedTable(*joined, start, n_unlabelled, start - n_unlabelled - n_judged)


def _refuse_unlike(models: Sequence[Model]) -> None:
    """A DomainError for a model without classes, and for models that do not have the same ones."""
    for model in models:
        message = f"this model tells degrees of {model.target!r}; `crystalogic report` says how far off they are."
        refuse_first(DomainError, {message: model.classes is None})
    listed = [", ".join(sorted(map(class_naming(*models), model.classes or ()))) for model in models]
    message = f"one model has the classes {' and the other '.join(listed)}. Compare models of one target."
    refuse_first(DomainError, {message: len(set(listed)) > 1})


def read_labels(models: Sequence[Model], cells: Any, start: int) -> Array:
    """The class of each row, by its place among those of the first model; -1 where it is missing."""
    first, named = models[0], class_naming(*models)
    places = {named(label): place for place, label in enumerate(first.classes or ())}
    values = Values(first.target, cells, start, first.target_words)
    different, codes = values.different
    found = (-1 if is_missing(cell, values.words) else places.get(named(cell), -2) for cell in different)
    labels: Array = np.fromiter(found, np.intp)[codes]
    if (labels == -2).any():
        row, more = int((labels == -2).argmax()), int((labels == -2).sum()) - 1
        also = f", and {count(more, 'more row has', 'more rows have')} none of them" if more else ""
        known = f"the classes of the model are {', '.join(map(str, first.classes or ()))}{also}"
        what = f"row {start + row}: {first.target!r} is {values.repr_at(row)}, but {known}"
        refuse(TableError, f"{what}. Correct the cell, or empty it to leave the row out.")
    return labels


def _answer(model: Model, models: Sequence[Model], rows: Any, labels: Array, start: int, unknown: Unknown) -> Judged:
    """What a model says of rows, its classes in the order of those of the first model."""
    named = class_naming(*models)
    names = tuple(map(named, models[0].classes or ()))
    order = [names.index(named(label)) for label in model.classes or ()]
    read = {name: model.encoding.read(rows, name, start) for name in model.columns} or rows
    degrees = model.degrees(read, first_row=start, unknown=unknown)
    found = Judged(names, labels, np.array([*order, -1])[model.class_index(read, degrees)])
    if model.rounding or (len(names) > 2 and not model.has_risk):
        return found
    scores = model.scores(read, unknown=unknown)
    scores[found.decided < 0] = 0
    found = replace(found, likely=model.likelihoods(scores)[:, np.argsort(order)]) if model.has_risk else found
    if len(names) > 2:
        return found
    score, shares = score_of(model.formulas[0]), None if model.risk is None else model.risk.shares
    points, threshold = scores[:, 0].astype(np.intp), score.threshold
    if order == [1, 0]:  # it speaks for the other class
        points, threshold = score.most - points, score.most - threshold + 1
        shares = shares and tuple(OUT_OF - share for share in reversed(shares))
    return replace(found, scores=points, threshold=threshold, shares=shares)


def _join(parts: Sequence[Judged]) -> Judged:
    rows: dict[str, Any] = {name: np.concatenate([each.by_row[name] for each in parts]) for name in parts[0].by_row}
    return replace(parts[0], **rows)


def count_asked(judged: Judged, asks: Array) -> tuple[Share, tuple[Share, ...]]:
    """The rows of which a person is asked (`asks`), and of each class those told another one without asking."""
    wrong = judged.labels[(judged.decided != judged.labels) & ~asks]
    counted = [np.bincount(each, minlength=len(judged.classes)).tolist() for each in (wrong, judged.labels)]
    return Share(int(asks.sum()), len(asks)), tuple(Share(*each) for each in zip(*counted, strict=True))


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
    auc = None if scores is None else measure_auc(judged.labels == 1, scores)
    told = None if likely is None or k > 2 else float(likely[:, 1].mean())
    losses = None if likely is None else measure_losses(judged.labels, likely)
    rates = None if k > 2 else Rates.of(*counts.ravel().tolist())
    main = Share(sum(right), n), Share(max(are), n), sum(found) / len(found), tuple(map(tuple, counts.tolist()))
    return Figures(*main, classes, auc, told, losses, rates)


def compare(one: Judged, other: Judged, fingerprint: str) -> Comparison:
    from scipy.special import bdtr

    differ = one.decided != other.decided
    first, second = (int((differ & (each.decided == one.labels)).sum()) for each in (one, other))
    p_value = min(1.0, 2 * float(bdtr(min(first, second), first + second, 0.5)))
    auc = None if one.scores is None or other.scores is None else measure_auc(one.labels == 1, one.scores, other.scores)
    return Comparison(fingerprint, figures_of(other), int(differ.sum()), first, second, p_value, auc)


MOST_SHOWN = 12  # groups
MOST_GROUPS = 1000
AND = " × "  # between the values of two columns


@dataclass(frozen=True)
class Groups:
    """The figures of the rows with each value, or in each quarter of numbers ("29 to 47"); None stands for missing.

    Numbers ascend, texts are sorted, missing comes last. Of two columns the values are pairs ("f × 29 to 47").
    """

    column: str
    are_quarters: bool
    groups: tuple[tuple[str | None, Figures], ...]
    others: Figures | None  # all but the largest together, where there are too many to print
    gaps: tuple[Gap, ...] = ()  # of each rate of two classes for which two groups have enough rows


@dataclass(frozen=True)
class Grouping:
    """Which group each row is in, by its place among their names; that of missing values is one beyond."""

    column: str
    codes: Array
    names: Sequence[str]
    are_quarters: bool = False

    def cross(self, other: "Grouping") -> "Grouping":
        """The rows by their groups in both."""
        pairs, codes = np.unique(self.codes * (len(other.names) + 1) + other.codes, return_inverse=True)
        mine, others = [*self.names, "missing"], [*other.names, "missing"]
        names = [mine[pair // len(others)] + AND + others[pair % len(others)] for pair in pairs.tolist()]
        return Grouping(self.column + AND + other.column, codes, names)


def group_rows(judged: Judged, columns: Sequence[Grouping], level: float) -> tuple[Groups, ...]:
    """The rows by each column, and by each pair of columns."""
    pairs = [one.cross(other) for one, other in combinations(columns, 2)]
    return tuple(_judge_groups(judged, each, level) for each in (*columns, *pairs))


def group_levels(name: str, levels: Any, *, are_numbers: bool) -> Grouping:
    """The rows by their levels in a column; if these are numbers and many, in quarters."""
    codes, found = pd.factorize(np.asarray(levels, object))
    numbers = [level_number(level) for level in found]
    if are_numbers and None not in numbers and len(found) > MOST_SHOWN:
        return Grouping(name, *_cut(np.array([*numbers, np.nan], float)[codes]), are_quarters=True)
    names = sorted(found, key=lambda level: (level_number(level) is None, level_number(level) or 0, level))
    place = {each: place for place, each in enumerate(names)}
    return Grouping(name, np.array([*(place[each] for each in found), len(names)])[codes], names)


def _judge_groups(judged: Judged, by: Grouping, level: float) -> Groups:
    codes, names = by.codes, by.names
    if len(names) > MOST_GROUPS:
        problem = f"{by.column!r} has {len(names):,} different values, and there can be {MOST_GROUPS:,} groups."
        refuse(TableError, f"{problem} Choose a column with fewer values, or make one that puts them together.")
    sizes = np.bincount(codes)
    pairs = zip([*names, None], np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1]), strict=False)
    groups = tuple((each, figures_of(judged.take(part))) for each, part in pairs if len(part))
    rest = np.flatnonzero(np.isin(codes, np.argsort(-sizes, kind="stable")[MOST_SHOWN - 1 :]))
    others = figures_of(judged.take(rest)) if len(groups) > MOST_SHOWN else None
    rated = [(value, figures.rates) for value, figures in groups if figures.rates]
    gaps = (find_gap(rate, rated, level) for rate in RATES)
    return Groups(by.column, by.are_quarters, groups, others, tuple(filter(None, gaps)))


def _cut(numbers: Array) -> tuple[Array, list[str]]:
    """Which quarter each number is in, and what the quarters are called; equal numbers stay together."""
    known = np.sort(numbers[~np.isnan(numbers)])
    cuts = np.unique(known[[len(known) * quarter // 4 - 1 for quarter in (1, 2, 3)]])
    cuts = cuts[cuts < known[-1]]
    ends = np.searchsorted(known, cuts, side="right")
    ranges = zip(known[[0, *ends]], known[[*(ends - 1), -1]], strict=True)
    codes = np.where(np.isnan(numbers), len(cuts) + 1, np.searchsorted(cuts, numbers, side="left"))
    return codes, [f"{number_text(low)} to {number_text(high)}" for low, high in ranges]
