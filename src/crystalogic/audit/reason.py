"""Why this decision: the fewest facts of a row that alone decide it, whatever the other columns are."""

from collections.abc import Mapping
from typing import Any

import z3

from crystalogic.audit.fewest import find_fewest_facts
from crystalogic.audit.fields import Value, plain
from crystalogic.audit.finding import Finding, row_text
from crystalogic.audit.scope import Scope, refuse_no_model, scope_of
from crystalogic.audit.search import SECONDS, Search, as_given, ask_in_time
from crystalogic.audit.statements import outcome_here
from crystalogic.deadline import Deadline
from crystalogic.errors import EncodingError
from crystalogic.model import Explanation, Model
from crystalogic.verify.questions import Verdict


def sufficient_reason(
    model: Model, row: Mapping[str, Any], *, keep: object = None, scope: Scope | None = None, seconds: float = SECONDS
) -> Finding:
    """A smallest set of the row's facts with which every row gets the same class, whatever the rest.

    They are in `facts["reason_columns"]`.

    Parameters:
        model: the model that is asked.
        row: one row, from columns to values; columns that the rule does not read may be there too.
        keep: for degrees, a comparison such as "≥ 0.7" that the row meets and that is to be kept.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    values, within, here = place_row(model, row, scope)
    outcome = outcome_here(here, keep)
    claim = f"{outcome}, whatever the other columns are"

    def ask(search: Search) -> Finding:
        unknown = search.row()
        against = z3.Not(search.says(outcome, model, unknown))
        chosen = find_fewest_facts(search, [(model, unknown)], values, against, lambda found: not outcome.holds(found))
        facts = {column: values[column] for column in chosen}
        others = [column for column in model.columns if column not in chosen]
        reason = f"because {row_text(facts)}" if facts else "it does not depend on any column"
        reason += f"; any {', '.join(others)} will do" if others else ""
        reason += "; no fewer facts decide it (z3)" if facts else " (z3)"
        found = {"reason_columns": {column: plain(value) for column, value in facts.items()}, "others": others}
        return Finding(claim, within, Verdict.PROVED, reason, here.row, (), found)

    return ask_in_time(claim, within, deadline, ask)


def place_row(model: Model, row: Mapping[str, Any], scope: Scope | None) -> tuple[dict[str, Value], Scope, Explanation]:
    """A row of the user as values, the scope with this row in it, and what the model says of it."""
    refuse_no_model(model)
    within = (scope or scope_of(model)).only(model.columns)
    missing = [column for column in within.columns if column not in row]
    if missing:
        message = f"the rule needs {', '.join(missing)}, the row has {', '.join(map(str, row)) or 'nothing'}."
        raise EncodingError(message)
    values = within.read(row)
    given = {column: as_given(value) for column, value in values.items()}
    return values, within.include(values), model.explain(given)
