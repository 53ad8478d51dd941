"""Evaluate formulas: exactly on int and Fraction, vectorised on numpy arrays, and on all rows of a truth table.

Every Sₙ = {0, 1/n, …, 1} is closed under the connectives, so exact evaluation scales the values by their common
denominator and computes with integers. Arrays are evaluated in blocks of rows that stay in the cache.

How far floating-point numbers can be from that: every step is a clamped sum b + Σ wᵢxᵢ of m terms, added from left to
right. If the computed xᵢ are off by at most δᵢ, then the computed sum is off by at most (N. Higham, Accuracy and
Stability of Numerical Algorithms, §4.2)

    Σ |wᵢ| δᵢ + γ (|b| + Σ |wᵢ| (1 + δᵢ)),   γ = (m + 1) u / (1 - (m + 1) u),   u = 2⁻⁵³ for doubles,

because every term passes one product and at most m additions. Clamping, the minimum and the maximum add nothing, for
they never move two numbers apart. x ↔ y = 1 - |x - y| is two subtractions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from math import lcm
from numbers import Rational, Real
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import EvaluationError, TooLargeError, refuse
from crystalogic.logic.connectives import clamp_form, clamp_weights
from crystalogic.logic.formula import Formula, Iff, Maximum, Minimum, Variable, as_formula
from crystalogic.logic.names import size_text, write_name
from crystalogic.logic.walk import subformulas
from crystalogic.truth import truth_value

BLOCK = 8192
MOST_ROWS = 2_000_000  # of a truth table
DOUBLE = Fraction(1, 2**53)  # the unit roundoff u
FINEST = 2**320  # a longer denominator becomes this
Bounds = tuple[Array, Array]
_Choose = Callable[[Any, Any], Any]


def evaluate(formula: Formula, values: Mapping[str, Any]) -> Any:
    """The truth degree of the formula: a Fraction, a float, or an array, as the values are.

    int and Fraction give an exact Fraction; a float among them gives a float; an array among them gives an array
    (float32 if all arrays are float32, otherwise float64).

    >>> from crystalogic.logic.parse import parse
    >>> evaluate(parse("a ⊗ b"), {"a": Fraction(3, 4), "b": Fraction(1, 2)})
    Fraction(1, 4)
    """
    if isinstance(values, (list, tuple)):
        message = f"values are given by name, such as {{'a': Fraction(1, 2)}}, got {type(values).__name__}."
        raise EvaluationError(message)
    names = formula.variables
    if missing := [name for name in names if name not in values]:
        given = ", ".join(map(repr, values)) or "none"
        hint = "" if all(isinstance(name, str) for name in values) else " Names are texts, such as 'a'."
        refuse(EvaluationError, f"no value for {missing[0]!r}. Given: {given}.{hint}")
    used = {name: values[name] for name in names}
    if all(isinstance(value, Rational) for value in used.values()):
        return exact_function(formula)({name: truth_value(value, name) for name, value in used.items()})
    if all(isinstance(value, Real) for value in used.values()):
        floats = {name: float(truth_value(value, name)) for name, value in used.items()}
        return float(_run(program_of(formula), floats, 1, min, max)[formula])
    return _evaluate_arrays(formula, used)


def exact_function(formula: Formula) -> Callable[[Mapping[str, Fraction]], Fraction]:
    """The formula as a function of truth values, for many rows: its program is made once."""
    program, names = program_of(formula), formula.variables

    def degree(values: Mapping[str, Fraction]) -> Fraction:
        scaled, one = _scale({name: values[name] for name in names})
        return Fraction(_run(program, scaled, one, min, max)[formula], one)

    return degree


def _scale(values: Mapping[str, Fraction]) -> tuple[dict[str, int], int]:
    """The values as whole numbers over their common denominator."""
    one = lcm(*(value.denominator for value in values.values()))
    return {name: _numerator(value, one) for name, value in values.items()}, one


def every_degree(formula: Formula, values: Mapping[str, Fraction]) -> dict[Formula, Fraction]:
    """The exact degrees of a formula and of all its parts, each computed once, parts first."""
    program = []
    for node in subformulas(formula):
        weights, bias = clamp_weights(node) or ((1,) * len(node.parts), 0)
        program.append(_step(node, zip(node.parts, weights, strict=True), bias))
    scaled, one = _scale(values)
    return {node: Fraction(degree, one) for node, degree in _run(program, scaled, one, min, max).items()}


def exact_degrees(formulas: Sequence[Formula], values: Mapping[str, Sequence[Fraction]]) -> tuple[Array, int]:
    """The exact degrees (rows × formulas) in units of 1/one, and that one; `values` has a column for each variable."""
    one = lcm(*{value.denominator for column in values.values() for value in column})
    scaled = {name: np.array([_numerator(each, one) for each in column], object) for name, column in values.items()}
    return np.column_stack([lattice_degrees(formula, scaled, one) for formula in formulas]), one


def _numerator(value: Fraction, one: int) -> int:
    return value.numerator * (one // value.denominator)


def lattice_degrees(formula: Formula, numerators: Mapping[str, Array], n: int) -> Array:
    """The degrees on Sₙ as numerators over n, for arrays of numerators."""
    program = program_of(formula)
    how: tuple[Any, _Choose, _Choose] = np.int64, np.minimum, np.maximum
    largest = max(abs(step.bias) + sum(abs(weight) for _, weight in step.terms) for step in program)  # of all sums
    if (1 + largest) * n >= 2**62:  # integers of Python have no end
        how = object, np.frompyfunc(min, 2, 1), np.frompyfunc(max, 2, 1)
    dtype, *bounds = how
    columns = {name: column.astype(dtype) for name, column in numerators.items()}
    degrees = np.asarray(_run(program, columns, n, *bounds)[formula], dtype)
    return np.broadcast_to(degrees, np.broadcast_shapes((1,), *(each.shape for each in columns.values())))


@dataclass(frozen=True, slots=True)
class Instruction:
    """One node to compute: a clamped sum of earlier nodes or, for ∧, ∨, ↔, a comparison of them."""

    node: Formula
    terms: tuple[tuple[Formula, int], ...]
    bias: int
    below: bool  # whether the sum can fall below 0
    above: bool  # whether it can exceed 1
    spent: Sequence[Formula]  # nodes that no later step reads


@lru_cache(64)  # a row alone takes less time than its program
def program_of(formula: Formula) -> list[Instruction]:
    """The steps in order, which is also the order of floating-point operations; negations are folded into the sums."""
    steps, needed = [], {formula}
    for node in reversed(subformulas(formula)):
        if node not in needed:
            continue
        terms, bias = clamp_form(node) or (dict.fromkeys(node.parts, 1), 0)
        spent = [part for part in terms if part not in needed]
        needed.update(terms)
        steps.append(_step(node, terms.items(), bias, spent))
    return steps[::-1]


def _step(node: Formula, terms: Iterable[tuple[Formula, int]], bias: int, spent: Sequence[Formula] = ()) -> Instruction:
    terms = tuple(terms)
    low = bias + sum(weight for _, weight in terms if weight < 0)
    return Instruction(node, terms, bias, low < 0, bias + sum(weight for _, weight in terms if weight > 0) > 1, spent)


def _run(
    program: list[Instruction], values: Mapping[str, Any], one: int, minimum: _Choose, maximum: _Choose
) -> dict[Formula, Any]:
    """The degrees of all nodes that are not spent in the end, in units of 1/one, for numbers and arrays alike."""
    known: dict[Formula, Any] = {}
    for step in program:
        match step.node:
            case Variable():
                degree = values[step.node.name]
            case Iff():
                left, right = (known[part] for part in step.node.parts)
                degree = one - abs(left - right)
            case Minimum():
                degree = reduce(minimum, (known[part] for part in step.node.parts))
            case Maximum():
                degree = reduce(maximum, (known[part] for part in step.node.parts))
            case _:
                degree = step.bias * one
                for part, weight in step.terms:
                    degree = degree + known[part] if weight == 1 else degree + weight * known[part]
                degree = maximum(degree, 0) if step.below else degree
                degree = minimum(degree, one) if step.above else degree
        known[step.node] = degree
        for node in step.spent:
            del known[node]
    return known


def _evaluate_arrays(formula: Formula, used: Mapping[str, Any]) -> Array:
    arrays = {}
    for name, value in used.items():
        array = np.asarray(value)
        if array.dtype.kind not in "fbiu":
            if array.ndim == 0 and isinstance(value, Rational):
                array = np.asarray(float(value))
            else:
                found = f"is {value!r}" if array.ndim == 0 else f"has the type {array.dtype}"
                refuse(EvaluationError, f"{name!r} {found}, expected numbers between 0 and 1.")
        arrays[name] = array
    shapes = {array.shape for array in arrays.values() if array.ndim}
    if len(shapes) > 1:
        named = ", ".join(f"{name!r} {array.shape}" for name, array in arrays.items() if array.ndim)
        refuse(EvaluationError, f"arrays of one shape are needed, got {named}.")
    shape = shapes.pop() if shapes else ()
    kinds = [array.dtype for array in arrays.values() if array.ndim and array.dtype.kind == "f"]
    precision = np.result_type(*kinds) if kinds else np.dtype(np.float64)
    flat = {name: array.reshape(-1) if array.ndim else array for name, array in arrays.items()}
    program, result = program_of(formula), np.empty(int(np.prod(shape)), precision)
    for start in range(0, len(result), BLOCK):
        rows, block = slice(start, min(start + BLOCK, len(result))), {}
        for name, column in flat.items():
            part = column[rows] if column.ndim else column
            if not (part.min() >= 0 and part.max() <= 1):  # also catches NaN
                bad = int(np.flatnonzero(~((part >= 0) & (part <= 1)))[0])
                where, value = f"row {start + bad}: " if part.ndim else "", part.reshape(-1)[bad]
                refuse(EvaluationError, f"{where}{name!r} is {value}, expected a truth value between 0 and 1.")
            block[name] = part.astype(precision, copy=False)
        result[rows] = _run(program, block, 1, np.minimum, np.maximum)[formula]
    return result.reshape(shape)


def rounding_bound(formula: Formula, inputs: Fraction = Fraction(0), unit: Fraction = DOUBLE) -> Fraction:
    """The most by which a degree computed with floats is off, where the variables are off by `inputs` already."""
    off: dict[Formula, Fraction] = {}
    for step in program_of(formula):
        match step.node:
            case Variable():
                off[step.node] = inputs
            case Minimum() | Maximum():
                off[step.node] = max(off[part] for part in step.node.parts)
            case Iff():
                parts = sum((off[part] for part in step.node.parts), Fraction(0))
                off[step.node] = parts + _gamma(2, unit) * (2 + parts)
            case _:
                off[step.node] = sum_bound(step.bias, [(weight, off[part]) for part, weight in step.terms], unit)
        if off[step.node].denominator > FINEST:  # rounded up: the fractions of a deep formula would grow on
            off[step.node] = Fraction(-(-off[step.node].numerator * FINEST // off[step.node].denominator), FINEST)
        off[step.node] = min(Fraction(1), off[step.node])
    return off[formula]


def degree_bounds(formula: Formula, values: Mapping[str, Bounds]) -> Bounds:
    """Bounds of the exact degrees of many rows, from bounds of the truth values, computed with doubles. They meet where
    a sum is clamped, or made of 0 and 1 alone: there the degree is known exactly."""
    known: dict[Formula, Bounds] = {}
    for step in program_of(formula):
        node, size = step.node, abs(step.bias) + sum(abs(weight) for _, weight in step.terms)
        off: Any = float(_gamma(len(step.terms) + 2, DOUBLE) * (size + 2))
        match node:
            case Variable():
                known[node] = values[node.name]
                continue
            case Minimum() | Maximum():
                choose = np.minimum if isinstance(node, Minimum) else np.maximum
                low, high = (reduce(choose, each) for each in zip(*(known[part] for part in node.parts), strict=True))
                off = 0
            case Iff():
                (a, b), (c, d) = (known[part] for part in node.parts)
                low, high = 1 - np.maximum(b - c, d - a), 1 - np.maximum(np.maximum(a - d, c - b), 0)
            case _:
                low = high = np.asarray(float(step.bias))
                is_whole = np.asarray(True)
                for part, weight in step.terms:
                    least, most = known[part] if weight > 0 else known[part][::-1]
                    low, high = low + weight * least, high + weight * most
                    is_whole = is_whole & (least == most) & ((least == 0) | (least == 1))
                off = np.where(is_whole, 0, off)
        known[node] = np.clip(low - off, 0, 1), np.clip(high + off, 0, 1)
    return known[formula]


def sum_bound(bias: int, terms: Sequence[tuple[int, Fraction]], unit: Fraction = DOUBLE) -> Fraction:
    """The same for one clamped sum; `terms` are the weights and by how much what they weigh is off."""
    carried = sum((abs(weight) * off for weight, off in terms), Fraction(0))
    return carried + _gamma(len(terms) + 1, unit) * (abs(bias) + sum(abs(weight) for weight, _ in terms) + carried)


def _gamma(n: int, unit: Fraction) -> Fraction:
    return n * unit / (1 - n * unit)


@dataclass(frozen=True)
class TruthTable:
    """The degrees of a formula for every row of Sₙ, the last variable running fastest. `print` shows it.

    Attributes:
        formula: the formula.
        variables: its variables, in the order of the columns.
        n: the n of Sₙ.
        numerators: the degrees times n, row by row.
    """

    formula: Formula
    variables: tuple[str, ...]
    n: int
    numerators: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numerators)

    def rows(self) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
        """The pairs (values of the variables, degree)."""
        values = product([Fraction(numerator, self.n) for numerator in range(self.n + 1)], repeat=len(self.variables))
        return zip(values, (Fraction(numerator, self.n) for numerator in self.numerators), strict=True)

    def __str__(self) -> str:
        head = [*map(write_name, self.variables), str(self.formula) if self.formula.size < 20 else "degree"]
        body = [[*map(str, values), str(degree)] for values, degree in self.rows()]
        widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in [head, *body])


def truth_table(formula: Formula, n: int = 1) -> TruthTable:
    """The truth table over Sₙ = {0, 1/n, …, 1}.

    >>> from crystalogic.logic.parse import parse
    >>> print(truth_table(parse("a ⊗ b"), 2))
      a    b  a ⊗ b
      0    0      0
      0  1/2      0
      0    1      0
    1/2    0      0
    1/2  1/2      0
    1/2    1    1/2
      1    0      0
      1  1/2    1/2
      1    1      1

    Parameters:
        formula: a formula; a table has (n + 1)ᵐ rows for m variables.
        n: how fine the degrees are; 1 gives the Boolean table.
    """
    formula = as_formula(formula)
    degrees = lattice_degrees(formula, lattice_rows(formula.variables, n), n)
    return TruthTable(formula, formula.variables, n, tuple(degrees.tolist()))


def lattice_rows(names: tuple[str, ...], n: int) -> dict[str, Array]:
    """All rows of Sₙ as integer numerators over n, a column for each name."""
    if not isinstance(n, int) or n < 1:
        refuse(EvaluationError, f"S_n needs a whole number n of at least 1, got {n!r}.")
    count = (n + 1) ** len(names)
    if count > MOST_ROWS:
        problem = f"{len(names)} variables over S_{n} make {size_text(count)} rows, more than {MOST_ROWS:,}."
        refuse(TooLargeError, f"{problem} Take a smaller n, or ask `prove` instead of tabulating.")
    index = np.arange(count, dtype=np.int64)
    return {name: index // (n + 1) ** (len(names) - 1 - place) % (n + 1) for place, name in enumerate(names)}
