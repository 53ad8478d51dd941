"""States of the two kernels as crystals, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal, Neuron
from crystalogic.search.bits import COUNT, FIRST, MOST, THRESHOLD
from crystalogic.search.lanes import BIAS, HEAD, LINKS

Array = NDArray[Any]


def bits_to_crystal(state: Array, columns: Array, names: tuple[str, ...]) -> Crystal:
    """The crystal of a bit state; `columns` are the features its literals count.

    A literal alone, a ⊕ under ⊕ and a ⊗ under ⊗ join the output neuron: ψ(a + ψ(b + c)) = ψ(a + b + c) for values ≥ 0,
    and dually.
    """
    live = sorted(
        (row for row in state[:-1] if row[COUNT] > 0), key=lambda row: sorted(row[FIRST : FIRST + row[COUNT]])
    )
    k, n_features = int(state[-1, THRESHOLD]), len(names)
    neurons: list[Neuron] = []
    output: dict[int, int] = {}
    bias = 1 - k
    for row in live:
        m, own = int(row[COUNT]), int(row[THRESHOLD])
        literals = {int(columns[t >> 1]): -1 if t & 1 else 1 for t in sorted(map(int, row[FIRST : FIRST + m]))}
        joins = m == 1 or (own == 1 and k == 1) or (own == m and k == len(live))
        if (joins or len(live) == 1) and not set(literals) & set(output):
            output |= literals
            bias += sum(weight < 0 for weight in literals.values())
            if k == len(live) > 1:
                bias -= m - 1
            elif len(live) == 1 and k == 1:
                bias -= own - 1
        else:
            negative = sum(weight < 0 for weight in literals.values())
            neurons.append(Neuron(list(literals), list(literals.values()), negative - own + 1))
            output[n_features + len(neurons) - 1] = 1
    links = sorted(output.items())
    neurons.append(Neuron([source for source, _ in links], [weight for _, weight in links], bias))
    return Crystal(names, neurons, [n_features + len(neurons) - 1])


def lanes_to_crystal(state: Array, names: tuple[str, ...]) -> Crystal:
    """The crystal of a lanes state, without its dead neurons."""
    n_features, n = len(names), len(state)
    live = {n - 1}
    for j in range(n - 1, -1, -1):
        if j in live:
            live.update(int(s) - n_features for s in _sources(state[j]) if s >= n_features)
    place = {j: n_features + index for index, j in enumerate(sorted(live))}
    neurons = []
    for j in sorted(live):
        sources = [int(s) if s < n_features else place[int(s) - n_features] for s in _sources(state[j])]
        weights = [int(w) for w in state[j, HEAD + 1 : HEAD + 2 * state[j, LINKS] : 2]]
        links = sorted(zip(sources, weights, strict=True))
        neurons.append(Neuron([s for s, _ in links], [w for _, w in links], int(state[j, BIAS])))
    return Crystal(names, neurons, [n_features + len(neurons) - 1])


def crystal_to_lanes(crystal: Crystal, names: tuple[str, ...], spare: int) -> Array:
    """The lanes state of a crystal with one output over these names, with `spare` dead neurons before each layer ends.

    An output that is an input or an inner neuron gets an output neuron of its own. Dead neurons stand first.
    """
    n_features, n_inputs = len(names), len(crystal.inputs)
    column = [names.index(name) for name in crystal.inputs]
    order = sorted(crystal.live)
    neurons = [crystal.neurons[index] for index in order]
    last = crystal.outputs[0]
    place = {index: n_features + spare + position for position, index in enumerate(order)}

    def source(value: int) -> int:
        return column[value] if value < n_inputs else place[value - n_inputs]

    links = [[(source(s), w) for s, w in neuron.links] for neuron in neurons]
    biases = [neuron.bias for neuron in neurons]
    if not order or last != n_inputs + order[-1]:
        links.append([(source(last), 1)])
        biases.append(0)
    capacity = max(12, 4 + max(map(len, links)))
    state = np.zeros((spare + len(links), HEAD + 2 * capacity), np.int16)
    for j, (pairs, bias) in enumerate(zip(links, biases, strict=True)):
        row = state[spare + j]
        row[BIAS], row[LINKS] = bias, len(pairs)
        for t, (s, w) in enumerate(pairs):
            row[HEAD + 2 * t], row[HEAD + 2 * t + 1] = s, w
    return state


def crystal_to_bits(crystal: Crystal, columns: Array, n_neurons: int) -> Array | None:
    """The bit state of a crystal over all features with one hidden layer and weights ±1, or None for any other shape.

    A feature that the output reads becomes a neuron of its own; a neuron that the output reads negatively is negated.
    """
    place = {int(column): index for index, column in enumerate(columns)}
    n_inputs = len(crystal.inputs)
    last = crystal.neurons[crystal.outputs[0] - n_inputs] if crystal.outputs[0] >= n_inputs else None
    if last is None or any(abs(weight) != 1 for weight in last.weights):
        return None
    state = np.zeros((n_neurons + 1, FIRST + MOST), np.int16)
    parts: list[tuple[int, list[int]]] = []
    for source, weight in last.links:
        inner = Neuron([source], [1], 0) if source < n_inputs else crystal.neurons[source - n_inputs]
        if any(abs(w) != 1 or s not in place for s, w in inner.links) or not 0 < len(inner.links) <= MOST:
            return None
        k, m = sum(w < 0 for w in inner.weights) - inner.bias + 1, len(inner.links)
        literals = [2 * place[s] + (w < 0) for s, w in inner.links]
        parts.append((k, literals) if weight > 0 else (m - k + 1, [literal ^ 1 for literal in literals]))
    threshold = sum(weight < 0 for weight in last.weights) - last.bias + 1
    if len(parts) > n_neurons or not 1 <= threshold <= len(parts) or any(not 1 <= k <= len(ls) for k, ls in parts):
        return None
    for row, (k, literals) in zip(state, parts, strict=False):
        row[THRESHOLD], row[COUNT], row[FIRST : FIRST + len(literals)] = k, len(literals), literals
    state[n_neurons, THRESHOLD] = threshold
    return state


def size_of(crystal: Crystal) -> int:
    """How many literals the formula of the crystal's outputs has, written out: a neuron read twice counts twice."""
    sizes = [1] * len(crystal.inputs)
    for neuron in crystal.neurons:
        sizes.append(sum(abs(weight) * sizes[source] for source, weight in neuron.links))
    return sum(sizes[output] for output in crystal.outputs)


def over(crystal: Crystal, names: tuple[str, ...]) -> Crystal:
    """The same crystal with all these names as inputs, in their order; its own are among them."""
    if crystal.inputs == names:
        return crystal
    place = {name: index for index, name in enumerate(names)}
    n_inputs, shift = len(crystal.inputs), len(names) - len(crystal.inputs)
    column = [place[name] for name in crystal.inputs]

    def moved(source: int) -> int:
        return column[source] if source < n_inputs else source + shift

    neurons = []
    for each in crystal.neurons:
        links = sorted((moved(source), weight) for source, weight in each.links)
        neurons.append(Neuron([source for source, _ in links], [weight for _, weight in links], each.bias))
    return Crystal(names, neurons, [moved(output) for output in crystal.outputs])


def output_of(crystal: Crystal, index: int) -> Crystal:
    """The crystal with one of its outputs only."""
    return Crystal(crystal.inputs, crystal.neurons, [crystal.outputs[index]])


def _sources(row: Array) -> Array:
    return np.asarray(row[HEAD : HEAD + 2 * row[LINKS] : 2])
