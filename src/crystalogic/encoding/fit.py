"""Learn an encoding: what kind of column each is, and which statements about it are worth having.

| kind | what it is | its literals |
|---|---|---|
| number | numbers | the degree between least and greatest, and cuts (`age ≥ 55`) |
| code | whole numbers, at most five of them | each value (`cp=4`) and the cuts between |
| category | texts, truth values | each value (`color=red`); of two values, the second |
| ordinal | values with a declared order | `size ≥ medium` |

A column with missing values has `… is missing` too. What cannot be used is left out with a reason, or refused with
advice. Only the rows given here are looked at, so that test rows are encoded, never learned from.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, get_args

from crystalogic.encoding.encoding import Column, Encoding, column_names, read_column
from crystalogic.encoding.literals import Cut, Degree, Is, Missing, Reaches
from crystalogic.encoding.literals import Literal as Statement
from crystalogic.encoding.values import LARGEST_EXACT, Values, as_number
from crystalogic.errors import EncodingError
from crystalogic.untrusted import repeated

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["number", "code", "category", "ignore"]
Numbers = Literal["both", "degrees", "cuts"]
MOST_CODES = 5  # a whole number with at most this many values is read as a code
MOST_LEVELS = 100  # a category with more values is refused
MOSTLY_NUMBERS = 0.8  # a text column with this share of numbers was meant to be one
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")


def fit_encoding(
    rows: Any,
    kinds: Mapping[str, Kind | Sequence[str]] | None = None,
    *,
    numbers: Numbers = "both",
    n_cuts: int = 5,
    weight: Any = None,
) -> Encoding:
    """The encoding of these training rows, a frame or a mapping of columns; `kinds` overrules what is guessed.

    A kind is "number", "code", "category" or "ignore", or a list of values in ascending order. `weight` says how many
    rows each row stands for, so that a row counted twice is the same as a row repeated.

    >>> sizes = fit_encoding({"size": ["small", "large", "medium"]}, {"size": ["small", "medium", "large"]})
    >>> sizes.names
    ('size ≥ medium', 'size ≥ large')
    """
    import numpy as np

    if numbers not in get_args(Numbers):
        message = f"numbers is one of {', '.join(get_args(Numbers))}, got {numbers!r}."
        raise EncodingError(message)
    if kinds is not None and not isinstance(kinds, Mapping):
        message = f"kinds maps columns to their kinds, such as {{'zip': 'category'}}, got {kinds!r}."
        raise EncodingError(message)
    names = column_names(rows)
    _refuse_names(names, kinds or {})
    columns = []
    for name in names:
        values = read_column(rows, name)
        each = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
        columns.append(_fitted(values, each, (kinds or {}).get(name), numbers, n_cuts))
    encoding = Encoding(tuple(columns))
    statements = [literal.name for column in columns for literal in column.literals]
    if len(set(statements)) != len(statements):
        twice = next(name for name in statements if statements.count(name) > 1)
        message = f"two truth values would be called {twice!r}; rename one of the columns."
        raise EncodingError(message)
    if not statements:
        reasons = "; ".join(map(str, columns)) or "there are no columns"
        message = f"no column can be used: {reasons}."
        raise EncodingError(message)
    return encoding


def _refuse_names(names: list[str], kinds: Mapping[str, object]) -> None:
    twice = repeated(names)
    if twice is not None:
        message = f"two columns are called {twice!r}; rename one of them."
        raise EncodingError(message)
    if "" in names:
        message = f"column {names.index('') + 1} of {len(names)} has no name; give it one."
        raise EncodingError(message)
    unknown = [name for name in kinds if name not in names]
    if unknown:
        message = f"there is no column {unknown[0]!r}; the columns are {', '.join(names)}."
        raise EncodingError(message)


def _fitted(
    values: Values, weight: "NDArray[Any]", kind: Kind | Sequence[str] | None, numbers: Numbers, n_cuts: int
) -> Column:
    name = values.name
    if kind == "ignore":
        return Column(name, "left out", note="left out as you asked")
    has_missing = bool(values.is_missing.any())
    if values.is_missing.all():
        return Column(name, "left out", note="left out, every value is missing")
    if kind is not None and not isinstance(kind, str):
        return _ordinal(values, tuple(map(str, kind)), has_missing)
    guessed = kind or _guessed(values, weight)
    if guessed == "identifier":
        return Column(name, "left out", note="left out, every row has its own value")
    missing = (Missing(name),) if has_missing else ()
    if guessed == "category":
        known = tuple(sorted({text for text in values.texts if text is not None}))
        if len(known) == 1 and not has_missing:
            return Column(name, "left out", note=f"left out, it is always {known[0]!r}")
        if len(known) > MOST_LEVELS:
            message = (
                f"{name!r} has {len(known):,} different values, more than {MOST_LEVELS}. "
                f"Leave it out (kind 'ignore'), or group its values first."
            )
            raise EncodingError(message)
        return Column(name, "category", (*_values(name, known, has_missing), *missing), known, has_missing)
    if guessed == "code":
        return _code(values, missing)
    if guessed != "number":
        message = f"the kind of {name!r} is number, code, category, ignore or a list of values, got {guessed!r}."
        raise EncodingError(message)
    return _number(values, weight, missing, numbers, n_cuts)


def _guessed(values: Values, weight: "NDArray[Any]") -> str:
    import numpy as np

    present = ~values.is_missing
    if values.array.dtype.kind == "b":
        return "category"
    if values.array.dtype.kind == "O":
        known = values.array[present]
        _refuse_dates(values, known)
        numeric = np.array([as_number(value) == as_number(value) for value in known])
        share = weight[present] @ numeric / weight[present].sum()
        if share < MOSTLY_NUMBERS or all(isinstance(value, bool) for value in known):
            n_distinct = len(set(values.texts[present]))
            return "identifier" if n_distinct == weight[present].sum() > 20 else "category"
    found = np.unique(values.numbers[present])
    is_whole = bool((found == np.rint(found)).all())
    if is_whole and len(found) <= MOST_CODES:
        return "code" if abs(found).max() < LARGEST_EXACT else "category"  # floats would mix up larger ones
    counts_rows = is_whole and len(found) == weight.sum() > 20 and found[-1] - found[0] == len(found) - 1
    return "identifier" if counts_rows else "number"


def _refuse_dates(values: Values, known: "NDArray[Any]") -> None:
    dated = [value for value in known[:100] if hasattr(value, "year") or _DATE.fullmatch(str(value).strip())]
    if len(dated) > len(known[:100]) / 2:
        message = (
            f"{values.name!r} holds dates, such as {str(dated[0])!r}. Turn them into a number with a meaning, for "
            "example days since an event, or leave the column out (kind 'ignore')."
        )
        raise EncodingError(message)


def _values(name: str, known: Sequence[str], has_missing: bool) -> tuple[Statement, ...]:
    """A literal for each value; of two values one says it all, unless a third, missing, can occur."""
    kept = known[1:] if len(known) == 2 and not has_missing else known
    return tuple(Is(name, value) for value in kept)


def _ordinal(values: Values, order: tuple[str, ...], has_missing: bool) -> Column:
    name = values.name
    found = {text for text in values.texts if text is not None}
    strange = sorted(found - set(order))
    if strange:
        row = next(index for index, text in enumerate(values.texts) if text == strange[0])
        message = f"row {row}: {name!r} is {strange[0]!r}, which is not in the order {' < '.join(order)}."
        raise EncodingError(message)
    if len(order) < 2 or len(set(order)) != len(order):
        message = f"an order needs at least two different values, got {' < '.join(order)} for {name!r}."
        raise EncodingError(message)
    levels = tuple(Reaches(name, level, order) for level in order[1:])
    return Column(name, "ordinal", (*levels, *((Missing(name),) if has_missing else ())), order, has_missing)


def _code(values: Values, missing: tuple[Statement, ...]) -> Column:
    import numpy as np

    from crystalogic.encoding.values import shown_number

    found = np.unique(values.numbers[~values.is_missing]).tolist()
    known = tuple(shown_number(value) for value in found)
    if len(found) == 1 and not missing:
        return Column(values.name, "left out", note=f"left out, it is always {known[0]}")
    between = [Cut(values.name, value) for value in found[2:-1]]  # the other cuts are values or their negations
    literals = (*_values(values.name, known, bool(missing)), *between, *missing)
    return Column(values.name, "code", literals, known, bool(missing))


def _number(
    values: Values, weight: "NDArray[Any]", missing: tuple[Statement, ...], numbers: Numbers, n_cuts: int
) -> Column:
    import numpy as np

    name, present = values.name, values.numbers[~values.is_missing]
    low, high = float(present.min()), float(present.max())
    if low == high and not missing:
        return Column(name, "left out", note=f"left out, it is always {low:g}")
    found, places = np.unique(present, return_inverse=True)
    counted = np.cumsum(np.bincount(places, weights=weight[~values.is_missing]))
    ranks = np.ceil(np.arange(1, n_cuts + 1) / (n_cuts + 1) * (counted[-1] - 1))  # in the sorted rows, from 0
    quantiles = np.unique(found[np.searchsorted(counted, ranks, side="right")])
    below = found[np.searchsorted(found, quantiles) - 1]
    pairs = [(float(a), float(b)) for a, b in zip(below, quantiles, strict=True) if b > low]
    cuts = [Cut(name, short_between(a, b)) for a, b in pairs] if numbers != "degrees" else []
    degree = [Degree(name, low, high)] if numbers != "cuts" and high > low else []
    return Column(name, "number", (*degree, *cuts, *missing), (), bool(missing))


def short_between(low: float, high: float) -> float:
    """The number above `low` and at most `high` with the fewest digits: the same cut of the rows, easier to read.

    >>> short_between(54.0, 55.0), short_between(0.1632, 0.1836), short_between(52400, 52431)
    (55.0, 0.18, 52430.0)
    """
    exact_low, exact_high = Fraction(low), Fraction(high)
    for digits in range(-15, 18):
        unit = Fraction(10) ** -digits
        candidate = (exact_high // unit) * unit
        if candidate > exact_low and low < float(candidate) <= high:
            return float(candidate)
    return high
