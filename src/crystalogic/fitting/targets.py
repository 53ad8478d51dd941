"""The target of a table: classes or truth degrees, and which class is meant; or one sentence that says why not."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import MISSING_WORDS, number_of
from crystalogic.counts import count
from crystalogic.encoding.values import Values
from crystalogic.errors import TableError, TrainingDataError, refuse, refuse_first
from crystalogic.request import MOST_CLASSES

MOST_NUMBERS = 20  # different whole numbers that can be classes
MOST_DECIMALS = 10  # different numbers with decimals
_FRACTION = re.compile(r"\s*(\d{1,9})\s*/\s*([1-9]\d{0,8})\s*", re.ASCII)
_ADVICE = "A rule predicts classes; cut the target into a few, or use --degrees for truth degrees between 0 and 1."


@dataclass(frozen=True)
class Target:
    """The column that is to be predicted, as its cells are read: classes as texts, or truth degrees."""

    name: str
    degrees: bool = False
    words: frozenset[str] = MISSING_WORDS  # that stand for no value

    def read(self, cells: Any, first_row: int = 0) -> Array:
        """The class or the degree (1/2 is as good as 0.5) of each row; `first_row` is the number of the first."""
        if self.degrees and cells.dtype.kind not in "fiub":  # truth tables hold fractions
            cells = np.array([_decimal(cell) for cell in cells], object)
        values = Values(self.name, cells, first_row, self.words)
        if values.is_missing.any():
            row, more = int(values.is_missing.argmax()), int(values.is_missing.sum()) - 1
            also = f", and in {count(more, 'more row')}" if more else ""
            what = f"row {first_row + row}: the target {self.name!r} is missing{also}."
            refuse(TableError, f"{what} Fill it in, or leave such rows out: fit --skip-unknown.")
        if not self.degrees:
            return np.asarray(values.texts.astype(str))
        numbers = np.array(values.numbers, np.float64)
        if (wrong := ~((numbers >= 0) & (numbers <= 1))).any():
            row = int(wrong.argmax())
            is_what = f"{self.name!r} is {numbers[row]:g}, expected a truth degree between 0 and 1."
            refuse(TableError, f"row {first_row + row}: {is_what}")
        return numbers

    def is_known(self, cells: Any) -> Array:
        """Which rows have a target."""
        return np.asarray(~Values(self.name, cells, words=self.words).is_missing)

    def refuse(self, counts: Counter[Any]) -> None:
        """A TableError for classes of which there is one only, or which look continuous."""
        if self.degrees:
            return
        name, n, are_all_rare = f"the target {self.name!r}", len(counts), max(counts.values()) == 1
        numbers = list(map(number_of, counts))
        most = MOST_NUMBERS if all(map(float.is_integer, numbers)) else MOST_DECIMALS
        most = MOST_CLASSES if any(map(math.isnan, numbers)) else most
        problems = {
            f"{name} is always {next(iter(counts))!r}; there is nothing to learn.": n == 1,
            f"{name} has another value in each of its {n} rows. {_ADVICE}": are_all_rare and n > 2,
            f"{name} has {n:,} different values. {_ADVICE}": n > most,
        }
        refuse_first(TableError, problems)


def is_about_first(classes: Sequence[Any] | None, positive: Any, target: str) -> bool:
    """Whether the rule is to speak for the first of two classes rather than the second.

    A search always looks for the formula of the second class, so that the name changes nothing of what is found. Where
    the first is meant, the rule is the negation.
    """
    if positive is None:
        return False
    known = list(classes or ())
    listed, n = ", ".join(map(repr, known)), len(known)
    problems = {
        f"{positive!r} is not a class of {target!r}; the classes are {listed}.": positive not in known,
        f"{target!r} is always {positive!r}; there is nothing to learn.": n < 2,
        f"{target!r} has the classes {listed}. Of more than two, each has a formula; name no positive one.": n > 2,
    }
    refuse_first(TrainingDataError, problems)
    return bool(known[0] == positive)


def grade_classes(classes: Sequence[Any], ordered: Any) -> tuple[int, ...]:
    """The places of the classes from the least to the greatest: by their numbers, or in the order that is given.

    >>> grade_classes(("10", "2", "7"), True), grade_classes(("high", "low", "mid"), ["low", "mid", "high"])
    ((1, 2, 0), (1, 2, 0))
    """
    texts = list(map(str, classes))
    if ordered is True:
        numbers = [number_of(text) for text in texts]
        listed = ", ".join(map(repr, classes))
        message = f"the classes {listed} are not numbers; say their order, from the least to the greatest."
        refuse_first(TrainingDataError, {message: any(number != number for number in numbers)})
        return tuple(sorted(range(len(texts)), key=numbers.__getitem__))
    given = list(map(str, ordered))
    named = f"the order {' < '.join(given)} must name each class once, from the least to the greatest"
    message = f"{named}, such as {'<'.join(texts)}; the classes are {', '.join(texts)}."
    refuse_first(TrainingDataError, {message: sorted(given) != sorted(texts)})
    return tuple(texts.index(each) for each in given)


def _decimal(cell: Any) -> Any:
    fraction = _FRACTION.fullmatch(cell) if isinstance(cell, str) else None
    return cell if fraction is None else int(fraction[1]) / int(fraction[2])
