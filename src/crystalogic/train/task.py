"""What a strategy trains on: checked rows, targets and sample weights; and how well it is met."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from crystalogic.arrays import Array, np
from crystalogic.candidates.weights import checked_weight
from crystalogic.errors import TrainingDataError
from crystalogic.network import Engines, Shape
from crystalogic.train.block import Block, Sums

PART_ROWS = 4096


@dataclass(frozen=True)
class Score:
    """How well each restart does on the task: one number a restart."""

    loss: Array
    accuracy: Array
    is_constant: Array


def score(block: Block, shape: Shape, parameters: Array) -> Score:
    """Loss and accuracy of every restart, part by part so that memory stays bounded.

    The loss is the weighted mean of the squared error. A row is right when every output lies on the target's side
    of 1/2.
    """
    engines = Engines(shape, len(parameters), np.float64)
    loss, wrong, n_high = block.total(
        _scores, engines, parameters.astype(np.float64), part_rows=engines.part_rows(PART_ROWS)
    )
    is_constant = (n_high == 0) | (n_high == block.n_rows * shape.n_outputs)
    return Score(loss, 1 - wrong, is_constant)


def _scores(block: Block, engines: Engines, parameters: Array) -> Sums:
    """The weights of the loss, and of rows on the wrong side, and how many outputs are high."""
    inputs, target, weight = block.columns(engines.dtype)
    output = engines.of(block.n_rows).forward(parameters, inputs)
    is_high = output >= 0.5
    return (
        ((output - target) ** 2).mean(axis=1) @ weight,
        (is_high != (target >= 0.5)).any(axis=1) @ weight,
        is_high.sum(axis=(1, 2)),
    )


def make_task(rows: ArrayLike, target: ArrayLike, sample_weight: ArrayLike | None = None) -> Block:
    """Checked rows without those of weight zero; errors say which value is wrong and what to do about it."""
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
    given = None if sample_weight is None else _numbers(sample_weight, "sample_weight")
    weight = checked_weight(given, len(table))
    weight /= weight.sum()
    counts = weight > 0
    if not counts.all():
        table, wanted, weight = table[counts], wanted[counts], weight[counts]
    for column in range(wanted.shape[1]):
        if wanted[:, column].min() == wanted[:, column].max():
            message = f"y holds only the value {float(wanted[0, column]):g}: there is one class, and nothing to learn."
            raise TrainingDataError(message)
    return Block(table, wanted, weight)


def _numbers(values: ArrayLike, name: str) -> Array:
    try:
        array = np.asarray(values)
        return array if array.dtype.kind in "biuf" and array.itemsize <= 8 else np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"{name} is not an array of numbers ({error}). Encode its columns first."
        raise TrainingDataError(message) from None


def _refuse_outside(values: Array, name: str, way_out: str) -> None:
    if values.size and not (values.min() >= 0 and values.max() <= 1):  # NaN is not, and no mask of the table is made
        wrong = np.argwhere(~((values >= 0) & (values <= 1)))
        row, column = (int(index) for index in wrong[0])
        message = (
            f"{name} is {values[row, column]} at row {row}, column {column}; "
            f"expected a truth value between 0 and 1. {way_out}"
        )
        raise TrainingDataError(message)
