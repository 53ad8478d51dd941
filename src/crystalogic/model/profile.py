"""Profiles: what the columns, facts, scores and classes of a table were, counted, to set a later table beside it.

No row is kept. Numbers are told by quantiles, which show in what unit they are; values of codes and categories, facts
and scores by how many rows have them. Rows that weigh differently count as many as plain rows that tell as much.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.errors import DocumentError
from crystalogic.untrusted import each, number, table, text, whole

VERSION = 1


@dataclass(frozen=True)
class ColumnProfile:
    """One column. A cell of `counts` holds the numbers above the edge before it, up to its own.

    >>> ages = ColumnProfile("age", 10, 2, (20, 40, 60), (1, 4, 3))
    >>> ages.median, ages.share_up_to([19, 40, 50]).tolist()
    (40.0, [0.0, 0.625, 0.8125])
    """

    name: str
    n_rows: int
    n_missing: int
    edges: tuple[float, ...] = ()  # the least number, quantiles, the greatest; nothing for codes and categories
    counts: tuple[int, ...] = ()
    levels: Mapping[str, int] = field(default_factory=dict)  # rows with each value; the commonest, where there are many

    @property
    def n_present(self) -> int:
        """How many rows have a value."""
        return self.n_rows - self.n_missing

    @cached_property
    def shares(self) -> Array:
        """The share of the numbers up to each edge."""
        return np.cumsum(self.counts) / max(1, sum(self.counts))

    @property
    def median(self) -> float:
        """The edge at which half of the numbers are reached."""
        return float(self.edges[int(np.searchsorted(self.shares, 0.5))])

    def share_up_to(self, numbers: Sequence[float] | Array) -> Array:
        """The share of the numbers up to each of these; between edges they are taken to be spread evenly."""
        return np.asarray(np.interp(numbers, self.edges, self.shares, left=0.0))


@dataclass(frozen=True)
class Profile:
    """A table as a model sees it.

    Attributes:
        n_rows: how many rows were counted.
        n_judged: those that the rule can judge.
        columns: the columns, and the target where it is known.
        facts: of the rows judged, those of which each fact of the rules is true.
        scores: the rows judged with each score, where one score decides.
        decided: the rows judged to be of each class.
        confusion: of the rows whose class is known, those of each class (down) that are judged to be of each (across).
        told: what the told risks of each class add up to over the same rows.
    """

    n_rows: int
    n_judged: int
    columns: tuple[ColumnProfile, ...]
    facts: Mapping[str, int] = field(default_factory=dict)
    scores: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()
    told: tuple[float, ...] = ()

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

    def content(self) -> dict[str, Any]:
        """The profile as plain JSON data."""
        return {"version": VERSION, **asdict(self)}


def read_profile(value: Any, what: str) -> Profile:
    """The profile with this plain JSON data, validated."""
    body = table(value, what)
    if whole(body.get("version"), f"{what}, the version") != VERSION:
        message = f"{what} has the version {body['version']}; this library reads {VERSION}."
        raise DocumentError(message)
    n_rows, n_judged = (_count(body.get(name), f"{what}, {name}") for name in ("n_rows", "n_judged"))
    counts = partial(each, _count)
    found = Profile(
        n_rows,
        n_judged,
        each(_read_column, body.get("columns"), f"{what}, columns"),
        _named_counts(body.get("facts"), f"{what}, facts"),
        counts(body.get("scores"), f"{what}, scores"),
        counts(body.get("decided"), f"{what}, decided"),
        each(counts, body.get("confusion"), f"{what}, confusion"),
        each(number, body.get("told"), f"{what}, told"),
    )
    k = len(found.confusion)
    if any(len(row) != k for row in found.confusion) or len(found.told) not in (0, k) or len(found.decided) < k:
        message = f"{what} has counts of classes that do not fit each other."
        raise DocumentError(message)
    return found


def _read_column(value: Any, what: str) -> ColumnProfile:
    body = table(value, what)
    name = text(body.get("name"), f"{what}, the name")
    n_rows, n_missing = (_count(body.get(key), f"{what}, {key}") for key in ("n_rows", "n_missing"))
    edges, counts = (
        each(number, body.get("edges"), f"{what}, edges"),
        each(_count, body.get("counts"), f"{what}, counts"),
    )
    levels = _named_counts(body.get("levels"), f"{what}, levels")
    is_ascending = all(low < high for low, high in pairwise(edges)) and all(map(math.isfinite, edges))
    if len(edges) != len(counts) or not is_ascending or n_missing > n_rows:
        message = f"{what} needs edges that ascend, a count for each, and no more missing values than rows."
        raise DocumentError(message)
    return ColumnProfile(name, n_rows, n_missing, edges, counts, levels)


def _count(value: Any, what: str) -> int:
    if whole(value, what) < 0:
        message = f"{what} is {value}, expected a number of rows."
        raise DocumentError(message)
    return int(value)


def _named_counts(value: Any, what: str) -> dict[str, int]:
    return {name: _count(n, f"{what}, {name}") for name, n in table(value, what).items()}
