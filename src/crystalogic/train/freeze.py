"""Crystallization a few parameters at a time: hold those nearest to integers, let the others go on learning."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def freeze_nearest(parameters: Array, is_free: Array, share: float) -> None:
    """Rounds in place, for every restart, this share of its free parameters (at least one), and marks them held.

    The share is of what is still free, so the last ones, which are the hardest, go one by one.

    >>> parameters, is_free = np.array([[0.9, 0.4, 0.2, -1.05]]), np.ones((1, 4), dtype=bool)
    >>> freeze_nearest(parameters, is_free, share=0.5)
    >>> parameters, is_free
    (array([[ 1. ,  0.4,  0.2, -1. ]]), array([[False,  True,  True, False]]))
    """
    n_free = int(is_free[0].sum())
    if n_free == 0:
        return
    distance = np.abs(parameters - np.rint(parameters))
    distance[~is_free] = np.inf
    held = np.argsort(distance, axis=1, kind="stable")[:, : max(1, round(share * n_free))]
    restarts = np.arange(len(parameters))[:, None]
    parameters[restarts, held] = np.rint(parameters[restarts, held])
    is_free[restarts, held] = False
