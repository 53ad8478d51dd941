"""The profile of a table, counted in one look at the columns that a model knows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import level_of
from crystalogic.encoding.encoding import column_names, n_rows, raw_column
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

    A profile that it is to be `like` is of the table that it will be set beside: its edges are counted too, and nothing
    beyond what the model reads.
    """
    weight, there = scale_weights(weight), set(column_names(rows))
    known = {} if like is None else {column.name: column.edges for column in like.columns}
    columns = []
    for column in model.encoding.columns:
        if column.literals and column.name in there:
            found = profile_column(model.encoding.read(rows, column.name), weight, known.get(column.name, ()))
            columns.append(found if like else _keep_kind(found, is_number=column.kind == "number"))
    if labels is not None:
        values = Values(model.target, labels, words=model.target_words)
        found = profile_column(values, weight, known.get(model.target, ()))
        columns.append(_keep_kind(found, is_number=model.classes is None))
    (n,) = _count(np.zeros(n_rows(rows), np.intp), 1, weight)
    profile = Profile(n, n, tuple(columns))
    return _judge(model, rows, labels, weight, profile, like) if set(model.columns) <= there else profile


def profile_column(values: Values, weight: Array | None = None, edges: Sequence[float] = ()) -> ColumnProfile:
    """One column: its numbers, if it has any, and its values, if they are not too many."""
    n_there, n_missing = _count(values.is_missing.astype(np.intp), 2, weight)
    is_number = np.isfinite(values.parsed)
    numbers, part = values.parsed[is_number], _take(weight, is_number)
    counts: tuple[int, ...] = ()
    if len(numbers):
        order = np.argsort(numbers, kind="stable")
        reached = np.cumsum(np.ones(len(numbers)) if part is None else part[order])
        at = np.searchsorted(reached, np.linspace(0, reached[-1], QUANTILES + 1), side="left").clip(max=len(numbers) - 1)
        inner = [edge for edge in edges if numbers[order[0]] < edge < numbers[order[-1]]]
        edges = np.unique([*numbers[order][at], *inner]).tolist()
        counts = _count(np.searchsorted(edges, numbers, side="left"), len(edges), part)
    different, codes = values.different
    levels: dict[str, int] = {}
    if len(different) <= MOST_DIFFERENT:
        for value, n in zip(different, _count(codes % len(different), len(different), weight), strict=True):
            level = level_of(value, values.words)
            if level is not None and n:
                levels[level] = levels.get(level, 0) + n
        levels = dict(sorted(levels.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LEVELS])
    return ColumnProfile(values.name, n_there + n_missing, n_missing, tuple(edges) if counts else (), counts, levels)


def _keep_kind(found: ColumnProfile, *, is_number: bool) -> ColumnProfile:
    """Of a number its quantiles, of any other column its values."""
    return replace(found, levels={}) if is_number else replace(found, edges=(), counts=())


def _judge(model: Model, rows: Any, labels: Any, weight: Array | None, profile: Profile, like: Profile | None) -> Profile:
    """The profile with what the model says of the rows."""
    judged = np.flatnonzero(~model.encoding.find_refused(rows, model.names))
    fronts = () if like else (row.formula.variables for front in model.fronts for row in front)
    names = list(dict.fromkeys([*model.names, *(name for names in fronts for name in names)]))
    names = [name for name in names if model.encoding.literals[name].is_boolean]
    block: Any = {name: take_cells(raw_column(rows, name), judged) for name in model.encoding.columns_of(names)}
    block |= {name: take_cells(raw_column(rows, name), judged) for name in model.columns}
    block, part = block or {"": judged}, _take(weight, judged)  # a rule may read no column
    truths = model.encoding.truths(block, names, refuse_missing=False)
    facts = {name: _count(truth.astype(np.intp), 2, part)[1] for name, truth in truths}
    (n_judged,) = _count(np.zeros(len(judged), np.intp), 1, part)
    profile = replace(profile, n_judged=n_judged, facts=facts)
    if model.classes is None:
        return profile
    k, decided = len(model.classes), model.class_index(block, model.degrees(block, unknown="false"))
    profile = replace(profile, decided=_count(decided, k, part))
    is_known = np.zeros(len(judged), bool)
    if labels is not None:
        codes = _places(model, labels)[judged]
        is_known = codes >= 0
        counts = _count(codes[is_known] * k + decided[is_known], k * k, _take(part, is_known))
        profile = replace(profile, confusion=tuple(counts[i * k : i * k + k] for i in range(k)))
    if model.rounding:
        return profile
    scores = model.scores(block, unknown="false")
    if len(model.formulas) == 1 or model.is_ordered:
        place = 0 if len(model.formulas) == 1 else model.order[0]
        most = score_of(model.formulas[place]).most
        profile = replace(profile, scores=_count(scores[:, place].astype(np.intp), most + 1, part))
    if model.has_risk and is_known.any():
        told = (is_known if part is None else is_known * part) @ model.likelihoods(scores)
        profile = replace(profile, told=tuple(round(each, 6) for each in told.tolist()))
    return profile


def _places(model: Model, labels: Any) -> Array:
    """The class of each row by its place among those of the model; -1 where it is missing or none of them."""
    named = class_naming(model)
    places = {named(label): place for place, label in enumerate(model.classes or ())}
    different, codes = Values(model.target, labels, words=model.target_words).different
    return np.array([places.get(named(value), -1) for value in different])[codes]
