"""Truth values, exact numbers in [0,1]; the integers of neurons and thresholds; and exact numbers as texts."""

import re
from contextlib import suppress
from fractions import Fraction
from numbers import Rational, Real

from crystalogic.errors import EvaluationError, refuse

LONGEST = 100  # characters of an exact number
_HUGE = re.compile(r"[eE][+-]?\d{4}")  # 1e-999999999 would fill the memory
LARGEST_INTEGER = 10**15  # of a weight, bias or threshold: what reaches files, numpy and people stays a plain number


def truth_value(value: object, name: str) -> Fraction:
    """`value` as an exact truth value in [0,1]; `name` is what the error calls it."""
    exact: Fraction | None = None
    if isinstance(value, Rational):  # numpy's integers too, whose arithmetic would overflow
        exact = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, Real):
        with suppress(ValueError, OverflowError):  # NaN and infinity are no fractions
            exact = Fraction(float(value))
    if exact is None or not 0 <= exact <= 1:
        shown = value if isinstance(value, Rational) else repr(value)
        refuse(EvaluationError, f"{name!r} is {shown}, expected a truth value between 0 and 1.")
    return exact


def exact_number(text: str) -> Fraction | None:
    """A number exactly as it is written; None for what is none, or would take too long.

    >>> exact_number("0.1"), exact_number("1/3"), exact_number("a half"), exact_number("1e999999999")
    (Fraction(1, 10), Fraction(1, 3), None, None)
    """
    if len(text) <= LONGEST and not _HUGE.search(text):
        with suppress(ValueError, ZeroDivisionError):
            return Fraction(text)
    return None
