"""A crystal without the links that cost nothing: how short a formula could be, to judge what a search found."""

from collections.abc import Callable, Iterator

from crystalogic.crystal import Crystal, Neuron


def prune(crystal: Crystal, loss: Callable[[Crystal], float]) -> Crystal:
    """The crystal without the links whose removal does not raise the loss, the best removal first, until none is left.

    Removing a link leaves its neuron's threshold k or lowers it with the literal: ⊗ stays ⊗ and ⊕ stays ⊕.
    """
    best = loss(crystal)
    while True:
        choices = [(loss(each), index, each) for index, each in enumerate(one_link_less(crystal))]
        if not choices:
            return crystal
        least, _, shorter = min(choices, key=lambda choice: choice[:2])
        if least > best + 1e-9:
            return crystal
        best, crystal = least, shorter


def one_link_less(crystal: Crystal) -> Iterator[Crystal]:
    """Every crystal with one link less by one, its neuron's threshold kept or lowered, dead neurons left out."""
    for index in sorted(crystal.live):
        neuron = crystal.neurons[index]
        for place, (_, weight) in enumerate(neuron.links):
            step = 1 if weight > 0 else -1
            weights = [w - step * (t == place) for t, w in enumerate(neuron.weights)]
            # one positive literal less: k stays with the bias, or falls by one with bias + 1; negative: the reverse
            for bias in (neuron.bias, neuron.bias + step):
                changed = list(crystal.neurons)
                changed[index] = Neuron(neuron.sources, weights, bias)
                yield Crystal(crystal.inputs, changed, crystal.outputs).narrow().over(crystal.inputs)
