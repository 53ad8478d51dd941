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


def profile_of(model: Model, rows: Any, labels: Any = None, weight: Any = None, like: Profile | None = None) -> Profile:
    """The profile of rows, a frame or a mapping of columns, and of their classes where these are known.

    Labels are the classes themselves, or the `Values` of a column. A profile that it is to be `like` is of the table
    that it will be set beside: its edges are counted too, and all columns both as numbers and as values.
    """
    if weight is not None:  # as many plain rows as tell as much (Kish, 1965)
        each = np.asarray(weight, np.float64)
        weight = None if each.min() == each.max() else each * (each.sum() / (each @ each))
    there, edges = set(column_names(rows)), {} if like is None else {each.name: each.edges for each in like.columns}
    known = [column for column in model.encoding.columns if column.literals and column.name in there]
    read: Any = {column.name: model.encoding.read(rows, column.name) for column in known}
    columns = []
    for column in known:
        kinds = {} if like else {"numbers": column.kind == "number", "levels": column.kind != "number"}
        columns.append(profile_column(read[column.name], weight, edges.get(column.name, ()), **kinds))
    classes, (n,) = None, _count(np.zeros(n_rows(rows), np.intp), 1, weight)
    if labels is not None and model.classes is not None:
        classes = labels.different if isinstance(labels, Values) else np.unique(labels, return_inverse=True)
        levels = _levels(classes[0], classes[1], model.target_words, weight)
        columns.append(ColumnProfile(model.target, n, max(0, n - sum(levels.values())), levels=levels))
    profile = Profile(n, n, tuple(columns))
    if not set(model.columns) <= there:
        return profile
    rows = read or {"": np.zeros(n_rows(rows))}  # a rule may read no column
    judged = np.flatnonzero(~model.encoding.find_refused(rows, model.names))
    weight = None if weight is None else weight[judged]
    if len(judged) < n_rows(rows):
        rows = {name: take_cells(values, judged) for name, values in rows.items()}
    fronts = () if like else (row.formula.variables for front in model.fronts for row in front)
    names = dict.fromkeys([*model.names, *(name for variables in fronts for name in variables)])
    truths = model.encoding.truths(
        rows, [name for name in names if model.encoding.literals[name].is_boolean], refuse_missing=False
    )
    facts = {name: _count(truth.astype(np.intp), 2, weight)[1] for name, truth in truths}
    profile = replace(profile, n_judged=_count(np.zeros(len(judged), np.intp), 1, weight)[0], facts=facts)
    codes = np.full(len(judged), -1) if classes is None else _places(model, *classes)[judged]
    return profile if model.classes is None else _judge(model, profile, rows, codes, weight)


def profile_column(
    values: Values, weight: Any = None, edges: Sequence[float] = (), *, numbers: bool = True, levels: bool = True
) -> ColumnProfile:
    """One column: its numbers, if it has any, with quantiles and these edges; its values, if they are not too many."""
    n_there, n_missing = _count(values.is_missing.astype(np.intp), 2, weight)
    is_number = np.isfinite(values.parsed) if numbers else np.zeros(len(values), bool)
    found, part = values.parsed[is_number], None if weight is None else weight[is_number]
    if len(found):
        order = np.argsort(found, kind="stable")
        reached = np.cumsum(np.ones(len(found)) if part is None else part[order])
        at = np.searchsorted(reached, np.linspace(0, reached[-1], QUANTILES + 1)).clip(max=len(found) - 1)
        low, high = found[order[[0, -1]]].tolist()
        edges = [low, high, *found[order[at]].tolist(), *(edge for edge in edges if low < edge < high)]
    ends = tuple(sorted(set(edges))) if len(found) else ()
    counts = _count(np.searchsorted(ends, found), len(ends), part)
    counted = _levels(*values.different, values.words, weight) if levels else {}
    return ColumnProfile(values.name, n_there + n_missing, n_missing, ends, counts, counted)


def _count(codes: Array, n: int, weight: Array | None) -> tuple[int, ...]:
    """How many rows have each code from 0 to n - 1."""
    return tuple(map(round, np.bincount(codes, weight, minlength=n).tolist()))


def _levels(different: Any, codes: Array, words: frozenset[str], weight: Array | None) -> dict[str, int]:
    """How many rows have each value, the commonest first; nothing where the values are far too many."""
    levels: Counter[str] = Counter()
    if 0 < len(different) <= MOST_DIFFERENT:
        for value, n in zip(different, _count(codes % len(different), len(different), weight), strict=True):
            level = level_of(value, words)
            levels.update({level: n} if level is not None and n else {})
    return dict(sorted(levels.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LEVELS])


def _judge(model: Model, profile: Profile, rows: Any, labels: Array, weight: Array | None) -> Profile:
    """The profile with decisions and scores, and with what is known of the classes of the rows (-1 for unknown)."""
    k, is_known = len(model.classes or ()), labels >= 0
    decided = model.class_index(rows, model.degrees(rows, unknown="false"))
    facts: dict[str, Any] = {"decided": _count(decided, k, weight)}
    if is_known.any():
        part = None if weight is None else weight[is_known]
        counts = _count(labels[is_known] * k + decided[is_known], k * k, part)
        facts["confusion"] = tuple(counts[place * k : place * k + k] for place in range(k))
    scores = None if model.rounding else model.scores(rows, unknown="false")
    if scores is not None and (len(model.formulas) == 1 or model.is_ordered):
        place = model.order[0] if model.is_ordered else 0
        facts["scores"] = _count(scores[:, place].astype(np.intp), score_of(model.formulas[place]).most + 1, weight)
    if scores is not None and model.has_risk and is_known.any():
        told = (is_known if weight is None else is_known * weight) @ model.likelihoods(scores)
        facts["told"] = tuple(round(each, 6) for each in told.tolist())
    return replace(profile, **facts)


def _places(model: Model, different: Any, codes: Array) -> Array:
    """The class of each row by its place among those of the model; -1 where it is missing or none of them."""
    named = class_naming(model)
    places = {named(label): place for place, label in enumerate(model.classes or ())}
    return np.array([places.get(named(value), -1) for value in different])[codes]
