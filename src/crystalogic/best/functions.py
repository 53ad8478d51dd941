"""Rules as functions of rows: two that decide every row of the domain alike are one rule, however they are written.

In the domain each column has the values that its training rows had, a number all from the least to the greatest, and
none where some were missing. Values of a column that a rule never tells apart form a class. These classes, and what is
decided for each combination of them, are the same for two rules if and only if the rules are the same function.
"""

from collections.abc import Hashable, Sequence

from crystalogic.arrays import Array, np
from crystalogic.encoding import Cut, Encoding
from crystalogic.encoding.encoding import Column
from crystalogic.optimal import Rule

Truths = dict[str, tuple[str, Array]]  # for each fact its column, and whether it holds for each value in the domain


def truths_of(encoding: Encoding) -> Truths:
    """What holds for each value that can occur, of all facts of an encoding."""
    found: Truths = {}
    for column in encoding.columns:
        names = [literal.name for literal in column.literals]
        truths = encoding.transform({column.name: _values_of(column)}, names) if names else np.zeros((0, 0))
        found |= {name: (column.name, truths[:, place] > 0) for place, name in enumerate(names)}
    return found


def _values_of(column: Column) -> Array:
    """The values of the domain; of numbers enough that each two which a cut tells apart are there."""
    values: list[object] = list(column.known)
    if column.kind == "number":
        low, high = column.range or (0.0, 0.0)
        values = [low, *(each.at for each in column.literals if isinstance(each, Cut) and low < each.at <= high)]
    return np.array([*values, *[None] * column.has_missing], object)


def function_of(rule: Rule, names: Sequence[str], truths: Truths) -> Hashable:
    """What is equal for two rules that decide every row of the domain alike, and for no others."""
    points: dict[str, Array] = {}  # that each value of a column brings
    for fact, worth in zip(rule.facts, rule.points, strict=True):
        column, holds = truths[names[max(fact, ~fact)]]
        points[column] = points.get(column, 0) + worth * (holds == (fact >= 0))
    columns = sorted(points)
    levels = [np.unique(points[column], return_inverse=True) for column in columns]
    total = np.zeros((), np.int64)
    for scores, _ in levels:
        total = np.add.outer(total, scores)
    table = total >= rule.threshold
    classes: list[tuple[str, bytes]] = []
    for axis, (column, (_, level)) in enumerate(zip(columns, levels, strict=True)):
        slices = np.moveaxis(table, axis, 0)  # more points decide for more: each lies within the next, in any writing
        is_new = np.append(True, (slices[1:] != slices[:-1]).reshape(len(slices) - 1, -1).any(axis=1))
        table = np.moveaxis(slices[is_new], 0, axis)
        if is_new.sum() > 1:
            classes.append((column, np.cumsum(is_new)[level.ravel()].tobytes()))
    return tuple(classes), table.tobytes()
