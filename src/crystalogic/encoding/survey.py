"""What an encoding must know of all rows, gathered part by part: a small value that joins with the next part's.

Of a column it is how many values there are and lack, the least and the greatest number, which values occur as long as
they are few, and where the first value stands that is no number. Nothing depends on where the parts begin: the surveys
of the parts, joined in order, are the survey of the whole table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import LARGEST_EXACT, MISSING_WORDS, level_of, levels_of
from crystalogic.encoding.encoding import column_names, n_rows, raw_column, read_column
from crystalogic.encoding.unusable import DATE
from crystalogic.encoding.values import Values, are_whole, different_numbers
from crystalogic.errors import EncodingError, refuse
from crystalogic.untrusted import find_repeated

MOST_LEVELS = 100  # a category with more values is refused; of a column with more, it is only known that there are more
MOST_DATES = 100  # so many values are looked at to see whether they are dates
Kinds = Mapping[str, Any] | None  # that were declared, by column


@dataclass(frozen=True)
class NumberSurvey:
    """The numbers of a column: their range, whether all are whole, and each of them, or None if these are many."""

    low: float
    high: float
    is_whole: bool
    found: tuple[float, ...] | None

    def join(self, other: "NumberSurvey") -> "NumberSurvey":
        both = None if self.found is None or other.found is None else {*self.found, *other.found}
        few = None if both is None or len(both) > MOST_LEVELS else tuple(sorted(both))
        low, high = min(self.low, other.low), max(self.high, other.high)
        return NumberSurvey(low, high, self.is_whole and other.is_whole, few)


@dataclass(frozen=True)
class ColumnSurvey:
    """One column. The weights are numbers of rows, unless rows weigh differently."""

    name: str
    n_rows: int
    n_missing: int
    weight: float  # of all rows
    weight_present: float  # of those with a value
    weight_numbers: float  # of those with a number
    texts: Mapping[str, int] | None  # each value with the row where it is first, or None if these are many
    numbers: NumberSurvey | None  # None if a value is no number, or there is none
    wrong_at: tuple[int, str] | None = None  # the first value that is no finite number, with its row
    dates: Mapping[int, str] = field(default_factory=dict)  # those of the first values, counted from 0, that are dates
    are_counts: bool = True  # the weights are whole numbers: of rows that each row stands for
    problem: str = ""  # why the column cannot be read; told only if it is to be used

    @property
    def n_counted_present(self) -> float:
        """How many rows those with a value stand for: what they weigh, where that is a number of rows."""
        return self.weight_present if self.are_counts else self.n_present

    @property
    def n_present(self) -> int:
        return self.n_rows - self.n_missing

    def join(self, other: "ColumnSurvey") -> "ColumnSurvey":
        texts = None if self.texts is None or other.texts is None else {**other.texts, **self.texts}
        numbers = self.numbers.join(other.numbers) if self.numbers and other.numbers else self.numbers or other.numbers
        few = None if texts is None or len(texts) > MOST_LEVELS else texts
        later = {self.n_present + place: text for place, text in other.dates.items()}
        dates = {**self.dates, **{place: text for place, text in later.items() if place < MOST_DATES}}
        wrong_at, are_counts = self.wrong_at or other.wrong_at, self.are_counts and other.are_counts
        numbers, problem = None if wrong_at else numbers, self.problem or other.problem
        added = ("n_rows", "n_missing", "weight", "weight_present", "weight_numbers")
        sums = {name: getattr(self, name) + getattr(other, name) for name in added}
        joined = replace(self, texts=few, numbers=numbers, wrong_at=wrong_at, dates=dates)
        return replace(joined, are_counts=are_counts, problem=problem, **sums)


@dataclass(frozen=True)
class Survey:
    """What consecutive rows of a table hold, column by column."""

    first_row: int
    n_rows: int
    columns: tuple[ColumnSurvey, ...]

    def join(self, other: "Survey") -> "Survey":
        """The survey of these rows and the other's after them, which must have the same columns."""
        columns = {column.name: column for column in other.columns}
        names = [column.name for column in self.columns]
        where = f"the part that begins with row {other.first_row}"
        for name in (name for name in (*names, *columns) if name not in names or name not in columns):
            here, before = ("a", "none") if name in columns else ("no", "one")
            what = f"{where} has {here} column {name!r}, the rows before it have {before}"
            refuse(EncodingError, f"{what}. Give every part the same columns.")
        joined = tuple(column.join(columns[column.name]) for column in self.columns)
        return Survey(self.first_row, self.n_rows + other.n_rows, joined)


def survey(
    rows: Any, first_row: int = 0, *, weight: Any = None, kinds: Kinds = None, missing: frozenset[str] = MISSING_WORDS
) -> Survey:
    """The survey of a table or a part of it, a frame or a mapping of columns; a part says where it begins."""
    names = column_names(rows)
    refuse_twice(names)
    length, columns = n_rows(rows), []
    for name in names:
        try:
            values = read_as(rows, name, declared_kind(rows, name, kinds), missing, first_row)
            columns.append(survey_column(values, weight))
        except EncodingError as error:
            columns.append(ColumnSurvey(name, length, 0, 0.0, 0.0, 0.0, None, None, problem=str(error)))
    return Survey(first_row, length, tuple(columns))


def declared_kind(rows: Any, name: str, kinds: Kinds) -> Any:
    """The kind that was given; else the order of a pandas column whose categories have one, from the least on."""
    dtype: Any = getattr(raw_column(rows, name), "dtype", None)
    given = (kinds or {}).get(name)
    if given is None and getattr(dtype, "ordered", False) and 2 <= len(dtype.categories) <= MOST_LEVELS:
        return list(dtype.categories)
    return given


def read_as(rows: Any, name: str, kind: Any, missing: frozenset[str], first_row: int = 0) -> Values:
    """The values of a column; one of a declared order is never missing."""
    has_order = kind is not None and not isinstance(kind, str)
    return read_column(rows, name, first_row, missing - levels_of(kind) if has_order else missing)


def refuse_twice(names: Sequence[str]) -> None:
    """No two columns may have one name."""
    if (twice := find_repeated(names)) is not None:
        refuse(EncodingError, f"two columns are called {twice!r}; rename one of them.")


def survey_column(values: Values, weight: Any) -> ColumnSurvey:
    are_small = values.is_numeric and values.array.dtype.itemsize < 8 and not values.stand_ins
    array = values.array if are_small else values.parsed  # as doubles, what numbers are everywhere else
    is_number, is_present = ~np.isnan(array), ~values.is_missing
    is_wrong = is_present & ~np.isfinite(array)
    wrong = int(is_wrong.argmax()) if is_wrong.any() else None
    has_text = bool((is_present & ~is_number).any())
    found = None if has_text else different_numbers(array, MOST_LEVELS)
    numbers = None if wrong is not None else _numbers(array[is_number] if found is None else np.array([*found]), found)
    is_exact = numbers is None or max(abs(numbers.low), abs(numbers.high)) < LARGEST_EXACT
    if found is None and not has_text:
        texts = None  # different numbers are different texts
    elif found is None or not values.is_numeric or (values.array.dtype.kind in "iu" and not is_exact):
        texts = _texts(values)  # floats would mix up large whole numbers
    else:
        texts = {level_of(each) or "": values.first_row + row for each, row in found.items()}
    each = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    counts = len(values), int(np.count_nonzero(values.is_missing))
    weights = float(each.sum()), float(each[is_present].sum()), float(each[is_number].sum())
    wrong_at = None if wrong is None else (values.first_row + wrong, values.repr_at(wrong))
    dates = _dates(values) if has_text else {}
    return ColumnSurvey(values.name, *counts, *weights, texts, numbers, wrong_at, dates, are_whole_weights(weight))


def are_whole_weights(weight: Any) -> bool:
    """Whether weights can be numbers of rows; no weights are 1 each."""
    return weight is None or are_whole(np.asarray(weight))


def _numbers(present: Array, found: Mapping[float, int] | None) -> NumberSurvey | None:
    """What is known of all numbers, those that are different if these are few; None if there is no number."""
    if not len(present):
        return None
    low, high = float(present.min()) + 0.0, float(present.max()) + 0.0  # 0.0 rather than -0.0
    return NumberSurvey(low, high, are_whole(present), None if found is None else tuple(sorted(found)))


def _texts(values: Values) -> dict[str, int] | None:
    """The different texts of a column of objects, each with its first row; None if these are many."""
    different, codes = values.different
    first = np.empty(len(different), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of rows with one value the last that is written, the first
    found: dict[str, int] = {}
    for value, row in zip(different, first.tolist(), strict=True):
        if (text := level_of(value, values.words)) is not None:
            found[text] = min(values.first_row + row, found.get(text, values.first_row + row))
            if len(found) > MOST_LEVELS:
                return None
    return found


def _dates(values: Values) -> dict[int, str]:
    """Which of the first values are dates or lengths of time, and each as a text."""
    different, codes = values.different
    first = [different[code] for code in codes[np.flatnonzero(~values.is_missing)[:MOST_DATES]]]
    return {
        place: str(value)
        for place, value in enumerate(first)
        if hasattr(value, "year") or hasattr(value, "total_seconds") or DATE.fullmatch(str(value).strip())
    }
