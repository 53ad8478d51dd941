"""Tables of a Dask dataframe: every function goes to the partitions, only its small results come back.

Dask runs the functions where the partitions are, on the workers of a cluster or in the threads of one machine, and
again elsewhere if a worker dies. The rows themselves never come to the machine that asks, but for the sample.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from crystalogic.errors import ClusterError, CrystalogicError
from crystalogic.scale.parts import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crystalogic.search.clock import Clock

T = TypeVar("T")
RETRIES = 3  # of a task whose worker died
PATIENCE = 10  # seconds that a scheduler has to answer


class ClusterParts:
    """A Dask dataframe with its target and weights, partition by partition; `labels` reads a partition's target."""

    def __init__(
        self, rows: Any, target: Any, weight: Any = None, labels: "Callable[[Any], NDArray[Any]] | None" = None
    ) -> None:
        given = [each for each in (rows, target, weight) if each is not None]
        if len({each.npartitions for each in given}) > 1:
            message = (
                f"the rows have {rows.npartitions} partitions, the target {target.npartitions}. "
                "Take both from one dataframe."
            )
            raise ClusterError(message)
        self._labels = labels
        self._parts = list(zip(*(each.to_delayed() for each in given), strict=True))
        lengths = self._computed([_on_worker(_lengths, *part) for part in self._parts])
        self._first = [0]
        for number, (n_rows, *others) in enumerate(lengths):
            if any(other != n_rows for other in others):
                message = f"partition {number} has {n_rows} rows and {others[0]} targets. Take both from one dataframe."
                raise ClusterError(message)
            self._first.append(self._first[-1] + n_rows)

    def each(self, function: Callable[[Part], T]) -> list[T]:
        """The results of the function, in the order of the partitions."""
        numbered = zip(self._first, self._parts, strict=False)
        return self._computed([_on_worker(_called, function, self._labels, first, *part) for first, part in numbered])

    def spread(
        self, function: "Callable[[Any, Any, Clock], T]", shared: Any, jobs: Sequence[Any], clock: "Clock"
    ) -> list[T | None]:
        """The function of each job, wherever there is a free worker."""
        from dask import delayed

        together = delayed(shared, pure=False)
        return list(self._computed([_on_worker(function, together, job, clock) for job in jobs]))

    def _computed(self, tasks: list[Any]) -> list[Any]:
        import dask

        with _in_a_sentence():
            return list(dask.compute(*tasks, retries=RETRIES))


def _on_worker(function: Callable[..., T], *arguments: Any) -> Any:
    from dask import delayed

    return delayed(function, pure=False)(*arguments)


def _lengths(*parts: Any) -> list[int]:
    return [len(part) for part in parts]


def _called(
    function: Callable[[Part], T], labels: Any, first_row: int, rows: Any, target: Any, weight: Any = None
) -> T:
    import numpy as np

    read = np.asarray(target) if labels is None else labels(target)
    return function(Part(rows, read, None if weight is None else np.asarray(weight, dtype=np.float64), first_row))


def is_cluster_frame(rows: Any) -> bool:
    """Whether this is a Dask dataframe, without importing Dask."""
    return type(rows).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(rows, "to_delayed")


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at this address, or a ClusterError."""
    try:
        from distributed import Client
    except ImportError:
        message = "a cluster needs Dask: pip install 'crystalogic[dask]'."
        raise ClusterError(message) from None
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        message = (
            f"no Dask scheduler answers at {address!r} ({_one_line(error)}). "
            "Start one with 'dask scheduler', and give the address that it prints, such as tcp://10.0.0.1:8786."
        )
        raise ClusterError(message) from None
    try:
        yield client
    finally:
        client.close()


@contextmanager
def _in_a_sentence() -> Iterator[None]:
    """Whatever goes wrong on a worker as one sentence; our own errors as they are."""
    try:
        yield
    except (CrystalogicError, KeyboardInterrupt):
        raise
    except Exception as error:
        message = f"the cluster could not finish: {type(error).__name__}: {_one_line(error)}"
        raise ClusterError(message) from error


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) < 300 else text[:297] + "…"
