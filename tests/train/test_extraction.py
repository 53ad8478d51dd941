"""Trained networks as formulas: Theorem 1 on real merge neurons, and certificates for what training gives."""

import pytest

from crystalogic import certify, check, extract
from crystalogic.symbolic.extract import Kind
from crystalogic.train import LevenbergMarquardt, strategy_named, train
from research.paper.presets import paper_strategy
from research.paper.tables import paper_table


@pytest.mark.parametrize("preset", ["paper", "ours"])
def test_every_live_merge_neuron_of_a_trained_residual_network_extracts_exactly(preset):
    table, _ = paper_table("monks-3")
    fields = paper_strategy("levenberg_marquardt") if preset == "paper" else LevenbergMarquardt(hidden=(4, "residual"))
    run = train(None, table.rows, table.target, fields, restarts=6, names=table.names)
    n_merges = 0
    for report in run.runs:
        crystal, width = report.crystal, 4
        merges = range(2 * width, 3 * width)  # projection, inner layer, merge neurons, output
        extraction = extract(crystal)
        for reading in extraction.readings:
            if reading.neuron in merges:
                n_merges += 1
                assert crystal.neurons[reading.neuron].weights == (1, 1)
                assert reading.kind is not Kind.THRESHOLD
        check(certify(crystal, extraction.formulas), crystal, extraction.formulas)
    assert n_merges > 0


@pytest.mark.parametrize("name", ["levenberg_marquardt", "straight_through", "proximal"])
def test_what_each_strategy_gives_is_certified(name):
    table, _ = paper_table("monks-1")
    run = train(None, table.rows, table.target, strategy_named(name), restarts=4, names=table.names)
    formula = extract(run.crystal).formula
    assert check(certify(run.crystal, formula), run.crystal, formula) is None
