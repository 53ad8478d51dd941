"""The tables of the comparison and their splits: the six benchmarks and four tables of scikit-learn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.datasets import NAMES, load_test
from research.errors import StudyError
from research.paper.tables import encode_split
from research.splits import split

Array = NDArray[Any]
SKLEARN = {
    "iris": "load_iris",
    "wine": "load_wine",
    "wisconsin": "load_breast_cancer",
    "digits-0-1": "load_digits",
}
TABLES = (*NAMES, *SKLEARN)
N_CUTS = 5


@dataclass(frozen=True)
class Half:
    """The same rows in the shapes that learners want, and their classes.

    `frame` has the raw columns; `numbers` one input per category and numbers scaled to [0,1], missing values in the
    middle; `booleans` has numbers as cuts at quantiles of the training rows.
    """

    frame: Any
    numbers: Array
    booleans: Array
    labels: Array


@dataclass(frozen=True)
class Halves:
    """Training and test rows of one split."""

    train: Half
    test: Half

    @property
    def n_classes(self) -> int:
        """How many classes the training rows have."""
        return len(np.unique(self.train.labels))


def halves(name: str, seed: int) -> Halves:
    """One split: the donors' own for MONK, else a stratified 80/20 split by seed.

    >>> monk = halves("monks-1", 0)
    >>> monk.train.numbers.shape, monk.test.numbers.shape
    ((124, 17), (432, 17))
    """
    if name in NAMES:
        return _benchmark(name, seed)
    if name not in SKLEARN:
        message = f"no table {name!r}; there are {', '.join(TABLES)}."
        raise StudyError(message)
    return _of_sklearn(name, seed)


def has_own_test_rows(name: str) -> bool:
    """Whether the donors fixed the test rows, so that only the learner's seed varies."""
    return name in NAMES and load_test(name) is not None


def _benchmark(name: str, seed: int) -> Halves:
    parts = split(name, seed)
    numbers, cuts = encode_split(parts), encode_split(parts, N_CUTS)
    found = []
    for index, table in enumerate((parts.train, parts.test)):
        is_boolean = np.array([_is_boolean(column) for column in cuts[0].rows.T])
        booleans = cuts[index].rows[:, is_boolean]
        found.append(Half(table.frame(), numbers[index].rows, booleans, np.array(table.labels)))
    return Halves(*found)


def _is_boolean(column: Array) -> bool:
    return bool(np.isin(column, (0.0, 1.0)).all())


def _of_sklearn(name: str, seed: int) -> Halves:
    import pandas as pd
    from sklearn import datasets
    from sklearn.model_selection import train_test_split

    data = getattr(datasets, SKLEARN[name])()
    rows, labels = np.asarray(data.data, dtype=np.float64), np.asarray(data.target)
    names = [str(each) for each in data.feature_names]
    if name == "digits-0-1":
        rows, labels = rows[labels < 2], labels[labels < 2]
    train, test = train_test_split(np.arange(len(rows)), test_size=0.2, stratify=labels, random_state=seed)
    low, high = rows[train].min(axis=0), rows[train].max(axis=0)
    scaled = np.clip((rows - low) / np.where(high > low, high - low, 1), 0, 1)
    cuts = [
        rows[:, column] >= cut
        for column in range(rows.shape[1])
        for cut in np.unique(np.quantile(rows[train, column], np.arange(1, N_CUTS + 1) / (N_CUTS + 1)))
        if cut > low[column]
    ]
    booleans = np.array(cuts, dtype=np.float64).T
    frame = pd.DataFrame(rows, columns=names)
    return Halves(
        *(
            Half(frame.iloc[part].reset_index(drop=True), scaled[part], booleans[part], labels[part])
            for part in (train, test)
        )
    )
