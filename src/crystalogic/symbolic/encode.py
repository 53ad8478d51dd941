"""Encode formulas as crystals, the inverse of extraction: each strong connective becomes one neuron."""

from collections.abc import Sequence
from typing import Any

from crystalogic.crystal import Crystal, Neuron
from crystalogic.logic.connectives import clamp_form, strong_form
from crystalogic.logic.formula import Formula, Variable, as_formula
from crystalogic.logic.walk import fold, subformulas


def encode(formula: Formula | Sequence[Formula]) -> Crystal:
    """A crystal that computes the formula, or several formulas as several outputs.

    Negations become negative weights; ∧, ∨ and ↔ are written with → and ⊗ first.

    >>> from crystalogic.logic.parse import parse
    >>> encode(parse("a ⊗ ¬b")).neurons
    (Neuron(sources=(0, 1), weights=(1, -1), bias=0),)

    Parameters:
        formula: a formula, or a list of them.
    """
    several: Any = formula if isinstance(formula, (list, tuple)) else [formula]
    formulas = [as_formula(each) for each in several]
    roots = [fold(each, lambda node, parts: strong_form(node.with_parts(parts))) for each in formulas]
    nodes = subformulas(*roots)
    needed = set(roots)
    forms = {}
    for node in reversed(nodes):
        form = clamp_form(node)
        if node in needed and form is not None:
            forms[node] = form
            needed.update(form[0])
    inputs = [node.name for node in nodes if isinstance(node, Variable)]
    place: dict[Formula, int] = {Variable(name): index for index, name in enumerate(inputs)}
    neurons: list[Neuron] = []
    for node in nodes:
        if node in forms:
            terms, bias = forms[node]
            neurons.append(Neuron([place[part] for part in terms], list(terms.values()), bias))
            place[node] = len(inputs) + len(neurons) - 1
    return Crystal(inputs, neurons, [place[root] for root in roots])
