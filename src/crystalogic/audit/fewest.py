"""The fewest columns that settle a question, by the sets that they must meet.

A choice of columns settles the question, or there is a row that contradicts it and differs in some other columns. Any
choice that settles must hold at least one of those. So the smallest set that meets all differences seen so far is tried
next; when it settles, no smaller one does.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from crystalogic.audit.fields import Value
from crystalogic.audit.search import Holds, Runs, Search
from crystalogic.deadline import Deadline

Differs = Callable[[frozenset[str]], frozenset[str] | None]


def find_fewest_facts(
    search: Search, runs: Runs, values: Mapping[str, Value], against: Any, contradicts: Holds
) -> tuple[str, ...]:
    """The fewest columns whose values alone exclude a contradiction, given as a condition and of rows that were run."""
    _, row = runs[0]

    def differs(kept: frozenset[str]) -> frozenset[str] | None:
        found = search.find(
            runs,
            [against, *row.is_row(values, kept)],
            lambda *found: contradicts(*found) and search.scope.find_difference(values, found[0].row).isdisjoint(kept),
            like=values,
            is_shown=False,
        )
        return None if found is None else search.scope.find_difference(values, found[0].row)

    return find_fewest(search.scope.columns, differs, search.deadline)


def find_fewest(columns: Sequence[str], differs: Differs, deadline: Deadline) -> tuple[str, ...]:
    """A smallest set of columns that settles; `differs` gives the columns of a contradiction, or None."""
    to_meet: list[frozenset[str]] = []
    while True:
        chosen = _smallest_meeting(columns, to_meet, deadline)
        difference = differs(frozenset(chosen))
        if difference is None:
            return chosen
        to_meet.append(difference)


def _smallest_meeting(columns: Sequence[str], sets: Sequence[frozenset[str]], deadline: Deadline) -> tuple[str, ...]:
    useful = [column for column in columns if any(column in each for each in sets)]
    for size in range(len(useful) + 1):
        for chosen in combinations(useful, size):
            deadline.check()
            if all(not each.isdisjoint(chosen) for each in sets):
                return chosen
    return tuple(columns)
