"""The frozen suite of tables, as `suite.toml` describes it."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from research.errors import StudyError

SUITE = Path(__file__).with_name("suite.toml")
LAST = "last column"


@dataclass(frozen=True)
class Table:
    """One table: the file of a package, the column that is the class, and what is left out with the reason.

    `rows` and `classes` are what is left, so that a file that was changed is noticed.
    """

    name: str
    title: str
    package: str
    file: str
    format: str
    target: str
    source: str
    topics: tuple[str, ...]
    rows: int
    classes: int
    columns: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    drop: Mapping[str, str] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    developed: bool = False


@dataclass(frozen=True)
class Suite:
    """All tables, the packages that hold them with their pinned versions, and how they are split."""

    tables: Mapping[str, Table]
    packages: Mapping[str, str]
    test_share: float
    least_rows: int
    tuned_seeds: tuple[int, ...]
    tuned_most_rows: int

    def pick(self, names: Sequence[str] | None) -> list[Table]:
        """The tables of these names, or all of them; one that does not exist is refused."""
        for name in names or ():
            if name not in self.tables:
                message = f"no table {name!r}; there are {', '.join(self.tables)}."
                raise StudyError(message)
        return [self.tables[name] for name in names or self.tables]


@cache
def read_suite(path: Path = SUITE) -> Suite:
    """The suite of a file.

    >>> suite = read_suite()
    >>> suite.tables["heart"].developed, suite.tables["compas"].developed
    (True, False)
    """
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    splits = content["splits"]
    tables = [_table(each, splits["seeds"]) for each in content["table"]]
    return Suite(
        {table.name: table for table in tables},
        content["packages"],
        splits["test_share"],
        splits["least_rows"],
        tuple(splits["tuned_seeds"]),
        splits["tuned_most_rows"],
    )


def _table(each: Mapping[str, Any], seeds: Sequence[int]) -> Table:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in each.items()}
    own_seeds = tuple(seeds[: int(fields.pop("splits", len(seeds)))])
    return Table(**fields, seeds=own_seeds)
