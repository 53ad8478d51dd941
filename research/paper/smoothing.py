"""The paper's smooth map Υ, the schedules made of it, and its starts.

    Υₙ(w) = sgn(w) (sinⁿ({|w|} π/2) + ⌊|w|⌋)                     (Eq. 9; cos((1-f)π/2) = sin(f π/2))

As n grows Υₙ tends to truncation toward 0, not to rounding. Applied again and again, Υ₂ does tend to rounding: 1/2 is
its only repelling point in [0,1].
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crystalogic.network import Shape
from crystalogic.train.strategy import to_lattice

Array = NDArray[Any]
Schedule = Literal["round", "paper", "iterated"]
PaperStart = Literal["uniform", "fan_in"]

PAPER_EXPONENTS = (2, 4, 8, 16)
ITERATIONS = 24


def smooth(values: Array, exponent: int = 2) -> Array:
    """Υₙ, which bends values toward integers and leaves integers where they are (Eq. 9).

    >>> smooth(np.array([0.5, 1.0, -1.25])).round(3)
    array([ 0.5  ,  1.   , -1.146])
    """
    size = np.abs(values)
    whole = np.floor(size)
    return np.asarray(np.copysign(np.sin((size - whole) * (np.pi / 2)) ** exponent + whole, values))


def schedule_exponent(step: int, n_steps: int, share: float = 0.15) -> int | None:
    """The exponent of the progressive schedule at a step: 2, 4, 8, 16 over the last `share` of the steps, else None.

    >>> [schedule_exponent(step, 100) for step in (84, 85, 90, 99)]
    [None, 2, 4, 16]
    """
    start = n_steps * (1 - share)
    if step < start:
        return None
    return PAPER_EXPONENTS[min(3, int(4 * (step - start) / (n_steps - start)))]


def finish(shape: Shape, parameters: Array, schedule: Schedule = "round") -> Array:
    """The integers a float network crystallizes to.

    `"round"` rounds. `"paper"` first applies Υ₂, Υ₄, Υ₈ and Υ₁₆, after which a fraction must exceed 0.7242 to
    survive. `"iterated"` first applies Υ₂ until it has converged, which is rounding again, reached smoothly.
    """
    exponents = {"round": (), "paper": PAPER_EXPONENTS, "iterated": (2,) * ITERATIONS}[schedule]
    for exponent in exponents:
        parameters = smooth(parameters, exponent)
    return to_lattice(shape, parameters)


def paper_start(start: PaperStart, shape: Shape, n_restarts: int, generator: np.random.Generator) -> Array:
    """The parameters (restarts × parameters) of `n_restarts` networks.

    `"uniform"` has weights U(±0.7) with biases U(0.2, 0.8), `"fan_in"` weights U(±1/(2·fan-in)) with biases 1/2 and
    merge biases 0.
    """
    result = np.empty((n_restarts, shape.n_parameters))
    for layer in shape.layers:
        size = layer.n_inputs + 1
        limit = 0.7 if start == "uniform" else 1 / (2 * layer.n_inputs)
        block = generator.uniform(-limit, limit, (n_restarts, layer.n_outputs, size))
        biases = generator.uniform(0.2, 0.8, block.shape[:2])
        block[..., -1] = biases if start == "uniform" else 0.5
        result[:, layer.start : layer.merge] = block.reshape(n_restarts, -1)
        result[:, layer.merge : layer.stop] = 0
    return result
