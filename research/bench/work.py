"""One job in a process of its own, which is ended when it lasts too long: compiled code cannot be asked to stop."""

import math
import os
import resource
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context
from typing import Any

from research.bench.jobs import TUNED, settings_of
from research.bench.measure import measure
from research.bench.peers import PEERS, installed_version
from research.bench.suite import read_suite
from research.bench.tables import halves
from research.bench.tuning import TUNING_SECONDS, tune
from research.study import Job, Record

FIT_SECONDS = 300.0  # of the processor, for one fit: a busy machine makes no learner slower
OVERHEAD_SECONDS = 60.0  # to load the table and to judge; no part of the limit of a fit
OVER = "over the time limit"
N_ATTEMPTS = 3  # to begin a job
CLOCK_FACTOR = 4  # how much longer a job may last by the clock
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_PRELOADED = [  # so that no job pays for loading or compiling a library; those that are not there are passed over
    "research.bench.work",
    "pandas",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.tree",
    "crystalogic.estimator",
    "imodels",
    "interpret.glassbox",
    "gosdt",
    "wittgenstein",
    "fasterrisk.fasterrisk",
    "aix360.algorithms.rbm.boolean_rule_cg",
    "research.bench.warm",
]


def refuse(job: Job) -> Record | None:
    """Why a learner cannot do a job, where that is known beforehand."""
    peer = PEERS[job.learner]
    if installed_version(peer.package) is None:
        return {"problem": f"{peer.package} is not installed"}
    if peer.two_classes and read_suite().tables[job.data].classes > 2:
        return {"problem": "two classes only"}
    return None


def perform(job: Job) -> Record:
    """One learner on one split; why not, where it cannot run."""
    refusal = refuse(job)
    if refusal is not None:
        return refusal
    peer = PEERS[job.learner]
    data = halves(job.data, job.seed)
    with warnings.catch_warnings(), _quiet():
        warnings.simplefilter("ignore")
        try:
            if job.variant != TUNED:
                is_first = job.variant == "default" and job.seed == 0
                return measure(peer, data, job.seed, settings_of(job), second=is_first)
            settings, n_tried = tune(peer, data, job.seed)
            return measure(peer, data, job.seed, settings) | {"settings": str(dict(settings)), "tried": n_tried}
        except Exception as error:  # whatever a learner's own code raises is a result: it could not run
            return {"problem": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:200]}


@contextmanager
def _quiet() -> Iterator[None]:
    """What compiled code of a peer prints goes nowhere: it would stand in the middle of the terminal."""
    sys.stdout.flush()
    kept, nowhere = (os.dup(1), os.dup(2)), os.open(os.devnull, os.O_WRONLY)
    try:
        for place in (1, 2):
            os.dup2(nowhere, place)
        yield
    finally:
        sys.stdout.flush()
        for place, other in zip((1, 2), kept, strict=True):
            os.dup2(other, place)
            os.close(other)
        os.close(nowhere)


def limit_of(job: Job) -> float:
    """The seconds of the processor after which the process of a job is ended."""
    return FIT_SECONDS + OVERHEAD_SECONDS + (TUNING_SECONDS + 3 * FIT_SECONDS if job.variant == TUNED else 0)


def _send(pipe: Any, job: Job) -> None:
    os.setsid()  # so that processes that a learner starts end with it
    seconds = math.ceil(limit_of(job))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    try:
        pipe.send(perform(job))
    except BaseException as error:
        pipe.send({"problem": f"{type(error).__name__}: {error}"[:200]})
    finally:
        pipe.close()


@dataclass(frozen=True)
class Running:
    """A job that is being done."""

    job: Job
    process: Any
    pipe: Any
    deadline: float


def run_apart(jobs: Sequence[Job], n_jobs: int, until: float) -> Iterator[tuple[Job, Record]]:
    """Results as they end; no job is begun after `until` (by `time.monotonic`), and those under way are ended."""
    for name in _THREADS:
        os.environ[name] = "1"
    context = get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    waiting, running = list(reversed(jobs)), list[Running]()
    try:
        while waiting or running:
            while waiting and len(running) < n_jobs and time.monotonic() < until:
                running.append(_start(context, waiting.pop()))
            if not running or time.monotonic() >= until:
                return
            soonest = min([until, *(each.deadline for each in running)])
            connection.wait([each.pipe for each in running], max(0.0, soonest - time.monotonic()))
            for each in list(running):
                record = _look(each)
                if record is not None:
                    running.remove(each)
                    yield each.job, record
    finally:
        for each in running:
            _end(each)


def _start(context: Any, job: Job) -> Running:
    """Begins a job; the server that makes processes is started anew by the next attempt where it has gone."""
    for _ in range(N_ATTEMPTS - 1):
        try:
            return _start_once(context, job)
        except (OSError, EOFError):
            time.sleep(1)
    return _start_once(context, job)


def _start_once(context: Any, job: Job) -> Running:
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(theirs, job), daemon=True)
    process.start()
    theirs.close()
    return Running(job, process, ours, time.monotonic() + CLOCK_FACTOR * limit_of(job))


def _look(running: Running) -> Record | None:
    """What a job gave, or why it gave nothing; None while it is under way."""
    if running.pipe.poll():
        try:
            record: Record = running.pipe.recv()
        except EOFError:
            running.process.join(5)
            code = running.process.exitcode
            is_over = code in (-signal.SIGXCPU, -signal.SIGKILL)
            record = {"problem": OVER if is_over else f"the process ended with code {code}"}
    elif time.monotonic() >= running.deadline:
        record = {"problem": OVER}
    else:
        return None
    _end(running)
    return {"problem": OVER} if record.get("cpu", 0) > FIT_SECONDS else record


def _end(running: Running) -> None:
    """Ends a process and those that it started."""
    pid = running.process.pid
    running.process.join(0.5)
    if running.process.is_alive():
        try:
            os.killpg(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            running.process.kill()
    running.process.join()
    running.pipe.close()
