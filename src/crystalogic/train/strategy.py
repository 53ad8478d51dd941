"""What a strategy is: frozen fields that begin a trainer, which the one loop advances step by step."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields

from crystalogic.arrays import Array, np
from crystalogic.errors import TrainingDataError
from crystalogic.network import Shape, Stage
from crystalogic.train.block import Block


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


class Trainer(ABC):
    """The state of all restarts of one run. `loss` is the last loss of each, `is_finished` who needs no more steps."""

    def __init__(self, n_restarts: int) -> None:
        self.loss: Array = np.full(n_restarts, np.inf)
        self.is_finished: Array = np.zeros(n_restarts, bool)
        self.reached_tolerance: Array = np.zeros(n_restarts, bool)

    @abstractmethod
    def advance(self, step: int) -> None:
        """One step for every restart that is not finished."""

    @abstractmethod
    def outcome(self) -> TrainingOutcome:
        """The best so far; may be asked at any time."""


@dataclass(frozen=True)
class Strategy(ABC):
    """A way to train and crystallize. Fields common to all: hidden stages, steps, and what each literal costs."""

    hidden: tuple[Stage, ...]
    steps: int
    literal_cost: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, (int, float)):
                continue
            least = 1 if field.name in {"steps", "refit", "batch_rows", "patience"} else 0
            if not value >= least:
                message = (
                    f"The {field.name!r} parameter of {type(self).__name__} must be a number from {least}. "
                    f"Got {value} instead."
                )
                raise TrainingDataError(message)

    @abstractmethod
    def begin(self, block: Block, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
