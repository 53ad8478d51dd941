"""Quick looks at long arrays of numbers: the first rows often tell, and the rest is compared within the cache."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST_ROWS, ROWS_AT_ONCE = 512, 1 << 16
FEW = 8  # so many values are compared one by one, more are searched


def different_numbers(array: "NDArray[Any]", most: int) -> dict[float, int] | None:
    """The different numbers of an array, each with its first place; None if these are more. NaN is no number.

    >>> import numpy as np
    >>> different_numbers(np.array([2.5, np.nan, 1, 2.5]), 100), different_numbers(np.arange(200), 100)
    ({1.0: 2, 2.5: 0}, None)
    """
    import numpy as np

    found: dict[float, int] = {}
    known = array[:0]
    start, stop = 0, FIRST_ROWS
    while start < len(array):
        part = array[start:stop]
        new = np.flatnonzero(~_are_among(part, known) & (part == part))
        if len(new):
            values, first = np.unique(part[new], return_index=True)
            if len(known) + len(values) > most:
                return None
            places = (start + new[first]).tolist()
            found.update(zip((each + 0.0 for each in values.tolist()), places, strict=True))
            known = np.union1d(known, values)
        start, stop = stop, stop + ROWS_AT_ONCE
    return found


def _are_among(array: "NDArray[Any]", known: "NDArray[Any]") -> "NDArray[Any]":
    """Which numbers are some of these, sorted ones."""
    import numpy as np

    if len(known) > FEW:
        return np.asarray(known[np.searchsorted(known, array).clip(max=len(known) - 1)] == array)
    among = np.zeros(len(array), bool)
    for each in known:
        among |= array == each
    return among


def are_whole(array: "NDArray[Any]") -> bool:
    """Whether all numbers are whole; mostly the first ones tell."""
    import numpy as np

    if array.dtype.kind != "f":
        return True
    return all(bool((part == np.rint(part)).all()) for part in (array[:FIRST_ROWS], array[FIRST_ROWS:]))


def first_true(are: "NDArray[Any]") -> int | None:
    """Where it is true first."""
    return int(are.argmax()) if are.any() else None
