"""Quick looks at long arrays of numbers: the first rows often tell, and the rest is compared within the cache."""

from crystalogic.arrays import Array, np

FIRST_ROWS, ROWS_AT_ONCE = 512, 1 << 16
FEW = 8  # so many values are compared one by one


def different_numbers(array: Array, most: int) -> dict[float, int] | None:
    """The different numbers of an array, each with its first place; None if these are more. NaN is no number.

    >>> import numpy as np
    >>> different_numbers(np.array([2.5, np.nan, 1, 2.5]), 100), different_numbers(np.arange(200), 100)
    ({1.0: 2, 2.5: 0}, None)
    """
    found: dict[float, int] = {}
    known = array[:0]
    start, stop = 0, FIRST_ROWS
    while start < len(array):
        part = array[start:stop]
        values = np.unique(part[_may_be_new(part, known)])
        new = values[~np.isin(values, known)] if len(known) else values
        if len(known) + len(new) > most:
            return None
        if len(new):
            found.update((each.item() + 0.0, start + int((part == each).argmax())) for each in new)
            known = np.concatenate((known, new))
        start, stop = stop, stop + ROWS_AT_ONCE
    return found


def _may_be_new(array: Array, known: Array) -> Array:
    """Which numbers are none of these; of many only NaN is told apart, sorting is quicker than comparing with each."""
    is_new: Array = array == array
    for each in known if len(known) <= FEW else ():
        is_new &= array != each
    return is_new


def are_whole(array: Array) -> bool:
    """Whether all numbers are whole; mostly the first ones tell."""
    if array.dtype.kind != "f":
        return True
    return all(bool((part == np.rint(part)).all()) for part in (array[:FIRST_ROWS], array[FIRST_ROWS:]))


def first_true(are: Array) -> int | None:
    """Where it is true first."""
    return int(are.argmax()) if are.any() else None
