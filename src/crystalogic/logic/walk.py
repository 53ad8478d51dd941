"""Walks over formulas: loops over `subformulas`, which does not recurse, so that depth is bounded by memory only."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from crystalogic.logic.formula import Formula

T = TypeVar("T")


def subformulas(*roots: "Formula") -> "list[Formula]":
    """Every node once, parts before the nodes that use them, from left to right."""
    order: dict[Formula, None] = {}
    pending: list[tuple[Formula, bool]] = [(root, False) for root in reversed(roots)]
    while pending:
        node, parts_done = pending.pop()
        if node in order:
            continue
        if parts_done or not node.parts:
            order[node] = None
        else:
            pending.append((node, True))
            pending += [(part, False) for part in reversed(node.parts) if part not in order]
    return list(order)


def fold(formula: "Formula", step: "Callable[[Formula, list[T]], T]") -> T:
    """The value at the root when each node's value is `step(node, values of its parts)`, each node once."""
    values: dict[Formula, T] = {}
    for node in subformulas(formula):
        values[node] = step(node, [values[part] for part in node.parts])
    return values[formula]


def substitute(formula: "Formula", replacements: "Mapping[Formula, Formula]") -> "Formula":
    """The formula with nodes replaced."""

    def step(node: "Formula", parts: "list[Formula]") -> "Formula":
        if node in replacements:
            return replacements[node]
        return node if tuple(parts) == node.parts else node.with_parts(parts)

    return fold(formula, step)


def written(node: "Formula", *, points: bool = True) -> "list[tuple[Formula, int]]":
    """The parts as they are written, with their points: in at least k of (…) equal parts in a row are one."""
    if points and node.is_counting:
        return [(part, len(list(equal))) for part, equal in groupby(node.parts)]
    return [(part, 1) for part in node.parts]


def sum_written(node: "Formula", counts: Iterable[int], *, points: bool = True) -> int:
    """The sum of the counts of the parts, each as often as it is written."""
    own = dict(zip(node.parts, counts, strict=True))
    return sum(own[part] for part, _ in written(node, points=points))


def is_longer(formula: "Formula", most: int) -> bool:
    """Whether the tree has more variables and constants than this; counted no further, for trees can be huge."""
    return fold(formula, lambda node, counts: min(sum_written(node, counts) if counts else 1, most + 1)) > most
