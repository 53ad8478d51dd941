"""Blocks on the disk of this machine, for rows that its memory does not hold even when they are packed.

They lie in one file, row after row, so that a row drawn at random is one place on the disk. The file has no name: it is
gone with the blocks, or with the process, whatever ends it.
"""

from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import Any

import numpy as np

from crystalogic.blocks.packed import Encoder, PackedBlock, PackedRows
from crystalogic.errors import TooLargeError
from crystalogic.parts import Part, Parts


def spilled_blocks(parts: Parts, encoder: Encoder, n_rows: int) -> list[PackedBlock]:
    """The blocks of all parts, read from the disk whenever they are asked for something."""
    record, lock = encoder.record, Lock()

    def written(part: Part) -> tuple[int, int]:
        block = encoder.block(part)
        rows = np.empty(block.n_rows, record)
        rows["bits"], rows["graded"] = block.rows.bits, block.rows.graded  # type: ignore[attr-defined]  # packed
        rows["target"], rows["weight"] = block.target[:, 0], block.weight
        try:
            with lock:  # parts may come from several threads
                _write(file, part.first_row * record.itemsize, rows.tobytes())
        except OSError as error:
            message = (
                f"no room in {gettempdir()} for {encoder.n_bytes(n_rows) / 2**30:.1f} GiB of encoded rows "
                f"({error.strerror}). Set TMPDIR to a folder with more room, or use a cluster."
            )
            raise TooLargeError(message) from None
        return part.first_row, block.n_rows

    with TemporaryFile(buffering=0) as file:  # a buffer would be written again, and fail again, on closing
        places = parts.each(written)
        file.truncate(n_rows * record.itemsize)
        stored = np.memmap(file, record, "r", shape=(n_rows,))
    return [_block(stored[first : first + n], encoder) for first, n in places]


def _write(file: Any, place: int, content: bytes) -> None:
    file.seek(place)
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


def _block(rows: Any, encoder: Encoder) -> PackedBlock:
    packed: Any = PackedRows(rows["bits"], rows["graded"], encoder.is_graded)
    return PackedBlock(packed, rows["target"][:, None], rows["weight"])
