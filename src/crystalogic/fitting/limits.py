"""Limits of a request for the rows of a table: what is done to groups, and which columns are worth their price."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

from crystalogic.arrays import np
from crystalogic.candidates import SearchResult
from crystalogic.counts import count
from crystalogic.encoding import Encoding
from crystalogic.encoding.encoding import column_names, n_rows
from crystalogic.encoding.own import include_facts
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.evaluation.judging import Grouping
from crystalogic.fitting.remarks import group_protected
from crystalogic.intervals import FEWEST, Rates, rows_of_rate
from crystalogic.learner.limits import Bounds, Limits
from crystalogic.model import Group, Limited
from crystalogic.request import Request

MOST_BUDGETS = 16  # that are tried where columns have to pay


def _group(request: Request, rows: Any) -> Grouping:
    """The rows by the column whose groups are compared; all of them together, if there is none."""
    if request.gap_by is None:
        return Grouping("", np.zeros(n_rows(rows), np.intp), ["all rows"])
    return group_protected(rows, [request.gap_by], request.missing_words)[0]


def bounds_of(request: Request, limits: Limits, rows: Any, is_class: Any) -> Bounds | None:
    """Limits on what a rule does to these rows; None where there are none, an error without two groups to compare."""
    if limits.at_most is None and limits.sensitivity is None:
        return None
    by = _group(request, rows)
    are_judged = np.bincount(by.codes[rows_of_rate(is_class, limits.gap)], minlength=len(by.names) + 1) >= FEWEST
    n_groups = int(are_judged.sum())
    few = f"{by.column!r} has {count(n_groups, 'group')} with {FEWEST} rows or more to judge {limits.gap} by"
    message = f"{few}, and a gap is between two. Choose another column, or put its values together."
    refuse_first(TrainingDataError, {message: limits.at_most is not None and n_groups < 2})
    return Bounds(limits, by.codes, is_class, are_judged)


def refuse_unread(limits: Limits, encoding: Encoding, rows: Any) -> None:
    """A TrainingDataError for limits on columns that the rows do not have, or that no rule reads."""
    read = {literal.column for literal in encoding.literals.values()}
    named = (*limits.prices, *limits.only_with, *limits.only_with.values())
    unread = next((name for name in named if name not in read), None)
    what = "is left out of the facts" if unread in column_names(rows) else f"is not among {', '.join(sorted(read))}"
    refuse_first(TrainingDataError, {f"the limits name the column {unread!r}, which {what}.": unread is not None})


def learn_within(
    learn: Callable[[Limits], SearchResult], request: Request, limits: Limits, encoding: Encoding, rows: Any
) -> tuple[SearchResult, Limited]:
    """What is learned within limits, of several budgets with the one that pays most; and what was asked and reached."""
    tried = [limits]
    if is_bought := bool(limits.prices) and limits.budget is None:  # columns have to pay
        sets = (some for n in range(len(limits.prices) + 1) for some in combinations(limits.prices, n))
        costs = sorted({limits.cost({*some}) for some in sets})
        many = f"{len(costs)} sums of prices are too many to try, more than {MOST_BUDGETS}"
        refuse_first(TrainingDataError, {f"{many}: give a budget, or fewer prices.": len(costs) > MOST_BUDGETS})
        tried = [replace(limits, budget=float(cost)) for cost in costs]
    found = [learn(each) for each in tried]

    def score(each: SearchResult) -> float:
        chosen = each.front.chosen
        return chosen.training if chosen.cross_validated is None else chosen.cross_validated

    def worth(each: SearchResult) -> float:
        known = include_facts(encoding, each.crystal.inputs)[0].literals
        read = {known[name].column for name in each.front.chosen.crystal.narrow().inputs}
        return 100 * score(each) - float(limits.cost(read))

    best = max(found, key=worth)
    bought = {f"{each.budget:g}": score(one) for each, one in zip(tried, found, strict=True)} if is_bought else {}
    by, reached = _group(request, rows), []
    for counted in best.front.reached:
        pairs = zip([*by.names, None], counted, strict=False)
        reached.append(tuple(Group(by.column, name, Rates.of(*counts)) for name, counts in pairs if sum(counts)))
    at_most, least = (None if share is None else float(share) for share in (limits.at_most, limits.sensitivity))
    return best, Limited(limits.gap_by, limits.gap, at_most, least, *(reached or ((), ())), bought)
