"""The rows of a task, checked, and worked through in parts, so that buffers are those of one part.

Training asks two things of its rows: a sum over all of them, and a few of them. A sum is taken part by part in one
fixed order (with one BLAS thread, since a sum that is split over threads is another sum): the loss of every restart,
its gradient, and how well it does.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.candidates import checked_weight
from crystalogic.errors import TrainingDataError, refuse, refuse_first
from crystalogic.network import Engines, with_ones

Sums = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Block:
    """Truth values (rows × inputs), targets (rows × outputs) and weights, which sum to 1 where it is all of a task."""

    rows: Array
    target: Array
    weight: Array
    _columns: dict[Any, tuple[Array, Array, Array]] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def n_inputs(self) -> int:
        return int(self.rows.shape[1])

    @property
    def n_outputs(self) -> int:
        return int(self.target.shape[1])

    def columns(self, dtype: Any) -> tuple[Array, Array, Array]:
        """Inputs, targets and weights as the engine reads them; kept, so ask the parts of a large block instead."""
        if dtype not in self._columns:
            target, weight = self.target.T.astype(dtype), self.weight.astype(dtype)
            self._columns[dtype] = with_ones(self.rows, dtype), target, weight
        return self._columns[dtype]

    def at(self, places: Array | slice) -> "Block":
        """The rows at these places of the block, in their order."""
        return Block(self.rows[places], self.target[places], self.weight[places])

    def draw(self, n_rows: int, generator: np.random.Generator, dtype: Any = np.float32) -> "Block":
        """So many rows at random, with weights that sum to 1; all of them where there are no more."""
        if self.n_rows <= n_rows:
            return self
        batch = self.at(generator.choice(self.n_rows, n_rows, replace=False))
        weight = batch.weight.astype(dtype)
        return Block(batch.rows, batch.target, weight / weight.sum())

    def total(self, function: Callable[["Block"], Sums], part_rows: int) -> Sums:
        """Σ function(part) over parts of so many rows, the last with the rest; the results are arrays that add."""
        if self.n_rows <= part_rows:
            return add_up([function(self)])
        return add_up(function(self.at(slice(at, at + part_rows))) for at in range(0, self.n_rows, part_rows))


def add_up(results: Iterable[Sums]) -> Sums:
    """The sums of tuples of arrays, one after the other, in new arrays: a result may be a buffer, or read-only."""
    iterator = iter(results)
    sums = tuple(np.array(first) for first in next(iterator))
    for result in iterator:
        for total, more in zip(sums, result, strict=True):
            np.add(total, more, out=total)
    return sums


def make_task(rows: ArrayLike, target: ArrayLike, sample_weight: ArrayLike | None = None) -> Block:
    """Checked rows without those of weight zero; errors say which value is wrong and what to do about it."""
    table = _numbers(rows, "X")
    if table.ndim != 2 or 0 in table.shape:
        refuse(TrainingDataError, f"X is rows × inputs and needs at least one of each, got the shape {table.shape}.")
    _refuse_outside(table, "X", "Encode columns as truth values, for example by minimum and maximum.")
    wanted = _numbers(target, "y")
    wanted = wanted[:, None] if wanted.ndim == 1 else wanted
    message = f"y needs one target for each of the {len(table)} rows, got the shape {wanted.shape}."
    refuse_first(TrainingDataError, {message: wanted.ndim != 2 or len(wanted) != len(table) or wanted.shape[1] == 0})
    _refuse_outside(wanted, "y", "Targets are truth degrees; write two classes as 0 and 1.")
    weight = checked_weight(None if sample_weight is None else _numbers(sample_weight, "sample_weight"), len(table))
    weight /= weight.sum()
    if not (counts := weight > 0).all():
        table, wanted, weight = table[counts], wanted[counts], weight[counts]
    for value in wanted[0, wanted.min(axis=0) == wanted.max(axis=0)].tolist():
        refuse(TrainingDataError, f"y holds only the value {value:g}: there is one class, and nothing to learn.")
    return Block(table, wanted, weight)


def _numbers(values: ArrayLike, name: str) -> Array:
    try:
        array = np.asarray(values)
        return array if array.dtype.kind in "biuf" and array.itemsize <= 8 else np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        refuse(TrainingDataError, f"{name} is not an array of numbers ({error}). Encode its columns first.")


def _refuse_outside(values: Array, name: str, way_out: str) -> None:
    if values.size and not (values.min() >= 0 and values.max() <= 1):  # NaN is not, and no mask of the table is made
        row, column = np.argwhere(~((values >= 0) & (values <= 1)))[0].tolist()
        where = f"{name} is {values[row, column]} at row {row}, column {column}"
        refuse(TrainingDataError, f"{where}; expected a truth value between 0 and 1. {way_out}")


PART_ROWS = 8192
BETA1, BETA2 = 0.9, 0.999  # how long Adam remembers


@dataclass(frozen=True)
class Score:
    """How well each restart does on the task, one number a restart."""

    loss: Array  # the weighted mean of the squared error
    accuracy: Array  # a row is right when every output lies on the target's side of 1/2
    is_constant: Array


def score(block: Block, engines: Engines, parameters: Array) -> Score:
    """Loss and accuracy of every restart (restarts × parameters)."""

    def count(part: Block) -> Sums:
        inputs, target, weight = part.columns(engines.dtype)
        output = engines.of(part.n_rows).forward(parameters, inputs)
        is_high = output >= 0.5
        is_wrong = (is_high != (target >= 0.5)).any(axis=1)
        return ((output - target) ** 2).mean(axis=1) @ weight, is_wrong @ weight, is_high.sum(axis=(1, 2))

    loss, wrong, n_high = block.total(count, engines.part_rows(PART_ROWS))
    return Score(loss, 1 - wrong, (n_high == 0) | (n_high == block.n_rows * block.n_outputs))


def loss_and_gradient(block: Block, engines: Engines, parameters: Array) -> tuple[Array, Array]:
    """The loss of every restart, and its derivative by the parameters (restarts × parameters)."""

    def differentiate(part: Block) -> Sums:
        inputs, target, weight = part.columns(engines.dtype)
        engine = engines.of(part.n_rows)
        error = engine.forward(parameters, inputs) - target
        gradient = engine.gradient(error * (weight * weight.dtype.type(2 / len(target))))
        return (error**2).mean(axis=1) @ weight, gradient

    loss, gradient = block.total(differentiate, engines.part_rows(PART_ROWS))
    return loss, gradient


class Adam:
    """Moments of the gradient of every restart, and the step they give.

    m ← β₁m + (1-β₁)g,  v ← β₂v + (1-β₂)g²,  w ← w - rate · m̂ / (√v̂ + ε).
    """

    def __init__(self, parameters: Array) -> None:
        self._mean, self._square, self._count = np.zeros_like(parameters), np.zeros_like(parameters), 0

    def step(self, parameters: Array, gradient: Array, rate: float, max_norm: float = np.inf) -> None:
        """Moves `parameters` in place; each restart's gradient is first shortened to `max_norm`."""
        self._count += 1
        if max_norm < np.inf:
            norm = np.sqrt(np.cumsum(gradient**2, axis=1)[:, -1:])  # added one by one, whatever the processor
            gradient = gradient * np.where(norm > max_norm, max_norm / np.maximum(norm, max_norm), 1)
        mean, square, one = self._mean, self._square, parameters.dtype.type(1)
        beta1, beta2 = one * BETA1, one * BETA2
        mean *= beta1
        mean += (one - beta1) * gradient
        square *= beta2
        square += (one - beta2) * gradient * gradient
        first = one * (rate / (1 - BETA1**self._count))
        second = one * (1 / (1 - BETA2**self._count))
        parameters -= first * mean / (np.sqrt(square * second) + np.float64(1e-8))  # divided in double precision
