"""Literals: what a truth value says of one column, in the person's own words and units.

A missing value makes every literal of its column false, except `… is missing`, which is true of it alone.
"""

import sys
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from crystalogic.arrays import Array, np
from crystalogic.cells import MISSING_WORDS, NO_WORDS, level_number, level_of, number_text
from crystalogic.encoding.values import Values
from crystalogic.errors import DocumentError, refuse
from crystalogic.untrusted import each, finite, read_fields, table, text

LARGEST_FLOAT = sys.float_info.max
BETWEEN_VALUES = "|"  # in the name of a literal that lists several
MOST_RUNGS = 16  # of a ladder
DEGREE_OFF = 2.0**-51  # by how much a computed degree can be off: two differences and a quotient, 4 · 2⁻⁵³


@dataclass(frozen=True)
class Literal:
    """A statement about one column; `truth` gives its degree for every row."""

    column: Annotated[str, text]
    kind: ClassVar[str]
    said_of: ClassVar[tuple[str, ...]] = ("number", "code", "category")  # the kinds of columns
    is_boolean: ClassVar[bool] = True
    needs_number: ClassVar[bool] = False  # of a cell that is no number it says nothing
    rises: ClassVar[bool] = False  # more of the column never makes it less true

    @cached_property
    def name(self) -> str:
        """The statement in words; the name of the truth value in formulas."""
        sign, value = self.statement
        names = {"": self.column, "=": f"{self.column}={value}", "missing": f"{self.column} is missing"}
        return names.get(sign, f"{self.column} {sign} {value}")

    @property
    def statement(self) -> tuple[str, str]:
        """The sign and the value that a person writes after the column; for degrees there is no sign."""
        return "", ""

    @property
    def levels(self) -> tuple[str, ...]:
        """The values of which the cell must have one, where values are compared."""
        return ()

    @property
    def cuts(self) -> tuple[float, ...]:
        """The numbers at which it changes."""
        return ()

    @property
    def ends(self) -> tuple[float, float]:
        """What is measured where the degree is 0, and where it is 1; between them the degree rises evenly."""
        return 0, 1

    def measure(self, values: Values) -> Array:
        """For each row the number that its degree hangs on: for a fact, whether it is true."""
        return reduce(np.logical_or, map(values.equal, self.levels))

    def measure_number(self, number: Fraction) -> Fraction | int:
        """The same for one exact number."""
        return any(number == level_number(level_of(each, NO_WORDS) or "") for each in self.levels)

    def truth(self, values: Values) -> Array:
        """The degree for each row of the column."""
        return self.measure(values) if self.is_boolean else self._scale(self.measure(values))

    def _scale(self, measured: Array) -> Array:
        low, high = self.ends
        with np.errstate(over="ignore"):  # beyond all numbers is above the greatest, or below the least
            return np.asarray(((measured - low) / (high - low)).clip(0, 1))

    def bounds(self, measured: Array) -> tuple[Array, Array]:
        """Between which doubles the exact degrees of what was measured lie."""
        if self.is_boolean:
            return measured, measured
        is_exact = (measured <= self.ends[0]) | (measured >= self.ends[1])
        scaled, off = self._scale(measured), np.where(is_exact, 0, DEGREE_OFF)
        return (scaled - off).clip(0, 1), (scaled + off).clip(0, 1)

    def exact_degree(self, number: float | Fraction) -> Fraction:
        """The exact degree of a number that was measured."""
        low, high = map(Fraction, self.ends)
        return min(Fraction(1), max(Fraction(0), (Fraction(number) - low) / (high - low)))

    def degree_of(self, value: Any, words: frozenset[str] = MISSING_WORDS) -> Fraction:
        """The exact degree for one value, read as a table reads it; a Fraction is a number taken as it is."""
        if isinstance(value, Fraction):
            return self.exact_degree(self.measure_number(value))
        return self.exact_degree(self.measure(Values(self.column, [value], words=words)).item())

    def content(self) -> dict[str, Any]:
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class NumberLiteral(Literal):
    """A statement about a number, which more of the column never makes less true."""

    said_of = ("number", "code")
    needs_number = True
    rises = True


@dataclass(frozen=True)
class Degree(NumberLiteral):
    """How far a number lies between the least and the greatest of the training rows; clipped outside."""

    low: Annotated[float, finite]
    high: Annotated[float, finite]
    kind = "degree"
    is_boolean = False

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    def measure(self, values: Values) -> Array:
        return np.asarray(np.nan_to_num(values.numbers, nan=self.low))  # a missing number has the degree 0

    def measure_number(self, number: Fraction) -> Fraction:
        return number


@dataclass(frozen=True)
class Cut(NumberLiteral):
    """The number is at least `at`, in the column's own units."""

    at: Annotated[float, finite]
    kind = "cut"

    @cached_property
    def name(self) -> str:
        is_long = abs(self.at) >= 1e15  # written like this in the formulas of all model files
        return f"{self.column} ≥ {repr(float(self.at)) if is_long else number_text(self.at)}"

    @property
    def statement(self) -> tuple[str, str]:
        return "≥", number_text(self.at)

    @property
    def cuts(self) -> tuple[float, ...]:
        return (self.at,)

    def measure(self, values: Values) -> Array:
        return values.numbers >= self.at  # false for NaN, which is how a missing number stands there

    def measure_number(self, number: Fraction) -> int:
        return number >= Fraction(self.at)


@dataclass(frozen=True)
class Ladder(NumberLiteral):
    """How many of several cuts the number reaches, as a share: `age ≥ 40|50|60|70` is 3/4 true of 65.

    In a sum of points it is worth a multiple of its rungs, so that each of them has whole points.
    """

    steps: Annotated[tuple[float, ...], partial(each, finite)]
    kind = "ladder"
    ways_up = f"from 2 to {MOST_RUNGS} cuts, in ascending order"
    is_boolean = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))

    @property
    def goes_up(self) -> bool:
        """Whether its numbers can be rungs."""
        return 2 <= len(self.steps) <= MOST_RUNGS and all(low < high for low, high in pairwise(self.steps))

    @property
    def statement(self) -> tuple[str, str]:
        return "≥", BETWEEN_VALUES.join(map(number_text, self.steps))

    @property
    def cuts(self) -> tuple[float, ...]:
        return self.steps

    @property
    def rungs(self) -> tuple[Cut, ...]:
        """The cuts, from the one on that most numbers reach."""
        return tuple(Cut(self.column, each) for each in self.steps)

    @property
    def ends(self) -> tuple[float, float]:
        return 0, len(self.steps)

    def measure(self, values: Values) -> Array:
        return np.asarray(sum(rung.measure(values).astype(np.int64) for rung in self.rungs))

    def measure_number(self, number: Fraction) -> int:
        return sum(rung.measure_number(number) for rung in self.rungs)


@dataclass(frozen=True)
class Is(Literal):
    """The value has the level of this one: 4, 4.0 and '4' are one value, 7 and '007' are two."""

    value: Annotated[str, text]
    kind = "is"

    @property
    def statement(self) -> tuple[str, str]:
        return "=", self.value

    @property
    def levels(self) -> tuple[str, ...]:
        return (self.value,)

    @property
    def level(self) -> str:
        """The value as cells are compared."""
        return level_of(self.value, NO_WORDS) or ""


@dataclass(frozen=True)
class OneOf(Literal):
    """The value has the level of one of these."""

    values: Annotated[tuple[str, ...], partial(each, text)]
    kind = "one of"

    @cached_property
    def name(self) -> str:
        return f"{self.column}={BETWEEN_VALUES.join(self.values)}"

    @property
    def levels(self) -> tuple[str, ...]:
        return self.values

    @property
    def parts(self) -> tuple[Is, ...]:
        return tuple(Is(self.column, value) for value in self.values)


@dataclass(frozen=True)
class Reaches(Literal):
    """The value stands at `level` or after it in the declared order."""

    level: Annotated[str, text]
    order: Annotated[tuple[str, ...], partial(each, text)]
    kind = "reaches"
    said_of = ("ordinal",)
    rises = True

    @property
    def statement(self) -> tuple[str, str]:
        return "≥", self.level

    @property
    def levels(self) -> tuple[str, ...]:
        return self.order[self.order.index(self.level) :]


@dataclass(frozen=True)
class Missing(Literal):
    kind = "missing"
    said_of = ("number", "code", "category", "ordinal")

    @property
    def statement(self) -> tuple[str, str]:
        return "missing", ""

    def measure(self, values: Values) -> Array:
        return values.is_missing


KINDS: dict[str, type[Literal]] = {each.kind: each for each in (Degree, Cut, Ladder, Is, OneOf, Reaches, Missing)}


def literal_from_content(body: Any, what: str) -> Literal:
    """The literal with this plain JSON data, validated."""
    kind = KINDS.get(str(table(body, what).get("kind")))
    if kind is None or set(body) != {"kind", *(field.name for field in fields(kind))}:
        refuse(DocumentError, f"not a literal: {body!r} has another kind, or other fields than its kind.")
    literal = read_fields(kind, body, "not a literal")
    match literal:
        case Degree(column, low, high) if not 0 < float(high) - float(low) <= LARGEST_FLOAT:
            message = f"not a literal: the degree of {column!r} needs low < high, and a finite range."
        case Ladder(column) if not literal.goes_up:
            message = f"not a literal: a ladder of {column!r} has {Ladder.ways_up}."
        case OneOf(column, values) if len(values) < 2:
            message = f"not a literal: a list of the values of {column!r} has at least two."
        case Reaches(column, level, order) if level not in order:
            message = f"not a literal: {level!r} is not in the order of {column!r}."
        case _:
            return literal
    raise DocumentError(message)
