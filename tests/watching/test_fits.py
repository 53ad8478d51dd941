"""How columns fit each other, once in another unit."""

import numpy as np
import pytest

from crystalogic.encoding.values import Values
from crystalogic.model.profile import ColumnProfile, profile_column
from crystalogic.watching.fits import find_unit, fit_column

SHARES = [0.06, 0.31, 0.18, 0.1, 0.1, 0.13, 0.12]
YEARS = np.random.default_rng(5).choice([0.5, 2.5, 6, 9, 13, 16.5, 23], 4000, p=SHARES)


def profile(numbers: np.ndarray) -> ColumnProfile:
    return profile_column(Values("x", numbers))


@pytest.mark.parametrize(("factor", "unit"), [(12, "months instead of years"), (1000, "thousandths instead of ones")])
def test_the_unit_of_a_column_with_few_values_is_recognized(factor: float, unit: str) -> None:
    """Between two of its values a column was taken to be spread evenly, so that it fitted itself in no other unit."""
    before, now = profile(YEARS[:2500]), profile(factor * YEARS[2500:])
    assert fit_column(now, before).distance > 0.5
    assert fit_column(now, before, 1 / factor).distance < 0.05
    assert find_unit(now, before, fit_column(now, before).distance) == (unit, factor)


def test_what_lies_between_two_edges_can_be_anywhere() -> None:
    before, now = profile(np.array([1.0, 2.0, 3.0] * 50)), profile(np.array([1.0, 1.5, 2.0, 3.0] * 50))
    assert fit_column(now, before).distance <= 1 / 6
    assert fit_column(before, before).distance == 0
