"""Crystals: networks of clamp neurons with integer weights, run exactly.

A neuron computes ψ(Σ wᵢxᵢ + b), where ψ clamps to [0,1] (Eq. 5 of the paper), with integer wᵢ and b. A crystal is
the only bridge between the half that trains and the half that proves: neurons in topological order, each naming
its sources, so that a residual link is just one more source.
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.counts import count
from crystalogic.document import fingerprint, seal, unseal
from crystalogic.errors import CrystalError, DocumentError, EvaluationError, NotCrystallizedError, refuse, refuse_first
from crystalogic.truth import LARGEST_INTEGER, truth_value
from crystalogic.untrusted import LIMITS, find_repeated

KIND, VERSION = "crystal", 1
BLOCK = 4096  # rows that stay in the cache


@dataclass(frozen=True)
class Neuron:
    """ψ(Σ weights · sources + bias), all integers. A weight 0 is no link and is left out.

    >>> Neuron(sources=[0, 1, 2], weights=[1, 0, -1], bias=0)
    Neuron(sources=(0, 2), weights=(1, -1), bias=0)

    Parameters:
        sources: what it reads: inputs are counted first, then the neurons of the crystal in order.
        weights: a whole number for each source.
        bias: a whole number.
    """

    sources: Sequence[int]
    weights: Sequence[int]
    bias: int

    def __post_init__(self) -> None:
        if isinstance(self.sources, (int, str)) or isinstance(self.weights, (int, str)):
            refuse(CrystalError, "a neuron takes a list of sources and a list of weights.")
        if len(self.sources) != len(self.weights):
            message = f"a neuron with {len(self.sources)} sources needs as many weights, got {len(self.weights)}."
            raise CrystalError(message)
        sources = [_integer(source, "source") for source in self.sources]
        weights = [_integer(weight, "weight") for weight in self.weights]
        if len(set(sources)) != len(sources):
            message = f"source {find_repeated(sources)} is named twice; name it once, with the sum of the weights."
            raise CrystalError(message)
        links = [(source, weight) for source, weight in zip(sources, weights, strict=True) if weight]
        object.__setattr__(self, "sources", tuple(source for source, _ in links))
        object.__setattr__(self, "weights", tuple(weight for _, weight in links))
        object.__setattr__(self, "bias", _integer(self.bias, "bias"))

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        return tuple(zip(self.sources, self.weights, strict=True))

    def move(self, places: Mapping[int, int] | Sequence[int]) -> "Neuron":
        """The same neuron, with its sources at other places."""
        return Neuron([places[source] for source in self.sources], self.weights, self.bias)

    def sort(self) -> "Neuron":
        """The same neuron, with its sources in ascending order."""
        links = sorted(self.links)
        return Neuron([source for source, _ in links], [weight for _, weight in links], self.bias)


@dataclass(frozen=True)
class Crystal:
    """A network of integer neurons.

    >>> both = Crystal(["a", "b"], [Neuron([0, 1], [1, 1], -1)], outputs=[2])
    >>> both.run({"a": 1, "b": Fraction(1, 2)})
    (Fraction(1, 2),)

    Parameters:
        inputs: the names of the inputs.
        neurons: each reads inputs and neurons before it.
        outputs: which inputs or neurons are given out, counted as sources are.
    """

    inputs: Sequence[str]
    neurons: Sequence[Neuron]
    outputs: Sequence[int]

    def __post_init__(self) -> None:
        if isinstance(self.inputs, str) or not all(isinstance(neuron, Neuron) for neuron in self.neurons):
            refuse(CrystalError, "a crystal takes a list of input names and a list of neurons.")
        object.__setattr__(self, "inputs", tuple(self.inputs))
        object.__setattr__(self, "neurons", tuple(self.neurons))
        object.__setattr__(self, "outputs", tuple(_integer(output, "output") for output in self.outputs))
        for name in self.inputs:
            if not isinstance(name, str) or not name:
                refuse(CrystalError, f"an input needs a name, got {name!r}.")
        if len(set(self.inputs)) != len(self.inputs):
            refuse(CrystalError, f"the input {find_repeated(list(self.inputs))!r} is named twice.")
        for index, neuron in enumerate(self.neurons):
            for source in neuron.sources:
                self._refuse_source(source, f"neuron {index}", len(self.inputs) + index)
        if not self.outputs:
            refuse(CrystalError, "a crystal needs at least one output.")
        for output in self.outputs:
            self._refuse_source(output, "the output", self.n_values)

    def _refuse_source(self, source: int, reader: str, known: int) -> None:
        if 0 <= source < known:
            return
        if 0 <= source < self.n_values:
            problem = f"{reader} reads neuron {source - len(self.inputs)}, which does not come before it:"
            refuse(CrystalError, f"{problem} neurons stand in topological order, without cycles.")
        all_sources = f"{count(len(self.inputs), 'input')} and {count(len(self.neurons), 'neuron')}"
        problem = f"{reader} reads source {source}, which does not exist: there are {all_sources},"
        refuse(CrystalError, f"{problem} numbered 0 to {self.n_values - 1}.")

    @property
    def n_values(self) -> int:
        """How many values a run computes: the inputs and then the neurons."""
        return len(self.inputs) + len(self.neurons)

    @cached_property
    def live(self) -> frozenset[int]:
        """The neurons (by index) that some output depends on."""
        n_inputs = len(self.inputs)
        reached = {output - n_inputs for output in self.outputs if output >= n_inputs}
        for index in range(len(self.neurons) - 1, -1, -1):
            if index in reached:
                reached.update(s - n_inputs for s in self.neurons[index].sources if s >= n_inputs)
        return frozenset(reached)

    def run(self, row: Mapping[str, int | Fraction] | Sequence[int | Fraction]) -> tuple[Fraction, ...]:
        """The exact outputs for one row, by name or in the order of the inputs: integers over a common denominator."""
        if isinstance(row, Mapping):
            if missing := [name for name in self.inputs if name not in row]:
                refuse(EvaluationError, f"no value for {missing[0]!r}: the crystal reads {', '.join(self.inputs)}.")
            row = [row[name] for name in self.inputs]
        if len(row) != len(self.inputs):
            refuse(EvaluationError, f"expected {count(len(self.inputs), 'value')}, one for each input, got {len(row)}.")
        values = [truth_value(value, name) for name, value in zip(self.inputs, row, strict=True)]
        one = lcm(*(value.denominator for value in values))
        scaled = [value.numerator * (one // value.denominator) for value in values]
        for neuron in self.neurons:
            total = sum(weight * scaled[source] for source, weight in neuron.links) + neuron.bias * one
            scaled.append(min(one, max(0, total)))
        return tuple(Fraction(scaled[output], one) for output in self.outputs)

    def run_rows(self, rows: Array) -> Array:
        """The outputs (rows × outputs) for a float array (rows × inputs), vectorised, in its own precision."""
        rows = np.asarray(rows)
        message = f"expected an array of rows × {len(self.inputs)} inputs, got the shape {rows.shape}."
        refuse_first(EvaluationError, {message: rows.ndim != 2 or rows.shape[1] != len(self.inputs)})
        rows = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
        if rows.size and not (rows.min() >= 0 and rows.max() <= 1):  # also catches NaN
            row, column = (int(place) for place in np.argwhere(~((rows >= 0) & (rows <= 1)))[0])
            truth_value(float(rows[row, column]), f"{self.inputs[column]} in row {row}")
        result = np.empty((len(rows), len(self.outputs)), rows.dtype)
        for start in range(0, len(rows), BLOCK):
            part = rows[start : start + BLOCK]
            values: list[Any] = list(np.ascontiguousarray(part.T))
            for neuron in self.neurons:
                total = np.full(len(part), neuron.bias, rows.dtype)
                for source, weight in neuron.links:
                    total += weight * values[source]
                values.append(np.clip(total, 0, 1, out=total))
            result[start : start + BLOCK] = np.column_stack([values[output] for output in self.outputs])
        return result

    def narrow(self) -> "Crystal":
        """The same crystal without neurons that no output reads, and without inputs that then none reads."""
        n_inputs = len(self.inputs)
        read = {source for index in self.live for source in self.neurons[index].sources} | set(self.outputs)
        inputs = [index for index in range(n_inputs) if index in read]
        place = {old: new for new, old in enumerate([*inputs, *(n_inputs + index for index in sorted(self.live))])}
        neurons = [self.neurons[index].move(place) for index in sorted(self.live)]
        return Crystal([self.inputs[i] for i in inputs], neurons, [place[output] for output in self.outputs])

    def over(self, names: Sequence[str]) -> "Crystal":
        """The same crystal with all these names as inputs, in their order; its own are among them."""
        if self.inputs == tuple(names):
            return self
        place = {name: index for index, name in enumerate(names)}
        places = [*(place[name] for name in self.inputs), *range(len(names), len(names) + len(self.neurons))]
        neurons = [each.move(places).sort() for each in self.neurons]
        return Crystal(names, neurons, [places[output] for output in self.outputs])

    def negate(self) -> "Crystal":
        """The crystal whose outputs are 1 minus these, with as many links: every neuron becomes 1 minus itself.
        1 - ψ(s) = ψ(1 - s), and a neuron that reads others keeps its weights for what has become of them."""
        n_inputs, neurons = len(self.inputs), []
        for each in self.neurons:
            weights = [-weight if source < n_inputs else weight for source, weight in each.links]
            read = sum(weight for source, weight in each.links if source >= n_inputs)
            neurons.append(Neuron(each.sources, weights, 1 - each.bias - read))
        outputs = list(self.outputs)
        for place, output in enumerate(outputs):
            if output < n_inputs:
                neurons.append(Neuron([output], [-1], 1))
                outputs[place] = n_inputs + len(neurons) - 1
        return Crystal(self.inputs, neurons, outputs)

    def content(self) -> dict[str, Any]:
        """The crystal as plain JSON data."""
        neurons = [{"sources": n.sources, "weights": n.weights, "bias": n.bias} for n in self.neurons]
        return {"inputs": self.inputs, "neurons": neurons, "outputs": self.outputs}

    @cached_property
    def fingerprint(self) -> str:
        """What identifies this crystal: the SHA-256 of its content."""
        return fingerprint(self.content())

    def to_json(self) -> str:
        """The crystal as a versioned, sealed JSON document."""
        return seal(KIND, VERSION, self.content())

    @staticmethod
    def from_json(text: str) -> "Crystal":
        """The crystal that `to_json` wrote, validated."""
        return Crystal.from_content(unseal(text, KIND, VERSION))

    @staticmethod
    def from_content(body: Mapping[str, Any]) -> "Crystal":
        try:
            LIMITS.refuse("neurons", len(body["neurons"]), "this crystal")
            LIMITS.refuse("links", sum(len(n["sources"]) for n in body["neurons"]), "this crystal")
            neurons = [Neuron(n["sources"], n["weights"], n["bias"]) for n in body["neurons"]]
            return Crystal(body["inputs"], neurons, body["outputs"])
        except (KeyError, TypeError) as error:
            refuse(DocumentError, f"not a {KIND}: {type(error).__name__} {error} while reading its neurons.")


def _integer(value: object, what: str) -> int:
    try:
        integer = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        message = f"{what} {value!r} is not an integer. Crystallize the network before building a crystal."
        raise NotCrystallizedError(message) from None
    if abs(integer) > LARGEST_INTEGER:
        refuse(CrystalError, f"a {what} is at most {LARGEST_INTEGER:,} in size; this one is larger.")
    return integer


def join_crystals(crystals: Sequence[Crystal]) -> Crystal:
    """Crystals over the same inputs as one, with one output each."""
    n_inputs, neurons, outputs = len(crystals[0].inputs), list[Neuron](), list[int]()
    for crystal in crystals:
        shift = len(neurons)
        places = [*range(n_inputs), *range(n_inputs + shift, crystal.n_values + shift)]
        neurons += [neuron.move(places) for neuron in crystal.neurons]
        outputs += [places[output] for output in crystal.outputs]
    return Crystal(crystals[0].inputs, neurons, outputs)
