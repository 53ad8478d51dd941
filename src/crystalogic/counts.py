"""Counts of things, as people write them."""


def count(number: int, one: str, many: str = "") -> str:
    """So many things, in the singular or the plural.

    >>> count(1, "neuron"), count(2_500, "row"), count(0, "class", "classes")
    ('1 neuron', '2,500 rows', '0 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
