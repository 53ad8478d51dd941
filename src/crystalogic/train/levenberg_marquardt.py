"""Levenberg–Marquardt on all restarts at once, then crystallization a few weights at a time.

With errors e, Jacobian J and a positive diagonal D, a step solves

    (JᵀJ + D) Δw = -(Jᵀe + g)                                   (Eq. 10)

Levenberg's damping is D = μI, which gives ‖Δw‖ ≤ ‖e‖/(2√μ) (the paper's ‖e‖/μ is wrong for μ > 4); Marquardt's is
D = μ·diag(JᵀJ), which diverges near zero weights. A step that lowers the objective is kept and μ falls tenfold, else it
is undone and μ rises tenfold. With more parameters than rows the same step is

    Δw = -D^(-1/2) (I - Sᵀ(I + S Sᵀ)⁻¹ S) D^(-1/2) (Jᵀe + g),   S = J D^(-1/2),

a system of the size of the rows. Otherwise JᵀJ is summed in blocks of rows, so that memory stays bounded.

The lattice attraction adds residuals √λ (w - ⌊w⌉), that is λ to D and λ(w - ⌊w⌉) to g. The literal cost σ|w| beside a
mean squared error over N rows is majorized by a parabola at each step: about Nσ/|w| to D and Nσ sgn(w)/2 to g. Both
grow from 0 while freezing.

Ours ends on the lattice by freezing: after `explore` steps, every `refit` steps some of the free parameters, those
nearest to integers, are rounded and held, and the others go on learning what that cost. The Jacobian leaks
through a saturated ψ when the error asks for it. The paper applies Υ₂ after every accepted step instead.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crystalogic.network import Engine, Shape, Stage
from crystalogic.train.batches import Batches
from crystalogic.train.crystallize import Schedule, smooth, to_lattice
from crystalogic.train.freeze import freeze_nearest, n_free_after
from crystalogic.train.start import Start, starting_parameters
from crystalogic.train.strategy import Outcome, Patience, Strategy, Trainer
from crystalogic.train.task import Task

Array = NDArray[Any]
Damping = Literal["levenberg", "marquardt"]

BLOCK = 1024
LEAST_DAMPING, MOST_DAMPING = 1e-10, 1e10


@dataclass(frozen=True)
class LevenbergMarquardt(Strategy):
    """Levenberg–Marquardt; `LevenbergMarquardt.paper()` has the paper's fields and its residual block."""

    hidden: tuple[Stage, ...] = (6,)
    steps: int = 120
    damping: Damping = "levenberg"
    first_damping: float = 0.01
    leak: float = 0.1
    limit: float = 1.0
    explore: int = 20
    refit: int | None = 4
    attraction: float = 0.1
    literal_cost: float = 0.002
    start: Start = "literals"
    batch_rows: int = 256
    smooth_accepted: bool = False
    finish: Schedule = "round"
    tolerance: float = 0.0
    patience: int | None = None

    @classmethod
    def paper(cls) -> Self:
        """The fields of the paper's runs on MONK-1."""
        return cls(
            hidden=(4, "residual"),
            steps=500,
            first_damping=0.1,
            leak=0.0,
            limit=np.inf,
            refit=None,
            attraction=0.0,
            literal_cost=0.0,
            start="fan_in",
            batch_rows=512,
            smooth_accepted=True,
            finish="paper",
            tolerance=0.10,
            patience=90,
        )

    @property
    def literal_cost_of_choice(self) -> float:
        """The same cost that training pays."""
        return self.literal_cost

    def n_bytes(self, n_rows: int, shape: Shape, n_restarts: int) -> int:
        """The engine, one block of the Jacobian twice, and the system."""
        n_batch = min(n_rows, self.batch_rows)
        block = min(n_batch, BLOCK)
        by_rows = is_by_rows(n_batch, shape) and self.damping == "levenberg"
        side = n_batch if by_rows else shape.n_parameters
        matrices = 2 * shape.n_parameters * block + 2 * side**2
        return Engine.n_bytes(shape, n_restarts, block, 8) + 8 * n_restarts * matrices

    def begin(self, task: Task, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Trainer:
        """A trainer at its first step."""
        return _Trainer(self, task, shape, n_restarts, generator)


def is_by_rows(n_rows: int, shape: Shape) -> bool:
    """Whether the system of the size of the rows is the smaller one, and one block holds it."""
    return shape.n_outputs == 1 and n_rows <= BLOCK and n_rows < shape.n_parameters


class Linearization:
    """The errors of all restarts at one point, and the damped step away from it.

    `is_free` says which parameters may move; the others have a zero column in J.
    """

    def __init__(self, shape: Shape, n_restarts: int, leak: float = 0.0) -> None:
        self._shape, self._n_restarts, self._leak = shape, n_restarts, leak
        self._engines: dict[int, Engine] = {}

    def _engine(self, n_rows: int) -> Engine:
        if n_rows not in self._engines:
            self._engines[n_rows] = Engine(self._shape, self._n_restarts, n_rows, np.float64)
            self._engines[n_rows].leak = self._leak
        return self._engines[n_rows]

    def errors(self, parameters: Array, inputs: Array, target: Array, weight: Array) -> Array:
        """Errors (restarts × outputs × rows), each row scaled by the root of its weight."""
        result = np.empty((self._n_restarts, *target.shape))
        for start in range(0, inputs.shape[1], BLOCK):
            part = slice(start, start + BLOCK)
            columns = np.ascontiguousarray(inputs[:, part])
            output = self._engine(columns.shape[1]).forward(parameters, columns)
            result[:, :, part] = (output - target[:, part]) * np.sqrt(weight[part])
        return result

    def solve(
        self,
        parameters: Array,
        inputs: Array,
        errors: Array,
        weight: Array,
        damping: Array,
        *,
        is_marquardt: bool = False,
        is_free: Array | None = None,
        pull: Array | None = None,
        stiffness: Array | float = 0.0,
    ) -> Array:
        """Δw of every restart (Eq. 10); `pull` is g and `stiffness` what the penalties add to D."""
        n_parameters, n_rows = self._shape.n_parameters, inputs.shape[1]
        blocks = self._blocks(parameters, inputs, errors, weight, is_free)
        extra = np.zeros_like(parameters) if pull is None else pull
        if is_by_rows(n_rows, self._shape) and not is_marquardt:
            jacobian, error = next(iter(blocks))
            root = 1 / np.sqrt(np.broadcast_to(damping[:, None] + stiffness, parameters.shape))
            jacobian *= root[:, :, None]
            right = (jacobian @ error[:, :, None]) + (root * extra)[:, :, None]
            system = jacobian.transpose(0, 2, 1) @ jacobian
            system[:, np.arange(n_rows), np.arange(n_rows)] += 1
            inner = _solved(system, jacobian.transpose(0, 2, 1) @ right)
            return np.asarray(-root * (right - jacobian @ inner)[:, :, 0])
        system, right = np.zeros((self._n_restarts, n_parameters, n_parameters)), extra.copy()
        for jacobian, error in blocks:
            system += jacobian @ jacobian.transpose(0, 2, 1)
            right += (jacobian @ error[:, :, None])[:, :, 0]
        index = np.arange(n_parameters)
        scale = np.maximum(system[:, index, index], 1e-12) if is_marquardt else 1.0
        system[:, index, index] += damping[:, None] * scale + stiffness
        return -_solved(system, right[:, :, None])[:, :, 0]

    def _blocks(self, parameters: Array, inputs: Array, errors: Array, weight: Array, is_free: Array | None) -> Any:
        for start in range(0, inputs.shape[1], BLOCK):
            part = slice(start, start + BLOCK)
            columns = np.ascontiguousarray(inputs[:, part])
            engine = self._engine(columns.shape[1])
            engine.forward(parameters, columns)
            for output in range(self._shape.n_outputs):
                error = errors[:, output, part]
                jacobian = engine.jacobian(output, np.where(error >= 0, 1.0, -1.0) if self._leak else None)
                if (weight[part] != 1).any():
                    jacobian *= np.sqrt(weight[part])
                if is_free is not None and not is_free.all():
                    jacobian *= is_free[:, :, None]
                yield jacobian, error


def _solved(systems: Array, right: Array) -> Array:
    """The solutions of all restarts; NaN, which no restart accepts as a step, where a system is singular."""
    try:
        return np.asarray(np.linalg.solve(systems, right))
    except np.linalg.LinAlgError:
        result = np.full(right.shape, np.nan)
        for index, (system, side) in enumerate(zip(systems, right, strict=True)):
            with suppress(np.linalg.LinAlgError):
                result[index] = np.linalg.solve(system, side)
        return result


class _Trainer(Trainer):
    def __init__(
        self, fields: LevenbergMarquardt, task: Task, shape: Shape, n_restarts: int, generator: np.random.Generator
    ) -> None:
        self._fields, self._shape = fields, shape
        self._parameters = starting_parameters(fields.start, shape, n_restarts, generator)
        self._peak = self._parameters
        self._batches = Batches(task, fields.batch_rows, generator, np.float64)
        self._linearization = Linearization(shape, n_restarts, fields.leak)
        self._damping = np.full(n_restarts, fields.first_damping)
        self._is_free = np.ones(self._parameters.shape, dtype=bool)
        self._patience = Patience(n_restarts, fields.patience)
        self.loss = np.full(n_restarts, np.inf)
        self.is_finished, self.reached_tolerance = np.zeros(n_restarts, bool), np.zeros(n_restarts, bool)

    def advance(self, step: int) -> None:
        fields = self._fields
        pressure = 0.0
        if step >= fields.explore:
            pressure = (step - fields.explore + 1) / (fields.steps - fields.explore)
            if step == fields.explore:
                self._peak = self._parameters.copy()
            self._freeze(step - fields.explore)
        inputs, target, weight = self._batches.next()
        n_rows = inputs.shape[1]
        weight = weight * n_rows  # μ is meant for a sum of squares over the rows
        attraction = pressure * fields.attraction
        shrinkage = pressure * n_rows * fields.literal_cost * ~self._shape.is_bias

        def penalty(parameters: Array) -> Array:
            distance = (parameters - np.rint(parameters)) * self._is_free
            return np.asarray(attraction * (distance**2).sum(axis=1) + np.abs(parameters) @ shrinkage)

        w = self._parameters
        errors = self._linearization.errors(w, inputs, target, weight)
        move = self._linearization.solve(
            w,
            inputs,
            errors,
            weight,
            self._damping,
            is_marquardt=fields.damping == "marquardt",
            is_free=self._is_free,
            pull=(attraction * (w - np.rint(w)) + shrinkage * np.sign(w) / 2) * self._is_free,
            stiffness=attraction + shrinkage / (np.abs(w) + 0.1),  # 0.1: a weight at zero can still leave it
        )
        moved = np.where(self._is_free, w + move, w)
        moved = np.where(self._shape.is_bias, moved, np.clip(moved, -fields.limit, fields.limit))
        new_errors = self._linearization.errors(moved, inputs, target, weight)
        squares, new_squares = (errors**2).sum(axis=(1, 2)), (new_errors**2).sum(axis=(1, 2))
        is_accepted = new_squares + penalty(moved) < squares + penalty(w)
        is_accepted &= ~self.is_finished
        factor = np.where(is_accepted, 0.1, 10.0)
        self._damping = np.clip(self._damping * factor, LEAST_DAMPING, MOST_DAMPING)
        if fields.smooth_accepted:
            moved = smooth(moved)
        self._parameters = np.where(is_accepted[:, None], moved, w)
        self.loss = np.where(is_accepted, new_squares, squares) / errors[0].size
        self.reached_tolerance |= self.loss < fields.tolerance
        self.is_finished |= self.reached_tolerance | self._patience.is_over(self.loss)

    def _freeze(self, step: int) -> None:
        fields = self._fields
        if fields.refit is None:
            return
        n_free = n_free_after(step, fields.steps - fields.explore, fields.refit, self._shape.n_parameters)
        if n_free is not None:
            freeze_nearest(self._parameters, self._is_free, n_free)
            self._damping = np.minimum(self._damping, fields.first_damping)  # what is left is another problem

    def outcome(self) -> Outcome:
        lattice = to_lattice(self._shape, self._parameters, self._fields.finish)
        peak = self._parameters if self._is_free.all() else self._peak
        return Outcome(self._parameters, self._parameters, lattice, peak)
