"""Wide tables: the features that a search works on, and the rules found among many columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crystalogic.candidates.knowledge import NOTHING
from crystalogic.crystal import Crystal, Neuron
from crystalogic.features import Features
from crystalogic.search import Annealing, Knowledge, search
from crystalogic.search.table import WORKING, correlations, make_table, working_rows

QUICK = Annealing(folds=3, repeats=1, effort=1, max_literals=4)
N_ROWS, N_FEATURES = 500, 1500
NAMES = [f"f{index}" for index in range(N_FEATURES)]


@pytest.fixture(scope="module")
def wide():
    """Many Boolean columns; the class is that a third of the rows have f700, and f1100 or not f1400 with it."""
    X = np.random.default_rng(0).random((N_ROWS, N_FEATURES)) < 0.5
    return X, X[:, 700] & (X[:, 1100] | ~X[:, 1400])


def screened(X, y, knowledge=NOTHING, starts=()):
    table = make_table(Features.of_rows(X.astype(float), NAMES[: X.shape[1]]), y, None, is_class=True)
    return working_rows(table, knowledge, starts).names


def test_a_table_that_is_not_wide_is_searched_whole(wide):
    X, y = wide
    assert list(screened(X[:, :WORKING], y)) == NAMES[:WORKING]


def test_the_columns_of_a_rule_are_among_those_worked_on(wide):
    names = screened(*wide)
    assert len(names) <= WORKING
    assert {"f700", "f1100", "f1400"} < set(names)
    assert list(names) == sorted(names, key=NAMES.index)


def test_what_is_required_or_started_from_is_kept_and_what_is_forbidden_is_not(wide):
    X, y = wide
    kept = set(screened(X, y))
    noise = [name for name in NAMES if name not in kept]
    start = Crystal([noise[1]], [Neuron([0], [1], 0)], [1])
    names = screened(X, y, Knowledge(required=noise[:1], forbidden=["f700"]), [start])
    assert {noise[0], noise[1]} < set(names)
    assert "f700" not in names


def test_a_rule_among_many_columns_is_found_and_judged_in_folds_that_screen_for_themselves(wide):
    X, y = wide
    result = search(X.astype(float), y, NAMES, QUICK)
    assert (result.predict(X.astype(float)) == y).all()
    assert set(result.formula.variables) == {"f700", "f1100", "f1400"}
    assert result.front.chosen.cross_validated == 1.0


def test_each_fold_screens_without_the_rows_that_it_is_judged_on(wide, monkeypatch):
    X, y = wide
    n_screened = []

    def watched(table, *arguments):
        n_screened.append(int(table.count.sum()))
        return working_rows(table, *arguments)

    monkeypatch.setattr("crystalogic.search.problem.working_rows", watched)
    search(X.astype(float), y, NAMES, QUICK)
    assert sorted(n_screened)[-1] == N_ROWS  # for the front itself
    assert [N_ROWS * 3 // 5 < n <= N_ROWS * 2 // 3 + 1 for n in sorted(n_screened)[:-1]] == [True] * QUICK.folds


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_correlations_are_those_of_the_definition(seed, is_graded, has_weights):
    generator = np.random.default_rng(seed)
    n_rows = int(generator.integers(1, 150))
    X = (generator.random((n_rows, 6)) < 0.4).astype(float)
    if is_graded:
        X[:, ::2] = generator.random((n_rows, 3))
    y = generator.random(n_rows) < 0.5
    weight = generator.random(n_rows) if has_weights else np.ones(n_rows)
    table = make_table(Features.of_rows(X, None), y, weight, is_class=True)
    for x, strength in zip(np.float32(X).astype(float).T, correlations(table), strict=True):
        mean_x, mean_y = np.average(x, weights=weight), np.average(y, weights=weight)
        variance = np.average((x - mean_x) ** 2, weights=weight)
        covariance = np.average((x - mean_x) * (y - mean_y), weights=weight)
        expected = abs(covariance) / variance**0.5 if variance > 1e-9 else 0
        assert strength == pytest.approx(expected, abs=1e-6)
