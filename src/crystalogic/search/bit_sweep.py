"""Sweeping on bit planes: every neighbour of every state of the front, until none is better."""

from collections.abc import Callable
from typing import Any

import numpy as np

from crystalogic.compiled import nb
from crystalogic.search.bit_search import TIE, is_wide, size_of
from crystalogic.search.bits import COUNT, FIRST, THRESHOLD, Best, Bounds, Words, errors, lacks, put, reset, take


@nb.njit(cache=True, nogil=True)
def vary(state: Any, bounds: Bounds, trial: Any, step: int) -> int:
    """Write neighbour number `step` of the state to `trial`: the neuron changed, -1 for no neighbour, -2 at the end.

    The neighbours: for each neuron and each permitted literal added (⊗ stays ⊗, ⊕ stays ⊕, or the other threshold) or
    put in the place of each other; each literal dropped; each threshold moved; a literal as a neuron of its own.
    """
    literals = bounds.literals
    n, n_literals = state.shape[0] - 1, literals.shape[0]
    trial[:] = state
    for j in range(n):
        m, neuron = state[j, COUNT], trial[j]
        block = n_literals * (2 + m) + 2 * m + 4 if m > 0 else 0
        if step >= block:
            step -= block
            continue
        if step < 2 * n_literals:
            if not put(neuron, m, literals[step >> 1], bounds):
                return -1
            neuron[THRESHOLD] += step & 1
            return j
        step -= 2 * n_literals
        if step < m * n_literals:
            place, literal = step // n_literals, literals[step % n_literals]
            if literal == neuron[FIRST + place] or not put(neuron, place, literal, bounds):
                return -1
            return j
        step -= m * n_literals
        if step < 2 * m:
            take(neuron, step >> 1)
            if m == 1:
                trial[n, THRESHOLD] -= step & 1
            else:
                neuron[THRESHOLD] -= step & 1
                if neuron[THRESHOLD] < 1 or neuron[THRESHOLD] > m - 1:
                    return -1
            return j
        step -= 2 * m
        if step < 2:
            neuron[THRESHOLD] += 2 * step - 1
            return j if 1 <= neuron[THRESHOLD] <= m else -1
        step -= 2
        neuron[COUNT] = 0
        trial[n, THRESHOLD] -= step
        return j
    if step < 2:
        trial[n, THRESHOLD] += 2 * step - 1
        return 0
    step -= 2
    if step < 2 * n_literals:
        for j in range(n):
            if state[j, COUNT] == 0:
                put(trial[j], 0, literals[step >> 1], bounds)
                trial[j, THRESHOLD] = 1
                trial[n, THRESHOLD] += step & 1
                return j
    return -2


@nb.njit(cache=True, nogil=True)
def sweep_state(words: Words, bounds: Bounds, best: Best, size: int) -> None:
    """Offer every neighbour of the state of this size to the front."""
    front, front_loss = best
    n, n_words = front.shape[1] - 1, words.target.shape[0]
    hidden = np.empty((n, n_words), np.uint64)
    wrong, new_wrong = np.empty(n_words), np.empty(n_words)
    spare = np.empty(n_words, np.uint64)
    state, trial = front[size].copy(), front[size].copy()
    reset(words, state, hidden, wrong)
    step = -1
    while True:
        step += 1
        a = vary(state, bounds, trial, step)
        if a == -2:
            break
        if a == -1:
            continue
        n_literals, n_neurons = size_of(trial)
        if n_literals == 0 or n_literals >= front_loss.shape[0] or is_wide(trial) or lacks(trial, bounds):
            continue
        limit = front_loss[n_literals] - TIE * n_neurons
        same_output = trial[n, THRESHOLD] == state[n, THRESHOLD] and (trial[a, COUNT] > 0) == (state[a, COUNT] > 0)
        lost = errors(words, trial, hidden, wrong, a, -1, spare, spare, new_wrong, same_output, limit)
        if lost + TIE * n_neurons < front_loss[n_literals] - 1e-9:
            front_loss[n_literals] = lost + TIE * n_neurons
            front[n_literals] = trial


def sweep(words: Words, bounds: Bounds, best: Best, rounds: int, is_over: Callable[[], bool] = lambda: False) -> int:
    """Offer every neighbour of every state of the front to the front, until nothing changes; the rounds that took.

    After it no literal of the front can be dropped, replaced or added for a better formula of any size. `is_over` is
    asked before each state.
    """
    front_loss = best.loss
    done = np.full(len(front_loss), np.inf)
    for round_ in range(rounds):
        is_changed = False
        for size in range(1, len(front_loss)):
            if front_loss[size] >= done[size] or front_loss[size] >= front_loss[:size].min() - 1e-9:
                continue
            if is_over():
                return round_
            done[size] = front_loss[size]
            is_changed = True
            sweep_state(words, bounds, best, size)
        if not is_changed:
            return round_
    return rounds
