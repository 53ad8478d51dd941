"""Is the decision for a row robust to errors of measurement? All rows within the errors are asked about at once."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import z3

from crystalogic.audit.fields import Choices, Field, Numbers, only_value
from crystalogic.audit.finding import Finding
from crystalogic.audit.reason import place_row
from crystalogic.audit.scope import Scope
from crystalogic.audit.search import SECONDS, Search, ask_in_time, for_all
from crystalogic.audit.statements import RiskOutcome, outcome_here
from crystalogic.deadline import Deadline
from crystalogic.errors import DomainError
from crystalogic.model import Model
from crystalogic.truth import exact_number


def robust(
    model: Model,
    row: Mapping[str, Any],
    percent: float = 5,
    *,
    errors: Mapping[str, float | str] | None = None,
    keep: object = None,
    scope: Scope | None = None,
    seconds: float = SECONDS,
) -> Finding:
    """Whether the decision stays when every number of the row is off by up to some percent of itself.

    Codes, categories and missing values stay as they are unless `errors` names them. Numbers may leave the range of
    training: a measurement can.

    Parameters:
        model: the model that is asked.
        row: one row, from columns to values; columns that the rule does not read may be there too.
        percent: the error of every measured number, in percent of itself.
        errors: absolute errors of single columns instead, in their own units; codes can be named here too.
        keep: for degrees, a comparison such as "≥ 0.7" that the row meets and that is to be kept.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    deadline = Deadline.after(seconds)
    if not 0 <= percent <= 100:
        message = f"a measurement error is from 0 to 100 percent, got {percent!r}."
        raise DomainError(message)
    values, within, here = place_row(model, row, scope)
    absolute = {column: _error(within.field(column), error) for column, error in (errors or {}).items()}
    outcome = outcome_here(here, keep)

    def around(field: Field) -> Field:
        value = values[field.column]
        is_measured = isinstance(field, Numbers) or field.column in absolute
        if value is None or isinstance(value, str) or not is_measured:
            return only_value(field.column, value)
        number = Fraction(value)
        error = absolute.get(field.column, abs(number) * Fraction(str(percent)) / 100)
        return Numbers(field.column, number - error, number + error, field.is_whole)

    by_percent = any(isinstance(field, Numbers) and field.column not in absolute for field in within.fields)
    off = [f"{percent:g} % in every number"] * by_percent
    off += [f"{float(error):g} in {column}" for column, error in absolute.items()]
    claim = f"{outcome}, with errors of up to {' and '.join(off)}" if off else f"{outcome}; the rule reads no numbers"
    region = Scope(tuple(around(field) for field in within.fields))

    def ask(search: Search) -> Finding:
        unknown = search.row()
        against = z3.Not(search.says(outcome, model, unknown))
        with_risk = isinstance(outcome, RiskOutcome)
        runs = [(model, unknown)]
        return for_all(claim, search, runs, [against], lambda found: not outcome.holds(found), with_risk=with_risk)

    return ask_in_time(claim, region, deadline, ask)


def _error(field: Field, error: float | str) -> Fraction:
    """An absolute error as it was written, not as the nearest float."""
    exact = exact_number(str(error))
    if exact is None or exact < 0:
        message = f"the error of {field.column!r} is a number in its own units, got {error!r}."
        raise DomainError(message)
    if isinstance(field, Choices) and not field.are_codes:
        message = f"{field.column!r} is no number ({field}), so it has no measurement error."
        raise DomainError(message)
    return exact
