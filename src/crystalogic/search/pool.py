"""The pool: the best crystal found for each number of literals; and what crystals lose on rows."""

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import Knowledge, keeps_to
from crystalogic.crystal import Crystal
from crystalogic.search.states import size_of
from crystalogic.search.table import Rows

GRADED = 0.1  # the share of the loss of a class that is the size of the error rather than the error itself
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
        lost_here = float(self.rows.weight @ lost(crystal, self.rows, GRADED))
        self.offer(size_of(crystal), lost_here + TIE * len(crystal.live), crystal)

    def front(self) -> list[tuple[int, float, Crystal]]:
        """(literals, loss, crystal), each better than every shorter one by more than what its neurons cost."""
        kept: list[tuple[int, float, Crystal]] = []
        for size, (loss, crystal) in enumerate(zip(self.loss, self.crystals, strict=True)):
            if crystal is not None and (not kept or loss < kept[-1][1] - 0.02):
                kept.append((size, float(loss), crystal))
        return kept


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
    return loss_of(rows.degrees(crystal), rows, slice(None), graded)[:, 0]


def loss_of(degrees: Array, rows: Rows, places: Array | slice, graded: float = 0.0) -> Array:
    """What the rows at these places lose with each of their degrees (rows × formulas)."""
    target = (rows.target[places] / np.float32(rows.one))[:, None]
    size = np.abs(degrees - target).astype(np.float64)
    if not rows.cut:
        return size
    return np.asarray((1 - graded) * ((degrees >= 0.5) != (target >= 0.5)) + graded * size)
