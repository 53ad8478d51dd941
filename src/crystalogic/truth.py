"""Truth values: exact numbers in [0,1]."""

from contextlib import suppress
from fractions import Fraction
from numbers import Rational

from crystalogic.errors import EvaluationError


def truth_value(value: object, name: str) -> Fraction:
    """`value` as an exact truth value in [0,1]; `name` is what the error calls it."""
    exact: Fraction | None = None
    if isinstance(value, (int, float, Rational)):
        with suppress(ValueError, OverflowError):  # NaN and infinity are no fractions
            exact = Fraction(value)
    if exact is None or not 0 <= exact <= 1:
        shown = value if isinstance(value, Rational) else repr(value)
        message = f"{name!r} is {shown}, expected a truth value between 0 and 1."
        raise EvaluationError(message)
    return exact
