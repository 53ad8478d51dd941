"""Proximal regularization: Adam on the error, with penalties that lead to the lattice.

    L = MSE + λₛ Σ|w| + λₐ Σ P(w),   P(w) = w²(1-w²)            (Eq. 13)

Phase 1, 65 % of the steps, has the error alone. In phase 2 both penalties grow linearly, and the last steps have them
tenfold. The ℓ₁ part is also a proximal step, the soft threshold w ← sgn(w)·max(|w| - τ, 0). Weights stay in [-1,1],
because P is unbounded below outside.

P pulls every weight under 1/√2 to 0, biases are not attracted at all, and a phase ends as soon as the error is under a
tolerance, so that the final rounding decides nearly everything: the collapse the paper reports. Ours attracts with the
squared distance to the nearest integer, biases too, whose proximal step is w ← (w + α⌊w⌉)/(1 + α). And it takes the
proximal step of the lattice itself, w ← ⌊w⌉, for a few parameters at a time: every `refit` steps of phase 2 some of the
free ones, those nearest to integers, are rounded and held, and the others go on learning what that cost. Phase 2 ends
on the lattice, so the rounding at the end changes nothing.
"""

from dataclasses import dataclass
from typing import Literal

from crystalogic.arrays import Array, np
from crystalogic.network import Engines, Shape, Stage
from crystalogic.train import passes
from crystalogic.train.adam import Adam
from crystalogic.train.block import Batches
from crystalogic.train.crystallize import Schedule, freeze_nearest, n_free_after, to_lattice
from crystalogic.train.start import Start, starting_parameters
from crystalogic.train.strategy import Patience, Strategy, Trainer, TrainingOutcome
from crystalogic.train.task import Task

Attraction = Literal["nearest", "potential"]


@dataclass(frozen=True)
class Proximal(Strategy):
    """Two-phase Adam with sparsity and lattice attraction.

    Parameters:
        hidden: the widths of the hidden layers, and "residual" for a residual block.
        steps: how many steps at most.
        rate: Adam's rate.
        leak: the share of the gradient that passes a saturated ψ where it leads back into [0,1]; 0 is the true
            derivative.
        first_phase: the share of the steps that see the error alone.
        attraction: "nearest" draws to the nearest integer, "potential" is the paper's P(w) = w²(1 - w²).
        attraction_cost: how strongly, at the end of phase 2.
        literal_cost: the loss that each literal costs; more gives shorter formulas.
        soft_threshold: the τ of the soft threshold, a second way to sparsity; 0 for none.
        refit: every so many steps of phase 2 some parameters are rounded and held; None for never.
        final_steps: how many of the last steps have the penalties multiplied.
        final_factor: by what they are multiplied there.
        start: how neurons begin: "literals" is "at least k of a few literals"; "uniform" and "fan_in" are random.
        batch_rows: rows of one step when the table is longer.
        finish: how parameters become integers at the end: "round", or the schedules "paper" and "iterated".
        tolerance: the loss at which a phase ends.
        patience_share: steps without improvement after which a phase ends, as a share of `steps`; None for never.
    """

    hidden: tuple[Stage, ...] = (8,)
    steps: int = 2000
    rate: float = 0.01
    leak: float = 0.1
    first_phase: float = 0.4
    attraction: Attraction = "nearest"
    attraction_cost: float = 0.02
    literal_cost: float = 0.002
    soft_threshold: float = 0.0
    refit: int | None = 30
    final_steps: int = 0
    final_factor: float = 10.0
    start: Start = "literals"
    batch_rows: int = 512
    finish: Schedule = "round"
    tolerance: float = 0.0
    patience_share: float | None = None

    def begin(self, task: Task, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
        return _Trainer(self, task, shape, n_restarts, generator)


def potential_slope(weights: Array) -> Array:
    """P′(w) = 2w - 4w³ of P(w) = w²(1 - w²) (Eq. 13), which changes sign at 1/√2 and not at 1/2.

    >>> potential_slope(np.array([-1.0, 0.0, 0.5])).tolist()
    [2.0, 0.0, 0.5]
    """
    return np.asarray(2 * weights - 4 * weights**3)


class _Trainer(Trainer):
    def __init__(
        self, fields: Proximal, task: Task, shape: Shape, n_restarts: int, generator: np.random.Generator
    ) -> None:
        super().__init__(n_restarts)
        self._fields, self._shape = fields, shape
        self._parameters = starting_parameters(fields.start, shape, n_restarts, generator).astype(np.float32)
        self._peak = self._parameters.copy()
        self._is_free = np.ones(self._parameters.shape, dtype=bool)
        self._is_weight = ~shape.is_bias
        self._bound = np.where(self._is_weight, np.float32(1), np.float32(np.inf))
        self._batches = Batches(task.block, fields.batch_rows, generator)
        self._engines = Engines(shape, n_restarts, leak=fields.leak)
        self._adam = Adam(self._parameters)
        turn = round(fields.first_phase * fields.steps)
        self._second_steps = fields.steps - turn
        self._turn = np.full(n_restarts, turn)  # where phase 2 of each restart begins
        limit = None if fields.patience_share is None else max(1, round(fields.patience_share * fields.steps))
        self._patience = Patience(n_restarts, limit)
        self._second_patience = Patience(n_restarts, limit and 2 * limit)

    def advance(self, step: int) -> None:
        fields, w = self._fields, self._parameters
        begins = (step == self._turn) & ~self.is_finished
        self._peak[begins] = w[begins]
        if fields.refit is not None:
            second = step - int(self._turn[0])
            n_free = n_free_after(second, self._second_steps, fields.refit, self._shape.n_parameters)
            if n_free is not None:
                freeze_nearest(w, self._is_free, n_free)
        self.loss, gradient = passes.loss_and_gradient(self._batches.next(), self._engines, w)
        pressure = self._pressure(step)[:, None]
        if fields.attraction == "potential":
            slope = fields.literal_cost * np.sign(w) + fields.attraction_cost * potential_slope(w)
            gradient += (pressure * slope * self._is_weight).astype(np.float32)
        else:
            gradient += np.float32(fields.literal_cost) * np.sign(w) * self._is_weight
        held = w.copy()
        self._adam.step(w, gradient, fields.rate)
        self._proximal_step(pressure)
        np.copyto(w, held, where=~self._is_free | self.is_finished[:, None])
        self._end_phases(step)

    def _pressure(self, step: int) -> Array:
        """How strong the penalties are in each restart: 0 in phase 1, then growing to 1, tenfold in the last steps."""
        fields, second = self._fields, step - self._turn
        growing = np.clip((second + 1) / max(1, self._second_steps - fields.final_steps), 0, 1)
        return np.where(second >= self._second_steps - fields.final_steps, fields.final_factor, growing)

    def _proximal_step(self, pressure: Array) -> None:
        fields, w = self._fields, self._parameters
        if fields.soft_threshold:
            reduced = np.sign(w) * np.maximum(np.abs(w) - fields.soft_threshold * pressure, 0)
            np.copyto(w, reduced.astype(np.float32), where=self._is_weight)
        if fields.attraction == "nearest":
            strength = (fields.attraction_cost * pressure).astype(np.float32)
            np.copyto(w, (w + strength * np.rint(w)) / (1 + strength))
        np.clip(w, -self._bound, self._bound, out=w)

    def _end_phases(self, step: int) -> None:
        """Phase 1 gives way to phase 2, and phase 2 ends, at the tolerance or when patience is over."""
        is_first = step < self._turn
        is_low = self.loss < self._fields.tolerance
        if self._fields.refit is None:  # freezing needs all restarts in the same phase
            self._turn[is_first & (is_low | self._patience.is_over(self.loss))] = step + 1
        over = self._second_patience.is_over(np.where(is_first, np.inf, self.loss))
        self.reached_tolerance |= ~is_first & is_low
        self.is_finished |= ~is_first & (is_low | over | (step - self._turn >= self._second_steps - 1))

    def outcome(self) -> TrainingOutcome:
        kept = self._parameters
        peak = np.where(self._is_free.all(axis=1, keepdims=True), kept, self._peak)
        return TrainingOutcome(kept, kept, to_lattice(self._shape, kept, self._fields.finish), peak)
