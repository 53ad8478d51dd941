"""Why this row is decided so, and the nearest row with another decision.

Distance is the sum of the changes of ordered columns, each in units of its range. That no row with fewer changes exists
is proved, and so is the least distance, which z3 optimises: no row is nearer. Every row is run exactly. Where no table
could hold the nearest row, or floating-point numbers would decide otherwise of it, one very close to it is given.
"""

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

import z3

from crystalogic.audit.additive import fewest_columns, needs_of
from crystalogic.audit.cells import rational
from crystalogic.audit.scope import Field, Scope, Value, plain, refuse_unknown, scope_for, value_text
from crystalogic.audit.search import SECONDS, Search, UnknownRow, as_given, ask_in_time, find_fewest_facts
from crystalogic.audit.statements import Finding, Outcome, RiskOutcome, opposite, outcome_here, read_outcome, row_text
from crystalogic.deadline import TimeUp
from crystalogic.errors import DomainError, EncodingError, refuse
from crystalogic.model import Explanation, Model
from crystalogic.verify.questions import Verdict

NEAR = Fraction(1, 100)  # of a column's range: where no row is the nearest, one this close is given
VERY_NEAR = Fraction(1, 10**6)  # where there is one, and it cannot occur


def sufficient_reason(
    model: Model, row: Mapping[str, Any], *, keep: object = None, scope: Scope | None = None, seconds: float = SECONDS
) -> Finding:
    """The row's fewest facts with which every row gets the same class, whatever the rest (`facts["reason_columns"]`).

    Parameters:
        model: the model that is asked.
        row: one row, from columns to values; columns that the rule does not read may be there too.
        keep: for degrees, a comparison such as "≥ 0.7" that the row meets and that is to be kept.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    values, within, here = place_row(model, row, scope)
    outcome = outcome_here(here, keep)
    claim = f"{outcome}, whatever the other columns are"

    def ask(search: Search) -> Finding:
        if (needs := needs_of(model, outcome, within, values, search.deadline)) is not None:
            chosen = fewest_columns(needs, within.columns, search.deadline)
        else:
            runs = [(model, search.row())]
            against = z3.Not(search.says(outcome, *runs[0]))
            chosen = find_fewest_facts(search, runs, values, against, lambda found: not outcome.holds(found))
        facts = {column: values[column] for column in chosen}
        others = [column for column in model.columns if column not in chosen]
        reason = f"because {row_text(facts)}" if facts else "it does not depend on any column"
        reason += f"; any {', '.join(others)} will do" if others else ""
        reason += "; no fewer facts decide it (z3)" if facts else " (z3)"
        found = {"reason_columns": {column: plain(value) for column, value in facts.items()}, "others": others}
        return Finding(claim, within, Verdict.PROVED, reason, here.row, (), found)

    return ask_in_time(claim, within, seconds, ask)


def place_row(model: Model, row: Mapping[str, Any], scope: Scope | None) -> tuple[dict[str, Value], Scope, Explanation]:
    """A row of the user as values, the scope with this row in it, and what the model says of it."""
    within = scope_for(model, scope)
    if missing := [column for column in within.columns if column not in row]:
        message = f"the rule needs {', '.join(missing)}, the row has {', '.join(map(str, row)) or 'nothing'}."
        raise EncodingError(message)
    values = within.read(row)
    return values, within.include(values), model.explain({column: as_given(value) for column, value in values.items()})


def counterfactual(
    model: Model,
    row: Mapping[str, Any],
    *,
    to: object = None,
    frozen: Collection[str] = (),
    increasing: Collection[str] = (),
    decreasing: Collection[str] = (),
    scope: Scope | None = None,
    seconds: float = SECONDS,
) -> Finding:
    """The nearest row with another class, or with a class, a degree or a risk that is named.

    Nearest means: the fewest changed columns, then the least distance, each column measured by its range. A value that
    is known does not become missing. The answer is proved if there is such a row, which is its `witness`, with the
    changes in `facts["changes"]`; it is refuted if no allowed change has this effect.

    Parameters:
        model: the model that is asked.
        row: one row, from columns to values; columns that the rule does not read may be there too.
        to: the class to reach, for degrees a comparison such as "≥ 0.7", or a risk to reach such as "risk < 0.1"; None
            for any other class.
        frozen: columns that keep their value.
        increasing: columns whose value may only rise.
        decreasing: columns whose value may only fall.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    values, within, here = place_row(model, row, scope)
    for column in (*frozen, *increasing, *decreasing):
        refuse_unknown(model, column)
        if column in (*increasing, *decreasing) and column in within.columns and not within.field(column).is_ordered:
            refuse(DomainError, f"{column!r} has no order ({within.field(column)}), so it cannot only rise or fall.")
    allowed = within.narrow(values, frozen, increasing, decreasing)
    goal = opposite(model, outcome_here(here)) if to is None else read_outcome(model, to)
    if goal.holds(here):
        refuse(DomainError, f"{goal} is what the model says of this row already.")
    words = ((frozen, "as it is"), (increasing, "only rising"), (decreasing, "only falling"))
    limits = ", ".join(f"{' and '.join(names)} {word}" for names, word in words if names)
    claim = f"the row can be changed so that {goal}{', with ' * bool(limits)}{limits}"

    def ask(search: Search) -> Finding:
        nearest = _Nearest(model, Search(allowed, search.deadline), within, values, goal)
        if (found := nearest.any_row(shown=False)) is None:
            return Finding(claim, within, Verdict.REFUTED, "no allowed change has this effect (z3)")
        found, shown_as_nearest = nearest.improve(found)
        changes = {name: (values[name], new) for name, new in within.read(found.row).items() if new != values[name]}
        listed = ", ".join(f"{c} from {value_text(old)} to {value_text(new)}" for c, (old, new) in changes.items())
        told = {column: [plain(old), plain(new)] for column, (old, new) in changes.items()}
        facts = {"changes": told, "distance": str(nearest.distance(found)), "nearest": shown_as_nearest}
        reason, with_risk = f"change {listed}; {shown_as_nearest}", isinstance(goal, RiskOutcome)
        return Finding(claim, within, Verdict.PROVED, reason, found.row, (here, found), facts, with_risk=with_risk)

    return ask_in_time(claim, within, seconds, ask)


class _Nearest:
    """Rows that reach the goal, from any one to the nearest; distances are those of the whole scope."""

    def __init__(self, model: Model, search: Search, scope: Scope, values: Mapping[str, Value], goal: Outcome) -> None:
        unknown = search.row()
        self.search, self.scope, self.values, self.goal = search, scope, values, goal
        self.runs = [(model, unknown)]
        self.reached = search.says(goal, model, unknown)
        self.changed = [(z3.Not(cell.equals(values[column])), 1) for column, cell in unknown.items()]
        self.moved = z3.Sum([_distance(unknown, field, values[field.column]) for field in scope.fields])

    def any_row(
        self, n_changed: int | None = None, within: Fraction | None = None, *, nearer: bool = False, shown: bool = True
    ) -> Explanation | None:
        """A row that reaches the goal with so few changes and within this distance, or `nearer` than it."""
        conditions = [self.reached]
        if n_changed is not None:
            conditions.append(z3.PbLe(self.changed, n_changed))
        if within is not None:
            conditions.append(self.moved < rational(within) if nearer else self.moved <= rational(within))

        def holds(found: Explanation) -> bool:
            is_small = n_changed is None or self.n_changed(found) <= n_changed
            distance = self.distance(found)
            is_near = within is None or distance < within or (distance == within and not nearer)
            return self.goal.holds(found) and is_small and is_near

        found = self.search.find(self.runs, conditions, holds, like=self.values, is_shown=shown)
        return None if found is None else found[0]

    def improve(self, found: Explanation) -> tuple[Explanation, str]:
        """The nearest row, and what of that is proved."""
        fewest = ""
        try:
            found = next((row for row in map(self.any_row, range(1, self.n_changed(found))) if row is not None), found)
            fewest = "no change of fewer columns is enough"
            found, beyond = self._least_distance(found)
        except TimeUp:
            shown = found.model.explain(found.row)  # with its steps
            return shown, f"{fewest}{'; ' * bool(fewest)}a nearer row was not excluded in the time allowed"
        nearer = f"no row is nearer by more than {float(100 * beyond):g}% of a range" if beyond else "nor a smaller one"
        return found, f"{fewest}, {nearer} (z3)"

    def _least_distance(self, found: Explanation) -> tuple[Explanation, Fraction]:
        """The row at the least distance, or one that is at most so much further; either is proved."""
        n_changed = self.n_changed(found)
        bound = self.search.least(self.moved, [self.reached, z3.PbLe(self.changed, n_changed)])
        if self.any_row(n_changed, bound, nearer=True) is not None:
            raise TimeUp  # the bound does not hold, and without it nothing is shown
        nearest = self.any_row(n_changed, bound)
        if nearest is not None and _can_occur(nearest):
            return nearest, Fraction(0)
        for beyond in (NEAR,) if nearest is None else (VERY_NEAR, NEAR):
            close = self.any_row(n_changed, bound + beyond)
            if close is not None and _can_occur(close):
                return close, beyond
        return (nearest, Fraction(0)) if nearest is not None else (close or found, NEAR)

    def n_changed(self, found: Explanation) -> int:
        return len(self.scope.find_difference(self.values, found.row))

    def distance(self, found: Explanation) -> Fraction:
        pairs = [(each, self.values[each.column], each.read(found.row[each.column])) for each in self.scope.fields]
        known = ((each, x, y) for each, x, y in pairs if x is not None and y is not None)
        return sum((abs(each.position(y) - each.position(x)) for each, x, y in known), Fraction(0))


def _can_occur(found: Explanation) -> bool:
    """Whether a table can hold the row, all numbers being floats, and predictions say the same of it."""
    return not any(isinstance(value, Fraction) for value in found.row.values()) and found.rounded is None


def _distance(row: UnknownRow, field: Field, value: Value) -> Any:
    """How far a cell of a row is from a value, as a term; where one of them is missing there is no distance."""
    if value is None:
        return z3.RealVal(0)
    difference = row[field.column].place_in(field) - rational(field.position(value))
    return z3.If(difference < 0, -difference, difference)
