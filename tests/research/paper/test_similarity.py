import math

import pytest

from crystalogic import parse
from research.paper.similarity import MOST_ROWS, SAMPLED_ROWS, lattice_sample, similarity


def test_similarity_is_measured_over_all_rows_of_a_small_lattice():
    found = similarity(parse("a ⊗ b"), parse("a ∧ b"))
    assert (found.n, found.n_rows, found.is_exhaustive) == (4, 25, True)
    assert found.mean_absolute_error == 10 / 4 / 25  # the gap is min(x, 4 - x, y, 4 - y) summed over x, y = 0 … 4, by 4
    assert found.value == math.exp(-0.1)


def test_constants_have_one_row():
    found = similarity(parse("0"), parse("1"), 7)
    assert (found.n_rows, found.is_exhaustive, found.value) == (1, True, math.exp(-1))


@pytest.mark.parametrize(
    ("n_names", "n", "is_exhaustive"),
    [(1, MOST_ROWS - 1, True), (1, MOST_ROWS, False), (17, 1, True), (18, 1, False), (11, 2, True), (12, 2, False)],
)
def test_large_lattices_are_sampled_and_said_so(n_names, n, is_exhaustive):
    names = tuple(f"x{i}" for i in range(n_names))
    rows, is_whole = lattice_sample(names, n)
    assert is_whole is is_exhaustive
    assert set(rows) == set(names)
    for column in rows.values():
        assert len(column) == ((n + 1) ** n_names if is_exhaustive else SAMPLED_ROWS)
        assert column.min() >= 0
        assert column.max() <= n
    if n < 10:
        assert {int(value) for value in rows["x0"]} == set(range(n + 1))


def test_a_sample_is_the_same_every_time():
    names = tuple(f"x{i}" for i in range(18))
    (first, _), (second, _) = lattice_sample(names, 1), lattice_sample(names, 1)
    assert all((first[name] == second[name]).all() for name in names)
    assert (first["x0"] != first["x1"]).any()
