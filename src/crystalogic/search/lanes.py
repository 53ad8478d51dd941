"""Annealing over crystals of any shape, on truth degrees: hidden layers, residual links, literals that count twice.

State layout, one int16 array of shape (neurons, 2 + capacity) in topological order: row j says of neuron j that at
least k of its m literals must hold: k, m, and then the literals, ~source where one is negated. A literal that stands
there twice counts twice. Sources are the features first, then the neurons; the last neuron is the output, and a neuron
that the output does not depend on is dead. Values are float32 times `one`: with one = n the degrees of Sₙ are integers
and every sum is exact.
"""

from typing import Any, NamedTuple

import numpy as np

from crystalogic.compiled import nb

LEAST, SIZE, HEAD = 0, 1, 2  # the places of k and of m, and where literals begin
BLOCK = 256  # rows evaluated before a hopeless candidate is given up
FAST = {"reassoc", "nsz", "contract"}  # lets a sum use vector lanes; not NaN or infinity, which are used
GRADED = 0.1  # the share of the loss of a class that is the size of the error rather than the error itself
TIE = 1e-3  # on the front a neuron costs this many rows: of two formulas as good and as long, the flatter one


class Task(NamedTuple):
    """Rows as floats times `one`, what a state may be, and how it is annealed."""

    features: Any
    target: Any
    weights: Any
    one: float
    cut: float  # if above 0, a row is wrong whose output and target lie on different sides of it
    permitted: Any  # for each feature the ways in which it may be heard, as bits
    required: Any
    most_neurons: int
    hot: float  # the first and the last temperature
    cold: float
    price: float  # of a literal


@nb.njit(cache=True, nogil=True)
def reads(row: Any, literal: int) -> bool:
    """Whether a neuron has this literal."""
    for t in range(HEAD, HEAD + row[SIZE]):
        if row[t] == literal:
            return True
    return False


@nb.njit(cache=True, nogil=True)
def add(row: Any, literal: int, rise: int) -> bool:
    """Add a literal and raise k; False when the row is full or has the negation."""
    place = HEAD + row[SIZE]
    if place >= row.shape[0] or reads(row, ~literal):
        return False
    row[place] = literal
    row[SIZE] += 1
    row[LEAST] += rise
    return True


@nb.njit(cache=True, nogil=True)
def drop(row: Any, place: int, fall: int) -> Any:
    """Remove the literal at this place and lower k; gives the literal."""
    literal = row[place]
    row[SIZE] -= 1
    row[place] = row[HEAD + row[SIZE]]
    row[LEAST] -= fall
    return literal


@nb.njit(cache=True, nogil=True)
def census(task: Task, state: Any, polarity: Any) -> tuple[int, int, bool]:
    """(literals, live neurons, whether the knowledge is respected); `polarity` says how the output hears each neuron.

    Literals are those of the formula written out: a neuron that is read twice counts twice. Polarity bit 1: the neuron
    can only raise the output, 2: only lower it, 3: both, 0: dead. A positive literal in a neuron that raises is a rise.
    """
    n, n_features, neurons, legal = state.shape[0], task.features.shape[0], 0, True
    polarity[:] = 0
    polarity[n - 1] = 1
    sizes = np.zeros(n, np.int64)
    for j in range(n):
        for literal in state[j, HEAD : HEAD + state[j, SIZE]]:
            source = max(literal, ~literal)
            sizes[j] += 1 if source < n_features else sizes[source - n_features]
        sizes[j] = min(sizes[j], 1_000_000)
    for j in range(n - 1, -1, -1):
        way = polarity[j]
        if way == 0:
            continue
        neurons += 1
        turned = ((way & 1) << 1) | (way >> 1)
        for literal in state[j, HEAD : HEAD + state[j, SIZE]]:
            source, effect = max(literal, ~literal), way if literal >= 0 else turned
            if source < n_features:
                legal = legal and (effect & ~task.permitted[source]) == 0
            else:
                polarity[source - n_features] |= effect
    for feature in task.required:
        found = False
        for j in range(n):
            is_heard = polarity[j] != 0 and 1 <= state[j, LEAST] <= state[j, SIZE]  # a constant hears nobody
            found = found or (is_heard and (reads(state[j], feature) or reads(state[j], ~feature)))
        legal = legal and found
    return sizes[n - 1], neurons, legal


@nb.njit(cache=True, nogil=True, fastmath=FAST)
def run(task: Task, state: Any, polarity: Any, values: Any, limit: float) -> float:
    """The loss of a state, of which the live neurons are computed; infinite once it is beyond `limit`."""
    features, target, weights = task.features, task.target, task.weights
    n, n_features, n_rows = state.shape[0], features.shape[0], target.shape[0]
    low, high, side = np.float32(0), np.float32(task.one), np.float32(task.cut)
    wrong, scale = np.float32(1 - GRADED), np.float32((GRADED if task.cut > 0 else 1.0) / task.one)
    total = 0.0
    for start in range(0, n_rows, BLOCK):
        stop = min(n_rows, start + BLOCK)
        for j in range(n):
            if polarity[j] == 0:
                continue
            lane, base = values[j, : stop - start], 1 - state[j, LEAST]
            for t in range(HEAD, HEAD + state[j, SIZE]):
                base += state[j, t] < 0
            lane[:] = np.float32(base * task.one)
            for t in range(HEAD, HEAD + state[j, SIZE]):
                source, sign = state[j, t], np.float32(1)
                if source < 0:
                    source, sign = ~source, np.float32(-1)
                other = features[source, start:stop] if source < n_features else values[source - n_features]
                for i in range(lane.shape[0]):
                    lane[i] += sign * other[i]
            for i in range(lane.shape[0]):
                lane[i] = min(high, max(low, lane[i]))
        out, here, goal, mass = values[n - 1], low, target[start:stop], weights[start:stop]
        if side > 0:
            for i in range(goal.shape[0]):
                bad = wrong if (out[i] >= side) != (goal[i] >= side) else low
                here += mass[i] * (bad + scale * abs(out[i] - goal[i]))
        else:
            for i in range(goal.shape[0]):
                here += mass[i] * (scale * abs(out[i] - goal[i]))
        total += float(here)
        if total > limit:
            return np.inf
    return total


@nb.njit(cache=True, nogil=True)
def pick(n_features: int, j: int, polarity: Any) -> Any:
    """A random literal for neuron j: mostly of a feature, now and then of an earlier neuron that is alive."""
    source = np.random.randint(n_features)
    if j > 0 and np.random.random() < 0.15:
        p = np.random.randint(j)
        source = n_features + p if polarity[p] != 0 else source
    return source if np.random.random() < 0.5 else ~source


@nb.njit(cache=True, nogil=True)
def propose(state: Any, n_features: int, polarity: Any) -> bool:
    """Change a live neuron of `state` at random; False when nothing was proposed."""
    n = state.shape[0]
    j = np.random.randint(n)
    while polarity[j] == 0:
        j = np.random.randint(n)
    row = state[j]
    k, m = row[LEAST], row[SIZE]
    is_and = 1 if k == m else 0
    rise = np.random.randint(2) if m < 2 or 1 < k < m else is_and  # a single literal is both ⊗ and ⊕
    place = HEAD + np.random.randint(max(m, 1))
    r = np.random.random()
    if r < 0.24 or m == 0:  # add a literal; ⊗ stays ⊗ and ⊕ stays ⊕
        return add(row, pick(n_features, j, polarity), rise)
    if r < 0.40:  # drop a literal
        drop(row, place, 1 if is_and else 0 if k <= 1 else rise)
        return True
    if r < 0.60:  # replace a literal
        drop(row, place, 1)
        return add(row, pick(n_features, j, polarity), 1)
    if r < 0.66:  # flip a literal
        return add(row, ~drop(row, place, 1), 1)
    if r < 0.78:  # move the threshold
        row[LEAST] += 1 if np.random.random() < 0.5 else -1
        return True
    if r < 0.84:  # move a literal to another neuron
        q, literal = np.random.randint(n), drop(row, place, is_and)
        if q == j or polarity[q] == 0 or max(literal, ~literal) >= n_features + q:
            return False
        return add(state[q], literal, 1 if state[q, LEAST] == state[q, SIZE] else 0)
    if r < 0.90:  # merge: a neuron read here is written out in place
        literal = drop(row, place, is_and)
        if max(literal, ~literal) < n_features:
            return False
        inner = state[max(literal, ~literal) - n_features]
        least, size = inner[LEAST], inner[SIZE]
        for t in range(HEAD, HEAD + size):
            if not add(row, inner[t] if literal >= 0 else ~inner[t], 0):
                return False
        row[LEAST] += size if is_and else max(0, (least if literal >= 0 else size - least + 1) - 1)
        return True
    dead = -1  # the remaining moves need a dead neuron before j
    for p in range(j):
        if polarity[p] == 0:
            dead = p
    if dead < 0:
        return False
    other, is_split = state[dead], r < 0.95 and m > 1
    other[SIZE] = 0
    if is_split:  # some of the literals move into a neuron of their own
        for t in range(HEAD + m - 1, HEAD - 1, -1):
            if max(row[t], ~row[t]) < n_features + dead and np.random.random() < 0.5:
                add(other, drop(row, t, is_and), 0)
    else:  # revive
        for _ in range(1 + np.random.randint(3)):
            add(other, pick(n_features, 0, polarity), 0)
    if is_split and (other[SIZE] < 2 or row[SIZE] == 0):
        return False
    other[LEAST] = other[SIZE] if np.random.random() < 0.5 else 1
    own = n_features + dead
    return add(row, own if is_split or np.random.random() < 0.5 else ~own, is_and if is_split else rise)


@nb.njit(cache=True, nogil=True)
def anneal(task: Task, state: Any, best: Any, loss: Any, moves: int, seed: int) -> None:
    """Anneal `state` in place; `best` gets the best state for each number of literals, and `loss` what it loses."""
    np.random.seed(seed)  # numba's own generator, one for each thread
    n, n_features, most = state.shape[0], task.features.shape[0], task.most_neurons
    values, trial = np.empty((n, BLOCK), np.float32), state.copy()
    polarity, heard = np.empty(n, np.int64), np.empty(n, np.int64)
    held, held_neurons, _ = census(task, state, polarity)
    current = np.inf
    for step in range(moves + 1):
        trial[:] = state
        if step and not propose(trial, n_features, polarity):  # the first is the state as it is
            continue
        literals, neurons, legal = census(task, trial, heard)
        if not legal or literals == 0 or (literals >= loss.shape[0] and literals > held):
            continue
        if neurons > most and neurons > held_neurons:
            continue
        temperature = task.hot * (task.cold / task.hot) ** (step / moves)
        cost = task.price * (literals + 0.25 * neurons)
        bound = current - temperature * np.log(np.random.random()) - cost
        on_front = literals < loss.shape[0] and neurons <= most
        lost = run(task, trial, heard, values, max(bound, loss[literals]) if on_front else bound)
        if on_front and lost + TIE * neurons < loss[literals] - 1e-6:
            loss[literals] = lost + TIE * neurons
            best[literals] = trial
        if lost <= bound:
            current, held, held_neurons = lost + cost, literals, neurons
            state[:] = trial
            polarity[:] = heard
