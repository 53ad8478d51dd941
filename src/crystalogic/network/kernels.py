"""The element-wise passes of a step, each fused into one loop over memory.

The matrix products stay in BLAS. Every loop runs in one fixed order, so that a result never depends on threads. The
constants have the type of the array: a bare 0 would lift single precision to double and halve the speed.
"""

from typing import Any

from numpy.typing import NDArray

from crystalogic.compiled import nb

Array = NDArray[Any]


@nb.njit(cache=True)
def clamp(total: Array, value: Array) -> None:
    """value ← ψ(total) (Eq. 6)."""
    zero, one = total.dtype.type(0), total.dtype.type(1)
    for r in range(total.shape[0]):
        for j in range(total.shape[1]):
            for n in range(total.shape[2]):
                x = total[r, j, n]
                x = x if x > zero else zero
                value[r, j, n] = x if x < one else one


@nb.njit(cache=True)
def merge(inner: Array, before: Array, bias: Array, total: Array, value: Array) -> None:
    """total ← inner + before + bias and value ← ψ(total): the merge neurons of a residual block (Eq. 5)."""
    zero, one = total.dtype.type(0), total.dtype.type(1)
    for r in range(total.shape[0]):
        for j in range(total.shape[1]):
            shift = bias[r, j]
            for n in range(total.shape[2]):
                x = inner[r, j, n] + before[r, j, n] + shift
                total[r, j, n] = x
                x = x if x > zero else zero
                value[r, j, n] = x if x < one else one


@nb.njit(cache=True)
def through_clamp(total: Array, gradient: Array, leak: float) -> None:
    """gradient ← gradient · ψ′(total), with ψ′ = 1 on all of [0,1].

    The ends belong to the slope: integer weights on Boolean rows put every sum on an integer, and a gradient that
    is zero there would never move. A saturated neuron passes `leak` times the gradient whose descent leads back
    into [0,1]: 0 is the true derivative, 1 the one-sided straight-through estimate.
    """
    zero, one = total.dtype.type(0), total.dtype.type(1)
    for r in range(total.shape[0]):
        for j in range(total.shape[1]):
            for n in range(total.shape[2]):
                x, g = total[r, j, n], gradient[r, j, n]
                up = leak * (g if g < zero else zero)
                down = leak * (g if g > zero else zero)
                g = up if x < zero else g
                gradient[r, j, n] = down if x > one else g
