"""Real experiments: killed in the middle and resumed, honest about test rows, the same for the same seed."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from research.errors import StudyError
from research.paper import trials
from research.paper.plan import Plan, plan
from research.paper.reproduce import STORE, run_experiments
from research.paper.settings import STRATEGIES
from research.paper.tables import TruthRows
from research.study import Job

SMALL = Plan(
    "small",
    3,
    tuple(
        Job("paper", data, strategy, "chosen", seed)
        for data in ("monks-1", "monks-2", "monks-3")
        for strategy in STRATEGIES
        for seed in range(3)
    ),
)
PROGRAM = """
import sys
from pathlib import Path
from research.paper.plan import Plan
from research.paper.reproduce import run_experiments
from research.study import Job
jobs = tuple(Job(*part.split("/")[:4], int(part.split("/")[4])) for part in sys.argv[2].split(","))
run_experiments(Path(sys.argv[1]), Plan("small", 3, jobs), n_jobs=int(sys.argv[3]))
"""
CLOCKS = ("seconds", "tuning_seconds")


def start(folder, n_jobs):
    keys = ",".join(job.key for job in SMALL.jobs)
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder), keys, str(n_jobs)], start_new_session=True)


def timeless(record):
    return {name: value for name, value in record.items() if name not in CLOCKS}


def test_a_killed_run_goes_on_without_losing_or_repeating_a_trial(tmp_path):
    """Two worker processes are killed with their parent; one process finishes what they left."""
    store = tmp_path / STORE
    process = start(tmp_path, 2)
    try:
        deadline = time.monotonic() + 120
        while not (store.exists() and store.read_bytes().count(b"\n") >= 3):
            assert process.poll() is None, "the run ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.005)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    left = store.read_bytes()
    finished = left[: left.rfind(b"\n") + 1]
    assert 3 <= finished.count(b"\n") < len(SMALL.jobs), "killed in the middle"
    results = run_experiments(tmp_path, SMALL)
    assert store.read_bytes().startswith(finished), "what was finished stays as it was"
    keys = [json.loads(line)["job"] for line in store.read_bytes().splitlines()]
    assert sorted(keys) == sorted(job.key for job in SMALL.jobs), "every trial once"
    for job in SMALL.jobs[::5]:
        assert timeless(results.records[job]) == timeless(trials.perform(job))


def test_the_setting_is_chosen_without_the_test_rows(monkeypatch):
    job = Job("paper", "monks-3", "proximal", "grid", 1)
    honest = trials.perform(job)
    real = trials.paper_table

    def inverted(name, seed):
        train, test = real(name, seed)
        return train, TruthRows(test.names, test.rows, 1 - test.target)

    monkeypatch.setattr(trials, "paper_table", inverted)
    other = trials.perform(job)
    assert other["setting"] == honest["setting"]
    assert other["formula"] == honest["formula"]
    assert other["accuracy"] == pytest.approx(1 - honest["accuracy"])


def test_training_and_validation_rows_share_nothing_and_keep_the_classes():
    target = np.array([0] * 40 + [1] * 20)
    kept, held = trials._stratified(target, 3)
    assert sorted([*kept, *held]) == list(range(60))
    assert (len(held), target[held].sum()) == (15, 5)


def test_truth_tables_are_those_of_the_formulas():
    table = trials.truth_table_rows("f2", 2)
    row = dict(zip(table.names, table.rows[500], strict=True))
    wanted = max(0, min(1, 1 - row["x4"] + row["x6"]) + min(1, 1 - row["x6"] + row["x2"]) - 1)
    assert table.target[500] == wanted
    assert len(table.rows) == 729


def test_recover_finds_both_tables_exactly():
    for name in ("f1 on S1", "f2 on S2"):
        record = trials.perform(Job("table", name, "recover", "ours"))
        assert record["exact"]
        assert record["similarity"] == 1


def test_the_plan_covers_every_cell_of_the_paper():
    full = plan()
    cells = {(job.data, job.learner) for job in full.jobs if job.kind == "paper"}
    assert len(cells) == 18
    assert len({job.key for job in full.jobs}) == len(full.jobs)
    assert {job.kind for job in plan(quick=True).jobs} == {job.kind for job in full.jobs}


def test_an_unknown_experiment_is_refused():
    with pytest.raises(StudyError) as refused:
        trials.perform(Job("dance", "heart", "proximal"))
    assert str(refused.value) == "no experiment 'dance'; there are paper, ours, search, table, ablation."
