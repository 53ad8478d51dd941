"""From crystals to formulas and back: one walk, bottom up, for plain and residual networks alike.

Every integer neuron is "at least k of m literals", exactly. Write -x as (1 - x) - 1. With m literals, n of them
negated, ψ(Σ wᵢxᵢ + b) = ψ(Σ literals - (k - 1)) for k = n - b + 1. Proposition 1 of the paper names k = m (b = -p + 1,
the conjunction) and k = 1 (b = n, the disjunction); Theorem 1 is the case of two inputs of weight +1, a merge neuron;
k ≤ 0 and k > m are constants; what lies between is a graded threshold. A weight beyond ±1 repeats its literal: these
are points, and with points also "all" and "any" are read as the number of points that they need.

Two renderings of one object, both exact: `at_least` is readable, `connectives` has ⊗, ⊕ and ¬ only. Encoding is the
inverse: each strong connective becomes one neuron.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args

from crystalogic.counts import count
from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import CrystalError, TooLargeError, refuse
from crystalogic.logic.connectives import clamp_form, collect, strong_form
from crystalogic.logic.formula import AtLeast, Constant, Formula, Not, StrongAnd, StrongOr, Variable, as_formulas
from crystalogic.logic.walk import fold, subformulas

MOST_LITERALS = 10_000  # of one neuron, weights repeated
MOST_THRESHOLDS = 50_000  # of an expansion
Mode = Literal["at_least", "connectives"]


class Kind(Enum):
    """What a neuron turns out to be."""

    CONSTANT = "constant"
    LITERAL = "literal"
    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    THRESHOLD = "at least k of m"


@dataclass(frozen=True)
class Threshold:
    """At least k of the literals: the one shape of all integer neurons."""

    k: int
    literals: tuple[Formula, ...]

    @property
    def kind(self) -> Kind:
        m = len(self.literals)
        if self.k <= 0 or self.k > m:
            return Kind.CONSTANT
        if m == 1:
            return Kind.LITERAL
        return Kind.CONJUNCTION if self.k == m else Kind.DISJUNCTION if self.k == 1 else Kind.THRESHOLD

    @property
    def has_points(self) -> bool:
        """Whether some of several literals count more than once."""
        return 1 < len(set(self.literals)) < len(self.literals)

    def formula(self, *, points: bool = True) -> Formula:
        """The formula with the plainest connective; without `points`, all or any of literals that repeat are ⊗ or ⊕."""
        if self.kind in (Kind.CONSTANT, Kind.LITERAL):
            return Constant(int(self.k <= 0)) if self.kind is Kind.CONSTANT else self.literals[0]
        if self.kind is Kind.THRESHOLD or (points and self.has_points):
            return AtLeast(self.k, *self.literals)
        return (StrongAnd if self.kind is Kind.CONJUNCTION else StrongOr)(*self.literals)


def read_threshold(terms: Iterable[tuple[Formula, int]], bias: int) -> Threshold:
    """ψ(Σ weight · formula + bias) as a threshold; constants and like terms are collected first."""
    weights, bias = collect(terms, bias)
    n_literals = sum(abs(weight) for weight in weights.values())
    if n_literals > MOST_LITERALS:
        message = f"a neuron whose weights add up to {n_literals:,} cannot be read, at most {MOST_LITERALS:,} can."
        raise TooLargeError(message)
    pairs = ((formula if weight > 0 else Not(formula), abs(weight)) for formula, weight in weights.items())
    literals = [literal for literal, times in pairs for _ in range(times)]
    return Threshold(sum(-weight for weight in weights.values() if weight < 0) - bias + 1, tuple(literals))


def expand(threshold: Threshold) -> Formula:
    """The same function in ⊗, ⊕ and ¬, by the lemma of Rose and Rosser.

    For an integer-affine g, a literal x in [0,1] and σ the clamp to [0,1], σ(g + x) = (σ(g) ⊕ x) ⊗ σ(g + 1). Write
    T(j, t) for "at least t of the first j literals"; so T(j, t) = (T(j-1, t) ⊕ xⱼ) ⊗ T(j-1, t-1), with T(j, 1) the
    disjunction and T(j, j) the conjunction of the first j. At least k of m needs the T(j, t) with 0 ≤ k - t ≤ m - j
    only: k(m - k + 1) ≤ (m + 1)²/4 of them in a shared DAG, where the tree has exponentially many.
    """
    if threshold.kind is not Kind.THRESHOLD:
        return threshold.formula(points=False)
    k, literals = threshold.k, threshold.literals
    if n_thresholds(threshold) > MOST_THRESHOLDS:
        problem = f"at least {k} of {len(literals)} expands to {n_thresholds(threshold):,} thresholds,"
        refuse(TooLargeError, f"{problem} more than {MOST_THRESHOLDS:,}. Extract with mode 'at_least'.")
    row: dict[int, Formula] = {}  # t -> T(j, t) for the current j
    for j, literal in enumerate(literals, 1):
        before, row = row, {}
        for t in range(max(1, k - (len(literals) - j)), min(j, k) + 1):
            if t in (1, j):
                row[t] = expand(Threshold(t, literals[:j]))
            else:
                row[t] = StrongAnd(StrongOr(before[t], literal), before[t - 1])
    return row[k]


def n_thresholds(threshold: Threshold) -> int:
    """How many T(j, t) the expansion shares: at most (m + 1)²/4."""
    return max(1, threshold.k * (len(threshold.literals) - threshold.k + 1))


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
        formula = threshold.formula() if mode == "at_least" else expand(threshold)
        law = _law(crystal, neuron, threshold.kind, mode)
        readings[index] = Reading(index, threshold.kind, law, threshold.k, len(threshold.literals), formula)
        known[n_inputs + index] = formula
    kept = {output - n_inputs for output in crystal.outputs if output >= n_inputs}
    for index in sorted(crystal.live, reverse=True):
        if index in kept and readings[index].kind is not Kind.CONSTANT:  # a constant asks for none of its sources
            sources = {source - n_inputs for source in crystal.neurons[index].sources if source >= n_inputs}
            kept |= {source for source in sources if readings[source].kind is not Kind.CONSTANT}
    formulas = tuple(known[output] for output in crystal.outputs)
    dropped = tuple(index for index in range(len(crystal.neurons)) if index not in kept)
    return Extraction(crystal, mode, formulas, tuple(readings[index] for index in sorted(kept)), dropped)


def _law(crystal: Crystal, neuron: Neuron, kind: Kind, mode: Mode) -> str:
    """The statement of the paper, or of our own, that the reading rests on."""
    from_neuron = any(source >= len(crystal.inputs) for source in neuron.sources)
    if neuron.weights == (1, 1) and from_neuron and kind in (Kind.CONJUNCTION, Kind.DISJUNCTION):
        return "Theorem 1"
    return {
        Kind.CONSTANT: "constant",
        Kind.LITERAL: "identity",
        Kind.CONJUNCTION: "Proposition 1, case 1",
        Kind.DISJUNCTION: "Proposition 1, case 2",
        Kind.THRESHOLD: "threshold" if mode == "at_least" else "lemma of Rose and Rosser",
    }[kind]


def encode(formula: Formula | Sequence[Formula]) -> Crystal:
    """A crystal that computes the formula, or several formulas as several outputs.

    Negations become negative weights; ∧, ∨ and ↔ are written with → and ⊗ first.

    >>> from crystalogic.logic.parse import parse
    >>> encode(parse("a ⊗ ¬b")).neurons
    (Neuron(sources=(0, 1), weights=(1, -1), bias=0),)

    Parameters:
        formula: a formula, or a list of them.
    """
    roots = [fold(each, lambda node, parts: strong_form(node.with_parts(parts))) for each in as_formulas(formula)]
    nodes, needed, forms = subformulas(*roots), set(roots), {}
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
