"""Engines for parts of a table: one for each number of rows that is met, with its buffers kept for the next part."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from crystalogic.network.engine import Engine
from crystalogic.network.shape import Shape

MOST_BYTES = 2**27  # of the buffers for one part


class Engines:
    """Engines for `n_restarts` networks of one shape.

    >>> engines = Engines(Shape(2, (3,)), n_restarts=4)
    >>> engines.of(100) is engines.of(100)
    True
    """

    def __init__(self, shape: Shape, n_restarts: int, dtype: Any = np.float32, leak: float = 0.0) -> None:
        self.shape, self.n_restarts, self.dtype, self.leak = shape, n_restarts, dtype, leak
        # a batch, a whole part and the rest of the rows
        self.of: Callable[[int], Engine] = lru_cache(3)(partial(Engine, shape, n_restarts, dtype=dtype, leak=leak))

    def n_bytes(self, n_rows: int) -> int:
        """The memory of one engine, of the table as it reads it and of the errors of all restarts."""
        itemsize = int(np.dtype(self.dtype).itemsize)
        table = self.shape.n_inputs + 1 + self.shape.n_outputs
        errors = 3 * self.n_restarts * self.shape.n_outputs
        return Engine.n_bytes(self.shape, self.n_restarts, n_rows, itemsize) + itemsize * n_rows * (table + errors)

    def part_rows(self, most: int, more_bytes: int = 0) -> int:
        """How many rows a part has: at most `most`, and fewer where `MOST_BYTES` do not hold them.

        `more_bytes` is what a row needs beside the engine.
        """
        return max(1, min(most, MOST_BYTES // (self.n_bytes(1) - self.n_bytes(0) + more_bytes)))
