"""States of the kernels as crystals, and back."""

from crystalogic.arrays import Array, np
from crystalogic.crystal import Crystal, Neuron
from crystalogic.search.lanes import BIAS, HEAD, LINKS


def lanes_to_crystal(state: Array, names: tuple[str, ...]) -> Crystal:
    """The crystal of a lanes state, without its dead neurons."""
    neurons = []
    for bias, n_links, *links in state.tolist():
        neurons.append(Neuron(links[0 : 2 * n_links : 2], links[1 : 2 * n_links : 2], bias).sort())
    return Crystal(names, neurons, [len(names) + len(neurons) - 1]).narrow().over(names)


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


def size_of(crystal: Crystal) -> int:
    """How many literals the formula of the crystal's outputs has, written out: a neuron read twice counts twice."""
    sizes = [1] * len(crystal.inputs)
    for neuron in crystal.neurons:
        sizes.append(sum(abs(weight) * sizes[source] for source, weight in neuron.links))
    return sum(sizes[output] for output in crystal.outputs)
