"""Annealing where every feature is Boolean: 64 rows in one machine word.

A hidden neuron is a set of literals and a threshold k ("at least k of m"), and the output is "at least K of the live
neurons". No negative output weight is needed: ¬(at least k of m) is "at least m-k+1 of the negated literals".
The sums are kept as bit planes, so a word of 64 rows is counted with a few additions, and the errors are popcounts.

State layout, one int16 array of shape (neurons + 1, 2 + 15): row j holds k, m and the m literals of neuron j
(literal 2i is xᵢ, 2i+1 is ¬xᵢ; m = 0 is a dead neuron); the last row holds K.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic

from crystalogic.compiled import nb

THRESHOLD, COUNT, FIRST = 0, 1, 2
MOST = 15  # literals in a neuron, and neurons: what four bit planes count
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.uint64(0)


class Words(NamedTuple):
    """Rows in words of 64: the literals x, ¬x of each feature, the target, which rows there are, and their weights."""

    features: Any
    target: Any
    valid: Any
    weights: Any


class Bounds(NamedTuple):
    """What a search may use: the permitted literals, the same as a flag for each literal, and the required features."""

    literals: Any
    permitted: Any
    required: Any


class Best(NamedTuple):
    """The front of a kernel: the best state for each number of literals, and what it loses."""

    states: Any
    loss: Any


class Heat(NamedTuple):
    """The first and the last temperature of an annealing, and the price of a literal."""

    hot: float
    cold: float
    price: float


def heat_of(price: float) -> Heat:
    """The temperatures that go with a price, for classes."""
    return Heat(0.8 * max(1.0, price), 0.15, price)


def _popcount(typing_context: Any, word: Any) -> Any:
    """The number of ones in a word, one machine instruction."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return nb.uint64(nb.uint64), codegen


def _lowest(typing_context: Any, word: Any) -> Any:
    """The position of the lowest one in a word that is not zero."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(nb.types.boolean, True))

    return nb.uint64(nb.uint64), codegen


popcount: Any = intrinsic(_popcount)  # the compiler passes the first argument, which callers do not see
lowest: Any = intrinsic(_lowest)


@nb.njit(cache=True, nogil=True)
def draw(random: Any) -> Any:
    """The next 64 random bits (xorshift64*): the same on every machine and in every thread."""
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
def reached(p0: Any, p1: Any, p2: Any, p3: Any, k: int) -> Any:
    """The rows whose count, given as four bit planes, is at least k: the borrow of count - k, negated."""
    borrow = NONE
    one = FULL if k & 1 else NONE
    borrow = ~p0 & one
    one = FULL if k & 2 else NONE
    borrow = (~p1 & (one | borrow)) | (p1 & one & borrow)
    one = FULL if k & 4 else NONE
    borrow = (~p2 & (one | borrow)) | (p2 & one & borrow)
    one = FULL if k & 8 else NONE
    borrow = (~p3 & (one | borrow)) | (p3 & one & borrow)
    return ~borrow


@nb.njit(cache=True, nogil=True)
def neuron_word(features: Any, neuron: Any, w: int) -> Any:
    """One word of "at least k of m literals"."""
    k, m = neuron[THRESHOLD], neuron[COUNT]
    if k <= 0:
        return FULL
    if k > m:
        return NONE
    if k == m:
        word = FULL
        for t in range(FIRST, FIRST + m):
            word &= features[neuron[t], w]
        return word
    if k == 1:
        word = NONE
        for t in range(FIRST, FIRST + m):
            word |= features[neuron[t], w]
        return word
    p0, p1, p2, p3 = NONE, NONE, NONE, NONE
    for t in range(FIRST, FIRST + m):
        carry = features[neuron[t], w]
        p0, carry = p0 ^ carry, p0 & carry
        p1, carry = p1 ^ carry, p1 & carry
        p2, carry = p2 ^ carry, p2 & carry
        p3 ^= carry
    return reached(p0, p1, p2, p3, k)


@nb.njit(cache=True, nogil=True)
def errors(
    words: Words,
    state: Any,
    hidden: Any,
    wrong: Any,
    a: int,
    b: int,
    new_a: Any,
    new_b: Any,
    new_wrong: Any,
    same_output: bool,
    limit: float,
) -> float:
    """The weight of the wrong rows after neurons a and b (or -1) changed; infinite once it is beyond `limit`.

    The weights are empty when all rows weigh 1. Words in which a and b kept their value keep their errors.
    """
    features, target, valid, weights = words
    n_neurons = state.shape[0] - 1
    live, n_live = np.empty(MOST + 1, np.int64), 0
    for j in range(n_neurons):
        if state[j, COUNT] > 0:
            live[n_live] = j
            n_live += 1
    k = state[n_neurons, THRESHOLD]
    unit = weights.shape[0] == 0
    total = 0.0
    for w in range(target.shape[0]):
        word_a = neuron_word(features, state[a], w)
        new_a[w] = word_a
        same = same_output and word_a == hidden[a, w]
        word_b = NONE
        if b >= 0:
            word_b = neuron_word(features, state[b], w)
            new_b[w] = word_b
            same = same and word_b == hidden[b, w]
        if same:
            total += wrong[w]
            new_wrong[w] = wrong[w]
        else:
            if k <= 0:
                word = FULL
            elif k > n_live:
                word = NONE
            else:
                p0, p1, p2, p3 = NONE, NONE, NONE, NONE
                every, some = FULL, NONE
                for t in range(n_live):
                    j = live[t]
                    carry = word_a if j == a else (word_b if j == b else hidden[j, w])
                    every &= carry
                    some |= carry
                    if 1 < k < n_live:
                        p0, carry = p0 ^ carry, p0 & carry
                        p1, carry = p1 ^ carry, p1 & carry
                        p2, carry = p2 ^ carry, p2 & carry
                        p3 ^= carry
                word = some if k == 1 else (every if k == n_live else reached(p0, p1, p2, p3, k))
            bad = (word ^ target[w]) & valid[w]
            here = 0.0
            if unit:
                here = np.float64(popcount(bad))
            else:
                while bad != NONE:
                    here += weights[np.uint64(w) * np.uint64(64) + lowest(bad)]
                    bad &= bad - np.uint64(1)
            new_wrong[w] = here
            total += here
        if total > limit:
            return np.inf
    return total


@nb.njit(cache=True, nogil=True)
def reset(words: Words, state: Any, hidden: Any, wrong: Any) -> float:
    """Fill `hidden` and `wrong` for this state; the weight of the wrong rows."""
    n_neurons = state.shape[0] - 1
    for j in range(n_neurons):
        for w in range(words.target.shape[0]):
            hidden[j, w] = neuron_word(words.features, state[j], w)
    spare = np.empty(words.target.shape[0], np.uint64)
    return errors(words, state, hidden, wrong, 0, -1, spare, spare, wrong, False, np.inf)


@nb.njit(cache=True, nogil=True)
def holds(neuron: Any, feature: int) -> bool:
    """Whether the neuron reads the feature."""
    for t in range(FIRST, FIRST + neuron[COUNT]):
        if neuron[t] >> 1 == feature:
            return True
    return False


@nb.njit(cache=True, nogil=True)
def put(neuron: Any, place: int, literal: int, bounds: Bounds) -> bool:
    """Write a literal at this place, or append it at the end: the only way by which a literal enters a state.

    False if it is not permitted, or if the neuron is full or reads its feature at another place.
    """
    m = neuron[COUNT]
    if place >= MOST or not bounds.permitted[literal]:
        return False
    for t in range(m):
        if t != place and neuron[FIRST + t] >> 1 == literal >> 1:
            return False
    neuron[FIRST + place] = literal
    neuron[COUNT] = max(m, place + 1)
    return True


@nb.njit(cache=True, nogil=True)
def lacks(state: Any, bounds: Bounds) -> bool:
    """Whether a required feature is read by no neuron."""
    for feature in bounds.required:
        found = False
        for j in range(state.shape[0] - 1):
            found = found or holds(state[j], feature)
        if not found:
            return True
    return False


@nb.njit(cache=True, nogil=True)
def take(neuron: Any, place: int) -> int:
    """Remove the literal at this place and give it back."""
    literal = neuron[FIRST + place]
    neuron[COUNT] -= 1
    neuron[FIRST + place] = neuron[FIRST + neuron[COUNT]]
    return int(literal)


@nb.njit(cache=True, nogil=True)
def propose(state: Any, bounds: Bounds, random: Any) -> tuple[int, int]:
    """Change `state` at random; the neurons that changed (b is -1 for one, a is -1 when nothing was proposed).

    Literals that come in are permitted; those that move keep their sign. The threshold moves along, so that ⊗ stays ⊗
    and ⊕ stays ⊕.
    """
    n, literals = state.shape[0] - 1, bounds.literals
    live, dead, n_live = np.empty(MOST + 1, np.int64), -1, 0
    for j in range(n):
        if state[j, COUNT] > 0:
            live[n_live] = j
            n_live += 1
        else:
            dead = j
    r = uniform(random)
    if n_live == 0:
        r = 1.0
    a = live[below(random, n_live)] if n_live > 0 else 0
    neuron = state[a]
    k, m = neuron[THRESHOLD], neuron[COUNT]
    if r < 0.20:  # add a literal
        literal = literals[below(random, literals.shape[0])]
        if not put(neuron, m, literal, bounds):
            return -1, -1
        if (k == m and k > 1) or (k != 1 and uniform(random) < 0.5) or (m == 1 and uniform(random) < 0.5):
            neuron[THRESHOLD] += 1
        return a, -1
    if r < 0.36:  # drop a literal
        take(neuron, below(random, m))
        if m == 1:
            if uniform(random) < 0.5:
                state[n, THRESHOLD] -= 1
        elif k == m or (k > 1 and uniform(random) < 0.5):
            neuron[THRESHOLD] -= 1
        return a, -1
    if r < 0.60:  # replace a literal
        place = below(random, m)
        literal = literals[below(random, literals.shape[0])]
        if literal == neuron[FIRST + place] or not put(neuron, place, literal, bounds):
            return -1, -1
        return a, -1
    if r < 0.70:  # move the threshold
        neuron[THRESHOLD] += 1 if uniform(random) < 0.5 else -1
        if neuron[THRESHOLD] < 1 or neuron[THRESHOLD] > m:
            return -1, -1
        return a, -1
    if r < 0.74:  # move the output's threshold
        state[n, THRESHOLD] += 1 if uniform(random) < 0.5 else -1
        if state[n, THRESHOLD] < 1 or state[n, THRESHOLD] > n_live:
            return -1, -1
        return a, -1
    if r < 0.82 and n_live > 1:  # move or copy a literal to another neuron
        b = live[below(random, n_live)]
        other = state[b]
        if a == b or other[COUNT] == MOST or m == 1:
            return -1, -1
        place = below(random, m)
        if not put(other, other[COUNT], neuron[FIRST + place], bounds):
            return -1, -1
        if other[THRESHOLD] == other[COUNT] - 1:
            other[THRESHOLD] += 1
        if uniform(random) < 0.7:
            take(neuron, place)
            if k == m:
                neuron[THRESHOLD] -= 1
            return a, b
        return b, -1
    if r < 0.86 and n_live > 1:  # merge two neurons
        b = live[below(random, n_live)]
        if a == b:
            return -1, -1
        other = state[b]
        for t in range(FIRST, FIRST + other[COUNT]):
            if not put(neuron, neuron[COUNT], other[t], bounds):
                return -1, -1
        neuron[THRESHOLD] = neuron[COUNT] if k == m and m > 1 else min(neuron[COUNT], k + other[THRESHOLD] - 1)
        other[COUNT] = 0
        state[n, THRESHOLD] = max(1, min(state[n, THRESHOLD], n_live - 1))
        return a, b
    if r < 0.89:  # kill
        neuron[COUNT] = 0
        if state[n, THRESHOLD] > 1 and uniform(random) < 0.5:
            state[n, THRESHOLD] -= 1
        return a, -1
    if dead < 0:
        return -1, -1
    if r < 0.93:  # split: a copy takes some of the literals, or one of them changed
        other = state[dead]
        other[:] = neuron
        if m > 1 and uniform(random) < 0.5:
            kept = 0
            for t in range(m):
                if uniform(random) < 0.5:
                    neuron[FIRST + kept] = neuron[FIRST + t]
                    kept += 1
            if kept == 0 or kept == m:
                return -1, -1
            neuron[COUNT] = kept
            other[COUNT] = 0
            for t in range(m):
                literal = other[FIRST + t]
                if not holds(neuron, literal >> 1):
                    put(other, other[COUNT], literal, bounds)
            neuron[THRESHOLD] = kept if k == m else min(k, kept)
            other[THRESHOLD] = m - kept if k == m else min(k, m - kept)
            if k == m and uniform(random) < 0.5:
                state[n, THRESHOLD] += 1
            return a, dead
        place = below(random, m)
        literal = literals[below(random, literals.shape[0])]
        if holds(other, literal >> 1) or not put(other, place, literal, bounds):
            return -1, -1
        if state[n, THRESHOLD] == n_live and n_live > 1:
            state[n, THRESHOLD] += 1
        return dead, -1
    if r < 0.95 and m > 1:  # "at least k" becomes "exactly k"
        other = state[dead]
        other[COUNT], other[THRESHOLD] = 0, m - k  # at least k+1 fail
        for t in range(m):
            if m == k or not put(other, t, neuron[FIRST + t] ^ 1, bounds):
                return -1, -1
        state[n, THRESHOLD] += 1
        return dead, -1
    other = state[dead]  # revive
    other[COUNT] = 0
    for _ in range(1 + below(random, 3)):
        literal = literals[below(random, literals.shape[0])]
        put(other, other[COUNT], literal, bounds)
    other[THRESHOLD] = other[COUNT] if uniform(random) < 0.7 else 1
    if n_live > 0 and uniform(random) < (0.9 if state[n, THRESHOLD] == n_live and n_live > 1 else 0.3):
        state[n, THRESHOLD] += 1
    return dead, -1
