"""The values of one column: what is missing, what is a number, what equals what, whatever it came in."""

import math
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, NoReturn

from crystalogic.encoding.unusable import number_advice
from crystalogic.errors import EncodingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING_TEXTS = frozenset({"", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "none"})
# What databases and JavaScript read as a number too; Python's float also takes 1_000 and the digits of all scripts.
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,30}", re.ASCII)
LARGEST_EXACT = 2**53  # whole numbers up to here are floats

MANY = 1000  # values from which on it pays to let pandas find the different ones


class Values:
    """A column of any kind (list, numpy array, pandas or polars series), read as often as needed, converted once."""

    def __init__(self, name: str, raw: Any, first_row: int = 0) -> None:
        import numpy as np

        self.name = name
        self.first_row = first_row  # where this part of the table begins, for error messages
        try:
            self._raw = raw if hasattr(raw, "to_numpy") else np.asarray(raw, dtype=_dtype(raw))
        except TypeError:  # it cannot be gone through
            self._raw = np.asarray(None)
        if len(self._raw.shape) != 1:
            found = f"has the shape {self._raw.shape}" if self._raw.shape else f"is {raw!r:.60}"
            message = f"{name!r} {found}, expected a column: one text, number or truth value for each row."
            raise EncodingError(message)

    def __len__(self) -> int:
        return len(self._raw)

    @cached_property
    def array(self) -> "NDArray[Any]":
        """The values as numbers, truth values or objects."""
        array: NDArray[Any] = self._raw.to_numpy() if hasattr(self._raw, "to_numpy") else self._raw
        if array.dtype.kind in "mM":  # finer ones would become plain integers
            array = array.astype(f"{array.dtype.kind}8[us]")
        return array if array.dtype.kind in "fiub" else array.astype(object, copy=False)

    @property
    def _kind(self) -> str:
        return "O" if self._few_texts else self.array.dtype.kind

    @property
    def is_numeric(self) -> bool:
        """Whether the column came as numbers, not as text or objects."""
        return self._kind in "fiu"

    @property
    def is_boolean(self) -> bool:
        """Whether the column came as truth values, not as text or objects."""
        return self._kind == "b"

    @cached_property
    def _few_texts(self) -> "tuple[list[Any], NDArray[Any]] | None":
        """Of a long pandas series of texts, the different ones and which each row has, if these are few.

        pandas finds them without making a Python object for every row, whatever it keeps the texts in.
        """
        if len(self) <= MANY or str(getattr(self._raw, "dtype", "")) not in ("str", "string", "category"):
            return None
        if not hasattr(self._raw, "factorize"):
            return None
        codes, values = self._raw.factorize()
        if 2 * len(values) > len(self) or not all(type(value) is str for value in values):
            return None
        return [*values, None], codes  # a missing value has the code -1, the last

    @cached_property
    def different(self) -> "tuple[list[Any], NDArray[Any]]":
        """The different values of an object column, and which of them each row has: most columns repeat a few."""
        try:
            return self._few_texts or self._told_apart()
        except TypeError:  # of values that Python cannot compare
            self._refuse_lists()
            raise

    def _told_apart(self) -> "tuple[list[Any], NDArray[Any]]":
        import numpy as np

        if len(self.array) > MANY:
            import pandas as pd

            codes, values = pd.factorize(self.array)
            if all(type(value) is str for value in values):  # nothing but a text equals a text
                return [*values, None], codes  # a missing value has the code -1, the last
        places: dict[Any, int] = {}
        keyed = ((type(value), value) for value in self.array)  # 1 and True are equal, and not the same here
        codes = np.fromiter((places.setdefault(key, len(places)) for key in keyed), np.int64, len(self.array))
        return [value for _, value in places], codes

    def _refuse_lists(self) -> None:
        for index, value in enumerate(self.array):
            if type(value).__hash__ is None:
                message = (
                    f"row {self.first_row + index}: {self.name!r} is {type(value).__name__} {str(value)[:40]}, "
                    "expected a number or a text. Leave the column out (--ignore, or kind 'ignore'), "
                    "or make several columns of it."
                )
                raise EncodingError(message)

    def _each(self, function: Callable[[Any], Any], dtype: Any) -> "NDArray[Any]":
        """The function of every value of an object column, called once for each different one."""
        import numpy as np

        values, codes = self.different
        results = np.empty(len(values), dtype)
        for index, value in enumerate(values):
            results[index] = function(value)
        return np.asarray(results[codes])

    @cached_property
    def _all_numbers(self) -> "NDArray[Any] | None":
        """An object column as floats, if every value is a number: the quick way, and the usual one for such columns."""
        import numpy as np

        kinds = set() if self._few_texts else set(map(type, self.array))
        if self._few_texts or {bool, np.bool_} & kinds:  # a truth value is no number
            return None
        if any(issubclass(kind, str) for kind in kinds):
            texts = "".join(self.array if len(kinds) == 1 else filter(_is_text, self.array))
            if "_" in texts or not texts.isascii():  # what only Python takes for a number, or no number at all
                return None
        with suppress(ValueError, TypeError, OverflowError):
            numbers = np.fromiter(map(float, self.array), np.float64, len(self.array))  # quicker than astype
            return None if np.isnan(numbers).any() else numbers
        return None

    @cached_property
    def is_missing(self) -> "NDArray[Any]":
        """True where there is no value: None, NaN, and the usual texts such as '?' or an empty cell."""
        import numpy as np

        if self._kind == "f":
            return np.asarray(np.isnan(self.array))
        if self._kind != "O" or self._all_numbers is not None:
            return np.zeros(len(self), bool)
        return self._each(is_missing, bool)

    @cached_property
    def numbers(self) -> "NDArray[Any]":
        """The column as floats, NaN where missing; an EncodingError names the first value that is no number."""
        import numpy as np

        if self._kind in "fiub":
            numbers = self.array.astype(np.float64, copy=False)
        else:
            numbers = self.parsed
            wrong = np.isnan(numbers) & ~self.is_missing
            if wrong.any():
                self._refuse_number(int(np.flatnonzero(wrong)[0]))
        infinite = np.isinf(numbers)
        if infinite.any():
            self._refuse_number(int(np.flatnonzero(infinite)[0]))
        return numbers

    @cached_property
    def parsed(self) -> "NDArray[Any]":
        """A column of texts or objects as floats, NaN where a value is missing or no number."""
        import numpy as np

        if self._all_numbers is not None:
            return self._all_numbers
        return self._each(lambda value: math.nan if is_missing(value) else as_number(value), np.float64)

    def _refuse_number(self, index: int) -> NoReturn:
        refuse_number(self.name, self.first_row + index, self.repr_at(index))

    def repr_at(self, index: int) -> str:
        """One value as an error message shows it."""
        if self._few_texts:
            texts, codes = self._few_texts
            return repr(texts[codes[index]])
        value = self.array[index]
        return repr(value.item() if hasattr(value, "item") else value)

    @cached_property
    def texts(self) -> "NDArray[Any]":
        """The values as texts, numbers without needless digits; None where missing."""
        import numpy as np

        if self._kind == "O":
            return self._each(_text, object)
        found, codes = np.unique(self.array, return_inverse=True)
        texts = np.array([None if value != value else shown(value) for value in found.tolist()], object)
        return texts[codes]

    def equal(self, text: str) -> "NDArray[Any]":
        """True where the value is this one."""
        import numpy as np

        if self.is_numeric:
            if not is_shown_number(text):
                return np.zeros(len(self), bool)
            if self._kind in "iu" and _WHOLE.fullmatch(text):  # as a float, a large one would equal its neighbours
                kind, number = np.iinfo(self.array.dtype), int(text)
                return np.asarray(
                    (self.array == number) if kind.min <= number <= kind.max else np.zeros(len(self), bool)
                )
            return np.asarray(self.array.astype(np.float64, copy=False) == float(text))
        if self._kind == "O":
            return self._each(lambda value: _text(value) == text, bool)
        return np.asarray(self.texts == text)


def refuse_number(name: str, row: int, value: str) -> NoReturn:
    """An EncodingError for a value that is no number, shown as it is."""
    message = f"row {row}: {name!r} is {value}, expected a number. {number_advice(name, value)}"
    raise EncodingError(message)


def _dtype(raw: Any) -> Any:
    """Lists of mixed things stay objects; numpy would turn numbers beside texts into texts, and round large ones."""
    if hasattr(raw, "dtype"):
        return None
    kinds = set(map(type, raw))
    if kinds == {int, float} and any(type(value) is int and abs(value) >= LARGEST_EXACT for value in raw):
        return object
    return None if kinds <= {int, float} else object


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_missing(value: Any) -> bool:
    """Whether this single value stands for no value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, str):
        return value.strip() in MISSING_TEXTS
    return bool(value != value)


def _text(value: Any) -> str | None:
    return None if is_missing(value) else shown(value)


def as_number(value: Any) -> float:
    """The value as a float; NaN if it is none, truth values and dates included."""
    if type(value).__name__ in ("bool", "bool_"):  # Python's, and numpy's under both of its names
        return math.nan
    if isinstance(value, str):
        text = value.strip()
        return float(text) if _NUMBER.fullmatch(text) else math.nan
    try:
        return float(value)
    except OverflowError:  # a whole number with more than 308 digits
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def shown(value: Any) -> str:
    """A value as text: numbers without needless digits, so that 4 and 4.0 are one value."""
    if isinstance(value, str):
        text = value.strip()
        number = as_number(text)
        return _plain(text, number) if math.isfinite(number) and text.lstrip("-")[0].isdigit() else text
    number = as_number(value)
    if isinstance(value, Integral) and abs(number) >= LARGEST_EXACT:  # the float may be its neighbour
        return str(int(value))
    return str(value) if math.isnan(number) else shown_number(number)


def _plain(text: str, number: float) -> str:
    """'4.0' as '4', but '007' and '4e1' as they are: they may be codes."""
    return shown_number(number) if text.rstrip("0").rstrip(".") == shown_number(number) else text


def is_shown_number(text: str) -> bool:
    """Whether there is a number that is shown as this text; of two texts for one number at most one is.

    >>> is_shown_number("7"), is_shown_number("0.5"), is_shown_number("007"), is_shown_number("seven")
    (True, True, False, False)
    """
    number = as_number(text)
    whole = str(int(text)) if _WHOLE.fullmatch(text) else ""
    return number == number and text in (shown_number(number), whole)


def shown_number(number: float) -> str:
    """A number without needless digits.

    >>> shown_number(4.0), shown_number(0.1), shown_number(1234567.5)
    ('4', '0.1', '1234567.5')
    """
    return str(int(number)) if abs(number) < 1e15 and number == int(number) else repr(float(number))
