"""Rows, equal ones merged, and their front: the best crystal found for each number of literals.

Many short restarts find more than few long ones. The first round begins with single literals, each later one with
crystals of the front so far, every other time with one more conjunction (`sprout`). The price of a literal is not one
number: restarts run along a ladder of prices, from a fraction of a row to a fiftieth of all that there is to gain, and
the temperature follows the price.

A clause of two literals is worth nothing before both are there, so single changes seldom find it in a long table. A
sprout is the conjunction that mends most of what is still wrong. Joined as an alternative, `out ⊕ c`, it raises the
output where it holds; joined as an exception, `out ⊗ ¬c`, it lowers it. What each row then gains is one number s, so
all pairs of literals are judged by one product L · diag(s) · Lᵀ.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from numpy.typing import ArrayLike

from crystalogic.annealing import Annealing
from crystalogic.arrays import Array, np
from crystalogic.candidates import FALL, RISE, Knowledge, checked_weight, keeps_to
from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TrainingDataError
from crystalogic.features import Features
from crystalogic.progress import Clock
from crystalogic.search import lanes
from crystalogic.search.lanes import GRADED, HEAD, LEAST, SIZE, TIE
from crystalogic.symbolic.extract import extract

LARGEST_SCALE = 60  # Sₙ up to this n is recognised and computed in integers


@dataclass(frozen=True)
class Rows:
    """Features (features × rows) and targets, both times `one`; `cut` > 0 for a class target."""

    names: tuple[str, ...]
    features: Array
    target: Array
    weight: Array  # of all rows of the table that a row stands for; the weights add up to the counts
    count: Array  # how many these are
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
    return next((n for n in range(1, LARGEST_SCALE + 1) if np.abs(values * n - np.rint(values * n)).max() < 1e-6), 1)


def merge_equal(rows: Rows, weight: Array, count: Array) -> Rows:
    """The rows with equal ones of one target merged, ordered by content alone: to repeat a row is to count it twice."""
    values = np.ascontiguousarray(np.vstack([rows.features, rows.target]).T + np.float32(0))  # -0 is 0
    whole = values.view(f"V{values.shape[1] * values.itemsize}")[:, 0]
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    total, summed = np.bincount(place, count).astype(np.int64), np.bincount(place, weight)
    summed *= total.sum() / summed.sum()
    order = np.random.default_rng(0).permutation(len(first))  # kernels give up early, so no order says anything
    return replace(rows.take(first[order]), weight=summed[order].astype(np.float32), count=total[order])


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
    return not knowledge.required or set(knowledge.required) <= set(extract(crystal).formula.variables)


def lost(crystal: Crystal, rows: Rows, graded: float = 0.0) -> Array:
    """What each row loses: the error; for classes 1 if it is wrong, of which a share `graded` is the error instead."""
    degrees, target = rows.degrees(crystal)[:, 0], rows.target / np.float32(rows.one)
    size = np.abs(degrees - target).astype(np.float64)
    if not rows.cut:
        return size
    return np.asarray((1 - graded) * ((degrees >= 0.5) != (target >= 0.5)) + graded * size)


def neuron_of(k: int, literals: Sequence[int]) -> Neuron:
    """The neuron that says "at least k of these": sources, ~source where one is negated; those named twice count so."""
    weights: Counter[int] = Counter()
    for literal in literals:
        weights[max(literal, ~literal)] += 1 if literal >= 0 else -1
    sources = sorted(weights)
    return Neuron(sources, [weights[source] for source in sources], sum(each < 0 for each in literals) - k + 1)


def lanes_to_crystal(state: Array, names: tuple[str, ...]) -> Crystal:
    """The crystal of a lanes state, without its dead neurons."""
    neurons = [neuron_of(k, literals[:size]) for k, size, *literals in state.tolist()]
    return Crystal(names, neurons, [len(names) + len(neurons) - 1]).narrow().over(names)


def crystal_to_lanes(crystal: Crystal, names: tuple[str, ...], spare: int) -> Array:
    """The lanes state of a crystal over these names: `spare` dead neurons first, an output neuron of its own last."""
    order, last = sorted(crystal.live), crystal.outputs[0]
    place = {value: names.index(name) for value, name in enumerate(crystal.inputs)}
    place |= {len(crystal.inputs) + index: len(names) + spare + j for j, index in enumerate(order)}
    neurons = [crystal.neurons[index] for index in order]
    if not order or last != len(crystal.inputs) + order[-1]:
        neurons.append(Neuron([last], [1], 0))
    written = [
        [place[source] if weight > 0 else ~place[source] for source, weight in neuron.links for _ in range(abs(weight))]
        for neuron in neurons
    ]
    state = np.zeros((spare + len(neurons), HEAD + max(12, 4 + max(map(len, written)))), np.int16)
    for row, neuron, literals in zip(state[spare:], neurons, written, strict=True):
        row[LEAST], row[SIZE] = sum(each < 0 for each in literals) - neuron.bias + 1, len(literals)
        row[HEAD : HEAD + len(literals)] = literals
    return state


def size_of(crystal: Crystal) -> int:
    """How many literals the formula of the crystal's outputs has, written out: a neuron read twice counts twice."""
    sizes = [1] * len(crystal.inputs)
    for neuron in crystal.neurons:
        sizes.append(sum(abs(weight) * sizes[source] for source, weight in neuron.links))
    return sum(sizes[output] for output in crystal.outputs)


MOVES = 4000  # of a restart
RUNGS = 4  # of the ladder of prices, and restarts on each
FULL, FOLD = 10, 6  # rounds for the front, and for one of a fold


def fill(pool: Pool, rounds: int, seed: int, clock: Clock, crystal: Crystal | None = None) -> None:
    """Fill a pool with the best crystals on its rows; what is there is kept when the clock says stop."""
    rows, settings, knowledge = pool.rows, pool.settings, pool.knowledge
    start = crystal or knowledge.start
    given = [] if start is None else [start.over(rows.names)]
    for each in given:
        pool.judge(each)
    ladder = [0.1 * unit(rows), 0.5 * unit(rows)]
    if rows.cut:  # from 0.3 rows up to a fiftieth of the baseline, or one row where that is less
        ladder = [0.3 * (max(1.0, rows.baseline / 50) / 0.3) ** (rung / (RUNGS - 1)) for rung in range(RUNGS)]
    for turn in range(max(2, round(rounds * settings.effort))):
        for rung, price in enumerate(ladder):
            front = [found for _, _, found in pool.front()]
            begin = front[rung % 2 :: max(1, len(front) // RUNGS)][:RUNGS]
            if turn == 0 or not front:
                begin = given + [make_simplest(rows, knowledge, rung + place) for place in range(0 if crystal else 4)]
            for place, each in enumerate(begin):
                if clock.is_over():
                    return
                if turn % 2:
                    each = sprout(each, rows, knowledge, (rung // 2 + turn // 2 + place) % 2 == 1) or each
                    pool.judge(each)
                spare = max(4, settings.max_neurons - len(each.live))
                anneal(pool, each, spare, MOVES, price, seed * 1013 + 31 * rung + place + 997 * turn)


def unit(rows: Rows) -> float:
    """The temperature for truth degrees: a fiftieth of what the best constant loses."""
    return max(rows.baseline, 1e-3) / 50


def make_simplest(rows: Rows, knowledge: Knowledge, turn: int, k: int = 1) -> Crystal:
    """One literal, or at least k of the required ones: the feature that goes best with the target, or a next best."""
    strength, permitted = rows.strength, knowledge.permitted(rows.names)
    usable = np.flatnonzero(permitted)
    order = usable[np.argsort(-np.abs(strength[usable]), kind="stable")]
    chosen = knowledge.needed(rows.names).tolist() or [int(order[turn % len(order)])]
    rises = [(strength[each] >= 0 and permitted[each] & RISE) or not permitted[each] & FALL for each in chosen]
    literals = [each if is_rise else ~each for each, is_rise in zip(chosen, rises, strict=True)]
    return Crystal(rows.names, [neuron_of(k, literals)], [len(rows.names)])


def offer_simplest(pool: Pool) -> None:
    """Offer what takes no search: "at least k" of what is required, for every k; else the strongest literal."""
    if pool.knowledge.permitted(pool.rows.names).any():
        for k in range(1, max(1, len(pool.knowledge.required)) + 1):
            pool.judge(make_simplest(pool.rows, pool.knowledge, 0, k))


def anneal(pool: Pool, crystal: Crystal, spare: int, moves: int, price: float, seed: int) -> None:
    """Anneal from a crystal, with so many neurons to spare, and offer all that was seen to the pool."""
    rows, knowledge = pool.rows, pool.knowledge
    state = crystal_to_lanes(crystal, rows.names, spare)
    best, loss = np.zeros((len(pool.loss), *state.shape), np.int16), pool.loss.copy()
    heat = (0.8 * max(1.0, price), 0.15, price) if rows.cut else (unit(rows), 0.04 * unit(rows), price)
    known = knowledge.permitted(rows.names), knowledge.needed(rows.names), pool.settings.max_neurons
    task = lanes.Task(rows.features, rows.target, rows.weight, rows.one, rows.cut, *known, *heat)
    lanes.anneal(task, state, best, loss, moves, seed % 2**32)
    for size in np.flatnonzero(loss < pool.loss - 1e-9):
        if size_of(found := lanes_to_crystal(best[size], rows.names)) == size:
            pool.offer(int(size), float(loss[size]), found)


MOST_ROWS = 4096  # rows that a conjunction is looked for in; they stand in an order that says nothing
MOST_LITERALS = 200  # of which pairs are made: those that gain most alone
LONGEST = 4  # literals of a conjunction


def sprout(crystal: Crystal, rows: Rows, knowledge: Knowledge, is_exception: bool) -> Crystal | None:
    """The crystal with another conjunction as an alternative or an exception; None where none would gain anything."""
    part = rows if rows.n_rows <= MOST_ROWS else rows.take(np.arange(MOST_ROWS))
    values, n_inputs = part.features / np.float32(part.one), len(rows.names)
    literals, gains = np.concatenate([values, 1 - values]), _gains(part, crystal, is_exception)
    permitted = knowledge.permitted(rows.names)
    ways = (FALL, RISE) if is_exception else (RISE, FALL)
    usable = np.flatnonzero(np.concatenate([permitted & way for way in ways]))
    usable = usable[np.argsort(-(literals[usable] @ gains), kind="stable")[:MOST_LITERALS]]
    literals = literals[usable]
    pairs = np.triu((literals * gains) @ literals.T)
    chosen = list(dict.fromkeys(map(int, np.unravel_index(pairs.argmax(), pairs.shape))))
    gain = float(pairs.max())
    while gain > 0 and len(chosen) < LONGEST:
        more = literals @ (literals[chosen].prod(axis=0) * gains)
        if more.max() <= gain * (1 + 1e-6):
            break
        chosen.append(int(more.argmax()))
        gain = float(more.max())
    if gain <= 0:
        return None
    parts = [each if each < n_inputs else ~(each - n_inputs) for each in dict.fromkeys(usable[chosen].tolist())]
    place = crystal.n_values
    joined = Neuron([crystal.outputs[0], place], [1, -1 if is_exception else 1], 0)
    return Crystal(crystal.inputs, [*crystal.neurons, neuron_of(len(parts), parts), joined], [place + 1])


def _gains(rows: Rows, crystal: Crystal, is_exception: bool) -> Array:
    """What each row gains where the conjunction holds; a row that is right as it is loses."""
    now, goal = rows.degrees(crystal)[:, 0], rows.target / np.float32(rows.one)
    if rows.cut:
        now, goal = (now >= 0.5).astype(np.float32), (goal >= 0.5).astype(np.float32)
    if is_exception:
        now, goal = 1 - now, 1 - goal
    return np.asarray(np.where(goal > now + 1e-6, goal - now, now - 1) * rows.weight, np.float32)
