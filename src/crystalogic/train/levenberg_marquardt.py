"""Levenberg–Marquardt on all restarts at once, then crystallization a few weights at a time.

With errors e, Jacobian J and a positive diagonal D, a step solves

    (JᵀJ + D) Δw = -(Jᵀe + g)                                   (Eq. 10)

Levenberg's damping is D = μI, which gives ‖Δw‖ ≤ ‖e‖/(2√μ) (the paper's ‖e‖/μ is wrong for μ > 4); Marquardt's
D = μ·diag(JᵀJ) diverges near zero weights. A step that lowers the objective is kept and μ falls tenfold, else it
is undone and μ rises tenfold. With more parameters than rows the same step is

    Δw = -D^(-1/2) (I - Sᵀ(I + S Sᵀ)⁻¹ S) D^(-1/2) (Jᵀe + g),   S = J D^(-1/2),

a system of the size of the rows. Otherwise JᵀJ is summed over parts of the rows, so that memory stays bounded.

The lattice attraction adds residuals √λ (w - ⌊w⌉), that is λ to D and λ(w - ⌊w⌉) to g. The literal cost σ|w| beside a
mean squared error over N rows is majorized by a parabola at each step: about Nσ/|w| to D and Nσ sgn(w)/2 to g. Both
grow from 0 while freezing.

Ours ends on the lattice by freezing (`strategy`), which begins after `explore` steps. The Jacobian leaks through a
saturated ψ when the error asks for it. The paper applies Υ₂ after every accepted step instead.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.network import Engines, Stage
from crystalogic.train.block import Block, Sums, add_up
from crystalogic.train.strategy import FreezingTrainer, Strategy

PART_ROWS = 1024
LEAST_DAMPING, MOST_DAMPING = 1e-10, 1e10


@dataclass(frozen=True)
class Point:
    """Where all restarts stand, and what may move; an error weighs the root of its row's weight times `scale`."""

    parameters: Array
    is_free: Array | None = None
    scale: float = 1.0


def squared_error(block: Block, engines: Engines, point: Point) -> Array:
    return block.total(lambda part: ((_errors(part, engines, point) ** 2).sum(axis=(1, 2)),), _part_rows(engines))[0]


def damped_step(
    block: Block, engines: Engines, point: Point, damping: Array, pull: Array | float = 0.0, stiff: Array | float = 0.0
) -> tuple[Array, Array]:
    """‖e‖² and Δw of every restart (Eq. 10); `pull` is g and `stiff` what the penalties add to D."""
    shape, diagonal = engines.shape, damping[:, None] + stiff
    if shape.n_outputs == 1 and block.n_rows <= PART_ROWS and block.n_rows < shape.n_parameters:
        return _step_by_rows(block, engines, point, diagonal, pull)
    squares, system, right = normal_equations(block, engines, point)
    index = np.arange(shape.n_parameters)
    system[:, index, index] += diagonal
    return squares, -solve(system, (right + pull)[:, :, None])[:, :, 0]


def _step_by_rows(
    block: Block, engines: Engines, point: Point, diagonal: Array, pull: Array | float
) -> tuple[Array, Array]:
    """The same step where one part holds all rows, by the system of their size, which is the smaller one."""
    errors = _errors(block, engines, point)
    ((jacobian, error),) = _jacobians(block, engines, point, errors)
    root = 1 / np.sqrt(np.broadcast_to(diagonal, point.parameters.shape))
    jacobian *= root[:, :, None]
    right = (jacobian @ error[:, :, None]) + (root * pull)[:, :, None]
    system = jacobian.transpose(0, 2, 1) @ jacobian
    system[:, np.arange(block.n_rows), np.arange(block.n_rows)] += 1
    inner = solve(system, jacobian.transpose(0, 2, 1) @ right)
    return (errors**2).sum(axis=(1, 2)), np.asarray(-root * (right - jacobian @ inner)[:, :, 0])


def _part_rows(engines: Engines) -> int:
    return engines.part_rows(PART_ROWS, 8 * engines.n_restarts * engines.shape.n_parameters)


def _errors(block: Block, engines: Engines, point: Point) -> Array:
    inputs, target, weight = block.columns(np.float64)
    output = engines.of(block.n_rows).forward(point.parameters, inputs)
    return np.asarray((output - target) * np.sqrt(weight * point.scale))


def _jacobians(block: Block, engines: Engines, point: Point, errors: Array) -> Iterator[tuple[Array, Array]]:
    """The Jacobian and the errors of one output after the other, after `_errors`."""
    weight = block.columns(np.float64)[2] * point.scale
    for output in range(engines.shape.n_outputs):
        error = errors[:, output]
        jacobian = engines.of(block.n_rows).jacobian(output, np.where(error >= 0, 1.0, -1.0) if engines.leak else None)
        if (weight != 1).any():
            jacobian *= np.sqrt(weight)
        if point.is_free is not None and not point.is_free.all():
            jacobian *= point.is_free[:, :, None]
        yield jacobian, error


def normal_equations(block: Block, engines: Engines, point: Point) -> tuple[Array, Array, Array]:
    """‖e‖², JᵀJ and Jᵀe of every restart."""

    def multiply(part: Block) -> Sums:
        errors = _errors(part, engines, point)
        pairs = _jacobians(part, engines, point, errors)
        products = ((each @ each.transpose(0, 2, 1), (each @ error[:, :, None])[:, :, 0]) for each, error in pairs)
        return (errors**2).sum(axis=(1, 2)), *add_up(products)

    squares, system, right = block.total(multiply, _part_rows(engines))
    return squares, system, right


def solve(systems: Array, right: Array) -> Array:
    """The solutions of all restarts; NaN, which no restart accepts as a step, where a system is singular."""
    try:
        return np.asarray(np.linalg.solve(systems, right))
    except np.linalg.LinAlgError:
        result = np.full(right.shape, np.nan)
        for index, (system, side) in enumerate(zip(systems, right, strict=True)):
            with suppress(np.linalg.LinAlgError):
                result[index] = np.linalg.solve(system, side)
        return result


class _Trainer(FreezingTrainer):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given, np.float64)
        self._damping = np.full(len(self.loss), self._fields.first_damping)

    def advance(self, step: int) -> None:
        fields = self._fields
        frozen, n_steps = step - fields.explore, fields.steps - fields.explore
        pressure = (frozen + 1) / n_steps if frozen >= 0 else 0.0
        if self._freeze(frozen, n_steps):
            self._damping = np.minimum(self._damping, fields.first_damping)  # what is left is another problem
        rows = self._draw()
        attraction = pressure * fields.attraction
        shrinkage = pressure * rows.n_rows * fields.literal_cost * ~self._shape.is_bias

        def penalty(parameters: Array) -> Array:
            distance = (parameters - np.rint(parameters)) * self._is_free
            return np.asarray(attraction * (distance**2).sum(axis=1) + np.abs(parameters) @ shrinkage)

        w = self._parameters
        point = Point(w, self._is_free, scale=rows.n_rows)  # μ is meant for a sum of squares over the rows
        pull = (attraction * (w - np.rint(w)) + shrinkage * np.sign(w) / 2) * self._is_free
        stiff = attraction + shrinkage / (np.abs(w) + 0.1)  # 0.1: a weight at zero can still leave it
        squares, move = damped_step(rows, self._engines, point, self._damping, pull, stiff)
        moved = np.where(self._is_free, w + move, w)
        moved = np.where(self._shape.is_bias, moved, np.clip(moved, -1, 1))
        new_squares = squared_error(rows, self._engines, replace(point, parameters=moved))
        is_accepted = new_squares + penalty(moved) < squares + penalty(w)
        self._damping = np.clip(self._damping * np.where(is_accepted, 0.1, 10.0), LEAST_DAMPING, MOST_DAMPING)
        self._parameters = np.where(is_accepted[:, None], moved, w)
        self.loss = np.where(is_accepted, new_squares, squares) / (rows.n_rows * rows.n_outputs)


@dataclass(frozen=True)
class LevenbergMarquardt(Strategy):
    """Levenberg–Marquardt; its own settings beside those of every `Strategy`.

    Parameters:
        first_damping: μ at the first step.
        explore: steps before crystallization begins.
        refit: every so many steps some parameters are rounded and held; None for never.
        attraction: how strongly parameters are drawn to integers while freezing.
    """

    hidden: tuple[Stage, ...] = (6,)
    steps: int = 120
    batch_rows: int = 256
    first_damping: float = 0.01
    explore: int = 20
    refit: int | None = 4
    attraction: float = 0.1
    trainer = _Trainer
