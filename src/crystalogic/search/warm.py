"""Kernels that are ready: compiled once on a machine, kept on disk by numba, and no part of anyone's time budget."""

import numpy as np

from crystalogic.annealing import Annealing
from crystalogic.candidates.knowledge import NOTHING
from crystalogic.progress import Clock
from crystalogic.search.decompose import decompose
from crystalogic.search.engine import SHORT, fill
from crystalogic.search.table import make_rows


def compile_kernels() -> None:
    """Compile every kernel that a search uses, by searching a few rows."""
    table = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    tiny = Annealing(max_literals=2, effort=0.001)
    fill(make_rows(table, table.min(axis=1), None, None, is_class=True), tiny, NOTHING, SHORT, 0, Clock())
    decompose(table.T, table.min(axis=1), 1, ("a", "b"), 2)
