"""Counts and lists of things, as people write them."""

from collections.abc import Sequence


def count(number: int, one: str, many: str = "") -> str:
    """So many things, in the singular or the plural.

    >>> count(1, "neuron"), count(2_500, "row"), count(0, "class", "classes")
    ('1 neuron', '2,500 rows', '0 classes')
    """
    return f"{number:,} {plural(number, one, many)}"


def plural(number: int, one: str, many: str = "") -> str:
    """The word for so many things.

    >>> plural(1, "column"), plural(2, "column")
    ('column', 'columns')
    """
    return one if number == 1 else many or f"{one}s"


def list_names(names: Sequence[str], most: int = 30) -> str:
    """Names for a message; of many, the first.

    >>> list_names(["age", "sex"]), list_names("abcd", 2)
    ('age, sex', 'a, b, … and 2 more')
    """
    return ", ".join(names[:most]) + (f", … and {len(names) - most:,} more" if len(names) > most else "")
