"""Whole numbers that tell rows apart and measure nothing: account numbers, case numbers, keys.

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

from crystalogic.arrays import Array, np

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


def looks_like_identifier(name: str, numbers: Array, n_rows: float) -> bool:
    """Whether whole numbers that stand for so many rows tell rows apart and measure nothing."""
    found = np.unique(numbers)
    if n_rows <= FEWEST_OWN or len(found) < MOSTLY_OWN * n_rows:
        return False
    if found[0] >= 0 and is_called_identifier(name):
        return True
    if _are_times(found) or _have_a_step(found):
        return False
    return _repeat_too_seldom(found, n_rows) or _are_by_lot(found)


def identifier_note(name: str) -> str:
    """What is noted of a column that is left out because it looks like an identifier, and how to bring it back."""
    return f"left out, it looks like an identifier; --kind {shlex.quote(f'{name}=number')} takes it as a number"


def is_called_identifier(name: str) -> bool:
    """Whether the name is one that people give to identifiers.

    >>> [is_called_identifier(name) for name in ("PassengerId", "account_no", "uric acid", "number", "account balance")]
    [True, True, False, False, False]
    """
    words = [word.lower() for word in _WORDS.findall(_HUMPS.sub(" ", name))]
    if not words:
        return False
    return words[-1] in _KEYS or (len(words) > 1 and words[-1] in _NUMBERS) or bool(_JOINED.fullmatch(words[-1]))


def _are_times(found: Array) -> bool:
    """Whether all are times in seconds or parts of them, or dates written as one number."""
    low, high = found[0], found[-1]
    if any(unit * TIMES[0] <= low and high < unit * TIMES[1] for unit in (1, 1e3, 1e6, 1e9)):
        return True
    month, day = found // 100 % 100, found % 100
    is_date = (found >= 19000101) & (found < 21000101) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    return bool(is_date.all())


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
