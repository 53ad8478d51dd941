"""Crystallization a few parameters at a time: hold those nearest to integers, let the others go on learning."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def freeze_nearest(parameters: Array, is_free: Array, n_free: int) -> None:
    """Rounds in place the free parameters nearest to integers and holds them, until `n_free` are free in each restart.

    >>> parameters, is_free = np.array([[0.9, 0.4, 0.2, -1.05]]), np.ones((1, 4), dtype=bool)
    >>> freeze_nearest(parameters, is_free, n_free=2)
    >>> parameters, is_free
    (array([[ 1. ,  0.4,  0.2, -1. ]]), array([[False,  True,  True, False]]))
    """
    n_held = int(is_free[0].sum()) - n_free
    if n_held <= 0:
        return
    distance = np.abs(parameters - np.rint(parameters))
    distance[~is_free] = np.inf
    held = np.argsort(distance, axis=1, kind="stable")[:, :n_held]
    restarts = np.arange(len(parameters))[:, None]
    parameters[restarts, held] = np.rint(parameters[restarts, held])
    is_free[restarts, held] = False


def n_free_after(step: int, n_steps: int, refit: int, n_parameters: int) -> int | None:
    """How many parameters stay free after the round at this step of a freezing phase; None between rounds.

    There is a round every `refit` steps. The number falls by one factor from round to round, so that the last
    parameters, which are the hardest, go nearly one by one, and reaches 0 in the last round.

    >>> [n_free_after(step, 12, 3, 81) for step in (0, 1, 3, 6, 9)]
    [26, None, 8, 2, 0]
    """
    if step < 0 or step % refit:
        return None
    n_rounds = -(-n_steps // refit)
    left = n_rounds - 1 - step // refit
    return int(np.ceil(n_parameters ** (left / n_rounds) - 1e-9)) - 1
