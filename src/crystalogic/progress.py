"""How far a search or a training run is, why it ended, and when it must: a time budget, a callback or Ctrl-C."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

HELD_OUT = "held-out rows"  # the part of a fit that measures the model on them
Job = TypeVar("Job")
T = TypeVar("T")


class Stop(Enum):
    """Why a search or a training run ended; the value is the sentence for people."""

    DONE = "Every restart and every fold was searched."
    STEPS = "Every step of the budget was taken."
    TOLERANCE = "Every restart reached the loss tolerance."
    PATIENCE = "No restart was improving any more."
    EXACT = "The formula is exact on every row."
    NOT_EXACT = "The budget ended before an exact formula was found; the best so far was kept."
    TIME = "The time budget ran out; the best so far was kept."
    INTERRUPTED = "It was interrupted; the best so far was kept."
    CALLBACK = "The callback asked to stop; the best so far was kept."

    @property
    def is_early(self) -> bool:
        """Whether it ended before it was done, and the best so far was kept."""
        return self in (Stop.NOT_EXACT, Stop.TIME, Stop.INTERRUPTED, Stop.CALLBACK)


@dataclass(frozen=True)
class Progress:
    """What a callback sees: parts or steps done, of how many, what was done last, and the seconds so far."""

    done: int
    total: int
    part: str
    seconds: float
    lowest_loss: float | None = None  # of all restarts, where networks are trained


Callback = Callable[[Progress], bool | None]


class Clock:
    """Counts seconds and remembers why the search must stop."""

    def __init__(self, budget: float | None = None, callback: Callback | None = None) -> None:
        self._begin, self._budget, self._callback = time.perf_counter(), budget, callback
        self._share, self._ran_out = 1.0, False
        self.stop: Stop | None = None
        self.done, self.total = 0, 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process, it is a clock with what is left of the budget; callbacks stay behind."""
        return Clock, (self.left,)

    @property
    def left(self) -> float | None:
        """The seconds that are left of the budget, if there is one; a moment always is."""
        return None if self._budget is None else max(1e-9, self._budget * self._share - self.seconds)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    def is_over(self) -> bool:
        """Whether to stop, because of the budget, the callback or an interruption."""
        if self.stop is None and self._budget is not None and self.seconds > self._budget * self._share:
            self.stop = Stop.TIME
        return self.stop is not None

    @contextmanager
    def part(self, index: int = 0, of: int = 1) -> Iterator[None]:
        """One of several searches in a row: each may use the budget up to its share, and what earlier ones left over.

        Within it, Ctrl-C ends the search at its next step and keeps what was found; a second one breaks it off.
        """
        self._allow((index + 1) / of)
        with self._interruptible():
            yield
        self._ran_out |= self.stop is Stop.TIME
        self.stop = self.stop or (Stop.TIME if self._ran_out else None)

    def _allow(self, share: float) -> None:
        self._share = share
        if self.stop is Stop.TIME:  # an earlier part used up its own share
            self.stop = None

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def ask(*_: object) -> None:
            self.stop = Stop.INTERRUPTED
            signal.signal(signal.SIGINT, before)

        before = signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def tick(self, part: str, lowest_loss: float | None = None) -> None:
        """One part is done: tell the callback. Ctrl-C inside it ends the search, in whatever thread it runs."""
        self.done += 1
        try:
            if self._callback and self._callback(Progress(self.done, self.total, part, self.seconds, lowest_loss)):
                self.stop = self.stop or Stop.CALLBACK
        except KeyboardInterrupt:
            self.stop = Stop.INTERRUPTED


def in_threads(each: Callable[[Job], T], jobs: list[Job], n_threads: int, clock: Clock) -> list[T | None]:
    """The results in the order of the jobs, however many threads; Ctrl-C keeps what is ready, None for the rest.

    joblib runs them, so that `joblib.parallel_config` can send them to processes or a cluster instead.
    """
    from joblib import Parallel, delayed

    done: list[T | None] = [None] * len(jobs)
    found = Parallel(n_jobs=n_threads, prefer="threads", return_as="generator")(delayed(each)(job) for job in jobs)
    try:
        for index, result in enumerate(found):
            done[index] = result
    except KeyboardInterrupt:
        clock.stop = Stop.INTERRUPTED
    return done
