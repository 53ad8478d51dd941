"""Literals: what a truth value says of one column, in the person's own words and units.

A missing value makes every literal of its column false, except `… is missing`, which is true of it alone.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from typing import Any, ClassVar

from crystalogic.arrays import Array, np
from crystalogic.cells import MISSING_WORDS, NO_WORDS, level_number, level_of, number_text
from crystalogic.encoding.values import Values
from crystalogic.errors import DocumentError, refuse
from crystalogic.untrusted import each, number, text

LARGEST_FLOAT = sys.float_info.max
BETWEEN_VALUES = "|"  # in the name of a literal that lists several
MOST_RUNGS = 16  # of a ladder
DEGREE_OFF = 2.0**-51  # by how much a computed degree can be off: two differences and a quotient, 4 · 2⁻⁵³


@dataclass(frozen=True)
class Literal:
    """A statement about one column; `truth` gives its degree for every row."""

    column: str
    kind: ClassVar[str]
    said_of: ClassVar[tuple[str, ...]] = ("number", "code", "category")  # the kinds of columns
    is_boolean: ClassVar[bool] = True
    needs_number: ClassVar[bool] = False  # of a cell that is no number it says nothing
    rises: ClassVar[bool] = False  # more of the column never makes it less true

    @property
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

    def truth(self, values: Values) -> Array:
        """The degree for each row of the column; where values are compared, whether it has one of them."""
        return reduce(np.logical_or, map(values.equal, self.levels))

    def measure(self, values: Values) -> Array:
        """For each row the number that its exact degree hangs on: for a fact, whether it is true."""
        return self.truth(values)

    def bounds(self, measured: Array) -> tuple[Array, Array]:
        """Between which doubles the exact degrees of these numbers lie."""
        return measured, measured

    def exact_degree(self, number: float | Fraction) -> Fraction:
        """The exact degree of a number that was measured."""
        return Fraction(int(number))

    def degree_of(self, value: Any, words: frozenset[str] = MISSING_WORDS) -> Fraction:
        """The exact degree for one value, read as a table reads it; a Fraction is a number taken as it is."""
        if isinstance(value, Fraction):
            return self._degree_at(value)
        return self.exact_degree(self.measure(Values(self.column, [value], words=words)).item())

    def _degree_at(self, number: Fraction) -> Fraction:
        levels = (level_of(each, NO_WORDS) or "" for each in self.levels)
        return Fraction(int(any(number == level_number(level) for level in levels)))

    def content(self) -> dict[str, Any]:
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class Degree(Literal):
    """How far a number lies between the least and the greatest of the training rows; clipped outside."""

    low: float
    high: float
    kind = "degree"
    said_of = ("number", "code")
    is_boolean = False
    needs_number = True
    rises = True

    def truth(self, values: Values) -> Array:
        with np.errstate(over="ignore"):  # beyond all numbers is above the greatest, or below the least
            scaled = (values.numbers - self.low) / (self.high - self.low)
        return np.asarray(np.nan_to_num(scaled.clip(0, 1), nan=0.0))

    def measure(self, values: Values) -> Array:
        return np.asarray(np.nan_to_num(values.numbers, nan=self.low))  # a missing number has the degree 0

    def bounds(self, measured: Array) -> tuple[Array, Array]:
        scaled = ((measured - self.low) / (self.high - self.low)).clip(0, 1)
        off = np.where((measured <= self.low) | (measured >= self.high), 0, DEGREE_OFF)
        return (scaled - off).clip(0, 1), (scaled + off).clip(0, 1)

    def exact_degree(self, number: float | Fraction) -> Fraction:
        low, high = Fraction(self.low), Fraction(self.high)
        return min(Fraction(1), max(Fraction(0), (Fraction(number) - low) / (high - low)))

    _degree_at = exact_degree


@dataclass(frozen=True)
class Cut(Literal):
    """The number is at least `at`, in the column's own units."""

    at: float
    kind = "cut"
    said_of = ("number", "code")
    needs_number = True
    rises = True

    @property
    def name(self) -> str:
        is_long = abs(self.at) >= 1e15  # written like this in the formulas of all model files
        return f"{self.column} ≥ {repr(float(self.at)) if is_long else number_text(self.at)}"

    @property
    def statement(self) -> tuple[str, str]:
        return "≥", number_text(self.at)

    @property
    def cuts(self) -> tuple[float, ...]:
        return (self.at,)

    def truth(self, values: Values) -> Array:
        return values.numbers >= self.at  # false for NaN, which is how a missing number stands there

    def _degree_at(self, number: Fraction) -> Fraction:
        return Fraction(int(number >= Fraction(self.at)))


@dataclass(frozen=True)
class Ladder(Literal):
    """How many of several cuts the number reaches, as a share: `age ≥ 40|50|60|70` is 3/4 true of 65.

    In a sum of points it is worth a multiple of its rungs, so that each of them has whole points.
    """

    steps: tuple[float, ...]
    kind = "ladder"
    said_of = ("number", "code")
    ways_up = f"from 2 to {MOST_RUNGS} cuts, in ascending order"
    is_boolean = False
    needs_number = True
    rises = True

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

    def truth(self, values: Values) -> Array:
        return np.asarray(self.measure(values) / len(self.steps))

    def measure(self, values: Values) -> Array:
        return np.asarray(sum(rung.truth(values).astype(np.int64) for rung in self.rungs))

    def bounds(self, measured: Array) -> tuple[Array, Array]:
        share = np.asarray(measured / len(self.steps))
        return (share - DEGREE_OFF).clip(0, 1), (share + DEGREE_OFF).clip(0, 1)

    def exact_degree(self, number: float | Fraction) -> Fraction:
        return Fraction(int(number), len(self.steps))

    def _degree_at(self, number: Fraction) -> Fraction:
        return Fraction(sum(number >= Fraction(each) for each in self.steps), len(self.steps))


@dataclass(frozen=True)
class Is(Literal):
    """The value has the level of this one: 4, 4.0 and '4' are one value, 7 and '007' are two."""

    value: str
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

    values: tuple[str, ...]
    kind = "one of"

    @property
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

    level: str
    order: tuple[str, ...]
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

    def truth(self, values: Values) -> Array:
        return values.is_missing


KINDS: dict[str, type[Literal]] = {each.kind: each for each in (Degree, Cut, Ladder, Is, OneOf, Reaches, Missing)}


def _finite(value: Any, what: str) -> Any:
    """The number as it is."""
    if not abs(number(value, what)) <= LARGEST_FLOAT:
        refuse(DocumentError, f"{what} is {value!r}, expected a finite number.")
    return value


READERS: dict[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(("column", "value", "level"), text),
    **dict.fromkeys(("values", "order"), partial(each, text)),
    **dict.fromkeys(("low", "high", "at"), _finite),
    "steps": partial(each, _finite),
}


def literal_from_content(body: Mapping[str, Any]) -> Literal:
    kind = KINDS.get(str(body.get("kind")))
    if kind is None or set(body) != {"kind", *(field.name for field in fields(kind))}:
        refuse(DocumentError, f"not a literal: {dict(body)!r} has another kind, or other fields than its kind.")
    given = {name: value for name, value in body.items() if name != "kind"}
    literal = kind(**{name: READERS[name](value, f"not a literal: {name!r}") for name, value in given.items()})
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
