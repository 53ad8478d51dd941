"""Sprout: a crystal with one more conjunction, the one that mends most of what is still wrong.

A clause of two literals is worth nothing before both are there, so single changes seldom find it in a long table.
Joined as an alternative, `out ⊕ c`, a conjunction c raises the output where it holds; joined as an exception,
`out ⊗ ¬c`, it lowers it. What each row then gains is one number s, so all pairs of literals are judged by one product
L · diag(s) · Lᵀ.
"""

from crystalogic.arrays import Array, np
from crystalogic.candidates.knowledge import FALL, RISE, Knowledge
from crystalogic.crystal import Crystal, Neuron
from crystalogic.search.pool import Rows

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
