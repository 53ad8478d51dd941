"""Value numbers: equal numbers mean equal functions, shown by integer arithmetic alone.

Neurons and formulas are both built from clamped integer sums, so both can be numbered in one table: every value gets
a canonical form, and two values with the same form are the same function on the whole scope. Nothing here is shared
with the code that extracts formulas. The rules, for σ the clamp to [0,1]:

* a sum that is ≥ 1, or ≤ 0, throughout is the constant 1, or 0; ψ(x) = x and ψ(1 - x) = ¬x;
* ¬σ(f) = σ(1 - f);
* a disjunction within a disjunction, σ(σ(f) + g) = σ(f + g) for f, g ≥ 0, is one disjunction; conjunctions dually;
* x ⊗ (¬x ⊕ y) = min(x, y);
* the lemma of Rose and Rosser: (σ(g) ⊕ x) ⊗ σ(g + 1) = σ(g + x).
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal, NamedTuple

from crystalogic.logic import formula as f

Terms = tuple[tuple[int, int], ...]  # (value, weight) with weight ≠ 0, sorted by value
Sum = tuple[int, int]  # the index of a vector of weights, and a bias


class Ref(NamedTuple):
    """A value or its negation; value 0 is the constant 0."""

    value: int
    negated: bool

    def __invert__(self) -> "Ref":
        return Ref(self.value, not self.negated)


ZERO, ONE = Ref(0, False), Ref(0, True)
MOST_FLAT = 512  # literals of a disjunction that nested ones are merged into
MOST_NESTED = 2  # rules used one inside the other: each level multiplies the work
MOST_SUMS = 16  # with the same clamp that are remembered for one value
Rules = Literal["none", "pairs", "written", "all"]


class Vectors:
    """A table of integer vectors over value numbers, each stored once and known by its index: sums are found again."""

    def __init__(self) -> None:
        self._index: dict[Terms, int] = {}
        self.plus = cache(self._plus)
        self.negative = cache(lambda vector: self.index({value: -weight for value, weight in self.terms[vector]}))
        self.terms: list[Terms] = []
        self.least: list[int] = []  # the sum over [0,1]ⁿ is at least this
        self.most: list[int] = []  # and at most this

    def index(self, weights: Mapping[int, int]) -> int:
        terms = tuple(sorted((value, weight) for value, weight in weights.items() if weight))
        found = self._index.setdefault(terms, len(self.terms))
        if found == len(self.terms):
            self.terms.append(terms)
            self.least.append(sum(weight for _, weight in terms if weight < 0))
            self.most.append(sum(weight for _, weight in terms if weight > 0))
        return found

    def _plus(self, vector: int, value: int, weight: int) -> int:
        """The vector with `weight` added at `value`."""
        weights = dict(self.terms[vector])
        weights[value] = weights.get(value, 0) + weight
        return self.index(weights)


class ValueNumbers:
    """A table of value numbers, for one scope: `fixed` gives the inputs that are constant in it."""

    def __init__(self, fixed: Mapping[str, int] | None = None, rules: Rules = "all") -> None:
        self._fixed = fixed or {}
        self._rules = rules
        self._vectors = Vectors()
        self._numbers: dict[object, int] = {"0": 0}
        self._sums: dict[int, list[Sum]] = {}  # sums whose clamp is the value, the canonical one first
        self._minima: dict[int, tuple[Ref, ...]] = {}
        self._nesting = 0

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def input(self, name: str) -> Ref:
        if name in self._fixed:
            return ONE if self._fixed[name] else ZERO
        return Ref(self._number(("input", name)), False)

    def clamp(self, terms: Iterable[tuple[Ref, int]], bias: int) -> Ref:
        """The value of σ(Σ weight · term + bias)."""
        weights: dict[int, int] = {}
        for ref, weight in terms:
            if ref.negated:
                weight, bias = -weight, bias + weight
            if ref.value:
                weights[ref.value] = weights.get(ref.value, 0) + weight
        return self._clamp((self._vectors.index(weights), bias))

    def _clamp(self, total: Sum) -> Ref:
        vector, bias = total
        low, high = bias + self._vectors.least[vector], bias + self._vectors.most[vector]
        if high <= 0 or low >= 1:
            return ZERO if high <= 0 else ONE
        if low == 0 and high == 1:  # the clamp does nothing: a single ±x
            ((value, weight),) = self._vectors.terms[vector]
            return Ref(value, weight < 0)
        if high == 1:  # a conjunction is the negation of a disjunction
            return ~self._disjunction(self._complement(total))
        if low == 0:
            return self._disjunction(total)
        flipped = self._vectors.terms[vector][0][1] < 0
        canonical = self._complement(total) if flipped else total
        return Ref(self._remember(canonical, canonical), flipped)

    def _complement(self, total: Sum) -> Sum:
        """1 - f."""
        return self._vectors.negative(total[0]), 1 - total[1]

    def _remember(self, canonical: Sum, also: Sum) -> int:
        value = self._number(canonical)
        self._also(value, canonical)
        self._also(value, also)
        return value

    def _also(self, value: int, total: Sum) -> None:
        """Keep one more sum whose clamp is the value: the lemma may need it."""
        sums = self._sums.setdefault(value, [])
        if len(sums) < MOST_SUMS and total not in sums:
            sums.append(total)

    def _disjunction(self, total: Sum) -> Ref:
        """σ of a sum whose least value is 0: a disjunction of literals, each with a multiplicity."""
        terms = self._vectors.terms[total[0]]
        if (pair := self._pair(terms)) is not None:
            self._also(pair.value, self._complement(total) if pair.negated else total)
            return pair
        flat = self._flat(terms)
        if any(~literal in flat for literal in flat):  # x ⊕ ¬x
            self._also(ZERO.value, self._complement(total))
            return ONE
        weights = {literal.value: -times if literal.negated else times for literal, times in flat.items()}
        bias = sum(times for literal, times in flat.items() if literal.negated)
        return Ref(self._remember((self._vectors.index(weights), bias), total), False)

    def _flat(self, terms: Terms) -> dict[Ref, int]:
        """The literals of a disjunction with their multiplicities, those of inner disjunctions included."""
        flat: dict[Ref, int] = {}
        for value, weight in terms:
            literal = Ref(value, weight < 0)
            inner = self._disjuncts(literal) or {literal: 1}
            inner = inner if len(flat) + len(inner) <= MOST_FLAT else {literal: 1}
            for each, times in inner.items():
                flat[each] = flat.get(each, 0) + times * abs(weight)
        return flat

    def _disjuncts(self, ref: Ref) -> dict[Ref, int] | None:
        """The literals of a value whose canonical form is a disjunction, with their multiplicities."""
        if ref.negated or not self._sums.get(ref.value):
            return None
        vector, bias = self._sums[ref.value][0]
        return next(self._as_disjunctions(ref), None) if bias + self._vectors.least[vector] == 0 else None

    def _pair(self, terms: Terms) -> Ref | None:
        """u ⊕ v where it is the negation of x ⊗ (¬x ⊕ y) = min(x, y), or of the left side of the lemma."""
        is_tried = self._rules not in ("none", "written") and self._nesting < MOST_NESTED
        if not is_tried or [abs(weight) for _, weight in terms] != [1, 1]:
            return None
        self._nesting += 1
        try:
            u, v = (Ref(value, weight > 0) for value, weight in terms)  # the conjuncts of the negation
            for x, either in ((u, v), (v, u)):
                if (found := self._weak(x, either) or self._lemma(either, x)) is not None:
                    return ~found
            return None
        finally:
            self._nesting -= 1

    def _weak(self, x: Ref, either: Ref) -> Ref | None:
        """min(x, y) for x ⊗ either, where `either` is ¬x ⊕ y."""
        for parts in self._as_disjunctions(either):
            if parts.get(~x) == 1:
                return self.minimum([x, self.clamp([each for each in parts.items() if each[0] != ~x], 0)])
        return None

    def _lemma(self, either: Ref, beyond: Ref) -> Ref | None:
        """σ(g + x) for either ⊗ beyond, where `either` is σ(g) ⊕ x and `beyond` is σ(g + 1)."""
        for parts in self._as_disjunctions(either):
            if len(parts) == 2 and set(parts.values()) == {1}:
                first, second = parts
                found = self.by_lemma(first, second, beyond) or self.by_lemma(second, first, beyond)
                if found is not None:
                    return found
        return None

    def _as_disjunctions(self, ref: Ref) -> Iterator[dict[Ref, int]]:
        """Every known way to write a value as a disjunction: literals with their multiplicities, merged first."""
        if ref.negated or not ref.value:
            return
        for vector, bias in list(self._sums.get(ref.value, ())):
            if bias + self._vectors.least[vector] == 0:
                yield {Ref(value, weight < 0): abs(weight) for value, weight in self._vectors.terms[vector]}

    def by_lemma(self, below: Ref, x: Ref, beyond: Ref) -> Ref | None:
        """The value of (below ⊕ x) ⊗ beyond, if `below` is σ(g) and `beyond` is σ(g + 1): it is σ(g + x)."""
        for total in self._sums.get(beyond.value, ()):
            vector, bias = self._complement(total) if beyond.negated else total
            if self._clamp((vector, bias - 1)) == below:
                if not x.value:
                    return self._clamp((vector, bias - 1 + x.negated))
                return self._clamp((self._vectors.plus(vector, x.value, -1 if x.negated else 1), bias - 1 + x.negated))
        return None

    def minimum(self, refs: Iterable[Ref]) -> Ref:
        """The value of the least of some values; a minimum within a minimum is one minimum."""
        distinct: set[Ref] = set()
        for ref in refs:
            distinct.update(self._minima.get(ref.value, (ref,)) if not ref.negated else (ref,))
        if ZERO in distinct:
            return ZERO
        distinct.discard(ONE)
        if len(distinct) <= 1:
            return distinct.pop() if distinct else ONE
        members = tuple(sorted(distinct))
        value = self._number(("minimum", members))
        self._minima[value] = members
        return Ref(value, False)

    def formula(self, node: f.Formula, nodes: Mapping[f.Formula, Ref]) -> Ref:
        """The value of a node, given the values of the nodes below it."""
        parts = [nodes[part] for part in node.parts]
        ones = [(part, 1) for part in parts]
        match node:
            case f.Variable():
                return self.input(node.name)
            case f.Constant():
                return ONE if node.value else ZERO
            case f.Not():
                return ~parts[0]
            case f.StrongAnd():
                lemma = self._lemma_at(node, nodes)
                return lemma if lemma is not None else self.clamp(ones, 1 - len(parts))
            case f.StrongOr():
                return self.clamp(ones, 0)
            case f.Implies():
                return self.clamp([(parts[0], -1), (parts[1], 1)], 1)
            case f.AtLeast():
                return self.clamp(ones, 1 - node.k)
            case f.Minimum():
                return self.minimum(parts)
            case f.Maximum():
                return ~self.minimum([~part for part in parts])
            case f.Iff():
                left, right = parts
                forth, back = self.clamp([(left, -1), (right, 1)], 1), self.clamp([(right, -1), (left, 1)], 1)
                return self.clamp([(forth, 1), (back, 1)], -1)
        message = f"no rule for {type(node).__name__}"
        raise TypeError(message)

    def _lemma_at(self, node: f.Formula, nodes: Mapping[f.Formula, Ref]) -> Ref | None:
        """The value of a node that is written (A ⊕ x) ⊗ B, in any order, where the lemma applies."""
        if len(node.parts) != 2 or self._rules not in ("all", "written"):
            return None
        for either, beyond in (node.parts, node.parts[::-1]):
            if isinstance(either, f.StrongOr) and len(either.parts) == 2:
                for below, x in (either.parts, either.parts[::-1]):
                    if (found := self.by_lemma(nodes[below], nodes[x], nodes[beyond])) is not None:
                        return found
        return None
