"""The target column of a table: classes or truth degrees, or one sentence that says why it is neither."""

from typing import Any

from crystalogic.encoding.values import Values
from crystalogic.errors import TableError
from crystalogic.files import TableFile


def rows_and_target(source: TableFile, target: str) -> tuple[Any, Any]:
    if target not in source.columns:
        message = f"{source.path}: there is no column {target!r}; the columns are {', '.join(source.columns)}."
        raise TableError(message)
    table = source.read()
    return table.drop(columns=target), table[target]


def classes_of(labels: Any) -> Any:
    """The classes as texts, or as numbers where all are whole numbers; refused where they look continuous."""
    values = Values(str(labels.name), labels)
    if values.is_missing.any():
        row = int(values.is_missing.argmax())
        message = f"row {row}: the target {values.name!r} is missing. Drop the row."
        raise TableError(message)
    texts = values.texts
    distinct = sorted(set(texts))
    if len(distinct) == 1:
        message = f"the target {values.name!r} is always {distinct[0]!r}; there is nothing to learn."
        raise TableError(message)
    if len(distinct) > max(20, len(texts) // 10):
        message = (
            f"the target {values.name!r} has {len(distinct)} different values. A rule predicts classes; "
            "cut the target into a few, or use --degrees for truth degrees between 0 and 1."
        )
        raise TableError(message)
    return texts.astype(str)


def degrees_of(labels: Any) -> list[float]:
    numbers = Values(str(labels.name), labels).numbers
    wrong = ~((numbers >= 0) & (numbers <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        message = f"row {row}: {labels.name!r} is {numbers[row]:g}, expected a truth degree between 0 and 1."
        raise TableError(message)
    return [float(number) for number in numbers]
