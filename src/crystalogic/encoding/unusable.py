"""Columns that cannot be used as they are: what they seem to hold, what can be done about it, and identifiers.

They are left out, and that is said; where nothing else is left, or a kind was declared, it is an error. Identifiers are
whole numbers that tell rows apart and measure nothing: account numbers, case numbers, keys.

A measurement may well have another value in each row: an income, a balance in cents, a time. What gives an identifier
away is one of these.

* It is called one: `account`, `patient_id`, `Kunden-Nr`.
* It never repeats where measurements would. However n numbers are drawn from a range of R, n²/2R pairs or more are
  equal; where many are expected and hardly any is found, the numbers were given out one by one.
* All have the same number of digits, at least five that differ, and fill their range evenly to both ends, as numbers
  drawn by lot do and measurements do not.

Times in seconds since 1970, dates such as 20260131 and scales with a step are numbers, whatever they look like.
"""

import re
import shlex
from collections.abc import Collection, Sequence

from crystalogic.arrays import Array, np
from crystalogic.errors import EncodingError

MOST_NAMED = 20  # columns of one message
DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")
_COMMAS = re.compile(r"[+-]?\d{1,3}(?:[.,' ]\d{3})*,\d+|[+-]?\d{1,3}(?:[.,' ]\d{3})+(?:\.\d+)?")
_MONEY = re.compile(r"[+-]?\s*[$€£¥₹]\s*[+-]?\d+(?:[.,' ]\d{3})*(?:[.,]\d+)?")
_UNIT = re.compile(r"[<>≤≥~]?\s*[+-]?\d+(?:[.,]\d+)?\s*(?P<unit>[^\W\d_][^\s\d]*|%|°\w*|[$€£¥₹])")
_BIN = re.compile(r"[<>≤≥]=?\s*\d+(?:\.\d+)?|\d+(?:\.\d+)?\s*(?:\+|(?:-|–|to)\s*\d+(?:\.\d+)?|or more|and more)?")
MOST_BINS = 20
LEFT_OUT = "left out: it "  # so begins what is noted of a column that could be used if it were written otherwise
_LEAVE_OUT = "leave the column out (--ignore, or kind 'ignore')"
FEWEST_OWN = 20  # in so few rows it means nothing that every value is another
MOSTLY_OWN = 0.99  # of the rows of an identifier have a value of their own; some rows may be there twice
MOST_LUCK = 1e-4  # an event that is less likely is no chance
FEWEST_BY_LOT, FEWEST_DIGITS = 100, 5  # in fewer rows, or of shorter numbers, the ends of the range say little
TIMES = (3e8, 2.2e9)  # seconds since 1970, from 1979 to 2039
_WORDS = re.compile(r"[^\W\d_]+")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KEYS = frozenset("id ids identifier uuid guid key account konto iban ssn mrn serial barcode passport".split())
_NUMBERS = frozenset("no nr num number nummer".split())
_OWNERS = "account|case|client|customer|invoice|konto|kunden|loan|member|order|patient|person|policy|record|row|user"
_JOINED = re.compile(rf"(?:{_OWNERS})(?:id|no|nr|num|number|nummer)")


class UnusableColumn(EncodingError):
    """A column that can only be changed or left out; `what` it holds, and the `remedy`."""

    def __init__(self, name: str, what: str, remedy: str) -> None:
        super().__init__(f"{name!r} {what}. {remedy}, or {_LEAVE_OUT}.")
        self.name, self.what, self.remedy = name, what, remedy

    @property
    def note(self) -> str:
        """What is noted of the column where it is left out."""
        return f"{LEFT_OUT}{self.what}. {self.remedy}"


def refuse_unusable(found: Sequence[UnusableColumn]) -> None:
    """An EncodingError for all of these columns at once, so that a table is corrected in one go."""
    if len(found) == 1:
        raise EncodingError(*found[0].args)
    if found:
        more = f"\n  … and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        lines = "".join(f"\n  {each.name!r} {each.what}. {each.remedy}." for each in found[:MOST_NAMED])
        options = " ".join(f"--ignore {shlex.quote(each.name)}" for each in found[:MOST_NAMED])
        message = f"{len(found)} columns cannot be used as they are:{lines}{more}\n"
        message += f"Or leave them out: {options} (in Python, kind 'ignore')"
        if more:
            message += "\nA pattern such as --ignore 'id_*' names many columns at once, and --only reads some alone."
        raise EncodingError(message)


def dates_column(name: str, example: str) -> UnusableColumn:
    if DATE.fullmatch(example.strip()):
        remedy = "Turn them into a number with a meaning, for example days since an event"
        return UnusableColumn(name, f"holds dates, such as {example!r}", remedy)
    return UnusableColumn(name, f"holds times, such as {example!r}", "Turn them into a number, for example hours")


def odd_numbers(name: str, texts: Sequence[str]) -> UnusableColumn | None:
    """A column of which most of these texts are numbers in a way that is not read, or times."""
    kinds = (
        (_TIME, "times of day", "Turn them into a number, for example hours"),
        (_COMMAS, "numbers with commas or thousands separators", "Write them plainly, as in 1234.5"),
        (_UNIT, "numbers with a unit", "Write the numbers alone"),
        (_MONEY, "amounts of money", "Write the numbers alone, as in 1234.5"),
    )
    for pattern, what, remedy in kinds:
        if 2 * len(like := [text for text in texts if pattern.fullmatch(text)]) > len(texts):
            return UnusableColumn(name, f"holds {what}, such as {like[0]!r}", remedy)
    return None


def many_values(name: str, n_values: int | None, most: int, texts: Sequence[str]) -> UnusableColumn:
    """A column with more different texts than a category may have, `n_values` if they were counted."""
    if (found := odd_numbers(name, texts)) is not None:
        return found
    words = [text for text in texts if not re.fullmatch(r"[+-]?\d+(?:\.\d+)?", text)]
    if words and 2 * len(words) <= len(texts):
        remedy = f"Correct the texts, or leave cells empty whose value is not known, or declare {name!r} a number"
        return UnusableColumn(name, f"holds numbers, and texts such as {words[0]!r}", remedy)
    many = f"more than {most} different values" if n_values is None else f"{n_values:,} different values"
    more = "" if n_values is None else f", more than {most}"
    return UnusableColumn(name, f"has {many}{more}", "Group its values first")


def are_bins(texts: Collection[str]) -> bool:
    """Whether a few numbers and bins, such as 0, 1, 2 and 3+, are all there is: the values of a category."""
    return len(texts) <= MOST_BINS and all(map(_BIN.fullmatch, texts))


def text_among_numbers(name: str, row: int, value: str) -> UnusableColumn:
    """A column of numbers with a value, as Python shows it, that is none."""
    remedy = number_advice(name, value).removesuffix(".")
    return UnusableColumn(name, f"holds numbers, and {value} in row {row}", remedy)


def number_advice(name: str, value: str) -> str:
    """What to do about a value, as Python shows it, that should be a number."""
    text = value.strip("'\" ")
    if _COMMAS.fullmatch(text):
        return "Write it plainly, as in 1234.5."
    if _UNIT.fullmatch(text):
        return "Write the number alone, without its unit."
    return f"Correct it, leave it empty if it is not known, or declare {name!r} a category."


def unit_of(texts: Sequence[str]) -> str | None:
    """The unit that all these texts have after a number, if they have one."""
    found = [_UNIT.fullmatch(text.strip()) for text in texts]
    units = {each["unit"] for each in found if each}
    return units.pop() if texts and all(found) and len(units) == 1 else None


def looks_like_identifier(name: str, numbers: Array, n_rows: float) -> bool:
    """Whether whole numbers that stand for so many rows tell rows apart and measure nothing."""
    found = np.unique(numbers)
    if n_rows <= FEWEST_OWN or len(found) < MOSTLY_OWN * n_rows:
        return False
    if found[0] >= 0 and is_called_identifier(name):
        return True
    is_measured = _are_times(found) or _have_a_step(found)
    return not is_measured and (_repeat_too_seldom(found, n_rows) or _are_by_lot(found))


def identifier_note(name: str) -> str:
    """What is noted of a column that is left out because it looks like an identifier, and how to bring it back."""
    return f"left out, it looks like an identifier; --kind {shlex.quote(f'{name}=number')} takes it as a number"


def is_called_identifier(name: str) -> bool:
    """Whether the name is one that people give to identifiers."""
    *before, last = ["", *(word.lower() for word in _WORDS.findall(_HUMPS.sub(" ", name)))]
    return last in _KEYS or (len(before) > 1 and last in _NUMBERS) or bool(_JOINED.fullmatch(last))


def _are_times(found: Array) -> bool:
    """Whether all are times in seconds or parts of them, or dates written as one number."""
    if any(unit * TIMES[0] <= found[0] and found[-1] < unit * TIMES[1] for unit in (1, 1e3, 1e6, 1e9)):
        return True
    month, day = found // 100 % 100, found % 100
    is_date = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    return bool(19000101 <= found[0] and found[-1] < 21000101 and is_date.all())


def _have_a_step(found: Array) -> bool:
    """Whether all lie on a scale whose step is not 1, such as minutes in seconds."""
    steps = np.diff(found)
    return bool(steps.max() < 2**53 and np.gcd.reduce(steps.astype(np.int64)) > 1)


def _repeat_too_seldom(found: Array, n_rows: float) -> bool:
    """Whether numbers drawn from their range would repeat more often; alike likely ones repeat least of all."""
    from scipy.stats import poisson

    size = found[-1] - found[0] + 1
    expected = n_rows + size * np.expm1(n_rows * np.log1p(-1 / size))  # repeats: rows less the different numbers
    return bool(poisson.cdf(n_rows - len(found), expected) < MOST_LUCK)


def _are_by_lot(found: Array) -> bool:
    """Whether numbers with as many digits fill their range evenly, to both ends."""
    from scipy.stats import kstest

    low, high, n = int(found[0]), int(found[-1]), len(found)
    n_digits = len(str(high))
    if n < FEWEST_BY_LOT or low <= 0 or len(str(low)) != n_digits:
        return False
    same = next(place for place in range(n_digits) if str(low)[place] != str(high)[place])
    block = 10 ** (n_digits - same)  # digits that all have in front stay apart
    start = low // block * block if same else block // 10
    width = low // block * block + block - start
    nearest = 5 * width / n  # the least and the greatest of n numbers drawn by lot are hardly ever further away
    if n_digits - same < FEWEST_DIGITS or low - start > nearest or start + width - 1 - high > nearest:
        return False
    return bool(kstest((found - start) / width, "uniform").pvalue > MOST_LUCK)
