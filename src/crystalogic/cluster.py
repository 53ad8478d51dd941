"""Tables of a Dask dataframe: every function goes to the partitions, only its small results come back.

Dask runs the functions where the partitions are, on the workers of a cluster or in the threads of one machine, and
again elsewhere if a worker dies. The rows themselves never come to the machine that asks, but for the sample.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, chain
from typing import Any

from crystalogic.arrays import np, pd
from crystalogic.errors import ClusterError, CrystalogicError, refuse, refuse_first
from crystalogic.files import TableFile
from crystalogic.files.source import error_line
from crystalogic.parts import FileParts, Part, Parts, T, fold, join_parts

JOINED = 8  # results joined by one task
RETRIES = 3  # of a task whose worker died
TARGET, WEIGHT = "target\n", "weights\n"  # names that no column has
PATIENCE = 10  # seconds that a scheduler has to answer


class Cluster(Parts):
    """A table in parts on the workers: pieces, how the rows of one are counted, and what calls a function for each of
    its parts, given the piece, the number of its first row, the function and the columns that it reads."""

    def __init__(self, pieces: Sequence[Any], count: Callable[[Any], int], call: Callable[..., list[Any]]) -> None:
        lengths = compute([on_worker(count, piece) for piece in pieces])
        self._pieces = list(zip(pieces, accumulate(lengths, initial=0), strict=False))
        self._call = call
        self.n_rows = sum(lengths)

    def gather(self, most: int) -> Part | None:
        return join_parts(self.each(lambda part: part)) if 0 < self.n_rows <= most else None

    def _tasks(self, function: Callable[[Part], T], columns: Sequence[str] | None) -> list[Any]:
        """Tasks that give the results of the function for the parts of a piece each, in the order of the parts."""
        return [on_worker(self._call, piece, first, function, columns) for piece, first in self._pieces]

    def each(self, function: Callable[[Part], T], columns: Sequence[str] | None = None) -> list[T]:
        return list(chain.from_iterable(compute(self._tasks(function, columns))))

    def fold(
        self, function: Callable[[Part], T | None], join: Callable[[T, T], T], columns: Sequence[str] | None = None
    ) -> T | None:
        """All results joined in the order of the parts, on the workers; None if there is no part."""
        tasks = [on_worker(fold, join, task) for task in self._tasks(function, columns)]
        while len(tasks) > 1:
            groups = [tasks[first : first + JOINED] for first in range(0, len(tasks), JOINED)]
            tasks = [on_worker(fold, join, group) for group in groups]
        found: list[T | None] = compute(tasks)
        return found[0] if found else None


def cluster_parts(rows: Any, target: Any, weight: Any = None) -> Cluster:
    """A Dask dataframe with its target and weights, partition by partition."""
    given = {TARGET: target} if weight is None else {TARGET: target, WEIGHT: weight}
    for name, column in given.items():
        what = f"the rows are a Dask dataframe, the {name.strip()} is a {type(column).__name__}"
        refuse_first(ClusterError, {f"{what}; take both from one dataframe.": not is_cluster_frame(column)})
    try:
        together = rows.assign(**given)
    except (ValueError, NotImplementedError) as error:
        both = " and ".join(["rows", *map(str.strip, given)])
        message = f"{both} do not go together; take them from one dataframe."
        raise ClusterError(message) from error
    return Cluster(together.to_delayed(), len, _call)


def cluster_files(parts: FileParts) -> Cluster:
    """A table in files that every worker can read, file by file."""
    return Cluster(parts.source.files or (parts.source,), _n_rows, lambda *given: list(parts.each_of(*given)))


def compute(tasks: list[Any]) -> list[Any]:
    """The results of tasks, wherever they run; what goes wrong there as one sentence, our own errors as they are."""
    import dask

    try:
        return list(dask.compute(*tasks, retries=RETRIES))
    except CrystalogicError:
        raise
    except Exception as error:
        message = f"the cluster could not finish: {type(error).__name__}: {error_line(error)}"
        raise ClusterError(message) from error


def on_worker(function: Callable[..., Any], *arguments: Any) -> Any:
    """A task that calls the function with these arguments, where tasks among them are done first."""
    from dask import delayed

    return delayed(function, pure=False)(*arguments)


def _n_rows(file: TableFile) -> int:
    return sum(len(rows) for rows in file.parts(columns=file.columns[:1])) if file.n_rows is None else file.n_rows


def _call(rows: Any, first_row: int, function: Callable[[Part], T], columns: Sequence[str] | None) -> list[T]:
    """The result for a partition, with all columns: with fewer, Dask may cut the table otherwise."""
    target = np.asarray(rows[TARGET])
    weight = np.asarray(rows[WEIGHT], dtype=np.float64) if WEIGHT in rows.columns else None
    return [function(Part(rows.drop(columns=[TARGET, WEIGHT], errors="ignore"), target, weight, first_row))]


def is_cluster_frame(rows: Any) -> bool:
    """Whether this is a Dask dataframe, without importing Dask."""
    return type(rows).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(rows, "to_delayed")


def by_partition(rows: Any, function: Callable[[Any], Any], dtype: Any) -> Any:
    """The function of every partition of a Dask dataframe, as a lazy Dask series."""

    def call(part: Any) -> Any:
        return pd.Series(function(part) if len(part) else [], index=part.index, dtype=dtype)

    return rows.map_partitions(call, meta=pd.Series([], dtype=dtype))


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A client of the scheduler at this address, or a ClusterError."""
    try:
        from distributed import Client
    except ImportError:
        refuse(ClusterError, "a cluster needs Dask: pip install 'crystalogic[dask]'.")
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        way_out = "Start one with 'dask scheduler', and give the address that it prints, such as tcp://10.0.0.1:8786."
        refuse(ClusterError, f"no Dask scheduler answers at {address!r} ({error_line(error)}). {way_out}")
    try:
        yield client
    finally:
        client.close()
