"""Truth values, exact numbers in [0,1]; and the integers that neurons and thresholds may have."""

from contextlib import suppress
from fractions import Fraction
from numbers import Rational, Real

from crystalogic.errors import EvaluationError

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
        message = f"{name!r} is {shown}, expected a truth value between 0 and 1."
        raise EvaluationError(message)
    return exact
