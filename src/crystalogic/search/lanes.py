"""Annealing over crystals of any shape, on truth degrees: hidden layers, residual links, any integer weights.

State layout, one int16 array of shape (neurons, 2 + 2 · capacity) in topological order: row j holds the bias, the
number of links and then the pairs (source, weight) of neuron j; sources count the features first, then the neurons; the
last neuron is the output, and a neuron that the output does not depend on is dead. Values are float32 times `one`:
with one = n the degrees of Sₙ are integers and every sum is exact.
"""

from typing import Any, NamedTuple

import numpy as np

from crystalogic.compiled import nb

BIAS, LINKS, HEAD = 0, 1, 2
BLOCK = 256  # rows evaluated before a hopeless candidate is given up
FAST = {"reassoc", "nsz", "contract"}  # lets a sum use vector lanes; not NaN or infinity, which are used


class Lanes(NamedTuple):
    """Rows as floats times `one`, and what a row loses: weight · (wrong · [row is wrong] + graded · |error|).

    With cut > 0 a row is wrong when output and target lie on different sides of the cut, otherwise when the error is
    not zero.
    """

    features: Any
    target: Any
    weights: Any
    one: float
    cut: float
    wrong: float
    graded: float


class Best(NamedTuple):
    """The front of a kernel: the best state for each number of literals, and what it loses."""

    states: Any
    loss: Any


class Heat(NamedTuple):
    """The first and the last temperature of an annealing, and the price of a literal."""

    hot: float
    cold: float
    price: float


@nb.njit(cache=True, nogil=True)
def draw(random: Any) -> Any:
    """The next 64 random bits (xorshift64*)."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return x * np.uint64(2685821657736338717)


@nb.njit(cache=True, nogil=True)
def below(random: Any, n: int) -> Any:
    """A random integer in 0..n-1."""
    return np.int64((draw(random) >> np.uint64(33)) % np.uint64(n))


@nb.njit(cache=True, nogil=True)
def uniform(random: Any) -> float:
    """A random number in (0, 1)."""
    return (np.float64(draw(random) >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)


@nb.njit(cache=True, nogil=True)
def shape_of(row: Any) -> tuple[int, int]:
    """(k, m) of a neuron read as "at least k of m literals"; a weight ±w counts w literals."""
    m, negative = 0, 0
    for t in range(row[LINKS]):
        w = row[HEAD + 2 * t + 1]
        m += abs(w)
        negative += max(0, -w)
    return negative - row[BIAS] + 1, m


@nb.njit(cache=True, nogil=True)
def reads(row: Any, source: int) -> int:
    """The place of the link to this source, or -1."""
    for t in range(row[LINKS]):
        if row[HEAD + 2 * t] == source:
            return t
    return -1


@nb.njit(cache=True, nogil=True)
def link(row: Any, source: int, weight: int, dk: int) -> bool:
    """Add a link and move the threshold k by dk; False when the row is full or reads the source the other way."""
    n, place = row[LINKS], reads(row, source)
    if place >= 0:  # x ⊕ x is not x: a literal may stand twice
        held = row[HEAD + 2 * place + 1]
        if held * weight < 0 or abs(held + weight) > 3:
            return False
        row[HEAD + 2 * place + 1] += weight
        row[BIAS] += max(0, -weight) - dk
        return True
    if HEAD + 2 * n + 1 >= row.shape[0]:
        return False
    row[HEAD + 2 * n], row[HEAD + 2 * n + 1] = source, weight
    row[LINKS] = n + 1
    row[BIAS] += max(0, -weight) - dk
    return True


@nb.njit(cache=True, nogil=True)
def unlink(row: Any, place: int, dk: int) -> None:
    """Remove the link at this place and move the threshold k by dk."""
    weight, last = row[HEAD + 2 * place + 1], row[LINKS] - 1
    row[BIAS] -= max(0, -weight) + dk
    row[HEAD + 2 * place], row[HEAD + 2 * place + 1] = row[HEAD + 2 * last], row[HEAD + 2 * last + 1]
    row[LINKS] = last


@nb.njit(cache=True, nogil=True)
def census(state: Any, n_features: int, permitted: Any, required: Any, polarity: Any) -> tuple[int, int, bool]:
    """(literals, live neurons, whether the knowledge is respected); `polarity` says how the output hears each neuron.

    Literals are those of the formula written out: a neuron that is read twice counts twice. Polarity bit 1: the neuron
    can only raise the output, 2: only lower it, 3: both, 0: dead. A positive link to a feature in a neuron that raises
    is a rise; `permitted` holds for each feature the bits that are allowed.
    """
    n = state.shape[0]
    polarity[:] = 0
    polarity[n - 1] = 1
    neurons, legal, used = 0, True, 0
    sizes = np.zeros(n, np.int64)
    for j in range(n):
        for t in range(state[j, LINKS]):
            source, weight = state[j, HEAD + 2 * t], abs(state[j, HEAD + 2 * t + 1])
            sizes[j] += weight * (1 if source < n_features else sizes[source - n_features])
        sizes[j] = min(sizes[j], 1_000_000)
    for j in range(n - 1, -1, -1):
        way = polarity[j]
        if way == 0:
            continue
        neurons += 1
        k, m = shape_of(state[j])
        if k < 1 or k > m:
            continue  # a constant hears nobody
        turned = ((way & 1) << 1) | (way >> 1)
        for t in range(state[j, LINKS]):
            source, weight = state[j, HEAD + 2 * t], state[j, HEAD + 2 * t + 1]
            effect = way if weight > 0 else turned
            if source < n_features:
                legal = legal and (effect & ~permitted[source]) == 0
            else:
                polarity[source - n_features] |= effect
    for feature in required:
        found = False
        for j in range(n):
            k, m = shape_of(state[j])
            found = found or (polarity[j] != 0 and 1 <= k <= m and reads(state[j], feature) >= 0)
        used += found
    return sizes[n - 1], neurons, legal and used == required.shape[0]


@nb.njit(cache=True, nogil=True, fastmath=FAST)
def run(
    rows: Lanes, features: Any, target: Any, weights: Any, state: Any, values: Any, stale: Any, fresh: Any, limit: float
) -> float:
    """The loss after the neurons marked `stale` changed, their values in `fresh`; infinite once beyond `limit`.

    The arrays of the rows are given beside them: loops over what a tuple holds are slower.
    """
    n, n_features, n_rows = state.shape[0], features.shape[0], target.shape[0]
    low, high, side = np.float32(0), np.float32(rows.one), np.float32(rows.cut)
    miss, scale = np.float32(rows.wrong), np.float32(rows.graded / rows.one)
    total = 0.0
    for start in range(0, n_rows, BLOCK):
        stop = min(n_rows, start + BLOCK)
        for j in range(n):
            if stale[j] == 0:
                continue
            lane = fresh[j, start:stop]
            lane[:] = np.float32(state[j, BIAS] * rows.one)
            for t in range(state[j, LINKS]):
                source, weight = state[j, HEAD + 2 * t], np.float32(state[j, HEAD + 2 * t + 1])
                if source < n_features:
                    other = features[source, start:stop]
                elif stale[source - n_features]:
                    other = fresh[source - n_features, start:stop]
                else:
                    other = values[source - n_features, start:stop]
                for i in range(lane.shape[0]):
                    lane[i] += weight * other[i]
            for i in range(lane.shape[0]):
                lane[i] = min(high, max(low, lane[i]))
        out = fresh[n - 1, start:stop] if stale[n - 1] else values[n - 1, start:stop]
        here, goal, mass = np.float32(0), target[start:stop], weights[start:stop]
        if side > 0:
            for i in range(out.shape[0]):
                bad = miss if (out[i] >= side) != (goal[i] >= side) else low
                here += mass[i] * (bad + scale * abs(out[i] - goal[i]))
        else:
            for i in range(out.shape[0]):
                e = abs(out[i] - goal[i])
                here += mass[i] * ((miss if e > np.float32(1e-6) else low) + scale * e)
        total += float(here)
        if total > limit:
            return np.inf
    return total


@nb.njit(cache=True, nogil=True)
def pick_source(random: Any, n_features: int, j: int, polarity: Any) -> Any:
    """A random source for neuron j: mostly a feature, now and then an earlier neuron that is alive."""
    if j > 0 and uniform(random) < 0.15:
        p = below(random, j)
        if polarity[p] != 0:
            return n_features + p
    return below(random, n_features)


@nb.njit(cache=True, nogil=True)
def propose(state: Any, n_features: int, polarity: Any, random: Any, stale: Any) -> bool:
    """Change `state` at random and mark the neurons whose row changed; False when nothing was proposed."""
    n = state.shape[0]
    j = below(random, n)
    for _ in range(8):
        if polarity[j] != 0:
            break
        j = below(random, n)
    if polarity[j] == 0:
        j = n - 1
    row = state[j]
    k, m = shape_of(row)
    links = row[LINKS]
    stale[j] = 1
    sign = 1 if uniform(random) < 0.5 else -1
    rise = below(random, 2)  # a single literal is both ⊗ and ⊕
    if m > 1 and (k == 1 or k == m):
        rise = 1 if k == m else 0
    r = uniform(random)
    if r < 0.24 or links == 0:  # add a literal; ⊗ stays ⊗ and ⊕ stays ⊕
        return link(row, pick_source(random, n_features, j, polarity), sign, rise)
    if r < 0.40:  # bring a weight one step nearer to zero: mostly, drop a literal
        place = below(random, links)
        weight = row[HEAD + 2 * place + 1]
        fall = 1 if k == m else (0 if k <= 1 else below(random, 2))
        if abs(weight) > 1:
            row[HEAD + 2 * place + 1] -= 1 if weight > 0 else -1
            row[BIAS] += fall - (1 if weight < 0 else 0)
        else:
            unlink(row, place, -fall)
        return True
    if r < 0.60:  # replace a literal
        place = below(random, links)
        unlink(row, place, -abs(row[HEAD + 2 * place + 1]))
        return link(row, pick_source(random, n_features, j, polarity), sign, 1)
    if r < 0.66:  # flip a literal
        place = below(random, links)
        weight = row[HEAD + 2 * place + 1]
        row[HEAD + 2 * place + 1] = -weight
        row[BIAS] += weight
        return True
    if r < 0.78:  # move the threshold
        row[BIAS] += sign
        return True
    if r < 0.84:  # move or copy a link to another neuron
        q = below(random, n)
        place = below(random, links)
        source, weight = row[HEAD + 2 * place], row[HEAD + 2 * place + 1]
        if q == j or polarity[q] == 0 or source >= n_features + q:
            return False
        kq, mq = shape_of(state[q])
        stale[q] = 1
        if uniform(random) < 0.7:
            unlink(row, place, -abs(weight) if k == m else 0)
        return link(state[q], source, weight, abs(weight) if kq == mq else 0)
    if r < 0.90:  # merge: a neuron read here is written out in place
        place = below(random, links)
        source, weight = row[HEAD + 2 * place], row[HEAD + 2 * place + 1]
        if source < n_features or abs(weight) != 1:
            return False
        inner = state[source - n_features]
        ki, mi = shape_of(inner)
        unlink(row, place, -1 if k == m else 0)
        for t in range(inner[LINKS]):
            s, w = inner[HEAD + 2 * t], inner[HEAD + 2 * t + 1]
            if not link(row, s, w if weight > 0 else -w, 0):
                return False
        row[BIAS] -= mi if k == m else max(0, (ki if weight > 0 else mi - ki + 1) - 1)
        return True
    dead = -1  # the remaining moves need a dead neuron before j
    for p in range(j):
        if polarity[p] == 0:
            dead = p
    if dead < 0:
        return False
    other = state[dead]
    other[LINKS], other[BIAS] = 0, 1
    stale[dead] = 1
    if r < 0.95 and links > 1:  # split: some of the links move into a neuron of their own
        for place in range(links - 1, -1, -1):
            source, weight = row[HEAD + 2 * place], row[HEAD + 2 * place + 1]
            if source < n_features + dead and uniform(random) < 0.5:
                unlink(row, place, -abs(weight) if k == m else 0)
                link(other, source, weight, 0)
        ko, mo = shape_of(other)
        if mo < 2 or row[LINKS] == 0:
            return False
        other[BIAS] -= (mo if uniform(random) < 0.5 else 1) - ko
        return link(row, n_features + dead, 1, 1 if k == m else 0)
    for _ in range(1 + below(random, 3)):  # revive
        link(other, below(random, n_features), 1 if uniform(random) < 0.5 else -1, 0)
    ko, mo = shape_of(other)
    other[BIAS] -= (mo if uniform(random) < 0.5 else 1) - ko
    return link(row, n_features + dead, sign, rise)


@nb.njit(cache=True, nogil=True)
def anneal(
    rows: Lanes, permitted: Any, required: Any, state: Any, front: Best, moves: int, heat: Heat, most: int, seed: int
) -> float:
    """Anneal `state` of at most so many neurons in place, leave the best seen in it, fill the front; its objective."""
    hot, cold, price = heat
    front_loss = front.loss
    features, target, weights = rows.features, rows.target, rows.weights
    random = np.empty(1, np.uint64)
    random[0] = np.uint64(seed) * np.uint64(2654435769) + np.uint64(88172645463325252)
    n, n_features, n_rows = state.shape[0], features.shape[0], target.shape[0]
    values, fresh = np.empty((n, n_rows), np.float32), np.empty((n, n_rows), np.float32)
    stale = np.ones(n, np.uint8)
    polarity, heard = np.empty(n, np.int64), np.empty(n, np.int64)
    trial, best = state.copy(), state.copy()
    literals, neurons, legal = census(state, n_features, permitted, required, polarity)
    lost = run(rows, features, target, weights, state, values, stale, values, np.inf)
    current = lost + price * (literals + 0.25 * neurons)
    lowest_seen, held, held_neurons = current, literals, neurons
    legal = legal and neurons <= most
    if legal and literals < front_loss.shape[0] and lost + 1e-3 * neurons < front_loss[literals] - 1e-6:
        front_loss[literals] = lost + 1e-3 * neurons
        front.states[literals] = state
    cooling = (cold / hot) ** (64.0 / max(moves, 64))
    temperature = hot
    for step in range(moves):
        if step % 64 == 63:
            temperature *= cooling
        trial[:] = state
        stale[:] = 0
        if not propose(trial, n_features, polarity, random, stale):
            continue
        literals, neurons, legal = census(trial, n_features, permitted, required, heard)
        if not legal or literals == 0 or (literals >= front_loss.shape[0] and literals > held):
            continue
        if neurons > most and neurons > held_neurons:
            continue
        for j in range(n):  # a neuron is computed anew when its row or one of its sources changed, or it was dead
            if heard[j] == 0:
                stale[j] = 0
                continue
            if polarity[j] == 0:
                stale[j] = 1
            for t in range(trial[j, LINKS]):
                source = trial[j, HEAD + 2 * t] - n_features
                if source >= 0 and stale[source]:
                    stale[j] = 1
        cost = price * (literals + 0.25 * neurons)
        bound = current - temperature * np.log(uniform(random)) - cost
        on_front = literals < front_loss.shape[0] and neurons <= most
        limit = max(bound, front_loss[literals]) if on_front else bound
        lost = run(rows, features, target, weights, trial, values, stale, fresh, limit)
        if on_front and lost + 1e-3 * neurons < front_loss[literals] - 1e-6:
            front_loss[literals] = lost + 1e-3 * neurons
            front.states[literals] = trial
        if lost <= bound:
            current, held, held_neurons = lost + cost, literals, neurons
            state[:] = trial
            polarity[:] = heard
            for j in range(n):
                if stale[j]:
                    values[j] = fresh[j]
            if current < lowest_seen - 1e-9:
                lowest_seen = current
                best[:] = state
    state[:] = best
    return lowest_seen
