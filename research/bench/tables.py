"""The tables of the suite, split, in the shapes that learners want."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.datasets import NAMES, load, load_test
from research.bench.reading import read_table
from research.bench.suite import read_suite

Array = NDArray[Any]
N_CUTS = 6  # of a number, at quantiles, for learners that want Boolean columns
TEST_SHARE = 0.2


@dataclass(frozen=True)
class Half:
    """The same rows in the shapes that learners want, and their classes.

    `frame` has the raw columns; `numbers` one input per category and numbers scaled to [0,1], missing values in the
    middle and marked in an input of their own; `booleans` has numbers as cuts at quantiles of the training rows.
    """

    frame: Any
    numbers: Array
    booleans: Array
    labels: Array


@dataclass(frozen=True)
class Input:
    """What an input of `numbers` or `booleans` says: a column, and what it is compared with, if with anything."""

    column: str
    relation: str = ""
    value: str = ""

    @property
    def text(self) -> str:
        """As people read it.

        >>> Input("age", ">=", "55").text
        'age >= 55'
        """
        return f"{self.column} {self.relation} {self.value}".strip()


@dataclass(frozen=True)
class Halves:
    """Training and test rows of one split, and what their inputs mean."""

    train: Half
    test: Half
    numbers: tuple[Input, ...] = ()
    booleans: tuple[Input, ...] = ()

    @property
    def n_classes(self) -> int:
        """How many classes the training rows have."""
        return len(np.unique(self.train.labels))


def halves(name: str, seed: int) -> Halves:
    """One split of a table: the donors' own for MONK, else a stratified 80/20 split by seed.

    >>> monk = halves("monks-1", 0)
    >>> monk.train.numbers.shape, monk.test.numbers.shape
    ((124, 15), (432, 15))
    """
    frame, codes = load_table(name)
    if has_own_test_rows(name):
        n_train = len(load(name).labels)
        return take_halves(frame, codes, np.arange(n_train), np.arange(n_train, len(codes)))
    return split_codes(frame, codes, seed)


@lru_cache(maxsize=2)
def load_table(name: str) -> tuple[Any, Array]:
    """The columns and the numbered classes of a table of the suite."""
    suite = read_suite()
    frame, classes = read_table(suite.pick([name])[0], suite.least_rows)
    return frame, number_classes(classes)


def has_own_test_rows(name: str) -> bool:
    """Whether the donors fixed the test rows, so that there is one split."""
    return name in NAMES and load_test(name) is not None


def seeds_of(name: str) -> tuple[int, ...]:
    """The splits of a table."""
    seeds = read_suite().tables[name].seeds
    return seeds[:1] if has_own_test_rows(name) else seeds


def split_frame(frame: Any, classes: Array, seed: int) -> Halves:
    """A stratified 80/20 split of any frame; classes are numbered, the rarer of two is 1."""
    return split_codes(frame, number_classes(classes), seed)


def split_codes(frame: Any, codes: Array, seed: int) -> Halves:
    """The same for classes that are numbered."""
    from sklearn.model_selection import train_test_split

    parts = train_test_split(np.arange(len(codes)), test_size=TEST_SHARE, stratify=codes, random_state=seed)
    return take_halves(frame, codes, *parts)


def number_classes(classes: Array) -> Array:
    """The classes as numbers; the rarer of two is 1."""
    known, codes = np.unique(classes, return_inverse=True)
    return 1 - codes if len(known) == 2 and codes.mean() > 0.5 else codes


def take_halves(frame: Any, codes: Array, train: Array, test: Array) -> Halves:
    """Rows to learn from and rows to judge on, in the shapes that learners want."""
    numbers, booleans = _shapes(frame, train)
    columns = [np.column_stack([values for _, values in shape]) for shape in (numbers, booleans)]
    learned, judged = (
        Half(
            frame.iloc[part].reset_index(drop=True),
            columns[0][part].astype(np.float64),
            columns[1][part].astype(np.float64),
            codes[part],
        )
        for part in (train, test)
    )
    return Halves(learned, judged, tuple(each for each, _ in numbers), tuple(each for each, _ in booleans))


Shape = list[tuple[Input, Array]]


def _shapes(frame: Any, train: Array) -> tuple[Shape, Shape]:
    """One input per category and scaled numbers; the same with numbers as cuts at quantiles of the training rows."""
    import pandas as pd

    numbers: Shape = []
    booleans: Shape = []
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            scaled, cuts = _shape_number(name, column.to_numpy(np.float64, na_value=np.nan), train)
            numbers += scaled
            booleans += cuts
        else:
            found = _shape_category(name, column, train)
            numbers += found
            booleans += found
    return numbers, booleans


def _shape_number(name: str, values: Array, train: Array) -> tuple[Shape, Shape]:
    is_known = np.isfinite(values)
    known = values[train][is_known[train]]
    middle = float(np.median(known)) if len(known) else 0.0
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    values = np.where(is_known, values, middle)
    scaled = np.clip((values - low) / (high - low if high > low else 1), 0, 1)
    marks: Shape = [] if is_known[train].all() else [(Input(name, "=", "missing"), ~is_known)]
    cuts: Shape = [(Input(name, ">=", repr(float(cut))), values >= cut) for cut in _cuts(known) if cut > low]
    return [(Input(name), scaled), *marks], cuts + marks


def _shape_category(name: str, column: Any, train: Array) -> Shape:
    places, known = column.fillna("missing").astype(str).factorize()
    seen: Sequence[int] = sorted(set(places[train].tolist()), key=lambda place: str(known[place]))
    seen = seen[1:] if len(seen) == 2 else seen
    return [(Input(name, "=", str(known[place])), places == place) for place in seen]


def _cuts(known: Array) -> Array:
    """Cuts at quantiles; where most rows have the least value, at that and at quantiles of the rest."""
    if not len(known):
        return np.array([])
    shares = np.arange(1, N_CUTS + 1) / (N_CUTS + 1)
    low = known.min()
    found = np.unique(np.quantile(known, shares))
    if (found > low).sum() >= N_CUTS // 2 or not (known > low).any():
        return found
    above = known[known > low]
    return np.unique(np.quantile(above, np.arange(N_CUTS) / N_CUTS))
