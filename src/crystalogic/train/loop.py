"""The one training loop: callbacks, a time budget and Ctrl-C, with the best so far kept whatever ends it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.arrays import np
from crystalogic.crystal import Crystal
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.network import Shape
from crystalogic.progress import Callback, Progress, Stop
from crystalogic.train.block import Block
from crystalogic.train.crystallize import n_literals, representation_error, to_crystal
from crystalogic.train.levenberg_marquardt import LevenbergMarquardt
from crystalogic.train.proximal import Proximal
from crystalogic.train.straight_through import StraightThrough
from crystalogic.train.strategy import Strategy, TrainingOutcome
from crystalogic.train.task import make_task, score

STRATEGIES: dict[str, type[Strategy]] = {
    "levenberg_marquardt": LevenbergMarquardt,
    "straight_through": StraightThrough,
    "proximal": Proximal,
}


@dataclass(frozen=True)
class RestartReport:
    """One restart: what rounding cost on the training rows, and the crystal it gave.

    `delta` is the representation error before rounding of the numbers the network computes with (after rounding it is
    always 0 and says nothing).
    """

    crystal: Crystal
    delta: float
    loss_before: float
    loss_after: float
    accuracy_before: float
    accuracy_after: float
    is_constant: bool
    n_literals: int


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
    """The strategy of this name.

    >>> strategy_named("proximal").steps
    2000
    """
    if name not in STRATEGIES:
        message = f"no training strategy {name!r}; there are {', '.join(STRATEGIES)}."
        raise TrainingDataError(message)
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
    stages are used. A strategy is named, or given with its own fields. A callback that returns
    True ends the run. The seed alone decides the result: the matrix products run on one thread, because a sum that is
    split over threads is not the same sum.

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
    are_alike = (shape.n_inputs, shape.n_outputs) == (n_inputs, n_outputs)
    problems = {
        f"the shape has {shape.n_inputs} inputs and {shape.n_outputs} outputs, "
        f"the data have {n_inputs} and {n_outputs}.": not are_alike,
        f"training needs at least one restart, got {restarts}.": restarts < 1,
    }
    refuse_first(TrainingDataError, problems)
    with threadpool_limits(limits=1, user_api="blas"):
        names = names or [f"x{index + 1}" for index in range(n_inputs)]
        return _run(shape, block, strategy, restarts, seed, names, callback, time_budget)


def _run(
    shape: Shape,
    block: Block,
    strategy: Strategy,
    restarts: int,
    seed: int,
    names: Sequence[str],
    callback: Callback | None,
    time_budget: float | None,
) -> TrainingRun:
    begin = time.perf_counter()
    trainer = strategy.begin(block, shape, restarts, np.random.default_rng(seed))
    stop, step = Stop.STEPS, 0
    try:
        for step in range(strategy.steps):
            trainer.advance(step)
            seconds = time.perf_counter() - begin
            if trainer.is_finished.all() and step + 1 < strategy.steps:
                stop = Stop.TOLERANCE if trainer.reached_tolerance.all() else Stop.PATIENCE
            elif time_budget is not None and seconds >= time_budget:
                stop = Stop.TIME
            if callback is not None:
                lowest = float(trainer.loss.min())
                if callback(Progress(step + 1, strategy.steps, "step", seconds, lowest)):
                    stop = Stop.CALLBACK
            if stop is not Stop.STEPS:
                break
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    outcome = trainer.outcome()
    runs = _reports(shape, block, outcome, names)
    return TrainingRun(shape, strategy, runs, stop, step + 1, time.perf_counter() - begin, outcome)


def _reports(shape: Shape, block: Block, outcome: TrainingOutcome, names: Sequence[str]) -> tuple[RestartReport, ...]:
    before, after = score(block, shape, outcome.network), score(block, shape, outcome.lattice)
    delta = representation_error(outcome.network.astype(np.float64))
    reports = []
    for index, lattice in enumerate(outcome.lattice):
        crystal = to_crystal(shape, lattice, names)
        reports.append(
            RestartReport(
                crystal=crystal,
                delta=float(delta[index]),
                loss_before=float(before.loss[index]),
                loss_after=float(after.loss[index]),
                accuracy_before=float(before.accuracy[index]),
                accuracy_after=float(after.accuracy[index]),
                is_constant=bool(after.is_constant[index]),
                n_literals=n_literals(crystal),
            )
        )
    return tuple(reports)
