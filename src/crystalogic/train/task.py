"""What a strategy trains on: checked rows, targets and sample weights, in the layout the engine reads."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crystalogic.errors import TooLargeError, TrainingDataError
from crystalogic.network import Engine, Shape, with_ones

Array = NDArray[Any]


@dataclass(frozen=True)
class Score:
    """How well each restart does on the task: one number a restart."""

    loss: Array
    accuracy: Array
    tight_accuracy: Array
    is_constant: Array


@dataclass(frozen=True)
class Task:
    """Rows of truth values (rows × inputs), targets (rows × outputs) and sample weights that sum to 1."""

    rows: Array
    target: Array
    weight: Array

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def score(self, shape: Shape, parameters: Array, block: int = 4096) -> Score:
        """Loss and accuracy of every restart, in row blocks so that memory stays bounded.

        The loss is the weighted mean of the squared error. A row is right when every output lies on the target's
        side of 1/2 (`accuracy`), or within 0.1 of the target (`tight_accuracy`, the measure of the paper's tables).
        """
        n_restarts = len(parameters)
        block = max(1, min(block, 2**28 // Engine.n_bytes(shape, n_restarts, 1, 8)))
        loss, wrong, far = (np.zeros(n_restarts) for _ in range(3))
        low, high = np.ones(n_restarts, bool), np.ones(n_restarts, bool)
        for start in range(0, self.n_rows, block):
            part = slice(start, start + block)
            target = self.target[part].T
            engine = Engine(shape, n_restarts, target.shape[1], np.float64)
            output = engine.forward(parameters.astype(np.float64), with_ones(self.rows[part], np.float64))
            error = np.abs(output - target)
            weight = self.weight[part]
            loss += (error**2).mean(axis=1) @ weight
            wrong += ((output >= 0.5) != (target >= 0.5)).any(axis=1) @ weight
            far += (error >= 0.1).any(axis=1) @ weight
            low &= (output < 0.5).all(axis=(1, 2))
            high &= (output >= 0.5).all(axis=(1, 2))
        return Score(loss, 1 - wrong, 1 - far, low | high)


def make_task(rows: ArrayLike, target: ArrayLike, sample_weight: ArrayLike | None = None) -> Task:
    """A checked task without the rows of weight zero; errors say which value is wrong and what to do about it."""
    table = _numbers(rows, "X")
    if table.ndim != 2 or 0 in table.shape:
        message = f"X is rows × inputs and needs at least one of each, got the shape {table.shape}."
        raise TrainingDataError(message)
    _refuse_outside(table, "X", "Encode columns as truth values, for example by minimum and maximum.")
    wanted = _numbers(target, "y")
    wanted = wanted[:, None] if wanted.ndim == 1 else wanted
    if wanted.ndim != 2 or len(wanted) != len(table) or wanted.shape[1] == 0:
        message = f"y needs one target for each of the {len(table)} rows, got the shape {wanted.shape}."
        raise TrainingDataError(message)
    _refuse_outside(wanted, "y", "Targets are truth degrees; write two classes as 0 and 1.")
    weight = _weights(sample_weight, len(table))
    counts = weight > 0
    table, wanted, weight = table[counts], wanted[counts], weight[counts]
    for column in range(wanted.shape[1]):
        if wanted[:, column].min() == wanted[:, column].max():
            message = f"y holds only the value {wanted[0, column]:g}: there is one class, and nothing to learn."
            raise TrainingDataError(message)
    return Task(table, wanted, weight)


def _weights(sample_weight: ArrayLike | None, n_rows: int) -> Array:
    if sample_weight is None:
        return np.full(n_rows, 1 / n_rows)
    weight = _numbers(sample_weight, "sample_weight")
    if weight.shape != (n_rows,):
        message = f"sample_weight needs one number for each of the {n_rows} rows, got the shape {weight.shape}."
        raise TrainingDataError(message)
    if not np.isfinite(weight).all() or (weight < 0).any() or weight.sum() <= 0:
        message = "sample_weight holds finite numbers that are not negative and not all zero."
        raise TrainingDataError(message)
    return np.asarray(weight / weight.sum())


def _numbers(values: ArrayLike, name: str) -> Array:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"{name} is not an array of numbers ({error}). Encode its columns first."
        raise TrainingDataError(message) from None


def _refuse_outside(values: Array, name: str, way_out: str) -> None:
    wrong = np.argwhere(~((values >= 0) & (values <= 1)))
    if len(wrong):
        row, column = (int(index) for index in wrong[0])
        message = (
            f"{name} is {values[row, column]} at row {row}, column {column}; "
            f"expected a truth value between 0 and 1. {way_out}"
        )
        raise TrainingDataError(message)


def refuse_too_many(n_bytes: int, n_restarts: int) -> None:
    """A TooLargeError when the buffers would take more than half of the machine's memory."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # a system that does not say
        memory = 16 * 2**30
    if n_bytes > memory / 2:
        message = (
            f"{n_restarts} restarts need {n_bytes / 2**30:.1f} GiB of buffers, more than half of this machine's "
            f"{memory / 2**30:.1f} GiB. Ask for fewer restarts or fewer batch rows."
        )
        raise TooLargeError(message)
