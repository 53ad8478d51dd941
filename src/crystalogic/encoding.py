"""Encoding: columns of a table as named truth values, and the names in a person's own words.

A number becomes a degree (min-max on the training rows) and cuts at quantiles in its own units (`age ≥ 55`); a category
becomes one literal for each value (`cp=4`); a whole number with few values is a code, which has both: a literal for
each value and the cuts between that no single value expresses. A missing value is a literal of its own. Everything
is learned from the rows given to `fit_encoding` and then frozen, so that test rows are encoded, never learned from.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from crystalogic.errors import DocumentError, EncodingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crystalogic.logic.domain import Domain

Kind = Literal["number", "category", "code"]
Numbers = Literal["both", "degrees", "cuts"]
MOST_CODES = 5  # a whole number with at most this many values is read as a code


@dataclass(frozen=True)
class Column:
    """How one column is read. `values` are the literals of a category or code, `cuts` those of a number or code."""

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 1.0
    has_degree: bool = False
    has_missing: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its truth values, in order."""
        degree = (self.name,) if self.has_degree else ()
        values = tuple(f"{self.name}={value}" for value in self.values)
        cuts = tuple(f"{self.name} ≥ {_text(cut)}" for cut in self.cuts)
        return (*degree, *values, *cuts, *((f"{self.name} is missing",) if self.has_missing else ()))


@dataclass(frozen=True)
class Encoding:
    """Columns in order; `transform` turns rows into an array of truth values, one column for each of `names`.

    >>> ages = fit_encoding({"age": [31, 44, 58, 62.5, 70, 75], "sex": ["f", "m", "m", "f", "m", "f"]}, n_cuts=1)
    >>> ages.names
    ('age', 'age ≥ 62.5', 'sex=m')
    >>> ages.transform({"age": [53, 80], "sex": ["m", "f"]}).tolist()
    [[0.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all truth values."""
        return tuple(name for column in self.columns for name in column.names)

    @property
    def domain(self) -> "Domain":
        """What is known of every encoded row: which truth values are Boolean, and which exclude each other."""
        from crystalogic.logic.domain import Domain

        boolean, exclusive = [], []
        for column in self.columns:
            group = [f"{column.name}={value}" for value in column.values]
            missing = [f"{column.name} is missing"] if column.has_missing else []
            if len(group) + len(missing) > 1 and group:
                exclusive.append([*group, *missing])
            else:
                boolean += [*group, *missing]
            boolean += [name for name in column.names if " ≥ " in name and name not in (*group, *missing, column.name)]
        return Domain(boolean=boolean, exclusive=exclusive)

    def transform(self, rows: Any) -> "NDArray[np.float32]":
        """The truth values (rows × names); a value no training row had makes all literals of its column 0.

        A number outside the training range has degree 0 or 1. A missing number where training had none is an error;
        a missing category is then a value no training row had.
        """
        import numpy as np

        parts = [_encoded(column, _column(rows, column.name)) for column in self.columns]
        return np.concatenate(parts, axis=0).T.astype(np.float32)

    def content(self) -> dict[str, Any]:
        """The encoding as plain JSON data."""
        return {"columns": [{**vars(column)} for column in self.columns]}

    @staticmethod
    def from_content(body: Mapping[str, Any]) -> "Encoding":
        """The encoding with this plain JSON data, validated."""
        try:
            columns = [
                Column(
                    str(c["name"]),
                    c["kind"],
                    tuple(map(str, c["values"])),
                    tuple(map(float, c["cuts"])),
                    float(c["low"]),
                    float(c["high"]),
                    bool(c["has_degree"]),
                    bool(c["has_missing"]),
                )
                for c in body["columns"]
            ]
        except (KeyError, TypeError, ValueError) as error:
            message = f"not an encoding: {type(error).__name__} {error} while reading its columns."
            raise DocumentError(message) from None
        unknown = [column for column in columns if column.kind not in get_args(Kind)]
        if unknown:
            message = f"not an encoding: {unknown[0].name!r} has the kind {unknown[0].kind!r}."
            raise DocumentError(message)
        return Encoding(tuple(columns))


def fit_encoding(
    rows: Any, kinds: Mapping[str, Kind] | None = None, *, numbers: Numbers = "both", n_cuts: int = 5
) -> Encoding:
    """The encoding of these training rows, a frame or a mapping of columns; `kinds` overrules what is guessed.

    A column of text is a category, a whole number with at most five values a code, any other number a number with
    `numbers` as degree, cuts or both. The cuts are quantiles: the target is not looked at.
    """
    if numbers not in get_args(Numbers):
        message = f"numbers is one of {', '.join(get_args(Numbers))}, got {numbers!r}."
        raise EncodingError(message)
    names = [str(name) for name in (rows.columns if hasattr(rows, "columns") else rows)]
    unknown = [name for name in kinds or {} if name not in names]
    if unknown:
        message = f"there is no column {unknown[0]!r}; the columns are {', '.join(names)}."
        raise EncodingError(message)
    columns = [_fitted(name, _column(rows, name), (kinds or {}).get(name), numbers, n_cuts) for name in names]
    encoding = Encoding(tuple(columns))
    if len(set(encoding.names)) != len(encoding.names):
        twice = next(name for name in encoding.names if encoding.names.count(name) > 1)
        message = f"two truth values would be called {twice!r}; rename one of the columns."
        raise EncodingError(message)
    return encoding


def _column(rows: Any, name: str) -> list[Any]:
    """The values of a column, None where missing."""
    try:
        values = rows[name]
    except (KeyError, TypeError):
        message = f"the rows have no column {name!r}."
        raise EncodingError(message) from None
    return [None if _is_missing(value) else value for value in list(values)]


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(math.isnan(value))
    except TypeError:
        return False


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _text(value: Any) -> str:
    """A number without needless digits, anything else as it prints: 4.0 and 4 are one category."""
    number = None if isinstance(value, str) else _number(value)
    return str(value) if number is None or isinstance(value, bool) else f"{number:.10g}"


def _fitted(name: str, values: Sequence[Any], kind: Kind | None, numbers: Numbers, n_cuts: int) -> Column:
    import numpy as np

    known = [value for value in values if value is not None]
    has_missing = len(known) < len(values)
    if not known:
        return Column(name, "category", has_missing=has_missing)
    are_numbers = all(not isinstance(value, (str, bool, np.bool_)) and _number(value) is not None for value in known)
    distinct = sorted({float(value) for value in known}) if are_numbers else []
    if kind is None:
        few = len(distinct) <= MOST_CODES and all(value == int(value) for value in distinct)
        kind = "category" if not are_numbers else ("code" if few else "number")
    if kind == "category":
        texts = sorted({_text(value) for value in known})
        return Column(
            name, kind, tuple(texts[1:] if len(texts) == 2 and not has_missing else texts), has_missing=has_missing
        )
    if not are_numbers:
        row = next(i for i, v in enumerate(values) if v is not None and (isinstance(v, str) or _number(v) is None))
        message = (
            f"row {row}: {name!r} is {values[row]!r}, expected a number. Drop the row or declare {name!r} a category."
        )
        raise EncodingError(message)
    if kind == "code":
        texts = [_text(value) for value in distinct]
        between = tuple(distinct[2:-1])  # the cut above the first value and at the last are literals already
        kept = texts[1:] if len(texts) == 2 and not has_missing else texts
        return Column(name, kind, tuple(kept), between, has_missing=has_missing)
    array = np.array([float(value) for value in known])
    cuts = np.unique(np.quantile(array, np.arange(1, n_cuts + 1) / (n_cuts + 1), method="higher"))
    kept_cuts = tuple(float(cut) for cut in cuts if cut > array.min()) if numbers != "degrees" else ()
    low, high = float(array.min()), float(array.max())
    return Column(name, kind, (), kept_cuts, low, high, numbers != "cuts" and high > low, has_missing)


def _encoded(column: Column, values: Sequence[Any]) -> "NDArray[Any]":
    import numpy as np

    result = np.zeros((len(column.names), len(values)))
    texts = {f"{column.name}={value}": value for value in column.values}
    missing = np.array([value is None for value in values])
    if missing.any() and not column.has_missing and column.kind != "category":
        row = int(np.flatnonzero(missing)[0])
        message = (
            f"row {row}: {column.name!r} is missing, which no training row was. Drop the row or train with such rows."
        )
        raise EncodingError(message)
    numbers = np.zeros(len(values))
    if column.kind != "category":
        for row, value in enumerate(values):
            number = None if value is None or isinstance(value, str) else _number(value)
            if number is None and value is not None:
                message = (
                    f"row {row}: {column.name!r} is {value!r}, expected a number. "
                    f"Drop the row or declare {column.name!r} a category."
                )
                raise EncodingError(message)
            numbers[row] = 0.0 if number is None else number
    own = np.array([None if value is None else _text(value) for value in values], dtype=object)
    for index, name in enumerate(column.names):
        if column.has_missing and index == len(column.names) - 1:
            result[index] = missing
        elif column.has_degree and index == 0:
            result[index] = np.where(missing, 0, np.clip((numbers - column.low) / (column.high - column.low), 0, 1))
        elif name in texts:
            result[index] = own == texts[name]
        else:
            cut = column.cuts[index - len(column.names) + column.has_missing]
            result[index] = ~missing & (numbers >= cut)
    return result
