"""What a strategy is: frozen fields that begin a trainer, which the one loop advances step by step; where it begins."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.network import Engines, Shape, Stage
from crystalogic.train.block import Batches, Block
from crystalogic.train.crystallize import freeze_nearest, n_free_after, to_lattice

N_LITERALS = 3  # of a neuron, on average


@dataclass(frozen=True)
class TrainingOutcome:
    """The best so far of every restart.

    `shadow` are the floats as trained, `network` those the network computed with before the final rounding (the two
    differ for straight-through only), `lattice` the integers after it, and `peak` the floats when crystallization
    pressure began.
    """

    shadow: Array
    network: Array
    lattice: Array
    peak: Array


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


class Trainer(ABC):
    """The state of all restarts of one run. `loss` is the last loss of each, `is_finished` who needs no more steps.

    `start` draws where they begin.
    """

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
        self._fields, self._shape, self._is_weight = fields, shape, ~shape.is_bias
        self._parameters = start(shape, n_restarts, generator).astype(dtype)
        self._batches = Batches(block, fields.batch_rows, generator, dtype)
        self._engines = Engines(shape, n_restarts, dtype, getattr(fields, "leak", 0.0))

    @abstractmethod
    def advance(self, step: int) -> None:
        """One step for every restart that is not finished."""

    @abstractmethod
    def outcome(self) -> TrainingOutcome:
        """The best so far; may be asked at any time."""


@dataclass(frozen=True)
class Strategy:
    """A way to train and crystallize. Fields common to all: hidden stages, steps, and what each literal costs."""

    hidden: tuple[Stage, ...]
    steps: int
    literal_cost: float
    trainer: ClassVar[Callable[..., Trainer]]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, (int, float)):
                continue
            least = 1 if field.name in {"steps", "refit", "batch_rows", "patience"} else 0
            if not value >= least:
                what = f"The {field.name!r} parameter of {type(self).__name__}"
                refuse(TrainingDataError, f"{what} must be a number from {least}. Got {value} instead.")

    def begin(self, block: Block, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
        return self.trainer(self, block, shape, n_restarts, generator)


class FreezingTrainer(Trainer):
    """All restarts, crystallized a few parameters at a time: those nearest to integers are held, others learn on."""

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
        peak = kept if self._is_free.all() else self._peak
        return TrainingOutcome(kept, kept, to_lattice(self._shape, kept), peak)
