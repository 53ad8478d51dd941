"""Limits of a request for the rows of a table: which columns go together, what is done to groups, what is worth its price.

A priced column without a budget has to pay: rules are learned without it and with it, and it stays if so many more of
100 rows held out are decided rightly as it costs. Columns are tried one by one, and the one that gains most comes first.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from crystalogic.arrays import np
from crystalogic.candidates import Reached, SearchResult
from crystalogic.encoding import Encoding
from crystalogic.encoding.encoding import column_names, n_rows
from crystalogic.encoding.own import include_facts
from crystalogic.errors import TrainingDataError, refuse_first
from crystalogic.evaluation.judging import Grouping
from crystalogic.fitting.remarks import group_protected
from crystalogic.intervals import FEWEST, Rates, rows_of_rate
from crystalogic.learner.limits import Bounds, Limits
from crystalogic.learner.task import Reading
from crystalogic.model import Bought, Group, Limited
from crystalogic.request import Request

MOST_PRICED = 8  # columns that are tried one by one
EVERYONE = "all rows"  # the group where there are no others


def reading_of(limits: Limits, encoding: Encoding, names: Sequence[str]) -> Reading | None:
    """Which columns of these facts a rule may read together; None where nothing is said of it."""
    if limits.budget is None and not limits.only_with:
        return None
    column = np.array([encoding.literals[name].column for name in names])
    prices = {name: Fraction(str(price)) for name, price in limits.prices.items()}
    return Reading(column, prices, None if limits.budget is None else Fraction(str(limits.budget)), limits.only_with)


def group_by_limits(request: Request, rows: Any) -> Grouping:
    """The rows by the column whose groups are compared; all of them together, if there is none."""
    if request.gap_by is None:
        return Grouping("", np.zeros(n_rows(rows), np.intp), [EVERYONE])
    return group_protected(rows, [request.gap_by], request.missing_words)[0]


def bounds_of(request: Request, rows: Any, is_class: Any) -> Bounds | None:
    """Limits on what a rule does to these rows; None where there are none, an error without two groups to compare."""
    limits = request.limits
    if limits is None or not limits.are_of_rates:
        return None
    by = group_by_limits(request, rows)
    counts = np.bincount(by.codes[rows_of_rate(is_class, limits.gap)], minlength=len(by.names) + 1)
    few = f"{limits.gap_by!r} has {(counts >= FEWEST).sum()} groups with at least {FEWEST} rows to judge {limits.gap} by"
    message = f"{few}, and a gap is between two. Choose another column, or put its values together."
    refuse_first(TrainingDataError, {message: limits.at_most is not None and (counts >= FEWEST).sum() < 2})
    return Bounds(limits, by.codes, is_class, counts >= FEWEST)


def refuse_unknown_columns(limits: Limits, encoding: Encoding, rows: Any) -> None:
    """A TrainingDataError for limits on columns that the rows do not have, or that no rule reads."""
    known, read = column_names(rows), {literal.column for literal in encoding.literals.values()}
    strange = next((name for name in limits.columns if name not in known), None)
    unread = next((name for name in limits.columns if name not in read and name != limits.gap_by), None)
    problems = {
        f"the limits name {strange!r}, which is no column; there are {', '.join(known)}.": strange is not None,
        f"the limits name {unread!r}, which is not read: it is left out of the facts.": unread is not None,
        f"{len(limits.prices)} columns have prices and no budget; up to {MOST_PRICED} are tried one by one. Give a "
        "budget, or fewer prices.": limits.budget is None and len(limits.prices) > MOST_PRICED,
    }
    refuse_first(TrainingDataError, problems)


def buy_columns(
    learn: Callable[[frozenset[str]], SearchResult], prices: Mapping[str, float], encoding: Encoding
) -> tuple[SearchResult, tuple[Bought, ...]]:
    """What is learned with the priced columns that pay, and what each earned; `learn` is told which to leave out."""
    left, tried = frozenset(prices), dict[str, Bought]()
    best = learn(left)
    while left:
        options = {column: learn(left - {column}) for column in sorted(left)}
        earned = {column: 100 * (_score(found) - _score(best)) for column, found in options.items()}
        read = {column: _reads(found, column, encoding) for column, found in options.items()}
        tried |= {each: Bought(each, float(prices[each]), round(earned[each], 9), is_read=False) for each in options}
        paying = [each for each in options if read[each] and earned[each] >= prices[each]]
        if not paying:
            break
        column = max(paying, key=lambda each: (earned[each] - prices[each], each))
        tried[column] = Bought(column, float(prices[column]), round(earned[column], 9), is_read=True)
        best, left = options[column], left - {column}
    return best, tuple(tried[column] for column in prices)


def _score(found: SearchResult) -> float:
    chosen = found.front.chosen
    return chosen.training if chosen.cross_validated is None else chosen.cross_validated


def _reads(found: SearchResult, column: str, encoding: Encoding) -> bool:
    known = include_facts(encoding, found.crystal.inputs)[0].literals
    return any(known[name].column == column for name in found.front.chosen.crystal.narrow().inputs)


def limited_of(request: Request, rows: Any, reached: Reached | None, bought: tuple[Bought, ...]) -> Limited | None:
    """What was asked and reached, to be recorded; None where nothing was."""
    limits = request.limits
    if limits is None or not (limits.are_of_rates or bought):
        return None

    def groups(counted: tuple[tuple[int, ...], ...]) -> tuple[Group, ...]:
        by = group_by_limits(request, rows)
        pairs = zip([*by.names, None], counted, strict=False)
        return tuple(Group(by.column, name, Rates.of(*counts)) for name, counts in pairs if sum(counts))

    parts = () if reached is None else (groups(reached.held_out), groups(reached.learned))
    shares = [None if share is None else float(share) for share in (limits.at_most, limits.sensitivity)]
    return Limited(limits.gap_by, limits.gap, *shares, *(parts or ((), ())), bought)
