"""Proximal regularization: Adam on the error, with penalties that lead to the lattice.

    L = MSE + λₛ Σ|w| + λₐ Σ P(w)                               (Eq. 13)

Phase 1 has the error and the literals alone; in phase 2 the attraction grows linearly. Weights stay in [-1,1].

The paper's potential P(w) = w²(1-w²) pulls every weight under 1/√2 to 0, biases are not attracted at all, and a phase
ends as soon as the error is under a tolerance, so that the final rounding decides nearly everything: the collapse the
paper reports (`research/paper/strategies.py`). Ours attracts with the squared distance to the nearest integer, biases
too, whose proximal step is w ← (w + α⌊w⌉)/(1 + α). And it takes the proximal step of the lattice itself, w ← ⌊w⌉, for a
few parameters at a time (`strategy`). Phase 2 ends on the lattice, so the rounding at the end changes nothing.
"""

from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import np
from crystalogic.network import Stage
from crystalogic.train.block import Adam, loss_and_gradient
from crystalogic.train.strategy import FreezingTrainer, Strategy


class _Trainer(FreezingTrainer):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._bound = np.where(self._is_weight, np.float32(1), np.float32(np.inf))
        self._adam = Adam(self._parameters)
        self._turn = round(self._fields.first_phase * self._fields.steps)  # where phase 2 begins

    def advance(self, step: int) -> None:
        fields, w = self._fields, self._parameters
        second, second_steps = step - self._turn, fields.steps - self._turn
        self._freeze(second, second_steps)
        self.loss, gradient = loss_and_gradient(self._draw(), self._engines, w)
        gradient += np.float32(fields.literal_cost) * np.sign(w) * self._is_weight
        held = w.copy()
        self._adam.step(w, gradient, fields.rate)
        pull = np.float32(fields.attraction_cost * np.clip((second + 1) / max(1, second_steps), 0, 1))
        np.copyto(w, (w + pull * np.rint(w)) / (1 + pull))
        np.clip(w, -self._bound, self._bound, out=w)
        np.copyto(w, held, where=~self._is_free)


@dataclass(frozen=True)
class Proximal(Strategy):
    """Two-phase Adam with sparsity and lattice attraction; its own settings beside those of every `Strategy`.

    Parameters:
        rate: Adam's rate.
        first_phase: the share of the steps that see the error alone.
        attraction_cost: how strongly parameters are drawn to the nearest integers at the end of phase 2.
        refit: every so many steps of phase 2 some parameters are rounded and held; None for never.
    """

    hidden: tuple[Stage, ...] = (8,)
    steps: int = 2000
    rate: float = 0.01
    first_phase: float = 0.4
    attraction_cost: float = 0.02
    refit: int | None = 30
    trainer = _Trainer
