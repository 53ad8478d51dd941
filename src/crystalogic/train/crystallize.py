"""Crystallization: representation error, the ternary map T, freezing, rounding, and the crystal they give.

    Δ(N) = Σ (w - ⌊w⌉)²                                          (Eq. 8)
    T(w) = sgn(w) · 1[|w| > θ], θ = 1/3                          (Eq. 11)

Freezing crystallizes a few parameters at a time: those nearest to integers are held, and the others go on learning. At
the end weights are clamped to [-1,1] and rounded; biases are rounded only. The paper's smooth map Υ and its schedule
stand with its reproduction (`research/paper/smoothing.py`).
"""

from collections.abc import Sequence

from crystalogic.arrays import Array, np
from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.network import Shape


def representation_error(parameters: Array) -> Array:
    """Δ(N), the squared distance to the nearest integers, summed over the last axis (Eq. 8).

    >>> float(representation_error(np.array([0.9, -2.0, 0.5])))
    0.26
    """
    return np.asarray(((parameters - np.rint(parameters)) ** 2).sum(axis=-1))


def ternary(values: Array, threshold: float = 1 / 3) -> Array:
    """T, the sign of a weight larger than the threshold, else 0 (Eq. 11).

    >>> ternary(np.array([0.3, 0.4, -2.0]))
    array([ 0.,  1., -1.])
    """
    return np.sign(values) * (np.abs(values) > threshold)


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


def to_lattice(shape: Shape, parameters: Array) -> Array:
    """The integers a float network crystallizes to."""
    return np.rint(np.where(shape.is_bias, parameters, np.clip(parameters, -1, 1)))


def to_crystal(shape: Shape, lattice: Array, names: Sequence[str]) -> Crystal:
    """The crystal with these integers; a merge neuron reads its inner neuron and the value before the block.

    >>> to_crystal(Shape(2, (1,)), np.array([1, 1, -1, 1, 0]), ["a", "b"]).run([1, 1])
    (Fraction(1, 1),)
    """
    are_integers = lattice.shape == (shape.n_parameters,) and bool((lattice == np.rint(lattice)).all())
    problems = {
        f"expected {shape.n_parameters} integers, got an array of the shape {lattice.shape}.": not are_integers,
        f"the network has {shape.n_inputs} inputs, got {len(names)} names.": len(names) != shape.n_inputs,
    }
    refuse_first(TrainingDataError, problems)
    values = lattice.astype(int).tolist()
    before = list(range(shape.n_inputs))
    neurons: list[Neuron] = []
    for layer in shape.layers:
        first, size = shape.n_inputs + len(neurons), layer.n_inputs + 1
        for start in range(layer.start, layer.merge, size):
            *weights, bias = values[start : start + size]
            neurons.append(Neuron(before, weights, bias))
        for output, bias in enumerate(values[layer.merge : layer.stop]):
            neurons.append(Neuron([first + output, before[output]], [1, 1], bias))
        before = list(range(shape.n_inputs + len(neurons) - layer.n_outputs, shape.n_inputs + len(neurons)))
    return Crystal(names, neurons, before)
