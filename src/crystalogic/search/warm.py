"""Kernels that are ready: compiled once on a machine, kept on disk by numba, and no part of anyone's time budget."""

from typing import Any

import numpy as np

from crystalogic.annealing import Annealing
from crystalogic.candidates import NOTHING
from crystalogic.progress import Clock
from crystalogic.search import lanes
from crystalogic.search.engine import FOLD, fill
from crystalogic.search.pool import Pool, make_rows
from crystalogic.search.recover import decompose, next_within

# What Python calls: each with one combination of types only, and each keeps the kernels that it calls itself.
ENTRIES: tuple[Any, ...] = (lanes.anneal, lanes.link, next_within)


def kernels_are_compiled() -> bool:
    """Whether a search can start at once, because this process or an earlier one has compiled every kernel.

    numba's index on disk has those of an earlier one, for this source, this numba and this processor.
    """
    try:
        new = [entry for entry in ENTRIES if not getattr(entry, "signatures", True)]
        kept = [(entry.targetctx.codegen().magic_tuple(), entry._cache._cache_file._load_index()) for entry in new]
    except AttributeError:  # a numba that keeps its index in another way: it will do its best
        return True
    return all(any(processor in key for key in index) for processor, index in kept)


def compile_kernels() -> None:
    """Compile every kernel that a search uses, by searching a few rows."""
    table = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    tiny = Annealing(max_literals=2, effort=0.001)
    fill(Pool(make_rows(table, table.min(axis=1), None, None, is_class=True), tiny, NOTHING), FOLD, 0, Clock())
    decompose(table.T, table.min(axis=1), 1, ("a", "b"), 2)
