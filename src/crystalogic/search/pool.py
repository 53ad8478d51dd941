"""The pool: the best crystal found for each number of literals; what crystals lose; crystals as states of kernels."""

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import Knowledge, keeps_to
from crystalogic.crystal import Crystal, Neuron
from crystalogic.search.lanes import BIAS, HEAD, LINKS
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
    degrees, target = rows.degrees(crystal)[:, 0], rows.target / np.float32(rows.one)
    size = np.abs(degrees - target).astype(np.float64)
    if not rows.cut:
        return size
    return np.asarray((1 - graded) * ((degrees >= 0.5) != (target >= 0.5)) + graded * size)


def lanes_to_crystal(state: Array, names: tuple[str, ...]) -> Crystal:
    """The crystal of a lanes state, without its dead neurons."""
    neurons = []
    for bias, n_links, *links in state.tolist():
        neurons.append(Neuron(links[0 : 2 * n_links : 2], links[1 : 2 * n_links : 2], bias).sort())
    return Crystal(names, neurons, [len(names) + len(neurons) - 1]).narrow().over(names)


def crystal_to_lanes(crystal: Crystal, names: tuple[str, ...], spare: int) -> Array:
    """The lanes state of a crystal with one output over these names, with `spare` dead neurons before each layer ends.

    An output that is an input or an inner neuron gets an output neuron of its own. Dead neurons stand first.
    """
    order, last = sorted(crystal.live), crystal.outputs[0]
    place = {value: names.index(name) for value, name in enumerate(crystal.inputs)}
    place |= {len(crystal.inputs) + index: len(names) + spare + j for j, index in enumerate(order)}
    neurons = [crystal.neurons[index] for index in order]
    if not order or last != len(crystal.inputs) + order[-1]:
        neurons.append(Neuron([last], [1], 0))
    capacity = max(12, 4 + max(len(neuron.links) for neuron in neurons))
    state = np.zeros((spare + len(neurons), HEAD + 2 * capacity), np.int16)
    for row, neuron in zip(state[spare:], neurons, strict=True):
        row[BIAS], row[LINKS] = neuron.bias, len(neuron.links)
        for t, (source, weight) in enumerate(neuron.links):
            row[HEAD + 2 * t], row[HEAD + 2 * t + 1] = place[source], weight
    return state


def size_of(crystal: Crystal) -> int:
    """How many literals the formula of the crystal's outputs has, written out: a neuron read twice counts twice."""
    sizes = [1] * len(crystal.inputs)
    for neuron in crystal.neurons:
        sizes.append(sum(abs(weight) * sizes[source] for source, weight in neuron.links))
    return sum(sizes[output] for output in crystal.outputs)
