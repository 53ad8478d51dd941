"""Samples of a table in parts that do not depend on how it was cut.

Every row has a key, a hash of the seed and of its number. The sample of n rows of a class are those with the n least
keys, so that a smaller sample is the beginning of a larger one, and a row's key tells whether it was drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.encoding.survey import ColumnSurvey
from crystalogic.parts import Part, Parts, joined_parts, take_rows

EVEN = 1.01  # classes drawn at rates this close are drawn alike
LEAST = 4096  # rows of each class, where there are so many: a rare class is drawn more densely
FEWEST, MOST = 8192, 40_000  # rows of the sample: one half is learned from, the other judges
MOST_VALUES = 1 << 25  # of the sample as it came: fewer rows of a wide table
MOST_TRUTHS = 1 << 26  # of the sample as facts
MANY = 40  # facts of a column whose values are many


def keys_of(first_row: int, n: int, seed: int) -> Array:
    """The keys of rows with consecutive numbers, uniform in 0 … 2⁶⁴-1 (splitmix64)."""
    start = (seed * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) % 2**64
    x = np.arange(first_row, first_row + n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(start)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


@dataclass(frozen=True)
class Sample:
    """Rows drawn, in ascending order of their keys, with the codes of their classes (0 for truth degrees) and weights.

    `last` is the greatest key drawn of each class; `rate` says how many rows of its class a drawn row stands for.
    """

    rows: Any
    target: Array
    code: Array
    weight: Array | None
    key: Array
    last: Array
    rate: Array

    def holds(self, key: Array, code: Array) -> Array:
        """Which rows were drawn, by their keys and classes."""
        return np.asarray(key <= self.last[code])

    @property
    def table_weight(self) -> Array | None:
        """How many rows of the table each row stands for, times its weight; None where all are alike."""
        if self.rate.max() <= EVEN * self.rate.min():
            return self.weight
        return np.asarray(self.rate[self.code] * (1.0 if self.weight is None else self.weight))

    def take(self, indices: Array) -> "Sample":
        """Some of the rows as a sample of their own."""
        key, code = self.key[indices], self.code[indices]
        n_drawn, n_left = np.bincount(self.code, minlength=len(self.last)), np.bincount(code, minlength=len(self.last))
        last = np.array([key[code == index].max() for index in range(len(self.last))], np.uint64)
        weight = None if self.weight is None else self.weight[indices]
        rate = self.rate * (n_drawn / n_left)
        return Sample(take_rows(self.rows, indices), self.target[indices], code, weight, key, last, rate)

    def first(self, share: float) -> Array:
        """The indices of a smaller sample: this share of the rows of each class."""
        chosen = np.zeros(len(self.key), bool)
        for code in range(len(self.last)):
            here = np.flatnonzero(self.code == code)
            chosen[here[: ceil(share * len(here))]] = True
        return np.flatnonzero(chosen)


def size_of_sample(columns: Sequence[ColumnSurvey], n_rows: int, n_values: int) -> int:
    """How many rows are drawn; it follows from the table alone, so that the same table gives the same rule anywhere."""
    return rows_within(n_rows, n_values / n_rows, max(1, sum(map(_n_facts, columns))))


def rows_within(n_rows: int, values_a_row: float, n_facts: int) -> int:
    """How many rows of a table fit; a sparse one has fewer stored values a row than columns."""
    few = min(MOST_VALUES / max(1.0, values_a_row), MOST_TRUTHS / n_facts)
    return int(max(FEWEST, min(MOST, few, n_rows / 2)))


def _n_facts(column: ColumnSurvey) -> int:
    """About how many facts a column has: one for each value, where these are few."""
    return MANY if column.texts is None else min(MANY, len(column.texts))


def sizes_of(counts: Sequence[int], n: int) -> list[int]:
    """How many rows of each class to draw: its share of n, at least LEAST, and at most half of what there is."""
    total = sum(counts)
    return [min(max(round(n * count / total), LEAST), max(1, count // 2)) for count in counts]


def draw(parts: Parts, counts: Sequence[int], n: int, seed: int, classes: Array | None) -> Sample:
    """A sample of about n rows, stratified by class."""
    wanted = sizes_of(counts, n)
    bounds = [
        min(1.0, (size + 6 * size**0.5 + 20) / count) for size, count in zip(wanted, counts, strict=True)
    ]  # so many and a few more, of which the least are kept
    limits = np.array([min(2**64 - 1, int(bound * 2**64)) for bound in bounds], np.uint64)
    drawn, keys, all_codes = zip(*parts.each(partial(_draw, seed=seed, limits=limits, classes=classes)), strict=True)
    together, key, code = joined_parts(drawn), np.concatenate(keys), np.concatenate(all_codes)
    kept = np.zeros(len(key), bool)
    last, rate = np.zeros(len(counts), np.uint64), np.ones(len(counts))
    for index, size in enumerate(wanted):
        here = np.flatnonzero(code == index)
        least = here[np.argsort(key[here])[:size]]
        kept[least] = True
        last[index], rate[index] = key[least].max(), counts[index] / len(least)
    order = np.flatnonzero(kept)
    order = order[np.argsort(key[order])]
    sample = together.take(order)
    return Sample(sample.rows, sample.target, code[order], sample.weight, key[order], last, rate)


def _draw(part: Part, seed: int, limits: Array, classes: Array | None) -> tuple[Part, Array, Array]:
    """The rows of a part that may be in the sample, with their keys and classes."""
    key, code = keys_of(part.first_row, len(part), seed), codes_of(part.target, classes)
    chosen = np.flatnonzero(key <= limits[code])
    return part.take(chosen), key[chosen], code[chosen]


def codes_of(target: Array, classes: Array | None) -> Array:
    """The index of each row's class; 0 for truth degrees."""
    return np.zeros(len(target), np.int64) if classes is None else np.searchsorted(classes, target)
