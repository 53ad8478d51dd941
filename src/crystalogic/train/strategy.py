"""Crystallization: representation error, the ternary map T, freezing, rounding, and the crystal they give.

    Δ(N) = Σ (w - ⌊w⌉)²                                          (Eq. 8)
    T(w) = sgn(w) · 1[|w| > θ], θ = 1/3                          (Eq. 11)

Freezing crystallizes a few parameters at a time: every `refit` steps those nearest to integers are rounded and held,
and the others go on learning what that cost. At the end weights are clamped to [-1,1] and rounded; biases are rounded
only. The paper's smooth map Υ and its schedule stand with its reproduction (`research/paper/smoothing.py`).

A strategy is frozen fields that begin a trainer, which the one loop advances step by step.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from crystalogic.arrays import Array, np
from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.network import Engines, Shape, Stage
from crystalogic.train.block import Block


def representation_error(parameters: Array) -> Array:
    """Δ(N), the squared distance to the nearest integers, summed over the last axis (Eq. 8)."""
    return np.asarray(((parameters - np.rint(parameters)) ** 2).sum(axis=-1))


def ternary(values: Array, threshold: float = 1 / 3) -> Array:
    """T, the sign of a weight larger than the threshold, else 0 (Eq. 11)."""
    return np.sign(values) * (np.abs(values) > threshold)


def freeze_nearest(parameters: Array, is_free: Array, n_free: int) -> None:
    """Rounds and holds the free parameters nearest to integers, in place, until `n_free` are free in each restart."""
    if (n_held := int(is_free[0].sum()) - n_free) <= 0:
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
    """
    if step < 0 or step % refit:
        return None
    n_rounds = -(-n_steps // refit)
    return int(np.ceil(n_parameters ** ((n_rounds - 1 - step // refit) / n_rounds) - 1e-9)) - 1


def to_lattice(shape: Shape, parameters: Array) -> Array:
    """The integers a float network crystallizes to."""
    return np.rint(np.where(shape.is_bias, parameters, np.clip(parameters, -1, 1)))


def to_crystal(shape: Shape, lattice: Array, names: Sequence[str]) -> Crystal:
    """The crystal with these integers; a merge neuron reads its inner neuron and the value before the block."""
    if lattice.shape != (shape.n_parameters,) or not (lattice == np.rint(lattice)).all():
        refuse(TrainingDataError, f"expected {shape.n_parameters} integers, got an array of the shape {lattice.shape}.")
    if len(names) != shape.n_inputs:
        refuse(TrainingDataError, f"the network has {shape.n_inputs} inputs, got {len(names)} names.")
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


N_LITERALS = 3  # of a neuron, on average


@dataclass(frozen=True)
class TrainingOutcome:
    """The best so far of every restart."""

    shadow: Array  # the floats as trained
    network: Array  # those the network computed with before the final rounding: others for straight-through only
    lattice: Array  # the integers after it
    peak: Array  # the floats when crystallization pressure began


def starting_parameters(shape: Shape, n_restarts: int, generator: np.random.Generator) -> Array:
    """Networks (restarts × parameters) whose neurons are "at least k" of a few literals, k and literals at random."""
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


class Trainer(ABC):
    """The state of all restarts of one run: the last loss of each, and who needs no more steps."""

    def __init__(
        self,
        fields: Any,
        block: Block,
        shape: Shape,
        n_restarts: int,
        generator: np.random.Generator,
        dtype: Any = np.float32,
        start: Callable[[Shape, int, np.random.Generator], Array] = starting_parameters,
    ) -> None:
        self.loss: Array = np.full(n_restarts, np.inf)
        self.is_finished: Array = np.zeros(n_restarts, bool)
        self.reached_tolerance: Array = np.zeros(n_restarts, bool)
        self._fields, self._shape, self._is_weight, self._generator = fields, shape, ~shape.is_bias, generator
        self._parameters = start(shape, n_restarts, generator).astype(dtype)
        self._draw: Callable[[], Block] = lambda: block.draw(fields.batch_rows, generator, dtype)  # rows of a step
        self._engines = Engines(shape, n_restarts, dtype, fields.leak)

    @abstractmethod
    def advance(self, step: int) -> None:
        """One step for every restart that is not finished."""

    @abstractmethod
    def outcome(self) -> TrainingOutcome:
        """The best so far; may be asked at any time."""


@dataclass(frozen=True)
class Strategy:
    """A way to train and crystallize: fields, and the trainer that they begin.

    Parameters:
        hidden: the widths of the hidden layers, and "residual" for a residual block.
        steps: how many steps at most.
        literal_cost: the loss that each literal costs; more gives shorter formulas.
        leak: the share of the gradient that passes a saturated ψ where it leads back into [0,1]; 0 is the true
            derivative.
        batch_rows: rows of one step when the table is longer.
    """

    hidden: tuple[Stage, ...]
    steps: int
    literal_cost: float = 0.002
    leak: float = 0.1
    batch_rows: int = 512
    trainer: ClassVar[Callable[..., Trainer]]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 1 if field.name in {"steps", "refit", "batch_rows", "patience"} else 0
            if isinstance(value, (int, float)) and not value >= least:
                what = f"The {field.name!r} parameter of {type(self).__name__}"
                refuse(TrainingDataError, f"{what} must be a number from {least}. Got {value} instead.")

    def begin(self, block: Block, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
        return self.trainer(self, block, shape, n_restarts, generator)


class FreezingTrainer(Trainer):
    """All restarts, crystallized a few parameters at a time."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._peak = self._parameters
        self._is_free = np.ones(self._parameters.shape, dtype=bool)

    def _freeze(self, step: int, n_steps: int) -> bool:
        """Whether parameters were held at this step of the freezing phase, which begins with step 0."""
        if step == 0:
            self._peak = self._parameters.copy()
        refit = self._fields.refit
        n_free = None if refit is None else n_free_after(step, n_steps, refit, self._shape.n_parameters)
        if n_free is None:
            return False
        freeze_nearest(self._parameters, self._is_free, n_free)
        return True

    def outcome(self) -> TrainingOutcome:
        kept = self._parameters
        return TrainingOutcome(kept, kept, to_lattice(self._shape, kept), kept if self._is_free.all() else self._peak)
