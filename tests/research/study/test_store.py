"""The store keeps whole results, whatever happens to the process that writes it."""

import json
import signal
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.errors import StudyError
from research.study import Job, Store, code_version, learning_rooms, run_jobs

JOBS = [Job("kind", "data", "learner", seed=seed) for seed in range(6)]


def squared(job):
    return {"value": job.seed**2}


def test_what_is_added_is_there_the_next_time(tmp_path):
    with Store(tmp_path / "s.jsonl", "1") as store:
        store.add(JOBS[0], {"value": 0.1, "names": ["a", "ψ"]})
    with Store(tmp_path / "s.jsonl", "1") as store:
        assert store.get(JOBS[0]) == {"value": 0.1, "names": ["a", "ψ"]}
        assert store.missing(JOBS[:2]) == [JOBS[1]]


def test_results_of_other_code_are_not_taken(tmp_path):
    with Store(tmp_path / "s.jsonl", "1") as store:
        store.add(JOBS[0], {"value": 1})
    with Store(tmp_path / "s.jsonl", "2") as store:
        assert store.get(JOBS[0]) is None


@settings(max_examples=25)
@given(cut=st.integers(min_value=0, max_value=400))
def test_a_file_cut_anywhere_keeps_every_whole_line(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("store") / "s.jsonl"
    with Store(path, "1") as store:
        for job in JOBS:
            store.add(job, squared(job))
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    kept = whole[:cut].count(b"\n")
    with Store(path, "1") as store:
        assert store.missing(JOBS) == JOBS[kept:]
        assert run_jobs(JOBS, squared, store) == {job: squared(job) for job in JOBS}
    assert path.read_bytes() == whole


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "s.jsonl"
    with Store(path, "1"), pytest.raises(StudyError) as refused, Store(path, "1"):
        pass
    assert str(refused.value) == (
        f"{path}: another run is writing to it. Wait for it, or choose another folder with --output."
    )


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text('{"job": "a", "version": "1", "record": {}}\n{"job": 3\n')
    with pytest.raises(StudyError) as refused, Store(path, "1"):
        pass
    assert str(refused.value) == f"{path}: line 2 is not a finished experiment. Move the file away to start anew."


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="cannot be written"), Store(tmp_path / "file" / "s.jsonl", "1"):
        pass


def test_jobs_in_the_store_are_not_computed_again(tmp_path):
    computed = []

    def counted(job):
        computed.append(job)
        return squared(job)

    seen = []
    with Store(tmp_path / "s.jsonl", "1") as store:
        run_jobs(JOBS[:4], counted, store)
        run_jobs(JOBS, counted, store, progress=lambda done, total: seen.append((done, total)))
    assert computed == JOBS
    assert seen == [(4, 6), (5, 6), (6, 6)]
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [line["job"] for line in lines] == [job.key for job in JOBS]


def test_what_ctrl_c_cut_short_is_no_result(tmp_path):
    def patient(job):
        if job.seed == 2:
            with suppress(KeyboardInterrupt):  # as a learner that keeps the best so far
                signal.raise_signal(signal.SIGINT)
        return squared(job)

    with Store(tmp_path / "s.jsonl", "1") as store, pytest.raises(KeyboardInterrupt):
        run_jobs(JOBS, patient, store)
    with Store(tmp_path / "s.jsonl", "1") as store:
        assert store.missing(JOBS) == JOBS[2:]


def test_the_version_follows_the_code_that_decides():
    rooms = learning_rooms()
    assert {"search", "train", "datasets", "estimator"} <= set(rooms)
    assert not {"paper", "bench", "study", "cli", "report"} & set(rooms)
    assert code_version("search") != code_version("train")
    assert code_version("search") == code_version("search")
