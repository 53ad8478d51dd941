"""Where the restarts begin."""

from collections.abc import Callable

from crystalogic.arrays import Array, np
from crystalogic.network import Shape

Start = Callable[[Shape, int, np.random.Generator], Array]
N_LITERALS = 3  # of a neuron, on average


def starting_parameters(shape: Shape, n_restarts: int, generator: np.random.Generator) -> Array:
    """The parameters (restarts × parameters) of networks whose neurons mean something from the first step.

    Every neuron has a few literals and the bias of a random "at least k of them".
    """
    result = np.empty((n_restarts, shape.n_parameters))
    for layer in shape.layers:
        size = (n_restarts, layer.n_outputs, layer.n_inputs)
        is_literal = generator.random(size) < min(0.7, N_LITERALS / layer.n_inputs)
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
