"""One job of each kind of the experiments, at its smallest."""

import numpy as np
import pytest

from research.paper.trials import search_trial, table_trial, truth_table_rows
from research.study import Job

pytestmark = pytest.mark.usefixtures("compiled")


def test_a_truth_table_is_recovered_exactly():
    record = table_trial(Job("tables", "f1 on S1", "recover"))
    assert record["exact"]
    assert (record["similarity"], record["loss"], record["steps"]) == (1.0, 0.0, 0)
    assert not record["always_zero"]


def test_one_run_of_ours_on_a_truth_table_is_measured():
    record = table_trial(Job("tables", "f1 on S1", "straight_through", "ours"))
    assert 0 <= record["loss"] <= 1
    assert record["exact"] is (record["loss"] == 0)
    assert record["steps"] > 0


def test_a_quick_search_is_measured_with_its_whole_front():
    record = search_trial(Job("search", "monks-1", "annealing", "quick"))
    assert record["accuracy"] == 1
    assert record["front"][-1][0] >= record["literals"] > 0
    assert max(row[3] for row in record["front"]) == 1
    assert not record["constant"]


def test_the_rows_of_a_truth_table_lie_on_the_lattice():
    table = truth_table_rows("f2", 2)
    assert table.rows.shape == (3**6, 6)
    assert set(np.unique(table.rows)) == {0, 0.5, 1}
    assert set(np.unique(table.target)) <= {0, 0.5, 1}
