"""From crystals to formulas and back: one walk, bottom up, for plain and residual networks alike.

Two renderings of one object, both exact: `at_least` is readable, `connectives` has ⊗, ⊕ and ¬ only. Encoding is the
inverse: each strong connective becomes one neuron.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from crystalogic.counts import count
from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import CrystalError, refuse
from crystalogic.logic.connectives import clamp_form, strong_form
from crystalogic.logic.formula import Formula, Variable, as_formula
from crystalogic.logic.walk import fold, subformulas
from crystalogic.symbolic.read import Kind, Threshold, expand, read_threshold

Mode = Literal["at_least", "connectives"]


@dataclass(frozen=True)
class Reading:
    """What one neuron says: its kind, the law it was read by and its formula over the inputs."""

    neuron: int
    kind: Kind
    law: str
    k: int
    n_literals: int
    formula: Formula


@dataclass(frozen=True)
class Extraction:
    """The formulas of a crystal's outputs, with a reading for every neuron that matters.

    Attributes:
        crystal: what was read.
        mode: how it was read.
        formulas: one for each output.
        readings: what each neuron says, and by which law.
        dropped: the neurons no output depends on, or whose value is constant or no longer asked for.
    """

    crystal: Crystal
    mode: Mode
    formulas: tuple[Formula, ...]
    readings: tuple[Reading, ...]
    dropped: tuple[int, ...]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.formulas), f"(exact, {count(len(self.readings), 'neuron')} read)"])

    @property
    def formula(self) -> Formula:
        """The formula of a crystal with one output."""
        if len(self.formulas) != 1:
            refuse(CrystalError, f"this crystal has {len(self.formulas)} outputs; take one of `formulas`.")
        return self.formulas[0]


def extract(crystal: Crystal, mode: Mode = "at_least") -> Extraction:
    """The formulas that the crystal computes.

    >>> merged = Crystal(["y"], [Neuron([0], [2], -1), Neuron([1], [-1], 1)], [2])
    >>> print(extract(merged).formula)
    ¬(y ⊗ y)

    Parameters:
        crystal: the network that is read.
        mode: "at_least" reads every neuron as "at least k of m"; "connectives" writes that with ⊗, ⊕ and ¬ alone.
    """
    if not isinstance(crystal, Crystal):
        refuse(CrystalError, f"extract takes a Crystal, got {type(crystal).__name__}. Crystallize the network first.")
    if mode not in get_args(Mode):
        refuse(CrystalError, f"the mode is one of {', '.join(get_args(Mode))}, got {mode!r}.")
    n_inputs = len(crystal.inputs)
    known: dict[int, Formula] = {index: Variable(name) for index, name in enumerate(crystal.inputs)}
    readings: dict[int, Reading] = {}
    for index in sorted(crystal.live):
        neuron = crystal.neurons[index]
        threshold = read_threshold([(known[source], weight) for source, weight in neuron.links], neuron.bias)
        readings[index] = _reading(index, threshold, _law(crystal, neuron, threshold), mode)
        known[n_inputs + index] = readings[index].formula
    kept = _find_kept(crystal, readings)
    return Extraction(
        crystal,
        mode,
        tuple(known[output] for output in crystal.outputs),
        tuple(readings[index] for index in sorted(kept)),
        tuple(index for index in range(len(crystal.neurons)) if index not in kept),
    )


def _reading(index: int, threshold: Threshold, law: str, mode: Mode) -> Reading:
    formula = threshold.formula() if mode == "at_least" else expand(threshold)
    if mode == "connectives" and threshold.kind is Kind.THRESHOLD:
        law = "lemma of Rose and Rosser"
    return Reading(index, threshold.kind, law, threshold.k, len(threshold.literals), formula)


def _law(crystal: Crystal, neuron: Neuron, threshold: Threshold) -> str:
    """The statement of the paper, or of our own, that the reading rests on."""
    from_neuron = any(source >= len(crystal.inputs) for source in neuron.sources)
    if neuron.weights == (1, 1) and from_neuron and threshold.kind in (Kind.CONJUNCTION, Kind.DISJUNCTION):
        return "Theorem 1"
    return {
        Kind.CONSTANT: "constant",
        Kind.LITERAL: "identity",
        Kind.CONJUNCTION: "Proposition 1, case 1",
        Kind.DISJUNCTION: "Proposition 1, case 2",
        Kind.THRESHOLD: "threshold",
    }[threshold.kind]


def _find_kept(crystal: Crystal, readings: dict[int, Reading]) -> set[int]:
    """The neurons whose value reaches an output: a constant asks for none of its sources."""
    n_inputs = len(crystal.inputs)
    kept = {output - n_inputs for output in crystal.outputs if output >= n_inputs}
    for index in sorted(crystal.live, reverse=True):
        if index in kept and readings[index].kind is not Kind.CONSTANT:
            sources = {source - n_inputs for source in crystal.neurons[index].sources if source >= n_inputs}
            kept |= {source for source in sources if readings[source].kind is not Kind.CONSTANT}
    return kept


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
