"""The two ways of the exact search, on tables that are small."""

from fractions import Fraction

import pytest

from crystalogic.optimal import search

TINY = Fraction(1, 10**6)  # numbers of bounds stay whole, as kernels are compiled for


@pytest.fixture(params=["sets are counted", "blocks are bounded", "blocks, then sets"])
def way(request, monkeypatch):
    """Small tables, as if they had few sets of facts, or many; in the last way the bounds allowed are too few."""
    if request.param != "sets are counted":
        monkeypatch.setattr(search, "FEWEST_BOUNDS", 1)
        monkeypatch.setattr(search, "SHARES", (0.7,))
        monkeypatch.setattr(search, "SETS_A_BOUND", TINY if "bounded" in request.param else 2)
