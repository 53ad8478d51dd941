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

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from crystalogic.logic.formula import (
    AtLeast,
    Constant,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    StrongAnd,
    StrongOr,
    Variable,
)

Sum = tuple[tuple[tuple[int, int], ...], int]  # ((value, weight), …) sorted, and the bias


class Ref(NamedTuple):
    """A value or its negation; value 0 is the constant 0."""

    value: int
    negated: bool

    def __invert__(self) -> "Ref":
        return Ref(self.value, not self.negated)


ZERO, ONE = Ref(0, False), Ref(0, True)
MOST_FORMS = 4  # of one value that are remembered for the lemma


class Values:
    """A table of value numbers, for one scope: `fixed` gives the inputs that are constant in it."""

    def __init__(self, fixed: Mapping[str, int] | None = None) -> None:
        self._fixed = fixed or {}
        self._numbers: dict[object, int] = {"0": 0}
        self._forms: dict[int, list[Sum]] = {0: [((), 0)]}  # sums whose clamp is the value

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def input(self, name: str) -> Ref:
        """The value of an input."""
        if name in self._fixed:
            return ONE if self._fixed[name] else ZERO
        return Ref(self._number(("input", name)), False)

    def clamp(self, terms: Iterable[tuple[Ref, int]], bias: int) -> Ref:
        """The value of σ(Σ weight · term + bias)."""
        collected: dict[int, int] = {}
        for ref, weight in terms:
            if ref.negated:
                weight, bias = -weight, bias + weight
            if ref.value:
                collected[ref.value] = collected.get(ref.value, 0) + weight
        return self._clamped({value: weight for value, weight in collected.items() if weight}, bias)

    def _clamped(self, terms: dict[int, int], bias: int) -> Ref:
        low = bias + sum(weight for weight in terms.values() if weight < 0)
        high = bias + sum(weight for weight in terms.values() if weight > 0)
        if high <= 0 or low >= 1:
            return ZERO if high <= 0 else ONE
        if low == 0 and high == 1:  # the clamp does nothing: a single ±x
            ((value, weight),) = terms.items()
            return Ref(value, weight < 0)
        if high == 1:  # a conjunction: its negation is a disjunction
            return ~self._disjunction({value: -weight for value, weight in terms.items()}, 1 - bias)
        if low == 0:
            return self._disjunction(terms, bias)
        form = _sorted(terms, bias)
        flipped = form[0][0][1] < 0
        form = _complement(form) if flipped else form
        return Ref(self._remember(form, form), flipped)

    def _remember(self, key: Sum, form: Sum) -> int:
        value = self._number(key)
        forms = self._forms.setdefault(value, [])
        if form not in forms and len(forms) < MOST_FORMS:
            forms.append(form)
        return value

    def _disjunction(self, terms: dict[int, int], bias: int) -> Ref:
        """σ of a sum whose least value is 0: a disjunction of literals, each with a multiplicity."""
        joined = self._joined_pair(terms)
        if joined is not None:
            return joined
        flat: dict[tuple[int, bool], int] = {}
        for value, weight in terms.items():
            inner = self._disjuncts(value) if weight > 0 else None
            for literal, times in (inner or {(value, weight < 0): 1}).items():
                flat[literal] = flat.get(literal, 0) + times * abs(weight)
        if any((value, not negated) in flat for value, negated in flat):  # x ⊕ ¬x
            return ONE
        sums = {value: -times if negated else times for (value, negated), times in flat.items()}
        offset = sum(times for (_, negated), times in flat.items() if negated)
        return Ref(self._remember(_sorted(sums, offset), _sorted(terms, bias)), False)

    def _disjuncts(self, value: int) -> dict[tuple[int, bool], int] | None:
        """The literals of a value that is a disjunction, with their multiplicities."""
        for terms, bias in self._forms.get(value, ())[:1]:
            if terms and bias + sum(weight for _, weight in terms if weight < 0) == 0:
                return {(inner, weight < 0): abs(weight) for inner, weight in terms}
        return None

    def _joined_pair(self, terms: dict[int, int]) -> Ref | None:
        """u ⊕ v where it is the negation of x ⊗ (¬x ⊕ y), or of the left side of the lemma."""
        if len(terms) != 2 or any(abs(weight) != 1 for weight in terms.values()):
            return None
        u, v = (Ref(value, weight > 0) for value, weight in terms.items())  # the conjuncts of the negation
        for x, other in ((u, v), (v, u)):
            parts = None if other.negated else self._disjuncts(other.value)
            if parts is None:
                continue
            if parts.get((x.value, not x.negated)) == 1:
                rest = [(Ref(*literal), times) for literal, times in parts.items() if literal != tuple(~x)]
                return ~self.minimum([x, self.clamp(rest, 0)])
            by_lemma = self._by_lemma(parts, x)
            if by_lemma is not None:
                return ~by_lemma
        return None

    def _by_lemma(self, parts: dict[tuple[int, bool], int], beyond: Ref) -> Ref | None:
        """σ(g + x) where the parts are σ(g) and x, and `beyond` is σ(g + 1)."""
        if len(parts) != 2 or set(parts.values()) != {1}:
            return None
        first, second = (Ref(*literal) for literal in parts)
        for form in self._forms.get(beyond.value, ()):
            terms, bias = _complement(form) if beyond.negated else form
            lower = self._clamped(dict(terms), bias - 1)
            for part, x in ((first, second), (second, first)):
                if part == lower:
                    return self.clamp([*((Ref(value, False), weight) for value, weight in terms), (x, 1)], bias - 1)
        return None

    def minimum(self, refs: Iterable[Ref]) -> Ref:
        """The value of the least of some values."""
        distinct = set(refs)
        if ZERO in distinct:
            return ZERO
        distinct.discard(ONE)
        if len(distinct) <= 1:
            return distinct.pop() if distinct else ONE
        return Ref(self._number(("minimum", tuple(sorted(distinct)))), False)

    def formula(self, node: Formula, parts: list[Ref]) -> Ref:
        """The value of a node whose parts have these values."""
        ones = [(part, 1) for part in parts]
        match node:
            case Variable():
                return self.input(node.name)
            case Constant():
                return ONE if node.value else ZERO
            case Not():
                return ~parts[0]
            case StrongAnd():
                return self.clamp(ones, 1 - len(parts))
            case StrongOr():
                return self.clamp(ones, 0)
            case Implies():
                return self.clamp([(parts[0], -1), (parts[1], 1)], 1)
            case AtLeast():
                return self.clamp(ones, 1 - node.k)
            case Minimum():
                return self.minimum(parts)
            case Maximum():
                return ~self.minimum([~part for part in parts])
            case Iff():
                left, right = parts
                forth, back = self.clamp([(left, -1), (right, 1)], 1), self.clamp([(right, -1), (left, 1)], 1)
                return self.clamp([(forth, 1), (back, 1)], -1)
        message = f"no rule for {type(node).__name__}"
        raise TypeError(message)


def _sorted(terms: dict[int, int], bias: int) -> Sum:
    return tuple(sorted(terms.items())), bias


def _complement(form: Sum) -> Sum:
    """1 - f."""
    terms, bias = form
    return tuple((value, -weight) for value, weight in terms), 1 - bias
