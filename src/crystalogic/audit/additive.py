"""Rules that add up points of facts, each of one column: what a column adds at least and at most needs no search.

A row of a scope is any choice of values, so a sum is extreme where what each column adds is. Known columns keep it on
its side if the others cannot carry it over: which are enough is one inequality in whole numbers for every sum.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import z3

from crystalogic.audit.scope import Choices, Field, Row, Scope, Value
from crystalogic.audit.statements import Outcome, RiskOutcome
from crystalogic.deadline import Deadline
from crystalogic.encoding import Cut, Missing
from crystalogic.logic.formula import Constant, Formula
from crystalogic.logic.score import score_of
from crystalogic.model import Model
from crystalogic.verify.questions import solve

Needed = tuple[dict[str, int], int]  # what knowing each column is worth, and how much of that is needed


def needs_of(model: Model, outcome: Outcome, scope: Scope, values: Row, deadline: Deadline) -> list[Needed] | None:
    """What columns of a row must be known for its outcome to be sure; None where the rule does not just add up."""
    sums = _sums_of(model, outcome)
    if sums is None or not all(_is_plain(model, name, scope) for formula, _ in sums for name in formula.variables):
        return None
    needs = []
    for formula, is_reached in sums:
        score, by_column, worth = score_of(formula), dict[str, dict[Formula, int]](), dict[str, int]()
        for part, points in score.points.items():
            if len(read := model.encoding.columns_of(part.variables)) != 1:
                return None
            by_column.setdefault(read[0], {})[part] = points
        needed = score.threshold if is_reached else 1 - score.threshold
        for column, parts in by_column.items():
            added = [_add(model, parts, column, value, deadline) for value in _levels(scope.field(column), model)]
            own, least, most = _add(model, parts, column, values[column], deadline), min(added), max(added)
            worth[column] = own - least if is_reached else most - own
            needed += -least if is_reached else most
        needs.append((worth, needed))
    return needs


def fewest_columns(needs: Sequence[Needed], columns: Sequence[str], deadline: Deadline) -> tuple[str, ...]:
    """The fewest columns that are enough for all needs; of several choices the one with the first columns."""
    known = {column: z3.Bool(f"known {place}") for place, column in enumerate(columns)}
    solver = z3.Solver()
    for worth, needed in (each for each in needs if each[1] > 0):
        solver.add(z3.PbGe([(known[column], n) for column, n in worth.items()], needed))
    for size in range(len(columns) + 1):
        solver.push()
        solver.add(z3.PbLe([(each, 1) for each in known.values()], size))
        if solve(solver, deadline) is not None:
            break
        solver.pop()
    for each in known.values():
        solver.push()
        solver.add(each)
        if solve(solver, deadline) is None:
            solver.pop()
            solver.add(z3.Not(each))
    found: Any = solve(solver, deadline)
    return tuple(column for column, each in known.items() if z3.is_true(found.eval(each, model_completion=True)))


def _sums_of(model: Model, outcome: Outcome) -> list[tuple[Formula, bool]] | None:
    """The formulas that an outcome is about, and which side of its threshold each must be on; None for other rules."""
    if model.classes is None or model.rounding or isinstance(outcome, RiskOutcome) or outcome.operator != "=":
        return None
    place = model.classes.index(outcome.value)
    if len(model.formulas) == 1:
        return [(model.formulas[0], place == 1)]
    if not model.is_list:
        return None
    asked = [(model.formulas[each], each == place) for each in model.order[: model.order.index(place) + 1]]
    return [(formula, is_reached) for formula, is_reached in asked if not isinstance(formula, Constant)]


def _is_plain(model: Model, name: str, scope: Scope) -> bool:
    """Whether a literal is a fact whose column `_levels` can go through."""
    fact = model.encoding.literals[name]
    field = scope.field(fact.column)
    return fact.is_boolean and (isinstance(field, Choices) or (isinstance(fact, Cut | Missing) and not field.never))


def _levels(field: Field, model: Model) -> Iterator[Value]:
    """One value of a field for each combination of facts about it."""
    if isinstance(field, Choices):
        yield from field.candidates
        return
    cuts = sorted({Fraction(at) for each in model.encoding.by_name[field.column].literals for at in each.cuts})
    lowest = field.low if field.low is not None else min([*cuts, field.high or Fraction(0)]) - 1
    for value in (lowest, *cuts):
        number = Fraction(ceil(value)) if field.is_whole else value
        if field.contains(number):
            yield number
    if field.may_miss:
        yield None


def _add(model: Model, parts: dict[Formula, int], column: str, value: Value, deadline: Deadline) -> int:
    """The points that a column adds with a value."""
    deadline.check()
    literals, words = model.encoding.literals, model.encoding.by_name[column].words
    names = {name for part in parts for name in part.variables}
    degrees = {name: literals[name].degree_of(value, words) for name in names}
    return int(sum(points * part.evaluate(degrees) for part, points in parts.items()))
