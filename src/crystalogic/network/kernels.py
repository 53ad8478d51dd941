"""The element-wise passes of a step, each fused into one loop over memory.

The matrix products stay in BLAS. Every loop runs in one fixed order, so that a result never depends on threads.
"""

from typing import Any

from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


@njit(cache=True)
def clamp(total: Array, value: Array) -> None:
    """value ← ψ(total) (Eq. 6)."""
    for r in range(total.shape[0]):
        for j in range(total.shape[1]):
            for n in range(total.shape[2]):
                value[r, j, n] = min(max(total[r, j, n], 0), 1)


@njit(cache=True)
def merge(inner: Array, before: Array, bias: Array, total: Array, value: Array) -> None:
    """total ← inner + before + bias and value ← ψ(total): the merge neurons of a residual block (Eq. 5)."""
    for r in range(total.shape[0]):
        for j in range(total.shape[1]):
            for n in range(total.shape[2]):
                sum_ = inner[r, j, n] + before[r, j, n] + bias[r, j]
                total[r, j, n] = sum_
                value[r, j, n] = min(max(sum_, 0), 1)


@njit(cache=True)
def through_clamp(total: Array, gradient: Array, leak: float) -> None:
    """gradient ← gradient · ψ′(total), with ψ′ = 1 on all of [0,1].

    The ends belong to the slope: integer weights on Boolean rows put every sum on an integer, and a gradient that
    is zero there would never move. A saturated neuron passes `leak` times the gradient whose descent leads back
    into [0,1]: 0 is the true derivative, 1 the one-sided straight-through estimate.
    """
    for r in range(total.shape[0]):
        for j in range(total.shape[1]):
            for n in range(total.shape[2]):
                if total[r, j, n] < 0:
                    gradient[r, j, n] = leak * min(gradient[r, j, n], 0)
                elif total[r, j, n] > 1:
                    gradient[r, j, n] = leak * max(gradient[r, j, n], 0)
