"""Training and crystallization: three strategies, and one loop that keeps the best so far whatever ends it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.arrays import np
from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError, refuse
from crystalogic.network import Engines, Shape
from crystalogic.progress import Callback, Clock, Stop
from crystalogic.train.block import Block, make_task, score
from crystalogic.train.levenberg_marquardt import LevenbergMarquardt as LevenbergMarquardt
from crystalogic.train.proximal import Proximal as Proximal
from crystalogic.train.straight_through import StraightThrough as StraightThrough
from crystalogic.train.strategy import Strategy as Strategy
from crystalogic.train.strategy import Trainer, TrainingOutcome, representation_error, to_crystal

STRATEGIES: dict[str, type[Strategy]] = {
    "levenberg_marquardt": LevenbergMarquardt,
    "straight_through": StraightThrough,
    "proximal": Proximal,
}


@dataclass(frozen=True)
class RestartReport:
    """One restart: its crystal, and what rounding cost on the training rows; `delta` is the distance to integers."""

    crystal: Crystal
    delta: float
    loss_before: float
    loss_after: float
    accuracy_before: float
    accuracy_after: float
    is_constant: bool

    @property
    def n_literals(self) -> int:
        """How many links the live neurons have: the size of the formula before any simplification."""
        return sum(len(self.crystal.neurons[index].sources) for index in self.crystal.live)


@dataclass(frozen=True)
class TrainingRun:
    """All restarts of one run; the best was chosen on the training rows alone. `outcome` holds their numbers."""

    shape: Shape
    strategy: Strategy
    runs: tuple[RestartReport, ...]
    stop: Stop
    n_steps: int
    seconds: float
    outcome: TrainingOutcome = field(repr=False, compare=False)

    @cached_property
    def best(self) -> RestartReport:
        """The restart with the lowest loss after rounding, each literal costing what the strategy says."""
        return min(self.runs, key=lambda run: run.loss_after + self.strategy.literal_cost * run.n_literals)

    @property
    def crystal(self) -> Crystal:
        return self.best.crystal


def strategy_named(name: str) -> Strategy:
    """The strategy of this name."""
    if name not in STRATEGIES:
        refuse(TrainingDataError, f"no training strategy {name!r}; there are {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]()  # type: ignore[call-arg]


def train(
    shape: Shape | None,
    X: ArrayLike,
    y: ArrayLike,
    strategy: Strategy | str = "straight_through",
    *,
    restarts: int = 32,
    seed: int = 0,
    sample_weight: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    callback: Callback | None = None,
    time_budget: float | None = None,
) -> TrainingRun:
    """Trains `restarts` networks together, crystallizes each and reports them all.

    `X` is rows × inputs with truth values in [0,1], `y` the targets in [0,1]. Without a shape the strategy's own hidden
    stages are used. A strategy is named, or given with its own fields. A callback that returns True ends the run. The
    seed alone decides the result: matrix products run on one thread, for a sum split over threads is another sum.

    >>> rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> run = train(None, rows, [0, 0, 0, 1], "levenberg_marquardt", restarts=4)
    >>> [int(run.crystal.run(row)[0]) for row in rows]
    [0, 0, 0, 1]
    """
    from threadpoolctl import threadpool_limits

    strategy = strategy_named(strategy) if isinstance(strategy, str) else strategy
    block = make_task(X, y, sample_weight)
    n_inputs, n_outputs = block.n_inputs, block.n_outputs
    shape = shape or Shape(n_inputs, strategy.hidden, n_outputs)
    if (shape.n_inputs, shape.n_outputs) != (n_inputs, n_outputs):
        problem = f"the shape has {shape.n_inputs} inputs and {shape.n_outputs} outputs,"
        refuse(TrainingDataError, f"{problem} the data have {n_inputs} and {n_outputs}.")
    if restarts < 1:
        refuse(TrainingDataError, f"training needs at least one restart, got {restarts}.")
    names, clock = names or [f"x{index + 1}" for index in range(n_inputs)], Clock(time_budget, callback)
    with threadpool_limits(limits=1, user_api="blas"):
        trainer = strategy.begin(block, shape, restarts, np.random.default_rng(seed))
        stop = _advance(trainer, strategy.steps, clock)
        outcome = trainer.outcome()
        runs = _reports(shape, block, outcome, names)
    return TrainingRun(shape, strategy, runs, stop, clock.done, clock.seconds, outcome)


def _advance(trainer: Trainer, n_steps: int, clock: Clock) -> Stop:
    """Step by step, until the steps are taken or something ends the run, which is what it gives."""
    clock.total = n_steps
    with clock.part():
        for step in range(n_steps):
            trainer.advance(step)
            clock.tick("step", float(trainer.loss.min()))
            if clock.is_over() or trainer.is_finished.all():
                break
    if clock.stop is not None or clock.done == n_steps:
        return clock.stop or Stop.STEPS
    return Stop.TOLERANCE if trainer.reached_tolerance.all() else Stop.PATIENCE


def _reports(shape: Shape, block: Block, outcome: TrainingOutcome, names: Sequence[str]) -> tuple[RestartReport, ...]:
    network, lattice = outcome.network.astype(np.float64), outcome.lattice.astype(np.float64)
    engines = Engines(shape, len(network), np.float64)
    before, after = score(block, engines, network), score(block, engines, lattice)
    losses, accuracies = (before.loss, after.loss), (before.accuracy, after.accuracy)
    figures = zip(representation_error(network), *losses, *accuracies, after.is_constant, strict=True)
    pairs = zip((to_crystal(shape, each, names) for each in lattice), figures, strict=True)
    return tuple(RestartReport(crystal, *(each.item() for each in row)) for crystal, row in pairs)
