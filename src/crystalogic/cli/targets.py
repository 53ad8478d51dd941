"""The target column of a table: classes or truth degrees, or one sentence that says why it is neither."""

import re
from collections import Counter
from typing import Any

from crystalogic.cells import MISSING_WORDS, number_of
from crystalogic.cli.columns import refuse_unknown
from crystalogic.encoding.values import Values
from crystalogic.errors import TableError
from crystalogic.files import TableFile

MOST_NUMBERS = 20  # different whole numbers that can be classes
MOST_DECIMALS = 10  # different numbers with decimals
MOST_CLASSES = 100
_FRACTION = re.compile(r"\s*(\d{1,9})\s*/\s*([1-9]\d{0,8})\s*", re.ASCII)
_ADVICE = "A rule predicts classes; cut the target into a few, or use --degrees for truth degrees between 0 and 1."


def rows_and_target(source: TableFile, target: str) -> tuple[Any, Any]:
    """The other columns, and the target."""
    refuse_target(source, target)
    table = source.read()
    return table.drop(columns=target), table[target]


def refuse_target(source: TableFile, target: str) -> None:
    """A TableError for a target that the table does not have, or has alone."""
    refuse_unknown([target], source)
    if len(source.columns) == 1:
        message = f"{source.path}: {target!r} is the only column; there is nothing to learn it from."
        raise TableError(message)


def classes_of(labels: Any, words: frozenset[str] = MISSING_WORDS) -> Any:
    """The class of each row as text; refused where there is one only, or where they look continuous."""
    values = Values(str(labels.name), labels, words=words)
    _refuse_missing(values)
    refuse_classes(values.name, Counter(values.texts.tolist()))
    return values.texts.astype(str)


def class_texts(labels: Any, first_row: int, words: frozenset[str] = MISSING_WORDS) -> Any:
    """The class of each row of a part of a table, as text."""
    values = Values(str(labels.name), labels, first_row, words)
    _refuse_missing(values)
    return values.texts.astype(str)


def is_class(labels: Any, first_row: int, positive: str, words: frozenset[str] = MISSING_WORDS) -> Any:
    """Whether each row of a part of a table has the class."""
    return class_texts(labels, first_row, words) == positive


def degree_numbers(labels: Any, first_row: int, words: frozenset[str] = MISSING_WORDS) -> Any:
    """The truth degree of each row of a part of a table."""
    import numpy as np

    return np.array(degrees_of(labels, first_row, words))


def refuse_classes(name: str, counts: Counter[str]) -> None:
    """A TableError for a target with one value only, or one that looks continuous."""
    if len(counts) == 1:
        message = f"the target {name!r} is always {next(iter(counts))!r}; there is nothing to learn."
        raise TableError(message)
    if max(counts.values()) == 1 and len(counts) > 2:
        message = f"the target {name!r} has another value in each of its {len(counts)} rows. {_ADVICE}"
        raise TableError(message)
    if len(counts) > _most(list(counts)):
        message = f"the target {name!r} has {len(counts):,} different values. {_ADVICE}"
        raise TableError(message)


def _most(texts: list[str]) -> int:
    """How many classes of this kind can be meant as classes."""
    numbers = [number_of(text) for text in texts]
    if any(number != number for number in numbers):
        return MOST_CLASSES
    return MOST_NUMBERS if all(number.is_integer() for number in numbers) else MOST_DECIMALS


def degrees_of(labels: Any, first_row: int = 0, words: frozenset[str] = MISSING_WORDS) -> list[float]:
    """The truth degree of each row; 1/2 is as good as 0.5."""
    values = Values(str(labels.name), _without_fractions(labels), first_row, words)
    _refuse_missing(values)
    numbers = values.numbers
    wrong = ~((numbers >= 0) & (numbers <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        message = (
            f"row {first_row + row}: {labels.name!r} is {numbers[row]:g}, expected a truth degree between 0 and 1."
        )
        raise TableError(message)
    return [float(number) for number in numbers]


def _without_fractions(labels: Any) -> Any:
    """The same cells, with decimals where they hold fractions, as truth tables do."""
    return labels if labels.dtype.kind in "fiub" else labels.astype(object).map(_decimal)


def _decimal(cell: Any) -> Any:
    fraction = _FRACTION.fullmatch(cell) if isinstance(cell, str) else None
    return cell if fraction is None else int(fraction[1]) / int(fraction[2])


def is_known(labels: Any, words: frozenset[str] = MISSING_WORDS) -> Any:
    """Which rows have a target."""
    return ~Values(str(labels.name), labels, words=words).is_missing


def _refuse_missing(values: Values) -> None:
    if values.is_missing.any():
        row, more = int(values.is_missing.argmax()), int(values.is_missing.sum()) - 1
        also = f", and in {more:,} more row{'s' * (more > 1)}" if more else ""
        message = (
            f"row {values.first_row + row}: the target {values.name!r} is missing{also}. "
            "Fill it in, or leave such rows out: fit --skip-unknown."
        )
        raise TableError(message)
