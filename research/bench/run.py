"""Run the comparison: what the stores do not have, each result kept as it ends, for at most so many seconds."""

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from crystalogic.document import write_atomically
from research.bench.peers import OURS, PEERS, installed_version
from research.bench.work import refuse, run_apart
from research.study import Job, Record, Store, code_version, learning_rooms

Progress = Callable[[int, int], Any]
Found = dict[Job, Record]
_DECIDING = tuple(
    f"research/bench/{name}" for name in ("suite.toml", "reading.py", "tables.py", "measure.py", "tuning.py")
)
_CHANGING = {"seconds", "cpu", "memory", "second_seconds", "second_cpu", "tried"}  # another run may differ in these
AGAIN = "again.json"


def version_of(learner: str) -> str:
    """What decides the results of a learner: its package, how it is used, the tables and the measures."""
    peer = PEERS[learner]
    module = peer.fit.__module__.replace(".", "/") + ".py"
    rooms = learning_rooms() if learner == OURS else ()
    return f"{code_version(*rooms, *_DECIDING, module)} {installed_version(peer.package)}"


@contextmanager
def open_stores(folder: Path, learners: Sequence[str]) -> Iterator[dict[str, Store]]:
    """A file for each learner, so that a change of one leaves the others as they are."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(Store(folder / f"{_slug(name)}.jsonl", version_of(name))) for name in learners}


def _slug(name: str) -> str:
    plain = name.lower().translate(str.maketrans("₁₂ℓ", "12l"))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def read_found(folder: Path, jobs: Sequence[Job]) -> Found:
    """The results there are, without running anything."""
    with open_stores(folder, list(dict.fromkeys(job.learner for job in jobs))) as stores:
        return {job: record for job in jobs if (record := stores[job.learner].get(job)) is not None}


def run_bench(
    folder: Path, jobs: Sequence[Job], *, seconds: float, n_jobs: int = 1, progress: Progress | None = None
) -> Found:
    """The results of these jobs, those that the seconds were enough for; finished ones come from the stores."""
    until = time.monotonic() + seconds
    with open_stores(folder, list(dict.fromkeys(job.learner for job in jobs))) as stores:
        missing = []
        for job in jobs:
            if stores[job.learner].get(job) is None:
                refusal = refuse(job)
                if refusal is None:
                    missing.append(job)
                else:
                    stores[job.learner].add(job, refusal)
        done = len(jobs) - len(missing)
        if progress is not None:
            progress(done, len(jobs))
        for job, record in run_apart(missing, n_jobs, until):
            stores[job.learner].add(job, record)
            done += 1
            if progress is not None:
                progress(done, len(jobs))
        return {job: result for job in jobs if (result := stores[job.learner].get(job)) is not None}


def run_again(
    folder: Path, found: Mapping[Job, Record], share: float, *, seconds: float, n_jobs: int = 1, seed: int = 0
) -> dict[str, Any]:
    """A share of the finished jobs, drawn at random and done again: how many gave the same but for times and memory."""
    ran = sorted((job for job, record in found.items() if "problem" not in record), key=lambda job: job.key)
    drawn = random.Random(seed).sample(ran, round(share * len(ran)))
    repeated = dict(run_apart(drawn, n_jobs, time.monotonic() + seconds))
    other = [job.key for job, record in repeated.items() if _lasting(record) != _lasting(found[job])]
    answer = {"drawn": len(drawn), "repeated": len(repeated), "different": sorted(other)}
    write_atomically(folder / AGAIN, json.dumps(answer, indent=1, ensure_ascii=False) + "\n")
    return answer


def _lasting(record: Record) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in _CHANGING}
