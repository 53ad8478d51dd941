"""Proximal: the default does not collapse."""

from crystalogic.train import Proximal, train
from research.paper.tables import paper_table


def test_ours_ends_on_the_lattice_and_rounding_costs_nothing():
    data, _ = paper_table("monks-1")
    run = train(None, data.rows, data.target, Proximal(steps=800), restarts=8)
    assert all(report.delta < 1e-3 for report in run.runs)
    assert all(report.accuracy_before == report.accuracy_after for report in run.runs)
