"""Rows of a table as models judge them: the class that each has and gets, its score, what is told of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import MISSING_WORDS, is_missing
from crystalogic.counts import count
from crystalogic.encoding.encoding import n_rows, raw_column
from crystalogic.encoding.values import Values
from crystalogic.errors import DomainError, TableError
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
    def by_row(self) -> dict[str, Array]:
        """What is known of each row."""
        found = {name: getattr(self, name) for name in ("labels", "decided", "scores", "likely")}
        return {name: array for name, array in found.items() if array is not None}

    def take(self, rows: Array) -> "Judged":
        kept: dict[str, Any] = {name: array[rows] for name, array in self.by_row.items()}
        return replace(self, **kept)


@dataclass(frozen=True)
class JudgedTable:
    """The rows that are judged, by each of the models the same, and how many there were."""

    judged: tuple[Judged, ...]
    levels: dict[str, Array]  # of each column that rows are grouped by; None where it is missing
    n_rows: int
    n_unlabelled: int
    n_skipped: int


def judge_rows(
    models: Sequence[Model], rows: Any, labels: Any, by: Sequence[str] | None, unknown: Unknown
) -> JudgedTable:
    """The rows, whole or in parts, whose class is known and that all models judge; classes are those of the first."""
    _refuse_unlike(models)
    first, start, n_unlabelled = models[0], 0, 0
    found: list[list[Judged]] = [[] for _ in models]
    levels: dict[str, list[Array]] = {name: [] for name in by or ()}
    for part in [rows] if hasattr(rows, "columns") or isinstance(rows, Mapping) else rows:
        known = read_labels(models, raw_column(part, first.target) if labels is None else labels, start)
        if len(known) != n_rows(part):
            message = f"there are {len(known):,} labels for {count(n_rows(part), 'row')}; give one for each."
            raise TableError(message)
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
    n_judged = sum(len(each.labels) for each in found[0])
    if not n_judged:
        message = (
            f"there is nothing to judge: of {count(start, 'row')}, {n_unlabelled:,} have no {first.target!r}, "
            f"and in {start - n_unlabelled:,} more a value is missing that the rule needs."
        )
        message = message if start else "the table has no rows; there is nothing to judge."
        raise TableError(message)
    joined = tuple(map(_join, found))
    levels_of_all = {name: np.concatenate(each) for name, each in levels.items()}
    return JudgedTable(joined, levels_of_all, start, n_unlabelled, start - n_unlabelled - n_judged)


def _refuse_unlike(models: Sequence[Model]) -> None:
    """A DomainError for a model without classes, and for models that do not have the same ones."""
    for model in models:
        if model.classes is None:
            message = f"this model tells degrees of {model.target!r}; `crystalogic report` says how far off they are."
            raise DomainError(message)
    listed = [", ".join(sorted(map(class_naming(*models), model.classes or ()))) for model in models]
    if len(set(listed)) > 1:
        message = f"one model has the classes {' and the other '.join(listed)}. Compare models of one target."
        raise DomainError(message)


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
        message = (
            f"row {start + row}: {first.target!r} is {values.repr_at(row)}, but the classes of the model are "
            f"{', '.join(map(str, first.classes or ()))}{also}. Correct the cell, or empty it to leave the row out."
        )
        raise TableError(message)
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
