"""The experiments: one function for each kind of job, each returning plain data.

Nothing here sees test rows before the model is chosen: the grid is judged on a quarter of the training rows, restarts
on all of them, the lattice search by cross-validation inside them.
"""

import time
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.logic.formula import Formula
from crystalogic.logic.parse import parse
from crystalogic.train import Strategy, TrainingRun, train
from research.errors import StudyError
from research.paper.measure import class_scores, record_of, trials, was_crystallized
from research.paper.presets import paper_strategy
from research.paper.settings import VARIANTS, grid, setting_text
from research.paper.tables import TruthRows, encode_split, paper_table
from research.splits import split
from research.study import Job, Record

Array = NDArray[Any]

VALIDATION_SHARE = 0.25
GRID_RESTARTS = 2  # of each setting; one on the long table
LONG = 2000  # rows
ABLATION_RESTARTS = 10
FORMULAS = {"f1": "x1 ⊗ (x3 → x6)", "f2": "(x4 → x6) ⊗ (x6 → x2)"}
TABLE_TOLERANCE = 1e-3  # the paper gives none for its truth tables; its MONK tolerance would stop before learning


def perform(job: Job) -> Record:
    """The result of one job."""
    kinds = {"paper": paper_trial, "ours": ours_trial, "search": search_trial, "table": table_trial}
    kinds["ablation"] = ablation_trial
    if job.kind not in kinds:
        message = f"no experiment {job.kind!r}; there are {', '.join(kinds)}."
        raise StudyError(message)
    return kinds[job.kind](job)


def _trained(table: TruthRows, strategy: Strategy | str, restarts: int, seed: int) -> TrainingRun:
    """A run whose seconds are those of the processor: trials share the machine with each other."""
    begin = time.process_time()
    run = train(None, table.rows, table.target, strategy, restarts=restarts, seed=seed, names=table.names)
    return replace(run, seconds=time.process_time() - begin)


def paper_trial(job: Job) -> Record:
    """One trial of the paper's protocol: choose the setting on held-out training rows, train one network, test it.

    The variant "chosen" leaves the grid out and takes the setting that the paper's own search ended with.
    """
    train_rows, test = paper_table(job.data, job.seed)
    begin = time.process_time()
    if job.variant == "chosen":
        chosen = paper_strategy(job.learner, job.data)
    else:
        chosen = _chosen_on_validation(job, train_rows)
    tuning = time.process_time() - begin
    run = _trained(train_rows, chosen, 1, job.seed)
    record = record_of(run, trials(run, test, [0])[0], test)
    return {**record, "tuning_seconds": tuning, "setting": setting_text(job.learner, chosen)}


def _chosen_on_validation(job: Job, table: TruthRows) -> Strategy:
    kept, held = _stratified(table.target, job.seed)
    inner, validation = (TruthRows(table.names, table.rows[part], table.target[part]) for part in (kept, held))
    restarts = 1 if len(kept) > LONG else GRID_RESTARTS
    scores = []
    settings = grid(job.learner, job.data)
    for index, setting in enumerate(settings):
        seed = 1000 * (job.seed + 1) + index
        run = _trained(inner, setting, restarts, seed)
        scores.append(np.mean([trial.after for trial in trials(run, validation, list(range(restarts)))]))
    return settings[int(np.argmax(scores))]


def _stratified(target: Array, seed: int) -> tuple[Array, Array]:
    """Indices of the training rows to fit on and of those to judge a setting by."""
    generator = np.random.default_rng(seed)
    held = np.zeros(len(target), dtype=bool)
    for label in np.unique(target):
        of_class = np.flatnonzero(target == label)
        held[generator.permutation(of_class)[: round(VALIDATION_SHARE * len(of_class))]] = True
    return np.flatnonzero(~held), np.flatnonzero(held)


def ours_trial(job: Job) -> Record:
    """One split with our default fields; the variant says how many restarts, the best chosen on training rows."""
    train_rows, test = encode_split(split(job.data, job.seed), 3)
    run = _trained(train_rows, job.learner, int(job.variant.split()[0]), job.seed)
    return record_of(run, trials(run, test, [run.runs.index(run.best)])[0], test)


def search_trial(job: Job) -> Record:
    """One split with the default classifier on the raw columns, and its whole front on the test rows."""
    from crystalogic.estimator import LukasiewiczClassifier
    from crystalogic.search import Annealing

    parts = split(job.data, job.seed)
    strategy: Any = Annealing(effort=0.25, repeats=1) if job.variant == "quick" else "annealing"
    frame, wanted = parts.test.frame(), np.array(parts.test.labels)
    begin = time.process_time()
    learner = LukasiewiczClassifier(strategy, random_state=job.seed)
    learner.fit(parts.train.frame(), np.array(parts.train.labels))
    seconds = time.process_time() - begin
    predicted = learner.predict(frame)
    degrees = learner.encoding_.transform(frame)
    front = [
        [row.size, row.training, row.validated, _accuracy(row.formula, learner, degrees, wanted)]
        for row in learner.front_
    ]
    return {
        "accuracy": float((predicted == wanted).mean()),
        **class_scores(predicted == 1, wanted == 1),
        "constant": bool((predicted == predicted[0]).all()),
        "literals": learner.formula_.size,
        "formula": str(learner.formula_),
        "seconds": seconds,
        "front": front,
    }


def _accuracy(formula: Formula, learner: Any, degrees: Array, wanted: Array) -> float:
    names = list(learner.encoding_.names)
    found = formula.evaluate({name: degrees[:, names.index(name)] for name in formula.variables})
    return float(((np.asarray(found, dtype=np.float64) >= 0.5) == (wanted == 1)).mean())


def truth_table_rows(formula: str, n: int) -> TruthRows:
    """The truth table of f₁ or f₂ on six variables with values k/n.

    >>> truth_table_rows("f1", 1).rows.shape
    (64, 6)
    """
    names = tuple(f"x{index}" for index in range(1, 7))
    rows = np.array(list(product(range(n + 1), repeat=6))) / n
    target = parse(FORMULAS[formula]).evaluate(dict(zip(names, rows.T, strict=True)))
    return TruthRows(names, rows, np.asarray(target, dtype=np.float64))


def table_trial(job: Job) -> Record:
    """One attempt at a truth table, all of it seen: one network of the paper's, or one of our runs, or `recover`."""
    formula, _, lattice = job.data.partition(" on S")
    table = truth_table_rows(formula, int(lattice))
    if job.learner == "recover":
        from crystalogic.search import recover

        found = recover(table.rows, table.target, table.names, seed=job.seed)
        return _table_record(found.crystal, table, found.seconds, 0, str(found.formula))
    if job.variant == "paper":
        fields = replace(paper_strategy(job.learner), tolerance=TABLE_TOLERANCE)  # type: ignore[call-arg]
        run = _trained(table, fields, 1, job.seed)
    else:
        run = _trained(table, job.learner, 32, job.seed)
    formula_text = record_of(run, trials(run, table, [run.runs.index(run.best)])[0], table)["formula"]
    record = _table_record(run.crystal, table, run.seconds, run.n_steps, formula_text)
    return {**record, "crystallized": was_crystallized(run.best), "constant": run.best.is_constant}


def _table_record(crystal: Any, table: TruthRows, seconds: float, steps: int, formula: str | None) -> dict[str, Any]:
    degrees = crystal.run_rows(table.rows)[:, 0]  # halves and quarters are exact in binary
    error = np.abs(degrees - table.target)
    return {
        "exact": bool((degrees == table.target).all()),
        "similarity": float(np.exp(-error.mean())),
        "loss": float((error**2).mean()),
        **class_scores(degrees >= 0.5, table.target >= 0.5),
        "always_zero": bool((degrees == 0).all()),
        "seconds": seconds,
        "steps": steps,
        "formula": formula,
    }


def ablation_trial(job: Job) -> Record:
    """Ten networks of one variant on one split: means over the networks."""
    fields = VARIANTS[job.variant].fields(job.data)
    train_rows, test = paper_table(job.data, job.seed)
    run = _trained(train_rows, fields, ABLATION_RESTARTS, job.seed)
    found = trials(run, test, list(range(ABLATION_RESTARTS)))
    weights = run.outcome.lattice[:, ~run.shape.is_bias]
    return {
        "accuracy": float(np.mean([trial.after for trial in found])),
        "before": float(np.mean([trial.before for trial in found])),
        "crystallized": float(np.mean([was_crystallized(trial.report) for trial in found])),
        "constant": float(np.mean([trial.report.is_constant for trial in found])),
        "lost": float(np.mean([t.report.accuracy_before - t.report.accuracy_after for t in found])),
        "literals": float(np.mean([trial.report.n_literals for trial in found])),
        "zeros": float((weights == 0).mean()),
        "steps": run.n_steps,
        "seconds": run.seconds,
    }
