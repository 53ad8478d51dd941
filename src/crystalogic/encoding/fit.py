"""Learn an encoding: what kind of column each is, and which statements about it are worth having.

| kind | what it is | its literals |
|---|---|---|
| number | numbers | the degree between least and greatest, and cuts (`age ≥ 55`) |
| code | whole numbers, at most five of them | each value (`cp=4`) and the cuts between |
| category | texts, truth values, codes such as 007 | each value (`color=red`); of two values, the second |
| ordinal | values with an order that was declared, or is that of an ordered pandas column | `size ≥ medium` |

A column with missing values has `… is missing` too. What cannot be used is left out with a reason and advice. Only the
rows given here are looked at, so that test rows are encoded, never learned from.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, get_args

from crystalogic.arrays import Array, np
from crystalogic.cells import LARGEST_EXACT, MISSING_WORDS, NO_WORDS, level_number, level_of, levels_of, number_of
from crystalogic.encoding import survey as surveys
from crystalogic.encoding import unusable
from crystalogic.encoding.encoding import Column, Encoding, column_names
from crystalogic.encoding.literals import LARGEST_FLOAT, Cut, Degree, Is, Missing, Reaches
from crystalogic.encoding.literals import Literal as Statement
from crystalogic.encoding.values import Values, refuse_number
from crystalogic.errors import EncodingError, refuse, refuse_first
from crystalogic.untrusted import find_repeated

Kind = Literal["number", "code", "category", "ignore"]
Numbers = Literal["both", "degrees", "cuts"]
MOST_CODES = 5  # a whole number with at most this many values is read as a code
FEWEST_STEPS = 5  # different numbers of a column with cuts at even steps
OUTSIDE = 0.03  # of the rows at either end, where cuts at even steps would be wasted
TINY = Fraction(1, 10**9)
DIGITS: list[tuple[int, int]] = [(10 ** max(each, 0), 10 ** max(-each, 0)) for each in range(-15, 18)]
MOST_EXAMPLES = 100  # of the texts of a column
MOSTLY_NUMBERS = 0.8  # a text column with this share of numbers was meant to be one


def fit_encoding(
    rows: Any,
    kinds: Mapping[str, Kind | Sequence[str]] | None = None,
    *,
    numbers: Numbers = "both",
    n_cuts: int = 5,
    are_spread: bool = False,
    weight: Any = None,
    survey: surveys.Survey | None = None,
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
    """
    if numbers not in get_args(Numbers):
        refuse(EncodingError, f"numbers is one of {', '.join(get_args(Numbers))}, got {numbers!r}.")
    if kinds is not None and not isinstance(kinds, Mapping):
        refuse(EncodingError, f"kinds maps columns to their kinds, such as {{'zip': 'category'}}, got {kinds!r}.")
    names = column_names(rows) if survey is None else [column.name for column in survey.columns]
    surveys.refuse_twice(names)
    if "" in names:
        refuse(EncodingError, f"column {names.index('') + 1} of {len(names)} has no name; give it one.")
    known = set(names)
    if unknown := [name for name in kinds or {} if name not in known]:
        refuse(EncodingError, f"there is no column {unknown[0]!r}; the columns are {', '.join(names)}.")
    words = levels_of(missing)
    columns: list[Column] = []
    refused: list[unusable.UnusableColumn] = []  # of a kind that was declared
    set_aside: list[unusable.UnusableColumn] = []
    for place, name in enumerate(names):
        if (kind := surveys.declared_kind(rows, name, kinds)) == "ignore":
            columns.append(Column(name, "left out", note="left out as you asked", missing_words=words))
            continue
        values = surveys.read_as(rows, name, kind, words)
        seen = surveys.survey_column(values, weight) if survey is None else survey.columns[place]
        try:
            column = _ColumnFit(seen, values, weight, numbers, n_cuts, are_spread).fit(kind)
            columns.append(replace(column, missing_words=words))
        except unusable.UnusableColumn as error:
            (set_aside if kind is None else refused).append(error.with_traceback(None))  # which would keep these rows
            columns.append(Column(name, "left out", note=error.note, missing_words=words))
    statements = [literal.name for column in columns for literal in column.literals]
    unusable.refuse_unusable(refused if statements else [*refused, *set_aside])
    if (twice := find_repeated(statements)) is not None:
        refuse(EncodingError, f"two truth values would be called {twice!r}; rename one of the columns.")
    if not statements:
        refuse(EncodingError, f"no column can be used: {'; '.join(map(str, columns)) or 'there are no columns'}.")
    return Encoding(tuple(columns))


@dataclass(frozen=True)
class _ColumnFit:
    """One column to be encoded: what is known of all its rows, the rows that are at hand, and what is asked for."""

    seen: surveys.ColumnSurvey
    values: Values  # of all rows, or of some of them
    weight: Any
    numbers: Numbers
    n_cuts: int
    are_spread: bool

    def fit(self, kind: Kind | Sequence[str] | None) -> Column:
        """The column as the kind that was declared, or else as the kind it looks like."""
        name = self.seen.name
        if self.seen.problem:
            raise EncodingError(self.seen.problem)
        if not self.seen.n_present:
            return self._leave_out("every value is missing")
        if kind is not None and not isinstance(kind, str):
            return self._as_ordinal(tuple(level_of(each, NO_WORDS) or "" for each in kind))
        message = f"the kind of {name!r} is number, code, category, ignore or a list of values, got {kind!r}."
        refuse_first(EncodingError, {message: kind is not None and kind not in get_args(Kind)})
        ways = {"number": self._as_number, "code": self._as_code, "category": self._as_category}
        if (guessed := kind or self._guess()) == "identifier":
            return self._leave_out("every row has its own value")
        return ways[guessed]() if guessed in ways else Column(name, "left out", note=unusable.identifier_note(name))

    def _leave_out(self, why: str) -> Column:
        return Column(self.seen.name, "left out", note=f"left out, {why}")

    def _column(self, kind: str, literals: Iterable[Statement], known: tuple[str, ...] = ()) -> Column:
        """The column with these literals, and that it is missing where a value is."""
        name, has_missing = self.seen.name, self.seen.n_missing > 0
        return Column(name, kind, (*literals, *([Missing(name)] if has_missing else [])), known, has_missing)

    @property
    def _is_all(self) -> bool:
        return len(self.values) == self.seen.n_rows

    @cached_property
    def _present(self) -> Array:
        """The numbers at hand, where there is one."""
        return np.asarray(self.values.numbers[~self.values.is_missing])

    def _n_counted(self, which: Array) -> float:
        """How many rows these stand for; of a sample, whose weights say how it was drawn, the rows themselves."""
        is_counted = self.weight is not None and self._is_all and surveys.are_whole_weights(self.weight)
        return float(np.asarray(self.weight, np.float64)[which].sum() if is_counted else which.sum())

    def _guess(self) -> str:
        """The kind a column looks like: also an "identifier" of the rows, or a "key" that looks like one."""
        seen = self.seen
        if len(seen.dates) > min(surveys.MOST_DATES, seen.n_present) / 2:
            raise unusable.dates_column(seen.name, next(iter(seen.dates.values())))
        if seen.weight_present and seen.weight_numbers / seen.weight_present < MOSTLY_NUMBERS:
            return self._kind_of_texts()
        if seen.numbers is None and seen.texts is not None and unusable.are_bins(seen.texts):
            return self._kind_of_texts()
        if seen.wrong_at is not None:
            raise unusable.text_among_numbers(seen.name, *seen.wrong_at)
        found = self._require_numbers()
        if _needless_zeros(seen.texts or ()):
            return self._kind_of_texts()
        if found.is_whole and found.found is not None and len(found.found) <= MOST_CODES:
            is_exact = max(abs(found.low), abs(found.high)) < LARGEST_EXACT  # floats would mix up larger ones
            return "code" if is_exact else "category"
        n_most = np.inf if found.found is None else len(found.found)
        if not found.is_whole or n_most < unusable.MOSTLY_OWN * seen.n_counted_present:
            return "number"
        n_rows, n_present = self._n_counted(np.ones(len(self.values), bool)), self._n_counted(~self.values.is_missing)
        has_own = len(np.unique(self._present)) == n_rows > unusable.FEWEST_OWN
        if has_own and found.high - found.low == (seen.weight if seen.are_counts else seen.n_rows) - 1:
            return "identifier"
        return "key" if unusable.looks_like_identifier(seen.name, self._present, n_present) else "number"

    def _kind_of_texts(self) -> str:
        """An identifier if every value that is present is another text."""
        if self.seen.texts is None:
            n_texts, n_present = len(set(self.values.texts) - {None}), self._n_counted(~self.values.is_missing)
        else:
            n_texts, n_present = len(self.seen.texts), self.seen.n_counted_present
        if not n_texts == n_present > unusable.FEWEST_OWN:
            return "category"
        if (numbers := unusable.odd_numbers(self.seen.name, self._examples)) is not None:
            raise numbers
        return "identifier"

    def _require_numbers(self) -> surveys.NumberSurvey:
        """What is known of the numbers; an EncodingError names the first value that is none."""
        if self.seen.numbers is None:
            refuse_number(self.seen.name, *(self.seen.wrong_at or (0, "nothing")))
        return self.seen.numbers

    @property
    def _examples(self) -> list[str]:
        """Some texts, spread over the rows."""
        texts = self.values.texts[~self.values.is_missing]
        return [text.strip() for text in texts[:: 1 + len(texts) // MOST_EXAMPLES].tolist()]

    def _texts(self) -> Mapping[str, int] | None:
        """Each value with its first row; None if these are too many to be known."""
        if self.seen.texts is not None or not self._is_all:
            return self.seen.texts
        return {text: row for row, text in reversed(list(enumerate(self.values.texts.tolist()))) if text is not None}

    def _few_texts(self, what: str) -> Mapping[str, int]:
        if (texts := self._texts()) is None:
            message = f"{self.seen.name!r} has more than {surveys.MOST_LEVELS} different values, too many for {what}"
            raise EncodingError(message)
        return texts

    def _values(self, known: Sequence[str]) -> tuple[Statement, ...]:
        """A literal for each value; of two values one says it all, unless a third, missing, can occur."""
        kept = known[1:] if len(known) == 2 and not self.seen.n_missing else known
        return tuple(Is(self.seen.name, value) for value in kept)

    def _as_category(self) -> Column:
        texts = self._texts()
        if texts is None or len(texts) > surveys.MOST_LEVELS:
            n_texts = None if texts is None else len(texts)
            raise unusable.many_values(self.seen.name, n_texts, surveys.MOST_LEVELS, self._examples)
        known = tuple(sorted(texts))
        if len(known) == 1 and not self.seen.n_missing:
            return self._leave_out(f"it is always {known[0]!r}")
        return self._column("category", self._values(known), known)

    def _as_ordinal(self, order: tuple[str, ...]) -> Column:
        name, texts = self.seen.name, self._few_texts("an order. Group them first.")
        if strange := sorted(set(texts) - set(order)):
            where = f"row {texts[strange[0]]}: {name!r} is {strange[0]!r}"
            refuse(EncodingError, f"{where}, which is not in the order {' < '.join(order)}.")
        message = f"an order needs at least two different values, got {' < '.join(order)} for {name!r}."
        refuse_first(EncodingError, {message: len(order) < 2 or len(set(order)) != len(order)})
        return self._column("ordinal", (Reaches(name, level, order) for level in order[1:]), order)

    def _as_code(self) -> Column:
        self._require_numbers()
        name, texts = self.seen.name, self._few_texts("a code. Declare it a number.")
        for text in _needless_zeros(texts):
            problem = f"row {texts[text]}: {name!r} is {text!r}, a text with zeros in front;"
            refuse(EncodingError, f"{problem} codes are plain whole numbers. Declare it a category, or a number.")
        known = tuple(sorted(texts, key=lambda text: level_number(text) or 0))
        if len(known) == 1 and not self.seen.n_missing:
            return self._leave_out(f"it is always {known[0]}")
        between = dict.fromkeys(Cut(name, number_of(text)) for text in known[2:-1])  # the others are values, or not
        return self._column("code", (*self._values(known), *between), known)

    def _as_number(self) -> Column:
        name, low, high = self.seen.name, self._require_numbers().low, self._require_numbers().high
        if low == high and not self.seen.n_missing:
            return self._leave_out(f"it is always {low:g}")
        message = f"{name!r} ranges from {low:g} to {high:g}, which is more than a number holds. Scale it first."
        refuse_first(EncodingError, {message: high - low > LARGEST_FLOAT})
        cuts = [Cut(name, at) for at in self._cuts(low)] if self.numbers != "degrees" else []
        if self.numbers != "cuts" and high > low:
            return self._column("number", [Degree(name, low, high), *cuts])
        return replace(self._column("number", cuts), low=low, high=high)

    def _cuts(self, low: float) -> list[float]:
        """Numbers that part the rows at hand, none at the least number of all. Where they are spread, a third parts the
        rows evenly, a third the different numbers, and the others, up to a half, stand at even steps."""
        found, places = np.unique(self._present, return_inverse=True)
        if not len(found):
            return []
        weight = None if self.weight is None else np.asarray(self.weight)[~self.values.is_missing]
        counts, third = np.bincount(places, weight), self.n_cuts // 3
        if not self.are_spread:
            chosen = _part_evenly(found, counts, self.n_cuts)
        elif len(found) <= 2 * self.n_cuts:
            chosen = found
        else:
            chosen = np.union1d(_part_evenly(found, counts, third), _part_evenly(found, np.ones(len(found)), third))
        chosen = chosen[chosen > low]
        below = np.append(low, found)[np.searchsorted(found, chosen)]  # the least number may be outside the sample
        cuts = {float(b): short_between(float(a), float(b)) for a, b in zip(below, chosen, strict=True)}
        even = _step_evenly(found, counts, self.n_cuts // 2) if self.are_spread else found[:0]
        even = even[(even > low) & (even <= found[-1])]
        cuts |= dict(zip(found[np.searchsorted(found, even)].tolist(), even.tolist(), strict=True))  # one for each gap
        return sorted(cuts.values())


def _part_evenly(found: Array, counts: Array, n_cuts: int) -> Array:
    """Those of the different numbers, of which there are so many, that cuts are at."""
    counted = np.cumsum(counts)
    ranks = np.ceil(np.arange(1, n_cuts + 1) / (n_cuts + 1) * (counted[-1] - 1))  # in the sorted rows, from 0
    return np.unique(found[np.searchsorted(counted, ranks, side="right")])


def _step_evenly(found: Array, counts: Array, most: int) -> Array:
    """Multiples of a round number, at most so many, from one end of most rows to the other."""
    if len(found) < FEWEST_STEPS:
        return found[:0]
    counted = np.cumsum(counts)
    low, high = found[np.searchsorted(counted, [OUTSIDE * counted[-1], (1 - OUTSIDE) * counted[-1]])].tolist()
    least = max((high - low) / max(most, 1), float(np.diff(found).min()) * (1 - 1e-9))
    if not 0 < least <= high - low < LARGEST_EXACT:
        return found[:0]
    step = round_step(least)
    first, last = math.floor(Fraction(low) / step) + 1, math.floor(Fraction(high) / step)
    return np.array([float(step * each) for each in range(first, last + 1)])


def round_step(least: float) -> Fraction:
    """The least of 1, 2, 5, 10, 20 and so on, and of their tenths, that is not smaller."""
    power = Fraction(10) ** math.floor(math.log10(least))
    return next(step for step in (power * each for each in (1, 2, 5, 10, 20)) if step >= Fraction(least) * (1 - TINY))


def _needless_zeros(levels: Iterable[str]) -> list[str]:
    """Those of the levels of numbers that are texts: codes such as 007."""
    return [level for level in levels if level_number(level) is None]


def short_between(low: float, high: float) -> float:
    """The number above `low` and at most `high` with the fewest digits: the same cut of the rows, easier to read.

    >>> short_between(54.0, 55.0), short_between(0.1632, 0.1836), short_between(52400, 52431)
    (55.0, 0.18, 52430.0)

    Numbers are the decimals that they are written as, so that a cut just above 38.8 is at 38.9, not at 38.89.
    """
    (low_over, low_under), (high_over, high_under) = (Fraction(repr(each)).as_integer_ratio() for each in (low, high))
    for up, down in DIGITS:
        over = high_over * up // (high_under * down) * down  # `high` rounded down to so many digits is over / up
        if over * low_under > low_over * up and over / up > low:
            return over / up
    return high
