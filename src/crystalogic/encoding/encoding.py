"""The encoding of a table: its literals in order, what is known of them, and what was left out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Annotated, Any

from crystalogic.arrays import Array, np
from crystalogic.cells import MISSING_WORDS, NO_WORDS, level_of, levels_of, number_text
from crystalogic.counts import count
from crystalogic.encoding.literals import Degree, Is, Literal, Missing, literal_from_content
from crystalogic.encoding.values import Values
from crystalogic.errors import DocumentError, EncodingError, refuse, refuse_first
from crystalogic.features import Features
from crystalogic.logic.domain import Domain
from crystalogic.untrusted import LIMITS, find_repeated, flag, number, perhaps, read_fields, text
from crystalogic.untrusted import each as each_of

Names = Sequence[str] | None  # of truth values; None for all
Texts = Annotated[tuple[str, ...], partial(each_of, text)]
KINDS = ("number", "code", "category", "ordinal", "left out")  # of columns
NEWLY_MISSING = "Fill it in, drop the row, train with such rows, or say what to do with them: predict --unknown."


@dataclass(frozen=True)
class Column:
    """One column as it was read: its kind, its literals, the values that training rows had, or why it was left out."""

    name: Annotated[str, text]
    kind: Annotated[str, text]  # one of KINDS
    literals: Annotated[tuple[Literal, ...], partial(each_of, literal_from_content)] = ()
    known: Texts = ()  # the values of a code, category or ordinal in the training rows
    has_missing: Annotated[bool, flag] = False
    note: Annotated[str, text] = ""
    # which cells say in words that they are missing
    missing_words: Annotated[frozenset[str], lambda *given: levels_of(each_of(text, *given))] = MISSING_WORDS
    low: Annotated[float | None, partial(perhaps, number)] = None  # the least and the greatest number of the training
    high: Annotated[float | None, partial(perhaps, number)] = None  # rows, where no degree tells them

    def __str__(self) -> str:
        return f"{self.name}: {self.note or self.kind}"

    @cached_property
    def words(self) -> frozenset[str]:
        """The words for missing, without those that are values here."""
        return self.missing_words - {level_of(value, NO_WORDS) for value in self.known}

    def content(self) -> dict[str, Any]:
        """The column as plain JSON data; what earlier versions did not write, only where there is something to say."""
        literals = [literal.content() for literal in self.literals]
        body: dict[str, Any] = {"name": self.name, "kind": self.kind, "literals": literals, "known": self.known}
        body |= {"has_missing": self.has_missing, "note": self.note}
        body |= {} if self.missing_words == MISSING_WORDS else {"missing_words": sorted(self.missing_words)}
        return body if self.low is None else {**body, "low": self.low, "high": self.high}

    @property
    def range(self) -> tuple[float, float] | None:
        """The least and the greatest number of the training rows, if they are known."""
        for literal in self.literals:
            if isinstance(literal, Degree):
                return float(literal.low), float(literal.high)
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True)
class Encoding:
    """Columns in order; `transform` turns rows into an array of truth values, one column for each of `names`.

    >>> from crystalogic.encoding import fit_encoding
    >>> ages = fit_encoding({"age": [31, 44, 58, 62.5, 70, 75], "sex": ["f", "m", "m", "f", "m", "f"]}, n_cuts=1)
    >>> ages.names
    ('age', 'age ≥ 60', 'sex=m')
    >>> ages.transform({"age": [53, 80], "sex": ["m", "f"]}).tolist()
    [[0.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    columns: tuple[Column, ...]

    @cached_property
    def literals(self) -> dict[str, Literal]:
        return {literal.name: literal for column in self.columns for literal in column.literals}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.literals)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def read(self, rows: Any, name: str, first_row: int = 0) -> Values:
        """The values of a column of a frame or mapping, with its own words for missing."""
        return read_column(rows, name, first_row, self.by_name[name].words)

    def degree_of(self, name: str, row: Mapping[str, Any]) -> Fraction:
        """The exact degree of a truth value for one row of the table."""
        literal = self.literals[name]
        return literal.degree_of(row[literal.column], self.by_name[literal.column].words)

    def columns_of(self, names: Iterable[str]) -> tuple[str, ...]:
        """The columns that these truth values are read from."""
        return tuple(dict.fromkeys(self.literals[name].column for name in names))

    def thin(self, names: Iterable[str]) -> "Encoding":
        """The encoding for rules that read these truth values; of other columns stays what questions need."""
        read, columns = set(self.columns_of(names)), []
        for each in self.columns:
            low, high = each.range or (None, None)
            columns.append(each if each.name in read else replace(each, literals=(), low=low, high=high))
        return Encoding(tuple(columns))

    @cached_property
    def gaps(self) -> frozenset[str]:
        """The columns that had missing values in training."""
        return frozenset(column.name for column in self.columns if column.has_missing)

    @cached_property
    def domain(self) -> Domain:
        """What is known of every encoded row: which truth values are Boolean, and which exclude each other."""
        boolean, exclusive = list[str](), list[list[str]]()
        for column in self.columns:
            said = [each for each in column.literals if isinstance(each, (Is, Missing))]
            apart = {each.level if isinstance(each, Is) else None: each.name for each in said}  # one for each level
            listed = [*apart.values()] if len(apart) > 1 else []
            exclusive += [listed] if listed else []
            others = [each for each in column.literals if each.is_boolean and each not in said]
            boolean += [each.name for each in (*said, *others) if each.name not in listed]
        return Domain(boolean=boolean, exclusive=exclusive)

    def transform(self, rows: Any, names: Names = None, *, dtype: Any = "float32", **how: Any) -> Array:
        """The truth values (rows × names) of a frame or a mapping of columns, read as `truths` says."""
        wanted = self.names if names is None else names
        if unknown := [name for name in wanted if name not in self.literals]:
            refuse(EncodingError, f"there is no truth value {unknown[0]!r} in this encoding.")
        result = np.empty((n_rows(rows), len(wanted)), dtype, order="F")
        places = {name: index for index, name in enumerate(wanted)}
        for name, truth in self.truths(rows, wanted, **how):
            if len(truth) != len(result):
                found = f"{self.literals[name].column!r} has {count(len(truth), 'value')}"
                refuse(EncodingError, f"{found}, the other columns have {len(result)}.")
            result[:, places[name]] = truth
        return result

    def truths(
        self, rows: Any, names: Names = None, *, first_row: int = 0, refuse_missing: bool = True, measured: bool = False
    ) -> Iterator[tuple[str, Array]]:
        """Each truth value with its degrees for all rows, or what was `measured` (`Literal.exact_degree`); only columns
        needed are read, once. A number missing where none was in training is refused, or all said of it is false."""
        for values, literals in self._read_columns(rows, self.names if names is None else names, first_row):
            if refuse_missing and values.name in self.never_missing and values.is_missing.any():
                where = f"row {first_row + int(values.is_missing.argmax())}: {values.name!r} is missing"
                refuse(EncodingError, f"{where}, but no training row lacked it. {NEWLY_MISSING}")
            for literal in literals:
                yield literal.name, literal.measure(values) if measured else literal.truth(values)

    def _read_columns(self, rows: Any, names: Iterable[str], first_row: int) -> Iterator[tuple[Values, list[Literal]]]:
        """The values of the columns that these truth values are read from, and what is said of each."""
        said: dict[str, list[Literal]] = {}
        for literal in map(self.literals.__getitem__, dict.fromkeys(names)):
            said.setdefault(literal.column, []).append(literal)
        for name in self.by_name:
            if name in said:
                yield self.read(rows, name, first_row), said[name]

    def features(self, rows: Any) -> Features:
        """All truth values of some rows, packed."""
        return Features.of((truth for _, truth in self.truths(rows)), self.names, n_rows(rows))

    @cached_property
    def never_missing(self) -> frozenset[str]:
        """The columns whose missing values are refused, because training rows had none."""
        return frozenset(each.name for each in self.columns if not each.has_missing and each.kind != "category")

    def find_refused(self, rows: Any, names: Iterable[str]) -> Array:
        """Which rows no rule over these truth values can judge: a value is newly missing, or is no number."""
        found = np.zeros(n_rows(rows), bool)
        for values, literals in self._read_columns(rows, names, 0):
            if values.name in self.never_missing:
                found |= values.is_missing
            if any(each.needs_number for each in literals):
                found |= ~(np.isfinite(values.parsed) | values.is_missing)
        return found

    def count_newly_missing(self, rows: Any, columns: Iterable[str]) -> dict[str, int]:
        """How many values are missing in columns where no training row lacked one."""
        counts = {name: int(self.read(rows, name).is_missing.sum()) for name in columns if name not in self.gaps}
        return {name: n_missing for name, n_missing in counts.items() if n_missing}

    def unseen(self, rows: Any, columns: Iterable[str]) -> dict[str, tuple[str | None, ...]]:
        """The values that no training row had, by column, None for a gap. New numbers are nothing strange."""
        found: dict[str, tuple[str | None, ...]] = {}
        for column in (self.by_name[name] for name in columns if self.by_name[name].known):
            texts = set(self.read(rows, column.name).texts)
            new = sorted(texts - {None, *(level_of(value, NO_WORDS) for value in column.known)})
            gap = [None] if None in texts and not column.has_missing else []
            if new or gap:
                found[column.name] = (*new, *gap)
        return found

    def beyond(self, rows: Any, columns: Iterable[str]) -> dict[str, tuple[str, str, str]]:
        """The first number of a column outside the range of training, with that range: it may be in another unit."""
        found: dict[str, tuple[str, str, str]] = {}
        ranges = {name: bounds for name in columns if (bounds := self.by_name[name].range) is not None}
        for name, (low, high) in ranges.items():
            numbers = self.read(rows, name).parsed  # what is no number is for others to refuse
            if (is_beyond := (numbers < low) | (numbers > high)).any():
                found[name] = (number_text(float(numbers[is_beyond.argmax()])), number_text(low), number_text(high))
        return found

    def content(self) -> dict[str, Any]:
        return {"columns": [column.content() for column in self.columns]}

    @staticmethod
    def from_content(body: Mapping[str, Any]) -> "Encoding":
        try:
            columns = each_of(_column_from_content, body["columns"], "not an encoding: the columns")
        except (KeyError, TypeError, ValueError) as error:
            refuse(DocumentError, f"not an encoding: {type(error).__name__} {error} while reading its columns.")
        encoding, twice = Encoding(columns), find_repeated([column.name for column in columns])
        n_literals = sum(len(column.literals) for column in columns)
        LIMITS.refuse("literals", n_literals, "this encoding")
        if twice is not None:
            refuse(DocumentError, f"not an encoding: two of its columns are called {twice!r}.")
        if len(encoding.literals) != n_literals:
            refuse(DocumentError, "not an encoding: two of its literals have the same name.")
        return encoding


def _column_from_content(body: Any, what: str) -> Column:
    column = read_fields(Column, body, what)
    low, high = column.low, column.high
    strange = next((each.name for each in column.literals if column.kind not in each.said_of), None)
    has_half, is_turned = (low is None) != (high is None), (low or 0) > (high or 0)
    problems = {
        f"{what} is of no known kind, or has a literal of another column.": column.kind not in KINDS
        or any(each.column != column.name for each in column.literals),
        f"{what} has a range from {low} to {high}.": has_half or is_turned,
        f"{what} is a {column.kind}, of which {strange!r} cannot be said.": strange is not None,
    }
    refuse_first(DocumentError, problems)
    return column


def read_column(rows: Any, name: str, first_row: int = 0, words: frozenset[str] = MISSING_WORDS) -> Values:
    """The values of one column of a frame or mapping, or an EncodingError that names it; what was read is kept."""
    if isinstance(rows, ReadOnce):
        return rows.read(name, words)
    raw = raw_column(rows, name)
    return raw if isinstance(raw, Values) else Values(name, raw, first_row, words)


class ReadOnce(Mapping[str, Any]):
    """The columns of rows that are read several times: what their cells mean is found out once."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self._kept: dict[str, Values] = {}

    def __getitem__(self, name: str) -> Any:
        return self.rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows.columns if hasattr(self.rows, "columns") else self.rows)

    def __len__(self) -> int:
        return len(column_names(self.rows))

    def read(self, name: str, words: frozenset[str]) -> Values:
        kept = self._kept.get(name)
        if kept is None or kept.words != words:
            kept = self._kept[name] = Values(name, raw_column(self.rows, name), words=words)
        return kept


def raw_column(rows: Any, name: str) -> Any:
    keys = rows.columns if hasattr(rows, "columns") else rows
    if name in keys:
        return rows[name]
    for key in keys:  # a frame may have names that are no texts, such as numbers
        if str(key) == name:
            return rows[key]
    refuse(EncodingError, f"the rows have no column {name!r}; they have {', '.join(column_names(rows)) or 'none'}.")


def column_names(rows: Any) -> list[str]:
    if not hasattr(rows, "columns") and not isinstance(rows, Mapping):
        refuse(EncodingError, f"expected a frame or a mapping from columns to their values, got {type(rows).__name__}.")
    return [str(name) for name in (rows.columns if hasattr(rows, "columns") else rows)]


def n_rows(rows: Any) -> int:
    names = column_names(rows)
    return len(rows) if hasattr(rows, "columns") else len(read_column(rows, names[0])) if names else 0
