"""What is asked of all rows, summed over their parts: the loss of every restart, its gradient, and how well it does."""

from dataclasses import dataclass

from crystalogic.arrays import Array, np
from crystalogic.network import Engines
from crystalogic.train.block import Block, Sums

PART_ROWS = 8192
BETA1, BETA2 = 0.9, 0.999  # how long Adam remembers


@dataclass(frozen=True)
class Score:
    """How well each restart does on the task, one number a restart.

    The loss is the weighted mean of the squared error. A row is right when every output lies on the target's side
    of 1/2.
    """

    loss: Array
    accuracy: Array
    is_constant: Array


def score(block: Block, engines: Engines, parameters: Array) -> Score:
    """Loss and accuracy of every restart (restarts × parameters)."""

    def count(part: Block) -> Sums:
        inputs, target, weight = part.columns(engines.dtype)
        output = engines.of(part.n_rows).forward(parameters, inputs)
        is_high = output >= 0.5
        is_wrong = (is_high != (target >= 0.5)).any(axis=1)
        return ((output - target) ** 2).mean(axis=1) @ weight, is_wrong @ weight, is_high.sum(axis=(1, 2))

    loss, wrong, n_high = block.total(count, engines.part_rows(PART_ROWS))
    return Score(loss, 1 - wrong, (n_high == 0) | (n_high == block.n_rows * block.n_outputs))


def loss_and_gradient(block: Block, engines: Engines, parameters: Array) -> tuple[Array, Array]:
    """The loss of every restart, and its derivative by the parameters (restarts × parameters)."""

    def differentiate(part: Block) -> Sums:
        inputs, target, weight = part.columns(engines.dtype)
        engine = engines.of(part.n_rows)
        error = engine.forward(parameters, inputs) - target
        gradient = engine.gradient(error * (weight * weight.dtype.type(2 / len(target))))
        return (error**2).mean(axis=1) @ weight, gradient

    loss, gradient = block.total(differentiate, engines.part_rows(PART_ROWS))
    return loss, gradient


class Adam:
    """Moments of the gradient of every restart, and the step they give.

    m ← β₁m + (1-β₁)g,  v ← β₂v + (1-β₂)g²,  w ← w - rate · m̂ / (√v̂ + ε).
    """

    def __init__(self, parameters: Array) -> None:
        self._mean, self._square, self._count = np.zeros_like(parameters), np.zeros_like(parameters), 0

    def step(self, parameters: Array, gradient: Array, rate: float, max_norm: float = np.inf) -> None:
        """Moves `parameters` in place; each restart's gradient is first shortened to `max_norm`."""
        self._count += 1
        if max_norm < np.inf:
            norm = np.sqrt(np.cumsum(gradient**2, axis=1)[:, -1:])  # added one by one, whatever the processor
            gradient = gradient * np.where(norm > max_norm, max_norm / np.maximum(norm, max_norm), 1)
        mean, square, one = self._mean, self._square, parameters.dtype.type(1)
        beta1, beta2 = one * BETA1, one * BETA2
        mean *= beta1
        mean += (one - beta1) * gradient
        square *= beta2
        square += (one - beta2) * gradient * gradient
        first = one * (rate / (1 - BETA1**self._count))
        second = one * (1 / (1 - BETA2**self._count))
        parameters -= first * mean / (np.sqrt(square * second) + np.float64(1e-8))  # divided in double precision
