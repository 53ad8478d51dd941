"""Straight-through estimation: compute with the ternary weights, learn in the continuous ones.

    forward    the network with T(w) and rounded biases                         (Eq. 11)
    backward   ∂L/∂w ≈ ∂L/∂T(w)                                                 (Eq. 12)

Adam moves the shadow weights w, which stay in [-limit, limit]. The integers of the best step are the result, so a run
is crystallized by construction, and rounding costs nothing.

Ours differs from the paper's in four ways. Neurons begin as "at least k of a few literals". A saturated ψ leaks a
tenth of the gradient that leads back into [0,1], so that no neuron dies. Every literal costs a little loss, which keeps
formulas short and noisy labels unlearnt. And there is one hidden layer: a second one leaves more restarts constant.
There is no schedule of section 4.1, because Υ₂ sends a shadow weight of 0.4 to 0 while T reads it as 1.
"""

from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.network import Stage
from crystalogic.train.block import Adam, Block, loss_and_gradient, score
from crystalogic.train.strategy import Strategy, Trainer, TrainingOutcome, ternary


class StraightThroughTrainer(Trainer):
    """The parameters are the shadow weights of all restarts; the best so far are kept."""

    def __init__(self, fields: Any, block: Block, *given: Any, **options: Any) -> None:
        super().__init__(fields, block, *given, **options)
        self._judged: Block | None = None
        if block.n_rows > fields.batch_rows:  # these rows judge which step was best; all reports are on all rows
            self._judged = block.draw(max(1, min(2**16, 2**24 // block.n_inputs)), self._generator)
        self._adam = Adam(self._parameters)
        self._bound = np.where(self._is_weight, np.float32(fields.limit), np.float32(np.inf))
        self._best, self._least = self._parameters.copy(), np.full(len(self.loss), np.inf)

    def _quantize(self, shadow: Array) -> Array:
        return np.where(self._is_weight, ternary(shadow, self._fields.threshold), np.rint(shadow))

    def advance(self, step: int) -> None:
        fields = self._fields
        lattice = self._quantize(self._parameters)
        if self._judged is not None and step % 20 == 0:
            self._judge_step(score(self._judged, self._engines, lattice).loss, lattice)
        loss, gradient = loss_and_gradient(self._draw(), self._engines, lattice)
        if self._judged is None:
            self._judge_step(loss, lattice)
        if fields.literal_cost:
            gradient += np.float32(fields.literal_cost) * np.sign(self._parameters) * self._is_weight
        rate = fields.final_rate + (fields.rate - fields.final_rate) * (0.5 * (1 + np.cos(np.pi * step / fields.steps)))
        self._adam.step(self._parameters, gradient, rate, fields.max_norm)
        self._bend(step)
        np.clip(self._parameters, -self._bound, self._bound, out=self._parameters)

    def _bend(self, step: int) -> None:
        """What else happens to the shadow weights after a step of Adam: nothing."""

    def _judge_step(self, loss: Array, lattice: Array) -> None:
        self.loss = loss
        cost = self._fields.literal_cost * (lattice[:, self._is_weight] != 0).sum(axis=1)
        is_better = (loss + cost < self._least) & ~self.is_finished
        self._least[is_better] = (loss + cost)[is_better]
        self._best[is_better] = self._parameters[is_better]

    def outcome(self) -> TrainingOutcome:
        network = self._quantize(self._best)
        return TrainingOutcome(self._best, network, network, network)


@dataclass(frozen=True)
class StraightThrough(Strategy):
    """Straight-through estimation with Adam; its own settings beside those of every `Strategy`.

    Parameters:
        rate: Adam's rate at the first step; it falls along a cosine.
        final_rate: Adam's rate at the last step.
        max_norm: the greatest norm of a gradient; a longer one is shortened.
        limit: the greatest size of a shadow weight.
        threshold: how large a shadow weight must be to count as 1 or -1.
    """

    hidden: tuple[Stage, ...] = (8,)
    steps: int = 2000
    rate: float = 0.01
    final_rate: float = 1e-5
    max_norm: float = 1.0
    limit: float = 1.5
    threshold: float = 1 / 3
    trainer = StraightThroughTrainer
