"""Learn an encoding: what kind of column each is, and which statements about it are worth having.

| kind | what it is | its literals |
|---|---|---|
| number | numbers | the degree between least and greatest, and cuts (`age ≥ 55`) |
| code | whole numbers, at most five of them | each value (`cp=4`) and the cuts between |
| category | texts, truth values, codes such as 007 | each value (`color=red`); of two values, the second |
| ordinal | values with an order that was declared, or is that of an ordered pandas column | `size ≥ medium` |

A column with missing values has `… is missing` too. What cannot be used is left out with a reason, or refused with
advice. Only the rows given here are looked at, so that test rows are encoded, never learned from.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, get_args

from crystalogic.arrays import Array, np
from crystalogic.cells import LARGEST_EXACT, MISSING_WORDS, NO_WORDS, level_number, level_of, levels_of, number_of
from crystalogic.encoding.encoding import Column, Encoding, column_names
from crystalogic.encoding.identifiers import FEWEST_OWN, MOSTLY_OWN, identifier_note, looks_like_identifier
from crystalogic.encoding.literals import LARGEST_FLOAT, Cut, Degree, Is, Missing, Reaches
from crystalogic.encoding.literals import Literal as Statement
from crystalogic.encoding.survey import (
    MOST_DATES,
    MOST_LEVELS,
    ColumnSurvey,
    NumberSurvey,
    Survey,
    are_whole_weights,
    declared_kind,
    read_as,
    refuse_twice,
    survey_column,
)
from crystalogic.encoding.unusable import UnusableColumn, dates_column, many_values, refuse_unusable
from crystalogic.encoding.values import Values, refuse_number
from crystalogic.errors import EncodingError
from crystalogic.untrusted import find_repeated

Kind = Literal["number", "code", "category", "ignore"]
Numbers = Literal["both", "degrees", "cuts"]
MOST_CODES = 5  # a whole number with at most this many values is read as a code
MOSTLY_NUMBERS = 0.8  # a text column with this share of numbers was meant to be one


@dataclass(frozen=True)
class _Sample:
    """The rows of a column that are at hand: all, or some of them."""

    values: Values
    weight: Any
    is_all: bool

    @property
    def numbers(self) -> Array:
        return np.asarray(self.values.numbers[~self.values.is_missing])

    def n_counted_present(self) -> float:
        return self._n_counted(~self.values.is_missing)

    def has_own_numbers(self) -> bool:
        return len(np.unique(self.numbers)) == self._n_counted(np.ones(len(self.values), bool)) > FEWEST_OWN

    def _n_counted(self, which: Array) -> float:
        """How many rows these stand for; of a sample, whose weights say how it was drawn, the rows themselves."""
        is_counted = self.weight is not None and self.is_all and are_whole_weights(self.weight)
        return float(np.asarray(self.weight, np.float64)[which].sum() if is_counted else which.sum())


@dataclass(frozen=True)
class _Places:
    """How many cuts a number has at most; where they are spread, every other one parts the different numbers evenly."""

    most: int
    are_spread: bool

    def choose(self, found: Array, counts: Array) -> Array:
        """Those of the different numbers, of which there are so many, that cuts are at."""
        if not self.are_spread:
            return self._evenly(found, counts, self.most)
        if len(found) <= 2 * self.most:
            return found
        half = self.most // 2
        return np.union1d(self._evenly(found, counts, half), self._evenly(found, np.ones(len(found)), half))

    @staticmethod
    def _evenly(found: Array, counts: Array, n_cuts: int) -> Array:
        counted = np.cumsum(counts)
        ranks = np.ceil(np.arange(1, n_cuts + 1) / (n_cuts + 1) * (counted[-1] - 1))  # in the sorted rows, from 0
        return np.unique(found[np.searchsorted(counted, ranks, side="right")])


def fit_encoding(
    rows: Any,
    kinds: Mapping[str, Kind | Sequence[str]] | None = None,
    *,
    numbers: Numbers = "both",
    n_cuts: int = 5,
    are_spread: bool = False,
    weight: Any = None,
    survey: Survey | None = None,
    missing: Iterable[Any] = MISSING_WORDS,
) -> Encoding:
    """The encoding of these training rows, a frame or a mapping of columns; `kinds` overrules what is guessed.

    A kind is "number", "code", "category" or "ignore", or a list of values in ascending order. `weight` says how many
    rows each row stands for, so that a row counted twice is the same as a row repeated. `missing` are the words that
    stand for no value, instead of the usual ones; an empty cell always does, and a value in an order never. Cuts part
    the rows evenly; where they `are_spread`, half of them part the different numbers evenly, so that a value which most
    rows have does not swallow them.

    With the `survey` of a larger table, the rows are a sample of it. Then the places of the cuts, and whether every row
    has a value of its own, are estimated from the sample; everything else is exact for the table.

    >>> sizes = fit_encoding({"size": ["small", "large", "medium"]}, {"size": ["small", "medium", "large"]})
    >>> sizes.names
    ('size ≥ medium', 'size ≥ large')
    """
    if numbers not in get_args(Numbers):
        message = f"numbers is one of {', '.join(get_args(Numbers))}, got {numbers!r}."
        raise EncodingError(message)
    if kinds is not None and not isinstance(kinds, Mapping):
        message = f"kinds maps columns to their kinds, such as {{'zip': 'category'}}, got {kinds!r}."
        raise EncodingError(message)
    places = _Places(n_cuts, are_spread)
    names = column_names(rows) if survey is None else [column.name for column in survey.columns]
    _refuse_names(names, kinds or {})
    words = levels_of(missing)
    columns, unusable = [], []
    for place, name in enumerate(names):
        kind = declared_kind(rows, name, kinds)
        if kind == "ignore":
            columns.append(Column(name, "left out", note="left out as you asked", missing_words=words))
            continue
        values = read_as(rows, name, kind, words)
        seen = survey_column(values, weight) if survey is None else survey.columns[place]
        sample = _Sample(values, weight, is_all=len(values) == seen.n_rows)
        try:
            columns.append(replace(_fit_column(seen, sample, kind, numbers, places), missing_words=words))
        except UnusableColumn as error:
            unusable.append(error.with_traceback(None))  # which would keep these rows
    refuse_unusable(unusable)
    encoding = Encoding(tuple(columns))
    statements = [literal.name for column in columns for literal in column.literals]
    twice = find_repeated(statements)
    if twice is not None:
        message = f"two truth values would be called {twice!r}; rename one of the columns."
        raise EncodingError(message)
    if not statements:
        reasons = "; ".join(map(str, columns)) or "there are no columns"
        message = f"no column can be used: {reasons}."
        raise EncodingError(message)
    return encoding


def _refuse_names(names: list[str], kinds: Mapping[str, object]) -> None:
    refuse_twice(names)
    if "" in names:
        message = f"column {names.index('') + 1} of {len(names)} has no name; give it one."
        raise EncodingError(message)
    known = set(names)
    unknown = [name for name in kinds if name not in known]
    if unknown:
        message = f"there is no column {unknown[0]!r}; the columns are {', '.join(names)}."
        raise EncodingError(message)


def _fit_column(
    seen: ColumnSurvey, sample: _Sample, kind: Kind | Sequence[str] | None, numbers: Numbers, places: _Places
) -> Column:
    name = seen.name
    if seen.problem:
        raise EncodingError(seen.problem)
    if not seen.n_present:
        return Column(name, "left out", note="left out, every value is missing")
    missing = (Missing(name),) if seen.n_missing else ()
    if kind is not None and not isinstance(kind, str):
        order = tuple(level_of(each, NO_WORDS) or "" for each in kind)
        return _ordinal(seen, sample, order, missing)
    if kind is not None and kind not in get_args(Kind):
        message = f"the kind of {name!r} is number, code, category, ignore or a list of values, got {kind!r}."
        raise EncodingError(message)
    guessed = kind or _guess(seen, sample)
    notes = {"identifier": "left out, every row has its own value", "key": identifier_note(name)}
    if guessed in notes:
        return Column(name, "left out", note=notes[guessed])
    if guessed == "category":
        return _category(seen, sample, missing)
    if guessed == "code":
        return _code(seen, sample, missing)
    return _number(seen, sample, missing, numbers, places)


def _guess(seen: ColumnSurvey, sample: _Sample) -> str:
    if len(seen.dates) > min(MOST_DATES, seen.n_present) / 2:
        raise dates_column(seen.name, next(iter(seen.dates.values())))
    if seen.weight_present and seen.weight_numbers / seen.weight_present < MOSTLY_NUMBERS:
        return _kind_of_texts(seen, sample)
    found = _numbers(seen)
    if _needless_zeros(seen.texts or ()):
        return _kind_of_texts(seen, sample)
    if found.is_whole and found.found is not None and len(found.found) <= MOST_CODES:
        is_exact = max(abs(found.low), abs(found.high)) < LARGEST_EXACT  # floats would mix up larger ones
        return "code" if is_exact else "category"
    if not found.is_whole or (found.found is not None and len(found.found) < MOSTLY_OWN * seen.n_counted_present):
        return "number"
    if found.high - found.low == seen.n_counted - 1 and sample.has_own_numbers():
        return "identifier"
    return "key" if looks_like_identifier(seen.name, sample.numbers, sample.n_counted_present()) else "number"


def _kind_of_texts(seen: ColumnSurvey, sample: _Sample) -> str:
    """An identifier if every value that is present is another text."""
    if seen.texts is None:
        n_texts, n_present = len(set(sample.values.texts) - {None}), sample.n_counted_present()
    else:
        n_texts, n_present = len(seen.texts), seen.n_counted_present
    return "identifier" if n_texts == n_present > FEWEST_OWN else "category"


def _needless_zeros(levels: Iterable[str]) -> list[str]:
    """Those of the levels of numbers that are texts: codes such as 007."""
    return [level for level in levels if level_number(level) is None]


def _numbers(seen: ColumnSurvey) -> NumberSurvey:
    """What is known of the numbers; an EncodingError names the first value that is none."""
    if seen.numbers is None:
        refuse_number(seen.name, *(seen.wrong_at or (0, "nothing")))
    return seen.numbers


def _texts(seen: ColumnSurvey, sample: _Sample) -> Mapping[str, int] | None:
    """Each value with its first row; None if these are too many to be known."""
    if seen.texts is not None or not sample.is_all:
        return seen.texts
    texts = sample.values.texts.tolist()
    return {text: row for row, text in reversed(list(enumerate(texts))) if text is not None}


def _values(name: str, known: Sequence[str], has_missing: bool) -> tuple[Statement, ...]:
    """A literal for each value; of two values one says it all, unless a third, missing, can occur."""
    kept = known[1:] if len(known) == 2 and not has_missing else known
    return tuple(Is(name, value) for value in kept)


def _category(seen: ColumnSurvey, sample: _Sample, missing: tuple[Statement, ...]) -> Column:
    name, texts = seen.name, _texts(seen, sample)
    if texts is None or len(texts) > MOST_LEVELS:
        examples = [text for text in sample.values.texts.tolist() if text is not None]
        raise many_values(name, None if texts is None else len(texts), MOST_LEVELS, examples)
    known = tuple(sorted(texts))
    if len(known) == 1 and not missing:
        return Column(name, "left out", note=f"left out, it is always {known[0]!r}")
    return Column(name, "category", (*_values(name, known, bool(missing)), *missing), known, bool(missing))


def _ordinal(seen: ColumnSurvey, sample: _Sample, order: tuple[str, ...], missing: tuple[Statement, ...]) -> Column:
    name, texts = seen.name, _texts(seen, sample)
    if texts is None:
        message = f"{name!r} has more than {MOST_LEVELS} different values, too many for an order. Group them first."
        raise EncodingError(message)
    strange = sorted(set(texts) - set(order))
    if strange:
        message = f"row {texts[strange[0]]}: {name!r} is {strange[0]!r}, which is not in the order {' < '.join(order)}."
        raise EncodingError(message)
    if len(order) < 2 or len(set(order)) != len(order):
        message = f"an order needs at least two different values, got {' < '.join(order)} for {name!r}."
        raise EncodingError(message)
    levels = tuple(Reaches(name, level, order) for level in order[1:])
    return Column(name, "ordinal", (*levels, *missing), order, bool(missing))


def _code(seen: ColumnSurvey, sample: _Sample, missing: tuple[Statement, ...]) -> Column:
    name, _, texts = seen.name, _numbers(seen), _texts(seen, sample)
    if texts is None:
        message = f"{name!r} has more than {MOST_LEVELS} different values, too many for a code. Declare it a number."
        raise EncodingError(message)
    for text in _needless_zeros(texts):
        message = (
            f"row {texts[text]}: {name!r} is {text!r}, a text with zeros in front; codes are plain whole numbers. "
            "Declare it a category, or a number."
        )
        raise EncodingError(message)
    known = tuple(sorted(texts, key=lambda text: level_number(text) or 0))
    if len(known) == 1 and not missing:
        return Column(name, "left out", note=f"left out, it is always {known[0]}")
    between = dict.fromkeys(Cut(name, number_of(text)) for text in known[2:-1])  # the others are values, or not
    return Column(name, "code", (*_values(name, known, bool(missing)), *between, *missing), known, bool(missing))


def _number(
    seen: ColumnSurvey, sample: _Sample, missing: tuple[Statement, ...], numbers: Numbers, places: _Places
) -> Column:
    name, low, high = seen.name, _numbers(seen).low, _numbers(seen).high
    if low == high and not missing:
        return Column(name, "left out", note=f"left out, it is always {low:g}")
    if high - low > LARGEST_FLOAT:
        message = f"{name!r} ranges from {low:g} to {high:g}, which is more than a number holds. Scale it first."
        raise EncodingError(message)
    cuts = [Cut(name, at) for at in _cuts(low, sample, places)] if numbers != "degrees" else []
    degree = [Degree(name, low, high)] if numbers != "cuts" and high > low else []
    bounds = (None, None) if degree else (low, high)
    return Column(name, "number", (*degree, *cuts, *missing), (), bool(missing), low=bounds[0], high=bounds[1])


def _cuts(low: float, sample: _Sample, places: _Places) -> list[float]:
    """Numbers that part the rows of the sample, none at the least number of all."""
    found, places_of = np.unique(sample.numbers, return_inverse=True)
    if not len(found):
        return []
    weight = None if sample.weight is None else np.asarray(sample.weight)[~sample.values.is_missing]
    counts = np.bincount(places_of, weight)
    quantiles = places.choose(found, counts)
    quantiles = quantiles[quantiles > low]
    below = np.append(low, found)[np.searchsorted(found, quantiles)]  # the least number may be outside the sample
    return [short_between(float(a), float(b)) for a, b in zip(below, quantiles, strict=True)]


def short_between(low: float, high: float) -> float:
    """The number above `low` and at most `high` with the fewest digits: the same cut of the rows, easier to read.

    >>> short_between(54.0, 55.0), short_between(0.1632, 0.1836), short_between(52400, 52431)
    (55.0, 0.18, 52430.0)

    Numbers are the decimals that they are written as, so that a cut just above 38.8 is at 38.9, not at 38.89.
    """
    (low_over, low_under), (high_over, high_under) = (Fraction(repr(each)).as_integer_ratio() for each in (low, high))

    def round_down(digits: int) -> tuple[int, int]:
        """`high` rounded down to so many digits, as an exact fraction."""
        up, down = 10 ** max(digits, 0), 10 ** max(-digits, 0)
        return high_over * up // (high_under * down) * down, up

    def is_above(digits: int) -> bool:
        over, under = round_down(digits)
        return over * low_under > low_over * under and over / under > low

    digits = range(-15, 18)  # more of them never round down further, so the first that will do can be bisected
    place = bisect_left(digits, True, key=is_above)
    if place == len(digits):
        return high
    over, under = round_down(digits[place])
    return over / under
