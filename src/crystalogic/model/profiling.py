"""The profile of a table, counted in one look at the columns that a model knows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import level_of
from crystalogic.encoding.encoding import column_names, n_rows
from crystalogic.encoding.values import Values
from crystalogic.logic.score import score_of
from crystalogic.model.classes import class_naming
from crystalogic.model.model import Model
from crystalogic.model.profile import ColumnProfile, Profile
from crystalogic.model.rows import take_cells

QUANTILES = 50  # cells of a column of numbers
MOST_LEVELS = 200  # of a column that are counted one by one, the commonest first
MOST_DIFFERENT = 5000  # values of a column that can be levels at all


def scale_weights(weight: Any) -> Array | None:
    """Weights that add up to as many plain rows as tell as much (Kish, 1965); None if all weigh the same."""
    each = None if weight is None else np.asarray(weight, np.float64)
    return None if each is None or each.min() == each.max() else np.asarray(each * (each.sum() / (each @ each)))


def _count(codes: Array, n: int, weight: Array | None) -> tuple[int, ...]:
    """How many rows have each code from 0 to n - 1."""
    return tuple(map(round, np.bincount(codes, weight, minlength=n).tolist()))


def _take(weight: Array | None, rows: Array) -> Array | None:
    return None if weight is None else weight[rows]


def profile_of(model: Model, rows: Any, labels: Any = None, weight: Any = None, like: Profile | None = None) -> Profile:
    """The profile of rows, a frame or a mapping of columns, and of their classes where these are known.

    Labels are the classes themselves, or cells that are read as those of a table. A profile that it is to be `like` is
    of the table that it will be set beside: its edges are counted too, numbers and values of all columns, but no facts
    beyond those of the rule.
    """
    weight, there = scale_weights(weight), set(column_names(rows))
    edges = {} if like is None else {column.name: column.edges for column in like.columns}
    known = [column for column in model.encoding.columns if column.literals and column.name in there]
    read = {column.name: model.encoding.read(rows, column.name) for column in known}
    columns = []
    for column in known:
        kinds = {} if like else {"numbers": column.kind == "number", "levels": column.kind != "number"}
        columns.append(profile_column(read[column.name], weight, edges.get(column.name, ()), **kinds))
    (n,) = _count(np.zeros(n_rows(rows), np.intp), 1, weight)
    classes: tuple[Any, Array] | None = None
    if labels is not None and model.classes is not None:
        classes = labels.different if isinstance(labels, Values) else np.unique(labels, return_inverse=True)
        levels = _levels(*classes, model.target_words, weight)
        columns.append(ColumnProfile(model.target, n, max(0, n - sum(levels.values())), levels=levels))
    profile = Profile(n, n, tuple(columns))
    if not set(model.columns) <= there:
        return profile
    judged: Any = read or {"": np.zeros(n_rows(rows))}  # a rule may read no column
    return _judge(model, profile, judged, classes, weight, like)


def profile_column(
    values: Values,
    weight: Array | None = None,
    edges: Sequence[float] = (),
    *,
    numbers: bool = True,
    levels: bool = True,
) -> ColumnProfile:
    """One column: its numbers, if it has any, and its values, if they are not too many."""
    n_there, n_missing = _count(values.is_missing.astype(np.intp), 2, weight)
    cells = _cells(values, weight, edges) if numbers else ((), ())
    counted = _levels(*values.different, values.words, weight) if levels else {}
    return ColumnProfile(values.name, n_there + n_missing, n_missing, *cells, counted)


def _cells(values: Values, weight: Array | None, more: Sequence[float]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Quantiles of the numbers, with more edges between them, and how many numbers lie up to each."""
    is_number = np.isfinite(values.parsed)
    numbers, part = values.parsed[is_number], _take(weight, is_number)
    if not len(numbers):
        return (), ()
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(np.ones(len(numbers)) if part is None else part[order])
    at = np.searchsorted(reached, np.linspace(0, reached[-1], QUANTILES + 1)).clip(max=len(numbers) - 1)
    ends = numbers[order[[0, -1]]]
    edges = np.unique([*ends, *numbers[order[at]], *(edge for edge in more if ends[0] < edge < ends[1])]).tolist()
    return tuple(edges), _count(np.searchsorted(edges, numbers), len(edges), part)


def _levels(different: Any, codes: Array, words: frozenset[str], weight: Array | None) -> dict[str, int]:
    """How many rows have each value, the commonest first; nothing where the values are far too many."""
    levels: Counter[str] = Counter()
    if 0 < len(different) <= MOST_DIFFERENT:
        for value, n in zip(different, _count(codes % len(different), len(different), weight), strict=True):
            level = level_of(value, words)
            levels.update({level: n} if level is not None and n else {})
    return dict(sorted(levels.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LEVELS])


def _judge(
    model: Model, profile: Profile, rows: Any, classes: Any, weight: Array | None, like: Profile | None
) -> Profile:
    """The profile with what the model says of the rows that it can judge."""
    judged = np.flatnonzero(~model.encoding.find_refused(rows, model.names))
    if len(judged) < n_rows(rows):
        rows = {name: take_cells(values, judged) for name, values in rows.items()}
    part = _take(weight, judged)
    fronts = () if like else (row.formula.variables for front in model.fronts for row in front)
    names = dict.fromkeys([*model.names, *(name for variables in fronts for name in variables)])
    facts = [name for name in names if model.encoding.literals[name].is_boolean]
    truths = model.encoding.truths(rows, facts, refuse_missing=False)
    counted = {name: _count(truth.astype(np.intp), 2, part)[1] for name, truth in truths}
    (n_judged,) = _count(np.zeros(len(judged), np.intp), 1, part)
    profile = replace(profile, n_judged=n_judged, facts=counted)
    if model.classes is None:
        return profile
    decided = model.class_index(rows, model.degrees(rows, unknown="false"))
    profile = replace(profile, decided=_count(decided, len(model.classes), part))
    labels = np.full(len(judged), -1) if classes is None else _places(model, *classes)[judged]
    return _judge_labels(model, profile, rows, decided, labels, part)


def _judge_labels(
    model: Model, profile: Profile, rows: Any, decided: Array, labels: Array, weight: Array | None
) -> Profile:
    """The profile with scores, and with what is known of the classes of the rows."""
    k, is_known = len(model.classes or ()), labels >= 0
    if is_known.any():
        counts = _count(labels[is_known] * k + decided[is_known], k * k, _take(weight, is_known))
        profile = replace(profile, confusion=tuple(counts[i * k : i * k + k] for i in range(k)))
    if model.rounding:
        return profile
    scores = model.scores(rows, unknown="false")
    if len(model.formulas) == 1 or model.is_ordered:
        place = 0 if len(model.formulas) == 1 else model.order[0]
        most = score_of(model.formulas[place]).most
        profile = replace(profile, scores=_count(scores[:, place].astype(np.intp), most + 1, weight))
    if model.has_risk and is_known.any():
        told = (is_known if weight is None else is_known * weight) @ model.likelihoods(scores)
        profile = replace(profile, told=tuple(round(each, 6) for each in told.tolist()))
    return profile


def _places(model: Model, different: Any, codes: Array) -> Array:
    """The class of each row by its place among those of the model; -1 where it is missing or none of them."""
    named = class_naming(model)
    places = {named(label): place for place, label in enumerate(model.classes or ())}
    return np.array([places.get(named(value), -1) for value in different])[codes]
