"""Tables read from the files of installed packages: nothing of them is committed, and no code of theirs runs.

Formats: "keel" has a header with a line for each column; "rows" is comma-separated without names; "words" is separated
by blanks; "csv" has names in its first line; "pickle" is a data frame; "sklearn" and "own" are functions of libraries
that are installed anyway.
"""

import csv
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.bench.suite import LAST, Table
from research.errors import StudyError

Array = NDArray[Any]
MISSING = ("?", "<null>", "", "NA")
_ATTRIBUTE = re.compile(r"@attribute\s+'?([^\s'{\[]+)'?\s*(integer|real)?", re.IGNORECASE)


def read_table(table: Table, least_rows: int = 0) -> tuple[Any, Array]:
    """The columns of a table as a frame, and its classes as texts."""
    frame = _READERS[table.format](table)
    target = frame.columns[-1] if table.target == LAST else table.target
    frame = frame[frame[target].notna()]
    classes = frame[target].astype(str)
    frame = frame.drop(columns=[target])
    frame = (
        frame[list(table.keep)] if table.keep else frame.drop(columns=[each for each in table.drop if each in frame])
    )
    enough = classes.map(classes.value_counts()) >= least_rows
    return _settle_types(frame[enough], table.categories), np.asarray(classes[enough], dtype=object)


def find_file(package: str, file: str) -> Path:
    """Where a package keeps a file."""
    try:
        return Path(str(metadata.distribution(package).locate_file(file)))
    except metadata.PackageNotFoundError:
        message = f"{package} is not installed. `make bench` does it."
        raise StudyError(message) from None


def read_keel(text: str) -> tuple[list[str], set[str], list[list[str]]]:
    """The names of the columns, which of them are numbers, and the cells.

    >>> read_keel("@attribute age integer [0,9]\\n@attribute Class {a,b}\\n@data\\n3, a\\n")
    (['age', 'Class'], {'age'}, [['3', 'a']])
    """
    head, _, body = re.split(r"(@data)", text, maxsplit=1, flags=re.IGNORECASE)
    found = [_ATTRIBUTE.match(line.strip()) for line in head.splitlines()]
    columns = [(each[1], bool(each[2])) for each in found if each]
    cells = [[cell.strip() for cell in line.split(",")] for line in body.splitlines() if line.strip()]
    return [name for name, _ in columns], {name for name, is_number in columns[:-1] if is_number}, cells


def make_frame(names: list[str], numbers: set[str], cells: list[list[str]]) -> Any:
    """A frame of cells; those that say nothing are missing, rows of another length are no rows."""
    import pandas as pd

    frame = pd.DataFrame([row for row in cells if len(row) == len(names)], columns=names)
    frame = frame.mask(frame.isin(MISSING))
    for column in numbers:
        frame[column] = pd.to_numeric(frame[column])
    return frame


def _keel(table: Table) -> Any:
    return make_frame(*read_keel(find_file(table.package, table.file).read_text()))


def _rows(table: Table) -> Any:
    text = find_file(table.package, table.file).read_text()
    if table.format == "words":
        cells = [line.split() for line in text.splitlines() if line.strip()]
    else:
        cells = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines()) if row]
    names = list(table.columns) or [f"x{place}" for place in range(1, len(cells[0]) + 1)]
    frame = make_frame(names, set(), cells)
    return make_frame(names, {name for name in names if _holds_numbers(frame[name])}, cells)


def _holds_numbers(column: Any) -> bool:
    import pandas as pd

    known = column.dropna()
    return bool(pd.to_numeric(known, errors="coerce").notna().all()) and len(known) > 0


def _csv(table: Table) -> Any:
    import pandas as pd

    return pd.read_csv(find_file(table.package, table.file), na_values=["?"], skipinitialspace=True)


def _pickle(table: Table) -> Any:
    import pandas as pd

    return pd.read_pickle(find_file(table.package, table.file), compression="xz")


def _sklearn(table: Table) -> Any:
    from sklearn import datasets

    return getattr(datasets, table.file)(as_frame=True).frame


def _own(table: Table) -> Any:
    from crystalogic.datasets import load, load_test

    whole, test = load(table.file), load_test(table.file)
    frame = whole.frame().assign(label=whole.labels)
    if test is None:
        return frame
    import pandas as pd

    return pd.concat([frame, test.frame().assign(label=test.labels)], ignore_index=True)


_READERS = {
    "keel": _keel,
    "rows": _rows,
    "words": _rows,
    "csv": _csv,
    "pickle": _pickle,
    "sklearn": _sklearn,
    "own": _own,
}


def _settle_types(frame: Any, categories: tuple[str, ...]) -> Any:
    """Numbers as floats or whole numbers, everything else as texts or missing."""
    import pandas as pd

    frame = frame.reset_index(drop=True).copy()
    frame.columns = [str(name) for name in frame.columns]
    for name in frame.columns:
        column = frame[name]
        if name in categories or not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
            is_number = pd.api.types.is_numeric_dtype(column) or column.dtype == object
            frame[name] = (column.map(_tell, na_action="ignore") if is_number else column).astype(object)
    return frame.loc[:, frame.nunique() > 1]  # a column of one value says nothing


def _tell(value: Any) -> str:
    """A code as people write it: 7 and not 7.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
