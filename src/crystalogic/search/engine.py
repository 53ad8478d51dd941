"""Fill a front: the best crystal found for each number of literals, on one set of rows.

Many short restarts find more than few long ones. The first round begins with single literals, each later one with
crystals of the front so far, every other time with one more conjunction (`sprout`). The price of a literal is not one
number: restarts run along a ladder of prices, from a fraction of a row to a fiftieth of all that there is to gain, and
the temperature follows the price.

A clause of two literals is worth nothing before both are there, so single changes seldom find it in a long table. A
sprout is the conjunction that mends most of what is still wrong. Joined as an alternative, `out ⊕ c`, it raises the
output where it holds; joined as an exception, `out ⊗ ¬c`, it lowers it. What each row then gains is one number s, so
all pairs of literals are judged by one product L · diag(s) · Lᵀ.
"""

from crystalogic.arrays import Array, np
from crystalogic.candidates import FALL, RISE, Knowledge
from crystalogic.crystal import Crystal, Neuron
from crystalogic.progress import Clock
from crystalogic.search import lanes
from crystalogic.search.pool import GRADED, Pool, Rows, crystal_to_lanes, lanes_to_crystal, size_of

MOVES = 4000  # of a restart
RUNGS = 4  # of the ladder of prices, and restarts on each
FULL, FOLD = 10, 6  # rounds for the front, and for one of a fold


def fill(pool: Pool, rounds: int, seed: int, clock: Clock, crystal: Crystal | None = None) -> None:
    """Fill a pool with the best crystals on its rows; what is there is kept when the clock says stop.

    The first round begins with the crystal alone, or else with what is known to start from and four single literals.
    """
    rows, settings, knowledge = pool.rows, pool.settings, pool.knowledge
    start = crystal or knowledge.start
    first: list[Crystal | None] = [None] * (4 if crystal is None else 0)
    if start is not None:
        pool.judge(start.over(rows.names))
        first.insert(0, start)
    ladder = [0.1 * unit(rows), 0.5 * unit(rows)]
    if rows.cut:  # from 0.3 rows up to a fiftieth of the baseline, or one row where that is less
        ladder = [0.3 * (max(1.0, rows.baseline / 50) / 0.3) ** (rung / (RUNGS - 1)) for rung in range(RUNGS)]
    for turn in range(max(2, round(rounds * settings.effort))):
        for rung, price in enumerate(ladder):
            front: list[Crystal | None] = [crystal for _, _, crystal in pool.front()]
            spread = front[rung % 2 :: max(1, len(front) // RUNGS)][:RUNGS]
            for place, crystal in enumerate(first if turn == 0 or not front else spread):
                if clock.is_over():
                    return
                if crystal is not None and turn % 2:
                    is_exception = (rung // 2 + turn // 2 + place) % 2 == 1
                    crystal = sprout(crystal, rows, knowledge, is_exception, turn // 2) or crystal
                    pool.judge(crystal)
                if crystal is None:
                    state = first_state(rows, knowledge, settings.max_neurons, rung + place)
                else:
                    state = crystal_to_lanes(crystal, rows.names, max(4, settings.max_neurons - len(crystal.live)))
                anneal_lanes(pool, state, MOVES, price, seed * 1013 + 31 * rung + place + 997 * turn)


def heat_of(price: float) -> lanes.Heat:
    """The temperatures that go with a price, for classes."""
    return lanes.Heat(0.8 * max(1.0, price), 0.15, price)


def unit(rows: Rows) -> float:
    """The temperature for truth degrees: a fiftieth of what the best constant loses."""
    return max(rows.baseline, 1e-3) / 50


def first_state(rows: Rows, knowledge: Knowledge, n_neurons: int, turn: int) -> Array:
    """One literal, or the required ones, to start from: the feature that goes best with the target, or a next best."""
    strength, permitted = rows.strength, knowledge.permitted(rows.names)
    usable = np.flatnonzero(permitted)
    order = usable[np.argsort(-np.abs(strength[usable]), kind="stable")]
    chosen = list(knowledge.needed(rows.names)) or [order[turn % len(order)]]
    state = np.zeros((n_neurons, lanes.HEAD + 2 * max(12, len(chosen) + 4)), np.int16)
    for feature in chosen:
        sign = 1 if (strength[feature] >= 0 and permitted[feature] & RISE) or not permitted[feature] & FALL else -1
        lanes.link(state[-1], feature, sign, 0)
    return state


def offer_simplest(pool: Pool) -> None:
    """Offer what takes no search: "at least k" of what is required, for every k; else the strongest literal."""
    if pool.knowledge.permitted(pool.rows.names).any():
        state = first_state(pool.rows, pool.knowledge, 1, 0)
        for _ in range(max(1, len(pool.knowledge.required))):
            pool.judge(lanes_to_crystal(state, pool.rows.names))
            state[-1, lanes.BIAS] -= 1


def anneal_lanes(pool: Pool, state: Array, moves: int, price: float, seed: int) -> None:
    """Anneal one state on float lanes and offer all it saw to the pool."""
    rows, knowledge = pool.rows, pool.knowledge
    front = lanes.Best(np.zeros((len(pool.loss), *state.shape), np.int16), pool.loss.copy())
    graded = GRADED if rows.cut else 1.0
    heat = heat_of(price) if rows.cut else lanes.Heat(unit(rows), 0.04 * unit(rows), price)
    given = lanes.Lanes(rows.features, rows.target, rows.weight, rows.one, rows.cut, 1.0 - graded, graded)
    permitted, required = knowledge.permitted(rows.names), knowledge.needed(rows.names)
    lanes.anneal(given, permitted, required, state, front, moves, heat, pool.settings.max_neurons, seed)
    for size in np.flatnonzero(front.loss < pool.loss - 1e-9):
        crystal = lanes_to_crystal(front.states[size], rows.names)
        if size_of(crystal) == size:
            pool.offer(int(size), float(front.loss[size]), crystal)


MOST_ROWS = 4096  # rows that a conjunction is looked for in; they stand in an order that says nothing
MOST_LITERALS = 200  # of which pairs are made: those that gain most alone
N_BEST = 8  # pairs to take turns
LONGEST = 4  # literals of a conjunction


def sprout(crystal: Crystal, rows: Rows, knowledge: Knowledge, is_exception: bool, turn: int) -> Crystal | None:
    """The crystal with another conjunction as an alternative or an exception; None where none would gain anything."""
    part = rows if rows.n_rows <= MOST_ROWS else rows.take(np.arange(MOST_ROWS))
    gains = _gains(part.degrees(crystal)[:, 0], part, is_exception)
    values = part.features / np.float32(part.one)
    literals = np.concatenate([values, 1 - values])
    permitted = knowledge.permitted(rows.names)
    ways = (FALL, RISE) if is_exception else (RISE, FALL)
    usable = np.flatnonzero(np.concatenate([permitted & way for way in ways]))
    alone = literals[usable] @ gains
    usable = usable[np.argsort(-alone, kind="stable")[:MOST_LITERALS]]
    chosen = _conjunction(literals[usable], gains, turn)
    return None if chosen is None else _join(crystal, usable[chosen].tolist(), is_exception)


def _gains(degrees: Array, rows: Rows, is_exception: bool) -> Array:
    """What each row gains where the conjunction holds; a row that is right as it is loses."""
    now, goal = degrees, rows.target / np.float32(rows.one)
    if rows.cut:
        now, goal = (now >= 0.5).astype(np.float32), (goal >= 0.5).astype(np.float32)
    if is_exception:
        now, goal = 1 - now, 1 - goal
    return np.asarray(np.where(goal > now + 1e-6, goal - now, now - 1) * rows.weight, np.float32)


def _conjunction(literals: Array, gains: Array, turn: int) -> Array | None:
    """The places of literals that gain together: one of the best pairs, with others as long as they gain more."""
    pairs = np.triu((literals * gains) @ literals.T)
    best = np.argsort(-pairs, axis=None, kind="stable")[:N_BEST]
    first, second = np.unravel_index(best[turn % len(best)], pairs.shape)
    gain, chosen = float(pairs[first, second]), list(dict.fromkeys((int(first), int(second))))
    if gain <= 0:
        return None
    while len(chosen) < LONGEST:
        more = literals @ (literals[chosen].prod(axis=0) * gains)
        if more.max() <= gain * (1 + 1e-6):
            break
        gain = float(more.max())
        chosen.append(int(np.argmax(more)))
    return np.array(chosen)


def _join(crystal: Crystal, literals: list[int], is_exception: bool) -> Crystal:
    """ψ(s + c) or ψ(s - c): in the output neuron ψ(s) itself if it is ⊕ or ⊗, and in a new one otherwise."""
    n_inputs, output, sign = len(crystal.inputs), crystal.outputs[0], -1 if is_exception else 1
    links = {literal % n_inputs: -1 if literal >= n_inputs else 1 for literal in literals}
    n_negative = sum(weight < 0 for weight in links.values())
    clause = Neuron(list(links), list(links.values()), n_negative - len(links) + 1)
    neurons, place = [*crystal.neurons, clause], crystal.n_values
    old = crystal.neurons[output - n_inputs] if output >= n_inputs else Neuron([output], [1], 0)
    k = sum(max(0, -weight) for weight in old.weights) - old.bias + 1
    if k == (sum(map(abs, old.weights)) if is_exception else 1):
        neurons.append(Neuron([*old.sources, place], [*old.weights, sign], old.bias))
    else:
        neurons.append(Neuron([output, place], [1, sign], 0))
    return Crystal(crystal.inputs, neurons, [place + 1])
