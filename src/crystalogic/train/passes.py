"""The loss of every restart and its gradient, summed over the rows: what a step of Adam needs."""

from crystalogic.arrays import Array
from crystalogic.network import Engines
from crystalogic.train.block import Block

PART_ROWS = 8192


def loss(block: Block, engines: Engines, parameters: Array) -> Array:
    """The weighted mean of the squared error."""
    return block.total(_loss, engines, parameters, part_rows=engines.part_rows(PART_ROWS))[0]


def loss_and_gradient(block: Block, engines: Engines, parameters: Array) -> tuple[Array, Array]:
    """The same, and its derivative by the parameters (restarts × parameters)."""
    rows = engines.part_rows(PART_ROWS)
    value, gradient = block.total(_loss_and_gradient, engines, parameters, part_rows=rows)
    return value, gradient


def _loss(block: Block, engines: Engines, parameters: Array) -> tuple[Array]:
    inputs, target, weight = block.columns(engines.dtype)
    error = engines.of(block.n_rows).forward(parameters, inputs) - target
    return ((error**2).mean(axis=1) @ weight,)


def _loss_and_gradient(block: Block, engines: Engines, parameters: Array) -> tuple[Array, Array]:
    inputs, target, weight = block.columns(engines.dtype)
    engine = engines.of(block.n_rows)
    error = engine.forward(parameters, inputs) - target
    gradient = engine.gradient(error * (weight * weight.dtype.type(2 / len(target))))
    return (error**2).mean(axis=1) @ weight, gradient
