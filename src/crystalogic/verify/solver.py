"""Search a scope for a row that meets a condition on degrees, with z3; what is found is checked exactly."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from typing import Any

from crystalogic.deadline import Deadline, TimeUp
from crystalogic.errors import CrystalogicError
from crystalogic.logic.connectives import clamp_form
from crystalogic.logic.domain import Domain
from crystalogic.logic.evaluate import lattice_degrees, lattice_rows
from crystalogic.logic.formula import Formula, Iff, Maximum, Minimum, Variable
from crystalogic.logic.walk import subformulas

Formulas = tuple[Formula, ...]
Condition = Callable[..., Any]  # of the degrees, as z3 terms or as Fractions
SIMPLE_ROWS = 5_000


def find_row(formulas: Formulas, scope: Domain, condition: Condition, deadline: Deadline) -> dict[str, Fraction] | None:
    """A row of the scope that meets the condition, None if there is none. TimeUp if it is not known."""
    import z3

    solver = z3.Solver()
    inputs = _add_inputs(z3, solver, scope, dict.fromkeys(name for formula in formulas for name in formula.variables))
    degrees = degree_terms(solver, formulas, inputs, deadline)
    solver.add(condition(*(degrees[formula] for formula in formulas)))
    found = solve(solver, deadline)
    if found is None:
        return None
    row = {name: fraction_of(found, term) for name, term in inputs.items()}
    if not scope.contains(row) or not condition(*(formula.evaluate(row) for formula in formulas)):
        raise wrong_row(row)
    with suppress(TimeUp):  # what was found is good, if not simple
        return _simplest(formulas, scope, condition, tuple(row), deadline) or row
    return row


def solve(solver: Any, deadline: Deadline) -> Any | None:
    """What z3 finds, None if there is nothing. TimeUp if that is not known, and Ctrl-C, which z3 takes for itself."""
    import z3

    solver.set("timeout", deadline.milliseconds)
    result = solver.check()
    if result == z3.unknown:
        raise KeyboardInterrupt if "interrupt" in solver.reason_unknown() else TimeUp
    return solver.model() if result == z3.sat else None


def wrong_row(row: object) -> CrystalogicError:
    """That the exact evaluation contradicts z3, which is nobody's fault but ours."""
    return CrystalogicError(f"z3 gave a row that does not meet the condition: {row}. Please report this.")


def _simplest(
    formulas: Formulas, scope: Domain, condition: Condition, names: tuple[str, ...], deadline: Deadline
) -> dict[str, Fraction] | None:
    """The first row with values in S₁, S₂, S₃ or S₄ that meets the condition: easier to read, and always the same."""
    for n in (1, 2, 3, 4):
        if (n + 1) ** len(names) > SIMPLE_ROWS:
            return None
        deadline.check()
        grid = lattice_rows(names, n)
        degrees = [lattice_degrees(formula, grid, n) for formula in formulas]
        for index in range((n + 1) ** len(names)):
            row = {name: Fraction(int(grid[name][index]), n) for name in names}
            at = [Fraction(int(degree[index] if degree.ndim else degree), n) for degree in degrees]
            if condition(*at) and scope.contains(row):
                return row
    return None


def _add_inputs(z3: Any, solver: Any, scope: Domain, names: Iterable[str]) -> dict[str, Any]:
    """The inputs of the rows of a scope, as terms. z3 knows symbols by C strings: a number names an input safely."""
    symbols, inputs = {name: f"in {index}" for index, name in enumerate(names)}, {}
    for name, symbol in symbols.items():
        if scope.is_boolean(name):
            inputs[name] = z3.If(z3.Bool(symbol), z3.RealVal(1), z3.RealVal(0))
        else:
            place, most = (z3.Real(symbol), 1) if scope.n is None else (z3.Int(symbol), scope.n)
            solver.add(place >= 0, place <= most)
            inputs[name] = place if scope.n is None else z3.ToReal(place) / most
    for group in dict.fromkeys(scope.group_of(name) for name in symbols if name in scope.names):
        members = [z3.Bool(symbols[name]) for name in group if name in symbols]
        if len(members) > 1:
            solver.add(z3.AtMost(*members, 1))
        if len(members) == len(group) and scope.is_complete(group):
            solver.add(z3.Or(*members))
    return inputs


def fraction_of(model: Any, term: Any) -> Fraction:
    """The value of a term in what z3 found."""
    value = model.eval(term, model_completion=True)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def degree_terms(
    solver: Any, formulas: Iterable[Formula], inputs: Mapping[str, Any], deadline: Deadline, prefix: str = "node"
) -> dict[Formula, Any]:
    """A z3 term for the degree of every subformula, given terms for the inputs.

    A compound node gets a name, so that terms stay flat however deep it is; `prefix` keeps the names of several rows
    in one solver apart.
    """
    import z3

    degrees: dict[Formula, Any] = {}
    for node in subformulas(*formulas):
        deadline.check()
        if isinstance(node, Variable):
            degrees[node] = inputs[node.name]
            continue
        degrees[node] = z3.Real(f"{prefix} {len(degrees)}")
        form = clamp_form(node)
        solver.add(degrees[node] == (_weak(z3, node, degrees) if form is None else _clamp(z3, *form, degrees)))
    return degrees


def _clamp(z3: Any, terms: Mapping[Formula, int], bias: int, degrees: Mapping[Formula, Any]) -> Any:
    total = z3.Sum([weight * degrees[part] for part, weight in terms.items()] + [z3.RealVal(bias)])
    low = bias + sum(weight for weight in terms.values() if weight < 0)
    high = bias + sum(weight for weight in terms.values() if weight > 0)
    degree = z3.If(total > 1, z3.RealVal(1), total) if high > 1 else total
    return z3.If(total < 0, z3.RealVal(0), degree) if low < 0 else degree


def _weak(z3: Any, node: Formula, degrees: Mapping[Formula, Any]) -> Any:
    join = {
        Minimum: lambda x, y: z3.If(y < x, y, x),
        Maximum: lambda x, y: z3.If(y > x, y, x),
        Iff: lambda x, y: z3.If(y > x, 1 - y + x, 1 - x + y),
    }
    return reduce(join[type(node)], (degrees[part] for part in node.parts))
