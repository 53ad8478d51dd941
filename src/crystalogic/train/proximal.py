"""Proximal regularization: Adam on the error, with penalties that lead to the lattice.

    L = MSE + λₛ Σ|w| + λₐ Σ P(w),   P(w) = w²(1-w²)            (Eq. 13)

Phase 1, 65 % of the steps, has the error alone. In phase 2 both penalties grow linearly, and the last steps have them
tenfold. The ℓ₁ part is also a proximal step, the soft threshold w ← sgn(w)·max(|w| - τ, 0). Weights stay in [-1,1],
because P is unbounded below outside.

P pulls every weight under 1/√2 to 0, biases are not attracted at all, and phase 1 may stop after a few steps, so that
the final rounding decides nearly everything: the collapse the paper reports. Ours attracts with the squared distance
to the nearest integer, biases too, by its own proximal step w ← (w + α⌊w⌉)/(1 + α). That step grows geometrically until
every parameter has arrived, so that the rounding at the end changes nothing, and each restart keeps the step of phase 2
whose rounded network was best.
"""

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crystalogic.network import Engine, Shape, Stage
from crystalogic.train.adam import Adam
from crystalogic.train.batches import Batches
from crystalogic.train.crystallize import Schedule, to_lattice
from crystalogic.train.freeze import freeze_nearest
from crystalogic.train.start import Start, starting_parameters
from crystalogic.train.strategy import Best, Outcome, Patience, Strategy, Trainer
from crystalogic.train.task import Task

Array = NDArray[Any]
Attraction = Literal["nearest", "potential"]


@dataclass(frozen=True)
class Proximal(Strategy):
    """Two-phase Adam with sparsity and lattice attraction; `Proximal.paper()` has the paper's fields."""

    hidden: tuple[Stage, ...] = (8,)
    steps: int = 2000
    rate: float = 0.01
    leak: float = 0.1
    first_phase: float = 0.4
    attraction: Attraction = "nearest"
    attraction_cost: float = 0.02
    literal_cost: float = 0.002
    soft_threshold: float = 0.0
    refit: int = 30
    freeze_share: float = 0.15
    final_steps: int = 200
    final_factor: float = 10.0
    start: Start = "literals"
    batch_rows: int = 512
    finish: Schedule = "round"
    tolerance: float = 0.0
    patience_share: float | None = None

    @classmethod
    def paper(cls) -> Self:
        """The fields of the paper's runs on MONK-1."""
        return cls(
            hidden=(4, 4),
            steps=5000,
            rate=0.02,
            leak=0.0,
            first_phase=0.65,
            attraction="potential",
            attraction_cost=0.05,
            literal_cost=1e-4,
            soft_threshold=2e-4,
            start="fan_in",
            batch_rows=10**9,
            finish="paper",
            tolerance=0.10,
            patience_share=0.1,
        )

    @property
    def literal_cost_of_choice(self) -> float:
        """The same cost that training pays."""
        return self.literal_cost

    def n_bytes(self, n_rows: int, shape: Shape, n_restarts: int) -> int:
        """The buffers of one engine, or of two when steps see a batch of the rows."""
        batch = Engine.n_bytes(shape, n_restarts, min(n_rows, self.batch_rows))
        return batch + (Engine.n_bytes(shape, n_restarts, n_rows) if n_rows > self.batch_rows else 0)

    def begin(self, task: Task, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
        return _Trainer(self, task, shape, n_restarts, generator)


class _Trainer(Trainer):
    def __init__(
        self, fields: Proximal, task: Task, shape: Shape, n_restarts: int, generator: np.random.Generator
    ) -> None:
        self._fields, self._shape = fields, shape
        self._parameters = starting_parameters(fields.start, shape, n_restarts, generator).astype(np.float32)
        self._peak = self._parameters
        self._batches = Batches(task, fields.batch_rows, generator)
        self._engine = Engine(shape, n_restarts, self._batches.n_rows)
        self._engine.leak = fields.leak
        self._judge = Engine(shape, n_restarts, task.n_rows)
        self._adam = Adam(self._parameters)
        self._is_weight = ~shape.is_bias
        self._turn = round(fields.first_phase * fields.steps)
        self._best: Best | None = None
        self._is_free = np.ones(self._parameters.shape, dtype=bool)
        self._patience = Patience(n_restarts, self._patience_limit())
        self.loss = np.full(n_restarts, np.inf)
        self.is_finished, self.reached_tolerance = np.zeros(n_restarts, bool), np.zeros(n_restarts, bool)

    def _patience_limit(self, factor: float = 1) -> int | None:
        share = self._fields.patience_share
        return None if share is None else max(1, round(factor * share * self._fields.steps))

    def advance(self, step: int) -> None:
        fields = self._fields
        if step == self._turn:
            self._peak = self._parameters.copy()
        if step >= self._turn and fields.attraction == "nearest" and (step - self._turn) % fields.refit == 0:
            freeze_nearest(self._parameters, self._is_free, fields.freeze_share)
        inputs, target, weight = self._batches.next()
        error = self._engine.forward(self._parameters, inputs) - target
        self.loss = (error**2).mean(axis=1) @ weight
        gradient = self._engine.gradient(error * (weight * np.float32(2 / len(target))))
        pressure = self._pressure(step)
        literal = np.float32(fields.literal_cost * (pressure if fields.attraction == "potential" else 1.0))
        gradient += literal * np.sign(self._parameters) * self._is_weight
        if pressure and fields.attraction == "potential":
            w = self._parameters
            gradient += np.float32(fields.attraction_cost * pressure) * (2 * w - 4 * w**3) * self._is_weight
        held = self._parameters.copy()
        self._adam.step(self._parameters, gradient, fields.rate)
        self._proximal_step(pressure)
        np.copyto(self._parameters, held, where=~self._is_free | self.is_finished[:, None])
        self._judge_step(step)

    def _pressure(self, step: int) -> float:
        """How strong the penalties are: 0 in phase 1, then growing, tenfold in the last steps."""
        fields = self._fields
        if step < self._turn:
            return 0.0
        if fields.attraction == "nearest":
            return (step - self._turn + 1) / (fields.steps - self._turn)
        if step >= fields.steps - fields.final_steps:
            return fields.final_factor
        return min(1.0, (step - self._turn) / max(1, fields.steps - fields.final_steps - self._turn))

    def _proximal_step(self, pressure: float) -> None:
        fields, w = self._fields, self._parameters
        if pressure and fields.soft_threshold:
            reduced = np.sign(w) * np.maximum(np.abs(w) - np.float32(fields.soft_threshold * pressure), 0)
            np.copyto(w, reduced, where=self._is_weight)
        if pressure and fields.attraction == "nearest":
            strength = np.float32(fields.attraction_cost * pressure)
            np.copyto(w, (w + strength * np.rint(w)) / (1 + strength))
        limit = np.where(self._is_weight, np.float32(1), np.float32(np.inf))
        np.clip(w, -limit, limit, out=w)

    def _judge_step(self, step: int) -> None:
        fields, batches = self._fields, self._batches
        if fields.attraction == "nearest":
            every = 20 if batches.is_partial else 5
            if step >= self._turn and (step + 1 - fields.steps) % every == 0:
                lattice = to_lattice(self._shape, self._parameters, fields.finish).astype(np.float32)
                error = self._judge.forward(lattice, batches.inputs) - batches.target
                loss = (error**2).mean(axis=1) @ batches.weight
                cost = fields.literal_cost * (lattice[:, self._is_weight] != 0).sum(axis=1)
                self._best = self._best or Best(self._parameters)
                self._best.offer(loss + cost, self._parameters, ~self.is_finished)
        self.reached_tolerance |= self.loss < fields.tolerance
        is_over = self._patience.is_over(self.loss)
        self.is_finished |= self.reached_tolerance | is_over

    def outcome(self) -> Outcome:
        kept = self._parameters if self._best is None else self._best.parameters
        peak = kept if self._best is None else self._peak
        return Outcome(kept, kept, to_lattice(self._shape, kept, self._fields.finish), peak)
