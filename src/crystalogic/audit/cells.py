"""Cells: one unknown value of a column as z3 terms, tied to all that is said of that column."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from crystalogic.audit.scope import Choices, Field, Numbers, Value
from crystalogic.audit.statements import COMPARE, Comparison
from crystalogic.cells import MISSING_WORDS, NO_WORDS, level_number, level_of
from crystalogic.deadline import Deadline
from crystalogic.encoding import Cut, Degree, Literal, Missing
from crystalogic.verify.questions import fraction_of

ZERO, ONE = z3.RealVal(0), z3.RealVal(1)


def rational(number: Fraction | int) -> Any:
    return z3.Q(number.numerator, number.denominator)


@dataclass(frozen=True, eq=False)
class NumberCell:
    """A number of a column, or no value."""

    field: Numbers
    number: Any
    is_missing: Any

    @property
    def rules(self) -> list[Any]:
        """What holds of every value of the field."""
        bounds = [self.number >= rational(self.field.low)] if self.field.low is not None else []
        bounds += [self.number <= rational(self.field.high)] if self.field.high is not None else []
        return bounds + [self.number != rational(each) for each in self.field.never]

    def equals(self, value: Value) -> Any:
        if value is None:
            return self.is_missing
        return z3.And(z3.Not(self.is_missing), self.number == rational(Fraction(value)))

    def truth(self, literal: Literal, words: frozenset[str] = MISSING_WORDS) -> Any:
        """The degree of a literal, as a term, for a model to which these words mean missing."""
        stand_ins = [self.number == rational(Fraction(n)) for n in map(level_number, words) if n is not None]
        is_missing = z3.Or([self.is_missing, *stand_ins]) if stand_ins else self.is_missing
        match literal:
            case Degree():
                low, high = Fraction(literal.low), Fraction(literal.high)
                scaled = (self.number - rational(low)) / rational(high - low)
                return z3.If(is_missing, ZERO, z3.If(scaled > 1, ONE, z3.If(scaled < 0, ZERO, scaled)))
            case Missing():
                return z3.If(is_missing, ONE, ZERO)
            case Cut():
                holds = self.number >= rational(Fraction(literal.at))
            case _:
                numbers = (level_number(level_of(each, NO_WORDS) or "") for each in literal.levels)
                holds = z3.Or([self.number == rational(Fraction(n)) for n in numbers if n is not None])
        return z3.If(z3.And(z3.Not(is_missing), holds), ONE, ZERO)

    def says(self, comparison: Comparison) -> Any:
        """That a comparison holds of the cell."""
        if comparison.operator == "missing":
            return self.is_missing
        if (number := comparison.number) is None:
            return z3.BoolVal(comparison.operator == "≠")
        holds = COMPARE[comparison.operator](self.number, rational(number))
        return z3.Or(self.is_missing, holds) if comparison.operator == "≠" else z3.And(z3.Not(self.is_missing), holds)

    def same(self, other: "NumberCell") -> Any:
        """That another cell of the column has the same value."""
        equal = z3.And(z3.Not(self.is_missing), z3.Not(other.is_missing), self.number == other.number)
        return z3.Or(z3.And(self.is_missing, other.is_missing), equal)

    def place_in(self, field: Field) -> Any:
        """Where the value stands in the order of a field of the column, in the units of `field.position`."""
        return self.number * rational(field.position(1))

    def value(self, found: Any) -> Value:
        is_missing = z3.is_true(found.eval(self.is_missing, model_completion=True))
        return None if is_missing else fraction_of(found, self.number)


@dataclass(frozen=True, eq=False)
class ChoiceCell:
    """One of the values of a column, or no value: a truth value for each, of which exactly one is true."""

    field: Choices
    chosen: tuple[Any, ...]

    @property
    def rules(self) -> list[Any]:
        return [z3.PbEq([(each, 1) for each in self.chosen], 1)]

    @property
    def is_missing(self) -> Any:
        return self.chosen[-1] if self.field.may_miss else z3.BoolVal(False)

    def equals(self, value: Value) -> Any:
        return self.chosen[self.field.candidates.index(value)]

    def truth(self, literal: Literal, words: frozenset[str] = MISSING_WORDS) -> Any:
        """The degree of a literal, as a term: its degree for each of the values."""
        degrees = [(literal.degree_of(value, words), chosen) for value, chosen in self._pairs()]
        degree = z3.If(z3.Or([chosen for at, chosen in degrees if at == 1]), ONE, ZERO)
        for at, chosen in degrees:
            degree = z3.If(chosen, rational(at), degree) if 0 < at < 1 else degree
        return degree

    def says(self, comparison: Comparison) -> Any:
        return z3.Or([chosen for value, chosen in self._pairs() if comparison.holds(value, self.field)])

    def same(self, other: "ChoiceCell") -> Any:
        return z3.And([one == another for one, another in zip(self.chosen, other.chosen, strict=True)])

    def place_in(self, field: Field) -> Any:
        places = [(field.position(value), chosen) for value, chosen in self._pairs()]
        return z3.Sum([z3.If(chosen, rational(place), ZERO) for place, chosen in places] + [ZERO])

    def _pairs(self) -> Iterable[tuple[Value, Any]]:
        return zip(self.field.candidates, self.chosen, strict=True)

    def value(self, found: Any) -> Value:
        return next(value for value, chosen in self._pairs() if z3.is_true(found.eval(chosen, model_completion=True)))


Cell = NumberCell | ChoiceCell


def cell_of(field: Field, name: str, deadline: Deadline) -> Cell:
    """A new cell; `name` keeps the symbols of several rows apart, and columns do not name symbols."""
    deadline.check()
    if isinstance(field, Choices):
        chosen = []
        for index in range(len(field.candidates)):
            deadline.check()
            chosen.append(z3.Bool(f"{name} is {index}"))
        return ChoiceCell(field, tuple(chosen))
    number = z3.ToReal(z3.Int(name)) if field.is_whole else z3.Real(name)
    return NumberCell(field, number, z3.Bool(f"{name} is missing") if field.may_miss else z3.BoolVal(False))
