"""The run: kept as it ends, gone on with after a kill, stopped in time, and written down."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from research.bench import work
from research.bench.jobs import plan_jobs
from research.bench.page import write_page
from research.bench.peers import OURS
from research.bench.run import read_found, run_again, run_bench
from research.bench.summary import compare_at_size, duel, gather, rank_learners
from research.bench.write import write_comparison
from research.study import Job

ROOT = Path(__file__).parents[3]
FAST = ["CART", "Logistic, ℓ₂"]


def test_results_are_kept_and_repeated_alike(tmp_path, monkeypatch):
    jobs = [job for job in plan_jobs(["monks-1"], FAST) if job.variant == "default"]
    found = run_bench(tmp_path, jobs, seconds=120, n_jobs=2)
    assert [job.learner for job in found] == FAST
    assert all("accuracy" in record for record in found.values())
    again = run_again(tmp_path, found, 1.0, seconds=120, n_jobs=2)
    assert again == {"drawn": 2, "repeated": 2, "different": []}
    monkeypatch.setattr("research.bench.run.run_apart", None)
    assert read_found(tmp_path, jobs) == found


def test_no_job_begins_after_the_time(tmp_path):
    assert run_bench(tmp_path, plan_jobs(["monks-1"], FAST), seconds=0) == {}


def test_a_fit_over_the_limit_is_ended_and_reported(monkeypatch):
    monkeypatch.setattr(work, "limit_of", lambda job: 0.0)
    jobs = [Job("bench", "monks-1", "CART")]
    assert list(work.run_apart(jobs, 1, time.monotonic() + 60)) == [(jobs[0], {"problem": "over the time limit"})]


def test_a_process_that_cannot_begin_is_tried_again(monkeypatch):
    """A run ended with a broken pipe: the server that makes processes had gone, and the next attempt starts it anew."""
    once, failures = work._start_once, [BrokenPipeError(32, "Broken pipe")]

    def start(context, job):
        if failures:
            raise failures.pop()
        return once(context, job)

    monkeypatch.setattr(work, "_start_once", start)
    jobs = [Job("bench", "monks-1", "CART")]
    [(_, record)] = work.run_apart(jobs, 1, time.monotonic() + 120)
    assert "accuracy" in record


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_killed_run_goes_on(tmp_path):
    words = ["bench", "-o", str(tmp_path), "--tables", "monks-1,heart", "--learners", ";".join(FAST), "--no-figures"]
    command = [sys.executable, "-m", "research", *words, "--quick", "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    first = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    store = tmp_path / "cart.jsonl"
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and not (store.exists() and store.read_bytes().count(b"\n")):
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = store.read_bytes()
    assert before.count(b"\n") >= 1
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert store.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert "6 of 6 jobs are done." in done.stdout
    assert (tmp_path / "comparison.md").exists()


def made_up() -> dict[Job, dict[str, object]]:
    """Two splits of three new tables and an old one: ours is ahead of CART, behind EBM; FIGS is not installed."""
    found: dict[Job, dict[str, object]] = {}
    shifts = {OURS: 0.0, "CART": -0.05, "EBM": 0.02, "Random forest": 0.01}
    for table in ("hmda", "titanic", "compas", "heart"):
        for seed in range(2):
            for learner, shift in shifts.items():
                score = 0.7 + 0.01 * seed + shift
                record = {"accuracy": score, "balanced": score, "auc": score, "log_loss": 1 - score, "size": 4}
                record |= {"brier": 0.2, "ece": 0.1, "seconds": 1.0, "cpu": 1.0, "memory": 3.0, "columns": "3"}
                found[Job("bench", table, learner, "default", seed)] = record
                if learner in (OURS, "CART"):
                    found[Job("bench", table, learner, "size-3", seed)] = record
            found[Job("bench", table, "FIGS", "default", seed)] = {"problem": "imodels is not installed"}
    return found


def test_ranks_duels_and_sizes_follow_the_scores():
    cells = gather(made_up())
    tables = ["hmda", "titanic", "compas"]
    ranking = rank_learners(cells, tables, [OURS, "CART", "EBM"], "accuracy")
    assert ranking.ranks == {OURS: 2, "CART": 3, "EBM": 1}
    found = duel(cells, tables, "EBM", "accuracy")
    assert found.gap.mean == pytest.approx(-0.02)
    assert found.behind == tuple(tables)
    assert duel(cells, tables, "FIGS", "accuracy") is None
    at_three = compare_at_size(cells, tables, 3)
    assert (at_three.unbeaten, at_three.n_tables) == (3, 3)


def test_the_page_says_first_where_ours_is_behind(tmp_path):
    text = write_page(gather(made_up()), ["pictures/comparison.svg"], {"repeated": 4, "different": []})
    assert text.index("## Where we are behind") < text.index("## Ranks")
    assert "* EBM: 2.0 points more accuracy on average over 3 tables (95 % interval 2.0 to 2.0)" in text
    assert "on 3 tables with two classes" in text
    assert "EBM 1.0, Random forest 2.0, **Crystalogic** 3.0, CART 4.0." in text
    assert "| 3 | 3 of 3 | – |" in text
    assert "* FIGS: imodels is not installed (4 tables: compas, heart, hmda, titanic)" in text
    assert "4 jobs, drawn at random, were done a second time: 0 gave another result" in text
    old = text.partition("## Tables used in development")[2]
    assert "| heart | 303 |" in old
    assert "```" not in text
    written = write_comparison(tmp_path, tmp_path / "comparison.md", made_up())
    assert [path.name for path in written] == ["comparison.md", "comparison-ranks.svg"]
    first = written[1].read_bytes()
    write_comparison(tmp_path, tmp_path / "comparison.md", made_up())
    assert written[1].read_bytes() == first


def test_a_page_of_nothing_says_so():
    text = write_page({})
    assert "Nothing has run yet" in text
    assert "| fars |" in text
