"""Run the jobs that the store does not have, several at once, each stored as it ends."""

import signal
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from research.study.job import Job, Record
from research.study.store import Store

Work = Callable[[Job], Record]
Progress = Callable[[int, int], Any]  # how many are done, of how many


def run_jobs(
    jobs: Sequence[Job], work: Work, store: Store, n_jobs: int = 1, progress: Progress | None = None
) -> dict[Job, Record]:
    """The results of all jobs. Those in the store are not computed again; the others are stored one by one.

    Only this process writes, so a kill at any moment leaves whole lines. The results do not depend on `n_jobs`.
    """
    from joblib import Parallel, delayed

    missing = store.missing(jobs)
    done = len(jobs) - len(missing)
    if progress is not None:
        progress(done, len(jobs))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
    for job, record in parallel(delayed(_one)(work, job) for job in missing):
        store.add(job, record)
        done += 1
        if progress is not None:
            progress(done, len(jobs))
    return {job: record for job in jobs if (record := store.get(job)) is not None}


def _one(work: Work, job: Job) -> tuple[Job, Record]:
    """One result. A learner that answers Ctrl-C with the best so far has not finished, so that is no result."""
    interruptions: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        interruptions.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # signals are not handled there
        return job, work(job)
    before = signal.signal(signal.SIGINT, note)
    try:
        record = work(job)
    finally:
        signal.signal(signal.SIGINT, before)
    if interruptions:
        raise KeyboardInterrupt
    return job, record
