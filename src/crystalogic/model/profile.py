"""Profiles: what the columns, facts, scores and classes of a table were, counted, to set a later table beside it.

No row is kept. Numbers are told by quantiles, which show in what unit they are; values of codes and categories, facts
and scores by how many rows have them. Rows that weigh differently count as many as plain rows that tell as much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Annotated, Any

from crystalogic.arrays import Array, np
from crystalogic.errors import DocumentError
from crystalogic.untrusted import each, number, read_fields, table, text, whole

VERSION = 1


def _count(value: Any, what: str) -> int:
    if whole(value, what) < 0:
        message = f"{what} is {value}, expected a number of rows."
        raise DocumentError(message)
    return int(value)


def _named(value: Any, what: str) -> dict[str, int]:
    return {name: _count(n, f"{what}, {name}") for name, n in table(value, what).items()}


Count = Annotated[int, _count]  # what is known, and how it is read from JSON
Counts = Annotated[tuple[int, ...], partial(each, _count)]
NamedCounts = Annotated[Mapping[str, int], _named]
Numbers = Annotated[tuple[float, ...], partial(each, number)]


@dataclass(frozen=True)
class ColumnProfile:
    """One column. A cell of `counts` holds the numbers above the edge before it, up to its own.

    >>> ages = ColumnProfile("age", 10, 2, (20, 40, 60), (1, 4, 3))
    >>> ages.quantile(0.5), ages.share_up_to([19, 40, 50]).tolist()
    (40.0, [0.0, 0.625, 0.8125])
    """

    name: Annotated[str, text]
    n_rows: Count
    n_missing: Count
    edges: Numbers = ()  # the least number, quantiles, the greatest; nothing for codes and categories
    counts: Counts = ()
    levels: NamedCounts = field(default_factory=dict)  # rows with each value; the commonest, where there are many

    def __post_init__(self) -> None:
        is_ascending = all(low < high for low, high in pairwise(self.edges))
        if len(self.edges) != len(self.counts) or not is_ascending or self.n_missing > self.n_rows:
            message = f"the profile of {self.name!r} needs edges that ascend, a count for each, and a row for each gap."
            raise DocumentError(message)

    @property
    def n_present(self) -> int:
        """How many rows have a value."""
        return self.n_rows - self.n_missing

    @cached_property
    def shares(self) -> Array:
        """The share of the numbers up to each edge."""
        return np.cumsum(self.counts) / max(1, sum(self.counts))

    def quantile(self, share: float) -> float:
        """The edge at which this share of the numbers is reached."""
        return float(self.edges[int(np.searchsorted(self.shares, min(share, self.shares[-1])))])

    def share_up_to(self, numbers: Sequence[float] | Array) -> Array:
        """The share of the numbers up to each of these; between edges they are taken to be spread evenly."""
        return np.asarray(np.interp(numbers, self.edges, self.shares, left=0.0))

    def share_of(self, level: str) -> float:
        """The share of the rows with a value that have this one."""
        return self.levels.get(level, 0) / max(1, self.n_present)


@dataclass(frozen=True)
class Profile:
    """A table as a model sees it."""

    n_rows: Count
    n_judged: Count  # those that the rule can judge
    columns: Annotated[tuple[ColumnProfile, ...], partial(each, partial(read_fields, ColumnProfile))]  # and the target
    facts: NamedCounts = field(default_factory=dict)  # of the rows judged, those of which each fact is true
    scores: Counts = ()  # the rows judged with each score, where one score decides
    decided: Counts = ()  # the rows judged to be of each class
    confusion: Annotated[tuple[tuple[int, ...], ...], partial(each, partial(each, _count))] = ()  # as in `Figures`
    told: Numbers = ()  # what the told risks of each class add up to, over the rows whose class is known

    @cached_property
    def by_name(self) -> dict[str, ColumnProfile]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    @property
    def n_right(self) -> int:
        """How many rows got their own class."""
        return sum(row[place] for place, row in enumerate(self.confusion))

    @property
    def n_labelled(self) -> int:
        """How many of the rows judged have a known class."""
        return sum(map(sum, self.confusion))

    def without_decisions(self) -> "Profile":
        """The same for a model with other formulas, of which columns and facts alone are known."""
        return replace(self, scores=(), decided=(), confusion=(), told=())

    def fits(self, columns: Sequence[str], facts: Sequence[str], n_classes: int) -> bool:
        """Whether it speaks of these columns, facts and classes alone."""
        counts = [self.decided, self.confusion, self.told, *self.confusion]
        known = set(self.by_name) <= set(columns) and set(self.facts) <= set(facts)
        return known and all(len(each) in (0, n_classes) for each in counts)

    def content(self) -> dict[str, Any]:
        """The profile as plain JSON data."""
        return {"version": VERSION, **asdict(self)}


def read_profile(value: Any, what: str) -> Profile:
    """The profile with this plain JSON data, validated."""
    if whole(table(value, what).get("version"), f"{what}, the version") != VERSION:
        message = f"{what} has the version {value['version']}; this library reads {VERSION}."
        raise DocumentError(message)
    return read_fields(Profile, value, what)
