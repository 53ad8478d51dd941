"""Where the restarts begin."""

from typing import Literal

from crystalogic.arrays import Array, np
from crystalogic.network import Shape

Start = Literal["literals", "uniform", "fan_in"]


def starting_parameters(start: Start, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Array:
    """The parameters (restarts × parameters) of `n_restarts` networks.

    `"literals"` gives every neuron a few literals and the bias of a random "at least k of them", so that it means
    something from the first step. `"uniform"` and `"fan_in"` are the paper's: weights U(±0.7) with biases
    U(0.2, 0.8), and weights U(±1/(2·fan-in)) with biases 1/2 and merge biases 0.
    """
    if start == "literals":
        return _literals(shape, n_restarts, generator)
    result = np.empty((n_restarts, shape.n_parameters))
    for layer in shape.layers:
        size = layer.n_inputs + 1
        limit = 0.7 if start == "uniform" else 1 / (2 * layer.n_inputs)
        block = generator.uniform(-limit, limit, (n_restarts, layer.n_outputs, size))
        biases = generator.uniform(0.2, 0.8, block.shape[:2])
        block[..., -1] = biases if start == "uniform" else 0.5
        result[:, layer.start : layer.merge] = block.reshape(n_restarts, -1)
        result[:, layer.merge : layer.stop] = 0
    return result


def _literals(shape: Shape, n_restarts: int, generator: np.random.Generator, n_literals: float = 3) -> Array:
    result = np.empty((n_restarts, shape.n_parameters))
    for layer in shape.layers:
        size = (n_restarts, layer.n_outputs, layer.n_inputs)
        is_literal = generator.random(size) < min(0.7, n_literals / layer.n_inputs)
        sign = generator.choice([-1.0, 1.0], size)
        # Just inside or outside T's threshold, so that a literal can still come or go.
        weights = sign * np.where(is_literal, generator.uniform(0.34, 0.6, size), generator.uniform(0, 0.33, size))
        n_negated, n_linked = (is_literal & (sign < 0)).sum(axis=-1), is_literal.sum(axis=-1)
        at_least = generator.integers(1, np.maximum(n_linked, 1) + 1)
        biases = n_negated - at_least + 1 + generator.uniform(-0.3, 0.3, at_least.shape)
        block = np.concatenate([weights, biases[..., None]], axis=-1)
        result[:, layer.start : layer.merge] = block.reshape(n_restarts, -1)
        if layer.is_residual:
            result[:, layer.merge : layer.stop] = generator.uniform(-1, 0, (n_restarts, layer.n_outputs))
    return result
