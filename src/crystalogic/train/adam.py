"""Adam for many restarts at once, one fused pass over memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.compiled import nb

Array = NDArray[Any]


class Adam:
    """Moments of the gradient of every restart, and the step they give.

    m ← β₁m + (1-β₁)g,  v ← β₂v + (1-β₂)g²,  w ← w - rate · m̂ / (√v̂ + ε).
    """

    def __init__(self, parameters: Array, beta1: float = 0.9, beta2: float = 0.999) -> None:
        self._mean, self._square = np.zeros_like(parameters), np.zeros_like(parameters)
        self._beta1, self._beta2, self._count = beta1, beta2, 0

    def step(self, parameters: Array, gradient: Array, rate: float, max_norm: float = np.inf) -> None:
        """Moves `parameters` in place; each restart's gradient is first shortened to `max_norm`."""
        self._count += 1
        _step(
            parameters,
            gradient,
            self._mean,
            self._square,
            parameters.dtype.type(self._beta1),
            parameters.dtype.type(self._beta2),
            parameters.dtype.type(rate / (1 - self._beta1**self._count)),
            parameters.dtype.type(1 / (1 - self._beta2**self._count)),
            parameters.dtype.type(max_norm),
        )


@nb.njit(cache=True)
def _step(
    parameters: Array,
    gradient: Array,
    mean: Array,
    square: Array,
    beta1: float,
    beta2: float,
    rate: float,
    correction: float,
    max_norm: float,
) -> None:
    one = beta1 / beta1
    for r in range(parameters.shape[0]):
        norm = one - one
        for k in range(parameters.shape[1]):
            norm += gradient[r, k] * gradient[r, k]
        norm = np.sqrt(norm)
        scale = max_norm / norm if norm > max_norm else one
        for k in range(parameters.shape[1]):
            g = gradient[r, k] * scale
            mean[r, k] = beta1 * mean[r, k] + (one - beta1) * g
            square[r, k] = beta2 * square[r, k] + (one - beta2) * g * g
            parameters[r, k] -= rate * mean[r, k] / (np.sqrt(square[r, k] * correction) + 1e-8)
