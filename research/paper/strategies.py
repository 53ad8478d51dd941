"""The paper's three strategies as it ran them; `crystalogic.train` has ours, which share their parts.

Levenberg–Marquardt applies Υ₂ after every accepted step. Straight-through smooths its shadow weights along a schedule.
Proximal has a first phase with the error alone; in the second both penalties of

    L = MSE + λₛ Σ|w| + λₐ Σ P(w),   P(w) = w²(1-w²)            (Eq. 13)

grow linearly, and the last steps have them tenfold. The ℓ₁ part is also a proximal step, the soft threshold
w ← sgn(w)·max(|w| - τ, 0). Weights stay in [-1,1], because P is unbounded below outside. All end at a tolerance, or
when patience is over, and finish with a schedule of Υ.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.network import Engines, Shape, Stage
from crystalogic.train import StraightThrough, Strategy
from crystalogic.train import block as passes
from crystalogic.train.block import Block
from crystalogic.train.levenberg_marquardt import (
    LEAST_DAMPING,
    MOST_DAMPING,
    Point,
    damped_step,
    normal_equations,
    solve,
    squared_error,
)
from crystalogic.train.straight_through import StraightThroughTrainer
from crystalogic.train.strategy import Trainer, TrainingOutcome
from research.paper.smoothing import PaperStart, Schedule, finish, paper_start, schedule_exponent, smooth

Array = NDArray[Any]


@dataclass(frozen=True)
class PaperLevenbergMarquardt(Strategy):
    """Levenberg–Marquardt with Υ₂ after every accepted step."""

    hidden: tuple[Stage, ...] = (4, "residual")
    steps: int = 500
    leak: float = 0.0
    literal_cost: float = 0.0
    first_damping: float = 0.1
    start: PaperStart = "fan_in"
    batch_rows: int = 512
    finish: Schedule = "paper"
    tolerance: float = 0.10
    patience: int | None = 90

    def begin(self, block: Block, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
        return _LevenbergTrainer(self, block, shape, n_restarts, generator)


@dataclass(frozen=True)
class PaperStraightThrough(StraightThrough):
    """Straight-through estimation with the paper's schedule."""

    hidden: tuple[Stage, ...] = (8, 4)
    steps: int = 5000
    leak: float = 0.0
    literal_cost: float = 0.0
    start: PaperStart = "uniform"
    batch_rows: int = 10**9
    smooth_share: float = 0.15
    finish: Schedule = "paper"
    tolerance: float = 0.10
    patience: int | None = 250

    def begin(self, block: Block, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
        return _StraightThroughTrainer(self, block, shape, n_restarts, generator)


@dataclass(frozen=True)
class PaperProximal(Strategy):
    """Two-phase Adam with sparsity and the potential P."""

    hidden: tuple[Stage, ...] = (4, 4)
    steps: int = 5000
    rate: float = 0.02
    leak: float = 0.0
    first_phase: float = 0.65
    attraction_cost: float = 0.05
    literal_cost: float = 1e-4
    soft_threshold: float = 2e-4
    final_steps: int = 200
    final_factor: float = 10.0
    start: PaperStart = "fan_in"
    batch_rows: int = 10**9
    finish: Schedule = "paper"
    tolerance: float = 0.10
    patience_share: float | None = 0.1

    def begin(self, block: Block, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
        return _ProximalTrainer(self, block, shape, n_restarts, generator)


class Patience:
    """Counts the steps since each restart last improved by more than a hair."""

    def __init__(self, n_restarts: int, limit: int | None) -> None:
        self._limit = limit
        self._lowest: Array = np.full(n_restarts, np.inf)
        self._waited: Array = np.zeros(n_restarts, dtype=np.int64)

    def is_over(self, loss: Array) -> Array:
        """Who has waited longer than the limit; an infinite loss does not count, and no limit means nobody."""
        is_better = loss < self._lowest - 1e-6
        self._lowest[is_better] = loss[is_better]
        self._waited = np.where(is_better | np.isinf(loss), 0, self._waited + 1)
        return np.asarray(self._waited >= self._limit if self._limit else np.zeros(len(loss), bool))


def marquardt_move(block: Block, engines: Engines, point: Point, damping: Array) -> Array:
    """Δw of every restart with Marquardt's damping D = μ·diag(JᵀJ), which diverges near zero weights."""
    _, system, right = normal_equations(block, engines, point)
    index = np.arange(engines.shape.n_parameters)
    system[:, index, index] += damping[:, None] * np.maximum(system[:, index, index], 1e-12)
    return np.asarray(-solve(system, right[:, :, None])[:, :, 0])


class _LevenbergTrainer(Trainer):
    def __init__(
        self,
        fields: PaperLevenbergMarquardt,
        block: Block,
        shape: Shape,
        n_restarts: int,
        generator: np.random.Generator,
    ) -> None:
        start = partial(paper_start, fields.start)
        super().__init__(fields, block, shape, n_restarts, generator, np.float64, start)
        self._damping = np.full(n_restarts, fields.first_damping)
        self._patience = Patience(n_restarts, fields.patience)

    def advance(self, step: int) -> None:
        rows, w = self._draw(), self._parameters
        point = Point(w, scale=rows.n_rows)
        squares, move = damped_step(rows, self._engines, point, self._damping)
        moved = w + move
        new_squares = squared_error(rows, self._engines, replace(point, parameters=moved))
        is_accepted = (new_squares < squares) & ~self.is_finished
        self._damping = np.clip(self._damping * np.where(is_accepted, 0.1, 10.0), LEAST_DAMPING, MOST_DAMPING)
        self._parameters = np.where(is_accepted[:, None], smooth(moved), w)
        self.loss = np.where(is_accepted, new_squares, squares) / (rows.n_rows * rows.n_outputs)
        self.reached_tolerance |= self.loss < self._fields.tolerance
        self.is_finished |= self.reached_tolerance | self._patience.is_over(self.loss)

    def outcome(self) -> TrainingOutcome:
        kept = self._parameters
        return TrainingOutcome(kept, kept, finish(self._shape, kept, self._fields.finish), kept)


class _StraightThroughTrainer(StraightThroughTrainer):
    def __init__(
        self, fields: PaperStraightThrough, block: Block, shape: Shape, n_restarts: int, generator: np.random.Generator
    ) -> None:
        super().__init__(fields, block, shape, n_restarts, generator, start=partial(paper_start, fields.start))
        self._paper = fields
        self._patience = Patience(n_restarts, fields.patience)

    def _bend(self, step: int) -> None:
        share = self._paper.smooth_share
        if share and (exponent := schedule_exponent(step, self._paper.steps, share)):
            self._parameters[:] = smooth(self._parameters, exponent)

    def _judge_step(self, loss: Array, lattice: Array) -> None:
        super()._judge_step(loss, lattice)
        self.reached_tolerance |= loss < self._paper.tolerance
        self.is_finished |= self.reached_tolerance | self._patience.is_over(loss)

    def outcome(self) -> TrainingOutcome:
        found = super().outcome()
        biases = finish(self._shape, found.shadow, self._paper.finish)
        return replace(found, lattice=np.where(self._is_weight, found.network, biases))


def potential_slope(weights: Array) -> Array:
    """P′(w) = 2w - 4w³ of P(w) = w²(1 - w²) (Eq. 13), which changes sign at 1/√2 and not at 1/2.

    >>> potential_slope(np.array([-1.0, 0.0, 0.5])).tolist()
    [2.0, 0.0, 0.5]
    """
    return np.asarray(2 * weights - 4 * weights**3)


class _ProximalTrainer(Trainer):
    def __init__(
        self, fields: PaperProximal, block: Block, shape: Shape, n_restarts: int, generator: np.random.Generator
    ) -> None:
        super().__init__(fields, block, shape, n_restarts, generator, start=partial(paper_start, fields.start))
        self._bound = np.where(self._is_weight, np.float32(1), np.float32(np.inf))
        self._adam = passes.Adam(self._parameters)
        turn = round(fields.first_phase * fields.steps)
        self._second_steps = fields.steps - turn
        self._turn = np.full(n_restarts, turn)  # where phase 2 of each restart begins
        limit = None if fields.patience_share is None else max(1, round(fields.patience_share * fields.steps))
        self._patience = Patience(n_restarts, limit)
        self._second_patience = Patience(n_restarts, limit and 2 * limit)

    def advance(self, step: int) -> None:
        fields, w = self._fields, self._parameters
        self.loss, gradient = passes.loss_and_gradient(self._draw(), self._engines, w)
        pressure = self._pressure(step)[:, None]
        slope = fields.literal_cost * np.sign(w) + fields.attraction_cost * potential_slope(w)
        gradient += (pressure * slope * self._is_weight).astype(np.float32)
        held = w.copy()
        self._adam.step(w, gradient, fields.rate)
        self._proximal_step(pressure)
        np.copyto(w, held, where=self.is_finished[:, None])
        self._end_phases(step)

    def _pressure(self, step: int) -> Array:
        """How strong the penalties are in each restart: 0 in phase 1, then growing to 1, tenfold in the last steps."""
        fields, second = self._fields, step - self._turn
        growing = np.clip((second + 1) / max(1, self._second_steps - fields.final_steps), 0, 1)
        return np.asarray(np.where(second >= self._second_steps - fields.final_steps, fields.final_factor, growing))

    def _proximal_step(self, pressure: Array) -> None:
        fields, w = self._fields, self._parameters
        if fields.soft_threshold:
            reduced = np.sign(w) * np.maximum(np.abs(w) - fields.soft_threshold * pressure, 0)
            np.copyto(w, reduced.astype(np.float32), where=self._is_weight)
        np.clip(w, -self._bound, self._bound, out=w)

    def _end_phases(self, step: int) -> None:
        """Phase 1 gives way to phase 2, and phase 2 ends, at the tolerance or when patience is over."""
        is_first = step < self._turn
        is_low = self.loss < self._fields.tolerance
        self._turn[is_first & (is_low | self._patience.is_over(self.loss))] = step + 1
        over = self._second_patience.is_over(np.where(is_first, np.inf, self.loss))
        self.reached_tolerance |= ~is_first & is_low
        self.is_finished |= ~is_first & (is_low | over | (step - self._turn >= self._second_steps - 1))

    def outcome(self) -> TrainingOutcome:
        kept = self._parameters
        return TrainingOutcome(kept, kept, finish(self._shape, kept, self._fields.finish), kept)
