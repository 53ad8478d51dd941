"""Growing and annealing on bit planes: a new neuron alone against what is still wrong, then all together.

Every state seen is offered to the *front*, the best state for each number of literals, so that one run fills it
from one literal up. The objective is (weight of wrong rows) + price · literals + price/4 · neurons.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from crystalogic.compiled import nb
from crystalogic.search.bits import (
    COUNT,
    FIRST,
    MOST,
    NONE,
    THRESHOLD,
    Best,
    Bounds,
    Heat,
    Words,
    below,
    errors,
    lacks,
    lowest,
    neuron_word,
    popcount,
    propose,
    put,
    reset,
    take,
    uniform,
)

NEURON = 0.25  # the price of a neuron, in literals
LONGEST = 8  # literals of a neuron that is invented
TIE = 1e-3  # on the front a neuron costs this many rows: of two formulas as good and as long, the flatter one


@nb.njit(cache=True, nogil=True)
def size_of(state: Any) -> tuple[int, int]:
    """Literals and neurons, (0, 0) for a constant output.

    A threshold strictly between ⊕ and ⊗ counts as one more neuron, for it is harder to read.
    """
    literals, neurons, between = 0, 0, 0
    n = state.shape[0] - 1
    for j in range(n):
        literals += state[j, COUNT]
        neurons += state[j, COUNT] > 0
        between += 1 < state[j, THRESHOLD] < state[j, COUNT]
    if not 1 <= state[n, THRESHOLD] <= neurons:
        return 0, 0
    between += 1 < state[n, THRESHOLD] < neurons
    return literals, neurons + between


@nb.njit(cache=True, nogil=True)
def is_wide(state: Any) -> bool:
    """Whether the crystal of a state has more neurons than the state, the output counted.

    A literal alone, ⊕ under ⊕ and ⊗ under ⊗ join the output (`states.bits_to_crystal`).
    """
    n, n_live, apart = state.shape[0] - 1, 0, 0
    for j in range(n):
        n_live += state[j, COUNT] > 0
    if n_live < max(2, n):
        return False
    k = state[n, THRESHOLD]
    for j in range(n):
        m, own = state[j, COUNT], state[j, THRESHOLD]
        apart += m > 1 and not ((own == 1 and k == 1) or (own == m and k == n_live))
    return bool(apart + 1 > n)


@nb.njit(cache=True, nogil=True)
def anneal(words: Words, bounds: Bounds, state: Any, front: Best, moves: int, heat: Heat, random: Any) -> float:
    """Anneal `state` in place for this many moves, leave the best state seen in it and return its objective."""
    hot, cold, price = heat
    n, front_loss = state.shape[0] - 1, front.loss
    n_words = words.target.shape[0]
    hidden = np.empty((n, n_words), np.uint64)
    wrong, new_wrong = np.empty(n_words), np.empty(n_words)
    new_a, new_b = np.empty(n_words, np.uint64), np.empty(n_words, np.uint64)
    trial, best = state.copy(), state.copy()
    lost = reset(words, state, hidden, wrong)
    n_literals, n_neurons = size_of(state)
    current = lost + price * (n_literals + NEURON * n_neurons)
    lowest_seen = current
    keeps = not is_wide(state) and not lacks(state, bounds) and (n_literals > 0 or bounds.required.shape[0] == 0)
    if keeps and n_literals < front_loss.shape[0] and lost + TIE * n_neurons < front_loss[n_literals]:
        front_loss[n_literals] = lost + TIE * n_neurons
        front.states[n_literals] = state
    cooling = (cold / hot) ** (64.0 / max(moves, 64))
    temperature = hot
    for step in range(moves):
        if step % 64 == 63:
            temperature *= cooling
        trial[:] = state
        a, b = propose(trial, bounds, random)
        if a < 0:
            continue
        n_literals, n_neurons = size_of(trial)
        if n_literals == 0 or n_literals >= front_loss.shape[0] or is_wide(trial) or lacks(trial, bounds):
            continue
        cost = price * (n_literals + NEURON * n_neurons)
        bound = current - temperature * np.log(uniform(random)) - cost
        limit = max(bound, front_loss[n_literals])
        same_output = trial[n, THRESHOLD] == state[n, THRESHOLD]
        for j in range(n):
            same_output = same_output and (trial[j, COUNT] > 0) == (state[j, COUNT] > 0)
        lost = errors(words, trial, hidden, wrong, a, b, new_a, new_b, new_wrong, same_output, limit)
        if lost + TIE * n_neurons < front_loss[n_literals]:
            front_loss[n_literals] = lost + TIE * n_neurons
            front.states[n_literals] = trial
        if lost <= bound:
            current = lost + cost
            state[:] = trial
            hidden[a] = new_a
            if b >= 0:
                hidden[b] = new_b
            wrong[:] = new_wrong
            if current < lowest_seen - 1e-9:
                lowest_seen = current
                best[:] = state
    state[:] = best
    return lowest_seen


@nb.njit(cache=True, nogil=True)
def wanted(words: Words, state: Any, more: bool, on: Any, off: Any) -> None:
    """The rows that a new neuron decides: `on` where it must fire, `off` where it must not.

    With `more` it joins as it is (K stays), and decides the rows with K-1 neurons on; otherwise it joins negated
    (K grows by one), and decides the rows with exactly K on.
    """
    n, features, target, valid = state.shape[0] - 1, words.features, words.target, words.valid
    decided = state[n, THRESHOLD] - (1 if more else 0)
    for w in range(target.shape[0]):
        planes0, planes1, planes2, planes3 = NONE, NONE, NONE, NONE
        for j in range(n):
            if state[j, COUNT] > 0:
                carry = neuron_word(features, state[j], w)
                planes0, carry = planes0 ^ carry, planes0 & carry
                planes1, carry = planes1 ^ carry, planes1 & carry
                planes2, carry = planes2 ^ carry, planes2 & carry
                planes3 ^= carry
        exact = valid[w]
        exact &= planes0 if decided & 1 else ~planes0
        exact &= planes1 if decided & 2 else ~planes1
        exact &= planes2 if decided & 4 else ~planes2
        exact &= planes3 if decided & 8 else ~planes3
        on[w] = exact & (target[w] if more else ~target[w])
        off[w] = exact & (~target[w] if more else target[w])


@nb.njit(cache=True, nogil=True)
def mass(word: Any, w: int, weights: Any) -> float:
    """The weight of the rows of a word."""
    if weights.shape[0] == 0:
        return np.float64(popcount(word))
    total = 0.0
    while word != NONE:
        total += weights[np.uint64(w) * np.uint64(64) + lowest(word)]
        word &= word - np.uint64(1)
    return total


@nb.njit(cache=True, nogil=True)
def appraise(words: Words, on: Any, off: Any, neuron: Any, price: float, smooth: bool) -> tuple[float, float, int, int]:
    """(value to climb, gain in rows after the price, first count, last count) of a set of literals.

    The rows are counted by how many of the literals hold; the best run of counts [first, last] follows exactly, so the
    threshold is never searched. A run that ends inside costs two neurons. `smooth` climbs the drop of Gini impurity
    instead of the errors: it sees a literal that helps only together with others.
    """
    m, features, weights = neuron[COUNT], words.features, words.weights
    yes, no = np.zeros(MOST + 1), np.zeros(MOST + 1)
    for w in range(on.shape[0]):
        here = on[w] | off[w]
        if here == NONE:
            continue
        p0, p1, p2, p3 = NONE, NONE, NONE, NONE
        for t in range(FIRST, FIRST + m):
            carry = features[neuron[t], w]
            p0, carry = p0 ^ carry, p0 & carry
            p1, carry = p1 ^ carry, p1 & carry
            p2, carry = p2 ^ carry, p2 & carry
            p3 ^= carry
        for c in range(m + 1):
            exact = here & (p0 if c & 1 else ~p0) & (p1 if c & 2 else ~p1)
            if m > 3:
                exact &= (p2 if c & 4 else ~p2) & (p3 if c & 8 else ~p3)
            if exact != NONE:
                yes[c] += mass(exact & on[w], w, weights)
                no[c] += mass(exact & off[w], w, weights)
    gain, first, last = -np.inf, 0, 0
    for i in range(m + 1):
        run = 0.0
        for j in range(i, m + 1):
            run += yes[j] - no[j]
            if i == 0 and j == m:
                continue
            worth = run - price * (m + NEURON) * (1 if i == 0 or j == m else 2)
            if worth > gain:
                gain, first, last = worth, i, j
    value = gain
    if smooth:
        total_yes, total_no, impurity = yes.sum(), no.sum(), 0.0
        for c in range(m + 1):
            if yes[c] + no[c] > 0:
                impurity += yes[c] * no[c] / (yes[c] + no[c])
        if total_yes + total_no > 0:
            value = 2 * (total_yes * total_no / (total_yes + total_no) - impurity) - price * m
    return value, gain, first, last


@nb.njit(cache=True, nogil=True)
def invent(
    words: Words, bounds: Bounds, on: Any, off: Any, moves: int, heat: Heat, smooth: bool, random: Any, found: Any
) -> float:
    """Anneal one set of literals alone; the best goes to `found` (its run of counts in the last two places)."""
    hot, cold, price = heat
    neuron, trial = np.zeros(FIRST + MOST, np.int16), np.zeros(FIRST + MOST, np.int16)
    literals = bounds.literals
    put(neuron, 0, literals[below(random, literals.shape[0])], bounds)
    current, best, first, last = appraise(words, on, off, neuron, price, smooth)
    found[: FIRST + MOST] = neuron
    found[FIRST + MOST], found[FIRST + MOST + 1] = first, last
    cooling = (cold / hot) ** (16.0 / max(moves, 16))
    temperature = hot
    for step in range(moves):
        if step % 16 == 15:
            temperature *= cooling
        trial[:] = neuron
        m = trial[COUNT]
        r = uniform(random)
        literal = literals[below(random, literals.shape[0])]
        if r < 0.35:
            if m >= LONGEST or not put(trial, m, literal, bounds):
                continue
        elif r < 0.6:
            if m == 1:
                continue
            take(trial, below(random, m))
        else:
            place = below(random, m)
            if literal == trial[FIRST + place] or not put(trial, place, literal, bounds):
                continue
        value, gain, first, last = appraise(words, on, off, trial, price, smooth)
        if gain > best:
            best = gain
            found[: FIRST + MOST] = trial
            found[FIRST + MOST], found[FIRST + MOST + 1] = first, last
        if value >= current + temperature * np.log(uniform(random)):
            current = value
            neuron[:] = trial
    return best


@nb.njit(cache=True, nogil=True)
def join(state: Any, found: Any, more: bool, bounds: Bounds) -> bool:
    """Add the invented neuron, or pair of neurons, to the state; False where it does not fit or is not permitted.

    A run of counts [first, last] of m literals is "at least first" and "at least m-last of the negated"; negated as
    a whole, it is "at least last+1" or "at least m-first+1 of the negated".
    """
    n = state.shape[0] - 1
    m, first, last = found[COUNT], found[FIRST + MOST], found[FIRST + MOST + 1]
    added = 0
    for j in range(n):
        if state[j, COUNT] > 0:
            continue
        lower = (first > 0 and added == 0) or (first > 0 and last == m)
        flip = lower != more
        if lower:
            k = first if more else m - first + 1
        else:
            k = m - last if more else last + 1
        for t in range(m):
            if not put(state[j], t, found[FIRST + t] ^ (1 if flip else 0), bounds):
                return False
        state[j, THRESHOLD] = k
        added += 1
        if added == (1 if first == 0 or last == m else 2):
            # A pair adds a neuron that is on outside the run too (or, negated, K+1 with one always on), so K grows.
            state[n, THRESHOLD] += (added - 1) if more else 1
            return True
    return False


@nb.njit(cache=True, nogil=True)
def sprout(
    words: Words,
    bounds: Bounds,
    state: Any,
    front: Best,
    effort: tuple[int, int, int],
    heat: Heat,
    style: int,
    random: Any,
) -> float:
    """Add the neuron that gains most to `state`, anneal all, and return the objective; infinite if none can begin."""
    alone, together, restarts = effort
    on, off = np.empty_like(words.target), np.empty_like(words.target)
    found = np.zeros(FIRST + MOST + 2, np.int16)
    keep = np.zeros(FIRST + MOST + 2, np.int16)
    candidate = state.copy()
    chosen, chosen_more = -np.inf, True
    for attempt in range(2 * restarts):
        more = attempt % 2 == 0 if style == 0 or size_of(state)[0] == 0 else style == 1
        wanted(words, state, more, on, off)
        hotter = Heat(2 * heat.hot, heat.cold, heat.price)
        gain = invent(words, bounds, on, off, alone, hotter, attempt % 4 > 1, random, found)
        if gain > chosen:
            candidate[:] = state
            if join(candidate, found, more, bounds):
                chosen, chosen_more = gain, more
                keep[:] = found
    if chosen > -np.inf:
        join(state, keep, chosen_more, bounds)
    elif size_of(state)[0] == 0:
        return np.inf
    return anneal(words, bounds, state, front, together, heat, random)


def grow(
    words: Words,
    bounds: Bounds,
    start: Any,
    front: Best,
    effort: tuple[int, int, int],
    heat: Heat,
    style: int,
    seed: int,
    is_over: Callable[[], bool] = lambda: False,
) -> float:
    """Grow from `start` until two more neurons bring nothing; the best objective. The front is filled on the way.

    Style 1 only adds alternatives (a disjunction grows), 2 only conditions (a conjunction), 0 whatever gains most.
    `is_over` is asked before each neuron.
    """
    random = np.array([(seed * 2654435769 + 88172645463325252) % 2**64], np.uint64)
    state = start.copy()
    best, idle = np.inf, 0
    while idle < 2 and not is_over():
        loss = sprout(words, bounds, state, front, effort, heat, style, random)
        if not np.isfinite(loss):
            break
        idle = 0 if loss < best - 1e-6 else idle + 1
        best = min(best, loss)
    return float(best)
