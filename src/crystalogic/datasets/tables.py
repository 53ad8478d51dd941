"""The six benchmark tables, read from files inside the package."""

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import product
from typing import TYPE_CHECKING

from crystalogic.errors import TrainingDataError

if TYPE_CHECKING:
    import pandas as pd

MISSING = "?"

Row = tuple[str, ...]


@dataclass(frozen=True)
class Dataset:
    """A benchmark as its donors wrote it: codes as text, `?` for a missing value.

    `positive` is the target's code that counts as true.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    target_name: str
    target: tuple[str, ...]
    positive: str
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
        rows, target = tuple(self.rows[i] for i in indices), tuple(self.target[i] for i in indices)
        return Dataset(self.name, self.columns, rows, self.target_name, target, self.positive, self.cite)

    def frame(self) -> "pd.DataFrame":
        """The columns as a pandas frame, numbers as numbers, missing values as NaN; the target is left out."""
        import pandas as pd

        text = io.StringIO()
        csv.writer(text).writerows([self.columns, *self.rows])
        text.seek(0)
        return pd.read_csv(text, na_values=[MISSING], keep_default_na=False)


@dataclass(frozen=True)
class _Source:
    file: str
    positive: str
    cite: str
    concept: Callable[[list[int]], bool] | None = None


_MONK = "S. Thrun et al., The MONK's Problems: A Performance Comparison, CMU-CS-91-197, 1991"
_SOURCES = {
    "monks-1": _Source("monks-1.csv", "1", _MONK, lambda a: a[0] == a[1] or a[4] == 1),
    "monks-2": _Source("monks-2.csv", "1", _MONK, lambda a: a.count(1) == 2),
    "monks-3": _Source("monks-3.csv", "1", _MONK, lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3)),
    "mushroom": _Source("mushroom.csv.gz", "e", "J. Schlimmer, Mushroom, UCI Machine Learning Repository, 1987"),
    "heart": _Source(
        "heart.csv", "1", "R. Detrano, M.D., Ph.D., Cleveland Clinic Foundation, Heart Disease, UCI, 1989"
    ),
    "breast-cancer": _Source(
        "breast-cancer.csv",
        "recurrence-events",
        "M. Zwitter and M. Soklic, Institute of Oncology, University Medical Centre Ljubljana, Breast Cancer, 1988",
    ),
}
NAMES = tuple(_SOURCES)


def load(name: str) -> Dataset:
    """The rows of one benchmark; for a MONK problem these are its training rows.

    >>> heart = load("heart")
    >>> len(heart.rows), heart.target_name, sum(heart.labels)
    (303, 'disease', 139)

    Parameters:
        name: "monks-1", "monks-2", "monks-3", "mushroom", "heart" or "breast-cancer" (`NAMES`).
    """
    source = _source(name)
    data = resources.files(__package__).joinpath(source.file).read_bytes()
    text = (gzip.decompress(data) if source.file.endswith(".gz") else data).decode("ascii")
    header, *rows = csv.reader(io.StringIO(text))
    features, target = tuple(tuple(row[:-1]) for row in rows), tuple(row[-1] for row in rows)
    return Dataset(name, tuple(header[:-1]), features, header[-1], target, source.positive, source.cite)


def load_test(name: str) -> Dataset | None:
    """The fixed test rows of a MONK problem, its whole domain labelled with the concept; None for the others.

    >>> from crystalogic.datasets import load_test
    >>> [sum(load_test(f"monks-{k}").labels) for k in (1, 2, 3)]
    [216, 142, 228]

    Parameters:
        name: "monks-1", "monks-2", "monks-3", "mushroom", "heart" or "breast-cancer" (`NAMES`).
    """
    concept = _source(name).concept
    if concept is None:
        return None
    domain = [list(values) for values in product(*(range(1, n + 1) for n in (3, 3, 2, 3, 4, 2)))]
    train = load(name)
    rows = tuple(tuple(map(str, values)) for values in domain)
    target = tuple(str(int(concept(values))) for values in domain)
    return Dataset(name, train.columns, rows, train.target_name, target, train.positive, train.cite)


def _source(name: str) -> _Source:
    if name not in _SOURCES:
        message = f"no data set {name!r}; there are {', '.join(NAMES)}."
        raise TrainingDataError(message)
    return _SOURCES[name]
