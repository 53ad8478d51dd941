"""The pool: the best crystal found for each number of literals, pruned; and what crystals lose on rows."""

from collections.abc import Callable, Iterator

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import Knowledge, keeps_to
from crystalogic.crystal import Crystal, Neuron
from crystalogic.progress import Clock
from crystalogic.search.states import size_of
from crystalogic.search.table import Rows, RowTargets

TIE = 1e-3  # on the front a neuron costs this many rows: of two formulas as good and as long, the flatter one


class Pool:
    """The best crystal of each size, by loss, among those that keep what was declared: the one door to a front."""

    def __init__(self, rows: Rows, settings: Annealing, knowledge: Knowledge) -> None:
        self.rows, self.settings, self.knowledge = rows, settings, knowledge
        self.loss = np.full(settings.max_literals + 1, np.inf)
        self.crystals: list[Crystal | None] = [None] * (settings.max_literals + 1)

    def offer(self, size: int, loss: float, crystal: Crystal) -> None:
        """Keep the crystal if it is permitted, and better than the one of its size."""
        is_better = size < len(self.loss) and loss < self.loss[size] - 1e-9
        if is_better and is_permitted(crystal, self.settings, self.knowledge):
            self.loss[size], self.crystals[size] = loss, crystal

    def judge(self, crystal: Crystal) -> None:
        """Offer a crystal that was found elsewhere, with what it loses here."""
        self.offer(size_of(crystal), self._lost(crystal) + TIE * len(crystal.live), crystal)

    def _lost(self, crystal: Crystal) -> float:
        return float(self.rows.weight @ lost(crystal, self.rows, share_of(self.rows, self.settings)))

    def front(self) -> list[tuple[int, float, Crystal]]:
        """(literals, loss, crystal), each better than every shorter one by more than what its neurons cost."""
        kept: list[tuple[int, float, Crystal]] = []
        for size, (loss, crystal) in enumerate(zip(self.loss, self.crystals, strict=True)):
            if crystal is not None and (not kept or loss < kept[-1][1] - 0.02):
                kept.append((size, float(loss), crystal))
        return kept

    def shorten(self, otherwise: Crystal, clock: Clock) -> None:
        """Offer the crystals of the front without the literals that cost nothing; of an empty one, this crystal."""

        def accept(each: Crystal) -> bool:
            return size_of(each) > 0 and is_permitted(each, self.settings, self.knowledge)

        for crystal in [crystal for _, _, crystal in self.front()] or [otherwise]:
            if not clock.is_over():
                shorter = prune(crystal, self._lost, accept)
                if size_of(shorter) < size_of(crystal):
                    self.judge(shorter)


def prune(
    crystal: Crystal, loss: Callable[[Crystal], float], accept: Callable[[Crystal], bool] | None = None
) -> Crystal:
    """The crystal without the links whose removal does not raise the loss, the best removal first, until none is left.

    Removing a link leaves its neuron's threshold k or lowers it with the literal: ⊗ stays ⊗ and ⊕ stays ⊕. `accept`
    may refuse a crystal, for instance one that no longer reads a required feature.
    """
    best = loss(crystal)
    while True:
        choices = [
            (loss(each), index, each)
            for index, each in enumerate(one_link_less(crystal))
            if accept is None or accept(each)
        ]
        if not choices:
            return crystal
        least, _, shorter = min(choices, key=lambda choice: choice[:2])
        if least > best + 1e-9:
            return crystal
        best, crystal = least, shorter


def one_link_less(crystal: Crystal) -> Iterator[Crystal]:
    """Every crystal with one link less by one, its neuron's threshold kept or lowered, dead neurons left out."""
    for index in sorted(crystal.live):
        neuron = crystal.neurons[index]
        for place, (_, weight) in enumerate(neuron.links):
            step = 1 if weight > 0 else -1
            weights = [w - step * (t == place) for t, w in enumerate(neuron.weights)]
            # one positive literal less: k stays with the bias, or falls by one with bias + 1; negative: the reverse
            for bias in (neuron.bias, neuron.bias + step):
                changed = list(crystal.neurons)
                changed[index] = Neuron(neuron.sources, weights, bias)
                yield Crystal(crystal.inputs, changed, crystal.outputs).narrow().over(crystal.inputs)


def is_permitted(crystal: Crystal, settings: Annealing, knowledge: Knowledge) -> bool:
    """Whether a crystal may be offered: it is small enough, goes against nothing that was declared, and its formula
    has all that is required, which what stands in a neuron without effect is not."""
    if len(crystal.live) > settings.max_neurons or not keeps_to(crystal, knowledge):
        return False
    if not knowledge.required:
        return True
    from crystalogic.symbolic.extract import extract

    return set(knowledge.required) <= set(extract(crystal).formula.variables)


def lost(crystal: Crystal, rows: Rows, graded: float = 0.0) -> Array:
    """What each row loses: the error for truth degrees; for classes 1 on the wrong side of 1/2, mixed with the error.

    `graded` is the share of the error in the mixture.
    """
    return loss_of(rows.degrees(crystal), rows, graded)[:, 0]


def loss_of(degrees: Array, rows: RowTargets, graded: float = 0.0) -> Array:
    """What each row loses with each of its degrees (rows × formulas)."""
    target = (rows.target / np.float32(rows.one))[:, None]
    size = np.abs(degrees - target).astype(np.float64)
    if not rows.cut:
        return size
    return np.asarray((1 - graded) * ((degrees >= 0.5) != (target >= 0.5)) + graded * size)


def share_of(rows: Rows, settings: Annealing) -> float:
    """The share of the graded error in the loss."""
    return settings.graded if rows.cut else 1.0
