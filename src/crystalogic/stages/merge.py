"""Merge equal rows of a table in parts, exactly: a table of few different rows is small, however long it is."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.encoding import Encoding
from crystalogic.features import Features
from crystalogic.parts import Part, Parts
from crystalogic.search.table import content_order

Array = NDArray[Any]


@dataclass(frozen=True)
class Merged:
    """Different rows of truth values with their targets, how many rows each stands for, and what these weigh."""

    features: Features
    target: Array
    count: Array
    weight: Array

    @staticmethod
    def of(features: Features, target: Array, count: Array, weight: Array) -> "Merged":
        """Equal rows with equal targets as one."""
        _, codes = np.unique(target, return_inverse=True)
        order, is_new = content_order(features, codes)
        first = np.flatnonzero(is_new)
        kept = order[first]
        total, mass = np.add.reduceat(count[order], first), np.add.reduceat(weight[order], first)
        return Merged(features.take(kept), target[kept], total, mass)


def merged_parts(parts: Parts, encoding: Encoding, most: int) -> Merged | None:
    """The different rows of the whole table; None where there are more than `most`."""
    found = parts.fold(partial(_merge_part, encoding=encoding, most=most), partial(_join, most=most))
    return None if found is None or len(found.count) > most else found


def _merge_part(part: Part, encoding: Encoding, most: int) -> Merged | None:
    if not len(part):
        return None
    weight = np.ones(len(part)) if part.weight is None else part.weight
    features = encoding.features(part.rows, part.first_row)
    return _cap(Merged.of(features, part.target, np.ones(len(part), np.int64), weight), most)


def _join(one: Merged, other: Merged, most: int) -> Merged:
    joined = Merged.of(
        Features.join([one.features, other.features]),
        np.concatenate([one.target, other.target]),
        np.concatenate([one.count, other.count]),
        np.concatenate([one.weight, other.weight]),
    )
    return _cap(joined, most)


def _cap(merged: Merged, most: int) -> Merged:
    """The same rows; of too many, one too many, which stay too many whatever joins them."""
    if len(merged.count) <= most:
        return merged
    kept = np.arange(most + 1)
    return Merged(merged.features.take(kept), merged.target[kept], merged.count[kept], merged.weight[kept])
