"""Run the comparison: every learner on every table and split, each result kept as it ends."""

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from research.bench.peers import OURS, PEERS, Peer
from research.bench.tables import TABLES, halves
from research.errors import StudyError
from research.study import Job, Record, Store, code_version, learning_rooms, run_jobs

DISTRIBUTIONS = {"sklearn": "scikit-learn"}
_DECIDING = (
    "datasets",
    "research/paper/tables.py",
    *(f"research/bench/{name}.py" for name in ("tables", "peers", "run")),
)


def jobs_of(tables: Sequence[str] | None, learners: Sequence[str] | None, n_splits: int) -> list[Job]:
    """One job for each table, learner and split."""
    for name in tables or ():
        if name not in TABLES:
            message = f"no table {name!r}; there are {', '.join(TABLES)}."
            raise StudyError(message)
    for name in learners or ():
        if name not in PEERS:
            message = f"no learner {name!r}; there are {', '.join(PEERS)}."
            raise StudyError(message)
    return [
        Job("bench", table, learner, "default", seed)
        for table in tables or TABLES
        for learner in learners or PEERS
        for seed in range(n_splits)
    ]


def compare(
    folder: Path,
    *,
    tables: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    n_splits: int = 10,
    n_jobs: int = 1,
    progress: Callable[[int, int], Any] | None = None,
) -> dict[Job, Record]:
    """All results; finished ones are taken from the stores in `folder`, peers apart from ours."""
    jobs = jobs_of(tables, learners, n_splits)
    ours = [job for job in jobs if job.learner == OURS]
    peers = [job for job in jobs if job.learner != OURS]
    versions = ",".join(f"{package}={installed_version(package)}" for package in _packages())

    def shown(offset: int) -> Callable[[int, int], Any] | None:
        return None if progress is None else lambda done, _: progress(offset + done, len(jobs))

    with Store(folder / "peers.jsonl", f"{code_version(*_DECIDING)} {versions}") as store:
        found = run_jobs(peers, perform, store, n_jobs, shown(0))
    with Store(folder / "ours.jsonl", code_version(*learning_rooms(), *_DECIDING)) as store:
        found |= run_jobs(ours, perform, store, n_jobs, shown(len(peers)))
    return {job: found[job] for job in jobs}


def _packages() -> list[str]:
    return sorted({peer.package for peer in PEERS.values()} - {"crystalogic"})


def installed_version(package: str) -> str | None:
    """The version of a peer's package, or None where it is not installed."""
    try:
        return metadata.version(DISTRIBUTIONS.get(package, package))
    except metadata.PackageNotFoundError:
        return None


def perform(job: Job) -> Record:
    """One learner on one split; why not, where it cannot run."""
    peer = PEERS[job.learner]
    if installed_version(peer.package) is None:
        return {"problem": f"{peer.package} is not installed"}
    data = halves(job.data, job.seed)
    if peer.two_classes and data.n_classes > 2:
        return {"problem": f"two classes only, {job.data} has {data.n_classes}"}
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(limits=1), _quiet():
        warnings.simplefilter("ignore")
        try:
            return _measured(peer, data, job.seed)
        except Exception as error:  # whatever a peer's own code raises is a result: it could not run
            if peer.name == OURS:
                raise
            return {"problem": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:200]}


@contextmanager
def _quiet() -> Iterator[None]:
    """What compiled code of a peer prints goes nowhere: it would stand in the middle of the page on the terminal."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _measured(peer: Peer, data: Any, seed: int) -> dict[str, Any]:
    from sklearn.metrics import balanced_accuracy_score, f1_score

    begin = time.process_time()  # of this process alone: a busy machine does not make a learner slower
    fitted = peer.fit(data, seed)
    fit_seconds = time.process_time() - begin
    begin = time.process_time()
    predicted = np.asarray(fitted.predict(data.test))
    predict_seconds = time.process_time() - begin
    wanted = data.test.labels
    average = "binary" if data.n_classes == 2 else "macro"
    return {
        "accuracy": float((predicted == wanted).mean()),
        "balanced": float(balanced_accuracy_score(wanted, predicted)),
        "f1": float(f1_score(wanted, predicted, average=average, zero_division=0)),
        "literals": fitted.literals,
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
    }


def by_cell(found: Mapping[Job, Record]) -> dict[tuple[str, str], list[Record]]:
    """The records of each table and learner, by split."""
    cells: dict[tuple[str, str], list[Record]] = {}
    for job, record in found.items():
        cells.setdefault((job.data, job.learner), []).append(record)
    return cells
