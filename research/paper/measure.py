"""What one trained network is worth on rows it has not seen, and what its crystal can be read as."""

from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.errors import TooLargeError
from crystalogic.network import Engines
from crystalogic.progress import Stop
from crystalogic.symbolic.extract import Kind, extract
from crystalogic.train import RestartReport, TrainingRun
from crystalogic.train.block import make_task, score
from research.paper.rule_r import read_by_rule_r
from research.paper.tables import TruthRows

Array = NDArray[Any]

MOST_LITERALS = 24  # of one neuron for which Rule R is tried
LATTICE, SAMPLED_ROWS = 2, 2000  # λ is measured on so many rows of S₂


@dataclass(frozen=True)
class Trial:
    """One network: its report on training rows and what it does on test rows.

    `peak` is the float network when crystallization pressure began, `before` and `after` the network around the final
    rounding, `tight` counts |prediction - target| < 0.1, the measure of the paper's tables.
    """

    report: RestartReport
    peak: float
    before: float
    after: float
    tight: float


def trials(run: TrainingRun, test: TruthRows, chosen: list[int]) -> list[Trial]:
    """The chosen restarts on the test rows, before and after rounding."""
    block, outcome = make_task(test.rows, test.target), run.outcome
    engines = Engines(run.shape, len(chosen), np.float64)
    peak, before, after = (
        score(block, engines, part[chosen].astype(np.float64))
        for part in (outcome.peak, outcome.network, outcome.lattice)
    )
    return [
        Trial(run.runs[index], float(at_peak), float(unrounded), float(rounded), _tight(run.runs[index].crystal, test))
        for index, at_peak, unrounded, rounded in zip(
            chosen, peak.accuracy, before.accuracy, after.accuracy, strict=True
        )
    ]


def was_crystallized(report: RestartReport) -> bool:
    """Whether Δ was below the paper's 10⁻³ before rounding."""
    return report.delta < 1e-3


def _tight(crystal: Crystal, test: TruthRows) -> float:
    """The share of rows whose output is within 0.1 of the target, the measure of the paper's tables."""
    outputs = crystal.run_rows(np.asarray(test.rows, dtype=np.float64))[:, 0]
    return float((np.abs(outputs - test.target) < 0.1).mean())


def record_of(run: TrainingRun, trial: Trial, test: TruthRows) -> dict[str, Any]:
    """The trial as plain data: scores on test rows, the cost of rounding, and how its crystal reads."""
    report = trial.report
    is_weight = ~run.shape.is_bias
    lattice = run.outcome.lattice[run.runs.index(report)]
    return {
        "accuracy": trial.after,
        "tight": trial.tight,
        "before": trial.before,
        "peak": trial.peak,
        **class_scores(report.crystal.run_rows(test.rows)[:, 0] >= 0.5, test.target >= 0.5),
        "lost": report.accuracy_before - report.accuracy_after,
        "delta": report.delta,
        "crystallized": was_crystallized(report),
        "delta_after": float(((lattice - np.rint(lattice)) ** 2).sum()),
        "constant": report.is_constant,
        "literals": report.n_literals,
        "zeros": float((lattice[is_weight] == 0).mean()),
        "seconds": run.seconds,
        "steps": run.n_steps,
        "reached_tolerance": run.stop is Stop.TOLERANCE,
        **reading_of(report.crystal),
    }


def class_scores(predicted: Array, wanted: Array) -> dict[str, float]:
    """F₁ of the positive class (0 where nothing is predicted positive) and balanced accuracy.

    >>> class_scores(np.array([True, True, False]), np.array([True, False, False]))
    {'f1': 0.6666666666666666, 'balanced': 0.75}
    """
    hits = int((predicted & wanted).sum())
    positives, found = int(wanted.sum()), int(predicted.sum())
    negatives = len(wanted) - positives
    rejected = int((~predicted & ~wanted).sum())
    f1 = 2 * hits / (positives + found) if positives + found else 0.0
    rates = [part / whole for part, whole in ((hits, positives), (rejected, negatives)) if whole]
    return {"f1": f1, "balanced": sum(rates) / len(rates)}


def reading_of(crystal: Crystal) -> dict[str, Any]:
    """How a crystal reads: neurons outside Proposition 1, the inputs used, and λ of the Rule R formula.

    `similarity` is λ between the crystal and what Rule R makes of it, over rows of S₂; None where a neuron has so many
    inputs that Rule R is not tried.
    """
    exact = extract(crystal)
    outside = sum(reading.kind is Kind.THRESHOLD for reading in exact.readings)
    formula = exact.formula
    return {
        "neurons": len(exact.readings),
        "outside_proposition": outside,
        "is_readable": outside == 0 and bool(formula.variables),
        "inputs": list(formula.variables) if len(formula.variables) <= MOST_LITERALS else None,
        "formula": str(formula) if formula.size <= MOST_LITERALS else None,
        "similarity": _rule_r_similarity(crystal, max((r.n_literals for r in exact.readings), default=0)),
    }


def _rule_r_similarity(crystal: Crystal, most_literals: int) -> float | None:
    if most_literals > MOST_LITERALS:
        return None
    try:
        formula = read_by_rule_r(crystal, LATTICE)
    except TooLargeError:
        return None
    rows = np.random.default_rng(0).integers(0, LATTICE + 1, (SAMPLED_ROWS, len(crystal.inputs))) / LATTICE
    degrees = formula.evaluate({name: rows[:, crystal.inputs.index(name)] for name in formula.variables})
    gap = crystal.run_rows(rows)[:, 0] - np.asarray(degrees, dtype=np.float64)
    return exp(-float(np.abs(gap).mean()))
