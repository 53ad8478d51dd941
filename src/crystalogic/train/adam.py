"""Adam for many restarts at once."""

from crystalogic.arrays import Array, np


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
        if max_norm < np.inf:
            norm = np.sqrt(np.cumsum(gradient**2, axis=1)[:, -1:])  # added one by one, whatever the processor
            gradient = gradient * np.where(norm > max_norm, max_norm / np.maximum(norm, max_norm), 1)
        mean, square, one = self._mean, self._square, parameters.dtype.type(1)
        beta1, beta2 = one * self._beta1, one * self._beta2
        mean *= beta1
        mean += (one - beta1) * gradient
        square *= beta2
        square += (one - beta2) * gradient * gradient
        first = one * (rate / (1 - self._beta1**self._count))
        second = one * (1 / (1 - self._beta2**self._count))
        parameters -= first * mean / (np.sqrt(square * second) + np.float64(1e-8))  # divided in double precision
