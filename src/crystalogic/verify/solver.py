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
from crystalogic.logic.evaluate import lattice_degrees
from crystalogic.logic.formula import Formula, Iff, Maximum, Minimum, Variable
from crystalogic.logic.table import lattice_rows
from crystalogic.logic.walk import subformulas

Formulas = tuple[Formula, ...]
Condition = Callable[..., Any]  # of the degrees, as z3 terms or as Fractions
SIMPLE_ROWS = 5_000


def find_row(formulas: Formulas, scope: Domain, condition: Condition, deadline: Deadline) -> dict[str, Fraction] | None:
    """A row of the scope that meets the condition, None if there is none. TimeUp if it is not known."""
    problem = _Problem(scope, formulas, deadline)
    problem.solver.add(condition(*(problem.degrees[formula] for formula in formulas)))
    found = solve(problem.solver, deadline)
    if found is None:
        return None
    row = {name: fraction_of(found, term) for name, term in problem.inputs.items()}
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


class _Problem:
    """The rows of a scope and the degrees of some formulas on them, as z3 terms."""

    def __init__(self, scope: Domain, formulas: Formulas, deadline: Deadline) -> None:
        import z3

        self.z3 = z3
        self.scope = scope
        self.solver = z3.Solver()
        names = dict.fromkeys(name for formula in formulas for name in formula.variables)
        # z3 knows symbols by C strings; a number names an input safely, whatever its own name is
        self.symbols = {name: f"in {index}" for index, name in enumerate(names)}
        self.inputs = {name: self._input(name) for name in names}
        self._add_groups()
        self.degrees = degree_terms(self.solver, formulas, self.inputs, deadline)

    def _input(self, name: str) -> Any:
        if self.scope.is_boolean(name):
            return self.z3.If(self.z3.Bool(self.symbols[name]), self.z3.RealVal(1), self.z3.RealVal(0))
        if self.scope.n is not None:
            place = self.z3.Int(self.symbols[name])
            self.solver.add(place >= 0, place <= self.scope.n)
            return self.z3.ToReal(place) / self.scope.n
        value = self.z3.Real(self.symbols[name])
        self.solver.add(value >= 0, value <= 1)
        return value

    def _add_groups(self) -> None:
        for group in dict.fromkeys(self.scope.group_of(name) for name in self.inputs if name in self.scope.names):
            members = [self.z3.Bool(self.symbols[name]) for name in group if name in self.inputs]
            if len(members) > 1:
                self.solver.add(self.z3.AtMost(*members, 1))
            if len(members) == len(group) and self.scope.is_complete(group):
                self.solver.add(self.z3.Or(*members))


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
