"""The rows of a search, equal ones merged, and the pool: the best crystal found on them for each number of literals."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates import Knowledge, checked_weight, keeps_to
from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TrainingDataError
from crystalogic.features import Features
from crystalogic.search.lanes import BIAS, HEAD, LINKS

GRADED = 0.1  # the share of the loss of a class that is the size of the error rather than the error itself
TIE = 1e-3  # on the front a neuron costs this many rows: of two formulas as good and as long, the flatter one
LARGEST_SCALE = 60  # Sₙ up to this n is recognised and computed in integers


@dataclass(frozen=True)
class Rows:
    """Features (features × rows) and targets, both times `one`; `cut` > 0 for a class target.

    A row stands for `count` rows of the table, which together have its weight; the weights add up to the counts.
    """

    names: tuple[str, ...]
    features: Array
    target: Array
    weight: Array
    count: Array
    one: float
    cut: float

    @property
    def n_rows(self) -> int:
        return len(self.target)

    @cached_property
    def baseline(self) -> float:
        """The weight that the best constant gets wrong: what there is to gain."""
        if self.cut:
            positive = float(self.weight[self.target >= self.cut].sum())
            return min(positive, float(self.weight.sum()) - positive)
        goals = np.unique(self.target)
        return float(min((self.weight * np.abs(self.target - goal)).sum() for goal in goals[:200])) / self.one

    @cached_property
    def strength(self) -> Array:
        """How far each feature goes with the target, or against it."""
        goal = self.target - self.target.mean()
        centred = self.features - self.features.mean(axis=1, keepdims=True)
        return np.asarray((centred * (goal * self.weight)).sum(axis=1))

    def take(self, indices: Array) -> "Rows":
        features = np.ascontiguousarray(self.features[:, indices])
        goal = {name: getattr(self, name)[indices] for name in ("target", "weight", "count")}
        return replace(self, features=features, **goal)

    def share(self, count: Array) -> "Rows":
        """The same table with only so many of what each row stands for."""
        kept = np.flatnonzero(count)
        part = self.take(kept)
        if np.array_equal(part.count, count[kept]):
            return part
        return replace(part, weight=part.weight * (count[kept] / part.count).astype(np.float32), count=count[kept])

    def degrees(self, crystal: Crystal) -> Array:
        """The outputs (rows × outputs) of a crystal that reads some of these features."""
        used = crystal.narrow()
        place = {name: index for index, name in enumerate(self.names)}
        return used.run_rows((self.features[[place[name] for name in used.inputs]] / np.float32(self.one)).T)


def make_rows(features: Features, target: ArrayLike, weight: ArrayLike | None = None, *, is_class: bool) -> Rows:
    """The rows with their checked targets and weights, each standing for itself."""
    goal = np.asarray(target, dtype=np.float64)
    if goal.shape != (features.n_rows,) or not ((goal >= 0) & (goal <= 1)).all():
        message = f"expected one target in [0,1] for each of the {features.n_rows} rows, got the shape {goal.shape}."
        raise TrainingDataError(message)
    own, one = checked_weight(weight, len(goal)), _scale([*features.graded, goal])
    scaled = (np.rint(goal * one) if one > 1 else goal).astype(np.float32)
    own = (own * (len(own) / own.sum())).astype(np.float32)
    dense, count = features.dense(np.arange(len(features)), one), np.ones(len(own), np.int64)
    return Rows(features.names, dense, scaled, own, count, float(one), one / 2 if is_class else 0.0)


def _scale(columns: Sequence[Array]) -> int:
    """The least n with every value in Sₙ, or 1 where there is none: then values stay as they are."""
    values = np.array([0, 1], np.float32)
    for column in columns:
        values = np.union1d(values, column.astype(np.float32))
        if len(values) > LARGEST_SCALE + 1:
            return 1
    fitting = (n for n in range(1, LARGEST_SCALE + 1) if np.abs(values * n - np.rint(values * n)).max() < 1e-6)
    return next(fitting, 1)


def merge_equal(rows: Rows, weight: Array, count: Array) -> Rows:
    """The rows with those merged that are equal and have the same target, ordered by content alone.

    So repeating a row and counting it twice are the same, and so are all orders of a table. Where merging saves less
    than half and the weights are the counts, the rows stand one by one instead: kernels are fastest without weights.
    """
    values = np.ascontiguousarray(np.vstack([rows.features, rows.target]).T + np.float32(0))  # -0 is 0
    whole = values.view(f"V{values.shape[1] * values.itemsize}")[:, 0]
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    total, summed = np.bincount(place, count).astype(np.int64), np.bincount(place, weight)
    summed *= total.sum() / summed.sum()
    order = np.random.default_rng(0).permutation(len(first))  # kernels give up early, so no order says anything
    first, total, summed = first[order], total[order], summed[order]
    if np.allclose(summed, total) and total.sum() < 2 * len(total):
        first = np.repeat(first, total)
        summed = total = np.ones(len(first), np.int64)
    return replace(rows.take(first), weight=summed.astype(np.float32), count=total)


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
    """What each row loses: the error; for classes 1 if it is wrong, of which a share `graded` is the error instead."""
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
    """The lanes state of a crystal over these names: `spare` dead neurons first, an output neuron of its own last."""
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
