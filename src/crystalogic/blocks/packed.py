"""Encoded rows in little memory: eight Boolean truth values in a byte, the others in single precision."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.encoding import Encoding
from crystalogic.parts import Part
from crystalogic.stages.sample import codes_of
from crystalogic.train import Block

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class PackedRows:
    """Rows × inputs, read like an array: whatever is taken out of it is one."""

    bits: Array  # rows × bytes
    graded: Array  # rows × the inputs that are not Boolean
    is_graded: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and inputs."""
        return len(self.bits), len(self.is_graded)

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        return self.bits.nbytes + self.graded.nbytes

    def __len__(self) -> int:
        return len(self.bits)

    def __getitem__(self, places: Array | slice) -> Array:
        bits = self.bits[places]
        n_bits = int((~self.is_graded).sum())
        boolean = np.unpackbits(bits, axis=1, count=n_bits) if n_bits else np.empty((len(bits), 0), np.uint8)
        if n_bits == len(self.is_graded):
            return boolean
        result = np.empty((len(bits), len(self.is_graded)), np.float32)
        result[:, ~self.is_graded] = boolean
        result[:, self.is_graded] = self.graded[places]
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)


class PackedBlock(Block):
    """A block whose rows stay packed: what computes on it sees parts, unpacked for the moment."""

    def parts(self, n_rows: int) -> Iterator[Block]:
        """The block in parts of so many rows, the last with the rest."""
        return (self.at(slice(start, start + n_rows)) for start in range(0, self.n_rows, n_rows))

    def __sizeof__(self) -> int:  # by which Dask knows when to move blocks to the disk
        return int(self.rows.nbytes + self.target.nbytes + self.weight.nbytes)


@dataclass(frozen=True)
class Encoder:
    """How a part of a table becomes a block: its encoding, its classes (None: truth degrees), what each class weighs.

    The weights are such that those of all rows sum to 1.
    """

    encoding: Encoding
    classes: Array | None
    class_weight: Array

    @property
    def is_graded(self) -> Array:
        """Which truth values are not Boolean."""
        return np.array([not literal.is_boolean for literal in self.encoding.literals.values()])

    @property
    def record(self) -> np.dtype[Any]:
        """A row, encoded."""
        n_graded = int(self.is_graded.sum())
        n_bytes = -(-(len(self.is_graded) - n_graded) // 8)
        target = np.float64 if self.classes is None else np.uint8
        return np.dtype(
            [
                ("bits", np.uint8, (n_bytes,)),
                ("graded", np.float32, (n_graded,)),
                ("target", target),
                ("weight", np.float64),
            ]
        )

    def n_bytes(self, n_rows: int) -> int:
        """The memory of so many rows, encoded."""
        return n_rows * self.record.itemsize

    def block(self, part: Part) -> PackedBlock:
        """The rows of a part that weigh something."""
        code, record = codes_of(part.target, self.classes), self.record
        weight = self.class_weight[code] * (1.0 if part.weight is None else part.weight)
        target = (part.target if self.classes is None else code).astype(record["target"])
        rows, kept = self._packed(part), weight > 0
        if not kept.all():
            rows = PackedRows(rows.bits[kept], rows.graded[kept], rows.is_graded)
        return PackedBlock(rows, target[kept, None], weight[kept])  # type: ignore[arg-type]  # read like an array

    def _packed(self, part: Part) -> PackedRows:
        record = self.record
        bits = np.zeros((len(part), *record["bits"].shape), np.uint8, order="F")
        graded = np.empty((len(part), *record["graded"].shape), np.float32, order="F")
        n_bits = n_graded = 0
        truths = self.encoding.truths(part.rows, first_row=part.first_row) if len(part) else ()
        for name, truth in truths:
            if self.encoding.literals[name].is_boolean:
                bits[:, n_bits // 8] |= truth.astype(np.uint8) << np.uint8(7 - n_bits % 8)
                n_bits += 1
            else:
                graded[:, n_graded] = truth
                n_graded += 1
        return PackedRows(np.ascontiguousarray(bits), np.ascontiguousarray(graded), self.is_graded)
