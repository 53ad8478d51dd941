"""The six benchmarks of the paper, inside the package, with their provenance (PROVENANCE.md beside this file)."""

import csv
import gzip
import io
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import product

from crystalogic.arrays import pd
from crystalogic.errors import TrainingDataError, refuse

__all__ = ["NAMES", "Dataset", "load", "load_test"]

MISSING = "?"
_SOURCES = tomllib.loads(resources.files(__name__).joinpath("sources.toml").read_text(encoding="utf-8"))
_CONCEPTS: dict[str, Callable[[tuple[int, ...]], bool]] = {
    "monks-1": lambda a: a[0] == a[1] or a[4] == 1,
    "monks-2": lambda a: a.count(1) == 2,
    "monks-3": lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3),
}
NAMES = tuple(_SOURCES)


@dataclass(frozen=True)
class Dataset:
    """A benchmark as its donors wrote it: codes as text, `?` for a missing value."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    target_name: str
    target: tuple[str, ...]
    positive: str  # the target's code that counts as true
    cite: str

    @property
    def labels(self) -> tuple[int, ...]:
        """The target as 1 where it is the positive code, else 0."""
        return tuple(int(code == self.positive) for code in self.target)

    def column(self, name: str) -> tuple[str, ...]:
        """The codes of one column, in the order of the rows."""
        index = self.columns.index(name)
        return tuple(row[index] for row in self.rows)

    def take(self, indices: Sequence[int]) -> "Dataset":
        """The same table with only these rows."""
        return replace(self, rows=tuple(self.rows[i] for i in indices), target=tuple(self.target[i] for i in indices))

    def frame(self) -> "pd.DataFrame":
        """The columns as a pandas frame, numbers as numbers, missing values as NaN; the target is left out."""
        text = io.StringIO()
        csv.writer(text).writerows([self.columns, *self.rows])
        text.seek(0)
        return pd.read_csv(text, na_values=[MISSING], keep_default_na=False)


def load(name: str) -> Dataset:
    """The rows of one benchmark; for a MONK problem these are its training rows.

    >>> heart = load("heart")
    >>> len(heart.rows), heart.target_name, sum(heart.labels)
    (303, 'disease', 139)

    Parameters:
        name: "monks-1", "monks-2", "monks-3", "mushroom", "heart" or "breast-cancer" (`NAMES`).
    """
    if name not in _SOURCES:
        refuse(TrainingDataError, f"no data set {name!r}; there are {', '.join(NAMES)}.")
    file, positive, cite = _SOURCES[name].values()
    data = resources.files(__name__).joinpath(file).read_bytes()
    header, *rows = csv.reader(io.StringIO((gzip.decompress(data) if file.endswith(".gz") else data).decode("ascii")))
    features, target = tuple(tuple(row[:-1]) for row in rows), tuple(row[-1] for row in rows)
    return Dataset(name, tuple(header[:-1]), features, header[-1], target, positive, cite)


def load_test(name: str) -> Dataset | None:
    """The fixed test rows of a MONK problem, its whole domain labelled with the concept; None for the others.

    >>> from crystalogic.datasets import load_test
    >>> [sum(load_test(f"monks-{k}").labels) for k in (1, 2, 3)]
    [216, 142, 228]

    Parameters:
        name: "monks-1", "monks-2", "monks-3", "mushroom", "heart" or "breast-cancer" (`NAMES`).
    """
    train, concept = load(name), _CONCEPTS.get(name)
    if concept is None:
        return None
    domain = list(product(*(range(1, n + 1) for n in (3, 3, 2, 3, 4, 2))))
    target = tuple(str(int(concept(values))) for values in domain)
    return replace(train, rows=tuple(tuple(map(str, values)) for values in domain), target=target)
