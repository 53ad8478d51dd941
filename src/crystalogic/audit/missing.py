"""Values that are not known, or not exactly: is the decision the same whatever they are, and if not, what to ask."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import z3

from crystalogic.audit.counterfactual import place_row
from crystalogic.audit.scope import Choices, Field, Numbers, Scope, only_value, scope_for
from crystalogic.audit.search import SECONDS, Holds, Runs, Search, ask_in_time, find_fewest, for_all, run
from crystalogic.audit.statements import Finding, Outcome, RiskOutcome, outcome_here, read_outcome
from crystalogic.decision import THRESHOLD
from crystalogic.errors import DomainError, refuse
from crystalogic.model import Explanation, Model
from crystalogic.truth import exact_number
from crystalogic.verify.questions import Verdict


def with_missing(
    model: Model,
    row: Mapping[str, Any],
    unknown: Iterable[str] = (),
    *,
    keep: object = None,
    scope: Scope | None = None,
    seconds: float = SECONDS,
) -> Finding:
    """Whether the decision is the same whatever is missing; if not, the fewest fields to ask for (`facts["ask_for"]`).

    Parameters:
        model: the model that is asked.
        row: what is known, from columns to values; a column that is absent or has no value is not known.
        unknown: columns that are taken as not known although the row has them.
        keep: for degrees, the side of a degree that is asked about, "≥ 0.5" unless given.
        scope: the rows it is asked about (`scope_of`); None for the rows that training says can occur.
        seconds: the time allowed; 10 unless given. After it the answer is undecided.
    """
    whole, named = scope_for(model, scope), set(unknown)
    for column in named - set(whole.columns):
        refuse(DomainError, f"the rule does not read {column!r}; it reads {', '.join(whole.columns)}.")
    values = {column: value for column, value in whole.read(row).items() if value is not None and column not in named}
    open_columns = [column for column in whole.columns if column not in values]
    known = {column: only_value(column, value) for column, value in values.items()}
    # a value that is not known is not missing
    within = Scope(tuple(known.get(field.column) or replace(field, may_miss=False) for field in whole.fields))
    half = Outcome(model.target, "≥", THRESHOLD)
    side = None if model.classes is not None else half if keep is None else read_outcome(model, keep)
    claim = f"{side or model.target} is settled{_whatever(open_columns)}"

    def ask(search: Search) -> Finding:
        one = search.row()
        other = search.row(like=one, apart=open_columns)
        if side is not None:
            is_apart = search.says(side, model, one) != search.says(side, model, other)
        else:
            pairs = zip(search.classes(model, one), search.classes(model, other), strict=True)
            is_apart = z3.Or([z3.And(here, z3.Not(there)) for here, there in pairs])

        def said(found: Explanation) -> object:
            return found.decision if side is None else side.holds(found)

        def difference(first: Explanation, second: Explanation) -> frozenset[str]:
            return within.find_difference(within.read(first.row), second.row)

        def find_apart(kept: frozenset[str], *, is_shown: bool = False) -> tuple[Explanation, ...] | None:
            """Two rows that have the columns `kept` in common too and get different answers; None if there are none."""
            same = [one[column].same(other[column]) for column in kept]  # type: ignore[arg-type]

            def holds(first: Explanation, second: Explanation) -> bool:
                return said(first) != said(second) and difference(first, second).isdisjoint(kept)

            return search.find([(model, one), (model, other)], [is_apart, *same], holds, is_shown=is_shown)

        def find_difference(kept: frozenset[str]) -> frozenset[str] | None:
            """Columns in which two rows must differ that have those of `kept` in common and get different answers."""
            if (found := find_apart(kept)) is None:
                return None
            first, second = found
            for column in open_columns:  # made equal where that changes nothing
                closer = run(model, {**second.row, column: first.row[column]})
                second = closer if said(first) != said(closer) else second
            return difference(first, second)

        if (found := find_apart(frozenset(), is_shown=True)) is None:
            return _settle(claim, within, side, search.find([(model, one)], [], lambda _: True))
        needed = find_fewest(open_columns, find_difference, search.deadline)
        others = [column for column in open_columns if column not in needed]
        settled = f"ask for {list_columns(needed)}: then it is settled{_whatever(others)}"
        reason = f"{settled}; no fewer fields are enough (z3)"
        facts = {"ask_for": list(needed), "not_needed": others}
        return Finding(claim, within, Verdict.REFUTED, reason, found[0].row, found, facts)

    return ask_in_time(claim, within, seconds, ask)


def list_columns(columns: Sequence[str]) -> str:
    """Columns as people list them."""
    *first, last = columns
    return f"{', '.join(first)} and {last}" if first else last


def _whatever(columns: Sequence[str]) -> str:
    return f", whatever {list_columns(columns)} {'is' if len(columns) == 1 else 'are'}" if columns else ""


def _settle(claim: str, scope: Scope, side: Outcome | None, example: tuple[Explanation, ...] | None) -> Finding:
    """What every row says: its class or, without classes, on which side of a degree it is."""
    if example is None:
        refuse(DomainError, f"no row that can occur has these values ({scope}).")
    (found,) = example
    said = outcome_here(found) if side is None else side if side.holds(found) else side.negated
    facts = {"ask_for": [], "decision": str(found.decision if side is None else said)}
    return Finding(claim, scope, Verdict.PROVED, f"{said} for every value (z3)", found.row, (), facts)


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
    if not 0 <= percent <= 100:
        refuse(DomainError, f"a measurement error is from 0 to 100 percent, got {percent!r}.")
    values, within, here = place_row(model, row, scope)
    absolute = {column: _error(within.field(column), error) for column, error in (errors or {}).items()}
    outcome = outcome_here(here, keep)

    def around(field: Field) -> Field:
        value = values[field.column]
        if value is None or isinstance(value, str) or not (isinstance(field, Numbers) or field.column in absolute):
            return only_value(field.column, value)
        number = Fraction(value)
        error = absolute.get(field.column, abs(number) * Fraction(str(percent)) / 100)
        return Numbers(field.column, number - error, number + error, field.is_whole)

    by_percent = any(isinstance(field, Numbers) and field.column not in absolute for field in within.fields)
    off = [f"{percent:g} % in every number"] * by_percent
    off += [f"{float(error):g} in {column}" for column, error in absolute.items()]
    claim = f"{outcome}, with errors of up to {' and '.join(off)}" if off else f"{outcome}; the rule reads no numbers"
    region = Scope(tuple(around(field) for field in within.fields))

    def contradict(search: Search) -> tuple[Runs, list[Any], Holds]:
        unknown = search.row()
        against = z3.Not(search.says(outcome, model, unknown))
        return [(model, unknown)], [against], lambda found: not outcome.holds(found)

    return for_all(claim, region, seconds, contradict, with_risk=isinstance(outcome, RiskOutcome))


def _error(field: Field, error: float | str) -> Fraction:
    """An absolute error as it was written, not as the nearest float."""
    exact = exact_number(str(error))
    if exact is None or exact < 0:
        refuse(DomainError, f"the error of {field.column!r} is a number in its own units, got {error!r}.")
    if isinstance(field, Choices) and not field.are_codes:
        refuse(DomainError, f"{field.column!r} is no number ({field}), so it has no measurement error.")
    return exact
