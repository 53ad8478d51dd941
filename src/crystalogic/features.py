"""Columns of truth values, packed once: those that are 0 or 1 as bits, 64 rows in a word, the others as floats."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError, refuse, refuse_first

AT_ONCE = 256  # features unpacked together


@dataclass(frozen=True)
class Features:
    """Columns of truth values with their names: `place` is a column's index among the bits, or ~index in `graded`."""

    names: tuple[str, ...]
    n_rows: int
    place: Array
    bits: Array
    graded: Array

    @staticmethod
    def of(columns: Iterable[Any], names: Sequence[str], n_rows: int) -> "Features":
        """Columns packed one after the other, or a TrainingDataError that says which value is no truth value."""
        place, bits, graded = list[int](), list[Array](), list[Array]()
        for name, given in zip(names, columns, strict=True):
            column = np.asarray(given)
            if column.dtype != bool:
                if len(wrong := np.flatnonzero(~((column >= 0) & (column <= 1)))):
                    what = f"row {wrong[0]}: {name!r} is {float(column[wrong[0]])!r}"
                    expected = "expected a truth value between 0 and 1. Encode the columns first."
                    refuse(TrainingDataError, f"{what}, {expected}")
                if ((column != 0) & (column != 1)).any():
                    place.append(~len(graded))
                    graded.append(column.astype(np.float32))
                    continue
            place.append(len(bits))
            bits.append(pack(column[None] != 0)[0])
        words = np.array(bits, np.uint64).reshape(len(bits), max(1, -(-n_rows // 64)))
        floats = np.array(graded, np.float32).reshape(len(graded), n_rows)
        return Features(tuple(names), n_rows, np.array(place, np.int64), words, floats)

    @staticmethod
    def of_rows(X: Any, names: Sequence[str] | None) -> "Features":
        """An array of rows × features, packed."""
        table = np.asarray(X)
        message = f"expected a table of rows × features with at least one of each, got the shape {table.shape}."
        refuse_first(TrainingDataError, {message: table.ndim != 2 or 0 in table.shape})
        names = tuple(names) if names is not None else tuple(f"x{i + 1}" for i in range(table.shape[1]))
        message = f"{table.shape[1]} features need as many different names, got {len(names)}: {', '.join(names)}."
        refuse_first(TrainingDataError, {message: not table.shape[1] == len(names) == len(set(names))})
        return Features.of(table.T, names, len(table))

    def column(self, index: int) -> Array:
        """One column: truth values that are 0 or 1 as such, others as floats."""
        place = self.place[index]
        return unpack(self.bits[[place]], self.n_rows)[0].view(bool) if place >= 0 else np.asarray(self.graded[~place])

    def __len__(self) -> int:
        return len(self.place)

    def dense(self, indices: Sequence[int] | Array, one: float = 1.0) -> Array:
        """These columns (features × rows) as floats, times `one`; truth values of Sₙ as integers."""
        place = self.place[indices]
        result = np.empty((len(place), self.n_rows), np.float32)
        is_bits = place >= 0
        result[is_bits] = unpack(self.bits[place[is_bits]], self.n_rows)
        result[~is_bits] = self.graded[~place[~is_bits]]
        return np.rint(result * np.float32(one)) if one > 1 else result

    def shares(self, weight: Array | None = None) -> Array:
        """The mean of each column, where rows weigh so much."""
        parts = (np.arange(i, min(i + AT_ONCE, len(self))) for i in range(0, len(self), AT_ONCE))
        if weight is None:
            return np.concatenate([self.dense(part).mean(axis=1, dtype=np.float64) for part in parts])
        return np.asarray(np.concatenate([self.dense(part) @ weight for part in parts]) / weight.sum())

    def only(self, names: Sequence[str]) -> "Features":
        """The columns with these names alone."""
        known = {name: index for index, name in enumerate(self.names)}
        place, names = self.place[[known[name] for name in names]], tuple(names)
        is_bits = place >= 0
        moved = np.where(is_bits, np.cumsum(is_bits) - 1, ~(np.cumsum(~is_bits) - 1))
        return Features(names, self.n_rows, moved, self.bits[place[is_bits]], self.graded[~place[~is_bits]])

    def row_blocks(self, n_values: int = 1 << 22) -> Iterator[Array]:
        """The table as blocks of rows × features, each of so many values."""
        size = max(64, n_values // max(1, len(self)))
        for first in range(0, self.n_rows, size):
            yield self.take(np.arange(first, min(first + size, self.n_rows))).dense(np.arange(len(self))).T

    def take(self, rows: Array) -> "Features":
        """The same columns with only these rows."""
        bits = np.empty((len(self.bits), max(1, -(-len(rows) // 64))), np.uint64)
        for first in range(0, len(bits), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            bits[part] = pack(unpack(self.bits[part], self.n_rows)[:, rows])
        graded = self.graded[:, rows] if len(self.graded) else np.empty((0, len(rows)), np.float32)
        return replace(self, n_rows=len(rows), bits=bits, graded=graded)


def pack(values: Array) -> Array:
    """Truth values (features × rows) as bits, 64 rows in a word."""
    padded = np.zeros((len(values), 64 * max(1, -(-values.shape[1] // 64))), bool)
    padded[:, : values.shape[1]] = values
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def unpack(bits: Array, n_rows: int) -> Array:
    """Bits as truth values (features × rows) again, each a byte."""
    return np.unpackbits(bits.view(np.uint8), axis=1, count=n_rows, bitorder="little")
