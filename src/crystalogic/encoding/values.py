"""The values of one column, whatever it came in: what `crystalogic.cells` says of a cell, of all cells at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

from crystalogic.arrays import Array, np, pd
from crystalogic.cells import LARGEST_EXACT, MISSING_WORDS, NO_WORDS, is_missing, level_number, level_of, number_of
from crystalogic.encoding.unusable import number_advice
from crystalogic.errors import EncodingError, refuse

MANY = 1000  # values from which on it pays to let pandas find the different ones
FIRST_ROWS, ROWS_AT_ONCE = 512, 1 << 16
FEW = 8  # so many values are compared one by one


class Values:
    """A column of any kind (list, numpy array, pandas or polars series), read as often as needed, converted once."""

    def __init__(self, name: str, raw: Any, first_row: int = 0, words: frozenset[str] = MISSING_WORDS) -> None:
        self.name = name
        self.first_row = first_row  # where this part of the table begins, for error messages
        self.words = MISSING_WORDS if words == MISSING_WORDS else words  # means missing; the usual are quicker
        try:
            self._raw = raw if hasattr(raw, "to_numpy") else np.asarray(raw, dtype=_dtype(raw))
        except TypeError:  # it cannot be gone through
            self._raw = np.asarray(None)
        if len(self._raw.shape) != 1:
            found = f"has the shape {self._raw.shape}" if self._raw.shape else f"is {raw!r:.60}"
            refuse(EncodingError, f"{name!r} {found}, expected a column: one text, number or truth value for each row.")

    def __len__(self) -> int:
        return len(self._raw)

    def __getitem__(self, rows: slice) -> "Values":
        """Some of the rows in a row."""
        first, last, _ = rows.indices(len(self))
        if (first, last) == (0, len(self)):
            return self
        return Values(self.name, getattr(self._raw, "iloc", self._raw)[first:last], self.first_row + first, self.words)

    @cached_property
    def array(self) -> Array:
        """The values as numbers, truth values or objects."""
        array = _exact_array(self._raw) if hasattr(self._raw, "to_numpy") else self._raw
        if array.dtype.kind in "mM":  # finer ones would become plain integers
            array = array.astype(f"{array.dtype.kind}8[us]")
        elif array.dtype.kind == "O" and set(map(type, array)) == {float}:
            array = array.astype(np.float64)
        is_plain = array.dtype.kind in "fiub" and array.dtype.itemsize <= 8  # there are floats that are no doubles
        return array if is_plain else array.astype(object, copy=False)

    @property
    def is_numeric(self) -> bool:
        """Whether the column came as numbers, not as texts, truth values or objects."""
        return not self._few_texts and self.array.dtype.kind in "fiu"

    @cached_property
    def _few_texts(self) -> tuple[list[Any], Array] | None:
        """The few different texts of a long pandas series, and which each row has: found without an object for each."""
        is_of_texts = str(getattr(self._raw, "dtype", "")) in ("str", "string", "category")
        if len(self) <= MANY or not is_of_texts or not hasattr(self._raw, "factorize"):
            return None
        codes, values = self._raw.factorize()
        if 2 * len(values) > len(self) or not all(type(value) is str for value in values):
            return None
        return [*values, None], codes  # a missing value has the code -1, the last

    @cached_property
    def different(self) -> tuple[list[Any], Array]:
        """The different values, and which of them each row has: most columns repeat a few."""
        try:
            return self._few_texts or self._tell_apart()
        except TypeError:  # of values that Python cannot compare
            for row, value in ((row, value) for row, value in enumerate(self.array) if type(value).__hash__ is None):
                what = f"row {self.first_row + row}: {self.name!r} is {type(value).__name__} {str(value)[:40]}"
                way_out = "Leave the column out (--ignore, or kind 'ignore'), or make several columns of it."
                refuse(EncodingError, f"{what}, expected a number or a text. {way_out}")
            raise

    def _tell_apart(self) -> tuple[list[Any], Array]:
        if self.array.dtype.kind == "b":  # quicker than to sort them
            truths = [value for value in (False, True) if (self.array == value).any()]
            return truths, self.array.astype(np.intp) * (len(truths) - 1)
        if self.array.dtype.kind != "O":
            found, codes = np.unique(self.array, return_inverse=True)
            return found.tolist(), codes
        if len(self.array) > MANY:
            codes, values = pd.factorize(self.array)
            if all(type(value) is str for value in values):  # nothing but a text equals a text
                return [*values, None], codes  # a missing value has the code -1, the last
        places: dict[Any, int] = {}
        keyed = ((type(value), value) for value in self.array)  # 1 and True are equal, and not the same here
        codes = np.fromiter((places.setdefault(key, len(places)) for key in keyed), np.int64, len(self.array))
        return [value for _, value in places], codes

    @cached_property
    def _levels(self) -> list[str | None]:
        return [level_of(value, self.words) for value in self.different[0]]

    def _each(self, results: Iterable[Any], dtype: Any) -> Array:
        return np.asarray(np.fromiter(results, dtype, len(self.different[0]))[self.different[1]])

    @cached_property
    def stand_ins(self) -> "list[int | float]":
        """The words for missing that are numbers, such as -9."""
        return [number for number in map(level_number, self.words) if number is not None]

    @cached_property
    def is_missing(self) -> Array:
        """True where there is no value: None, NaN, an empty cell, and a word for missing."""
        if not self.is_numeric:
            return self._each((is_missing(value, self.words) for value in self.different[0]), bool)
        found = np.isnan(self.array)
        for number in self.stand_ins:
            found |= _are(self.array, number)
        return np.asarray(found)

    @cached_property
    def numbers(self) -> Array:
        """The column as floats, NaN where missing; an EncodingError names the first value that is no number."""
        numbers = self.parsed
        if (wrong := ~(np.isfinite(numbers) | self.is_missing)).any():
            index = int(wrong.argmax())
            refuse_number(self.name, self.first_row + index, self.repr_at(index))
        return numbers

    @cached_property
    def parsed(self) -> Array:
        """The column as floats, NaN where a value is missing or no number."""
        if not self.is_numeric:
            return np.where(self.is_missing, np.nan, self._each(map(number_of, self.different[0]), np.float64))
        numbers = self.array.astype(np.float64, copy=False)
        return np.where(self.is_missing, np.nan, numbers) if self.stand_ins else numbers

    def repr_at(self, index: int) -> str:
        """One value as an error message shows it."""
        if self._few_texts:
            texts, codes = self._few_texts
            return repr(texts[codes[index]])
        value = self.array[index]
        return repr(value.item() if hasattr(value, "item") else value)

    @cached_property
    def texts(self) -> Array:
        """The level of every value; None where it is missing."""
        return self._each(self._levels, object)

    def equal(self, text: str) -> Array:
        """True where the value has the level of this text."""
        level = level_of(text, NO_WORDS)
        if not self.is_numeric:
            return self._each((each == level and each is not None for each in self._levels), bool)
        number = float(level) if level in ("inf", "-inf") else level_number(level or "")
        return np.zeros(len(self), bool) if number is None or level in self.words else _are(self.array, number)


def refuse_number(name: str, row: int, value: str) -> NoReturn:
    """An EncodingError for a value that is no number, shown as it is."""
    refuse(EncodingError, f"row {row}: {name!r} is {value}, expected a number. {number_advice(name, value)}")


def _dtype(raw: Any) -> Any:
    """Lists of mixed things stay objects; numpy would turn numbers beside texts into texts, and round large ones."""
    if hasattr(raw, "dtype"):
        return None
    kinds = set(map(type, raw))
    largest = LARGEST_EXACT if float in kinds else 2**63  # what numpy keeps of whole numbers beside others
    is_exact = kinds <= {int, float} and not any(type(value) is int and abs(value) >= largest for value in raw)
    return None if is_exact else object


def _exact_array(raw: Any) -> Array:
    """A series as an array; whole numbers with gaps come as floats, and large ones would equal their neighbours."""
    array: Array = np.array(list(raw), object) if str(raw.dtype).endswith("Int128") else raw.to_numpy()
    if array.dtype.kind != "f" or str(raw.dtype).lower().startswith("float") or not len(array):
        return array
    is_exact = np.abs(array).max(initial=0.0, where=~np.isnan(array)) < LARGEST_EXACT
    return array if is_exact else np.array(list(raw), object)


def _are(array: Array, number: int | float) -> Array:
    """Where an array of numbers has exactly this one."""
    if array.dtype.kind == "f":
        is_double = float(number) == number  # Python compares exactly; the nearest double is another number
        return np.asarray(array.astype(np.float64, copy=False) == float(number)) & is_double
    limits = np.iinfo(array.dtype)
    can_be = isinstance(number, int) and limits.min <= number <= limits.max
    return np.asarray(array == number) if can_be else np.zeros(len(array), bool)


def way_of(levels: tuple[str, ...], order: tuple[str, ...]) -> int:
    """Whether values are the greatest of an order (1), the least (-1), or neither (0)."""
    listed, n_listed = set(levels), len(set(levels))
    return (listed == set(order[-n_listed:])) - (listed == set(order[:n_listed]))


def different_numbers(array: Array, most: int) -> dict[float, int] | None:
    """The different numbers of an array, each with its first place; None if these are more. NaN is no number."""
    found, known, start, stop = dict[float, int](), array[:0], 0, FIRST_ROWS
    while start < len(array):
        part = array[start:stop]
        is_new: Array = part == part
        for each in known if len(known) <= FEW else ():  # of many only NaN is told apart: sorting is quicker
            is_new &= part != each
        values = np.unique(part[is_new])
        new = values[~np.isin(values, known)] if len(known) else values
        if len(known) + len(new) > most:
            return None
        if len(new):
            found.update((each.item() + 0.0, start + int((part == each).argmax())) for each in new)
            known = np.concatenate((known, new))
        start, stop = stop, stop + ROWS_AT_ONCE
    return found


def are_whole(array: Array) -> bool:
    """Whether all numbers are whole; mostly the first ones tell."""
    if array.dtype.kind != "f":
        return True
    return all(bool((part == np.rint(part)).all()) for part in (array[:FIRST_ROWS], array[FIRST_ROWS:]))


class SparseColumns(Mapping[str, Any]):
    """The columns x0, x1, … of a scipy sparse matrix; what is not stored is 0."""

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix.tocsc()
        self._places = {f"x{index}": index for index in range(self._matrix.shape[1])}

    def __getitem__(self, name: str) -> Any:
        return self._matrix[:, [self._places[name]]].toarray()[:, 0]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @cached_property
    def _by_rows(self) -> Any:
        return self._matrix.tocsr()

    def take(self, rows: Any) -> "SparseColumns":
        return SparseColumns(self._by_rows[rows])

    @staticmethod
    def stack(parts: "Sequence[SparseColumns]") -> "SparseColumns":
        from scipy.sparse import vstack

        return SparseColumns(vstack([part._matrix for part in parts], format="csc"))

    @property
    def n_stored(self) -> int:
        return int(self._matrix.nnz)
